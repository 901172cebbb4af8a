"""A trained network in; a vector for each word, static or averaged in its contexts, out.

Layer 0 is the look-up table. In a deeper layer a word has another vector wherever it stands: what
is kept is the mean over its places in sentences of the train part, some from all over it, and a few
more for words that are asked about and did not occur in those.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast
from weakref import WeakKeyDictionary

import numpy as np

from lmstudio.analysis.asked import Answering, Asked, answering
from lmstudio.analysis.contextual import contextual
from lmstudio.data.layout import EOS, SPECIALS, Tokens
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.models.base import NeuralModel
from lmstudio.models.word_table import word_table
from lmstudio.training.spec import RunSpec

READ = 30_000  # tokens that are read for means, in sentences from all over the train part
EACH = 20  # sentences that are read for a word that was not among them
AT_ONCE = 8192  # words between two ticks


@dataclass(frozen=True)
class WordVectors:
    """N words, each with a vector (D,) that is seen as its length and a direction."""

    words: list[str]
    ids: np.ndarray  # (N,) rising
    counts: np.ndarray  # (N,) how often they stand in the train part
    units: np.ndarray  # (N, D) float32 of length 1, zero where the vector is zero
    lengths: np.ndarray  # (N,) float32
    places: dict[str, int] = field(repr=False, default_factory=dict)  # of the words

    @classmethod
    def of(
        cls, words: Sequence[str], vectors: np.ndarray, counts: np.ndarray | None = None,
        ids: np.ndarray | None = None,
    ) -> "WordVectors":  # fmt: skip
        """Words and their vectors (N, D), taken apart into lengths and directions."""
        vectors = np.nan_to_num(np.asarray(vectors, np.float32))
        lengths = np.sqrt(np.einsum("nd,nd->n", vectors, vectors))
        units = vectors / np.where(lengths > 0, lengths, 1)[:, None]
        counts = np.zeros(len(words), np.int64) if counts is None else counts
        ids = np.arange(len(words)) if ids is None else ids
        places = {word: place for place, word in enumerate(words)}
        return cls(list(words), ids, counts, units, lengths, places)

    @property
    def defined(self) -> np.ndarray:
        """(N,) bool: the vector has a direction, so cosines with it are numbers."""
        return self.lengths > 0

    def vector(self, place: int) -> np.ndarray:
        """(D,) the vector itself."""
        return self.units[place] * self.lengths[place]

    def frequent(self, most: int) -> np.ndarray:
        """Places of the `most` most frequent words with a direction, the most frequent first."""
        order = np.argsort(-self.counts, kind="stable")
        return order[self.defined[order]][:most]


def deepest(spec: RunSpec) -> int:
    """The last layer that has vectors of words: of an FFNN there is the table only."""
    return 0 if spec.model == "ffnn" else int(getattr(spec.config, "layers", 0))


_kept: WeakKeyDictionary[Answering, dict[int, WordVectors]] = WeakKeyDictionary()


def word_vectors(
    asked: Asked, layer: int = 0, needed: Sequence[str] = (), *, job: Job
) -> WordVectors:
    """The vectors of a run's words in a layer; kept as long as its model is.

    Of a deeper layer the words that were read, and of those that are `needed` all that stand in
    the train part. AppError for a layer that the model does not have.
    """
    model = answering(asked, job=job)
    last = deepest(asked.spec)
    if not 0 <= layer <= last:
        raise AppError("{name} has layers 0 to {last}.", name=asked.name, last=last)
    kept = _kept.setdefault(model, {})
    if layer not in kept:
        kept[layer] = _averages(model, layer, job) if layer else _table(model, job)
    if layer and (missing := _missing(model, kept[layer], needed)):
        kept[layer] = _with(model, kept[layer], layer, missing, job)
    return kept[layer]


def _table(model: Answering, job: Job) -> WordVectors:
    ids = np.arange(len(SPECIALS), model.rows)
    module, found = model.model.module, []  # type: ignore[attr-defined]  # networks have one
    for start in range(0, len(ids), AT_ONCE):
        job.tick(start, len(ids), Message("Reading the table"))
        found.append(word_table(module, ids[start : start + AT_ONCE]))
    if not found:
        raise AppError("The vocabulary holds no word.")
    return _named(model, ids, np.concatenate(found))


def _named(model: Answering, ids: np.ndarray, vectors: np.ndarray) -> WordVectors:
    words = [model.types[number] for number in ids.tolist()]
    return WordVectors.of(words, vectors, model.vocabulary.counts[ids], ids)


# --- in contexts -----------------------------------------------------------------------------


def _averages(model: Answering, layer: int, job: Job) -> WordVectors:
    bounds = Tokens(model.asked.segmentation_folder).bounds("train")
    sizes = bounds[:, 1] - bounds[:, 0]
    step = max(1, int(np.ceil(sizes.sum() / READ)))
    ids, vectors = _read(model, layer, bounds[::step], job)
    return _named(model, *means(ids, vectors))


def _missing(model: Answering, found: WordVectors, needed: Sequence[str]) -> list[int]:
    known = {word: model.vocabulary.id_of(word) for word in needed if word not in found.places}
    return [number for number in known.values() if number >= len(SPECIALS)]


def _with(
    model: Answering, found: WordVectors, layer: int, missing: Sequence[int], job: Job
) -> WordVectors:
    """The same vectors and those of `missing` ids, as far as these stand in the train part."""
    tokens = Tokens(model.asked.segmentation_folder)
    bounds = tokens.bounds("train")
    chosen = [np.zeros(0, np.int64)]
    for number in missing:
        places = np.flatnonzero(tokens.ids == number)
        sentences = np.searchsorted(bounds[:, 0], places, side="right") - 1
        inside = (sentences >= 0) & (places < bounds[sentences, 1])
        chosen.append(np.unique(sentences[inside])[:EACH])
    ids, vectors = _read(model, layer, bounds[np.unique(np.concatenate(chosen))], job)
    wanted = np.isin(ids, missing)
    if not wanted.any():
        return found
    more, means_of = means(ids[wanted], vectors[wanted])
    before = found.units * found.lengths[:, None]
    every = np.concatenate([found.ids, more])
    order = np.argsort(every)
    return _named(model, every[order], np.concatenate([before, means_of])[order])


def _read(
    model: Answering, layer: int, bounds: np.ndarray, job: Job
) -> tuple[np.ndarray, np.ndarray]:
    """(T,) ids of the tokens of sentences, and (T, D) what a layer makes of them there."""
    tokens = Tokens(model.asked.segmentation_folder)
    network = cast(NeuralModel, model.model)
    sentences = [np.asarray(tokens.ids[start:end], np.int32) for start, end in bounds]
    ids, vectors = [], []
    for number, layers in contextual(network, sentences, job=job):
        shown = network.shown(sentences[number])
        words = slice(1, len(shown) - (shown[-1] == EOS))  # without marks
        ids.append(np.asarray(shown[words], np.int64))
        vectors.append(layers[layer, words].copy())
    if not ids:
        raise AppError("The train part holds no sentence with this word.")
    return np.concatenate(ids), np.concatenate(vectors)


def means(ids: np.ndarray, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The ids (T,) that are words, each once and rising, and the mean of its vectors (T, D)."""
    order = np.argsort(ids, kind="stable")
    order = order[np.searchsorted(ids[order], len(SPECIALS)) :]
    if not len(order):
        return np.zeros(0, np.int64), np.zeros((0, vectors.shape[1]), np.float32)
    found, starts, counts = np.unique(ids[order], return_index=True, return_counts=True)
    sums = np.add.reduceat(vectors[order].astype(np.float32), starts, axis=0)
    return found, sums / counts[:, None].astype(np.float32)
