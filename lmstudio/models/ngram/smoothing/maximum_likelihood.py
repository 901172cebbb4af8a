"""Maximum likelihood: relative frequencies, and nothing for what was never seen."""

from typing import Self

import numpy as np

from lmstudio.data.layout import BOS
from lmstudio.models.config import NgramConfig
from lmstudio.models.ngram.counts import Grams, Progress
from lmstudio.models.ngram.lookup import OUTSIDE, Match
from lmstudio.models.ngram.smoothing.base import Arrays, Facts


class MaximumLikelihood:
    """p(w | h) = c(h w) / c(h), h the last n - 1 words or all since `<s>` if those are fewer."""

    proper = True

    def __init__(self, counts: list[np.ndarray]) -> None:
        self.counts = [np.asarray(table) for table in counts]
        self._events = int(self.counts[0].sum()) - int(self.counts[0][BOS])

    @classmethod
    def fit(
        cls, tables: list[Grams], rows: int, config: NgramConfig, held_out: np.ndarray | None,
        progress: Progress,
    ) -> tuple[Self, Facts]:  # fmt: skip
        """The model of these counts, and its facts."""
        progress(1.0)
        return cls([table.counts for table in tables]), Facts(sum(map(len, tables)))

    @classmethod
    def load(cls, arrays: Arrays, rows: int, config: NgramConfig) -> Self:
        """The model that `arrays()` was asked of."""
        return cls([arrays[f"counts{order}"] for order in range(1, config.order + 1)])

    def arrays(self) -> Arrays:
        """What there is to be stored."""
        return {f"counts{order}": table for order, table in enumerate(self.counts, 1)}

    def probs(self, match: Match) -> np.ndarray:
        """(Q,) float64; NaN after a context that was never seen."""
        together, context = self.frequencies(match)
        undefined = np.full(len(together), np.nan)
        return np.divide(together, context, out=undefined, where=context > 0)

    def frequencies(self, match: Match) -> tuple[np.ndarray, np.ndarray]:
        """(Q,) c(h w) and (Q,) c(h) as a predictor, for the longest h inside the sentence."""
        together = np.where(match.words == BOS, 0, self.counts[0][match.words])
        context = np.full(len(together), self._events)
        for order in range(1, len(self.counts)):
            inside = match.contexts[order] != OUTSIDE
            together[inside] = _at(self.counts[order], match.grams[order][inside])
            context[inside] = _at(self.counts[order - 1], match.contexts[order][inside])
        return together, context


def _at(counts: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """The counts with these numbers, 0 for one that is unseen."""
    found = np.zeros(len(numbers), counts.dtype)
    seen = numbers >= 0
    found[seen] = counts[numbers[seen]]
    return found
