"""Counts and a smoothing become a language model: text in, probabilities out."""

from functools import cached_property
from typing import Literal, Self

import numpy as np

from lmstudio.data.layout import BOS
from lmstudio.models.config import NgramConfig
from lmstudio.models.config.ngram import STORED
from lmstudio.models.ngram import blank
from lmstudio.models.ngram.counts import Grams, Progress, count, stage
from lmstudio.models.ngram.lookup import Lookup
from lmstudio.models.ngram.merging import Limit, count_in_parts
from lmstudio.models.ngram.pruning import Stored, pruned, without
from lmstudio.models.ngram.smoothing import SMOOTHINGS, Arrays, Facts, Scores
from lmstudio.models.ngram.smoothing.backoff import Backoff
from lmstudio.models.reading import WindowReading

_BLOCK = 1 << 21
"""Positions looked up at a time: many sorted probes share what they touch of a large table."""


class NgramModel:
    """A trained n-gram model; obeys `models.base.LanguageModel`."""

    context: Literal["sentence", "document"] = "sentence"

    def __init__(self, config: NgramConfig, lookup: Lookup, smoothing: Scores) -> None:
        self.config, self.lookup, self.smoothing = config, lookup, smoothing

    @classmethod
    def fit(
        cls, stream: np.ndarray, rows: int, config: NgramConfig, progress: Progress,
        held_out: np.ndarray | None = None, limit: Limit | None = None,
    ) -> tuple[Self, Facts]:  # fmt: skip
        """Learn from `<s> w ... </s> <s> ...`, ids below `rows`.

        `held_out` is the same of text that is not counted, for smoothings that tune weights.
        With a `limit` a text that needs more memory is counted in parts.
        """
        counting = stage(progress, 0.0, 0.8)
        if limit:
            tables = count_in_parts(stream, rows, config.order, limit, counting)
        else:
            tables = count(stream, rows, config.order, counting)
        less = config.minima[-1] > 1 or config.prune > 0
        smoothing: Scores
        smoothing, facts = SMOOTHINGS[config.smoothing].fit(
            tables, rows, config, held_out, stage(progress, 0.8, 0.1 if less else 0.2)
        )
        keys = [table.keys for table in tables[1:]]
        if isinstance(smoothing, Backoff) and less:
            smaller = _smaller(tables, smoothing, rows, config, stage(progress, 0.9, 0.1))
            keys, smoothing = smaller.keys, smaller.smoothing
            facts.parameters = smaller.smoothing.parameters
        progress(1.0)
        return cls(config, Lookup(rows, keys), smoothing), facts

    @classmethod
    def load(cls, arrays: Arrays, rows: int, config: NgramConfig) -> Self:
        """The model that `arrays()` was asked of."""
        lookup = Lookup(rows, [arrays[f"keys{order}"] for order in range(2, config.order + 1)])
        kind: type[Scores] = Backoff
        if config.smoothing != STORED:
            kind = SMOOTHINGS[config.smoothing]
        return cls(config, lookup, kind.load(arrays, rows, config))

    def arrays(self) -> Arrays:
        """What there is to be stored, by name."""
        keys = {f"keys{order}": table for order, table in enumerate(self.lookup.keys, 2)}
        return keys | self.smoothing.arrays()

    @property
    def rows(self) -> int:
        """Ids of the vocabulary, `<s>` included."""
        return self.lookup.rows

    @property
    def proper(self) -> bool:
        """Whether its figures are probabilities; those of stupid back-off are none."""
        return self.smoothing.proper

    @property
    def sizes(self) -> list[int]:
        """How many n-grams of each order there are; of order 1, all ids."""
        return [self.rows, *map(len, self.lookup.keys)]

    def logprobs(self, stream: np.ndarray) -> np.ndarray:
        """Natural log p of every event of the stream; -inf also where p is undefined."""
        reach = self.lookup.order - 1
        scored = [np.empty(0)]
        for start in range(0, len(stream), _BLOCK):
            skip = min(start, reach)
            probs = self._probs(stream[start - skip : start + _BLOCK], skip)
            logs = np.full(len(probs), -np.inf)
            scored.append(np.log(probs, out=logs, where=probs > 0))
        return np.concatenate(scored)

    def _probs(self, stream: np.ndarray, skip: int) -> np.ndarray:
        """p of every event but those at the first `skip` places."""
        if isinstance(self.smoothing, Backoff) and self.smoothing.proper:
            probs = self.smoothing.along(self.lookup.seen(stream))
            return probs[skip:][stream[skip:] != BOS]
        return self.smoothing.probs(self.lookup.events(stream, skip))

    def top_k(self, prefix: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k likeliest ids after `<s>` and `prefix`, the first of equals first, and their p.

        Exact: all that could be among them are looked at. Fewer where fewer have a probability.
        """
        if isinstance(self.smoothing, Backoff):
            words = self._likely(prefix, k)
            probs = self.smoothing.probs(self.lookup.after(prefix, words))
            probs[words == BOS] = 0.0
        else:
            words, probs = np.arange(self.rows), self.next_probs(prefix)
        k = min(k, int((probs > 0).sum()))
        least = np.partition(probs, -k)[-k] if k else np.inf
        places = np.flatnonzero(probs >= least)
        places = places[np.argsort(-probs[places], kind="stable")][:k]
        return words[places], probs[places]

    def _likely(self, prefix: np.ndarray, k: int) -> np.ndarray:
        """Ids, ascending, among which the k likeliest are: those seen after the last of the prefix.

        All others pay the same weights, so the likeliest k of them by themselves will do.
        """
        followers = self.lookup.followers(prefix)
        chosen = np.zeros(self.rows, bool)
        chosen[followers] = True
        ranked = self._ranked[: k + len(followers) + 1]  # `<s>` may be one
        chosen[ranked[~chosen[ranked]][: k + 1]] = True
        return np.flatnonzero(chosen)

    @cached_property
    def _ranked(self) -> np.ndarray:
        """(rows,) ids, the likeliest by themselves first, the first of equals first."""
        assert isinstance(self.smoothing, Backoff)
        return np.argsort(-self.smoothing.by_order[0], kind="stable")

    def next_probs(self, prefix: np.ndarray) -> np.ndarray:
        """(rows,) p of each id after `<s>` and `prefix`; all NaN where p is undefined."""
        probs = self.smoothing.probs(self.lookup.after(prefix))
        probs[BOS] = np.nan if np.isnan(probs).any() else 0.0
        return probs

    def begin(self, prefix: np.ndarray) -> WindowReading:
        """See models.base.WritingModel."""
        return WindowReading(self.next_probs, self.lookup.order - 1, prefix)

    def fill_logs(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """See `blank.fill_logs`."""
        return blank.fill_logs(self, left, right)


def _smaller(
    tables: list[Grams], smoothing: Backoff, rows: int, config: NgramConfig, progress: Progress
) -> Stored:
    """Without n-grams that are too rare, then without those that are worth too little."""
    longer = tables[1:]
    model = Stored([table.keys for table in longer], [t.contexts for t in longer], smoothing)
    if config.minima[-1] > 1:
        minima = zip(longer, config.minima[1:], strict=True)
        wanted = [table.counts >= minimum for table, minimum in minima]
        model = without(model, wanted, rows, stage(progress, 0.0, 0.3))
    return pruned(model, config.prune, rows, stage(progress, 0.3, 0.7)) if config.prune else model
