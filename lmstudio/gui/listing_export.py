"""ListingExport: the answer in a table in; a file with all its rows where the user wants it."""

from pathlib import Path

import numpy as np
from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QToolButton, QWidget

from lmstudio.data.browse.listing import Listing
from lmstudio.gui.listing_table import ListingTable
from lmstudio.gui.save_as import SaveAs, chosen_path
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import disable, enable, tool
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations import browse
from lmstudio.operations.changes import Changes


class ListingExport(QObject):
    """Asks for a place and writes there in the background, in the order on screen."""

    def __init__(self, state: AppState, parent: QWidget) -> None:
        super().__init__(parent)
        self._over = parent
        self._table: ListingTable | None = None
        self._name = ""
        self._saver = SaveAs(state, parent)
        self.button: QToolButton = tool("export", tr("Save as CSV  Ctrl+E"), parent=parent)
        self.button.clicked.connect(self.ask)
        self.refresh()

    def use(self, table: ListingTable | None, name: str = "") -> None:
        """Save what is in `table`, None for nothing; `name` of a file is proposed."""
        self._table, self._name = table, name
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """There is something to save, or not."""
        if self._table is None or self._table.listing is None:
            disable(self.button, tr("There is no answer to save yet."))
        else:
            enable(self.button)

    @Slot()
    def ask(self) -> None:
        """Ask for a file and save there."""
        if not self.button.isEnabled():
            return
        if path := chosen_path(self._over, tr("Save as CSV"), self._name):
            self.save(path)

    def save(self, path: Path) -> None:
        """Write all rows; the user is told when it is done."""
        assert self._table is not None
        rows = self._table.rows
        self._saver.save(path, _save, rows.listing, rows.order)


def _save(listing: Listing, order: np.ndarray | None, path: Path, *, job: Job) -> Changes:
    browse.save(listing, path, order=order, job=job)
    return Changes()
