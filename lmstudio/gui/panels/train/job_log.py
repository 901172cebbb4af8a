"""JobLog: a job in; what it said, its points as a table and, if it failed, the details out."""

from PySide6.QtCore import Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from lmstudio import figures
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.state import AppState
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.gui.widgets import Card, button, label
from lmstudio.jobs import Job
from lmstudio.messages import Message, tr
from lmstudio.operations import runs

NAMES = ("loss", "valid_loss", "learning_rate", "tokens_per_second")
SHOWN = 400  # rows, the newest


class JobLog(Card):
    """A card beside the list of jobs."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(tr("Log"), parent=parent)
        self._state = state
        self._job: Job | None = None
        self._points: dict[int, dict[str, float]] = {}
        self._text = label(tone="muted", wrap=True)
        self._details = QPlainTextEdit(self)
        self._details.setReadOnly(True)
        self._details.setAccessibleName(tr("Details"))
        self._copy = button(tr("Copy details"), "link", parent=self)
        self._copy.clicked.connect(self.copy)
        self.row.add_tool(self._copy)
        self.table = Table(_columns(), tr("Log of the run"), self, row_height=24)
        self.table.setSortingEnabled(False)
        self.body.addWidget(self._text)
        self.body.addWidget(self._details, 1)
        self.body.addWidget(self.table, 1)
        self.body.addStretch()
        self.setMinimumWidth(theme.px(300))
        state.jobs.progressed.connect(self._progressed)
        state.jobs.finished.connect(self._finished)
        self.show_job(None)

    @Slot(object)
    def show_job(self, job: Job | None) -> None:
        """Show the log of a job; None says how to get one."""
        self._job = job
        self._points = {}
        if job is not None and job.run_id is not None:
            self._read(job.run_id)
        self._refresh()

    def _read(self, run_id: int) -> None:
        for name in NAMES:
            for step, seconds, value in self._state.workspace.metrics(run_id, name):
                self._points.setdefault(step, {"seconds": seconds})[name] = value

    def _refresh(self) -> None:
        job = self._job
        failed = job is not None and job.state == "failed"
        self.row.set_note(job.title if job else "")
        self._text.setText("\n".join(self._lines()))
        self._copy.setVisible(failed)
        self._details.setVisible(bool(failed and job and job.details))
        self._details.setPlainText(job.details if job else "")
        self.table.setVisible(bool(self._points))
        newest = sorted(self._points, reverse=True)[:SHOWN]
        self.table.set_rows([_row(step, self._points[step]) for step in newest])

    def _lines(self) -> list[str]:
        job = self._job
        if job is None:
            return [tr("Choose a job to see what it said.")]
        lines = [str(job.error)] if job.error else [str(job.note)] if job.note else []
        if job.run_id is None:
            return lines
        try:
            row = self._state.workspace.run(job.run_id)
        except AppError:  # it was deleted
            return lines
        if row.facts.get("why_ended"):
            lines.append(str(Message(*row.facts["why_ended"])))
        return [*lines, *map(str, runs.notes(row.facts))]

    @Slot(object, list)
    def _progressed(self, job: Job, points: list[tuple[int, dict[str, float]]]) -> None:
        if job is not self._job or not (points or job.note):
            return
        seconds = max((p["seconds"] for p in self._points.values()), default=0.0)
        for step, point in points:
            self._points.setdefault(step, {"seconds": point.get("seconds", seconds)}).update(point)
        if self.isVisible():
            self._refresh()

    @Slot(object)
    def _finished(self, job: Job) -> None:
        if job is self._job:
            self.show_job(job)

    @Slot()
    def copy(self) -> None:
        """The failure with all details on the clipboard."""
        if self._job is not None:
            QGuiApplication.clipboard().setText(f"{self._job.error}\n\n{self._job.details}")


def _columns() -> list[Column]:
    return [
        Column("step", tr("Step"), right=True, show=figures.count, width=76),
        Column("seconds", tr("Time"), right=True, show=figures.duration, width=100),
        Column("loss", tr("Loss (nats)"), right=True, show=_loss, width=100),
        Column("valid_loss", tr("Valid loss"), right=True, show=_loss, width=96),
        Column("learning_rate", tr("Learning rate"), right=True, show=lambda v: f"{v:.2g}",
               width=104),
        Column("tokens_per_second", tr("Tokens/s"), right=True, show=figures.short),
    ]  # fmt: skip


def _loss(value: float) -> str:
    return figures.decimal(value, 3)


def _row(step: int, point: dict[str, float]) -> Row:
    return Row(step, {"step": Cell(step), **{name: Cell(value) for name, value in point.items()}})
