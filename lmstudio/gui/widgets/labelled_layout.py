"""A text and labels of stretches of it -> lines of a given width, and where each label stands."""

import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Span = tuple[int, int]
"""Start and end in code points, as Python counts."""


@dataclass(frozen=True)
class Label:
    """A stretch of the text and what it is said to be."""

    start: int
    end: int
    name: str = ""
    tone: str = "accent"  # a colour token
    tip: str = ""


@dataclass(frozen=True)
class Lane:
    """Labels from one source; they may not overlap. With a title it has a line of its own."""

    labels: tuple[Label, ...] = ()
    title: str = ""


@dataclass(frozen=True)
class Stretch:
    """As much of a label as stands in one line; x in pixels from the line's start."""

    label: Label
    line: int
    left: float
    right: float
    room: float  # where the next label of the lane begins, or the line ends
    first: bool  # its name is written here


def lines_of(text: str, width: float, advance: Callable[[str], float]) -> list[Span]:
    """The lines of a text: words stay whole, and closing punctuation stays with its word.

    A word that no line holds is broken. White space at the end of a line may stand out of it.
    """
    found: list[Span] = []
    start = end = 0
    used = 0.0
    for first, last in _words(text):
        if text[first:last] == "\n":
            found.append((start, first))
            start, end, used = last, last, 0.0
            continue
        wide = advance(text[first:last].rstrip())
        if used and used + wide > width:
            found.append((start, end))
            start, used = first, 0.0
        while wide > width and last - first > 1:
            first = first + _fitting(text, first, last, width, advance)
            found.append((start, first))
            start, wide = first, advance(text[first:last].rstrip())
        used += advance(text[first:last])
        end = last
    return [*found, (start, len(text))]


def stretches(
    text: str, lines: list[Span], lane: Lane, width: float, advance: Callable[[str], float]
) -> list[Stretch]:
    """Where the labels of a lane stand in the lines."""
    labels = sorted(lane.labels, key=lambda one: one.start)
    found = []
    for number, (start, end) in enumerate(lines):
        inside = [one for one in labels if one.start < end and one.end > start]
        edges = [advance(text[start : max(one.start, start)]) for one in inside]
        for one, left, room in zip(inside, edges, [*edges, width][1:], strict=True):
            right = advance(text[start : min(one.end, end)])
            found.append(Stretch(one, number, left, right, room, one.start >= start))
    return found


def _words(text: str) -> Iterator[Span]:
    """Words of letters with the punctuation and white space behind them, other characters alone."""
    start = 0
    while start < len(text):
        end = start + 1
        if text[start] != "\n":
            while end < len(text) and _belongs(text[end - 1], text[end]):
                end += 1
        yield start, end
        start = end


def _belongs(before: str, after: str) -> bool:
    """`after` may not begin a line where `before` ends one."""
    if after == "\n":
        return False
    if after.isspace() or unicodedata.category(after) in ("Pe", "Pf", "Po", "Mn", "Mc"):
        return True
    if unicodedata.category(before) in ("Ps", "Pi"):
        return True
    return not before.isspace() and not _stands_alone(before) and not _stands_alone(after)


def _stands_alone(character: str) -> bool:
    """Of a script without spaces between words."""
    return unicodedata.east_asian_width(character) in ("W", "F")


def _fitting(
    text: str, start: int, end: int, width: float, advance: Callable[[str], float]
) -> int:  # fmt: skip
    """The most characters from `start` that are no wider than `width`, at least one."""
    low, high = 1, end - start - 1
    while low < high:
        middle = (low + high + 1) // 2
        if advance(text[start : start + middle]) <= width:
            low = middle
        else:
            high = middle - 1
    return low
