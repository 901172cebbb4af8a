"""SearchField: a line that filters what stands below it as one types; Esc empties it."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from lmstudio.gui import theme

_WIDEST = 190


class SearchField(QLineEdit):
    """`name` is its hint, and what a screen reader says."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPlaceholderText(name)
        self.setAccessibleName(name)
        self.setClearButtonEnabled(True)
        self.setMinimumWidth(theme.px(90))
        self.setMaximumWidth(theme.px(_WIDEST))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)
