"""The arithmetic of plots."""

import math

import numpy as np
import pytest

from lmstudio import figures
from lmstudio.gui import scales


def test_what_cannot_be_shown_is_a_gap():
    y = np.array([5, np.nan, 3, np.inf, 2])
    assert np.isfinite(scales.positions(y, log=False)).tolist() == [True, False, True, False, True]
    shown = scales.positions(np.array([10, 0, 1000, 100, -1]), log=True)
    assert np.isfinite(shown).tolist() == [True, False, True, True, False]
    assert shown[0] == 1


def test_ticks_are_round_and_few():
    labels = [text for _, text in scales.ticks(2.9, 6.3, False, lambda v: f"{v:g}")]
    assert labels == ["3", "4", "5", "6"]
    powers = [text for _, text in scales.ticks(0.0, 5.0, True, lambda v: f"{v:g}")]
    assert powers == ["1", "10", "100", "1000", "10000", "100000"]
    assert scales.ticks(1.0, 1.0, False, str) == [(1.0, "1.0")]
    assert scales.ticks(2.0, 1.0, False, str) == []
    assert scales.ticks(math.nan, 1.0, False, str) == []


@pytest.mark.parametrize(("low", "high"), [(1, 12), (0, 2), (1, 3), (1, 120)], ids=str)
def test_ticks_of_what_is_counted_are_whole_and_say_where_they_stand(low, high):
    marked = scales.ticks(low, high, False, lambda v: f"{v:g}", whole=True)
    assert all(text == str(int(place)) for place, text in marked)
    assert len(marked) >= 2


def test_ticks_of_shares_say_where_they_stand():
    texts = [text for _, text in scales.ticks(0.83, 0.84, False, figures.round_percent)]
    assert len(set(texts)) == len(texts)
    assert texts[1] == "83.25 %"


def test_time_has_its_own_labels():
    labels = [text for _, text in scales.seconds_ticks(-0.1, 3.0, True)]
    assert labels == ["1 s", "10 s", "1 min", "10 min"]


def test_short_times_can_be_told_apart():
    texts = [text for _, text in scales.seconds_ticks(-2.6, -1.2, True)]
    assert len(set(texts)) == len(texts) >= 2
    assert scales.time_label(0.05) == "0.05 s"
    assert scales.time_label(90) == "1 min 30 s"


def test_bins_keep_extremes_and_order():
    x, y = np.arange(10_000.0), np.sin(np.arange(10_000.0))
    y[5000] = 9
    less_x, less_y = scales.binned(x, y, 100)
    assert len(less_x) <= 202
    assert less_y.max() == 9
    assert (np.diff(less_x) > 0).all()


def test_bins_leave_gaps():
    x, y = np.arange(1000.0), np.ones(1000)
    y[400:600] = np.nan
    _, less = scales.binned(x, y, 50)
    assert np.isnan(less).any()


def test_labels_are_spread_but_stay_near():
    places = scales.spread([3.0, 3.01, 3.02, 9.0], gap=1.0, low=0.0, high=10.0)
    assert all(b - a >= 1 - 1e-9 for a, b in zip(sorted(places), sorted(places)[1:], strict=False))
    assert places[3] == 9.0
    assert abs(places[1] - 3.01) < 1e-9
    low = scales.spread([0.0, 0.0], gap=1.0, low=0.5, high=10.0)
    assert min(low) >= 0.5


def test_curves_are_read_between_points_but_not_outside():
    x, y = np.array([0.0, 2.0]), np.array([1.0, 3.0])
    assert scales.interpolated(x, y, 1.0) == 2.0
    assert math.isnan(scales.interpolated(x, y, 2.5))
