"""A sentence and a network in; what its output would predict from each layer, out: the logit lens.

nostalgebraist 2020, "interpreting GPT: the logit lens": the vector that a layer hands on is given
to the layer norm and the output matrix that come after the last one, as if the layers between were
not there. With the last layer it is what the model itself predicts. Layer 0 is what the first
layer reads.

A column is a place of the sentence, and what is predicted there:

    RNN, GRU, LSTM, GPT     from all tokens before it
    ELMo                    from those before it, from those behind it, or from both
    BERT                    from all the others, itself hidden; or, if not, from itself too
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np

from lmstudio.analysis.asked import Asked
from lmstudio.analysis.typed_sentence import TypedSentence, typed_sentence
from lmstudio.data.layout import BOS, EOS, SPECIALS
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.models.base import HidingModel, LayeredModel
from lmstudio.models.capabilities import reason

TOP = 5
"""Guesses that are kept of each layer and place."""
CELLS = 8_000_000  # probabilities at a time
READ = 4096  # tokens of sentences with a blank, at a time

Side = Literal["before", "behind", "both"]
"""What a place is predicted from, where a model reads its sides apart."""


@dataclass(frozen=True)
class Lens:
    """What L + 1 layers predict at N places; the best K guesses of each."""

    places: list[int]  # (N,) where it is, of what is read, marks included
    columns: list[str]  # (N,) what stands there
    ids: np.ndarray  # (L + 1, N, K) int32: the best guesses
    probs: np.ndarray  # (L + 1, N, K) float64: their p
    types: dict[int, str]  # what these ids are
    truth: np.ndarray  # (N,) int32: the id that stands there; -1 where nobody knows
    truth_probs: np.ndarray  # (L + 1, N) float64; NaN where nobody knows
    truth_ranks: np.ndarray  # (L + 1, N) int32, from 1; 0 where nobody knows
    entropies: np.ndarray  # (L + 1, N) float64, bits
    notes: tuple[Message, ...] = ()  # what a reader must know of it

    def guesses(self, layer: int, column: int) -> list[tuple[str, float]]:
        """The best guesses with their p, the likeliest first."""
        pairs = zip(self.ids[layer, column], self.probs[layer, column], strict=True)
        return [(self.types[int(number)], float(p)) for number, p in pairs]

    def right(self, layer: int, column: int) -> bool:
        """Whether the best guess is what stands there."""
        return bool(self.truth_ranks[layer, column] == 1)

    def rows(self) -> Iterator[tuple[int, int, str, int, str, float, int, float, float]]:
        """(layer, place, what stands there, rank of a guess, guess, p, rank and p of the truth,
        entropy); places from 0, which is that of `<s>`."""
        for layer, column in np.ndindex(self.truth_ranks.shape):
            told = (int(self.truth_ranks[layer, column]), float(self.truth_probs[layer, column]),
                    float(self.entropies[layer, column]))  # fmt: skip
            for rank, (guess, p) in enumerate(self.guesses(layer, column), 1):
                yield layer, self.places[column], self.columns[column], rank, guess, p, *told


@dataclass(frozen=True)
class Columns:
    """Where something is predicted, what is true there, and from which vectors (L + 1, N, D)."""

    places: list[int]
    truth: np.ndarray
    vectors: np.ndarray


def lens(
    asked: Asked, text: str, *, side: Side = "before", hidden: bool = True, job: Job
) -> Lens:  # fmt: skip
    """What each layer predicts at each place of a text, read as one sentence.

    `side` is for ELMo, which with the head "joint" predicts from "both" only; `hidden` is for
    BERT. AppError for an empty text, or a model without layers.
    """
    if why := reason(asked.spec.model, "context", asked.spec.config):
        raise AppError("{name} cannot answer this: {reason}.", name=asked.name, reason=why)
    side = "both" if joint(asked) else side
    sentence = typed_sentence(asked, text, job=job)
    return look(sentence, columns(sentence, side, hidden=hidden, job=job), job=job)


def joint(asked: Asked) -> bool:
    """Whether a run is an ELMo whose directions only predict together."""
    return getattr(asked.spec.config, "head", "") == "joint"


def columns(sentence: TypedSentence, side: Side, *, hidden: bool, job: Job) -> Columns:
    """The vectors that a network predicts from, by place."""
    family = sentence.answering.asked.spec.model
    if family == "bert":
        return _of_blanks(sentence, job) if hidden else _of_all(sentence)
    if family == "elmo":
        return _of_directions(sentence, side)
    network = cast(LayeredModel, sentence.network)
    read = network.shown(sentence.ids)
    truth = np.append(sentence.ids, EOS)[: len(read)]
    return Columns(list(range(1, len(read) + 1)), truth, network.streams(sentence.ids))


def _of_directions(sentence: TypedSentence, side: Side) -> Columns:
    """ELMo's; what comes before the sentence, read from the right, is its end mark."""
    network = cast(LayeredModel, sentence.network)
    streams = network.streams(sentence.ids)  # (L + 1, N + 2, 2 W)
    left, right = np.split(streams, 2, 2)
    last = streams.shape[1] - 1
    if side == "before":
        return Columns(list(range(1, last + 1)), np.append(sentence.ids, EOS), left[:, :-1])
    if side == "behind":
        return Columns(list(range(last)), np.append(EOS, sentence.ids), right[:, 1:])
    both = np.concatenate([left[:, :-2], right[:, 2:]], 2)
    return Columns(list(range(1, last)), sentence.ids, both)


def _of_blanks(sentence: TypedSentence, job: Job) -> Columns:
    """BERT's, each place hidden in its turn; blanks that were typed stay hidden throughout."""
    network = cast(HidingModel, sentence.network)
    places = np.arange(len(network.shown(sentence.ids)) - 2)
    found = []
    for group in np.array_split(places, -(-len(places) * (len(places) + 2) // READ)):
        job.check()
        found.append(network.hidden_streams(sentence.ids, group))
    return Columns((places + 1).tolist(), _known(sentence, len(places)), np.concatenate(found, 1))


def _of_all(sentence: TypedSentence) -> Columns:
    """BERT's, nothing hidden but what was typed so."""
    streams = cast(LayeredModel, sentence.network).streams(sentence.ids)[:, 1:-1]
    size = streams.shape[1]
    return Columns(list(range(1, size + 1)), _known(sentence, size), streams)


def _known(sentence: TypedSentence, size: int) -> np.ndarray:
    return np.array([-1 if sentence.blank(n) else sentence.ids[n] for n in range(size)])


def look(sentence: TypedSentence, asked: Columns, *, job: Job) -> Lens:
    """What the output makes of the vectors of `columns`."""
    network, types = cast(LayeredModel, sentence.network), sentence.answering.types
    layers, size, width = asked.vectors.shape
    flat = np.ascontiguousarray(asked.vectors.reshape(-1, width))
    truth = np.tile(asked.truth, layers)
    found = []
    step = max(1, CELLS // len(types))
    for start in range(0, len(flat), step):
        job.check()
        here = slice(start, start + step)
        found.append(_best(network.guesses(flat[here]), truth[here]))
    ids, probs, p, rank, bits = (np.concatenate(parts) for parts in zip(*found, strict=True))
    shape = (layers, size)
    return Lens(
        asked.places, _told(sentence, asked), ids.reshape(*shape, -1), probs.reshape(*shape, -1),
        {int(number): types[number] for number in np.unique(ids)}, asked.truth.astype(np.int32),
        p.reshape(shape), rank.reshape(shape), bits.reshape(shape), sentence.notes,
    )  # fmt: skip


def _told(sentence: TypedSentence, asked: Columns) -> list[str]:
    """What stands at each place, as it stands in the text."""
    texts, last = sentence.texts, len(sentence.texts)
    ends = {0: SPECIALS[BOS], last + 1: SPECIALS[EOS]}
    return [ends[place] if place in ends else texts[place - 1] for place in asked.places]


def _best(probs: np.ndarray, truth: np.ndarray) -> tuple[np.ndarray, ...]:
    """Of p (N, V): ids and p of the best TOP, p and rank of `truth` (N,), the entropies."""
    most = min(TOP, probs.shape[1])
    ids = np.argpartition(-probs, most - 1, 1)[:, :most]
    best = np.take_along_axis(probs, ids, 1)
    order = np.lexsort((ids, -best), axis=1)  # of the same p the lower id first
    ids, best = (np.take_along_axis(part, order, 1) for part in (ids, best))
    p = probs[np.arange(len(probs)), np.maximum(truth, 0)]
    ranks = 1 + (probs > p[:, None]).sum(1)
    bits = -np.sum(probs * np.log2(probs, out=np.zeros_like(probs), where=probs > 0), 1)
    unknown = truth < 0
    return (ids.astype(np.int32), best, np.where(unknown, np.nan, p),
            np.where(unknown, 0, ranks).astype(np.int32), bits)  # fmt: skip
