"""Good-Turing: what was seen r times is expected r* times, what was not seen shares n1 evenly.

Good 1953, with the counts of counts smoothed as in Gale & Sampson 1995 ("simple Good-Turing").
For n-grams of V words, V^n - N of them unseen:

    p(w | h) = r*(c(h w)) / sum_v r*(c(h v)),   r*(0) = n1 / (V^n - N)
"""

from typing import Any, Self

import numpy as np

from lmstudio.data.layout import BOS
from lmstudio.messages import msg
from lmstudio.models.config import NgramConfig
from lmstudio.models.ngram.counts import Grams, Progress, predicted, stage
from lmstudio.models.ngram.lookup import OUTSIDE, Match
from lmstudio.models.ngram.smoothing.backoff import totals
from lmstudio.models.ngram.smoothing.base import Arrays, Facts

NO_LINE = msg(
    "The counts of counts of {order}-grams do not fall as Good and Turing need (seen once {n1}, "
    "twice {n2}); every count is taken as it is, and the unseen share one occurrence."
)
_CONFIDENT = 1.65  # standard deviations; Gale & Sampson's 5 % level
_TABLED = 1000  # counts whose r* is stored; larger ones lie on the line


class GoodTuring:
    """Every order for itself: the longest context inside the sentence decides, seen or not."""

    proper = True

    def __init__(self, numbers: list[np.ndarray], sums: list[np.ndarray], rest: np.ndarray) -> None:
        """Of the orders 1 to n: `numbers` r* of each n-gram (float32), `sums` over what follows
        each context (float64), `rest` r*(0) (n,)."""
        self._numbers = [np.asarray(table) for table in numbers]
        self._sums = [np.asarray(table) for table in sums]
        self._rest = np.asarray(rest)

    @classmethod
    def fit(
        cls, tables: list[Grams], rows: int, config: NgramConfig, held_out: np.ndarray | None,
        progress: Progress,
    ) -> tuple[Self, Facts]:  # fmt: skip
        """Estimate. `facts.discounts` are r*(0), r*(1), ... r*(5) of each order."""
        facts = Facts(parameters=0)
        numbers: list[np.ndarray] = []
        sums: list[np.ndarray] = []
        rest: list[float] = []
        for order, table in enumerate(tables, 1):
            counts = predicted(table, order)
            expected, note = expectations(counts, order, rows - 1)
            facts.notes += [note] if note else []
            facts.discounts.append([expected(r) for r in range(6)])
            most = int(counts.max(initial=0))
            by_count = np.array([0.0, *(expected(r) for r in range(1, min(most, _TABLED) + 1))])
            step = stage(progress, (order - 1) / len(tables), 1 / len(tables))
            star = by_count[np.minimum(counts, _TABLED)]
            large = np.flatnonzero(counts > _TABLED)
            star[large] = [expected(int(r)) for r in counts[large]]
            size = len(numbers[-1]) if numbers else 1
            unseen = rows - 1 - totals(table, counts > 0, size, stage(step, 0.3, 0.3))
            total = totals(table, star, size, stage(step, 0.6, 0.4))
            sums.append(total + unseen * expected(0))
            numbers.append(star.astype(np.float32))
            rest.append(expected(0))
        progress(1.0)
        facts.parameters = sum(map(len, numbers))
        return cls(numbers, sums, np.array(rest)), facts

    @classmethod
    def load(cls, arrays: Arrays, rows: int, config: NgramConfig) -> Self:
        """The model that `arrays()` was asked of."""
        orders = range(1, config.order + 1)
        numbers = [arrays[f"expected{order}"] for order in orders]
        return cls(numbers, [arrays[f"sums{order}"] for order in orders], arrays["unseen"])

    def arrays(self) -> Arrays:
        """What there is to be stored."""
        stored = {f"expected{order}": table for order, table in enumerate(self._numbers, 1)}
        stored |= {f"sums{order}": table for order, table in enumerate(self._sums, 1)}
        return stored | {"unseen": self._rest}

    def probs(self, match: Match) -> np.ndarray:
        """(Q,) float64; 1 / V after a context that was never seen."""
        star, total = self.expected(match)
        probs = star / total
        probs[match.words == BOS] = 0.0
        return probs

    def expected(self, match: Match) -> tuple[np.ndarray, np.ndarray]:
        """(Q,) r* of each event and (Q,) its sum over V, for the longest h inside the sentence."""
        star = self._numbers[0][match.words].astype(np.float64)
        star[star == 0] = self._rest[0]
        total = np.full(len(star), float(self._sums[0][0]))
        for order in range(1, len(self._numbers)):
            inside = match.contexts[order] != OUTSIDE
            seen, known = match.grams[order] >= 0, match.contexts[order] >= 0
            star[inside] = self._rest[order]
            star[seen] = self._numbers[order][match.grams[order][seen]]
            total[inside] = self._rest[order] * (len(self._numbers[0]) - 1)
            total[known] = self._sums[order][match.contexts[order][known]]
        return star, total


def expectations(counts: np.ndarray, order: int, size: int) -> tuple[Any, list[Any] | None]:
    """r -> r*, for r = 0, 1, ...; and a note where it cannot be estimated. `size` is V."""
    seen = counts[counts > 0]
    unseen = max(float(size) ** order - len(seen), 1.0)
    r, n = np.unique(np.sort(seen), return_counts=True)
    n1 = int(n[0]) if len(r) and r[0] == 1 else 0
    line = _line(r, n)
    if n1 == 0 or line is None:
        n2 = int((seen == 2).sum())
        note = [NO_LINE, {"order": order, "n1": n1, "n2": n2}]
        return (lambda count: float(count) if count else 1 / unseen), note
    found = dict(zip(r.tolist(), n.tolist(), strict=True))
    switched = _switch(found, line)
    # Renormalised, so that what was seen and what was not share N as 1 - n1 / N and n1 / N.
    total = float(seen.sum())
    sums = sum(m * _star(c, found, line, switched) for c, m in found.items())
    scale = (total - n1) / sums if total > n1 else 1.0

    def expected(count: int) -> float:
        return scale * _star(count, found, line, switched) if count else n1 / unseen

    return expected, None


def _line(r: np.ndarray, n: np.ndarray) -> float | None:
    """The slope of log n_r against log r, n_r averaged over gaps; None above -1 or without line."""
    if len(r) < 3:
        return None
    before = np.concatenate([[0], r[:-1]])
    after = np.append(r[1:], 2 * r[-1] - before[-1])
    x, y = np.log(r), np.log(2 * n / (after - before))
    slope = float(((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum())
    return slope if slope < -1 else None


def _on_line(r: int, slope: float) -> float:
    return float(r * (1 + 1 / r) ** (slope + 1))


def _switch(n: dict[int, int], slope: float) -> int:
    """The first count from which on r* is taken from the line: Turing's differs no longer."""
    r = 1
    while r in n and r + 1 in n:
        turing = (r + 1) * n[r + 1] / n[r]
        spread = (r + 1) / n[r] * (n[r + 1] * (1 + n[r + 1] / n[r])) ** 0.5
        if abs(_on_line(r, slope) - turing) <= _CONFIDENT * spread:
            break
        r += 1
    return r


def _star(r: int, n: dict[int, int], slope: float, switched: int) -> float:
    """r* before it is renormalised."""
    return _on_line(r, slope) if r >= switched else (r + 1) * n[r + 1] / n[r]
