"""The vectors of words -> one vector a sentence, how alike two are, and whitening.

Pooling as in Reimers & Gurevych 2019, "Sentence-BERT", section 3; whitening as in Su, Cao, Liu & Ou
2021, "Whitening sentence representations for better semantics and faster retrieval".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from lmstudio.analysis.contextual import contextual, marks, units
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import listed
from lmstudio.models.base import NeuralModel

Pooling = Literal["cls", "mean", "max", "first-last"]
POOLINGS: tuple[Pooling, ...] = ("cls", "mean", "max", "first-last")

PAIRS = 2000
"""Pairs of sentences that are compared at most, to see what is usual."""
FOR_EACH = 4
"""Sentences that whitening wants for each dimension it keeps."""

_SEED = 1
_FLAT = 1e-6  # directions whose variance is less than this share of the largest are left out


@dataclass(frozen=True)
class Whitening:
    """A map after which the sentences it was fitted to have covariance 1: (x - mean) @ matrix."""

    mean: np.ndarray  # (D,) float64
    matrix: np.ndarray  # (D, K) float64

    def apply(self, vectors: np.ndarray) -> np.ndarray:
        """(N, D) -> (N, K)."""
        return (vectors - self.mean) @ self.matrix


def check_pooling(model: str, pooling: str) -> None:
    """AppError where a family does not have a pooling."""
    if pooling not in POOLINGS:
        raise AppError("There is no pooling {name}. Choose one of {names}.",
                       name=pooling, names=listed(POOLINGS))  # fmt: skip
    if pooling == "cls" and model != "bert":
        raise AppError("Only BERT begins a sentence with [CLS]. Choose another pooling.")


def pooled(layers: np.ndarray, after: int, pooling: Pooling) -> np.ndarray:
    """(D,): the vectors (L + 1, T, D) of a sentence as one.

    `<s>` before its words and `after` marks behind them are left out, but for "cls", which is what
    the last layer makes of `<s>`. "first-last" is the mean of the first and the last layer above
    the look-up table, as in Su et al. 2021.
    """
    last = layers[-1]
    words = slice(1, layers.shape[1] - after)
    if pooling == "cls":
        return last[0]
    if pooling == "max":
        return last[words].max(0)
    if pooling == "first-last":
        return (layers[min(1, len(layers) - 1), words].mean(0) + last[words].mean(0)) / 2
    return last[words].mean(0)


def pooled_all(
    model: NeuralModel, family: str, sentences: Sequence[np.ndarray], *, job: Job
) -> dict[Pooling, np.ndarray]:
    """(N, D) float32 by each pooling the family has, of sentences of ids that are not empty."""
    names: list[Pooling] = [name for name in POOLINGS if name != "cls" or family == "bert"]
    after = marks(model) - 1
    found: dict[Pooling, list[np.ndarray]] = {n: [np.empty(0)] * len(sentences) for n in names}
    for number, layers in contextual(model, sentences, job=job):
        for name in names:
            found[name][number] = pooled(layers, after, name)
    return {name: np.stack(rows) for name, rows in found.items()}


def cosines(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """(N, M) float32: of vectors (N, D) and (M, D), -1 to 1; 0 where one is zero."""
    found = units(one.astype(np.float64)) @ units(other.astype(np.float64)).T
    return np.clip(found, -1, 1).astype(np.float32)


def random_cosines(vectors: np.ndarray) -> np.ndarray:
    """(P,) float32, rising: of pairs drawn out of vectors (M, D), none of a vector with itself."""
    count = len(vectors)
    if count < 2:
        return np.empty(0, np.float32)
    every = count * (count - 1) // 2
    if every <= PAIRS:
        first, second = np.triu_indices(count, 1)
    else:
        generator = np.random.default_rng(_SEED)
        first = generator.integers(count, size=PAIRS)
        second = (first + generator.integers(1, count, size=PAIRS)) % count
    points = units(vectors.astype(np.float64))
    return np.sort((points[first] * points[second]).sum(1)).astype(np.float32)


def fit_whitening(vectors: np.ndarray) -> Whitening:
    """The whitening of vectors (M, D): the directions of most variance, M / FOR_EACH at most.

    AppError where the sentences are too few or all alike.
    """
    points = np.asarray(vectors, np.float64)
    mean = points.mean(0)
    variances, directions = np.linalg.eigh(np.cov(points.T, bias=True))
    order = np.argsort(-variances)[: len(points) // FOR_EACH]
    order = order[variances[order] > _FLAT * max(float(variances.max()), 0)]
    if not len(order):
        raise AppError("Whitening needs sentences that differ. Let more of the corpus be drawn.")
    return Whitening(mean, directions[:, order] / np.sqrt(variances[order]))
