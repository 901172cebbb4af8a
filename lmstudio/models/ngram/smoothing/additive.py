"""Additive smoothing: every n-gram is given k occurrences more than it has (k = 1: add-one).

Laplace 1812; Lidstone 1920.
"""

from typing import Self

import numpy as np

from lmstudio.data.layout import BOS
from lmstudio.models.config import NgramConfig
from lmstudio.models.ngram.counts import Grams, Progress
from lmstudio.models.ngram.lookup import Match
from lmstudio.models.ngram.smoothing.base import Arrays, Facts
from lmstudio.models.ngram.smoothing.maximum_likelihood import MaximumLikelihood


class Additive:
    """p(w | h) = (c(h w) + k) / (c(h) + k V); V counts `<unk>` and `</s>`, not `<s>`."""

    proper = True

    def __init__(self, frequencies: MaximumLikelihood, rows: int, k: float) -> None:
        self.counted = frequencies
        self._size, self.k = rows - 1, k

    @classmethod
    def fit(
        cls, tables: list[Grams], rows: int, config: NgramConfig, held_out: np.ndarray | None,
        progress: Progress,
    ) -> tuple[Self, Facts]:  # fmt: skip
        """The model of these counts, and its facts."""
        counted, facts = MaximumLikelihood.fit(tables, rows, config, held_out, progress)
        return cls(counted, rows, _k(config)), facts

    @classmethod
    def load(cls, arrays: Arrays, rows: int, config: NgramConfig) -> Self:
        """The model that `arrays()` was asked of."""
        return cls(MaximumLikelihood.load(arrays, rows, config), rows, _k(config))

    def arrays(self) -> Arrays:
        """What there is to be stored."""
        return self.counted.arrays()

    def probs(self, match: Match) -> np.ndarray:
        """(Q,) float64; 1 / V after a context that was never seen."""
        together, context = self.counted.frequencies(match)
        probs = (together + self.k) / (context + self.k * self._size)
        probs[match.words == BOS] = 0.0
        return probs


def _k(config: NgramConfig) -> float:
    return 1.0 if config.smoothing == "add-one" else config.k
