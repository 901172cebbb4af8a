"""Rows of dots, differences and mirrored tokens: what cannot be drawn is left out, all is told."""

import math

import pytest
from PySide6.QtCore import QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtTest import QTest

from lmstudio.gui import theme
from lmstudio.gui.plot_export import export
from lmstudio.gui.widgets.dot_plot import DotPlot, Dots
from lmstudio.gui.widgets.interval_plot import Difference, IntervalPlot
from lmstudio.gui.widgets.mirrored_tokens import MirroredTokens, Paid, Side
from lmstudio.gui.widgets.rows_plot import HEAD, ROW

ODD = [5, math.nan, 3, math.inf, 2]


@pytest.fixture
def dots(qtbot):
    plot = DotPlot("dots")
    qtbot.addWidget(plot)
    plot.resize(400, 300)
    plot.show()
    return plot


def test_a_logarithmic_scale_has_its_steps_evenly_apart(dots):
    dots.set_dots(list("abcd"), [""] * 4, [Dots("一", "gpt", [1, 100, 10_000, 0])], log=True)
    row = QRectF(0, 0, 300, ROW)
    one, two, three = (dots.x_of(value, row) for value in (1, 100, 10_000))
    assert two - one == pytest.approx(three - two)
    assert not dots.grab().isNull()


def test_case_i3_dots_that_are_not_finite_are_left_out(dots):
    groups = list("abcde")
    dots.set_dots(groups, ["1"] * 5, [Dots("一", "gpt", ODD), Dots("二", "gpt", ODD, 1)])
    low, high = dots.scale()
    assert 1.5 < low < 2
    assert 5 < high < 5.5
    assert not dots.grab().isNull()
    dots.set_dots(["a"], [""], [Dots("一", "lstm", [math.nan])])
    assert dots.scale()[0] < dots.scale()[1]
    assert not dots.grab().isNull()
    dots.set_dots([], [], [])
    assert not dots.grab().isNull()


def test_a_row_is_chosen_by_click_and_by_key(dots, qtbot):
    dots.set_dots(list("abc"), ["1", "2", "3"], [Dots("一", "bert", [1, 2, 3])])
    second = QPoint(200, theme.px(HEAD) + theme.px(ROW) * 3 // 2)
    with qtbot.waitSignal(dots.chosen) as told:
        QTest.mouseClick(dots, Qt.MouseButton.LeftButton, pos=second)
    assert told.args == [1]
    QTest.keyClick(dots, Qt.Key.Key_End)
    assert dots.chosen_number() == 2
    QTest.keyClick(dots, Qt.Key.Key_Up)
    assert dots.chosen_number() == 1
    assert dots.accessibleDescription() == "a 1; b 2; c 3"


def test_differences_hold_zero_in_sight(qtbot):
    plot = IntervalPlot("differences")
    qtbot.addWidget(plot)
    plot.resize(400, 200)
    plot.set_differences([
        Difference("base", "ngram", 0.0), Difference("sure", "lstm", 0.5, 0.4, 0.6),
        Difference("none", "gpt", math.inf), Difference("unsure", "elmo", 0.1, -0.1, 0.3),
    ])  # fmt: skip
    low, high = plot.scale()
    assert low < -0.1
    assert 0.6 < high < 1
    assert not plot.grab().isNull()


def test_the_name_of_the_chosen_row_has_room_in_bold(qtbot):
    plot = IntervalPlot("scores")
    qtbot.addWidget(plot)
    plot.resize(500, 100)
    plot.set_differences([Difference("passages · LSTM", "lstm", 0.5)])
    plot.choose(0)
    wide = QFontMetricsF(theme.font(13, bold=True)).horizontalAdvance("passages · LSTM")
    room = plot._track(QRectF(plot.rect())).left() - theme.px(16 + plot.LEAD)
    assert room >= wide


def test_tokens_stand_over_their_characters_and_break_with_the_rows(qtbot, tmp_path):
    view = MirroredTokens("tokens")
    qtbot.addWidget(view)
    view.resize(140, 400)
    cells = [*"北京的春天很短", "</s>"]
    words = [Paid(0, 2, 3.0, "北京"), Paid(2, 3, 1.0, "的"), Paid(3, 5, math.inf, "春天"),
             Paid(5, 7, math.nan, "很短"), Paid(7, 8, 0.5, "</s>")]  # fmt: skip
    characters = [Paid(i, i + 1, 1.0 + i, cell) for i, cell in enumerate(cells)]
    view.set_sentence(cells, [Side("词", "ngram", words), Side("字", "gpt", characters)])
    view.show()
    assert view.scale == 8.0  # of what is finite
    one_row = theme.px(200)
    assert view.minimumHeight() > one_row
    assert not view.grab().isNull()
    place = view._boxes[1].center()
    assert view._told_at(place) == "词: 北京 3.00\n字: 京 2.00"
    assert "词: 北京 3.0, 的 1.0" in view.accessibleDescription()
    export(view, tmp_path / "t.svg", QSize(600, 300), "caption")
    view.set_sentence([], [])
    assert not view.grab().isNull()
