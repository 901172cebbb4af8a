"""Counts of parts of a text in, those of the whole out: how a text beyond memory is counted.

The tables of a part are put away (on disk, say) before the next is counted. Then they are merged
order by order, like sorted lists, block by block. The numbers in the keys of a part are its own:
they are replaced by those of the whole, which keeps the keys ascending, for the n-grams of a part
and of the whole are numbered in the same order.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from lmstudio.data.pieces import pieces
from lmstudio.models.ngram.counts import Grams, Progress, count, stage


@dataclass(frozen=True)
class Limit:
    """How much memory counting may take."""

    memory: int  # bytes, about, beside the stream
    room: Callable[[int, np.dtype], np.ndarray]
    """A new array of so many values that takes no memory in the long run: a mapped file."""

    def put_away(self, table: Grams) -> Grams:
        """The same table, elsewhere."""
        return Grams(*map(self._put_away, (table.keys, table.counts, table.contexts)))

    def _put_away(self, column: np.ndarray) -> np.ndarray:
        elsewhere = self.room(len(column), column.dtype)
        elsewhere[:] = column
        return elsewhere


MERGED = 1 << 20
"""About so many n-grams of all parts together are merged at a time."""
_STREAM, _TABLE = 20, 16  # bytes a token: beside the tables, and for each order's table


def count_in_parts(
    stream: np.ndarray, rows: int, order: int, limit: Limit, progress: Progress
) -> list[Grams]:
    """The tables of `counts.count`. A sentence is never cut, and a part has at least one."""
    size = limit.memory // (_STREAM + _TABLE * (order - 1))
    if len(stream) <= size:
        return count(stream, rows, order, progress)
    parts: list[list[Grams]] = []
    done = 0
    for piece in pieces(stream, size):
        share = 0.6 * len(piece) / len(stream)
        tables = count(piece, rows, order, stage(progress, 0.6 * done / len(stream), share))
        parts.append([limit.put_away(table) for table in tables])
        done += len(piece)
    return merge(parts, rows, limit, stage(progress, 0.6, 0.4))


def merge(parts: list[list[Grams]], rows: int, limit: Limit, progress: Progress) -> list[Grams]:
    """Tables of the orders 1, 2, ... of each part, into those of all parts together."""
    counts: np.ndarray = sum(tables[0].counts for tables in parts)  # type: ignore[assignment]
    merged = [Grams(np.arange(rows), counts, np.zeros(rows, np.int32))]
    # For each part, the numbers in the whole of its n-grams of the order before.
    numbers = [np.arange(rows, dtype=np.int32)] * len(parts)
    for order in range(1, len(parts[0])):
        step = stage(progress, (order - 1) / (len(parts[0]) - 1), 1 / (len(parts[0]) - 1))
        level = _Level([tables[order] for tables in parts], numbers, rows, limit)
        merged.append(level.merge(step))
        numbers = level.numbers
    return merged


class _Level:
    """One order of all parts."""

    def __init__(
        self, tables: list[Grams], shorter: list[np.ndarray], rows: int, limit: Limit
    ) -> None:
        """`shorter`: for each part, the numbers in the whole of its n-grams one word shorter."""
        self._tables, self._shorter, self._rows = tables, shorter, rows
        self._room = limit.room
        self.numbers = [self._room(len(table), np.dtype(np.int32)) for table in tables]

    def merge(self, progress: Progress) -> Grams:
        """The table of the whole; `numbers` are filled."""
        size = sum(map(len, self._tables))
        table = Grams(*(self._room(size, np.dtype(kind)) for kind in ("i8", "i4", "i4")))
        known = done = 0
        for slices in self._slices():
            keys = np.concatenate([self._keys(p, block) for p, block in enumerate(slices)])
            order = np.argsort(keys, kind="stable")  # quick, for it finds the sorted runs
            keys = keys[order]
            new = np.ones(len(keys), bool)
            np.not_equal(keys[1:], keys[:-1], out=new[1:])
            starts = np.flatnonzero(new)
            found = slice(known, known + len(starts))
            counts, contexts = self._columns(slices)
            table.keys[found] = keys[starts]
            table.counts[found] = np.add.reduceat(counts[order], starts)
            table.contexts[found] = contexts[order[starts]]
            numbers = np.empty(len(keys), np.int32)
            numbers[order] = np.cumsum(new) + (known - 1)
            known, done = found.stop, done + len(keys)
            for target, block in zip(self.numbers, slices, strict=True):
                target[block], numbers = np.split(numbers, [block.stop - block.start])
            progress(done / size)
        return Grams(table.keys[:known], table.counts[:known], table.contexts[:known])

    def _slices(self) -> Iterator[list[slice]]:
        """Of each part, the next n-grams up to a key that is the same for all."""
        most = max(1, MERGED // len(self._tables))
        starts = [0] * len(self._tables)
        while any(start < len(t) for start, t in zip(starts, self._tables, strict=True)):
            blocks = [slice(s, min(len(t), s + most))
                      for s, t in zip(starts, self._tables, strict=True)]  # fmt: skip
            keys = [self._keys(part, block) for part, block in enumerate(blocks)]
            # Beyond the last key of a part that goes on, nothing of the others may be taken yet.
            ends = [block[-1] for block, b, t in zip(keys, blocks, self._tables, strict=True)
                    if b.stop < len(t)]  # fmt: skip
            limit = min(ends, default=np.iinfo(np.int64).max)
            taken = [int(np.searchsorted(block, limit, side="right")) for block in keys]
            yield [slice(s, s + n) for s, n in zip(starts, taken, strict=True)]
            starts = [s + n for s, n in zip(starts, taken, strict=True)]

    def _keys(self, part: int, block: slice) -> np.ndarray:
        """Keys of a part as they are in the whole."""
        keys = self._tables[part].keys[block]
        ends = self._shorter[part][keys // self._rows].astype(np.int64)
        return ends * self._rows + keys % self._rows

    def _columns(self, slices: list[slice]) -> tuple[np.ndarray, np.ndarray]:
        """Counts, and contexts as they are in the whole."""
        counts, contexts = [], []
        for table, shorter, block in zip(self._tables, self._shorter, slices, strict=True):
            counts.append(table.counts[block])
            contexts.append(shorter[table.contexts[block]])
        return np.concatenate(counts), np.concatenate(contexts)
