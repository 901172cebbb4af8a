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


PIECE = 1 << 17
"""Positions sorted at a time: 1 MB, so that a sort stays in the processor's cache."""
_BLOCK = 1 << 20  # positions ordered by word at a time


def stage(progress: Progress, start: float, share: float) -> Progress:
    """What a step calls that is `share` of the whole and begins when `start` of it is done."""
    return lambda done: progress(start + share * done)


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
    positions = _Positions(stream, rows, stage(progress, 0.0, 1 / order))
    words = Grams(np.arange(rows), positions.counts, np.zeros(rows, positions.counts.dtype))
    longer = [
        positions.lengthen(length, stage(progress, (length - 1) / order, 1 / order))
        for length in range(2, order + 1)
    ]
    return [words, *longer]


def continuations(tables: list[Grams], rows: int) -> Iterator[np.ndarray]:
    """The counts that Kneser-Ney smoothing takes, order by order.

    Below the highest order: in how many different words' company (on the left) an n-gram occurs.
    An n-gram that begins with `<s>` has nothing on its left and keeps its plain count; `<s>` by
    itself is never predicted: 0.
    """
    for order, table in enumerate(tables, 1):
        adjusted = table.counts.copy()
        if order < len(tables):
            company = np.bincount(tables[order].keys // rows, minlength=len(table))
            np.copyto(adjusted, company, where=company > 0, casting="same_kind")
        if order == 1:
            adjusted[BOS] = 0
        yield adjusted


def predicted(table: Grams, order: int) -> np.ndarray:
    """(N,) the plain counts; 0 for `<s>` by itself, which is never predicted."""
    if order > 1:
        return table.counts
    counts: np.ndarray = table.counts.copy()
    counts[BOS] = 0
    return counts


class _Positions:
    """The positions of a stream but those of `<s>`, ordered by the n-gram that ends there.

    It begins with words. `lengthen` goes on to n-grams one word longer: it sorts anew inside each
    group of equal n-grams, and leaves out those that cannot grow because they begin with `<s>`.
    """

    def __init__(self, stream: np.ndarray, rows: int, progress: Progress) -> None:
        index = np.int32 if len(stream) < 2**31 else np.int64
        self._stream, self._rows = stream, rows
        self.counts = np.bincount(stream, minlength=rows).astype(index)  # of words
        counts: np.ndarray = self.counts.copy()
        counts[BOS] = 0
        self._places = np.empty(int(counts.sum()), index)
        room = np.cumsum(counts) - counts  # where the next place of each word goes
        for start in range(0, len(stream), _BLOCK):
            here = np.flatnonzero(stream[start : start + _BLOCK] != BOS) + start
            words = stream[here]
            ordered = np.argsort(words, kind="stable")
            found = np.bincount(words, minlength=rows)
            shift = room - (np.cumsum(found) - found)
            self._places[np.arange(len(here)) + shift[words[ordered]]] = here[ordered]
            room += found
            progress(min(1.0, (start + _BLOCK) / len(stream)))
        # By place, in their order: the number of the n-gram that ends there.
        self._numbers = np.repeat(np.arange(rows, dtype=index), counts)
        self._number_at = stream  # the same by position

    def lengthen(self, length: int, progress: Progress) -> Grams:
        """The table of n-grams of `length`, one more than before; their order becomes ours."""
        index = self._numbers.dtype
        number_at = np.empty(len(self._stream), index)
        found = [(np.empty(0, np.int64), np.empty(0, index), np.empty(0, index))]
        known = filled = 0
        for piece in _pieces(self._numbers):
            places, numbers = self._places[piece], self._numbers[piece]
            grow = self._stream[places - (length - 2)] != BOS
            places, numbers = places[grow], numbers[grow]
            keys, starts = self._sort(length, places, numbers, known)
            contexts = self._number_at[places[starts[:-1]] - 1]
            found.append((keys, np.diff(starts).astype(index), contexts.astype(index)))
            number_at[places] = numbers
            kept = slice(filled, filled + len(places))  # never beyond this piece's own end
            self._places[kept], self._numbers[kept] = places, numbers
            filled, known = kept.stop, known + len(keys)
            progress(piece.stop / len(self._numbers))
        self._places, self._numbers = self._places[:filled], self._numbers[:filled]
        self._number_at = number_at
        return Grams(*(np.concatenate(column) for column in zip(*found, strict=True)))

    def _sort(
        self, length: int, places: np.ndarray, numbers: np.ndarray, known: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Order a piece by (number, word before) and renumber it from `known` on, in place.

        Returns the keys of its n-grams (N,), and where each begins, with the end (N + 1,).
        """
        size = len(places)
        group = np.cumsum(_differs(numbers)) - 1
        first = self._stream[places - (length - 1)]
        # 17 + 17 bits at most beside the word; in a group larger than a piece 1 + those of size.
        bits = size.bit_length()
        packed = ((group * self._rows + first) << bits) | np.arange(size)
        packed.sort()
        places[:] = places[packed & ((1 << bits) - 1)]
        packed >>= bits
        new = _differs(packed)
        starts = np.flatnonzero(new)
        keys = packed[starts] + (numbers[starts] - group[starts]) * self._rows
        numbers[:] = np.cumsum(new) + (known - 1)
        return keys, np.append(starts, size)


def _pieces(numbers: np.ndarray) -> Iterator[slice]:
    """Slices of about PIECE that cut no group of equal numbers (ascending).

    What lies before the end of a slice may be changed before the next is asked for.
    """
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


def _differs(values: np.ndarray) -> np.ndarray:
    """Whether each value differs from the one before; the first does."""
    new = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=new[1:])
    return new
