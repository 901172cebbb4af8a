"""A sentence and an n-gram model in; word by word, which n-gram answered and what it cost, out.

A back-off model answers with the longest n-gram it has that ends in the word, and pays the weight
of every longer context it had to give up:

    p(w | h) = weight(h) weight(h') ... p(w | h'...')

Where the training text is at hand, p is told by what was counted and what was taken from it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lmstudio.analysis.loading import load
from lmstudio.analysis.occurrences import Occurrences
from lmstudio.data.layout import BOS, EOS, UNK, Tokens
from lmstudio.jobs import Job
from lmstudio.models.config import DISCOUNTING
from lmstudio.models.config.ngram import STORED
from lmstudio.models.ngram.lookup import OUTSIDE, UNSEEN, Match
from lmstudio.models.ngram.model import NgramModel
from lmstudio.models.ngram.smoothing.additive import Additive
from lmstudio.models.ngram.smoothing.backoff import Backoff
from lmstudio.models.ngram.smoothing.good_turing import GoodTuring
from lmstudio.models.ngram.smoothing.maximum_likelihood import MaximumLikelihood
from lmstudio.models.ngram.smoothing.stupid_backoff import WEIGHT
from lmstudio.training.spec import RunSpec

ONE_MORE = " + 1)"
"""In the formula of a context from whose followers nothing was taken; see `smoothing.backoff`."""
_NEAR = 1e-5  # of float32


@dataclass(frozen=True)
class Step:
    """One scored event: a token or the end of the sentence."""

    token: int
    context: list[int]  # as many tokens before it as the model may look at, `<s>` included
    order: int  # of the n-gram that answered, or that was asked alone: 1 is the word by itself
    probability: float  # NaN where none is defined
    weights: list[float]  # paid for giving up contexts, the longest first; 1 for unseen ones
    stored: float  # p of the n-gram that answered
    own: float | None  # its own share of that, after the discount; None where orders do not mix
    weight: float | None  # of the shorter n-gram in the rest, gamma(h)
    shorter: float | None  # p of the shorter n-gram
    formula: str  # with the numbers filled in

    @property
    def bits(self) -> float:
        """Surprisal in bits; infinite for probability 0."""
        return 0.0 - math.log2(self.probability) if self.probability > 0 else math.inf


@dataclass(frozen=True)
class Totals:
    """The accounting of a walk: `<s>` is no event, `</s>` is one, each counts once."""

    events: int  # tokens and the end of the sentence
    unknown: int  # tokens that the vocabulary lacks, scored as `<unk>`
    zero: int  # events of probability 0
    undefined: int  # events without a probability
    bits: float  # of all events; infinite with one of probability 0, else NaN with an undefined one

    @property
    def words(self) -> int:
        """Events but the end of the sentence."""
        return self.events - 1

    @property
    def perplexity(self) -> float:
        """Over all events, the unknown ones included."""
        bits = self.bits / self.events
        return math.inf if bits >= 1024 else 2**bits  # beyond what a float holds


def totals(steps: Sequence[Step]) -> Totals:
    """What the steps of a sentence come to."""
    probs = [step.probability for step in steps]
    zero, undefined = probs.count(0.0), sum(map(math.isnan, probs))
    bits = math.inf if zero else math.nan if undefined else sum(step.bits for step in steps)
    return Totals(len(steps), sum(step.token == UNK for step in steps), zero, undefined, bits)


def perplexity_without_unknown(steps: Sequence[Step]) -> float:
    """The perplexity over the events that are not `<unk>`; NaN where nothing else is."""
    known = [step for step in steps if step.token != UNK]
    return totals(known).perplexity if known else math.nan


def walk(model: NgramModel, ids: Sequence[int], counted: Occurrences | None = None) -> list[Step]:
    """The steps of a sentence of ids and of its end; with the training text, counts are told."""
    stream = np.array([BOS, *ids, EOS], np.int32)
    match = model.lookup.events(stream)
    probs = model.smoothing.probs(match)
    reach = model.lookup.order - 1
    return [
        _step(
            model,
            match,
            place,
            float(probs[place]),
            stream[max(0, place + 1 - reach) : place + 1],
            counted,
        )  # fmt: skip
        for place in range(len(stream) - 1)
    ]


def _step(
    model: NgramModel, match: Match, place: int, probability: float, context: np.ndarray,
    counted: Occurrences | None,
) -> Step:  # fmt: skip
    token = int(match.words[place])
    grams = [int(table[place]) for table in match.grams]
    contexts = [int(table[place]) for table in match.contexts]
    if isinstance(model.smoothing, Backoff):
        order = max(n for n, gram in enumerate(grams, 1) if gram >= 0)
        return _backing_off(model, token, context, grams, contexts, order, probability, counted)
    order = max(n for n, number in enumerate(contexts, 1) if number != OUTSIDE)
    formula = _counts(
        model, grams, contexts, [*context[len(context) - order + 1 :], token], counted
    )
    return Step(
        token, context.tolist(), order, probability, [], probability, None, None, None,
        formula if math.isnan(probability) else f"{formula} = {_number(probability)}",
    )  # fmt: skip


def _backing_off(
    model: NgramModel, token: int, context: np.ndarray, grams: list[int], contexts: list[int],
    order: int, probability: float, counted: Occurrences | None,
) -> Step:  # fmt: skip
    smoothing = model.smoothing
    assert isinstance(smoothing, Backoff)
    unseen = 1.0 if smoothing.proper else WEIGHT
    given_up = [n for n in range(len(grams), order, -1) if grams[n - 1] == UNSEEN]
    weights = [
        float(smoothing.backoffs[n - 2][contexts[n - 1]]) if contexts[n - 1] >= 0 else unseen
        for n in given_up
    ]
    stored = float(smoothing.by_order[order - 1][grams[order - 1]])
    own = weight = shorter = None
    name = model.config.smoothing
    mixed = model.config.interpolate and name not in ("katz", "stupid-backoff", STORED)
    if mixed and order > 1:
        weight = float(smoothing.backoffs[order - 2][contexts[order - 1]])
        end = int(model.lookup.keys[order - 2][grams[order - 1]] // model.rows)
        shorter = float(smoothing.by_order[order - 2][end])
        own = max(stored - weight * shorter, 0.0)
    gram = [*context[len(context) - order + 1 :], token]
    inner = _number(stored) if mixed else _share(model, gram, stored, counted)
    if own is not None and weight is not None and shorter is not None:
        told = _share(model, gram, own, counted)
        inner = f"{told} + {_number(weight)} × {_number(shorter)}"
        inner = f"({inner})" if weights else inner
    paid = "".join(f"{_number(value)} × " for value in weights)
    return Step(
        token, context.tolist(), order, probability, weights, stored, own, weight, shorter,
        f"{paid}{inner} = {_number(probability)}",
    )  # fmt: skip


def _share(
    model: NgramModel, gram: Sequence[int], share: float, counted: Occurrences | None
) -> str:
    """What an n-gram has of its context, by their counts; the number alone where they do not tell.

    Below the highest order Kneser-Ney goes by other counts.
    """
    name, continued = model.config.smoothing, len(gram) < model.lookup.order
    if counted is None or name == STORED or ("kneser-ney" in name and continued):
        return _number(share)
    together, context = counted.of(gram), counted.of(gram[:-1])
    if not (together and context and share > 0):
        return _number(share)
    kept = share * context
    if math.isclose(kept, together, rel_tol=_NEAR):
        return f"{together} / {context}"
    if math.isclose(share, together / (context + 1), rel_tol=_NEAR):
        return f"{together} / ({context}{ONE_MORE}"
    if name in DISCOUNTING:
        return f"({together} - {_number(together - kept)}) / {context}"
    if name == "witten-bell":
        return f"{together} / ({context} + {_number(together / share - context)})"
    return f"{_number(kept / together)} × {together} / {context}"


def _counts(
    model: NgramModel, grams: list[int], contexts: list[int], gram: Sequence[int],
    counted: Occurrences | None,
) -> str:  # fmt: skip
    """The formula of a smoothing that asks one order only."""
    smoothing = model.smoothing
    match = Match([np.array([g]) for g in grams], [np.array([c]) for c in contexts])
    if isinstance(smoothing, MaximumLikelihood):
        together, context = smoothing.frequencies(match)
        return f"{together[0]} / {context[0]}"
    if isinstance(smoothing, Additive):
        together, context = smoothing.counted.frequencies(match)
        k, size = _number(smoothing.k), model.rows - 1
        return f"({together[0]} + {k}) / ({context[0]} + {k} × {size})"
    assert isinstance(smoothing, GoodTuring)
    star, total = smoothing.expected(match)
    formula = f"{_number(star[0])} / {_number(total[0])}"
    return formula if counted is None else f"r*({counted.of(gram)}) / Σ r* = {formula}"


def _number(value: float) -> str:
    return f"{value:.4g}"


def ask_walk(
    segmentation_folder: Path, run_folder: Path, spec: RunSpec, rows: int, ids: Sequence[int], *,
    job: Job,
) -> list[Step]:  # fmt: skip
    """See `walk`; in the worker."""
    job.check()
    model = load(run_folder, spec, rows)
    assert isinstance(model, NgramModel)
    return walk(model, ids, Occurrences(Tokens(segmentation_folder).stream("train")))
