"""Groups of points, against values worked out point by point."""

from itertools import combinations, product

import numpy as np
import pytest

from lmstudio.analysis.clusters import adjusted_rand, best_grouping, kmeans, silhouette, silhouettes
from lmstudio.jobs import Job


def heaps(sizes=(30, 20, 10), width=5, seed=0):
    """Well separated points, and the heap of each."""
    generator = np.random.default_rng(seed)
    centres = np.eye(len(sizes), width) * 12
    of = np.repeat(np.arange(len(sizes)), sizes)
    order = generator.permutation(len(of))
    return (centres[of] + generator.normal(size=(len(of), width)))[order], of[order]


def by_hand(points, labels):
    """Silhouettes as their definition says, one distance after the other."""
    found = []
    for i, own in enumerate(labels):
        far = {g: [np.linalg.norm(points[i] - points[j]) for j in np.flatnonzero(labels == g)
                   if j != i] for g in set(labels.tolist())}  # fmt: skip
        if not far[own]:
            found.append(0.0)
            continue
        a = np.mean(far[own])
        b = min(np.mean(each) for group, each in far.items() if group != own)
        found.append((b - a) / max(a, b))
    return np.array(found)


def test_groups_are_the_heaps_largest_first():
    points, of = heaps()
    found = kmeans(points, 3, job=Job())
    assert found.groups == 3
    assert adjusted_rand(found.labels, of) == 1
    assert np.bincount(found.labels).tolist() == [30, 20, 10]
    middles = np.stack([points[found.labels == g].mean(0) for g in range(3)])
    assert found.centres == pytest.approx(middles)
    assert found.inertia == pytest.approx(((points - middles[found.labels]) ** 2).sum())


def test_no_other_two_groups_of_few_points_have_less_inertia():
    points = np.random.default_rng(3).normal(size=(9, 2))

    def inertia(labels):
        groups = [points[np.array(labels) == g] for g in (0, 1)]
        return sum(((g - g.mean(0)) ** 2).sum() for g in groups if len(g))

    least = min(inertia(labels) for labels in product((0, 1), repeat=9))
    assert kmeans(points, 2, job=Job()).inertia == pytest.approx(least)


def test_the_same_points_give_the_same_groups():
    points = np.random.default_rng(1).normal(size=(80, 8)).astype(np.float32)
    one, other = (kmeans(points, 4, job=Job()).labels for _ in range(2))
    assert (one == other).all()


def test_silhouettes_are_those_of_their_definition():
    generator = np.random.default_rng(2)
    points = generator.normal(size=(600, 3))  # more than are compared at once
    labels = generator.integers(0, 4, 600)
    labels[:1] = 9  # a point alone
    assert silhouettes(points, labels) == pytest.approx(by_hand(points, labels), abs=1e-9)
    assert silhouette(points, labels) == pytest.approx(by_hand(points, labels).mean(), abs=1e-9)


def test_silhouette_of_four_points_by_hand():
    points = np.array([[0.0], [1.0], [10.0], [11.0]])
    # a = 1 everywhere; b = 10.5 for the outer ones, 9.5 for the inner
    values = [9.5 / 10.5, 8.5 / 9.5, 8.5 / 9.5, 9.5 / 10.5]
    assert silhouettes(points, np.array([0, 0, 1, 1])) == pytest.approx(values)


def test_points_that_are_all_the_same_are_one_group():
    points = np.repeat(np.random.default_rng(4).normal(size=(1, 64)).astype(np.float32), 20, 0)
    assert kmeans(points, 3, job=Job()).groups == 1
    found, tried = best_grouping(points, job=Job())
    assert found.groups == 1
    assert tried == {}
    assert np.isnan(silhouette(points, found.labels))
    assert silhouette(points, np.arange(20) % 2) == 0  # no distance is larger than another


def test_the_number_of_groups_is_that_of_the_highest_silhouette():
    points, of = heaps((12, 9, 8, 7))
    found, tried = best_grouping(points, job=Job())
    assert found.groups == 4 == max(tried, key=tried.get)
    assert sorted(tried) == [2, 3, 4, 5, 6]
    assert adjusted_rand(found.labels, of) == 1


@pytest.mark.parametrize("size", [1, 2, 3])
def test_few_points_have_as_many_groups_as_they_can(size):
    points = np.arange(size, dtype=float)[:, None]
    found, tried = best_grouping(points, job=Job())
    assert len(found.labels) == size
    assert set(tried) == ({2} if size == 3 else set())


def rand_by_pairs(first, second):
    """The index over all pairs, one after the other."""
    pairs = list(combinations(range(len(first)), 2))
    together = [(first[i] == first[j], second[i] == second[j]) for i, j in pairs]
    both, one, other = (sum(map(test, together)) for test in (all, lambda p: p[0], lambda p: p[1]))
    expected = one * other / len(pairs)
    return (both - expected) / ((one + other) / 2 - expected)


def test_adjusted_rand_is_that_of_all_pairs():
    generator = np.random.default_rng(5)
    for _ in range(5):
        one, other = generator.integers(0, 3, 25), generator.integers(0, 4, 25)
        assert adjusted_rand(one, other) == pytest.approx(rand_by_pairs(one, other))


def test_adjusted_rand_of_a_published_example():
    # Hubert & Arabie's index of this pair is 0.5714..: 4/7
    assert adjusted_rand(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 2])) == pytest.approx(4 / 7)
    assert adjusted_rand(np.array([0, 0, 1, 1]), np.array([5, 5, 3, 3])) == 1
    assert adjusted_rand(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])) == pytest.approx(-0.5)
    assert np.isnan(adjusted_rand(np.array([0]), np.array([0])))
