"""A sentence and a network in; how much each layer turns the vectors of the tokens, out.

The cosine between what a layer reads of a token and what it hands on: 1 where it only made it
longer. In many networks all vectors of a layer point into nearly the same direction (Ethayarajh
2019, "How contextual are contextualized word representations?"), so the mean cosine of different
tokens of the same layer stands beside it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import numpy as np

from lmstudio.analysis.asked import Asked
from lmstudio.analysis.typed_sentence import typed_sentence
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.models.base import LayeredModel
from lmstudio.models.capabilities import reason


@dataclass(frozen=True)
class LayerSimilarity:
    """Of L layers and T tokens, marks included. NaN where a vector has no direction."""

    tokens: list[str]
    cosines: np.ndarray  # (L, T) float64: between what a layer reads and what it hands on
    apart: np.ndarray  # (L + 1,) float64: mean cosine of different tokens, layer 0 first
    notes: tuple[Message, ...] = ()  # what a reader must know of it

    @property
    def means(self) -> np.ndarray:
        """(L,) float64: over the tokens that have a cosine."""
        known = np.isfinite(self.cosines)
        sums = np.where(known, self.cosines, 0).sum(1)
        return np.where(known.any(1), sums / np.maximum(known.sum(1), 1), np.nan)

    def rows(self) -> Iterator[tuple[int, int, str, float]]:
        """(layer from 1, place from 0, token, cosine)."""
        for (layer, place), cosine in np.ndenumerate(self.cosines):
            yield layer + 1, place, self.tokens[place], float(cosine)


def layer_similarity(asked: Asked, text: str, *, job: Job) -> LayerSimilarity:
    """Of a text, read as one sentence. AppError if it is empty, or for a model without layers."""
    if why := reason(asked.spec.model, "context", asked.spec.config):
        raise AppError("{name} cannot answer this: {reason}.", name=asked.name, reason=why)
    sentence = typed_sentence(asked, text, job=job)
    streams = cast(LayeredModel, sentence.network).streams(sentence.ids).astype(np.float64)
    job.check()
    return LayerSimilarity(sentence.shown(), adjacent(streams), among(streams), sentence.notes)


def adjacent(streams: np.ndarray) -> np.ndarray:
    """(L, T): the cosines of (L + 1, T, D) with the next layer's."""
    units = _units(streams)
    found: np.ndarray = (units[:-1] * units[1:]).sum(2)
    return found


def among(streams: np.ndarray) -> np.ndarray:
    """(L + 1,): the mean cosine of all pairs of different tokens in a layer of (L + 1, T, D)."""
    found = []
    for units in _units(streams):
        units = units[np.isfinite(units).all(1)]
        pairs = len(units) * (len(units) - 1)
        total = units.sum(0)
        found.append((total @ total - len(units)) / pairs if pairs else np.nan)
    return np.array(found)


def _units(vectors: np.ndarray) -> np.ndarray:
    """Of length 1; NaN where the length is 0."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, lengths, out=np.full_like(vectors, np.nan), where=lengths > 0)
