"""Bars in groups, shares of a whole and error bars: what is drawn, told and exported."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QSize

from lmstudio import figures
from lmstudio.gui.plot_export import export
from lmstudio.gui.plots import Plot, Series
from lmstudio.gui.widgets.grouped_bars import GroupBar, GroupedBars, GroupSeries
from lmstudio.gui.widgets.share_grid import ShareGrid, ShareRow


@pytest.fixture
def on_screen(qtbot):
    def show(widget):
        qtbot.addWidget(widget)
        widget.resize(640, 300)
        widget.show()
        qtbot.waitExposed(widget)
        return widget

    return show


@pytest.fixture
def bars(on_screen):
    widget = on_screen(GroupedBars("probes"))
    series = [
        GroupSeries("BERT", "bert", (GroupBar(0.5, 0.1, 0.45, "at the foot"), GroupBar(0.9))),
        GroupSeries("BERT 2", "bert", (GroupBar(0.6), GroupBar(0.7)), 1),
        GroupSeries("LSTM", "lstm", (GroupBar(0.4),)),
    ]
    widget.set_bars(("table", "layer 1"), series, figures.percent, (0.3, "majority"))
    return widget


def test_bars_stand_side_by_side_on_one_scale(bars):
    body = bars._body(bars.rect().toRectF())
    boxes = [bars._box(body, 0, number) for number in range(3)]
    assert boxes[0].right() < boxes[1].left()
    assert boxes[1].right() < boxes[2].left()
    heights = [box.height() / body.height() for box in boxes]
    assert heights[1] / heights[0] == pytest.approx(0.6 / 0.5)
    assert bars._high == pytest.approx(0.9 * 1.08)
    middle = QPointF(boxes[0].center().x(), body.bottom() - 4)
    assert bars.told(middle) == "at the foot"
    beside = QPointF(boxes[2].center().x(), body.bottom() - 4)
    assert bars.told(beside) == "LSTM, table: 40 %"
    assert bars.told(QPointF(2, 2)) == ""
    assert "BERT layer 1: 90 %" in bars.accessibleDescription()
    assert bars._ink(bars.series()[0], "") != bars._ink(bars.series()[1], "")


def test_names_take_another_line_where_one_is_too_short(bars, on_screen):
    body = bars._body(bars.rect().toRectF())
    many = [GroupSeries(f"network number {n}", "gpt", (GroupBar(0.5),), n) for n in range(9)]
    bars.set_bars(("table",), many, figures.percent)
    assert bars._body(bars.rect().toRectF()).top() > body.top()
    bars.grab()


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_both_are_exported(bars, on_screen, tmp_path, ending):
    grid = on_screen(ShareGrid("shares"))
    grid.set_shares([ShareRow("travel", "elmo", (0.2, 0.5, 0.3), "γ 1.10")],
                    ("table", "layer 1", "layer 2"))  # fmt: skip
    for number, widget in enumerate((bars, grid)):
        widget.grab()
        path = tmp_path / f"{number}.{ending}"
        export(widget, path, QSize(900, 500), "caption")
        assert path.stat().st_size > 2000


def test_an_even_share_is_half_as_strong_as_can_be(on_screen):
    grid = on_screen(ShareGrid("shares"))
    grid.set_shares([ShareRow("a", "elmo", (1 / 3,) * 3)], ("0", "1", "2"))
    assert grid.shares()[0].shares[0] / grid._most == pytest.approx(0.5)
    grid.set_shares([ShareRow("a", "elmo", (0.9, 0.1, 0.0))], ("0", "1", "2"))
    assert grid._most == 0.9


@pytest.mark.parametrize("log", [False, True])
def test_error_bars_belong_to_the_range(on_screen, log):
    plot = on_screen(Plot("scores"))
    series = Series(1, "BERT", np.array([1e4, 1e5, 1e6]), np.array([0.5, 0.6, 0.7]), "bert",
                    dots=True, spread=np.array([0.3, np.nan, 0.1]))  # fmt: skip
    plot.set_axes(plot.axes().__class__(log_x=True, log_y=log, whole=True))
    plot.set_series([series])
    low, high = plot.value_range()
    assert (low, high) == pytest.approx((0.2, 0.8))
    (curve,) = plot._drawn
    assert curve.bars.isVisible()
    assert len(curve.bars.opts["x"]) == 2  # none where the spread is not known
    plot.set_series([Series(1, "BERT", series.x, series.y, "bert")])
    assert not curve.bars.isVisible()
    assert plot.value_range() == pytest.approx((0.5, 0.7))
