"""t-SNE: the gradient of the formula, maps of any number of points, groups that stay together."""

import numpy as np
import pytest

from lmstudio.analysis.pca import pca
from lmstudio.analysis.tsne import (
    _Descent,
    affinities,
    divergence,
    tsne,
    used_perplexity,
)
from lmstudio.errors import Cancelled
from lmstudio.jobs import Job

RNG = np.random.default_rng(1)


def points(count, width=5):
    return np.random.default_rng(count).normal(size=(count, width)).astype(np.float32)


def test_every_row_has_the_perplexity_asked_for():
    x = points(80).astype(np.float64)
    distances = ((x[:, None] - x) ** 2).sum(-1)
    both = affinities(x, 12.0, job=Job()).astype(np.float64)
    conditional = np.zeros_like(distances)
    for row in range(len(x)):
        others = np.arange(len(x)) != row
        low, high = 1e-3, 1e2
        for _ in range(200):
            beta = np.sqrt(low * high)
            p = np.exp(-beta * distances[row, others])
            p /= p.sum()
            entropy = -(p * np.log(np.maximum(p, 1e-300))).sum()
            low, high = (beta, high) if entropy > np.log(12) else (low, beta)
        conditional[row, others] = p
    np.testing.assert_allclose(both, (conditional + conditional.T) / (2 * len(x)), atol=1e-6)
    assert both.sum() == pytest.approx(1)
    assert not both.diagonal().any()


def test_the_gradient_is_that_of_the_divergence():
    near = affinities(points(70), 10.0, job=Job())
    places = RNG.normal(size=(70, 2)).astype(np.float32)
    slope = 4 * _Descent(near, places).gradient(1.0)
    for point, axis in ((0, 0), (13, 1), (69, 0)):
        there, step = [places.astype(np.float64) for _ in range(2)], 1e-4
        there[0][point, axis] += step
        there[1][point, axis] -= step
        numeric = (divergence(near, there[0]) - divergence(near, there[1])) / (2 * step)
        assert slope[point, axis] == pytest.approx(numeric, abs=2e-5)


@pytest.mark.parametrize(("count", "perplexity"), [
    (1, 1), (2, 1), (3, 1), (5, 4 / 3), (29, 28 / 3), (31, 10), (100, 30),
])  # fmt: skip
def test_case_g1_any_number_of_points_has_a_map(count, perplexity):
    found = tsne(points(count), 30, exaggerated=20, afterwards=20, job=Job())
    assert found.perplexity == used_perplexity(30, count) == pytest.approx(perplexity)
    assert found.perplexity < max(count, 2)
    assert found.places.shape == (count, 2)
    assert np.isfinite(found.places).all()
    assert np.isfinite(found.divergence)


@pytest.mark.parametrize("vectors", [
    np.zeros((40, 6)), np.ones((40, 6)), np.repeat(points(4), 10, axis=0),
    np.vstack([points(20), np.zeros((20, 5))]), points(30) * 1e6, points(30) * 1e-9,
    np.ones((3, 1)),
], ids=["zeros", "one", "four", "half zeros", "long", "short", "flat"])  # fmt: skip
def test_case_g1_identical_and_zero_vectors_are_safe(vectors):
    found = tsne(vectors, 30, exaggerated=30, afterwards=30, job=Job())
    assert np.isfinite(found.places).all()
    assert np.isfinite(found.divergence)


def test_groups_stay_together():
    centres = RNG.normal(size=(4, 20)) * 8
    x = np.concatenate([centre + RNG.normal(size=(30, 20)) for centre in centres])
    label = np.repeat(np.arange(4), 30)
    found = tsne(x, 15, job=Job())
    distances = ((found.places[:, None] - found.places) ** 2).sum(-1)
    np.fill_diagonal(distances, np.inf)
    assert (label[distances.argmin(1)] == label).all()
    assert found.divergence < 0.5


def test_the_same_vectors_give_the_same_map_and_show_it_growing():
    job = Job()
    first = tsne(points(40), 10, exaggerated=10, afterwards=10, job=job)
    second = tsne(points(40), 10, exaggerated=10, afterwards=10, job=Job())
    np.testing.assert_array_equal(first.places, second.places)
    assert job.partial.shape == (40, 2)
    assert (job.done, job.total) == (20, 20)


def test_it_can_be_stopped_at_any_iteration():
    class Stops(Job):
        def tick(self, done, *args, **point):
            if done == 7:
                self.cancel()
            super().tick(done, *args, **point)

    with pytest.raises(Cancelled):
        tsne(points(40), 10, job=Stops())


def test_pca_is_the_plane_of_the_largest_variance():
    x = RNG.normal(size=(50, 6)) * [5, 1, 3, 0.1, 0.1, 0.1]
    found = pca(x)
    centred = x - x.mean(axis=0)
    _, lengths, axes = np.linalg.svd(centred, full_matrices=False)
    np.testing.assert_allclose(np.abs(found.axes.T), np.abs(axes[:2]), atol=1e-4)
    np.testing.assert_allclose(found.shares, lengths[:2] ** 2 / (lengths**2).sum(), atol=1e-5)
    np.testing.assert_allclose(found.places, centred @ found.axes, atol=1e-3)
    np.testing.assert_allclose(found.place(x[:3]), found.places[:3], atol=1e-3)


@pytest.mark.parametrize("vectors", [np.ones((5, 3)), np.ones((1, 3)), np.arange(4.0)[:, None]])
def test_pca_of_too_little_is_flat(vectors):
    found = pca(vectors)
    assert np.isfinite(found.places).all()
    assert found.shares[1] == 0
