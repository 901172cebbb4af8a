"""TrashPanel: what was deleted, to be brought back or deleted for good."""

from datetime import datetime

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QStackedWidget, QWidget

from lmstudio import figures
from lmstudio.gui.dialogs.ask import DeleteDialog
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.row_actions import RowAction
from lmstudio.gui.state import AppState
from lmstudio.gui.table_export import TableExport
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.gui.widgets import Card, EmptyState, button, disable, enable
from lmstudio.jobs import Job
from lmstudio.messages import listed, msg, tr
from lmstudio.operations import disk, trash
from lmstudio.operations.trash import NOUN_NAMES, Deleted
from lmstudio.store.workspace import Workspace

_BESIDE = {"segmentation": msg("segmentations: {count}"), "run": msg("runs: {count}")}
"""What may have gone with something else."""


class TrashPanel(Panel):
    """A table of the trash; sizes come when they are measured."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self._known: list[Deleted] = []
        self._sizes: dict[int, int] = {}
        self._asked: list[int] = []  # what a dialog is about
        self._sizer = Asker(state, self)
        self._sizer.answered.connect(self._take_sizes)
        columns = (
            Column("kind", tr("Kind"), width=110), Column("name", tr("Name")),
            Column("with", tr("Deleted with it"), width=240),
            Column("deleted", tr("Deleted at"), width=150),
            Column("size", tr("Size"), right=True, width=90, show=figures.size),
        )  # fmt: skip
        self.table = Table(columns, tr("Trash"), self, many=True)
        self.table.chosen.connect(self._update)
        self.csv = TableExport(state, self.table, tr("Save the list as CSV"), "trash", self)
        self.restore = button(tr("Restore"), "primary", parent=self)
        self.remove = button(tr("Delete for good…"), parent=self)
        self.empty = button(tr("Empty the trash…"), parent=self)
        self.restore.clicked.connect(self.restore_chosen)
        self.remove.clicked.connect(self._ask_chosen)
        self.empty.clicked.connect(self._ask_all)
        RowAction(self.table, self.restore, "Return")
        RowAction(self.table, self.remove, "Del")
        self._lay_out()
        for signal in (state.deletions.changed, state.workspace_changed):
            signal.connect(self.refresh)
        self.refresh()

    def _lay_out(self) -> None:
        card = Card(tr("Trash"), tr("kept until it is emptied"), self)
        card.row.add_tool(self.csv.button())
        card.body.addWidget(self.table, 1)
        nothing = Card(parent=self)
        self.to_disk = button(tr("See what takes the disk"), "primary", parent=self)
        self.to_disk.clicked.connect(self._show_disk)
        nothing.body.addWidget(EmptyState(
            tr("The trash is empty"),
            tr("What is deleted comes here first: corpora, segmentations, runs, tasks, findings."),
            [self.to_disk],
        ), 1)  # fmt: skip
        self.pages = QStackedWidget(self)
        self.pages.addWidget(card)
        self.pages.addWidget(nothing)
        layout = self.page()
        layout.addWidget(self.pages, 1)
        layout.addLayout(self.action_row(self.empty, self.remove, self.restore))

    @Slot()
    def refresh(self) -> None:
        """Show what the trash holds now."""
        has = self.state.has_workspace
        self._known = trash.deleted(self.state.workspace) if has else []
        self.table.set_rows([self._row(one) for one in self._known])
        self.pages.setCurrentIndex(0 if self._known else 1)
        for widget in (self.restore, self.remove, self.empty, self.note):
            widget.setVisible(bool(self._known))
        if self._known and not self.table.selected():
            self.table.select([self._known[0].id])
        self.primary = self.restore if self._known else self.to_disk
        self.note.setText("")
        self._update()
        if self._known and self.isVisible():
            self._sizer.ask(_sizes, self.state.workspace)

    def _row(self, one: Deleted) -> Row:
        when = datetime.fromisoformat(one.deleted).astimezone()
        beside = [tr(told, count=len(one.ids[noun])) for noun, told in _BESIDE.items()
                  if noun != one.noun and one.ids.get(noun)]  # fmt: skip
        return Row(one.id, {
            "kind": Cell(tr(NOUN_NAMES[one.noun])), "name": Cell(one.name, tip=one.name),
            "with": Cell(" · ".join(beside)), "deleted": Cell(when.strftime("%Y-%m-%d %H:%M")),
            "size": Cell(self._sizes.get(one.id)),
        })  # fmt: skip

    @Slot(object)
    def _take_sizes(self, sizes: dict[int, int]) -> None:
        self._sizes = sizes
        self.table.set_rows([self._row(one) for one in self._known])
        self.note.setText(tr("{size} in all", size=figures.size(sum(sizes.values()))))

    @Slot()
    def _update(self) -> None:
        for widget in (self.restore, self.remove):
            if self.table.selected():
                enable(widget)
            else:
                disable(widget, tr("Select something first"))

    @Slot()
    def restore_chosen(self) -> None:
        """Bring back what is selected."""
        keys = [int(key) for key in self.table.selected()]
        self.state.run("ask", Job(), trash.restore_each, self.state.workspace, sorted(keys))

    @Slot()
    def _ask_chosen(self) -> None:
        if keys := [int(key) for key in self.table.selected()]:
            names = [one.name for one in self._known if one.id in keys]
            self._ask(keys, tr("Delete for good: {names}?", names=listed(names)))

    @Slot()
    def _ask_all(self) -> None:
        self._ask([one.id for one in self._known], tr("Empty the trash?"))

    def _ask(self, keys: list[int], title: str) -> None:
        self._asked = keys
        octets = sum(self._sizes.get(key, 0) for key in keys)
        detail = tr("{size} of the disk will be free again. What was deleted cannot be brought "
                    "back any more.", size=figures.size(octets))  # fmt: skip
        dialog = DeleteDialog(title, detail, self.window())
        dialog.accepted.connect(self.empty_asked)
        dialog.open()

    @Slot()
    def empty_asked(self) -> None:
        """Delete for good what the dialog asked about."""
        if self._asked:
            job = Job(tr("Empty the trash"))
            self.state.run("bulk", job, trash.empty, self.state.workspace, self._asked)

    @Slot()
    def _show_disk(self) -> None:
        self.state.panel_wanted.emit("disk")

    def export(self) -> None:
        """Save the list."""
        self.csv.ask()


def _sizes(ws: Workspace, *, job: Job) -> dict[int, int]:
    job.check()
    return disk.trash_bytes(ws)
