"""A sentence and the spans of its tokens to boxes in rows of a given width."""

import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Span = tuple[int, int]
"""Start and end in code points, as Python counts."""

AGAIN = "·"  # stands for characters that were shown in the box before

_CLOSING = ("Pe", "Pf", "Po", "Pd")
_OPENING = ("Ps", "Pi")


@dataclass(frozen=True)
class Measures:
    """Sizes in pixels, and how wide a text is."""

    width: float  # of a row
    row: float  # from one row to the next
    padding: float  # between a box's edge and its text
    gap: float  # between two boxes
    advance: Callable[[str], float]


@dataclass(frozen=True)
class Piece:
    """A box: a token, or as much of a long token as a row holds."""

    token: int
    start: int  # in the sentence, code points
    end: int
    x: float
    row: int
    width: float
    shade: int  # 0 and 1 take turns; -1 for punctuation, which has no tint
    again: bool = False  # the token before stands for the same characters: bytes of one character


@dataclass(frozen=True)
class Laid:
    """The boxes of a sentence in `rows` rows."""

    pieces: list[Piece]
    rows: int


def lay_out(text: str, spans: list[Span], measures: Measures) -> Laid:
    """Boxes from left to right; punctuation stays with the token before it (or after: “)."""
    pieces: list[Piece] = []
    x, row, tinted = 0.0, 0, 0
    for cluster in _clusters(text, spans):
        needed = sum(_width(text, spans, n, measures) for n in cluster) - measures.gap
        if x and x + needed > measures.width:
            x, row = 0.0, row + 1
        for number in cluster:
            start, end = spans[number]
            plain = _is_punctuation(text[start:end])
            shade = -1 if plain else tinted % 2
            tinted += not plain
            if number and spans[number - 1] == (start, end):
                width = _width(text, spans, number, measures) - measures.gap
                pieces.append(Piece(number, start, end, x, row, width, shade, again=True))
                x += width + measures.gap
                continue
            if x and number and start > spans[number - 1][1]:
                x += measures.gap  # white space stands between them
            for first, last, fresh in _broken(text, start, end, x, measures):
                if fresh:
                    x, row = 0.0, row + 1
                width = measures.advance(text[first:last]) + 2 * measures.padding
                pieces.append(Piece(number, first, last, x, row, width, shade))
                x += width + measures.gap
    return Laid(pieces, row + 1)


def _width(text: str, spans: list[Span], number: int, measures: Measures) -> float:
    start, end = spans[number]
    again = number > 0 and spans[number - 1] == (start, end)
    shown = AGAIN if again else text[start:end]
    return measures.advance(shown) + 2 * measures.padding + measures.gap


def _clusters(text: str, spans: list[Span]) -> Iterator[list[int]]:
    """Numbers of tokens that stay in one row if it is wide enough."""
    cluster: list[int] = []
    opened = False
    for number, (start, end) in enumerate(spans):
        token = text[start:end]
        if cluster and not opened and not _is_all(token, _CLOSING):
            yield cluster
            cluster = []
        cluster.append(number)
        opened = _is_all(token, _OPENING)
    if cluster:
        yield cluster


def _broken(
    text: str, start: int, end: int, x: float, measures: Measures
) -> Iterator[tuple[int, int, bool]]:
    """A token in pieces that fit: start, end, and whether the piece begins a row."""
    full = measures.width - 2 * measures.padding
    room, fresh = full - x, False
    while (fits := _fitting(text, start, end, room, measures.advance)) < end - start:
        if fits or fresh or not x:
            yield start, start + max(fits, 1), fresh
            start += max(fits, 1)
        room, fresh = full, True
        if start == end:
            return
    yield start, end, fresh


def _fitting(text: str, start: int, end: int, room: float, advance: Callable[[str], float]) -> int:
    """The most characters from `start` that are no wider than `room`."""
    low, high = 0, end - start
    while low < high:
        middle = (low + high + 1) // 2
        if advance(text[start : start + middle]) <= room:
            low = middle
        else:
            high = middle - 1
    return low


def _is_all(token: str, kinds: tuple[str, ...]) -> bool:
    return all(unicodedata.category(character) in kinds for character in token)


def _is_punctuation(token: str) -> bool:
    return _is_all(token, _CLOSING + _OPENING)
