"""Correlations of known figures, and how sure they are."""

import math

import numpy as np
import pytest
from scipy import stats

from lmstudio.analysis.tasks.relations import correlations, pearson
from lmstudio.jobs import Job

# Anscombe 1973, the first of his four sets: r = 0.816
X = (10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5)
Y = (8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68)


def test_known_values():
    r, rho = correlations(X, Y, job=Job())
    assert r.value == pytest.approx(0.81642, abs=1e-5)
    assert rho.value == pytest.approx(0.81818, abs=1e-5)
    assert r.low < r.value < r.high <= 1
    assert rho.low < rho.value < rho.high <= 1


def test_it_equals_scipy():
    draw = np.random.default_rng(3)
    x = draw.normal(size=40)
    y = (x + draw.normal(size=40)).round(1)  # with ties
    r, rho = correlations(x, y, job=Job())
    assert r.value == pytest.approx(stats.pearsonr(x, y).statistic)
    assert rho.value == pytest.approx(stats.spearmanr(x, y).statistic)
    peer = stats.bootstrap((x, y), lambda a, b: pearson(a, b), paired=True, vectorized=False,
                           method="percentile", n_resamples=2000, rng=5)  # fmt: skip
    found = peer.confidence_interval
    assert (r.low, r.high) == pytest.approx((found.low, found.high), abs=0.05)


def test_the_same_seed_draws_the_same():
    assert correlations(X, Y, job=Job()) == correlations(X, Y, job=Job())
    assert correlations(X, Y, seed=2, job=Job()) != correlations(X, Y, job=Job())


@pytest.mark.parametrize(
    ("x", "y"), [((), ()), ((1,), (2,)), ((1, 2, 3, 4), (5, 5, 5, 5))], ids=["none", "one", "flat"]
)
def test_there_is_none(x, y):
    for one in correlations(x, y, job=Job()):
        assert all(map(math.isnan, (one.value, one.low, one.high)))


def test_of_few_pairs_there_is_no_interval():
    r, _ = correlations((1, 2, 3), (3, 2, 1), job=Job())
    assert r.value == -1
    assert math.isnan(r.low)
