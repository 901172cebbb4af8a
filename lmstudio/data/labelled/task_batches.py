"""Rows of a task -> batches: rows of about the same length together, so that little is padding."""

from collections.abc import Iterator, Sequence

import numpy as np

from lmstudio.data.batches import IGNORE, Batch
from lmstudio.data.labelled.encoding import Row

POOL = 32  # batches whose rows are sorted by length together


class TaskBatches:
    """The rows to train with: `len` is the batches of an epoch, `at` the batch of any step."""

    def __init__(self, rows: Sequence[Row], kind: str, *, batch: int, seed: int) -> None:
        self.rows, self.kind, self.batch, self.seed = rows, kind, batch, seed
        self._order: tuple[int, list[np.ndarray]] = (-1, [])

    @property
    def events(self) -> int:
        """Rows of an epoch."""
        return len(self.rows)

    def __len__(self) -> int:
        return -(-len(self.rows) // self.batch)

    def some(self, rows: int) -> tuple["TaskBatches", float]:
        """Batches of so many of the rows, evenly apart, and the share of all that these are."""
        chosen = self.rows[:: -(-len(self.rows) // rows)]
        made = TaskBatches(chosen, self.kind, batch=self.batch, seed=self.seed)
        return made, len(chosen) / len(self.rows)

    def at(self, step: int) -> Batch:
        """The batch of a step; each epoch has an order of its own, which the seed decides."""
        return collated([self.rows[number] for number in self.numbers(step)], self.kind)

    def numbers(self, step: int) -> np.ndarray:
        """Which rows are in the batch of a step."""
        epoch, number = divmod(step, len(self))
        if self._order[0] != epoch:
            self._order = epoch, self._drawn(epoch)
        return self._order[1][number]

    def _drawn(self, epoch: int) -> list[np.ndarray]:
        draw = np.random.default_rng((self.seed, epoch))
        sizes = np.array([len(row.ids) for row in self.rows])
        order, pool = draw.permutation(len(sizes)), POOL * self.batch
        batches: list[np.ndarray] = []
        for start in range(0, len(order), pool):
            some = order[start : start + pool]
            some = some[np.argsort(sizes[some], kind="stable")]
            batches += [some[at : at + self.batch] for at in range(0, len(some), self.batch)]
        return [batches[number] for number in draw.permutation(len(batches))]


def in_order(rows: Sequence[Row], kind: str, batch: int) -> Iterator[tuple[list[int], Batch]]:
    """All rows once, by length: (numbers of rows, batch). What is asked, not trained."""
    order = sorted(range(len(rows)), key=lambda number: len(rows[number].ids))
    for start in range(0, len(order), batch):
        some = order[start : start + batch]
        yield some, collated([rows[number] for number in some], kind)


def collated(rows: Sequence[Row], kind: str) -> Batch:
    """The arrays of models.tasks.task_model, padded to the longest row."""
    sizes = np.array([len(row.ids) for row in rows], np.int64)
    batch: Batch = {"ids": _padded([row.ids for row in rows], 0), "sizes": sizes}
    if kind in ("pair", "qa"):
        batch["types"] = _padded([row.types for row in rows], 0)
    if kind == "qa":
        batch["starts"] = np.array([row.start for row in rows], np.int64)
        batch["ends"] = np.array([row.end for row in rows], np.int64)
    elif kind == "tag":
        batch["tags"] = _padded([row.tags for row in rows if row.tags is not None], IGNORE)
    else:
        batch["labels"] = np.array([row.label for row in rows], np.int64)
    return batch


def _padded(rows: Sequence[np.ndarray], value: int) -> np.ndarray:
    padded = np.full((len(rows), max(map(len, rows))), value, np.int64)
    for number, row in enumerate(rows):
        padded[number, : len(row)] = row
    return padded
