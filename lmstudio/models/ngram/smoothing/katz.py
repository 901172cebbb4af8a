"""Katz back-off: counts up to a cut-off are discounted as Good and Turing say (Katz 1987).

    d_r = (r* / r - m) / (1 - m),   r* = (r + 1) n_{r+1} / n_r,   m = (k + 1) n_{k+1} / n_1

for 1 <= r <= k, so that just the mass of what was seen once is freed; larger counts are trusted.
The words themselves are not discounted, but where some word of the vocabulary was never seen.
"""

from typing import Any, Self

import numpy as np

from lmstudio.messages import msg
from lmstudio.models.config import NgramConfig
from lmstudio.models.ngram.counts import Grams, Progress, predicted
from lmstudio.models.ngram.smoothing.backoff import Backoff, Kept, Levels
from lmstudio.models.ngram.smoothing.base import Facts
from lmstudio.models.ngram.smoothing.estimates import HALF, NO_DISCOUNT, counts_of_counts

LOWER = msg(
    "Katz discounts {order}-grams that were seen up to {cutoff} times, no more: for larger counts "
    "the number of {order}-grams seen r times does not fall steadily as r grows."
)


class Katz(Backoff):
    """Good-Turing discounts, backing off."""

    @classmethod
    def fit(
        cls, tables: list[Grams], rows: int, config: NgramConfig, held_out: np.ndarray | None,
        progress: Progress,
    ) -> tuple[Self, Facts]:  # fmt: skip
        """Estimate. `facts.discounts` are d_1, d_2, ... d_k of each order, empty for none."""
        facts = Facts(parameters=0)
        levels = Levels(rows, interpolated=False, minima=config.minima, progress=progress)
        for order, table in enumerate(tables, 1):
            counts = predicted(table, order)
            kept: Kept = counts
            found: list[float] = []
            if order > 1 or np.count_nonzero(counts) < rows - 1:
                found, note = ratios(counts, order, config.cutoff)
                facts.notes += [note] if note else []
                kept = _Discounted(counts, found)
            facts.discounts.append(found)
            levels.add(table, kept, levels.total(table, counts))
        model = cls(levels.probs, levels.backoffs)
        facts.parameters = model.parameters
        return model, facts


class _Discounted:
    """Counts times d_r up to the cut-off; less one half each where there is no d_r."""

    def __init__(self, counts: np.ndarray, found: list[float]) -> None:
        self._counts, self._less = counts, 0.0 if found else HALF
        self._factors = np.array([0.0, *found, 1.0])

    def __getitem__(self, block: slice) -> np.ndarray:
        counts = self._counts[block]
        kept: np.ndarray = counts * self._factors.take(counts, mode="clip") - self._less
        return np.maximum(kept, 0)


def ratios(counts: np.ndarray, order: int, cutoff: int) -> tuple[list[float], list[Any] | None]:
    """d_1 ... d_k with the largest k <= `cutoff` for which all are in (0, 1], and a note if less.

    None at all, for small texts where n1 or n2 is 0.
    """
    n = counts_of_counts(counts, cutoff + 1)
    for k in range(cutoff, 0, -1):
        found = _ratios(n, k)
        if all(0 < d <= 1 for d in found):
            note = [LOWER, {"order": order, "cutoff": k}]
            return found, None if k == cutoff else note
    return [], [NO_DISCOUNT, {"order": order, "n1": n[1], "n2": n[2]}]


def _ratios(n: list[int], k: int) -> list[float]:
    """d_1 ... d_k, 0 where one is not defined."""
    if not n[1] or not n[k + 1]:
        return [0.0] * k
    m = (k + 1) * n[k + 1] / n[1]
    if m >= 1:
        return [0.0] * k
    return [((r + 1) * n[r + 1] / (n[r] * r) - m) / (1 - m) if n[r] else 0.0
            for r in range(1, k + 1)]  # fmt: skip
