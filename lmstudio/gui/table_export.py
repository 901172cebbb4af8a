"""TableExport: a table on screen in; a file of it where the user wants it out."""

from pathlib import Path

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QToolButton, QWidget

from lmstudio.errors import AppError
from lmstudio.gui.save_as import chosen_path
from lmstudio.gui.state import AppState
from lmstudio.gui.tables import Table
from lmstudio.gui.widgets import tool
from lmstudio.messages import tr


class TableExport(QObject):
    """What a table's export button does; `title` says what is saved, `name` is proposed."""

    def __init__(
        self, state: AppState, table: Table, title: str, name: str, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._state, self._table, self._over = state, table, parent
        self._title, self._name = title, name

    def button(self) -> QToolButton:
        """The tool that asks for a place."""
        made = tool("export", self._title, parent=self._over)
        made.clicked.connect(self.ask)
        return made

    @Slot()
    def ask(self) -> None:
        """Ask for a file and save the table."""
        if path := chosen_path(self._over, self._title, self._name):
            self.save(path)

    def save(self, path: Path) -> None:
        """Save the table and tell the user."""
        try:
            self._table.save(path)
        except AppError as error:
            self._state.report(error)
        else:
            self._state.told.emit(tr("Saved {path}", path=path))
