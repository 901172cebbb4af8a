"""Where the characters of lanes stand, and what is painted under them."""

import math

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QScrollArea

from lmstudio.gui import theme
from lmstudio.gui.widgets.lane_layout import Bar, Lane, Widths, lay_out
from lmstudio.gui.widgets.lane_paint import cluster
from lmstudio.gui.widgets.surprisal_lanes import SurprisalLanes

WIDTHS = Widths(100, 20, 10, 5, 30, lambda text: 10.0)


def rows(text, width=100.0):
    cells = lay_out(text, Widths(width, 20, 10, 5, 30, lambda text: 10.0))
    ends = [*cells.firsts[1:], len(text)]
    return [text[first:end] for first, end in zip(cells.firsts, ends, strict=True)]


def test_rows_break_beside_chinese_and_at_white_space():
    assert rows("一二三四五六") == ["一二三四", "五六"] or rows("一二三四五六")[0] == "一二三四五"
    assert rows("alpha beta gamma", 85) == ["alpha ", "beta ", "gamma"]
    assert rows("x" * 25, 100) == ["x" * 10, "x" * 10, "x" * 5]
    assert rows("一二三四五，六") == ["一二三四", "五，六"]  # no comma at the front
    assert rows("") == [""]


def test_what_is_joined_takes_no_room():
    text = "👨‍👩‍👧e\u0301"
    cells = lay_out(text, WIDTHS)
    assert cells.width == [20, 0, 0, 0, 0, 10, 0, 30]
    assert cluster(text, 0) == "👨‍👩‍👧"
    assert cluster(text, 5) == "e\u0301"


def test_bars_stand_under_their_characters():
    text = "一二三四五六"
    cells = lay_out(text, WIDTHS)
    assert cells.span(Bar(1, 3, "二三", 1.0)) == (20, 60, 0)
    left, right, row = cells.span(Bar(4, 6, "五六", 1.0))
    assert row == cells.row[4]
    assert right > left
    end = cells.span(Bar(6, 7, "</s>", 1.0))
    assert end[1] - end[0] == 30
    lane = Lane("a", "lstm", tuple(Bar(n, n + 1, text[n], 1.0) for n in range(6)))
    assert [number for row in range(cells.rows) for number in cells.in_row(lane, row)] == [
        *range(6)
    ]
    assert cells.place_at(0, 45) == 2


@pytest.fixture
def view(qtbot):
    made = SurprisalLanes("bars")
    qtbot.addWidget(made)
    made.resize(600, 300)
    made.show()
    odd = (Bar(0, 1, "我", 2.0), Bar(1, 3, "爱你", math.inf), Bar(3, 4, "</s>", math.nan))
    made.show_lanes("我爱你", [
        Lane("one", "ngram", odd, "chain"), Lane("two", "bert", odd[:2], "pseudo", "pseudo"),
        Lane("three", "lstm", (), "chain", faded=True),
    ])  # fmt: skip
    return made


def bars_of(text: str) -> tuple[Bar, ...]:
    return tuple(Bar(n, n + 1, one, 1.0) for n, one in enumerate(text))


@pytest.mark.parametrize("height", [180, 230, 290, 600])
def test_as_many_whole_lanes_are_seen_as_there_is_room_for(qtbot, height):
    made = SurprisalLanes("bars")
    area = QScrollArea()
    qtbot.addWidget(area)
    area.setWidgetResizable(True)
    area.setWidget(made)
    area.resize(600, 100)
    area.show()
    bars, groups = bars_of("我爱你"), ["chain"] * 3 + ["pseudo"] * 2
    made.show_lanes("我爱你", [Lane(f"{n}", "lstm", bars, one) for n, one in enumerate(groups)])
    area.resize(600, height)
    qtbot.wait(1)
    seen = area.viewport().height() - theme.px(28)
    ends = [top + made._tall for top in made._tops(made._tall)[:-1]]
    assert made._tall >= theme.px(50)
    if area.verticalScrollBar().maximum():
        assert any(abs(end - seen) < 1 for end in ends)
    else:
        assert ends[-1] <= seen
    assert bool(area.verticalScrollBar().maximum()) == (height < 600)


def test_everything_is_painted_that_there_is(view, qtbot):
    image = QImage(600, 400, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    view.draw(painter, QRectF(0, 0, 600, 400), "dark")
    painter.end()
    colours = {image.pixelColor(x, y).name() for x in range(0, 600, 3) for y in range(0, 400, 3)}
    assert len(colours) > 5
    view.grab()
    assert view.scale("chain") == 2.0
    view.show_lanes("", [])
    view.grab()
    assert view.marked_text() == ""
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_End):
        qtbot.keyClick(view, key)
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(200, 60))


def test_a_click_chooses_the_bar_of_its_lane(view, qtbot):
    tops = view._tops(view._tall)
    x, y = 138 + 45, int(28 + tops[1] + 10)
    with qtbot.waitSignal(view.chosen) as signal:
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(x, y))
    assert signal.args == [1, 1]
    assert view.marked_text() == "爱你"
    assert view.accessibleName() == "bars: two, 爱你 ∞"
