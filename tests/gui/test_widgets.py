"""The small parts: keyboard, names for screen readers, text that gives way."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.widgets import (
    Card,
    Chip,
    ContextStrip,
    ElidedLabel,
    EmptyState,
    ProgressLine,
    Segmented,
    StackedBar,
    Strip,
    TitleRow,
    button,
    disable,
    enable,
    scrolled,
)


def test_segments_are_chosen_by_mouse_keys_and_code(qtbot):
    choice = Segmented([("a", "Time"), ("b", "Step"), ("c", "Word")], "x axis")
    qtbot.addWidget(choice)
    choice.show()
    with qtbot.waitSignal(choice.chosen) as chosen:
        choice.segment("b").click()
    assert chosen.args == ["b"]
    with qtbot.assertNotEmitted(choice.chosen):
        choice.set_value("c")
    assert choice.value() == "c"
    choice.activateWindow()
    choice.segment("c").setFocus()
    qtbot.waitUntil(choice.segment("c").hasFocus)
    with qtbot.waitSignal(choice.chosen) as chosen:
        qtbot.keyClick(choice.segment("c"), Qt.Key.Key_Left)
    assert chosen.args == ["b"]
    assert choice.segment("a").accessibleName() == "x axis: Time"


def test_a_disabled_control_says_why_and_forgets_it(qtbot):
    control = button("Compare")
    qtbot.addWidget(control)
    control.setToolTip("Compare runs")
    disable(control, "Choose two rows first")
    disable(control, "Choose one more row")
    assert control.toolTip() == "Choose one more row"
    enable(control)
    assert control.toolTip() == "Compare runs"


def test_long_text_gives_way(qtbot):
    label = ElidedLabel("a long sentence that does not fit into this room at all")
    qtbot.addWidget(label)
    label.resize(80, 20)
    label.show()
    assert label.minimumSizeHint().width() == 0
    assert label.text().endswith("…")
    assert label.toolTip() == label.full_text()


def test_a_strip_speaks_and_is_silent(qtbot):
    strip = Strip("warn")
    qtbot.addWidget(strip)
    strip.say("The encoding is doubtful.")
    assert not strip.isHidden()
    strip.say("")
    assert strip.isHidden()


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_everything_paints(qtbot, qapp, mode):
    theme.apply(qapp, mode)
    page = QWidget()
    qtbot.addWidget(page)
    layout = QVBoxLayout(page)
    card = Card("Title", "note")
    layout.addWidget(card)
    bar, line = StackedBar("parts"), ProgressLine("progress")
    bar.set_parts([5, 3, 2], "lstm")
    line.set_share(1.7, "warn")
    assert line.value() == 1000
    strip = ContextStrip("ngram", "n-gram")
    strip.set_order(5)
    empty = EmptyState("No corpus", "Drop one", [button("Go", "primary", icon_name="play")])
    for widget in (bar, line, strip, empty, Chip("LSTM", "lstm"), ContextStrip("elmo", "ELMo")):
        card.body.addWidget(widget)
    page.show()
    assert not page.grab().isNull()
    theme.apply(qapp, "light")


def test_figures():
    assert figures.count(4442112) == "4,442,112"
    assert figures.decimal(0.0001) == "< 0.01"
    assert figures.decimal(float("inf")) == "∞"
    assert figures.decimal(None) == "—"
    assert figures.decimal(-0.0, 4) == "0.0000"
    assert [figures.signed(x) for x in (-0.00001, 0.0, 0.00004, -0.25, 0.25)] == [
        "0.0000", "0.0000", "0.0000", "-0.2500", "+0.2500",
    ]  # fmt: skip
    assert figures.short(5_512_136) == "5.51 M"
    assert [figures.short(10**n) for n in range(8)] == [
        "1", "10", "100", "1 k", "10 k", "100 k", "1 M", "10 M",
    ]  # fmt: skip
    assert [figures.short(x) for x in (812, 999.7, 1234, 999_614)] == [
        "812",
        "1 k",
        "1.23 k",
        "1 M",
    ]
    assert figures.size(2_600_000) == "2.6 MB"
    assert figures.duration(250) == "4 min 10 s"
    assert figures.duration(0.2) == "< 1 s"
    assert figures.percent(0.038, 1) == "3.8 %"


def test_a_note_that_would_be_cut_stands_below_the_title(qtbot):
    row = TitleRow("A title")
    qtbot.addWidget(row)
    row.resize(400, 32)
    row.show()
    row.set_note("short")
    assert row.note.geometry().left() > row.title.geometry().right()
    low = row.sizeHint().height()
    row.set_note("so many words that no title leaves room enough for all of them beside it")
    qtbot.waitUntil(lambda: row.sizeHint().height() > low)
    row.resize(400, row.sizeHint().height())
    qtbot.waitUntil(lambda: row.note.geometry().top() >= row.title.geometry().bottom())
    assert row.note.text() == row.note.full_text()
    row.resize(1000, 60)
    qtbot.waitUntil(lambda: row.sizeHint().height() == low)


def _lines(area):
    return [line.y() for line in area.findChildren(QFrame, options=_DIRECT)
            if line.property("kind") == "hairline" and line.isVisible()]  # fmt: skip


_DIRECT = Qt.FindChildOption.FindDirectChildrenOnly


def test_a_hairline_closes_an_edge_beyond_which_there_is_more(qtbot):
    inside = QWidget()
    inside.setFixedHeight(500)
    area = scrolled(inside)
    qtbot.addWidget(area)
    area.resize(200, 200)
    area.show()
    assert _lines(area) == [199]
    area.verticalScrollBar().setValue(50)
    assert sorted(_lines(area)) == [0, 199]
    area.verticalScrollBar().setValue(300)
    assert _lines(area) == [0]
    area.resize(200, 600)
    assert _lines(area) == []
