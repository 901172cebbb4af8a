"""DiskPanel: what the workspace takes of the disk, and what of that can be had back."""

from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.panels.settings.reclaim_card import ReclaimCard
from lmstudio.gui.panels.settings.use_bars import UseBars
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.gui.widgets import Card, EmptyState, button, tool
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations import disk
from lmstudio.operations.disk import KINDS, NOUNS, Disk, Use

_WIDTHS = {"data": 124, "last": 124}  # of columns with long titles


class DiskPanel(Panel):
    """Measured when it is shown, and again when something came or went."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.found: Disk | None = None
        self._stale = True
        self._measurer = Asker(state, self)
        self._measurer.answered.connect(self._take)
        self._measurer.failed.connect(state.report)
        columns = (
            Column("kind", tr("Kind"), width=96), Column("name", tr("Name")),
            *(Column(kind, tr(title), right=True, width=_WIDTHS.get(kind, 84), show=figures.size)
              for kind, title in KINDS.items()),
            Column("total", tr("Total"), right=True, width=84, show=figures.size),
        )  # fmt: skip
        self.table = Table(columns, tr("What takes how much"), self)
        self.bars, self.reclaim = UseBars(self), ReclaimCard(state, self)
        self.save = SaveAs(state, self)
        self._lay_out()
        for signal in (
            state.corpora_changed, state.segmentations_changed, state.runs_changed,
            state.tasks_changed, state.workspace_changed, state.deletions.changed,
        ):  # fmt: skip
            signal.connect(self.measure)
        state.jobs.finished.connect(self._job_ended)
        self.measure()

    def _lay_out(self) -> None:
        self.sums = Card(tr("Disk"), parent=self)
        self.sums.body.addWidget(self.bars)
        self.sums.body.addStretch()
        table = Card(tr("What takes how much"), tr("the largest first"), self)
        export = tool("export", tr("Save as CSV  Ctrl+E"), parent=self)
        export.clicked.connect(self.export)
        table.row.add_tool(export)
        table.body.addWidget(self.table, 1)
        upper = QHBoxLayout()
        upper.setSpacing(theme.px(12))
        upper.addWidget(self.sums, 1)
        upper.addWidget(self.reclaim, 1)
        whole = QWidget(self)
        column = QVBoxLayout(whole)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(12))
        column.addLayout(upper)
        column.addWidget(table, 1)
        self.start = button(tr("Import files…"), "primary", parent=self)
        self.start.clicked.connect(self._show_corpora)
        nothing = Card(parent=self)
        nothing.body.addWidget(EmptyState(
            tr("The workspace is empty"), tr("What takes how much of the disk is told here."),
            [self.start],
        ), 1)  # fmt: skip
        self.pages = QStackedWidget(self)
        self.pages.addWidget(whole)
        self.pages.addWidget(nothing)
        self.page().addWidget(self.pages)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        if self._stale:
            self.measure()

    @Slot()
    def measure(self) -> None:
        """Measure, now or when the panel is shown."""
        self._stale = not self.isVisible() or not self.state.has_workspace
        if not self._stale:
            self._measurer.ask(disk.disk, self.state.workspace)

    @Slot(object)
    def _job_ended(self, job: Job) -> None:
        if job.title:  # a question leaves no files
            self.measure()

    @Slot(object)
    def _take(self, found: Disk) -> None:
        self.found = found
        total, free = figures.size(found.total), figures.size(found.free)
        told = tr("{total} in this workspace, {free} free on the disk", total=total, free=free)
        self.sums.row.set_note(told)
        self.bars.show_disk(found)
        self.reclaim.show_disk(found)
        with QSignalBlocker(self.table):
            self.table.set_rows([_row(use) for use in found.lines()])
        anything = bool(found.uses or found.trash)
        self.pages.setCurrentIndex(0 if anything else 1)
        self.primary = None if anything else self.start

    @Slot()
    def _show_corpora(self) -> None:
        self.state.panel_wanted.emit("corpora")

    @Slot()
    def export(self) -> None:
        """Save the table, in bytes."""
        if self.found is None:
            super().export()
        else:
            self.save.ask("disk", disk.save_csv, self.found)

    def export_to(self, path: Path) -> None:
        """Save the table there."""
        assert self.found is not None
        self.save.save(path, disk.save_csv, self.found)


def _row(use: Use) -> Row:
    kinds = {kind: Cell(octets) for kind, octets in use.bytes.items()}
    return Row(f"{use.noun} {use.id}", kinds | {
        "kind": Cell(tr(NOUNS[use.noun])), "name": Cell(use.name, tip=use.name),
        "total": Cell(use.total),
    })  # fmt: skip
