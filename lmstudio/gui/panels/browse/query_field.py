"""QueryField: what is searched for, typed, composed by an input method, or taken from before."""

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QMenu, QToolButton, QWidget

from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import tool
from lmstudio.messages import tr

_LONGEST = 60  # characters of an entry of the menu
_STEPS = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1}


class QueryField(QLineEdit):
    """Enter searches (`returnPressed`); up and down go through earlier searches.

    Keys are handled only after the input method has had them: what it composes never gets here.
    """

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._place = -1  # among the earlier searches; -1 is what was being typed
        self._typed = ""
        self.setAccessibleName(tr("What to search for"))
        self.textEdited.connect(self._edited)
        self._menu = QMenu(self)
        self._menu.aboutToShow.connect(self._fill)
        self._menu.triggered.connect(self._choose)

    def history_button(self) -> QToolButton:
        """A tool whose menu holds the earlier searches."""
        made = tool("down", tr("Earlier searches  ↑ ↓"), parent=self.parentWidget())
        made.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        made.setMenu(self._menu)
        return made

    def remember(self) -> None:
        """Put what is typed first among the searches."""
        self._place = -1
        if self.text() and self._state.settings.searches[:1] != [self.text()]:
            self._state.settings.searched(self.text())

    def say_fault(self, faulty: bool) -> None:
        """Mark the field as wrong, or as right."""
        if bool(self.property("bad")) != faulty:
            self.setProperty("bad", faulty)
            self.style().unpolish(self)
            self.style().polish(self)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        step = _STEPS.get(Qt.Key(event.key()))
        if step is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            super().keyPressEvent(event)
            return
        searches = self._state.settings.searches
        if self._place < 0:
            self._typed = self.text()
        self._place = min(max(self._place + step, -1), len(searches) - 1)
        self.setText(self._typed if self._place < 0 else searches[self._place])

    @Slot()
    def _edited(self) -> None:
        self._place = -1

    @Slot()
    def _fill(self) -> None:
        self._menu.clear()
        for search in self._state.settings.searches:
            shown = search if len(search) <= _LONGEST else search[:_LONGEST] + "…"
            self._menu.addAction(shown.replace("&", "&&")).setData(search)
        if self._menu.isEmpty():
            self._menu.addAction(tr("Nothing was searched for yet.")).setEnabled(False)

    @Slot(QAction)
    def _choose(self, action: QAction) -> None:
        self.setText(action.data())
        self.setFocus()
        self.returnPressed.emit()
