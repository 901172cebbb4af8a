"""The paired bootstrap gives what a plain loop and an exhaustive count give."""

from itertools import product

import numpy as np
import pytest

from lmstudio.analysis.bootstrap import draws, paired_intervals
from lmstudio.jobs import Job

BITS = np.array([[10.0, 4.0, 7.0, 9.0], [9.0, 5.0, 4.0, 8.0], [12.0, 4.0, 9.0, 9.5]])
LENGTHS = np.array([3, 1, 2, 4])


def brute_force(base, other, samples, seed):
    """Sentence by sentence, with nothing but a random generator."""
    generator = np.random.default_rng(seed)
    found = []
    for _ in range(samples):
        drawn = generator.integers(4, size=4).tolist()
        bits = sum(BITS[other][i] - BITS[base][i] for i in drawn)
        found.append(bits / sum(int(LENGTHS[i]) for i in drawn))
    return sorted(found)


def quantile(values, share):
    """Between the two nearest of sorted values."""
    place = share * (len(values) - 1)
    low = int(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (place - low) * (values[high] - values[low])


@pytest.mark.parametrize("base", [0, 2])
def test_it_is_what_a_plain_loop_finds(base):
    found = paired_intervals(BITS, LENGTHS, base, samples=400, seed=7, job=Job())
    for other in range(3):
        values = brute_force(base, other, 400, 7)
        interval = found[other]
        assert interval.low == pytest.approx(quantile(values, 0.025), abs=1e-12)
        assert interval.high == pytest.approx(quantile(values, 0.975), abs=1e-12)
        assert interval.better == pytest.approx(sum(v < 0 for v in values) / 400)
        assert interval.error == pytest.approx(np.std(values), abs=1e-12)
        expected = (BITS[other].sum() - BITS[base].sum()) / LENGTHS.sum()
        assert interval.difference == pytest.approx(expected)


def test_many_draws_come_near_all_that_there_are():
    """4 units have 256 draws, all equally likely: the exact distribution of the bootstrap."""
    apart = BITS[1] - BITS[0]
    exact = [sum(apart[i] for i in drawn) / sum(LENGTHS[i] for i in drawn)
             for drawn in product(range(4), repeat=4)]  # fmt: skip
    (_, found) = paired_intervals(BITS[:2], LENGTHS, samples=20_000, seed=1, job=Job())
    assert found.error == pytest.approx(np.std(exact), rel=0.02)
    assert found.better == pytest.approx(np.mean(np.array(exact) < 0), abs=0.01)


def test_a_run_does_not_differ_from_itself():
    found = paired_intervals(BITS, LENGTHS, samples=50, job=Job())[0]
    assert (found.difference, found.low, found.high, found.better) == (0, 0, 0, 0)


def test_the_same_seed_gives_the_same_draws():
    first, second = ([w.tolist() for w in draws(5, 3, 4)] for _ in range(2))
    assert first == second
    assert all(sum(weights) == 5 for weights in first)


def test_an_impossible_sentence_leaves_no_interval():
    bits = BITS.copy()
    bits[1, 2] = np.inf
    one, two, three = paired_intervals(bits, LENGTHS, samples=30, job=Job())
    assert two.difference == np.inf
    assert np.isnan(two.low)
    assert np.isfinite(three.low)
    assert one.difference == 0


def test_one_unit_has_no_interval():
    found = paired_intervals(BITS[:, :1], LENGTHS[:1], samples=10, job=Job())[1]
    assert found.difference == pytest.approx(-1 / 3)
    assert np.isnan(found.low)
