"""Jelinek-Mercer smoothing: each order is mixed with the one below, by weights held-out text likes.

    p(w | h) = lambda(h) c(h w) / c(h) + (1 - lambda(h)) p(w | h')

Jelinek & Mercer 1980. A weight is shared by contexts seen about as often (Bahl, Jelinek & Mercer
1983): lambda by the whole part of log2 c(h). The weights are found by the EM algorithm, from the
words up, on text that was not counted.
"""

from typing import Self

import numpy as np

from lmstudio.messages import msg
from lmstudio.models.config import NgramConfig
from lmstudio.models.ngram.counts import Grams, Progress, predicted, stage
from lmstudio.models.ngram.lookup import Lookup, Match
from lmstudio.models.ngram.smoothing.backoff import Backoff, Levels
from lmstudio.models.ngram.smoothing.base import Facts

TUNED = msg("The weights were tuned on the valid part, so its figure is a little too good.")
NOT_TUNED = msg("There is no valid part to tune the weights on; each is one half.")
_ROUNDS, _ENOUGH = 50, 1e-4
_BUCKETS = 64
_LEAST, _MOST = 1e-4, 1 - 1e-4  # so that no word of the vocabulary loses all probability


class JelinekMercer(Backoff):
    """Interpolated relative frequencies."""

    @classmethod
    def fit(
        cls, tables: list[Grams], rows: int, config: NgramConfig, held_out: np.ndarray | None,
        progress: Progress,
    ) -> tuple[Self, Facts]:  # fmt: skip
        """Estimate. `facts.discounts` are the weights of each order, by bucket of log2 c(h)."""
        tuned = held_out is not None and len(held_out) > 0
        facts = Facts(parameters=0, notes=[[TUNED if tuned else NOT_TUNED, {}]])
        levels = Levels(rows, interpolated=True, minima=config.minima, progress=progress)
        match = None
        if held_out is not None and tuned:
            match = Lookup(rows, [table.keys for table in tables[1:]]).events(held_out)
        for order, table in enumerate(tables, 1):
            counts = predicted(table, order)
            total = levels.total(table, counts)
            buckets = _buckets(total)
            weights = np.full(_BUCKETS, 0.5)
            if match is not None:
                begun = stage(progress, (order - 0.7) / len(tables), 0.0)
                weights = _tuned(match, order, counts, total, buckets, levels, rows, begun)
            if order == 1 and not config.uniform:
                weights = np.ones(_BUCKETS)
            facts.discounts.append(weights[: int(buckets.max(initial=0)) + 1].tolist())
            levels.add(table, _Weighed(counts, weights[buckets], table.contexts), total)
        model = cls(levels.probs, levels.backoffs)
        facts.parameters = model.parameters
        return model, facts


class _Weighed:
    """Counts times the weights (contexts,) of their contexts, worked out where they are wanted."""

    def __init__(self, counts: np.ndarray, weights: np.ndarray, contexts: np.ndarray) -> None:
        self._counts, self._weights, self._contexts = counts, weights, contexts

    def __getitem__(self, block: slice) -> np.ndarray:
        weighed: np.ndarray = self._counts[block] * self._weights[self._contexts[block]]
        return weighed


def _buckets(total: np.ndarray) -> np.ndarray:
    """The whole part of log2 of each total, 0 below 2."""
    return np.log2(np.maximum(total, 1)).astype(np.int64)


def _tuned(
    match: Match, order: int, counts: np.ndarray, total: np.ndarray, buckets: np.ndarray,
    levels: Levels, rows: int, progress: Progress,
) -> np.ndarray:  # fmt: skip
    """(_BUCKETS,) weights that make the held-out events likeliest; one half where none tells."""
    known = np.flatnonzero(match.contexts[order - 1] >= 0)
    contexts = match.contexts[order - 1][known]
    known, contexts = known[total[contexts] > 0], contexts[total[contexts] > 0]
    grams = match.grams[order - 1][known]
    frequency = np.where(grams >= 0, counts[grams], 0) / total[contexts]
    shorter = _shorter(match, order, levels, rows)[known]
    bucket = buckets[contexts]
    events = np.bincount(bucket, minlength=_BUCKETS)
    weights = np.full(_BUCKETS, 0.5)
    for number in range(_ROUNDS):
        progress(number / _ROUNDS)
        own = weights[bucket] * frequency
        both = own + (1 - weights[bucket]) * shorter
        share = np.divide(own, both, out=np.zeros(len(own)), where=both > 0)
        better = np.divide(np.bincount(bucket, share, _BUCKETS), events,
                           out=np.full(_BUCKETS, 0.5), where=events > 0)  # fmt: skip
        better = np.clip(better, _LEAST, _MOST)
        if np.abs(better - weights).max() < _ENOUGH:
            break
        weights = better
    return weights


def _shorter(match: Match, order: int, levels: Levels, rows: int) -> np.ndarray:
    """(Q,) p of each held-out event by the orders below."""
    if order == 1:
        return np.full(len(match.words), 1 / (rows - 1))
    below = Match(match.grams[: order - 1], match.contexts[: order - 1])
    return Backoff(levels.probs, levels.backoffs).probs(below)
