"""Losses: points in any order of arrival, every measure."""

import math

import pytest

from lmstudio.data.layout import PartCounts
from lmstudio.gui.panels.compare.losses import Losses

COUNTS = PartCounts(tokens=8, sentences=2, characters=20, spelling_bits=5.0)


def test_points_come_one_by_one():
    losses = Losses()
    for step in (10, 20, 30):
        losses.add(step, step / 10, 5 - step / 10)
    assert (losses.steps, losses.seconds, losses.values) == ([10, 20, 30], [1, 2, 3], [4, 3, 2])
    assert losses.last_finite() == 2


def test_a_run_that_goes_on_from_a_checkpoint_drops_what_came_after_it():
    losses = Losses([10, 20, 30], [1, 2, 3], [4, 3, 2])
    losses.add(20, 2.5, 3.5)
    assert (losses.steps, losses.values) == ([10, 20], [4, 3.5])


def test_measures():
    losses = Losses([10], [1.0], [math.log(8)])
    x, bits = losses.curve("bits_per_character", "tokens", COUNTS, 64)
    assert (x[0], bits[0]) == (640, pytest.approx((3 * 10 + 5) / 20))
    x, perplexity = losses.curve("perplexity", "seconds", COUNTS, 64)
    assert (x[0], perplexity[0]) == (1, pytest.approx(8))


def test_nan_and_infinity_stay_what_they_are():
    losses = Losses([1, 2, 3], [1, 2, 3], [2.0, math.nan, math.inf])
    _, bits = losses.curve("bits_per_character", "step", COUNTS, 1)
    assert math.isfinite(bits[0])
    assert math.isnan(bits[1])
    assert math.isinf(bits[2])
    assert losses.last_finite() == 2.0
