"""JobRow: one job with its progress or its outcome, and what can be done with it."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.panels.train import training_jobs
from lmstudio.gui.pause_button import PauseButton
from lmstudio.gui.run_figures import BestFigure
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import ElidedLabel, Mark, ProgressLine, button, label, set_tone, tool
from lmstudio.jobs import ENDED, LANES, Job
from lmstudio.messages import tr
from lmstudio.operations import training
from lmstudio.operations.run_names import sees_both_sides
from lmstudio.operations.run_recorder import UNFINISHED
from lmstudio.store.rows import RunRow


class JobRow(QFrame):
    """Drawn from the job each time `refresh` is called."""

    chosen = Signal(object)  # the job, when the row is clicked or Enter is pressed on it
    details_wanted = Signal(object)
    moved = Signal()  # to the head of its queue

    def __init__(self, state: AppState, job: Job, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state, self.job = state, job
        self.run = _run_of(state, job)
        self._best: BestFigure | None = None  # of the run, once it is trained
        self.setProperty("kind", "row")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        name = self.run.name if self.run else job.title
        self.setAccessibleName(name)
        self._mark = Mark(self.run.model if self.run else "", self)
        self._mark.setVisible(self.run is not None)
        self._name = ElidedLabel(name, bold=True)
        self._line = ProgressLine(tr("Progress"), parent=self)
        self._text = ElidedLabel(size=12, tone="muted")
        self._percent = label(size=12)
        self._buttons()
        self._lay_out()
        self.refresh()

    def _buttons(self) -> None:
        self.pause = PauseButton(self)
        self.pause.toggled_job.connect(self.refresh)
        self.stop = tool("stop", tr("Stop; what is saved is kept"), parent=self)
        self.stop.clicked.connect(self._stop)
        self.first = tool("up", tr("Make it the next"), parent=self)
        self.first.clicked.connect(self._move_first)
        self.remove = tool("close", tr("Take it out of the queue"), parent=self)
        self.remove.clicked.connect(self._remove)
        self.resume = button(tr("Continue"), "link", parent=self)
        self.resume.clicked.connect(self._resume)
        self.details = button(tr("Details"), "link", parent=self)
        self.details.clicked.connect(self._show_details)

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(theme.px(8))
        top.addWidget(self._mark)
        top.addWidget(self._name, 1)
        for widget in (self._percent, self.details, self.resume, self.first, self.remove,
                       self.pause, self.stop):  # fmt: skip
            top.addWidget(widget)
        layout = QVBoxLayout(self)
        side = theme.px(6)
        layout.setContentsMargins(side, theme.px(4), side, theme.px(8))
        layout.setSpacing(theme.px(4))
        layout.addLayout(top)
        layout.addWidget(self._line)
        layout.addWidget(self._text)

    def set_chosen(self, chosen: bool) -> None:
        """Mark the row whose log is shown."""
        self.setProperty("chosen", chosen)
        self.style().unpolish(self)
        self.style().polish(self)

    @Slot()
    def refresh(self) -> None:
        """Draw everything from the job."""
        job = self.job
        running, waiting = job.state == "running", job.state == "queued"
        for widget in (self.stop, self._line, self._percent):
            widget.setVisible(running)
        self.first.setVisible(waiting)
        self.remove.setVisible(waiting)
        self.details.setVisible(job.state == "failed")
        self.resume.setVisible(job.state in ENDED and self.can_continue())
        self.resume.setText(tr("Score") if self._waits_for_scores() else tr("Continue"))
        self.pause.show_job(job)
        self.stop.setEnabled(not job.cancelling)
        share = job.done / job.total if job.total else 0.0
        self._line.set_share(share)
        self._percent.setText(figures.percent(share) if job.total else "")
        self._text.setText(self.sentence())
        self._text.setVisible(not waiting)
        set_tone(self._text, "bad" if job.state == "failed" else "muted")

    def add(self, points: list[tuple[int, dict[str, float]]]) -> None:
        """Take in points of the run, and draw everything."""
        if points and self.run is not None:
            self._figures().add(points)
        self.refresh()

    def _figures(self) -> BestFigure:
        assert self.run is not None
        if self._best is None:
            self._best = BestFigure(self._state, self.run.id)
        return self._best

    def sentence(self) -> str:
        """How it stands with the job."""
        job = self.job
        if job.state == "queued":
            return tr("waiting")
        if job.state == "running":
            return self._progress()
        took = figures.duration((job.ended or 0.0) - (job.started or 0.0))
        if job.state == "failed":
            return str(job.error)
        if job.state == "cancelled" and self._waits_for_scores():
            return tr("trained, not scored yet")
        if job.state == "cancelled":
            return tr("taken out of the queue") if job.started is None else tr("stopped")
        return self._outcome(took)

    def _progress(self) -> str:
        if self.job.cancelling:
            return tr("Stopping…")
        if self.job.paused:
            return tr("paused")
        left = self.job.seconds_left()
        parts = [str(self.job.note)]
        if self._best is not None:
            parts += [self._best.text(), self._best.speed()]
        if left is not None:
            parts.append(tr("{time} left", time=figures.duration(left)))
        return " · ".join(part for part in parts if part)

    def _outcome(self, took: str) -> str:
        known = self._state.workspace.evaluation(self.run.id, "valid") if self.run else None
        if known is None:
            return tr("done in {time}", time=took)
        if self.run and (self.run.task is not None or sees_both_sides(self.run.spec)):
            best = self._figures().text()
            return " · ".join(part for part in (tr("done in {time}", time=took), best) if part)
        bits = figures.decimal(known["bits_per_character"])
        return tr("done in {time}: valid {bits} bits/character", time=took, bits=bits)

    def can_continue(self) -> bool:
        """It trained a run that ended early, or unmeasured, and is not already being continued."""
        if self.run is None:
            return False
        again = any(job.run_id == self.run.id for job in self._state.jobs.jobs())
        row = _run_of(self._state, self.job)
        if row is None or again:
            return False
        return row.state in UNFINISHED or (
            self.job.state != "done" and training.waits_for_scores(self._state.workspace, row)
        )  # fmt: skip

    def _waits_for_scores(self) -> bool:
        """Its run is trained, and was not measured on all that is held out."""
        row = _run_of(self._state, self.job) if self.job.state in ENDED else None
        return row is not None and training.waits_for_scores(self._state.workspace, row)

    @Slot()
    def _stop(self) -> None:
        self.job.cancel()
        self.refresh()

    @Slot()
    def _move_first(self) -> None:
        for lane in LANES:
            if self.job in self._state.queue.waiting(lane):
                self._state.queue.move_first(lane, self.job)
        self.moved.emit()

    @Slot()
    def _remove(self) -> None:
        training_jobs.withdraw(self._state, self.job)

    @Slot()
    def _resume(self) -> None:
        row = _run_of(self._state, self.job)
        if row is not None:
            training_jobs.start(self._state, row)

    @Slot()
    def _show_details(self) -> None:
        self.details_wanted.emit(self.job)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mousePressEvent(event)
        self.chosen.emit(self.job)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit(self.job)
        elif event.key() == Qt.Key.Key_Delete and self.job.state == "queued":
            self._remove()
        else:
            super().keyPressEvent(event)


def _run_of(state: AppState, job: Job) -> RunRow | None:
    """The run a job trains, while it exists."""
    return state.run_row(job.run_id)
