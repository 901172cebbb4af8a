"""A segmentation, counted once; out comes what every smoothing makes of a context.

The count tables of the train part are kept, and the valid part matched against them, so that a
knob can be turned and its figure follows at once: what a formula over a few counts of each event
can tell is not estimated anew.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lmstudio.analysis.count_levels import Counted, CountLevels, absolute, additive
from lmstudio.analysis.smoothing_remarks import remarks
from lmstudio.data.layout import BOS, EOS, UNK, Tokens
from lmstudio.data.pieces import pieces
from lmstudio.data.vocab import read_counts
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message, msg
from lmstudio.models.config import DISCOUNTING, NgramConfig
from lmstudio.models.ngram.counts import count, predicted
from lmstudio.models.ngram.lookup import OUTSIDE, Lookup, Match
from lmstudio.models.ngram.model import NgramModel
from lmstudio.models.ngram.smoothing import SMOOTHINGS
from lmstudio.models.ngram.smoothing.good_turing import expectations

MOST_TRAIN, MOST_VALID = 2_000_000, 200_000
"""Tokens that are counted, and events that figures are measured on: the first ones."""
_WAYS, _ENOUGH = (5, 4, 3, 2), 20  # followers of a frequent context; such contexts, to go by it
_LISTED = 6  # words, unless a knob asks again for those that are on show
_ROUNDING = 1e-12
_MODELS = 24  # estimated ones that are kept: every smoothing at two orders
BEGINNING = msg("Only the first {count} tokens of the train part are counted here.")


@dataclass(frozen=True)
class Column:
    """What one smoothing gives to the words after a context."""

    config: NgramConfig
    probs: np.ndarray  # (W,) float64 of the listed words; NaN where none is defined
    seen: float  # of all words that were seen after the context
    unknown: float  # of `<unk>`
    total: float  # over the vocabulary; 1 for a distribution
    valid_loss: float  # nats an event of the valid part, infinite where one is impossible
    valid_bits: float = math.nan  # the same as bits per character
    notes: tuple[Message, ...] = ()  # why it is not all that was asked for
    remarks: tuple[Message, ...] = ()  # what surprises in its figures
    discounts: tuple[float, ...] = ()  # what it takes from a count of 1, 2, ... at its order

    @property
    def rest(self) -> float:
        """Of all words that are not listed; what is less than rounding is nothing."""
        left = self.total - float(self.probs.sum())
        return 0.0 if abs(left) < _ROUNDING else left


@dataclass(frozen=True)
class Bars:
    """A context, what was seen after it, and the columns of the smoothings."""

    context: list[int]  # its last order - 1 tokens, or fewer; `<s>` only where it was asked for
    occurrences: int  # how often it was seen with something after it
    followers: int  # how many different words were
    words: list[int]  # (W,) ids, the most frequent first, `<unk>` last
    counts: list[int]  # (W,) how often each was seen after the context
    others: int  # words of the vocabulary that are not listed
    columns: list[Column]


@dataclass(frozen=True)
class Frequent:
    """A context that is often seen, so that there is something to look at after it."""

    ids: list[int]  # order - 1 of them, `<s>` first where a sentence begins
    occurrences: int
    followers: int  # different words seen after it


@dataclass(frozen=True)
class CountsOfCounts:
    """n_r n-grams occur r times; r* is what is expected of such a one in text of the same size."""

    r: list[int]
    n: list[int]
    turing: list[float]  # (r + 1) n_{r+1} / n_r, NaN where n_r or n_{r+1} is 0
    smoothed: list[float]  # Gale & Sampson's


class Laboratory:
    """Counts of one segmentation up to an order. Not for several threads at once."""

    def __init__(self, segmentation: Path, order: int, *, job: Job) -> None:
        """AppError where the train part is empty."""
        tokens = Tokens(segmentation)
        self.rows, self.order = len(read_counts(segmentation)), order
        tokens.check(self.rows)
        train = tokens.stream("train")
        if not len(train):
            raise AppError("There is no text to train on: the train part is empty.")
        self.stream, self.valid = (
            _first(train, MOST_TRAIN),
            _first(tokens.stream("valid"), MOST_VALID),
        )
        self.notes = [Message(BEGINNING, {"count": MOST_TRAIN})] * (len(self.stream) < len(train))
        self.valid_counts = tokens.meta.parts["valid"]
        total, note = len(self.stream), Message("Counting n-grams")
        self.tables = count(
            self.stream, self.rows, order, lambda share: job.tick(int(share * total), total, note)
        )
        events = int((self.valid != BOS).sum())
        self._unknown = int((self.valid == UNK).sum()) / max(events, 1)
        self._plain = CountLevels(self.tables, self.rows, continued=False)
        self._levels: dict[tuple[int, bool], CountLevels] = {}
        self._held_out: dict[tuple[int, bool], Counted] = {}
        self._models: dict[NgramConfig, tuple[NgramModel, tuple[Message, ...]]] = {}
        self._discounts: dict[NgramConfig, tuple[float, ...]] = {}
        self._losses: dict[NgramConfig, float] = {}
        self._last = _After(0, (), Match([], []))

    def bars(
        self, prefix: Sequence[int], order: int, configs: Sequence[NgramConfig], *,
        most: int = 10, words: Sequence[int] = (), unseen: int = 0, job: Job,
    ) -> Bars:  # fmt: skip
        """The columns of `configs` after the tokens `prefix`, for n-grams of `order`.

        With `<s>` first they begin a sentence. Else they stand anywhere in one, and where they are
        fewer than order - 1, n-grams that are shorter by as many answer.
        Listed are the `most` frequent followers, then `words`, `unseen` words that are frequent but
        were never seen here, more of them where few were seen, and `<unk>`.
        """
        after = self._after(order, tuple(prefix))
        counted = after.counted(self._plain, continued=False)
        level = counted.deepest[0]
        together = counted.together[level]
        frequent = [int(w) for w in np.argsort(-together, kind="stable")[:most] if together[w] > 0]
        never = max(unseen, _LISTED - len(frequent)) if unseen else 0
        listed = [*frequent, *words, *self._never(together, never)]
        listed = [w for w in dict.fromkeys(listed) if w not in (UNK, BOS)] + [UNK]
        columns = []
        for number, config in enumerate(configs):
            job.tick(number, len(configs), Message("Asking every smoothing"))
            columns.append(self._column(config, after, listed, together > 0, job))
        history = list(prefix)[-(order - 1) :] if order > 1 else []
        return Bars(
            history, int(counted.context[level][0]), int(counted.followers[level][0]), listed,
            [int(together[w]) for w in listed], self.rows - 1 - len(listed), columns,
        )  # fmt: skip

    def loss(self, config: NgramConfig, *, job: Job) -> float:
        """Nats an event of the valid part under a config; NaN without a valid part."""
        if not len(self.valid):
            return math.nan
        if self._by_formula(config):
            return _mean(self._formula(config, self._on_valid(config)))
        if config not in self._losses:
            model, _ = self.model(config, job)
            nats = events = 0.0
            for piece in pieces(self.valid, 1 << 14):
                job.check()
                logprobs = model.logprobs(piece)
                nats, events = nats - float(logprobs.sum()), events + len(logprobs)
            self._losses[config] = nats / events
        return self._losses[config]

    def bits(self, loss: float) -> float:
        """Bits per character of the valid part, where it loses so many nats an event."""
        counts = self.valid_counts
        bits = loss * counts.events / math.log(2) + counts.spelling_bits
        return bits / max(counts.characters, 1)

    def frequent(self, order: int, *, most: int) -> list[Frequent]:
        """The most frequent contexts of n-grams, of those that are gone on from in several ways.

        How many ways are asked for depends on the text. None at order 1, which has no context.
        """
        if order == 1:
            return []
        occurrences, followers = self._plain.contexts(order)
        ways = next((n for n in _WAYS if (followers >= n).sum() >= _ENOUGH), 1)
        enough = followers >= ways
        ordered = np.argsort(np.where(enough, -occurrences, 1), kind="stable")
        best = ordered[: min(most, int(enough.sum()))]
        return [
            Frequent(self._words(order - 1, int(number)), int(occurrences[number]),
                     int(followers[number]))
            for number in best
        ]  # fmt: skip

    def _words(self, order: int, number: int) -> list[int]:
        """The ids of an n-gram."""
        words = []
        for level in range(order, 1, -1):
            number, first = divmod(int(self.tables[level - 1].keys[number]), self.rows)
            words.append(first)
        return [*words, number]

    def counts_of_counts(self, order: int, most: int = 10) -> CountsOfCounts:
        """Of the n-grams of an order, r from 1 to `most`."""
        counts = predicted(self.tables[order - 1], order)
        n = np.bincount(np.minimum(counts, most + 2), minlength=most + 3).tolist()
        expected, _ = expectations(counts, order, self.rows - 1)
        r = list(range(1, most + 1))
        turing = [(i + 1) * n[i + 1] / n[i] if n[i] and n[i + 1] else math.nan for i in r]
        return CountsOfCounts(r, [n[i] for i in r], turing, [expected(i) for i in r])

    def _never(self, together: np.ndarray, most: int) -> list[int]:
        """The most frequent words of the text that were never seen in some place."""
        if not most:
            return []
        counts = np.where(together > 0, 0, self.tables[0].counts)
        counts[[UNK, BOS, EOS]] = 0
        ordered = np.argsort(-counts, kind="stable")[:most]
        return [int(word) for word in ordered if counts[word] > 0]

    def _after(self, order: int, prefix: tuple[int, ...]) -> "_After":
        """What may follow a prefix; a knob that is turned asks for the same one again."""
        if (order, prefix) != (self._last.order, self._last.prefix):
            self._last = _After(order, prefix, self._match(order, prefix))
        return self._last

    def _match(self, order: int, prefix: tuple[int, ...]) -> Match:
        """Every word of the vocabulary after a prefix; levels that it is too short for lie outside.

        A lookup takes what it is asked about for a whole beginning of a sentence: one of n-grams no
        longer than the prefix and a word sees none of the `<s>` before it.
        """
        begins = prefix[:1] == (BOS,)
        words = np.array(prefix[1:] if begins else prefix, np.int32)
        reach = order if begins else min(order, len(words) + 1)
        match = self._lookup(reach).after(words)
        outside = [np.full(self.rows, OUTSIDE)] * (order - reach)
        return Match([*match.grams, *outside], [*match.contexts, *outside])

    def _column(
        self, config: NgramConfig, after: "_After", listed: list[int], seen: np.ndarray, job: Job
    ) -> Column:
        notes: tuple[Message, ...] = ()
        discounts: tuple[float, ...] = (config.discount,) if config.discount else ()
        if self._by_formula(config):
            levels = self._count_levels(config)
            continued = config.smoothing == "kneser-ney"
            probs = self._formula(config, after.counted(levels, continued=continued))
        else:
            model, notes = self.model(config, job)
            probs = model.smoothing.probs(after.match)
            discounts = self._discounts.get(config, discounts)
        undefined = bool(np.isnan(np.delete(probs, BOS)).any())
        probs[BOS] = math.nan if undefined else 0.0
        loss = self.loss(config, job=job)
        return Column(
            config, probs[listed], float(probs[seen].sum()) if not undefined else math.nan,
            float(probs[UNK]), float(probs.sum()), loss, self.bits(loss), notes,
            remarks(config.smoothing, config.order,
                    given=None if after.prefix[:1] == (BOS,) else len(after.prefix),
                    counted=int(self.tables[0].counts[UNK]), unknown=self._unknown),
            discounts,
        )  # fmt: skip

    @staticmethod
    def _by_formula(config: NgramConfig) -> bool:
        """Whether a few counts are all it needs, whatever its knob says."""
        one_discount = config.smoothing in ("absolute-discounting", "kneser-ney")
        fixed = one_discount and config.discount > 0 and config.interpolate and config.uniform
        return config.smoothing in ("add-one", "add-k") or (fixed and config.minima[-1] == 1)

    def _formula(self, config: NgramConfig, counted: Counted) -> np.ndarray:
        if config.smoothing in ("add-one", "add-k"):
            k = 1.0 if config.smoothing == "add-one" else config.k
            return additive(counted, k, self.rows - 1)
        return absolute(counted, config.discount, self.rows - 1)

    def _count_levels(self, config: NgramConfig) -> CountLevels:
        """Continuation counts depend on which order is the highest."""
        if config.smoothing != "kneser-ney":
            return self._plain
        key = config.order, True
        if key not in self._levels:
            tables = self.tables[: config.order]
            self._levels[key] = CountLevels(tables, self.rows, continued=True)
        return self._levels[key]

    def _on_valid(self, config: NgramConfig) -> Counted:
        key = config.order, config.smoothing == "kneser-ney"
        if key not in self._held_out:
            while len(self._held_out) > 1:  # one for each kind of counts
                self._held_out.pop(next(iter(self._held_out)))
            match = self._lookup(config.order).events(self.valid)
            self._held_out[key] = self._count_levels(config).of(match)
        return self._held_out[key]

    def model(self, config: NgramConfig, job: Job) -> tuple[NgramModel, tuple[Message, ...]]:
        """The model of a config, estimated at the first question, and its notes."""
        if config not in self._models:
            smoothing, facts = SMOOTHINGS[config.smoothing].fit(
                self.tables[: config.order], self.rows, config, self.valid,
                lambda share: job.check(),
            )  # fmt: skip
            model = NgramModel(config, self._lookup(config.order), smoothing)
            notes = tuple(Message(sentence, values) for sentence, values in facts.notes)
            while len(self._models) >= _MODELS:
                self._models.pop(next(iter(self._models)))
            self._models[config] = model, notes
            if config.smoothing in DISCOUNTING:
                self._discounts[config] = tuple(facts.discounts[-1])
        return self._models[config]

    def _lookup(self, order: int) -> Lookup:
        return Lookup(self.rows, [table.keys for table in self.tables[1:order]])


class _After:
    """Every word of the vocabulary as the event after a prefix, matched and counted once."""

    def __init__(self, order: int, prefix: tuple[int, ...], match: Match) -> None:
        self.order, self.prefix, self.match = order, prefix, match
        self._counted: dict[bool, Counted] = {}

    def counted(self, levels: CountLevels, *, continued: bool) -> Counted:
        """The counts in `levels`, which are Kneser-Ney's if `continued`."""
        if continued not in self._counted:
            self._counted[continued] = levels.of(self.match)
        return self._counted[continued]


def _first(stream: np.ndarray, most: int) -> np.ndarray:
    """Whole sentences, about `most` ids of them."""
    return next(pieces(stream, most), stream)


def _mean(probs: np.ndarray) -> float:
    """Nats an event."""
    with np.errstate(divide="ignore"):
        return float(-np.log(probs).mean())
