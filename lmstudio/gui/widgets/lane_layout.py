"""A text and a width in; where each of its characters stands, row by row, out.

Positions are code points. What Unicode joins to the character before it (a stroke, a part of an
emoji) takes no room of its own. After the text there is a place for the sentence's end.
"""

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field

JOINER = "\u200d"
_CLOSING = frozenset("。，、；：！？…）》」』】”’,.;:!?)]}")
_SKIN = range(0x1F3FB, 0x1F400)


@dataclass(frozen=True)
class Bar:
    """The surprisal of a stretch of the text; infinite for probability 0, NaN: none is defined."""

    start: int  # code points of the text; both beyond it for the sentence's end
    end: int
    text: str
    bits: float
    unknown: bool = False


@dataclass(frozen=True)
class Lane:
    """What one reading of a model makes of the text."""

    name: str
    family: str
    bars: tuple[Bar, ...] = ()  # in the order of the text
    group: str = ""  # bars of one group have one scale
    note: str = ""  # a second line under the name
    faded: bool = False  # of an older question
    problem: str = ""  # why there are no bars

    @property
    def starts(self) -> list[int]:
        """Where the bars begin."""
        return [bar.start for bar in self.bars]


@dataclass(frozen=True)
class Widths:
    """Sizes in pixels."""

    row: float  # that a row of text may take
    wide: float  # of a Chinese character, at least
    narrow: float  # of another, at least
    space: float
    end: float  # of the place behind the text
    advance: Callable[[str], float] = field(compare=False)


@dataclass(frozen=True)
class Cells:
    """Where N characters and the sentence's end stand: N + 1 numbers each."""

    x: list[float]
    width: list[float]
    row: list[int]
    firsts: list[int]  # the first character of each row

    @property
    def rows(self) -> int:
        """How many there are."""
        return len(self.firsts)

    def in_row(self, lane: Lane, row: int) -> range:
        """The numbers of the bars that begin in a row."""
        starts = lane.starts
        last = self.firsts[row + 1] if row + 1 < self.rows else len(self.x)
        return range(bisect_left(starts, self.firsts[row]), bisect_left(starts, last))

    def span(self, bar: Bar) -> tuple[float, float, int]:
        """(left, right, row) of a bar; what goes on in the next row is cut off."""
        place = min(bar.start, len(self.x) - 1)
        row = self.row[place]
        following = self.firsts[row + 1] if row + 1 < self.rows else len(self.x)
        last = max(place, min(bar.end, following) - 1)
        last = min(last, len(self.x) - 1)
        return self.x[place], self.x[last] + self.width[last], row

    def place_at(self, row: int, x: float) -> int:
        """The character of a row at a distance from its left end."""
        first = self.firsts[row]
        last = self.firsts[row + 1] if row + 1 < self.rows else len(self.x)
        return max(first, first + bisect_right(self.x[first:last], x) - 1)


def lay_out(text: str, widths: Widths) -> Cells:
    """Rows are broken at white space and beside Chinese, and never begin with a closing mark."""
    sizes = [_width(text, place, widths) for place in range(len(text))] + [widths.end]
    firsts, breaks, used = [0], [0], 0.0
    for place, size in enumerate(sizes):
        if _may_begin(text, place):
            breaks.append(place)
        used += size
        if used > widths.row and place > firsts[-1]:
            first = breaks[-1] if breaks[-1] > firsts[-1] else place
            firsts.append(first)
            used = sum(sizes[first : place + 1])
    row, x, made = [], [], []
    for number, first in enumerate(firsts):
        last = firsts[number + 1] if number + 1 < len(firsts) else len(sizes)
        left = 0.0
        for place in range(first, last):
            x.append(left)
            made.append(sizes[place])
            row.append(number)
            left += sizes[place]
    return Cells(x, made, row, firsts)


def joined(text: str, place: int) -> bool:
    """Whether a code point is drawn with the one before it."""
    character = text[place]
    return place > 0 and (
        unicodedata.category(character) in ("Mn", "Me") or character == JOINER
        or text[place - 1] == JOINER or ord(character) in _SKIN
    )  # fmt: skip


def _width(text: str, place: int, widths: Widths) -> float:
    character = text[place]
    if joined(text, place):
        return 0.0
    if character.isspace():
        return widths.space
    least = widths.wide if _is_wide(character) else widths.narrow
    return max(least, widths.advance(character))


def _is_wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in "WF"


def _may_begin(text: str, place: int) -> bool:
    if place == len(text):
        return True
    if not place or text[place] in _CLOSING or joined(text, place) or text[place].isspace():
        return False
    return text[place - 1].isspace() or _is_wide(text[place - 1]) or _is_wide(text[place])
