"""Witten-Bell smoothing: a context that many words follow expects one more new word.

    p(w | h) = (c(h w) + T(h) p(w | h')) / (c(h) + T(h)),   T(h) words follow h

Witten & Bell 1991, their method C; interpolated as in Chen & Goodman 1999.
"""

from typing import Self

import numpy as np

from lmstudio.models.config import NgramConfig
from lmstudio.models.ngram.counts import Grams, Progress, predicted
from lmstudio.models.ngram.smoothing.backoff import Backoff, Levels
from lmstudio.models.ngram.smoothing.base import Facts


class WittenBell(Backoff):
    """Nothing to estimate, so it works on any text, however small."""

    @classmethod
    def fit(
        cls, tables: list[Grams], rows: int, config: NgramConfig, held_out: np.ndarray | None,
        progress: Progress,
    ) -> tuple[Self, Facts]:  # fmt: skip
        """The model of these counts, and its facts."""
        levels = Levels(rows, interpolated=config.interpolate, minima=config.minima,
                        progress=progress)  # fmt: skip
        for order, table in enumerate(tables, 1):
            counts = predicted(table, order)
            total = levels.total(
                table, counts + (counts > 0) if order > 1 or config.uniform else counts
            )
            levels.add(table, counts.astype(np.float64), total)
        model = cls(levels.probs, levels.backoffs)
        return model, Facts(model.parameters)
