"""Texts with labels, and matrices of mistakes: where things stand, and what a click chooses."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication

from lmstudio.analysis.tasks.prediction import Answer, Prediction
from lmstudio.gui import theme
from lmstudio.gui.panels.tasks.prediction_view import PredictionView
from lmstudio.gui.widgets.confusion import Confusion, ConfusionMatrix
from lmstudio.gui.widgets.labelled_layout import Label, Lane, lines_of, stretches
from lmstudio.gui.widgets.labelled_text import LabelledText


def advance(text: str) -> float:
    return 10.0 * len(text)


def shown_lines(text: str, width: float) -> list[str]:
    return [text[start:end] for start, end in lines_of(text, width, advance)]


def test_lines_keep_words_whole_and_punctuation_with_them():
    assert shown_lines("我明天从北京，飞往上海。", 60) == ["我明天从北", "京，飞往上", "海。"]
    assert shown_lines("from New York to Boston", 100) == ["from New ", "York to ", "Boston"]
    assert shown_lines("one\ntwo", 100) == ["one", "two"]
    assert shown_lines("", 100) == [""]


def test_what_no_line_holds_is_broken():
    assert shown_lines("abcdefghijkl", 50) == ["abcde", "fghij", "kl"]


@pytest.mark.parametrize("text", ["从北京 到上海", "a b\n\nc", "（“好”）。", "word" * 20])
@pytest.mark.parametrize("width", [15, 40, 1000])
def test_nothing_of_the_text_is_lost(text, width):
    assert "".join(shown_lines(text, width)) == text.replace("\n", "")


def test_a_label_goes_on_in_the_next_line_with_its_name_written_once():
    text, label = "从北京飞往上海", Label(1, 5, "路线")
    lines = lines_of(text, 40, advance)
    found = stretches(text, lines, Lane((label,)), 40, advance)
    assert [(one.line, one.left, one.right, one.first) for one in found] == [
        (0, 10, 40, True), (1, 0, 10, False),
    ]  # fmt: skip


def test_a_click_picks_the_character_under_it(qtbot):
    widget = LabelledText("text")
    qtbot.addWidget(widget)
    widget.resize(400, 200)
    widget.show()
    widget.show_text("从北京到上海", Lane((Label(1, 3, "出发地"),), "right"), Lane((), "guess"))
    width = widget._advance("从")
    place = QPointF(widget._margin() + 1.5 * width, 10)
    assert widget.place_at(place) == 1
    with qtbot.waitSignal(widget.picked) as picked:
        qtbot.mouseClick(widget, Qt.MouseButton.LeftButton, pos=place.toPoint())
    assert picked.args == [1]
    assert widget.place_at(QPointF(2, 10)) == -1
    assert "北京 出发地" in widget.accessibleDescription()
    widget.grab()


def test_the_arrows_and_a_click_choose_a_cell(qtbot):
    widget = ConfusionMatrix("matrix")
    qtbot.addWidget(widget)
    widget.resize(300, 200)
    widget.show()
    widget.show_counts(Confusion(np.array([[5, 1], [2, 9]]), ("a", "b"), ("a", "b")))
    with qtbot.waitSignal(widget.chosen) as chosen:
        qtbot.keyClick(widget, Qt.Key.Key_Right)
    assert chosen.args == [0, 1]
    box = widget._box(widget._body(widget.rect().toRectF()), 1, 0).center().toPoint()
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton, pos=box)
    assert widget.cell() == (1, 0)
    assert "2" in widget.accessibleDescription()
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton, pos=box)
    assert widget.cell() == (-1, -1)
    widget.grab()


def test_a_name_chooses_a_whole_row_or_column(qtbot):
    widget = ConfusionMatrix("matrix")
    qtbot.addWidget(widget)
    widget.resize(300, 200)
    widget.show()
    widget.show_counts(Confusion(np.array([[5, 1], [2, 9]]), ("a", "b"), ("a", "b")))
    body = widget._body(widget.rect().toRectF())
    row, column = widget._box(body, 1, 0), widget._box(body, 0, 1)
    beside = QPointF(body.left() - 10, row.center().y()).toPoint()
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton, pos=beside)
    assert widget.cell() == (1, -1)
    assert widget.accessibleDescription().endswith("2 of 11 are mistakes")
    above = QPointF(column.center().x(), body.top() - 5).toPoint()
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton, pos=above)
    assert widget.cell() == (-1, 1)
    assert widget.accessibleDescription().endswith("1 of 10 are mistakes")
    moves = [(Qt.Key.Key_Down, (0, 1)), (Qt.Key.Key_Left, (0, 0)), (Qt.Key.Key_Left, (0, -1)),
             (Qt.Key.Key_Down, (1, -1)), (Qt.Key.Key_Escape, (-1, -1))]  # fmt: skip
    for key, cell in moves:
        qtbot.keyClick(widget, key)
        assert widget.cell() == cell
    widget.grab()


def test_an_empty_matrix_has_no_cells(qtbot):
    widget = ConfusionMatrix("matrix")
    qtbot.addWidget(widget)
    widget.show()
    assert widget.cell_at(QPointF(5, 5)) == (-1, -1)
    qtbot.keyClick(widget, Qt.Key.Key_Down)
    assert widget.cell() == (-1, -1)


def test_the_text_of_an_answer_has_the_room_it_needs(qtbot):
    view = PredictionView()
    qtbot.addWidget(view)
    view.resize(420, 500)
    view.show()
    answers = (Answer("南京", 5, 7, 0.6, 2.0),)
    view.show_prediction(Prediction("张伟出生在南京，每年都有人来看他的作品，他在郑州工作。" * 2,
                                    answers=answers), ())  # fmt: skip
    most = min(view.text.minimumHeight(), theme.px(96))
    QApplication.processEvents()
    assert view._area.verticalScrollBar().maximum() == 0
    view.resize(420, 200)  # too little for all: the line that is said of can be seen
    QApplication.processEvents()
    assert view._area.height() >= most
