"""Sentences of ids in; out comes a table for each order: its n-grams in sorted arrays, counted.

Every n-gram has a number. A word's number is its id. The n-grams of a higher order are numbered in
the order of their keys,

    key = number of the n-gram without its first word * rows + first word

so a key is exact, always fits 64 bits, and the sorted keys are at once the table and its index.
Counting is sorting: positions are put in the order of their last word, then, inside each group of
equal n-grams, of the word before, and so on. After each step equal n-grams stand side by side.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from lmstudio.data.layout import BOS

Progress = Callable[[float], None]
"""Called often with the share done so far, 0 to 1; may raise to stop the work."""


def stage(progress: Progress, start: float, share: float) -> Progress:
    """What a step calls that is `share` of the whole and begins when `start` of it is done."""
    return lambda done: progress(start + share * done)


PIECE = 1 << 17
"""Positions sorted at a time: 1 MB, so that a sort stays in the processor's cache."""


@dataclass
class Grams:
    """The n-grams of one order that occur, by number. None ends in `<s>` or leaves its sentence.

    The words themselves (order 1) are the exception: all ids are there, with `<s>`, with zeros.
    """

    keys: np.ndarray  # (N,) int64, ascending
    counts: np.ndarray  # (N,) how often each occurs
    contexts: np.ndarray  # (N,) the number of all but its last word, in the order below

    def __len__(self) -> int:
        return len(self.keys)


def count(stream: np.ndarray, rows: int, order: int, progress: Progress) -> list[Grams]:
    """Tables of the orders 1 to `order` of `<s> w ... </s> <s> ...`, ids below `rows`.

    An n-gram may begin with `<s>`; with more than one it would have left the sentence.
    """
    index = np.int32 if len(stream) < 2**31 else np.int64
    occurrences = np.bincount(stream, minlength=rows).astype(index)
    tables = [Grams(np.arange(rows), occurrences, np.zeros(rows, index))]
    places = _by_word(stream, index)
    numbers = stream[places].astype(index)
    number_at = stream  # by position: the number of the n-gram that ends there
    for length in range(2, order + 1):
        longer = stream[places - (length - 2)] != BOS
        places, numbers = places[longer], numbers[longer]
        step = stage(progress, (length - 2) / (order - 1), 1 / (order - 1))
        table = _lengthen(stream, rows, length, places, numbers, number_at, step)
        tables.append(table)
        number_at = np.empty(len(stream), index)
        number_at[places] = numbers
    return tables


def continuations(tables: list[Grams], rows: int) -> list[np.ndarray]:
    """The counts that Kneser-Ney smoothing takes, for each order.

    Below the highest order: in how many different words' company (on the left) an n-gram occurs.
    An n-gram that begins with `<s>` has nothing on its left and keeps its plain count; `<s>` by
    itself is never predicted: 0.
    """
    adjusted = []
    for table, longer in zip(tables[:-1], tables[1:], strict=True):
        company = np.bincount(longer.keys // rows, minlength=len(table))
        adjusted.append(np.where(company > 0, company, table.counts))
    adjusted.append(tables[-1].counts.copy())
    adjusted[0][BOS] = 0
    return adjusted


def _by_word(stream: np.ndarray, index: type) -> np.ndarray:
    """All positions but those of `<s>`, ordered by the word there."""
    places = np.flatnonzero(stream != BOS)
    bits = len(stream).bit_length()
    packed = (stream[places].astype(np.int64) << bits) | places
    packed.sort()
    return (packed & ((1 << bits) - 1)).astype(index)


def _lengthen(
    stream: np.ndarray,
    rows: int,
    length: int,
    places: np.ndarray,
    numbers: np.ndarray,
    number_at: np.ndarray,
    progress: Progress,
) -> Grams:
    """The table of n-grams of `length`, one word longer than those that end at `places`.

    `places` and `numbers` (ascending) are reordered and renumbered in place; `number_at` gives
    the contexts.
    """
    found: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    known = 0
    for piece in _pieces(numbers):
        keys, starts = _sort_piece(stream, rows, length, places[piece], numbers[piece], known)
        found.append((keys, np.diff(starts), number_at[places[piece][starts[:-1]] - 1]))
        known += len(keys)
        progress(piece.stop / len(numbers))
    if not found:
        return Grams(np.empty(0, np.int64), np.empty(0, numbers.dtype), np.empty(0, numbers.dtype))
    keys, counts, contexts = (np.concatenate(column) for column in zip(*found, strict=True))
    return Grams(keys, counts.astype(numbers.dtype), contexts.astype(numbers.dtype))


def _pieces(numbers: np.ndarray) -> Iterator[slice]:
    """Slices of about PIECE that cut no group of equal numbers; what was given may be changed."""
    start, end = 0, 0
    while end < len(numbers):
        rest = numbers[start:]
        size = len(rest)
        if size > PIECE:
            size = int(np.searchsorted(rest, rest[PIECE]))
            size = size or int(np.searchsorted(rest, rest[0], side="right"))
        end = start + size
        yield slice(start, end)
        start = end


def _sort_piece(
    stream: np.ndarray, rows: int, length: int, places: np.ndarray, numbers: np.ndarray, known: int
) -> tuple[np.ndarray, np.ndarray]:
    """Order one piece by (number, word before); renumber it from `known` on, all in place.

    Returns the keys of its n-grams (N,) and where each group starts, with the end: (N + 1,).
    """
    size = len(places)
    group = np.empty(size, np.int64)
    group[0] = 0
    np.cumsum(numbers[1:] != numbers[:-1], out=group[1:])
    first = stream[places - (length - 1)]
    # At most 17 + 17 bits beside the word, or, in a group larger than a piece, 1 + those of size.
    bits = size.bit_length()
    packed = ((group * rows + first) << bits) | np.arange(size)
    packed.sort()
    places[:] = places[packed & ((1 << bits) - 1)]
    packed >>= bits
    new = np.empty(size, bool)
    new[0] = True
    np.not_equal(packed[1:], packed[:-1], out=new[1:])
    starts = np.flatnonzero(new)
    keys = packed[starts] + (numbers[starts].astype(np.int64) - group[starts]) * rows
    numbers[:] = known - 1 + np.cumsum(new)
    return keys, np.append(starts, size)
