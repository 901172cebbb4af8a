"""Events matched against count tables; out come the counts, and formulas over them.

A formula that needs only c(h w), c(h) and how many words follow h is worked out here for any value
of its knob, without making a model first.
"""

from dataclasses import dataclass

import numpy as np

from lmstudio.data.layout import BOS
from lmstudio.models.ngram.counts import Grams, continuations, predicted
from lmstudio.models.ngram.lookup import OUTSIDE, Match
from lmstudio.models.ngram.smoothing.backoff import totals


@dataclass(frozen=True)
class Counted:
    """What was counted for Q events, level by level: level n - 1 is that of n-grams."""

    words: np.ndarray  # (Q,) the events
    together: list[np.ndarray]  # (Q,) c(h w), 0 where it was not seen
    context: list[np.ndarray]  # (Q,) c(h) as a predictor, 0 where h was not seen
    followers: list[np.ndarray]  # (Q,) different words seen after h
    deepest: np.ndarray  # (Q,) the last level whose context lies inside the sentence


class CountLevels:
    """Count tables with what follows each context."""

    def __init__(self, tables: list[Grams], rows: int, *, continued: bool) -> None:
        """`continued`: Kneser-Ney's counts (see `counts.continuations`) instead of plain ones."""
        plain = (predicted(table, order) for order, table in enumerate(tables, 1))
        self._counts = list(continuations(tables, rows)) if continued else list(plain)
        self._totals, self._followers = [], []
        size = 1
        for table, counts in zip(tables, self._counts, strict=True):
            self._totals.append(totals(table, counts, size))
            self._followers.append(totals(table, counts > 0, size))
            size = len(table)

    def of(self, match: Match) -> Counted:
        """The counts of matched events, to the order of the match."""
        together, context, followers = [], [], []
        deepest = np.zeros(len(match.words), np.int64)
        for level, (grams, contexts) in enumerate(zip(match.grams, match.contexts, strict=True)):
            together.append(_at(self._counts[level], grams))
            context.append(_at(self._totals[level], contexts))
            followers.append(_at(self._followers[level], contexts))
            deepest[contexts != OUTSIDE] = level
        return Counted(match.words, together, context, followers, deepest)

    def contexts(self, order: int) -> tuple[np.ndarray, np.ndarray]:
        """(N,) how often each context of n-grams of an order was seen, (N,) its followers."""
        return self._totals[order - 1], self._followers[order - 1]


def additive(counted: Counted, k: float, size: int) -> np.ndarray:
    """(Q,) p by (c(h w) + k) / (c(h) + k V), V = `size`; see `smoothing.additive`."""
    chosen = counted.deepest, np.arange(len(counted.words))
    together, context = np.stack(counted.together)[chosen], np.stack(counted.context)[chosen]
    probs = (together + k) / (context + k * size)
    probs[counted.words == BOS] = 0.0
    return probs


def absolute(counted: Counted, discount: float, size: int) -> np.ndarray:
    """(Q,) p by taking D from each count, interpolated down to 1 / V; see `smoothing.absolute`."""
    probs = np.full(len(counted.words), 1 / size)
    for level in range(len(counted.together)):
        here = np.flatnonzero((counted.deepest >= level) & (counted.context[level] > 0))
        context = counted.context[level][here]
        kept = np.maximum(counted.together[level][here] - discount, 0)
        given = discount * counted.followers[level][here]
        probs[here] = (kept + given * probs[here]) / context
    probs[counted.words == BOS] = 0.0
    return probs


def _at(values: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """(Q,) float64 values with these numbers, 0 for one that was not seen."""
    found = np.zeros(len(numbers))
    seen = numbers >= 0
    found[seen] = values[numbers[seen]]
    return found
