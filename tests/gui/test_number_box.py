"""Boxes of numbers are as high and as padded as the fields beside them; the wheel passes by."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QLineEdit, QVBoxLayout, QWidget

from lmstudio.gui import theme
from lmstudio.gui.widgets import DecimalBox, WholeBox


@pytest.mark.parametrize("kind", [WholeBox, DecimalBox])
def test_a_box_stands_in_line_with_other_fields(qtbot, kind):
    page = QWidget()
    qtbot.addWidget(page)
    layout = QVBoxLayout(page)
    box, *others = made = [kind(page), QLineEdit(page), QComboBox(page)]
    for one in made:
        layout.addWidget(one)
    page.show()
    assert {one.height() for one in others} == {box.height()}
    margins = box.lineEdit().textMargins()
    assert margins.left() == margins.right() == theme.px(7)
    assert box.alignment() & Qt.AlignmentFlag.AlignRight


@pytest.mark.parametrize("kind", [WholeBox, DecimalBox])
def test_the_wheel_turns_no_number_that_has_no_focus(qtbot, kind):
    box = kind()
    qtbot.addWidget(box)
    box.show()
    box.clearFocus()
    before = box.value()
    turn = QWheelEvent(
        QPointF(5, 5), QPointF(5, 5), QPoint(0, 120), QPoint(0, 120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    box.wheelEvent(turn)
    assert box.value() == before
    assert not turn.isAccepted()
