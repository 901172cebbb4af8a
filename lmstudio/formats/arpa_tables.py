"""The sections of an ARPA file, in any order of lines, into sorted tables of a back-off model.

Every n-gram is found through the n-gram that it ends in. Pruned files may lack that one; it is made
then, with the probability that backing off gives it.
"""

import numpy as np

from lmstudio.data.layout import BOS
from lmstudio.models.ngram.lookup import UNSEEN, Lookup


class Tables:
    """`keys` of the orders 2, 3, ..., `probs` of all orders and `weights`, by number."""

    def __init__(self, rows: int) -> None:
        self._rows = rows
        self.keys: list[np.ndarray] = []
        self.probs: list[np.ndarray] = []
        self.weights: list[np.ndarray] = []

    def add(self, words: np.ndarray, probs: np.ndarray, weights: np.ndarray) -> None:
        """The next order; ends that the order below lacks are added there first."""
        if not self.probs:
            self.probs.append(np.zeros(self._rows))
            self.weights.append(np.ones(self._rows))
            self.probs[0][words[:, 0]], self.weights[0][words[:, 0]] = probs, weights
            self.probs[0][BOS] = 0.0
            return
        keys = self._numbers(words[:, 1:]) * self._rows + words[:, 0]
        keys, last = np.unique(keys[::-1], return_index=True)  # of two equal lines the last counts
        places = len(words) - 1 - last
        self.keys.append(keys)
        self.probs.append(probs[places])
        self.weights.append(weights[places])

    def complete(self) -> None:
        """As they are stored."""
        self.probs = [table.astype(np.float32) for table in self.probs]
        self.weights = [table.astype(np.float32) for table in self.weights]

    def _numbers(self, words: np.ndarray) -> np.ndarray:
        """(N,) numbers of n-grams of the highest order so far, made where they are missing."""
        numbers = words[:, -1]
        for length in range(2, words.shape[1] + 1):
            ends = words[:, -length:]
            found = self._find(numbers, ends[:, 0], length)
            missing = found == UNSEEN
            if missing.any():
                self._insert(numbers[missing], ends[missing])
                found = self._find(numbers, ends[:, 0], length)
            numbers = found
        return numbers

    def _find(self, numbers: np.ndarray, first: np.ndarray, length: int) -> np.ndarray:
        return Lookup(self._rows, self.keys).find(length, numbers, first)

    def _insert(self, numbers: np.ndarray, words: np.ndarray) -> None:
        """Give (M, length) n-grams, whose ends are `numbers`, what backing off gives them."""
        length = words.shape[1]
        keys, chosen = np.unique(numbers * self._rows + words[:, 0], return_index=True)
        contexts = words[chosen, -2]
        for reach in range(3, length + 1):
            contexts = np.where(
                contexts == UNSEEN, UNSEEN, self._find(contexts, words[chosen, -reach], reach - 1)
            )
        weights = np.where(contexts == UNSEEN, 1.0, self.weights[length - 2][contexts])
        probs = weights * self.probs[length - 2][numbers[chosen]]
        old = self.keys[length - 2]
        places = np.searchsorted(old, keys)
        self.keys[length - 2] = np.insert(old, places, keys)
        self.probs[length - 1] = np.insert(self.probs[length - 1], places, probs)
        self.weights[length - 1] = np.insert(self.weights[length - 1], places, 1.0)
        if len(self.keys) > length - 1:  # longer ones are found through these
            moved = np.arange(len(old)) + np.searchsorted(keys, old)
            longer = self.keys[length - 1]
            self.keys[length - 1] = moved[longer // self._rows] * self._rows + longer % self._rows
