"""ReclaimCard: what of the disk can be had back, how much, and what is lost by it."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QGridLayout, QPushButton, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.dialogs.ask import DeleteDialog
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Card, button, disable, enable, label
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations import disk
from lmstudio.operations.disk import RECLAIMS, Disk


class ReclaimCard(Card):
    """A row for each key of RECLAIMS; nothing is deleted before a question is answered."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(tr("Free some space"), parent=parent)
        self._state = state
        self._asked = ""  # what a dialog is about
        self._octets: dict[str, int] = {}
        self.buttons: dict[str, QPushButton] = {}
        grid = QGridLayout()
        grid.setHorizontalSpacing(theme.px(12))
        grid.setVerticalSpacing(theme.px(2))
        grid.setColumnStretch(0, 1)
        for number, (key, (title, lost)) in enumerate(RECLAIMS.items()):
            made = button("", parent=self)
            made.setObjectName(key)
            made.clicked.connect(self._ask)
            made.setAccessibleName(tr("Free some space: {name}", name=tr(title)))
            self.buttons[key] = made
            row = 3 * number
            grid.addWidget(label(tr(title), bold=True), row, 0)
            grid.addWidget(label(tr(lost), tone="muted", size=12, wrap=True), row + 1, 0)
            grid.addWidget(made, row, 1, 2, 1)
            grid.setRowMinimumHeight(row + 2, theme.px(12))
        self.body.addLayout(grid)
        self.body.addStretch()
        state.jobs.added.connect(self._update)
        state.jobs.finished.connect(self._update)
        self._update()

    def show_disk(self, found: Disk) -> None:
        """Show what was measured."""
        self._octets = found.reclaimable
        self._update()

    @Slot()
    def _update(self) -> None:
        """Nothing is deleted that a job may be reading."""
        for key, made in self.buttons.items():
            octets = self._octets.get(key, 0)
            made.setText(tr("Free {size}…", size=figures.size(octets)))
            if self._state.jobs.jobs():
                disable(made, tr("A job is running. Wait for it, or stop it."))
            elif not octets:
                disable(made, tr("There is nothing to be had back here"))
            else:
                enable(made)

    @Slot()
    def _ask(self) -> None:
        self._asked = self.sender().objectName()
        title, lost = RECLAIMS[self._asked]
        size = figures.size(self._octets[self._asked])
        dialog = DeleteDialog(tr("{name}: free {size}?", name=tr(title), size=size), tr(lost),
                              self.window())  # fmt: skip
        dialog.accepted.connect(self.reclaim_asked)
        dialog.open()

    @Slot()
    def reclaim_asked(self) -> None:
        """Delete what the dialog asked about."""
        job = Job(tr("Free some space"))
        self._state.run("bulk", job, disk.reclaim, self._state.workspace, self._asked)
