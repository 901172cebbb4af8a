"""A table of class bigrams in; the two classes that lose least by being one, out.

Brown et al. 1992, section 3: what any two classes would keep is worked out once, and afterwards
only what a change of some rows and columns does to it.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from lmstudio.data.layout import SPECIALS

_TABLED = 1 << 20  # counts below are looked up


class XLogX:
    """n ln n of counts, 0 at 0; from a table, which takes a twentieth of the time."""

    def __init__(self, most: int) -> None:
        """For counts up to `most`."""
        self._most = most
        self._table = _xlogx(np.arange(min(most, _TABLED) + 1))

    def __call__(self, counts: np.ndarray) -> np.ndarray:
        """float64 of the shape of `counts`, which are whole."""
        found: np.ndarray = self._table.take(counts, mode="clip")
        if self._most >= len(self._table):
            large = counts >= len(self._table)
            found[large] = _xlogx(counts[large])
        return found


class Unions:
    """What uniting any two classes would keep, while their bigrams change."""

    def __init__(self, pairs: np.ndarray, f: XLogX) -> None:
        """`pairs` (C, C), the last class the spare one; they are looked at again, never written."""
        self._f = f
        self._sides = [(pairs, np.zeros(pairs.shape)), (pairs.T, np.zeros(pairs.shape))]
        for table, sums in self._sides:
            for column in table.T:
                sums += f(column[:, None] + column)

    @contextmanager
    def changing(self, *numbers: int) -> Iterator[None]:
        """While rows and columns of these classes change, and no others."""
        for table, sums in self._sides:
            for column in table.T[list(numbers)]:
                if column.any():
                    sums -= self._f(column[:, None] + column)
        yield
        for table, sums in self._sides:
            for column in table.T[list(numbers)]:
                if column.any():
                    sums += self._f(column[:, None] + column)
            for number in numbers:
                sums[number] = sums[:, number] = self._f(table[number] + table).sum(axis=1)

    def cheapest(self) -> tuple[int, int]:
        """The two classes, the spare one among them, that lose least by being joined."""
        f, pairs = self._f, self._sides[0][0]
        size, first = len(pairs), len(SPECIALS)
        own = np.diagonal(pairs)
        kept = np.zeros((size, size))
        for table, sums in self._sides:
            margin = table.sum(axis=1)
            alone = f(table).sum(axis=1) - f(margin)
            kept += sums - f(margin[:, None] + margin) - alone[:, None] - alone
            # the four cells where the two meet become one, counted here as two columns
            kept -= f(own[:, None] + table.T) + f(table + own)
        kept += f(pairs + pairs.T + own + own[:, None])
        kept += f(pairs) + f(pairs.T) + f(own) + f(own)[:, None]
        kept[:first] = kept[:, :first] = -np.inf
        kept[np.tril_indices(size)] = -np.inf
        best = int(np.argmax(kept))
        return best // size, best % size


def _xlogx(counts: np.ndarray) -> np.ndarray:
    values: np.ndarray = counts * np.log(np.maximum(counts, 1))
    return values
