"""Points into groups: k-means, how well the groups stand apart, and whether two groupings agree.

k-means by Lloyd 1982 ("Least squares quantization in PCM") from the seeds of k-means++ (Arthur &
Vassilvitskii 2007); silhouettes by Rousseeuw 1987; the adjusted Rand index by Hubert & Arabie
1985. The same points give the same groups on every computer.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from lmstudio.jobs import Job

FEWEST, MOST = 2, 6
"""Numbers of groups among which a silhouette chooses."""

_RESTARTS = 10
_STEPS = 100  # of Lloyd's at most
_ROWS = 512  # points whose distances to all others are held at once
_SAME = 1e-12  # squared distances below this share of the longest square are rounding


@dataclass(frozen=True)
class Grouping:
    """N points in G groups, the largest first."""

    labels: np.ndarray  # (N,) int64: 0 to G - 1
    centres: np.ndarray  # (G, D) float64
    inertia: float  # the squared distances of the points to their centres, summed

    @property
    def groups(self) -> int:
        """G: fewer than were asked for where there are not so many different points."""
        return len(self.centres)


def kmeans(points: np.ndarray, groups: int, *, seed: int = 1, job: Job) -> Grouping:
    """The best of ten groupings of points (N, D); at most `groups`, as many as differ."""
    points = np.asarray(points, np.float64)
    generator = np.random.default_rng(seed)
    best = None
    for _ in range(_RESTARTS):
        job.check()
        labels, centres, inertia = _lloyd(points, _seeds(points, groups, generator))
        if best is None or inertia < best[2] * (1 - 1e-9):
            best = labels, centres, inertia
    assert best is not None
    return _in_order(points, best[0], best[2])


def silhouettes(points: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """(N,) float64, -1 to 1: how much nearer each of the points (N, D) is to its own group.

    (b - a) / max(a, b), with a the mean distance to the others of its group and b that to the
    nearest other group; 0 for a point alone in its group. All NaN where there is one group only.
    """
    points = np.asarray(points, np.float64)
    _, labels = np.unique(labels, return_inverse=True)
    sizes = np.bincount(labels)
    if len(sizes) < 2:
        return np.full(len(points), np.nan)
    member = np.eye(len(sizes))[labels]  # (N, G)
    found = np.empty(len(points))
    for start in range(0, len(points), _ROWS):
        own = labels[start : start + _ROWS]
        row = np.arange(len(own))
        sums = np.sqrt(_squares(points[start : start + _ROWS], points)) @ member  # (R, G)
        a = sums[row, own] / np.maximum(sizes[own] - 1, 1)
        means = sums / sizes
        means[row, own] = np.inf
        b = means.min(1)
        widest = np.maximum(a, b)
        shares = np.divide(b - a, widest, out=np.zeros_like(a), where=widest > 0)
        found[start : start + _ROWS] = np.where(sizes[own] > 1, shares, 0)
    return found


def silhouette(points: np.ndarray, labels: np.ndarray) -> float:
    """The mean of `silhouettes`; NaN where there is one group only."""
    return float(silhouettes(points, labels).mean()) if len(points) else float("nan")


def best_grouping(
    points: np.ndarray, choices: Iterable[int] = range(FEWEST, MOST + 1), *, job: Job
) -> tuple[Grouping, dict[int, float]]:
    """The grouping of points (N, D) with the highest silhouette, and that of each number of groups.

    All points in one group, and no silhouettes, where there are fewer than two different ones.
    """
    tried: dict[int, tuple[float, Grouping]] = {}
    for groups in choices:
        grouping = kmeans(points, groups, job=job)
        if grouping.groups == groups < len(points):
            tried[groups] = silhouette(points, grouping.labels), grouping
    if not tried:
        return kmeans(points, 1, job=job), {}
    best = max(tried, key=lambda groups: (tried[groups][0], -groups))
    return tried[best][1], {groups: value for groups, (value, _) in tried.items()}


def adjusted_rand(first: np.ndarray, second: np.ndarray) -> float:
    """How far two groupings (N,) agree: 1 if they are the same, about 0 by chance.

    NaN where there is nothing to agree about: fewer than two points.
    """
    if len(first) < 2:
        return float("nan")
    _, rows = np.unique(first, return_inverse=True)
    _, columns = np.unique(second, return_inverse=True)
    table = np.zeros((rows.max() + 1, columns.max() + 1), np.int64)
    np.add.at(table, (rows, columns), 1)
    both, one, other = (_pairs(counts) for counts in (table, table.sum(1), table.sum(0)))
    expected = one * other / _pairs(np.array([len(first)]))
    most = (one + other) / 2
    return 1.0 if most == expected else float((both - expected) / (most - expected))


def _pairs(counts: np.ndarray) -> float:
    """How many pairs can be drawn out of heaps."""
    return float((counts * (counts - 1) // 2).sum())


def _squares(points: np.ndarray, others: np.ndarray) -> np.ndarray:
    """(N, M): squared distances; exactly 0 between points that are the same but for rounding."""
    own, their = (np.einsum("nd,nd->n", each, each) for each in (points, others))
    squares = own[:, None] + their - 2 * points @ others.T
    least = _SAME * max(own.max(initial=0.0), their.max(initial=0.0))
    return np.where(squares < least, 0.0, squares)


def _seeds(points: np.ndarray, groups: int, generator: np.random.Generator) -> np.ndarray:
    """(G, D): centres to begin with, each drawn by the square of its distance to those before."""
    chosen = [int(generator.integers(len(points)))]
    nearest = _squares(points, points[chosen])[:, 0]
    while len(chosen) < groups and nearest.any():
        sums = np.cumsum(nearest)
        drawn = int(np.searchsorted(sums, generator.random() * sums[-1], side="right"))
        chosen.append(min(drawn, int(np.flatnonzero(nearest)[-1])))
        nearest = np.minimum(nearest, _squares(points, points[chosen[-1:]])[:, 0])
    return points[chosen]


def _lloyd(points: np.ndarray, centres: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Move centres to the middle of their points until no point changes its group."""
    labels = np.full(len(points), -1)
    for _ in range(_STEPS):
        squares = _squares(points, centres)
        moved = squares.argmin(1)
        own = squares[np.arange(len(points)), moved]
        sizes = np.bincount(moved, minlength=len(centres))
        for empty in np.flatnonzero(sizes == 0):
            farthest = int(own.argmax())  # a group nobody chose begins with who is worst off
            moved[farthest], own[farthest] = empty, 0.0
        if (moved == labels).all():
            break
        labels = moved
        centres = _middles(points, labels, len(centres))
    return labels, centres, float(own.sum())


def _middles(points: np.ndarray, labels: np.ndarray, groups: int) -> np.ndarray:
    member = np.eye(groups)[labels]  # (N, G)
    return (member.T @ points) / np.maximum(member.sum(0), 1)[:, None]


def _in_order(points: np.ndarray, labels: np.ndarray, inertia: float) -> Grouping:
    """Groups by falling size, then by their first point."""
    names, first, sizes = np.unique(labels, return_index=True, return_counts=True)
    order = np.lexsort((first, -sizes))
    number = np.empty(len(names), np.int64)
    number[order] = np.arange(len(names))
    renamed = number[np.searchsorted(names, labels)]
    return Grouping(renamed, _middles(points, renamed, len(names)), inertia)
