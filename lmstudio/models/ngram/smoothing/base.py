"""What every smoothing can be asked: to learn from counts, to be stored, to score events."""

from dataclasses import dataclass, field
from typing import Any, Protocol, Self

import numpy as np

from lmstudio.models.config import NgramConfig
from lmstudio.models.ngram.counts import Grams, Progress
from lmstudio.models.ngram.lookup import Match

Arrays = dict[str, np.ndarray]


@dataclass
class Facts:
    """What can be said of an estimated model beside its numbers."""

    parameters: int  # numbers stored: counts, or probabilities and back-off weights
    discounts: list[list[float]] = field(default_factory=list)  # of each order, see the smoothing
    notes: list[list[Any]] = field(default_factory=list)  # [sentence, values]
    information: float | None = None  # between neighbouring word classes, bits


class Scores(Protocol):
    """An estimated model: it can be stored, and asked for the probability of events."""

    proper: bool  # whether the figures of a context sum to 1

    @classmethod
    def load(cls, arrays: Arrays, rows: int, config: NgramConfig) -> Self:
        """The model that `arrays()` was asked of."""
        ...

    def arrays(self) -> Arrays:
        """What there is to be stored, by name."""
        ...

    def probs(self, match: Match) -> np.ndarray:
        """(Q,) float64 p of each event; NaN where none is defined."""
        ...


class Smoothing(Scores, Protocol):
    """A way to share out probability between n-grams seen and unseen."""

    @classmethod
    def fit(
        cls, tables: list[Grams], rows: int, config: NgramConfig, held_out: np.ndarray | None,
        progress: Progress,
    ) -> tuple[Self, Facts]:  # fmt: skip
        """Estimate from the counts of the orders 1 to n.

        `held_out`: `<s> w ... </s> <s> ...` that was not counted, for those who tune weights on it.
        """
        ...
