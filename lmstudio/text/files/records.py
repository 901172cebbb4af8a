"""JSON and JSON lines to the rows of a table: an array of objects or texts, or one object.

Names within names are joined by dots; what stands in lists is joined by line ends. So the
paragraphs of a poem, [..., "paragraphs": ["...", "..."]], are the lines of its text.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from lmstudio.text.document import ReadOptions
from lmstudio.text.files.columns import Row
from lmstudio.text.files.delimited import kept_lines
from lmstudio.text.files.opened import Opened
from lmstudio.text.files.table import BROKEN, SAMPLE_ROWS, Table
from lmstudio.text.read import ReadError

Path = tuple[str, ...]
"""Names from the outermost object inwards."""

_MOST_COLUMNS = 200
_COMMON = 0.05  # share of the values that have a path
_LONGEST = 1 << 26  # characters of one value in an array
_NEAR_END = 16  # characters; a parser that fails there may only need what follows
_SPACE = " \t\r\n"
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str)  # as they are written, of any length
_UNREADABLE = (ValueError, RecursionError)  # the latter for what is nested without end
_LOST = object()
"""Stands for a line that is no JSON."""


def tables(file: Opened, options: ReadOptions) -> Iterator[Table]:
    """The one table of the file. Raises ReadError, also while its rows are taken."""
    encoding, chunks = file.text(options)
    values = _values(chunks)
    sample = list(islice(values, SAMPLE_ROWS))
    paths = _paths(sample)
    rows = (BROKEN if value is _LOST else _row(value, paths) for value in chain(sample, values))
    names = [".".join(path) or str(number) for number, path in enumerate(paths, 1)]
    yield Table(file.name, "json", rows, encoding, names)


def _opened_up(values: Iterator[object]) -> Iterator[object]:
    """Of a file with one object that holds lists of objects, the objects of the longest list."""
    first = list(islice(values, 2))
    longest: list[object] = []
    if len(first) == 1 and isinstance(first[0], dict):
        for value in first[0].values():
            if isinstance(value, list) and _are_objects(value) and len(value) > len(longest):
                longest = value
    return chain(longest or first, values)


def _are_objects(values: list[object]) -> bool:
    return bool(values) and all(isinstance(value, dict) for value in values)


def _paths(sample: list[object]) -> list[Path]:
    """The paths to texts and numbers, in the order in which they come; without rare ones.

    Some files use what they annotate as names: {"label": {"company": {"浙商银行": [[0, 3]]}}}.
    """
    found: Counter[Path] = Counter()
    for value in sample:
        if isinstance(value, dict):
            paths: dict[Path, None] = {}
            _add_paths(value, (), paths)
            found.update(paths.keys())
    common = [path for path, count in found.items() if count >= _COMMON * len(sample)]
    return common[:_MOST_COLUMNS] or [()]


def _add_paths(value: object, before: Path, found: dict[Path, None]) -> None:
    if isinstance(value, dict):
        for name, inner in value.items():
            _add_paths(inner, (*before, name), found)
    elif isinstance(value, list) and _are_objects(value):
        for inner in value:
            _add_paths(inner, before, found)
    else:
        found.setdefault(before)


def _row(value: object, paths: list[Path]) -> Row:
    return [_text(value, path) for path in paths]


def _text(value: object, path: Path) -> str:
    """What a path leads to, as text; through lists it leads to several."""
    if isinstance(value, list):
        return "\n".join(text for text in (_text(inner, path) for inner in value) if text)
    if path:
        return _text(value.get(path[0]), path[1:]) if isinstance(value, dict) else ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None or isinstance(value, dict) else str(value)


def _values(chunks: Iterator[str]) -> Iterator[object]:
    """The elements of an array, the values of JSON lines, or the one value there is."""
    parts: list[str] = []
    for chunk in chunks:
        parts.append(chunk if parts else chunk.lstrip(_SPACE))
        if not parts[0]:
            parts.clear()
        elif parts[0].startswith("[") or "\n" in chunk:
            break
    start = "".join(parts)
    if start.startswith("["):
        return _elements(_Buffer(start[1:], chunks))
    chunks = chain([start], chunks)
    return _opened_up(_lines(chunks) if _is_json(start.partition("\n")[0]) else _whole(chunks))


def _is_json(text: str) -> bool:
    try:
        _DECODER.decode(text)
    except _UNREADABLE:
        return False
    return True


def _lines(chunks: Iterable[str]) -> Iterator[object]:
    for line in kept_lines(chunks):
        if line.strip():
            try:
                yield _DECODER.decode(line)
            except _UNREADABLE:
                yield _LOST


def _whole(chunks: Iterable[str]) -> Iterator[object]:
    try:
        yield _DECODER.decode("".join(chunks))
    except ValueError as error:
        raise _damaged(error) from error


def _damaged(error: ValueError | None = None) -> ReadError:
    reason = str(error) if error else "unexpected end"
    return ReadError("The JSON is damaged or not complete ({error}).", error=reason)


class _Buffer:
    """Text that grows at its end and is forgotten at its start."""

    def __init__(self, text: str, chunks: Iterator[str]) -> None:
        self.text, self._chunks = text, chunks
        self.at = 0
        self.ended = False

    def grow(self) -> None:
        """Forget what was read and hold twice as much as remains, if there is so much."""
        parts, size = [self.text[self.at :]], 0
        self.at = 0
        while size <= len(parts[0]) and not self.ended:
            parts.append(next(self._chunks, ""))
            size += len(parts[-1])
            self.ended = not parts[-1]
        self.text = "".join(parts)

    def next_character(self, skipped: str) -> str:
        """The next one that is none of `skipped`, left in place; empty at the end."""
        while True:
            while self.at < len(self.text):
                if self.text[self.at] not in skipped:
                    return self.text[self.at]
                self.at += 1
            if self.ended:
                return ""
            self.grow()


def _elements(buffer: _Buffer) -> Iterator[object]:
    """The elements of an array whose bracket was read; memory holds one at a time."""
    while (character := buffer.next_character(_SPACE + ",")) != "]":
        if not character:
            raise _damaged()
        yield _element(buffer)
    buffer.at += 1
    if buffer.next_character(_SPACE):
        raise ReadError("The JSON goes on after its end.")


def _element(buffer: _Buffer) -> object:
    while True:
        try:
            value, end = _DECODER.raw_decode(buffer.text, buffer.at)
        except json.JSONDecodeError as error:
            cut = error.msg.startswith("Unterminated") or error.pos > len(buffer.text) - _NEAR_END
            if buffer.ended or not cut or len(buffer.text) - buffer.at > _LONGEST:
                raise _damaged(error) from error
        else:
            if end < len(buffer.text) or buffer.ended:  # else a number may go on
                buffer.at = end
                return value
        buffer.grow()
