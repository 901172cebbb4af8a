"""Bigrams in; out comes, for any words, which stand beside them on one side and how often."""

import numpy as np


class Neighbours:
    """For each id, the ids on one side of it and how often."""

    def __init__(self, keys: np.ndarray, others: np.ndarray, counts: np.ndarray, rows: int) -> None:
        """(N,) ids below `rows`, (N,) the ids beside them and (N,) how often."""
        order = np.argsort(keys, kind="stable")
        self._others, self._counts = others[order].astype(np.int64), counts[order].astype(np.int64)
        self._starts = np.searchsorted(keys[order], np.arange(rows + 1))

    def sizes(self, words: np.ndarray) -> np.ndarray:
        """(B,) how many different ids there are beside each."""
        found: np.ndarray = self._starts[words + 1] - self._starts[words]
        return found

    def of(self, words: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(M,) places in `words`, (M,) the ids beside them and (M,) how often."""
        sizes = self.sizes(words)
        of = np.repeat(np.arange(len(words)), sizes)
        places = np.arange(len(of)) + np.repeat(
            self._starts[words] - np.cumsum(sizes) + sizes, sizes
        )
        return of, self._others[places], self._counts[places]
