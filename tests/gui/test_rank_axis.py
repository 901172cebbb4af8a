"""The numbers under the axis of ranks: none touches another, or the edge."""

import pytest
from PySide6.QtGui import QFontMetricsF

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.widgets.rank_axis import titled_decades


@pytest.mark.parametrize("width", [132, 272, 600])
@pytest.mark.parametrize("decades", range(3, 10))
def test_numbers_stand_apart(qapp, decades, width):
    metrics = QFontMetricsF(theme.font(12))
    titled = titled_decades(decades, width)
    halves = [metrics.horizontalAdvance(figures.short(10**one)) / 2 for one in titled]
    places = [width * one / decades for one in titled]
    for number in range(len(titled) - 1):
        assert places[number] + halves[number] < places[number + 1] - halves[number + 1]
    assert places[-1] + halves[-1] < width + theme.px(24)
    assert titled[0] == 0
    assert len(titled) > 1
