"""Sentences of ids in; out comes a table for each order: its n-grams in sorted arrays, counted.

Every n-gram has a number. A word's number is its id. The n-grams of a higher order are numbered in
the order of their keys,

    key = number of the n-gram without its first word * rows + first word

so a key is exact, always fits 64 bits, and the sorted keys are at once the table and its index.
Counting is sorting: positions are put in the order of their last word, then, inside each group of
equal n-grams, of the word before, and so on. After each step equal n-grams stand side by side.
What is sorted is one 64-bit number: (n-gram, word before, position). It is done piece by piece, so
that all but the look-ups of words before stays in the processor's cache.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from lmstudio.data.layout import BOS

Progress = Callable[[float], None]
"""Called often with the share done so far, 0 to 1; may raise to stop the work."""


PIECE = 1 << 16
"""Positions sorted at a time: half a megabyte."""
_NUMBER = 32  # bits that a position takes beside a number
_KEY = 64  # bits of what is sorted


def stage(progress: Progress, start: float, share: float) -> Progress:
    """What a step calls that is `share` of the whole and begins when `start` of it is done."""
    return lambda done: progress(start + share * done)


def blocks(size: int) -> Iterator[slice]:
    """Slices in which to go through `size` values, so that what is between stays in the cache."""
    for start in range(0, size, PIECE):
        yield slice(start, min(size, start + PIECE))


def in_blocks(
    size: int, kind: type[np.generic], made: Callable[[slice], np.ndarray], progress: Progress
) -> np.ndarray:
    """(size,) what `made` gives for each of the `blocks`."""
    table = np.empty(size, kind)
    for block in blocks(size):
        table[block] = made(block)
        progress(block.stop / size)
    return table


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
    counts = np.bincount(stream, minlength=rows).astype(np.int32)
    words = Grams(np.arange(rows), counts, np.zeros(rows, np.int32))
    if order == 1:
        progress(1.0)
        return [words]
    positions = _Positions(stream, rows, order, stage(progress, 0.0, 1 / order))
    longer = [
        positions.lengthen(length, stage(progress, (length - 1) / order, 1 / order))
        for length in range(2, order + 1)
    ]
    return [words, *longer]


def unwatched(share: float) -> None:
    """Progress of what takes no time, or is watched by nobody."""


def continuations(
    tables: list[Grams], rows: int, progress: Progress = unwatched
) -> Iterator[np.ndarray]:
    """The counts that Kneser-Ney smoothing takes, order by order; `progress` counts the orders.

    Below the highest order: in how many different words' company (on the left) an n-gram occurs.
    An n-gram that begins with `<s>` has nothing on its left and keeps its plain count; `<s>` by
    itself is never predicted: 0.
    """
    for order, table in enumerate(tables, 1):
        adjusted = table.counts.copy()
        if order < len(tables):
            begun = stage(progress, (order - 1) / len(tables), 0.0)
            company = _company(tables[order], rows, len(table), begun)
            np.copyto(adjusted, company, where=company > 0)
        if order == 1:
            adjusted[BOS] = 0
        yield adjusted


def _company(longer: Grams, rows: int, size: int, progress: Progress) -> np.ndarray:
    """(size,) how many of the `longer` n-grams end in each n-gram; they come in its order."""
    company = np.zeros(size, np.int32)
    for block in blocks(len(longer)):
        ends = longer.keys[block] // rows
        found = np.bincount(ends - ends[0])
        company[ends[0] : ends[-1] + 1] += found.astype(np.int32)
        progress(block.stop / len(longer))
    return company


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

    def __init__(self, stream: np.ndarray, rows: int, order: int, progress: Progress) -> None:
        self._stream, self._rows, self._longest = stream, rows, order
        self._place_bits, self._word_bits = len(stream).bit_length(), rows.bit_length()
        self._paired = 2 * self._word_bits + self._place_bits <= _KEY
        # A piece must leave room for its groups beside word and place.
        self._most = min(PIECE, 1 << (63 - self._word_bits - self._place_bits))
        # (number of the n-gram, place) of each, ascending by number.
        self._ordered = self._by_word(progress)
        # By position: the number of the n-gram that ends there; and room for those to come.
        self._number_at, self._next = stream, np.empty(len(stream), np.int32)

    def _by_word(self, progress: Progress) -> np.ndarray:
        """(number, place) of words; where there is room, ordered by the word before as well."""
        size = len(self._stream) - int(np.count_nonzero(self._stream == BOS))
        ordered, filled = np.empty(size, np.uint64), 0
        for start in range(0, len(self._stream), PIECE):
            places = np.flatnonzero(self._stream[start : start + PIECE] != BOS) + start
            packed: np.ndarray = self._stream[places].astype(np.uint64)
            if self._paired:
                packed = packed << self._word_bits | self._stream[places - 1].astype(np.uint64)
            packed = packed << self._place_bits | places.view(np.uint64)
            ordered[filled : filled + len(places)] = packed
            filled += len(places)
            progress(0.5 * filled / size)
        ordered.sort()
        word_starts = self._place_bits + (self._word_bits if self._paired else 0)
        for start in range(0, size, PIECE):
            piece = ordered[start : start + PIECE]
            piece[:] = (piece >> word_starts) << _NUMBER | self._places(piece).view(np.uint64)
            progress(0.5 + 0.5 * min(1.0, (start + PIECE) / size))
        return ordered

    def lengthen(self, length: int, progress: Progress) -> Grams:
        """The table of n-grams of `length`, one more than before; their order becomes ours."""
        size = len(self._ordered)
        # As large as they can get; what is not filled never takes memory.
        table = Grams(np.empty(size, np.int64), np.empty(size, np.int32), np.empty(size, np.int32))
        known = filled = done = 0
        while done < size:
            piece = self._piece(done)
            done += len(piece)
            numbers = (piece >> _NUMBER).view(np.int64)
            packed = self._sorted(length, numbers, piece)
            places, packed = self._places(packed), packed >> self._place_bits
            first = (packed & (1 << self._word_bits) - 1).view(np.int64)
            new = _differs(packed)
            starts = np.flatnonzero(new)
            found = slice(known, known + len(starts))
            table.keys[found] = numbers[starts] * self._rows + first[starts]
            table.counts[found] = np.diff(starts, append=len(places))
            table.contexts[found] = self._number_at.take(places[starts] - 1)
            if length < self._longest:
                numbers = np.cumsum(new) + (known - 1)
                self._next[places] = numbers
                longer = (numbers << _NUMBER | places)[first != BOS]
                # Never beyond the end of this piece.
                self._ordered[filled : filled + len(longer)] = longer.view(np.uint64)
                filled += len(longer)
            known = found.stop
            progress(done / size)
        self._ordered = self._ordered[:filled]
        old, self._number_at = self._number_at, self._next
        self._next = np.empty_like(old) if length == 2 else old  # the stream is not ours
        return Grams(table.keys[:known], table.counts[:known], table.contexts[:known])

    def _piece(self, start: int) -> np.ndarray:
        """About `_most` of those `ordered` from `start` on, without cutting a group of equals."""
        rest = self._ordered[start:]
        if len(rest) <= self._most:
            return rest
        edge = rest[self._most] >> _NUMBER << _NUMBER
        size = int(np.searchsorted(rest, edge))
        return rest[: size or int(np.searchsorted(rest, edge + np.uint64(1 << _NUMBER)))]

    def _sorted(self, length: int, numbers: np.ndarray, piece: np.ndarray) -> np.ndarray:
        """(group of equal numbers, word before, place) of a piece, ascending."""
        places = (piece & (1 << _NUMBER) - 1).view(np.int64)
        packed = np.cumsum(_differs(numbers)) - 1
        packed = packed << self._word_bits | self._stream.take(places - (length - 1))
        packed = (packed << self._place_bits | places).view(np.uint64)
        if length > 2 or not self._paired:
            packed.sort()
        return packed

    def _places(self, packed: np.ndarray) -> np.ndarray:
        """Its lowest bits."""
        return (packed & (1 << self._place_bits) - 1).view(np.int64)


def _differs(values: np.ndarray) -> np.ndarray:
    """Whether each value differs from the one before; the first does."""
    new = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=new[1:])
    return new
