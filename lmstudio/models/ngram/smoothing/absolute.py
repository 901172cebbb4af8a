"""Absolute discounting: the same D is taken from every count (Ney, Essen & Kneser 1994).

p(w | h) = (c(h w) - D) / c(h) + D T(h) / c(h) p(w | h'),   T(h) words follow h
"""

from typing import Self

import numpy as np

from lmstudio.models.config import NgramConfig
from lmstudio.models.ngram.counts import Grams, Progress, predicted
from lmstudio.models.ngram.smoothing.backoff import Backoff, Levels
from lmstudio.models.ngram.smoothing.base import Facts
from lmstudio.models.ngram.smoothing.estimates import absolute_discount


class AbsoluteDiscounting(Backoff):
    """D is estimated for each order, or given by the config."""

    @classmethod
    def fit(
        cls, tables: list[Grams], rows: int, config: NgramConfig, held_out: np.ndarray | None,
        progress: Progress,
    ) -> tuple[Self, Facts]:  # fmt: skip
        """Estimate; one half is taken where the counts cannot tell."""
        facts = Facts(parameters=0)
        levels = Levels(rows, interpolated=config.interpolate, minima=config.minima,
                        progress=progress)  # fmt: skip
        for order, table in enumerate(tables, 1):
            counts = predicted(table, order)
            discount, note = absolute_discount(counts, order)
            if config.discount:
                discount, note = config.discount, None
            facts.discounts.append([discount])
            facts.notes += [note] if note else []
            if order == 1 and not config.uniform:
                discount = 0.0
            total = levels.total(table, counts)
            levels.add(table, np.maximum(counts - discount, 0), total)
        model = cls(levels.probs, levels.backoffs)
        facts.parameters = model.parameters
        return model, facts
