"""A trained model and a part of its corpus in, every figure of an evaluation out.

Which events are counted, and why all runs of a corpus share one axis: "Perplexity on one axis" in
the design. In short: every token and every sentence end is an event, `<s>` is none; an unknown
token is the event `<unk>`, and in bits per character its spelling is paid for as well. A model that
sees both sides of a token predicts no sentence ends: they are no events of its pseudo figures.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from lmstudio.analysis.instalments import PIECES, instalments, spread
from lmstudio.analysis.loading import load_checked, part_of
from lmstudio.data.layout import BOS, UNK, PartCounts
from lmstudio.data.pieces import pieces
from lmstudio.jobs import Job
from lmstudio.messages import Message, msg
from lmstudio.models.base import LanguageModel
from lmstudio.models.registry import MODELS
from lmstudio.training.spec import RunSpec

EXAMPLES = 20
"""Events of zero probability that are listed."""
CONTEXT_SHOWN = 5
"""Tokens before such an event that are listed with it."""

_SCORING = msg("Scoring the text")
_BACKWARD = msg("Scoring the text from its end")


@dataclass
class Evaluation:
    """Figures of one run on one part. Perplexities are infinite where an event has p = 0."""

    perplexity: float  # exp(nats / events), unknown tokens included as <unk>
    bits_per_character: float  # with the spelling of unknown words
    events: int
    tokens: int
    sentences: int
    characters: int  # without white space and line ends
    unknown: int  # events that are <unk>
    zero_probability: int  # events the model thinks impossible
    log10_probability: float  # of all events
    context: str  # "sentence" or "document": what the model may see before a token
    perplexity_without_unknown: float | None  # the events that are <unk> left out
    perplexity_ppl1: float | None  # SRILM's: these, and sentence ends not counted; None: no word
    perplexity_per_word: float | None  # all events, sentence ends not counted; None: no word
    events_without_unknown: int
    spelling_bits: float  # paid for the characters of unknown words
    comparable: bool  # False where segmentation or scores have an axis of their own
    zero_examples: list[tuple[list[int], int]] = field(default_factory=list)  # (context, token)
    pseudo: bool = False  # of a model that sees both sides; sentence ends are not counted
    backward_perplexity: float | None = None  # the text read from its end, by a model that can
    sampled: float | None = None  # the share of the tokens that was scored; None: all of them

    def to_json(self) -> dict[str, Any]:
        """Plain data; infinite stays `math.inf`, which json writes as Infinity."""
        return asdict(self)


def evaluate(
    segmentation_folder: Path, run_folder: Path, spec: RunSpec, part: str, *, job: Job
) -> Evaluation:
    """Score a part ("train", "valid", "test") with the model in a run's folder.

    AppError if the part is empty or the model's file unusable.
    """
    tokens, stream, rows = part_of(segmentation_folder, part)
    model = load_checked(run_folder, spec, rows, job=job)
    counts, comparable = tokens.meta.parts[part], model.proper and not tokens.meta.axis
    if not model.proper and MODELS[spec.model].kind == "neural":
        return _pseudo(model, stream, counts, job)
    size = PIECES[MODELS[spec.model].kind]
    tally = score(model, stream, size=size, job=job)
    found = tally.evaluation(counts, model.context, comparable=comparable)
    backward = getattr(model, "backward_logprobs", None)
    if backward is None:
        return found
    perplexity = _backward_perplexity(backward, stream, size, job)
    return replace(found, backward_perplexity=perplexity)


def score(
    model: LanguageModel, stream: np.ndarray, *, size: int = 8192, pseudo: bool = False, job: Job
) -> "Tally":
    """Sums over all events of `<s> w ... </s> <s> ...`, some `size` ids at a time.

    `pseudo`: what the model gives no figure for (NaN) is no event.
    """
    tally, done = Tally(), 0
    for piece, logprobs in instalments(model, stream, size):
        tally.add(piece, logprobs, pseudo)
        done += len(piece)
        job.tick(done, len(stream), Message(_SCORING))
    return tally


def _pseudo(model: LanguageModel, stream: np.ndarray, counts: PartCounts, job: Job) -> Evaluation:
    """Of a model that sees both sides; of a long part, sentences from all over it."""
    tally = score(model, spread(stream), size=PIECES["pseudo"], pseudo=True, job=job)
    share = tally.events / counts.tokens
    part = replace(
        counts, tokens=tally.events, sentences=round(counts.sentences * share),
        characters=max(1, round(counts.characters * share)),
        spelling_bits=counts.spelling_bits * share,
    )  # fmt: skip
    found = tally.evaluation(part, model.context, comparable=False)
    return replace(found, pseudo=True, sampled=share if share < 1 else None)


def _backward_perplexity(
    logprobs: Callable[[np.ndarray], np.ndarray], stream: np.ndarray, size: int, job: Job
) -> float:
    """Of the tokens and the sentence begins, each predicted from what follows it."""
    nats, events, done = 0.0, 0, 0
    for piece in pieces(stream, size):
        found = logprobs(piece)
        nats -= float(found.sum())
        events += len(found)
        done += len(piece)
        job.tick(done, len(stream), Message(_BACKWARD))
    return pooled_perplexity([nats], [events])


@dataclass
class Tally:
    """Running sums of scored events."""

    events: int = 0
    unknown: int = 0
    zero: int = 0
    nats: float = 0.0  # -ln p of all events
    nats_unknown: float = 0.0  # of those that are <unk>
    examples: list[tuple[list[int], int]] = field(default_factory=list)

    def add(self, stream: np.ndarray, logprobs: np.ndarray, pseudo: bool = False) -> None:
        """Count the events of a slice; `logprobs` of the positions that are not `<s>`.

        Of a pseudo model, those with a figure.
        """
        places, scored = np.flatnonzero(stream != BOS), ~np.isnan(logprobs)
        if len(places) != len(logprobs) or not (pseudo or scored.all()):
            raise ValueError("a model gave NaN for a probability, or figures for other events")
        places, logprobs = places[scored], logprobs[scored]
        unknown = stream[places] == UNK
        impossible = np.isneginf(logprobs)
        self.events += len(places)
        self.unknown += int(unknown.sum())
        self.zero += int(impossible.sum())
        self.nats -= float(logprobs[~unknown].sum())
        self.nats_unknown -= float(logprobs[unknown].sum())
        for place in places[impossible][: EXAMPLES - len(self.examples)]:
            self.examples.append((_context(stream, int(place)), int(stream[place])))

    def evaluation(self, counts: PartCounts, context: str, *, comparable: bool) -> Evaluation:
        """All figures; `counts` are those of the part that was scored."""
        nats = self.nats + self.nats_unknown
        words, known = counts.tokens, counts.tokens - self.unknown
        left = self.events - self.unknown
        return Evaluation(
            perplexity=pooled_perplexity([nats], [self.events]),
            bits_per_character=bits_per_character(nats, counts.characters, counts.spelling_bits),
            events=self.events,
            tokens=counts.tokens,
            sentences=counts.sentences,
            characters=counts.characters,
            unknown=self.unknown,
            zero_probability=self.zero,
            log10_probability=-nats / math.log(10),
            context=context,
            perplexity_without_unknown=pooled_perplexity([self.nats], [left]) if left else None,
            perplexity_ppl1=pooled_perplexity([self.nats], [known]) if known else None,
            perplexity_per_word=pooled_perplexity([nats], [words]) if words else None,
            events_without_unknown=left,
            spelling_bits=counts.spelling_bits,
            comparable=comparable,
            zero_examples=self.examples,
        )


def _context(stream: np.ndarray, place: int) -> list[int]:
    """The last CONTEXT_SHOWN ids before `place` in its sentence, with `<s>` if it is near."""
    before = stream[max(0, place - CONTEXT_SHOWN) : place].tolist()
    begin = len(before) - 1 - before[::-1].index(BOS) if BOS in before else 0
    return before[begin:]


def pooled_perplexity(nats: Sequence[float], events: Sequence[int]) -> float:
    """exp(all -ln p / all events): of parts, batches or sentences together, never a mean of means.

    Infinite above the largest float.
    """
    mean = math.fsum(nats) / sum(events)
    return math.exp(mean) if mean < 709 else math.inf


def bits_per_character(nats: float, characters: int, spelling_bits: float = 0.0) -> float:
    """-log2 p of all events and of the spelling of unknown words, for each character."""
    return (nats / math.log(2) + spelling_bits) / characters
