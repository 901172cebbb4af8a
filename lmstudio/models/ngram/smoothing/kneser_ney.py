"""Modified Kneser-Ney smoothing, interpolated (Kneser & Ney 1995; Chen & Goodman 1999).

    p(w | h) = (a(h w) - D(a(h w))) / sum_v a(h v) + gamma(h) p(w | h')

a are the counts of `counts.continuations`, h' is h without its first word, gamma(h) gives away
exactly what the discounts D1, D2, D3+ took, and the words themselves are interpolated with 1 / V.
As in KenLM, V counts `<unk>` and `</s>`, not `<s>`.
"""

from typing import Any, Self

import numpy as np

from lmstudio.data.layout import BOS
from lmstudio.messages import msg
from lmstudio.models.config import NgramConfig
from lmstudio.models.ngram.counts import Grams, Progress, continuations, stage
from lmstudio.models.ngram.lookup import UNSEEN, Match
from lmstudio.models.ngram.smoothing.base import Arrays, Facts

FALLBACK = (0.5, 1.0, 1.5)
"""D1, D2, D3+ where the counts cannot tell: those of KenLM's --discount_fallback."""
TOO_FEW = msg(
    "Too little text to estimate how much to take from {order}-grams (seen once {n1}, twice {n2}, "
    "three times {n3}, four times {n4}); the usual 0.5, 1 and 1.5 are used."
)
TOO_SHORT = msg("No sentence is long enough to hold a {order}-gram.")
_BLOCK = 1 << 20


class KneserNey:
    """All probabilities that were interpolated once, and the gammas for what was not seen."""

    def __init__(self, probs: list[np.ndarray], backoffs: list[np.ndarray]) -> None:
        """`probs` of the orders 1 to n, `backoffs` (gamma of each context) of 1 to n - 1."""
        self._probs = [np.asarray(table) for table in probs]
        self._backoffs = [np.asarray(table) for table in backoffs]

    @classmethod
    def fit(
        cls, tables: list[Grams], rows: int, config: NgramConfig, progress: Progress
    ) -> tuple[Self, Facts]:
        """Estimate; never fails, whatever the size of the text (see `discounts`)."""
        facts = Facts(parameters=0)
        probs: list[np.ndarray] = []
        backoffs: list[np.ndarray] = []
        for order, adjusted in enumerate(continuations(tables, rows), 1):
            step = stage(progress, (order - 1) / len(tables), 1 / len(tables))
            step(0.0)
            found, note = discounts(adjusted, order)
            facts.discounts.append(found)
            facts.notes += [note] if note else []
            taken = np.array([0.0, *found])[np.minimum(adjusted, 3)]
            step(0.2)
            if order == 1:
                probs.append(_words(adjusted, taken))
                continue
            table = tables[order - 1]
            total, gamma = _contexts(table, adjusted, taken, len(probs[-1]))
            backoffs.append(gamma)
            step(0.5)
            kept = adjusted - taken
            probs.append(
                _interpolated(kept, table, rows, total, gamma, probs[-1], stage(step, 0.5, 0.5))
            )
        progress(1.0)
        facts.parameters = sum(map(len, probs + backoffs)) - 1  # <s> has no probability
        return cls(probs, backoffs), facts

    @classmethod
    def load(cls, arrays: Arrays, rows: int, config: NgramConfig) -> Self:
        """The model that `arrays()` was asked of."""
        orders = range(1, config.order + 1)
        return cls(
            [arrays[f"probs{order}"] for order in orders],
            [arrays[f"backoffs{order}"] for order in orders[:-1]],
        )

    def arrays(self) -> Arrays:
        """What there is to be stored."""
        stored = {f"probs{order}": table for order, table in enumerate(self._probs, 1)}
        return stored | {f"backoffs{order}": t for order, t in enumerate(self._backoffs, 1)}

    def probs(self, match: Match) -> np.ndarray:
        """(Q,) float64: of the longest n-gram seen, times the gammas of the longer contexts."""
        probs = self._probs[0][match.words].astype(np.float64)
        for order in range(1, len(self._probs)):
            grams, contexts = match.grams[order], match.contexts[order]
            seen = np.flatnonzero(grams >= 0)
            probs[seen] = self._probs[order][grams[seen]]
            unseen = np.flatnonzero((grams == UNSEEN) & (contexts >= 0))
            probs[unseen] *= self._backoffs[order - 1][contexts[unseen]]
        return probs


def discounts(adjusted: np.ndarray, order: int) -> tuple[list[float], list[Any] | None]:
    """D1, D2, D3+ of one order by Chen & Goodman's estimate, or FALLBACK and a note why."""
    if not adjusted.any():
        return list(FALLBACK), [TOO_SHORT, {"order": order}]
    n1, n2, n3, n4 = (int(n) for n in np.bincount(np.minimum(adjusted, 5), minlength=6)[1:5])
    if min(n1, n2, n3, n4) > 0:
        y = n1 / (n1 + 2 * n2)
        found = [1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3]
        if all(0 < d <= most for most, d in enumerate(found, 1)):
            return found, None
    return list(FALLBACK), [TOO_FEW, {"order": order, "n1": n1, "n2": n2, "n3": n3, "n4": n4}]


def _words(adjusted: np.ndarray, taken: np.ndarray) -> np.ndarray:
    """(rows,) p of each word by itself."""
    probs = adjusted - taken + taken.sum() / (len(adjusted) - 1)
    probs[BOS] = 0.0
    return (probs / adjusted.sum()).astype(np.float32)


def _contexts(
    table: Grams, adjusted: np.ndarray, taken: np.ndarray, size: int
) -> tuple[np.ndarray, np.ndarray]:
    """(size,) the sum of the counts after each context, and its gamma (1 if nothing follows)."""
    total = np.bincount(table.contexts, weights=adjusted, minlength=size)
    given = np.bincount(table.contexts, weights=taken, minlength=size)
    gamma = np.divide(given, total, out=np.ones(size), where=total > 0)
    return total, gamma.astype(np.float32)


def _interpolated(
    kept: np.ndarray,
    table: Grams,
    rows: int,
    total: np.ndarray,
    gamma: np.ndarray,
    shorter: np.ndarray,
    progress: Progress,
) -> np.ndarray:
    """(N,) p of each n-gram: its own share, and its part of what `shorter` n-grams are given."""
    probs = np.empty(len(table), np.float32)
    for start in range(0, len(table), _BLOCK):
        block = slice(start, start + _BLOCK)
        contexts = table.contexts[block]
        lower = shorter[table.keys[block] // rows].astype(np.float64)
        probs[block] = kept[block] / total[contexts] + gamma[contexts] * lower
        progress(min(1.0, (start + _BLOCK) / len(table)))
    return probs
