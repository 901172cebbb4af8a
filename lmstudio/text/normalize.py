"""A line to its normalised form, step by step, with the place that every character came from.

Every step is off by default, for each loses something. They run in a fixed order: invisible
characters first, since one would keep a letter from its accent, and white space last, since other
steps make some.
"""

import operator
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from importlib.metadata import version

from lmstudio.messages import msg
from lmstudio.options import option
from lmstudio.text.alignment import Edit, Shift, composed, edited
from lmstudio.text.unicode_form import Form, form_edits


@dataclass(frozen=True)
class NormaliseOptions:
    """What is changed in the text; recorded with the corpus."""

    invisible: bool = option(
        False, msg("Remove invisible characters"),
        msg("Removes control characters, zero-width spaces and joiners, direction marks and soft "
            "hyphens; not white space, and not what joins emoji."),
    )  # fmt: skip
    form: str = option(
        "none", msg("Unicode form"),
        msg("NFC joins letters and their accents; NFKC also replaces look-alikes: ① becomes 1, "
            "ﬁ becomes fi, and Chinese ，！？ become , ! ?."),
        choices=("none", "NFC", "NFKC"),
    )  # fmt: skip
    width: str = option(
        "keep", msg("Full width"),
        msg("half: full-width letters, digits and signs become ASCII; ，！？：；（） stay, as "
            "Chinese text needs them."),
        choices=("keep", "half"),
    )  # fmt: skip
    script: str = option(
        "keep", msg("Chinese script"),
        msg("Convert between traditional and simplified characters, with the phrases of OpenCC."),
        choices=("keep", "simplified", "traditional"),
    )  # fmt: skip
    digits: str = option(
        "keep", msg("Digits"), msg("class: every digit becomes 0, so that numbers share one form."),
        choices=("keep", "class"),
    )  # fmt: skip
    lower: bool = option(False, msg("Lower case"), msg("A and a become the same letter."))
    spaces: str = option(
        "keep", msg("White space"),
        msg("collapse: one space for every stretch of it, none at the ends. remove: none at all, "
            "which joins the words of English text."),
        choices=("keep", "collapse", "remove"),
    )  # fmt: skip


Step = Callable[[str], list[Edit]]
"""A text to what changes in it, in order; an edit of equal length changes in place."""

_INVISIBLE = re.compile(
    r"(?:[\0-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u061c\u180e\u200b\u200c\u200e\u200f"
    r"\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]"
    r"|(?<![\u2600-\u27bf\ufe0f\U0001f000-\U0001faff])\u200d)+"  # elsewhere it joins emoji
)
_FULL_WIDTH = re.compile("[\u3000\uff01-\uff5e]+")
_CHINESE_MARKS = "，！？：；（）"
_HALF_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
for _mark in _CHINESE_MARKS:
    del _HALF_WIDTH[ord(_mark)]
_DIGITS = re.compile(r"\d+")
_GROWS = re.compile("\u0130")  # the one letter whose small form has two characters
_SPACE = re.compile(r"\s+")
_FORMS: dict[str, Form] = {"NFC": "NFC", "NFKC": "NFKC"}
_SCRIPTS = {"simplified": "t2s", "traditional": "s2t"}


class Normalizer:
    """Applies options to one text after the other. `changed`: characters so far, by step."""

    def __init__(self, options: NormaliseOptions) -> None:
        self._steps = _steps(options)
        self._values = {name: getattr(options, name) for name in self._steps}
        self.changed = dict.fromkeys(self._steps, 0)

    def __bool__(self) -> bool:
        """Something may change."""
        return bool(self._steps)

    def apply(self, text: str) -> tuple[str, list[Shift]]:
        """The normalised text and its shifts, empty where no character moved."""
        shifts: list[Shift] = []
        for name, step in self._steps.items():
            edits = step(text)
            if edits:
                self.changed[name] += sum(_changed(text, edit) for edit in edits)
                text, moves = edited(text, edits)
                shifts = composed(shifts, moves) if shifts else moves
        return text, shifts

    def facts(self) -> dict[str, dict[str, str | bool | int]]:
        """By step its "value", the characters it "changed", and the "version" of its tables."""
        return {
            name: {"value": self._values[name], "changed": count, "version": _version(name)}
            for name, count in self.changed.items()
        }


def _changed(text: str, edit: Edit) -> int:
    """Characters of the old text that an edit changes."""
    start, end, new = edit
    if len(new) != end - start:
        return end - start
    return sum(map(operator.ne, text[start:end], new))


def _steps(options: NormaliseOptions) -> dict[str, Step]:
    """The steps that are on, in their order."""
    wanted: list[tuple[str, Step | None]] = [
        ("invisible", _deletes(_INVISIBLE) if options.invisible else None),
        ("form", form_edits(_FORMS[options.form]) if options.form != "none" else None),
        ("width", _half_width if options.width == "half" else None),
        ("script", _converts(_SCRIPTS[options.script]) if options.script != "keep" else None),
        ("digits", _digit_class if options.digits == "class" else None),
        ("lower", _lower_case if options.lower else None),
        ("spaces", {"keep": None, "collapse": _one_space, "remove": _deletes(_SPACE)}[
            options.spaces]),
    ]  # fmt: skip
    return {name: step for name, step in wanted if step}


def _version(step: str) -> str:
    if step == "script":
        return f"OpenCC {version('opencc')}"
    return f"Unicode {unicodedata.unidata_version}"


def _deletes(pattern: re.Pattern[str]) -> Step:
    return lambda text: [(*match.span(), "") for match in pattern.finditer(text)]


def _half_width(text: str) -> list[Edit]:
    found = ((*m.span(), m[0].translate(_HALF_WIDTH)) for m in _FULL_WIDTH.finditer(text))
    return [edit for edit in found if edit[2] != text[edit[0] : edit[1]]]


def _digit_class(text: str) -> list[Edit]:
    return [(*match.span(), "0" * len(match[0])) for match in _DIGITS.finditer(text)]


def _lower_case(text: str) -> list[Edit]:
    small = text.lower()
    if small == text:
        return []
    if len(small) == len(text):
        return [(0, len(text), small)]
    edits: list[Edit] = []
    start = shift = 0
    for match in [*_GROWS.finditer(text), None]:
        end = match.start() if match else len(text)
        if start < end:
            edits.append((start, end, small[start + shift : end + shift]))
        if match:
            edits.append((end, end + 1, small[end + shift : end + shift + 2]))
            start, shift = end + 1, shift + 1
    return edits


def _one_space(text: str) -> list[Edit]:
    edits = []
    for match in _SPACE.finditer(text):
        at_an_end = match.start() == 0 or match.end() == len(text)
        if at_an_end or match[0] != " ":
            edits.append((*match.span(), "" if at_an_end else " "))
    return edits


@cache
def _converts(config: str) -> Step:
    """The step of an OpenCC configuration; its tables are read once a process."""
    from opencc import OpenCC  # reads 2 MB of tables

    convert = OpenCC(config).convert

    def step(text: str) -> list[Edit]:
        new = convert(text)
        if new == text:
            return []
        if len(new) == len(text):  # OpenCC replaces phrases by phrases of the same length
            return [(0, len(text), new)]
        return list(_differences(text, new))

    return step


def _differences(old: str, new: str) -> Iterator[Edit]:
    """Where texts differ, for the few phrases that change their length."""
    for kind, start, end, begin, stop in SequenceMatcher(None, old, new, False).get_opcodes():
        if kind == "insert":  # belongs to the character before, or to the first
            place = max(0, start - 1)
            after = old[place] if start == 0 else ""
            before = "" if start == 0 else old[place]
            yield place, place + 1, before + new[begin:stop] + after
        elif kind != "equal":
            yield start, end, new[begin:stop]
