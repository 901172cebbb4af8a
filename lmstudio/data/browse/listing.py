"""Columns of equal length into rows: what every list of words, n-grams and hits can do."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from heapq import merge
from typing import Any, Self

import numpy as np

from lmstudio.jobs import Job
from lmstudio.messages import tr

_RUN = 10_000  # values sorted at once


@dataclass(frozen=True)
class Column:
    """Marks a field with a value for each row, an array or a list: `Annotated[..., Column()]`.

    `heading` is a catalogue sentence; a column without one goes with its rows but is not shown.
    """

    heading: str = ""


@dataclass(frozen=True)
class Listing:
    """A table by columns. A field that is no Column is about the whole table."""

    @classmethod
    def columns(cls) -> dict[str, Column]:
        """What has a value for each row, by the name of its field."""
        marks = {f.name: getattr(f.type, "__metadata__", ()) for f in fields(cls)}
        return {name: mark[0] for name, mark in marks.items() if mark}

    @classmethod
    def headings(cls) -> dict[str, str]:
        """The catalogue sentence of each shown column, by the name of its field."""
        return {name: column.heading for name, column in cls.columns().items() if column.heading}

    def header(self) -> list[str]:
        """The headings in the language in use."""
        return [tr(heading) for heading in self.headings().values()]

    def __len__(self) -> int:
        return len(getattr(self, next(iter(self.headings()))))

    def rows(self, start: int = 0, count: int | None = None) -> Iterator[tuple[Any, ...]]:
        """The shown cells of `count` rows from `start` on (None: all), in plain Python values."""
        end = None if count is None else start + count
        return zip(
            *(_plain(getattr(self, name)[start:end]) for name in self.headings()), strict=True
        )

    def records(self) -> list[dict[str, Any]]:
        """The rows by field name, columns that are not shown included, for JSON."""
        columns = {name: _plain(getattr(self, name)) for name in self.columns()}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def take(self, chosen: np.ndarray) -> Self:
        """The rows `chosen` (K,) by number, in that order."""
        taken = {name: _taken(getattr(self, name), chosen) for name in self.columns()}
        return replace(self, **taken)

    def top(self, count: int) -> Self:
        """The first `count` rows."""
        return self.take(np.arange(min(count, len(self))))

    def ordered(self, name: str, *, falling: bool = True) -> Self:
        """The rows by the column of field `name`; equals keep their order."""
        return self.take(order_of(getattr(self, name), falling=falling, job=Job()))


def order_of(values: Sequence[Any] | np.ndarray, *, falling: bool, job: Job) -> np.ndarray:
    """(N,) int64: the numbers of the `values` in order; equals keep theirs.

    Lists are sorted in runs that are merged: one long sort would hold up all other threads.
    """
    job.check()
    if isinstance(values, np.ndarray):
        return np.argsort(-values if falling else values, kind="stable")
    key = values.__getitem__
    starts = range(0, len(values), _RUN)
    runs = [
        sorted(range(start, min(start + _RUN, len(values))), key=key, reverse=falling)
        for start in starts
    ]
    merged = runs[0] if len(runs) == 1 else merge(*runs, key=key, reverse=falling)
    return np.fromiter(merged, np.int64, len(values))


def _plain(values: Sequence[Any] | np.ndarray) -> Sequence[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else values


def _taken(values: Sequence[Any] | np.ndarray, chosen: np.ndarray) -> Sequence[Any] | np.ndarray:
    if isinstance(values, np.ndarray):
        return values[chosen]
    return [values[number] for number in chosen.tolist()]
