"""Palette: some typed letters in; panels, actions and runs to go to out."""

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QListWidget, QVBoxLayout, QWidget

from lmstudio.gui import theme
from lmstudio.gui.palette_search import Choice, search
from lmstudio.messages import tr


class Palette(QFrame):
    """Lies over the window: not a pop-up, in which an input method could not work."""

    searched = Signal(str)  # what was searched for, once for each change of the text

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("kind", "card")
        self._choices: list[Choice] = []
        self._shown: list[Choice] = []
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(tr("Panels, actions, runs…"))
        self.field.setAccessibleName(tr("Find anything"))
        self.field.textChanged.connect(self._search)
        self.field.returnPressed.connect(self._take)
        self.field.installEventFilter(self)
        self.found = QListWidget(self)
        self.found.setObjectName("found")
        self.found.setAccessibleName(tr("What was found"))
        self.found.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.found.itemClicked.connect(self._take)
        layout = QVBoxLayout(self)
        edge = theme.px(8)
        layout.setContentsMargins(edge, edge, edge, edge)
        layout.addWidget(self.field)
        layout.addWidget(self.found)
        self.hide()

    def open_with(self, choices: Iterator[Choice]) -> None:
        """Show the palette over its parent, empty, with all there is to choose from."""
        self._choices = list(choices)
        parent = self.parentWidget()
        if parent is not None:
            width = min(theme.px(560), parent.width() - theme.px(32))
            height = min(theme.px(400), parent.height() - theme.px(96))
            self.setGeometry((parent.width() - width) // 2, theme.px(56), width, height)
        self.field.clear()
        self._list("")
        self.raise_()
        self.show()
        self.field.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Arrows move in the list, Esc and another window's focus close."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
            if step:
                row = self.found.currentRow() + step
                self.found.setCurrentRow(min(max(row, 0), self.found.count() - 1))
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.hide()
                return True
        if event.type() == QEvent.Type.FocusOut and self.isVisible():
            self.hide()
        return False

    @Slot(str)
    def _search(self, text: str) -> None:
        self._list(text)
        if text:
            self.searched.emit(text)

    def _list(self, text: str) -> None:
        self._shown = search(text, self._choices)
        self.found.clear()
        for choice in self._shown:
            parts = (choice.title, choice.kind, choice.shortcut)
            self.found.addItem("    ".join(part for part in parts if part))
        self.found.setCurrentRow(0)

    @Slot()
    def _take(self) -> None:
        row = self.found.currentRow()
        self.hide()
        if 0 <= row < len(self._shown):
            self._shown[row].go()
