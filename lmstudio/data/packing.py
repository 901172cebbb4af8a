"""Sentences of a part -> batches of rows that hold several each, and next to no padding.

A sentence longer than a row is cut into pieces. A batch is

    ids, targets  (B, T) int64   what is read, and what is to be predicted (IGNORE where padded)
    positions     (B, T) int64   0, 1, ... in each piece
    segments      (B, T) int64   the piece's number in its row, -1 where padded
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lmstudio.data.batches import IGNORE, RARE_SHARE, Batch
from lmstudio.data.layout import BOS, EOS, UNK, ranges
from lmstudio.data.windows import half, overlapping


def pack(sizes: np.ndarray, room: int) -> np.ndarray:
    """(P,) the row of each of P pieces, numbered from 0; no row holds more than `room`.

    Best fit, the longest first, all pieces of one size at a time (after Krell et al. 2021,
    "Efficient sequence packing without cross-contamination"). 1 <= sizes <= room.
    """
    rows = np.empty(len(sizes), np.int64)
    order = np.argsort(-sizes, kind="stable")
    open_: dict[int, np.ndarray] = {}  # rows that are begun, by the room that is left in them
    begun = 0
    for group in np.split(order, np.flatnonzero(np.diff(sizes[order])) + 1) if len(order) else []:
        size = int(sizes[group[0]])
        for left in sorted(left for left in open_ if left >= size):
            taken = _fill(open_, left, size, len(group))
            rows[group[: len(taken)]], group = taken, group[len(taken) :]
        new = -(-len(group) // (room // size))
        open_[room] = np.arange(begun, begun + new)
        rows[group] = _fill(open_, room, size, len(group))
        begun += new
    return rows


def _fill(open_: dict[int, np.ndarray], left: int, size: int, wanted: int) -> np.ndarray:
    """The rows that at most `wanted` pieces of `size` go to, of those with `left` room."""
    rows, each = open_.pop(left), left // size
    used, untouched = np.split(rows, [min(len(rows), -(-wanted // each))])
    taken = np.repeat(used, each)[:wanted]
    last = len(taken) - each * (len(used) - 1)  # pieces in the last one
    for room, some in (
        (left, untouched), (left - each * size, used[:-1]), (left - last * size, used[-1:])
    ):  # fmt: skip
        if len(some) and room:
            open_[room] = np.concatenate([open_.get(room, some[:0]), some])
    return taken


@dataclass
class _Cells:
    """The N cells that the pieces of some rows fill."""

    row: np.ndarray  # (N,) in the batch
    column: np.ndarray
    segment: np.ndarray
    piece: np.ndarray  # number of its piece in all
    offset: np.ndarray  # in the piece


class Packing:
    """Pieces of sentences, each with its place in a row."""

    def __init__(self, tokens: np.ndarray, bounds: np.ndarray, window: int, stride: int) -> None:
        """Rows of at most `window` tokens of the sentences `bounds` (S, 2).

        Longer sentences are cut into pieces that begin `stride` apart: see windows.overlapping.
        """
        self._tokens, self._bounds = tokens, bounds
        pieces = overlapping(bounds[:, 1] - bounds[:, 0] + 1, window, stride)
        rows = pack(pieces["size"], window)
        self._pieces = pieces[np.argsort(rows, kind="stable")]
        self._counts = np.bincount(rows)  # pieces in each row
        self._ends = np.cumsum(self._counts)
        self.events = int((pieces["size"] - pieces["shown"]).sum())

    def __len__(self) -> int:
        """Rows."""
        return len(self._counts)

    def batch(
        self, rows: np.ndarray, rare: np.ndarray | None = None, seed: Sequence[int] = ()
    ) -> Batch:
        """The batch of the rows with these numbers; `rare` as in PackedBatches, drawn by `seed`."""
        cells = self._cells(rows)
        pieces = self._pieces[cells.piece]
        places, ends = self._places(cells), self._bounds[pieces["text"], 1]
        targets = np.where(places < ends, self._at(places), EOS)
        opens = pieces["start"] + cells.offset == 0
        ids = np.where(opens, BOS, self._at(places - 1))
        if rare is not None:
            forgotten = rare[targets]
            forgotten &= np.random.default_rng(seed).random(len(targets)) < RARE_SHARE
            targets[forgotten] = UNK
            ids[1:][forgotten[:-1] & (cells.offset[1:] > 0)] = UNK
        targets[cells.offset < pieces["shown"]] = IGNORE
        padded = {"ids": EOS, "targets": IGNORE, "positions": 0, "segments": -1}
        values = (ids, targets, cells.offset, cells.segment)
        shape = len(rows), int(cells.column.max()) + 1
        batch = {name: np.full(shape, padding) for name, padding in padded.items()}
        for array, filled in zip(batch.values(), values, strict=True):
            array[cells.row, cells.column] = filled
        return batch

    def scored(self, rows: np.ndarray) -> np.ndarray:
        """(N,) where among the tokens each target of these rows is; a sentence end: after them.

        Row after row, without those that are IGNORE.
        """
        cells = self._cells(rows)
        return self._places(cells)[cells.offset >= self._pieces["shown"][cells.piece]]

    def _places(self, cells: _Cells) -> np.ndarray:
        """(N,) of their targets among the tokens."""
        pieces = self._pieces[cells.piece]
        found: np.ndarray = self._bounds[pieces["text"], 0] + pieces["start"] + cells.offset
        return found

    def _at(self, places: np.ndarray) -> np.ndarray:
        """Tokens; any where there is none, at the very ends."""
        if not len(self._tokens):
            return np.full(len(places), EOS)
        found: np.ndarray = self._tokens[np.clip(places, 0, len(self._tokens) - 1)]
        return found.astype(np.int64)

    def _cells(self, rows: np.ndarray) -> _Cells:
        counts, ends = self._counts[rows], self._ends[rows]
        piece = ranges(np.stack([ends - counts, ends], 1))  # (P,) number of each piece
        row = np.repeat(np.arange(len(rows)), counts)
        sizes = self._pieces["size"][piece].astype(np.int64)
        first = np.cumsum(sizes) - sizes  # of each piece, among the cells
        first_of_row = first[np.cumsum(counts) - counts]
        cell = np.repeat(np.arange(len(piece)), sizes)  # (N,) its piece among these
        number = np.arange(len(cell))
        return _Cells(
            row=row[cell],
            column=number - first_of_row[row[cell]],
            segment=piece[cell] - (ends - counts)[row[cell]],
            piece=piece[cell],
            offset=number - first[cell],
        )


class PackedBatches:
    """Training batches: the rows of a packing in a new order each epoch."""

    def __init__(
        self,
        tokens: np.ndarray,
        bounds: np.ndarray,
        *,
        rows: int,
        window: int,
        seed: int,
        rare: np.ndarray | None = None,
    ) -> None:
        """`rows` of at most `window` tokens of the sentences `bounds` (S, 2).

        `tokens` may be a memory map. `rare`: see data.batches.SentenceBatches.
        """
        self._packing = Packing(tokens, bounds, window, window)
        self._rows, self._seed, self._rare = rows, seed, rare
        self._epoch, self._order = -1, np.empty(0, np.int64)

    def __len__(self) -> int:
        """Batches in an epoch."""
        return -(-len(self._packing) // self._rows)

    @property
    def events(self) -> int:
        """Targets in an epoch."""
        return self._packing.events

    def at(self, step: int) -> Batch:
        """The batch of a step, counted from 0 over all epochs; depends on nothing else."""
        epoch, index = divmod(step, len(self))
        if epoch != self._epoch:
            generator = np.random.default_rng([self._seed, epoch])
            self._epoch, self._order = epoch, generator.permutation(len(self._packing))
        rows = self._order[index * self._rows : (index + 1) * self._rows]
        return self._packing.batch(rows, self._rare, [self._seed, step, UNK])


def whole_packed(
    tokens: np.ndarray, bounds: np.ndarray, rows: int, window: int, stride: int = 0
) -> Iterator[Batch]:
    """Each target of the sentences `bounds` once, sentences longer than `window` overlapping.

    `stride` 0 is half a window.
    """
    packing = Packing(tokens, bounds, window, stride or half(window))
    for first in range(0, len(packing), rows):
        yield packing.batch(np.arange(first, min(first + rows, len(packing))))
