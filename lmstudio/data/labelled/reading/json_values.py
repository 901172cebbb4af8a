"""JSON to its values, each with the line it begins in: one value, JSON lines, or one after another.

Numbers stay as they are written, so that a label 01 is no 1; NaN and its like are nothing.
"""

import json
import re
from typing import Any

from lmstudio.data.watched import watched
from lmstudio.jobs import Job
from lmstudio.text.read import ReadError

_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=lambda _: None)
_WHOLE = re.compile(r"(-?\d{1,18})(?:\.0*)?")
_OBJECT = re.compile(r"\s*(?:\[\s*)?\{\s*\"[^\"\n]*\"\s*:")
_FIRST = 20  # lines that tell
_UNREADABLE = (ValueError, RecursionError)  # the latter for what is nested without end
LOST = object()
"""Stands for a line that is no JSON."""


def is_json(text: str, *, table: bool) -> bool:
    """Half of the first lines are objects or lists, or the whole is, or it begins as an object.

    A bracket may be a token or begin a sentence. What begins as an object and is none is damaged,
    unless it is a `table` by its name, or by a tab in each line.
    """
    lines = [line.strip() for line in text.lstrip().split("\n", _FIRST)[:_FIRST] if line.strip()]
    if 0 < len(lines) <= 2 * sum(_holds(line.removesuffix(",")) for line in lines):
        return True
    if _OBJECT.match(text) and not table and not all("\t" in line for line in lines):
        return True
    return _holds(text)


def _holds(text: str) -> bool:
    """An object, or a list with something in it, and nothing else."""
    try:
        value = _DECODER.decode(text)
    except _UNREADABLE:
        return False
    return isinstance(value, dict) or (isinstance(value, list) and bool(value))


def values(text: str, job: Job) -> list[tuple[int, Any]]:
    """The values of a file and their lines, from 1; those of an array one by one.

    Raises ReadError where nothing of it is JSON.
    """
    try:
        whole = _DECODER.decode(text)
    except _UNREADABLE as error:
        found = _lines(text, job)
        if any(value is LOST for _, value in found):
            found = _one_after_another(text, job) or found
        if all(value is LOST for _, value in found):
            raise ReadError(
                "The JSON is damaged or not complete ({error}).", error=str(error)
            ) from error
        return found
    return list(enumerate(whole, 1)) if isinstance(whole, list) else [(1, whole)]


def whole(value: object) -> int | None:
    """A whole number, be it written as 3, "3" or 3.0; None of anything else."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    found = _WHOLE.fullmatch(str(value))
    return int(found[1]) if found else None


def _lines(text: str, job: Job) -> list[tuple[int, Any]]:
    found = list[tuple[int, Any]]()
    for number, line in enumerate(watched(text.split("\n"), job), 1):
        if line.strip():
            try:
                found.append((number, _DECODER.decode(line)))
            except _UNREADABLE:
                found.append((number, LOST))
    return found


def _one_after_another(text: str, job: Job) -> list[tuple[int, Any]]:
    """Values over several lines each; empty if they are not all whole."""
    found, at = list[tuple[int, Any]](), 0
    while at < len(text):
        job.check()
        if text[at].isspace() or text[at] == ",":
            at += 1
            continue
        try:
            value, end = _DECODER.raw_decode(text, at)
        except _UNREADABLE:
            return []
        found.append((len(found) + 1, value))
        at = end
    return found
