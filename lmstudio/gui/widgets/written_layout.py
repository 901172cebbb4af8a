"""Texts that were written, token by token -> boxes in rows, a text below the other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from lmstudio.gui.widgets.token_layout import Measures, Span, lay_out

END = "↵"
"""Stands for the end of a sentence."""
PART = "·"
"""Stands for a token that has no character of its own, such as a byte of one."""


@dataclass(frozen=True)
class Shown:
    """A token as it is drawn."""

    text: str  # a space before it included
    p: float
    end: bool = False  # of a sentence
    line: bool = False  # and a new line begins after it


@dataclass(frozen=True)
class Box:
    """A token, or a part of a long one; `text` and `token` are numbers."""

    text: int
    token: int
    shown: str
    x: float
    y: float
    width: float


@dataclass(frozen=True)
class Room:
    """What there is room for."""

    width: float
    row: float  # from one row to the next
    between: float  # more, between two texts
    padding: float
    gap: float


def boxes(
    texts: Sequence[Sequence[Shown]], room: Room, advance: Callable[[str], float]
) -> tuple[list[Box], float]:
    """The boxes of all texts and the height they take."""
    found: list[Box] = []
    y = 0.0
    for number, text in enumerate(texts):
        y += room.between if number else 0.0
        for first, last in _lines(text):
            words = tuple(_word(token) for token in text[first:last])
            placed, rows = _placed(words, room, advance)
            found += [Box(number, first + token, shown, x, y + row * room.row, width)
                      for token, shown, x, row, width in placed]  # fmt: skip
            y += rows * room.row
    return found, y


def _lines(text: Sequence[Shown]) -> list[Span]:
    """First and end of the tokens of each line."""
    ends = [place + 1 for place, token in enumerate(text) if token.line]
    if not ends or ends[-1] < len(text):
        ends.append(len(text))
    return list(zip([0, *ends[:-1]], ends, strict=True)) if text else []


def _word(token: Shown) -> tuple[str, bool]:
    """What is drawn of a token, and whether white space stands before it."""
    if token.end:
        return END, False
    return token.text.strip() or PART, token.text[:1].isspace()


@lru_cache(2000)
def _placed(
    words: tuple[tuple[str, bool], ...], room: Room, advance: Callable[[str], float]
) -> tuple[list[tuple[int, str, float, int, float]], int]:
    """(token, what is drawn, x, row, width) of each box of a line, and its rows.

    A line that has not grown since is not laid out again.
    """
    line, spans = "", []
    for word, apart in words:
        line += " " if apart and line else ""
        spans.append((len(line), len(line) + len(word)))
        line += word
    laid = lay_out(line, spans, Measures(room.width, room.row, room.padding, room.gap, advance))
    placed = [(piece.token, line[piece.start : piece.end], piece.x, piece.row, piece.width)
              for piece in laid.pieces]  # fmt: skip
    return placed, laid.rows
