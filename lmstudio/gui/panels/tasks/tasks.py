"""Tasks: labelled files in, what is in them told, and networks fine-tuned for them."""

from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFileDialog, QStackedWidget, QWidget

from lmstudio.errors import AppError
from lmstudio.gui import renaming
from lmstudio.gui.dialogs.ask import DeleteDialog, NameDialog
from lmstudio.gui.dialogs.import_task import TaskImportDialog, TaskOrder
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.panels.tasks import task_columns
from lmstudio.gui.panels.tasks.report_card import ReportCard
from lmstudio.gui.panels.tasks.tuning_card import TuningCard
from lmstudio.gui.row_actions import RowAction
from lmstudio.gui.state import AppState
from lmstudio.gui.tables import Table
from lmstudio.gui.widgets import Card, EmptyState, button, tool
from lmstudio.gui.widgets.splitter import splitter
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations import tasks
from lmstudio.store.rows import TaskRow


class TasksPanel(Panel):
    """The list of tasks, the report on the one chosen, and the form to fine-tune for it."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.table = Table(task_columns.columns(), tr("Tasks"), self)
        self.report = ReportCard(state, self)
        self.tuning = TuningCard(state, self)
        self.dialog: TaskImportDialog | None = None
        self.task: TaskRow | None = None
        self._pages = QStackedWidget(self)
        self._lay_out()
        self._connect()
        self.refresh()

    # layout

    def _lay_out(self) -> None:
        parts = splitter("parts", Qt.Orientation.Horizontal, self._list_card(), self.report,
                         self.tuning, sizes=(372, 508, 390))  # fmt: skip
        self._pages.addWidget(parts)
        self._pages.addWidget(self._empty_page())
        self.page().addWidget(self._pages)

    def _list_card(self) -> Card:
        card = Card(tr("Tasks"), parent=self)
        self.add = tool("plus", tr("Import labelled examples"), parent=self)
        self.samples = tool("upload", tr("Make the sample tasks"), parent=self)
        self.edit = tool("edit", tr("Rename  F2"), parent=self)
        self.remove = tool("delete", tr("Delete…"), parent=self)
        self.save = tool("export", tr("Save the examples in a folder"), parent=self)
        for widget in (self.add, self.samples, self.edit, self.save, self.remove):
            card.row.add_tool(widget)
        card.body.addWidget(self.table, 1)
        return card

    def _empty_page(self) -> QWidget:
        self._lead = button(tr("Import labelled examples"), "primary", parent=self)
        self._sample = button(tr("Make the sample tasks"), parent=self)
        empty = EmptyState(
            tr("No task yet"),
            tr("Drop files with labelled examples here: tables of sentences and classes, pairs, "
               "CoNLL columns of words and tags, CLUE, CMRC and SQuAD files."),
            [self._lead, self._sample], family="bert",
        )  # fmt: skip
        card = Card(parent=self)
        card.body.addWidget(empty, 1)
        return card

    def _connect(self) -> None:
        state = self.state
        for made in (self.add, self._lead):
            made.clicked.connect(self.choose_files)
        for made in (self.samples, self._sample):
            made.clicked.connect(self.make_samples)
        self.edit.clicked.connect(self.rename)
        self.remove.clicked.connect(self.delete)
        self.save.clicked.connect(self.export)
        self.table.chosen.connect(self._choose)
        self.table.opened.connect(self._show_results)
        for press, keys in ((self.tuning.start, ""), (self.save, ""), (self.edit, "F2"),
                            (self.remove, "Del")):  # fmt: skip
            RowAction(self.table, press, keys)
        for signal in (state.tasks_changed, state.workspace_changed, state.runs_changed,
                       state.tuned.changed):  # fmt: skip
            signal.connect(self.refresh)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self.tuning.check()

    # what is shown

    @Slot()
    def refresh(self) -> None:
        rows = self.state.tasks()
        self._pages.setCurrentIndex(0 if rows else 1)
        if not rows:
            self.primary, self.task = self._lead, None
            return
        ws = self.state.workspace
        counts: dict[int | None, int] = {}
        for run in ws.tuned_runs():
            counts[run.task] = counts.get(run.task, 0) + 1
        self.table.set_rows([task_columns.row(row, counts.get(row.id, 0)) for row in rows])
        before, self.task = self.task, self.state.tuned.task(ws)
        self.primary = self.tuning.start
        if self.task is not None:
            self.table.select([self.task.id])
            if before != self.task:
                self.report.show_task(self.task)
                self.tuning.show_task(self.task)

    @Slot(list)
    def _choose(self, keys: list[int]) -> None:
        if keys:
            self.state.tuned.choose_task(int(keys[0]))

    @Slot()
    def _show_results(self) -> None:
        self.state.panel_wanted.emit("task_results")

    # importing

    @Slot()
    def choose_files(self) -> None:
        """Ask for labelled files."""
        names, _ = QFileDialog.getOpenFileNames(self, tr("Import labelled examples"))
        self.open_files([Path(name) for name in names])

    def open_files(self, paths: list[Path]) -> None:
        """Look at labelled files, which may then be imported."""
        if not paths:
            return
        if not self.state.has_workspace:
            self.state.report(AppError("Open a workspace first."))
            return
        try:
            self.dialog = TaskImportDialog(self.state, paths, self.window())
        except AppError as error:
            self.state.report(error)
            return
        self.dialog.ordered.connect(self.start_import)
        self.dialog.open()

    @Slot(object)
    def start_import(self, order: TaskOrder) -> None:
        """Import what was ordered."""
        name = order.name or tasks.name_for(self.state.workspace, order.files)
        job = Job(tr("Import {name}", name=name))
        self.state.run("bulk", job, tasks.import_task, self.state.workspace, name, order.kind,
                       order.files, order.options)  # fmt: skip

    @Slot()
    def make_samples(self) -> None:
        """Make the tasks that come with the program."""
        from lmstudio.operations import sample_tasks

        job = Job(tr("Make the sample tasks"))
        self.state.run("bulk", job, sample_tasks.sample_tasks, self.state.workspace)

    # what is done with the task chosen

    @Slot()
    def rename(self) -> None:
        """Ask for another name."""
        if self.task is not None:
            dialog = NameDialog(tr("Rename {name}", name=self.task.name), self.task.name, self)
            dialog.named.connect(self._rename)
            dialog.open()

    @Slot(str)
    def _rename(self, name: str) -> None:
        if self.task is not None:
            renaming.rename(self.state, tasks.rename, self.task.id, self.task.name, name)

    @Slot()
    def delete(self) -> None:
        """Ask whether the task may be deleted."""
        if self.task is not None:
            number = len(self.state.workspace.tuned_runs(self.task.id))
            detail = tr("Its examples and {count} fine-tuned runs go to the trash.", count=number)
            dialog = DeleteDialog(tr("Delete {name}?", name=self.task.name), detail, self)
            dialog.accepted.connect(self._delete)
            dialog.open()

    @Slot()
    def _delete(self) -> None:
        if self.task is not None:
            job = Job(tr("Delete {name}", name=self.task.name))
            self.state.run("bulk", job, tasks.delete, self.state.workspace, self.task.id)

    @Slot()
    def export(self) -> None:
        """Ask for a folder and write the examples there."""
        if self.task is None:
            super().export()
            return
        name = QFileDialog.getExistingDirectory(self, tr("Save the examples in a folder"))
        if name:
            job = Job(tr("Save {name}", name=self.task.name))
            self.state.run("bulk", job, tasks.export_task, self.state.workspace, self.task.id,
                           Path(name))  # fmt: skip
