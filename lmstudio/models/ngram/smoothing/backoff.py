"""Counts that were partly kept, order by order, become probabilities and back-off weights.

Most smoothings differ only in what they keep of a count and what they divide it by; what they took
goes to the shorter n-gram, in one of two ways (h' is h without its first word):

    interpolating   p(w | h) = kept(h w) / total(h) + gamma(h) p(w | h')
    backing off     p(w | h) = kept(h w) / total(h) if that is more than 0, else alpha(h) p(w | h')

gamma gives away exactly what was not kept; alpha gives it to the words that were not seen. Below
the words themselves stands the uniform distribution, 1 / V; V counts `<unk>` and `</s>`, not `<s>`.
So every model of this kind is an ARPA model: a probability for each n-gram, a weight for each
context.
"""

from collections.abc import Iterable
from typing import Protocol, Self

import numpy as np

from lmstudio.data.layout import BOS
from lmstudio.models.config import NgramConfig
from lmstudio.models.ngram.counts import (
    Grams,
    Progress,
    blocks,
    in_blocks,
    stage,
    unwatched,
)
from lmstudio.models.ngram.lookup import UNSEEN, Match
from lmstudio.models.ngram.smoothing.base import Arrays

_NOTHING = 1e-12  # free probability below it is rounding


class Backoff:
    """All probabilities, and the weights for what was not seen."""

    proper = True

    def __init__(self, probs: list[np.ndarray], backoffs: list[np.ndarray]) -> None:
        """`probs` of the orders 1 to n, `backoffs` (of each context) of 1 to n - 1."""
        self.by_order = [np.asarray(table) for table in probs]
        self.backoffs = [np.asarray(table) for table in backoffs]

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
        stored = {f"probs{order}": table for order, table in enumerate(self.by_order, 1)}
        return stored | {f"backoffs{order}": t for order, t in enumerate(self.backoffs, 1)}

    @property
    def parameters(self) -> int:
        """Numbers stored; `<s>` has no probability."""
        return sum(map(len, self.by_order + self.backoffs)) - 1

    def probs(self, match: Match) -> np.ndarray:
        """(Q,) float64: of the longest n-gram seen, times the weights of the longer contexts."""
        probs = self.by_order[0][match.words].astype(np.float64)
        for order in range(1, len(self.by_order)):
            grams, contexts = match.grams[order], match.contexts[order]
            unseen = ((grams == UNSEEN) & (contexts >= 0)).nonzero()[0]
            probs[unseen] *= self.backoffs[order - 1].take(contexts.take(unseen))
            seen = (grams >= 0).nonzero()[0]
            probs[seen] = self.by_order[order].take(grams.take(seen))
        return probs

    def along(self, seen: Iterable[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
        """(T,) float64 p at each place of a stream, from what `Lookup.seen` finds of it.

        The same as `probs`, sooner: an n-gram's weight is paid by all that come next, and where a
        longer one was seen, its p takes the place of the product.
        """
        orders = iter(seen)
        _, numbers = next(orders)
        probs = self.by_order[0].take(numbers).astype(np.float64)
        weights = self.backoffs[0].take(numbers) if self.backoffs else probs
        for order, (places, numbers) in enumerate(orders, 1):
            probs[1:] *= weights[:-1]
            probs[places] = self.by_order[order].take(numbers)
            if order < len(self.backoffs):
                weights = np.ones(len(probs), np.float32)
                weights[places] = self.backoffs[order].take(numbers)
        return probs


class Kept(Protocol):
    """(N,) what is kept of each count: an array, or what works it out slice by slice."""

    def __getitem__(self, block: slice, /) -> np.ndarray:
        """Of some n-grams."""
        ...


class Levels:
    """Builds the orders of a Backoff from the words up."""

    def __init__(
        self, rows: int, *, interpolated: bool, minima: list[int], progress: Progress
    ) -> None:
        """`minima`: by order, the count below which an n-gram is as if it had not been seen."""
        self.probs: list[np.ndarray] = []
        self.backoffs: list[np.ndarray] = []
        self._rows, self._interpolated, self._minima = rows, interpolated, minima
        self._shorter = np.array([1 / (rows - 1)])  # p of the order below
        self._progress = progress

    def total(self, table: Grams, counts: Kept) -> np.ndarray:
        """(contexts,) the sum of `counts` of the next order after each context."""
        size = len(self.probs[-1]) if self.probs else 1
        return totals(table, counts, size, self._step(0.0, 0.3))

    def add(self, table: Grams, kept: Kept, total: np.ndarray) -> None:
        """The next order: (N,) what is `kept` of its counts, (contexts,) the `total` below."""
        minimum, step = self._minima[len(self.probs)], self._step(0.3, 0.7)
        if minimum > 1:
            kept = _Frequent(table.counts, kept, minimum)
        way = _interpolated if self._interpolated else _backing_off
        shorter, weights = way(table, kept, total, self._shorter, self._rows, step)
        if self.probs:
            self.backoffs.append(weights.astype(np.float32))
        else:
            shorter[BOS] = 0.0
        self.probs.append(shorter.astype(np.float32, copy=False))
        self._shorter = shorter
        step(1.0)

    def _step(self, start: float, share: float) -> Progress:
        """Of the next order."""
        orders = len(self._minima)
        return stage(self._progress, (len(self.probs) + start) / orders, share / orders)


class _Frequent:
    """What is kept of counts, nothing of those below a minimum."""

    def __init__(self, counts: np.ndarray, kept: Kept, minimum: int) -> None:
        self._counts, self._kept, self._minimum = counts, kept, minimum

    def __getitem__(self, block: slice) -> np.ndarray:
        return np.where(self._counts[block] < self._minimum, 0.0, self._kept[block])


def totals(table: Grams, counts: Kept, size: int, progress: Progress = unwatched) -> np.ndarray:
    """(size,) float64: the sum of `counts` after each of the contexts."""
    sums = np.zeros(size)
    for block in blocks(len(table)):
        np.add.at(sums, table.contexts[block].astype(np.int64), counts[block].astype(np.float64))
        progress(block.stop / len(table))
    return sums


def _interpolated(
    table: Grams, kept: Kept, total: np.ndarray, shorter: np.ndarray, rows: int,
    progress: Progress,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """(N,) p of each n-gram and (contexts,) gamma, 1 where nothing follows."""
    given = totals(table, kept, len(total), stage(progress, 0.0, 0.4))
    progress = stage(progress, 0.4, 0.6)
    np.subtract(total, given, out=given)
    # 1 / total and gamma side by side: both are wanted of a context, from all over the table.
    weights = np.ones((len(total), 2), np.float32)
    followed = total > 0
    np.divide(1.0, total, out=weights[:, 0], where=followed, casting="same_kind")
    np.divide(given, total, out=weights[:, 1], where=followed, casting="same_kind")
    probs = np.empty(len(table), np.float32)
    for block in blocks(len(table)):
        share, gamma = weights.take(table.contexts[block], axis=0).T
        lower = shorter[table.keys[block] // rows]
        probs[block] = kept[block] * share.astype(np.float64) + gamma * lower.astype(np.float64)
        progress(block.stop / len(table))
    return probs, weights[:, 1].copy()


def _backing_off(
    table: Grams, kept: Kept, total: np.ndarray, shorter: np.ndarray, rows: int,
    progress: Progress,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """(N,) float64 p of each n-gram and (contexts,) alpha.

    Where every word was seen after a context, nobody can take what was not kept: it is given back.
    Where all was kept and some word was not seen, one more occurrence is imagined, of them all.
    """
    contexts, size = table.contexts, len(table)

    def share_of(block: slice) -> np.ndarray:
        counts = kept[block]
        return np.divide(counts, total[contexts[block]], out=np.zeros(len(counts)),
                         where=counts > 0)  # fmt: skip

    def lower_of(block: slice) -> np.ndarray:
        lower: np.ndarray = shorter[table.keys[block] // rows].astype(np.float64)
        return lower

    held, covered = np.zeros(len(total)), np.zeros(len(total))
    for block in blocks(size):
        share, into = share_of(block), contexts[block].astype(np.int64)
        np.add.at(held, into, share)
        np.add.at(covered, into, lower_of(block) * (share > 0))
        progress(0.5 * block.stop / size)
    scale, alpha = np.empty(len(total)), np.empty(len(total))
    for block in blocks(len(total)):
        scale[block], alpha[block] = _given_up(total[block], held[block], 1 - covered[block])
        progress(0.5)

    def probs_of(block: slice) -> np.ndarray:
        share, into = share_of(block), contexts[block]
        return np.where(share > 0, share * scale[into], alpha[into] * lower_of(block))

    return in_blocks(size, np.float64, probs_of, stage(progress, 0.5, 0.5)), alpha


def _given_up(
    total: np.ndarray, held: np.ndarray, free: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(contexts,) what shares are multiplied by, and alpha.

    `held` is the sum of the shares, `free` what the shorter n-grams give to unseen words.
    """
    nobody = (free < _NOTHING) & (held > 0)
    greedy = (free >= _NOTHING) & (held > 1 - _NOTHING)
    scale = np.where(
        greedy, total / (total + 1), np.divide(1.0, held, out=np.ones(len(held)), where=nobody)
    )
    alpha = np.divide(np.maximum(1 - held * scale, 0), free, out=np.zeros(len(total)),
                      where=~nobody)  # fmt: skip
    return scale, alpha
