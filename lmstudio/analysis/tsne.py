"""Vectors in; places on a map, near where the vectors are alike, out: exact t-SNE.

Van der Maaten & Hinton 2008, "Visualizing data using t-SNE", with gains and momentum as in their
code. Begun from PCA, scaled to 0.0001, with an exaggeration of 12 and a learning rate of n / 12
(Kobak & Berens 2019, "The art of using t-SNE for single-cell transcriptomics"; Belkina et al.
2019). Nothing is drawn by lot: the same vectors give the same map.

Exact: all pairs are looked at, in numbers of 32 bits, some rows at a time so that they stay in the
processor's cache. n points take 4 n^2 bytes. Identical vectors get the same place.
"""

from dataclasses import dataclass

import numpy as np

from lmstudio.analysis.pca import pca
from lmstudio.jobs import Job
from lmstudio.messages import Message

EXAGGERATED, AFTERWARDS = 250, 500  # iterations
EXAGGERATION = 12.0
LEAST_RATE = 200.0
SPREAD = 1e-4  # standard deviation of the first axis at the beginning
ROWS = 64  # of a matrix that are worked on together
BISECTIONS = 60
SHOWN_EVERY = 5  # iterations between two looks at the map


@dataclass(frozen=True)
class TsneMap:
    """n places and how they came about."""

    places: np.ndarray  # (n, 2) float32
    perplexity: float  # the one used
    divergence: float  # Kullback-Leibler, in nats: how much of the neighbourhoods is lost


def used_perplexity(wanted: float, points: int) -> float:
    """The perplexity for so many points: a third of the others at most, and 1 at least."""
    return max(min(wanted, (points - 1) / 3), 1.0)


def tsne(
    vectors: np.ndarray, perplexity: float = 30.0, *,
    exaggerated: int = EXAGGERATED, afterwards: int = AFTERWARDS, job: Job,
) -> TsneMap:  # fmt: skip
    """The map of `vectors` (n, D), n >= 1, by their Euclidean distances.

    Shows the places (n, 2) to whoever watches the job while they move.
    """
    count = len(vectors)
    perplexity = used_perplexity(perplexity, count)
    near = affinities(vectors, perplexity, job=job)
    descent = _Descent(near, _start(vectors))
    total = exaggerated + afterwards
    for number in range(total):
        early = number < exaggerated
        descent.step(EXAGGERATION if early else 1.0, 0.5 if early else 0.8)
        if number % SHOWN_EVERY == 0:
            job.show(descent.places.copy())
        job.tick(number + 1, total, Message("t-SNE, iteration {number} of {total}",
                                            {"number": number + 1, "total": total}))  # fmt: skip
    return TsneMap(descent.places, perplexity, divergence(near, descent.places))


def affinities(vectors: np.ndarray, perplexity: float, *, job: Job) -> np.ndarray:
    """(n, n) float32, symmetric, sums to 1: how much two vectors are neighbours.

    Each row is a Gaussian over the distances whose width gives it that perplexity.
    """
    x = np.ascontiguousarray(vectors, np.float32)
    x = x - x.mean(axis=0)
    squares = np.einsum("nd,nd->n", x, x)
    near = np.empty((len(x), len(x)), np.float32)
    for start in range(0, len(x), ROWS):
        job.check()
        rows = slice(start, min(start + ROWS, len(x)))
        distances = squares[rows, None] + squares - 2 * (x[rows] @ x.T)
        near[rows] = _conditional(np.maximum(distances, 0), start, np.log(perplexity))
    near += near.T.copy()
    return near / max(float(near.sum(dtype=np.float64)), 1e-12)


def _conditional(distances: np.ndarray, first: int, entropy: float) -> np.ndarray:
    """(b, n): p of each neighbour given the points from `first` on; by bisection of the width."""
    here = np.arange(len(distances))
    distances[here, first + here] = np.inf  # nobody is a neighbour of itself
    if distances.shape[1] == 1:
        return np.zeros_like(distances)
    distances -= distances.min(axis=1, keepdims=True)  # the nearest then never vanishes
    low, high = np.zeros(len(distances)), np.full(len(distances), np.inf)
    with np.errstate(divide="ignore"):
        beta = np.nan_to_num(1 / _finite(distances).mean(axis=1), posinf=1.0)
    for _ in range(BISECTIONS):
        weights = np.exp(-distances * beta[:, None].astype(np.float32))
        total = weights.sum(axis=1)
        found = np.log(total) + beta * (_finite(distances) * weights).sum(axis=1) / total
        if (np.abs(found - entropy) < 1e-5).all():
            break
        wide = found > entropy
        low, high = np.where(wide, beta, low), np.where(wide, high, beta)
        beta = np.where(np.isinf(high), np.minimum(beta * 2, 1e30), (low + high) / 2)
    return weights / weights.sum(axis=1, keepdims=True)


def _finite(distances: np.ndarray) -> np.ndarray:
    return np.where(np.isinf(distances), 0, distances)


def _start(vectors: np.ndarray) -> np.ndarray:
    """(n, 2): the first two axes of PCA, tiny."""
    places = pca(vectors).places
    spread = float(places[:, 0].std())
    return (places * (SPREAD / spread) if spread > 0 else places).astype(np.float32)


class _Descent:
    """The places on their way down the gradient."""

    def __init__(self, near: np.ndarray, places: np.ndarray) -> None:
        self.near, self.places = near, places
        self._rate = max(len(places) / EXAGGERATION, LEAST_RATE)
        self._pace = np.zeros_like(places)
        self._gains = np.ones_like(places)
        self._rows = np.empty((2, ROWS, len(places)), np.float32)  # written over again and again

    def step(self, exaggeration: float, momentum: float) -> None:
        """One iteration."""
        slope = self.gradient(exaggeration)
        turned = np.sign(slope) != np.sign(self._pace)
        self._gains = np.maximum(np.where(turned, self._gains + 0.2, self._gains * 0.8), 0.01)
        self._pace = momentum * self._pace - self._rate * self._gains * slope
        self.places = self.places + self._pace
        self.places -= self.places.mean(axis=0)

    def gradient(self, exaggeration: float) -> np.ndarray:
        """(n, 2): a quarter of the slope of the divergence, as in most programs.

        sum over j of (e p_ij - q_ij) w_ij (y_i - y_j), w_ij = 1 / (1 + |y_i - y_j|^2), q = w / sum
        """
        y = self.places
        ones, squares = np.ones((len(y), 1), np.float32), (y * y).sum(axis=1, keepdims=True)
        left, right = np.hstack([-2 * y, squares + 1, ones]), np.hstack([y, ones, squares]).T
        along = np.hstack([y, ones])
        pull, push = np.empty_like(along), np.empty_like(along)
        total = 0.0
        for start in range(0, len(y), ROWS):
            rows = slice(start, min(start + ROWS, len(y)))
            w, pw = self._rows[:, : rows.stop - start]
            np.matmul(left[rows], right, out=w)  # 1 + distance
            np.reciprocal(np.maximum(w, 1, out=w), out=w)
            w[np.arange(len(w)), np.arange(start, rows.stop)] = 0
            total += float(w.sum())
            np.matmul(np.multiply(self.near[rows], w, out=pw), along, out=pull[rows])
            np.matmul(np.multiply(w, w, out=w), along, out=push[rows])
        pull, push = (side[:, 2:] * y - side[:, :2] for side in (pull, push))
        return exaggeration * pull - push / np.float32(max(total, 1e-12))


def divergence(near: np.ndarray, places: np.ndarray) -> float:
    """sum p ln (p / q), in nats; 0 where there is one point."""
    y = places.astype(np.float64)
    total, entropy, cross = 0.0, 0.0, 0.0
    for start in range(0, len(y), ROWS):
        rows = slice(start, start + ROWS)
        distances = ((y[rows, None] - y) ** 2).sum(axis=2)
        p = near[rows].astype(np.float64)
        total += float((1 / (1 + distances)).sum()) - len(distances)  # not of itself
        seen = p > 0
        entropy += float((p[seen] * np.log(p[seen])).sum())
        cross += float((p * np.log1p(distances)).sum())
    return entropy + cross + np.log(total) if total > 0 else 0.0
