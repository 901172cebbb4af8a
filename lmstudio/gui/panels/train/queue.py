"""Queue: the jobs of all lanes, and what the chosen one said."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QWidget

from lmstudio.gui import theme
from lmstudio.gui.dialogs.error import ErrorDialog
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.panels.train.job_list import JobList
from lmstudio.gui.panels.train.job_log import JobLog
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Card, EmptyState, button, scrolled
from lmstudio.jobs import Job
from lmstudio.messages import tr


class QueuePanel(Panel):
    """Stop, cancel, move first, continue; read logs and failures."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.list = JobList(state, self)
        self.log = JobLog(state, self)
        self._pages = QStackedWidget(self)
        self.new = button(tr("New run"), "primary", icon_name="plus")
        self.new.clicked.connect(self._new_run)
        self._lay_out()
        self.list.chosen.connect(self.log.show_job)
        self.list.details_wanted.connect(self._show_details)
        self.list.changed.connect(self._refresh)
        state.runs_changed.connect(self._runs_changed)
        self.primary = self.new
        self._refresh()

    def _lay_out(self) -> None:
        jobs = Card(tr("Jobs"), parent=self)
        jobs.body.addWidget(scrolled(self.list, self), 1)
        both = QWidget(self)
        row = QHBoxLayout(both)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(12))
        row.addWidget(jobs, 4)
        row.addWidget(self.log, 5)
        empty = Card(parent=self)
        state = EmptyState(
            tr("Nothing is running"),
            tr("Imports, segmentations and trainings of this session are listed here."),
            [self.new], family="lstm",
        )  # fmt: skip
        empty.body.addWidget(state, 1)
        self._pages.addWidget(both)
        self._pages.addWidget(empty)
        self.page().addWidget(self._pages, 1)

    @Slot()
    def _refresh(self) -> None:
        self._pages.setCurrentIndex(0 if self.list.rows else 1)

    @Slot()
    def _runs_changed(self) -> None:
        for row in self.list.rows:
            row.refresh()

    @Slot(object)
    def _show_details(self, job: Job) -> None:
        self.log.show_job(job)
        ErrorDialog(str(job.error), job.details, self.window()).open()

    @Slot()
    def _new_run(self) -> None:
        self.state.panel_wanted.emit("new_run")
