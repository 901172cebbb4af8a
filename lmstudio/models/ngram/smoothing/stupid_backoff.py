"""Stupid back-off: a relative frequency, or 0.4 times that of the shorter n-gram (Brants 2007).

    S(w | h) = c(h w) / c(h) if h w was seen, else 0.4 S(w | h')

The scores of a context do not sum to 1: they are no probabilities, and what a perplexity of
them says cannot be compared with one of a distribution.
"""

from typing import Self

import numpy as np

from lmstudio.models.config import NgramConfig
from lmstudio.models.ngram.counts import Grams, Progress, predicted, stage
from lmstudio.models.ngram.lookup import UNSEEN, Match
from lmstudio.models.ngram.smoothing.backoff import Backoff, totals
from lmstudio.models.ngram.smoothing.base import Facts

WEIGHT = 0.4


class StupidBackoff(Backoff):
    """No discounts and no normalisation."""

    proper = False

    @classmethod
    def fit(
        cls, tables: list[Grams], rows: int, config: NgramConfig, held_out: np.ndarray | None,
        progress: Progress,
    ) -> tuple[Self, Facts]:  # fmt: skip
        """The scores of these counts."""
        scores: list[np.ndarray] = []
        for order, table in enumerate(tables, 1):
            counts = predicted(table, order)
            step = stage(progress, (order - 1) / len(tables), 1 / len(tables))
            total = totals(table, counts, len(scores[-1]) if scores else 1, step)
            scores.append(
                np.divide(counts, total[table.contexts], out=np.zeros(len(table)),
                          where=counts > 0).astype(np.float32)
            )  # fmt: skip
            progress(order / len(tables))
        weights = [np.full(len(table), WEIGHT, np.float32) for table in scores[:-1]]
        model = cls(scores, weights)
        return model, Facts(sum(map(len, scores)))

    def probs(self, match: Match) -> np.ndarray:
        """(Q,) float64 scores; an unseen context is paid for like a seen one."""
        scores = super().probs(match)
        for grams, contexts in zip(match.grams[1:], match.contexts[1:], strict=True):
            scores[(grams == UNSEEN) & (contexts == UNSEEN)] *= WEIGHT
        return scores
