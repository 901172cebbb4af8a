"""Boxes to type numbers in: right-aligned, with the padding of every field.

The wheel turns a number only while its box has the focus: else it scrolls what the box stands in.
"""

from PySide6.QtCore import Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QAbstractSpinBox, QDoubleSpinBox, QSpinBox, QWidget

from lmstudio.gui import theme


class WholeBox(QSpinBox):
    """For a whole number."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        _prepare(self)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        if _turns(self, event):
            super().wheelEvent(event)


class DecimalBox(QDoubleSpinBox):
    """For a number with decimals."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        _prepare(self)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        if _turns(self, event):
            super().wheelEvent(event)


def _prepare(box: QAbstractSpinBox) -> None:
    """The style sheet's padding does not reach the line inside a box of numbers."""
    side = theme.px(7)
    box.lineEdit().setTextMargins(side, 0, side, 0)
    box.setAlignment(Qt.AlignmentFlag.AlignRight)
    box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)


def _turns(box: QAbstractSpinBox, event: QWheelEvent) -> bool:
    """Whether the wheel turns the number; if not, what the box stands in gets the event."""
    event.setAccepted(box.hasFocus())
    return box.hasFocus()
