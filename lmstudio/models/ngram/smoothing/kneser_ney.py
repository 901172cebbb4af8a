"""Kneser-Ney smoothing: short n-grams count for the company they keep, not for how often.

Kneser & Ney 1995, original: one discount an order. Modified, with three: Chen & Goodman 1999.

    p(w | h) = (a(h w) - D(a(h w))) / sum_v a(h v) + gamma(h) p(w | h')

a are the counts of `counts.continuations`. With `interpolate` off, p(w | h') is asked only for
what was not seen. V counts as in KenLM, whose lmplz gives the same model.
"""

from typing import Any, Self

import numpy as np

from lmstudio.messages import msg
from lmstudio.models.config import NgramConfig
from lmstudio.models.ngram.counts import Grams, Progress, continuations
from lmstudio.models.ngram.smoothing.backoff import Backoff, Levels
from lmstudio.models.ngram.smoothing.base import Facts
from lmstudio.models.ngram.smoothing.estimates import absolute_discount, counts_of_counts

FALLBACK = (0.5, 1.0, 1.5)
"""D1, D2, D3+ where the counts cannot tell: those of KenLM's --discount_fallback."""
TOO_FEW = msg(
    "Too little text to estimate how much to take from {order}-grams (seen once {n1}, twice {n2}, "
    "three times {n3}, four times {n4}); the usual 0.5, 1 and 1.5 are used."
)
TOO_SHORT = msg("No sentence is long enough to hold a {order}-gram.")


class KneserNey(Backoff):
    """Original and modified, by the config's smoothing."""

    @classmethod
    def fit(
        cls, tables: list[Grams], rows: int, config: NgramConfig, held_out: np.ndarray | None,
        progress: Progress,
    ) -> tuple[Self, Facts]:  # fmt: skip
        """Estimate; never fails, whatever the size of the text (see `discounts`)."""
        facts = Facts(parameters=0)
        levels = Levels(rows, interpolated=config.interpolate, minima=config.minima,
                        progress=progress)  # fmt: skip
        for order, adjusted in enumerate(continuations(tables, rows, progress), 1):
            found, note = _discounts(adjusted, order, config)
            facts.discounts.append(found)
            facts.notes += [note] if note else []
            if order == 1 and not config.uniform:
                found = [0.0]
            table = tables[order - 1]
            levels.add(table, _Discounted(adjusted, found), levels.total(table, adjusted))
        model = cls(levels.probs, levels.backoffs)
        facts.parameters = model.parameters
        return model, facts


class _Discounted:
    """Counts less their discounts, worked out where they are wanted."""

    def __init__(self, counts: np.ndarray, discounts: list[float]) -> None:
        self._counts, self._taken = counts, np.array([0.0, *discounts])

    def __getitem__(self, block: slice) -> np.ndarray:
        counts = self._counts[block]
        kept: np.ndarray = counts - self._taken.take(counts, mode="clip")
        return kept


def _discounts(
    adjusted: np.ndarray, order: int, config: NgramConfig
) -> tuple[list[float], list[Any] | None]:
    """By count, 1 to the last, which is of all counts from there on; and a note."""
    if config.smoothing == "modified-kneser-ney":
        return discounts(adjusted, order)
    if not adjusted.any():
        return [FALLBACK[0]], [TOO_SHORT, {"order": order}]
    if config.discount:
        return [config.discount], None
    found, note = absolute_discount(adjusted, order)
    return [found], note


def discounts(adjusted: np.ndarray, order: int) -> tuple[list[float], list[Any] | None]:
    """D1, D2, D3+ of one order by Chen & Goodman's estimate, or FALLBACK and a note why."""
    if not adjusted.any():
        return list(FALLBACK), [TOO_SHORT, {"order": order}]
    n1, n2, n3, n4 = counts_of_counts(adjusted, 4)[1:]
    if min(n1, n2, n3, n4) > 0:
        y = n1 / (n1 + 2 * n2)
        found = [1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3]
        if all(0 < d <= most for most, d in enumerate(found, 1)):
            return found, None
    return list(FALLBACK), [TOO_FEW, {"order": order, "n1": n1, "n2": n2, "n3": n3, "n4": n4}]
