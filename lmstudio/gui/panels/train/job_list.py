"""JobList: the jobs that run, wait and have ended, in sections that come and go."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from lmstudio.gui import theme
from lmstudio.gui.panels.train.job_row import JobRow
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import hairline, label
from lmstudio.jobs import LANES, Job
from lmstudio.messages import tr


class JobList(QWidget):
    """Rows are made anew when a job comes or goes, and redrawn ten times a second."""

    chosen = Signal(object)  # a job
    details_wanted = Signal(object)
    changed = Signal()  # a job came, began or ended

    def __init__(
        self, state: AppState, parent: QWidget | None = None, *, ended: bool = True
    ) -> None:
        """`ended`: show also those of this session that are over."""
        super().__init__(parent)
        self._state, self._shows_ended = state, ended
        self.rows: list[JobRow] = []
        self._chosen: Job | None = None
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, theme.px(4), 0)
        self._layout.setSpacing(theme.px(4))
        watcher = state.jobs
        for signal in (watcher.added, watcher.started, watcher.run_known, watcher.finished):
            signal.connect(self._job_changed)
        watcher.progressed.connect(self._progressed)
        self.rebuild()

    def jobs(self) -> list[tuple[str, list[Job]]]:
        """The sections: title and jobs."""
        known = self._state.jobs.jobs()
        waiting = [job for lane in LANES for job in self._state.queue.waiting(lane)]
        running = [job for job in known if job not in waiting]
        sections = [(tr("Running"), running), (tr("Waiting"), waiting)]
        if self._shows_ended:
            sections.append((tr("Ended"), self._state.jobs.ended()))
        return [(title, jobs) for title, jobs in sections if jobs]

    @Slot()
    def rebuild(self) -> None:
        """Make the rows."""
        self.rows = []
        while (item := self._layout.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        for title, jobs in self.jobs():
            self._layout.addWidget(label(title, size=12, tone="muted"))
            for job in jobs:
                self._add(job)
        if not self.rows:
            self._layout.addWidget(label(tr("Nothing is running or waiting."), tone="muted",
                                         wrap=True))  # fmt: skip
        self._layout.addStretch()
        self._layout.activate()

    @Slot(object)
    def choose(self, job: Job) -> None:
        """Mark a job and tell which."""
        self._chosen = job
        for row in self.rows:
            row.set_chosen(row.job is job)
        self.chosen.emit(job)

    def _add(self, job: Job) -> None:
        row = JobRow(self._state, job, self)
        row.set_chosen(job is self._chosen)
        row.chosen.connect(self.choose)
        row.details_wanted.connect(self.details_wanted)
        row.moved.connect(self.rebuild)
        self._layout.addWidget(row)
        row.show()  # at once: the layout alone would do it a frame later
        self._layout.addWidget(hairline(self))
        self.rows.append(row)

    @Slot(object)
    def _job_changed(self, job: Job) -> None:
        if job.title:
            self.rebuild()
            self.changed.emit()

    @Slot(object, list)
    def _progressed(self, job: Job, points: list[tuple[int, dict[str, float]]]) -> None:
        for row in self.rows:
            if row.job is job:
                row.add(points)
