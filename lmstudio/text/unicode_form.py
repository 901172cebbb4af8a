"""A text to the edits that bring it into a Unicode normalisation form, stretch by stretch.

Characters that never combine with what stands before them part a text into stretches that can be
normalised alone (UAX 15, "stable code points"), so every change keeps its place.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache
from typing import Literal

from lmstudio.text.alignment import Edit

Form = Literal["NFC", "NFKC"]

_HANGUL = range(0xAC00, 0xD7A4)  # composed, and the forms keep them so
_BASIC = "\uffff"  # the last character of the basic plane
_BLOCKS = (
    range(0x80, 0x3400), range(0xA000, 0xAC00), range(0xD7A4, 0xD800), range(0xF900, 0x10000),
    range(0x10000, 0x20000), range(0x2F800, 0x2FA20),
)  # fmt: skip
"""Where characters stand that a form changes or that combine; outside are Han, Hangul and none."""


@cache
def form_edits(form: Form) -> Callable[[str], list[Edit]]:
    """The step that makes "NFC" or "NFKC" of a text."""
    joining, replaced = _changing(form)
    everywhere = _Patterns(joining, replaced)
    basic = _Patterns([c for c in joining if c <= _BASIC], [c for c in replaced if c <= _BASIC])

    def step(text: str) -> list[Edit]:
        if unicodedata.is_normalized(form, text):
            return []
        patterns = basic if max(text) <= _BASIC else everywhere
        found = (
            (*match.span(), unicodedata.normalize(form, match[0]))
            for match in patterns.of(text).finditer(text)
        )
        return [edit for edit in found if edit[2] != text[edit[0] : edit[1]]]

    return step


class _Patterns:
    """What can change as one: a character with all that joins it, or one that is replaced.

    Classes of the basic plane are looked up in a table, others range by range, so each has its own.
    """

    def __init__(self, joining: list[str], replaced: list[str]) -> None:
        joins, others = _ranges(joining), _ranges(replaced)
        self._joins = re.compile(f"[{joins}]")
        self._alone = re.compile(f"[{others}]")
        self._all = re.compile(f"[^{joins}]?[{joins}]+|[{others}]")

    def of(self, text: str) -> re.Pattern[str]:
        """The quickest one that finds all in a text."""
        return self._all if self._joins.search(text) else self._alone


def _changing(form: Form) -> tuple[list[str], list[str]]:
    """Characters that join the one before, and others that are replaced.

    About 0.1 s; the characters are those of the Unicode tables of this Python.
    """
    decomposed: Literal["NFD", "NFKD"] = "NFD" if form == "NFC" else "NFKD"
    seconds = _second_halves()
    joining, replaced = [], []
    for block in _BLOCKS:
        for character in map(chr, block):
            first = unicodedata.normalize(decomposed, character)[0]
            if unicodedata.combining(first) or first in seconds:
                joining.append(character)
            elif unicodedata.normalize(form, character) != character:
                replaced.append(character)
    return joining, replaced


def _second_halves() -> set[str]:
    """Characters that a composed one ends in, though they are no marks: Hangul jamo and others."""
    pairs = (unicodedata.decomposition(chr(code)).split() for code in range(0x80, 0x20000)
             if code not in _HANGUL)  # fmt: skip
    seconds = {chr(int(pair[1], 16)) for pair in pairs if len(pair) == 2 and pair[0][0] != "<"}
    return seconds | {chr(code) for code in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))}


def _ranges(characters: Iterable[str]) -> str:
    """Characters as the inside of a regular expression's class."""
    found: list[list[int]] = []
    for code in map(ord, characters):
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in found)
