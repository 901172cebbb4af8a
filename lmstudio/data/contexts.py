"""Sentences of a part -> the few tokens before each target: what a window-based model reads.

A batch is

    ids      (B, n - 1) int64   the tokens before, those before the sentence being <s>
    targets  (B,) int64         the token that follows, or </s>
"""

from collections.abc import Iterator

import numpy as np

from lmstudio.data.batches import RARE_SHARE, Batch
from lmstudio.data.lanes import Line
from lmstudio.data.layout import BOS, UNK


def contexts(stream: np.ndarray, reach: int) -> np.ndarray:
    """(E, reach) the ids before each event of `<s> w ... </s> <s> ...`, <s> before sentences."""
    marks = np.flatnonzero(stream == BOS)
    events = np.flatnonzero(stream != BOS)
    begins = marks[np.searchsorted(marks, events) - 1]
    places = events[:, None] + np.arange(-reach, 0)
    return np.asarray(stream[np.maximum(places, begins[:, None])], np.int64)


class ContextBatches:
    """Training batches: targets in a new order each epoch, which takes no memory.

    The text has as many stretches as a batch has rows; each batch takes a target out of every
    stretch. A stretch of n is gone through in the order (a i + b) mod n, with other numbers a and b
    each epoch, a coprime to n.
    """

    def __init__(
        self,
        tokens: np.ndarray,
        bounds: np.ndarray,
        *,
        rows: int,
        order: int,
        seed: int,
        rare: np.ndarray | None = None,
    ) -> None:
        """Each of `rows` targets after the `order` - 1 tokens before it, as far as its sentence.

        `tokens`, `bounds` and `rare`: see data.batches.SentenceBatches.
        """
        self._line, self._rows, self._reach = Line(tokens, bounds), rows, order - 1
        self._seed, self._rare = seed, rare
        edges = len(self._line) * np.arange(rows + 1) // rows
        self._starts, self._sizes = edges[:-1], np.diff(edges)
        self._epoch, self._steps, self._shifts = -1, self._sizes, self._sizes

    def __len__(self) -> int:
        """Batches in an epoch."""
        return -(-len(self._line) // self._rows)

    @property
    def events(self) -> int:
        """Targets in an epoch."""
        return len(self._line)

    def at(self, step: int) -> Batch:
        """The batch of a step, counted from 0 over all epochs; depends on nothing else."""
        epoch, index = divmod(step, len(self))
        if epoch != self._epoch:
            self._begin(epoch)
        taken = np.flatnonzero(self._sizes > index)
        inside = (self._steps[taken] * index + self._shifts[taken]) % self._sizes[taken]
        batch = _gather(self._line, self._starts[taken] + inside, self._reach)
        if self._rare is not None:
            generator = np.random.default_rng([self._seed, step, UNK])
            for name, ids in batch.items():
                forgotten = self._rare[ids] & (generator.random(ids.shape) < RARE_SHARE)
                batch[name] = np.where(forgotten, UNK, ids)
        return batch

    def _begin(self, epoch: int) -> None:
        """Draw a (coprime to the size) and b of each stretch."""
        generator = np.random.default_rng([self._seed, epoch])
        high = np.maximum(self._sizes, 1)
        self._epoch, self._shifts = epoch, generator.integers(high)
        self._steps = generator.integers(1, high + 1)
        while len(wrong := np.flatnonzero(np.gcd(self._steps, high) != 1)):
            self._steps[wrong] = generator.integers(1, high[wrong] + 1)


def whole_contexts(
    tokens: np.ndarray, bounds: np.ndarray, rows: int, order: int
) -> Iterator[Batch]:
    """Every target once and in order."""
    line = Line(tokens, bounds)
    for start in range(0, len(line), rows):
        yield _gather(line, np.arange(start, min(start + rows, len(line))), order - 1)


def _gather(line: Line, places: np.ndarray, reach: int) -> Batch:
    """The targets at `places` and the `reach` tokens before each."""
    begins = line.begins[np.searchsorted(line.begins, places, side="right") - 1]
    before = places[:, None] + np.arange(-reach, 0)
    outside = before < begins[:, None]
    ids = np.where(outside, BOS, line.at(np.maximum(before, 0)))
    return {"ids": ids, "targets": line.at(places)}
