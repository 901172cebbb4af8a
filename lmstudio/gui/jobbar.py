"""JobBar: always there; the job that runs, how far it is, its best figure, how long it takes."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.dialogs.error import ErrorDialog
from lmstudio.gui.pause_button import PauseButton
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import (
    ElidedLabel,
    Mark,
    ProgressLine,
    Spark,
    button,
    label,
    set_tone,
    tool,
)
from lmstudio.jobs import Job
from lmstudio.messages import tr

if TYPE_CHECKING:
    from lmstudio.gui.run_figures import BestFigure

SPARK_POINTS = 40
TELL_MS = 8000  # how long a sentence stands that needs no answer


class JobBar(QFrame):
    """40 px at the foot of the window, in one of three states: idle, running, failed."""

    queue_wanted = Signal()

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("jobbar")
        self.setFixedHeight(theme.px(40))
        self.setAccessibleName(tr("Jobs"))
        self._state = state
        self._job: Job | None = None
        self._failed: Job | None = None
        self._best: BestFigure | None = None
        self._said = ""
        self._build()
        self._forget = QTimer(self, interval=TELL_MS, singleShot=True)
        self._forget.timeout.connect(self._forget_said)
        state.jobs.started.connect(self._job_started)
        state.jobs.run_known.connect(self._run_known)
        state.jobs.progressed.connect(self._progressed)
        state.jobs.finished.connect(self._job_ended)
        state.told.connect(self.say)
        state.machine_changed.connect(self._show_machine)
        self._show_machine()
        self._pick()

    def _build(self) -> None:
        self._mark, self._name = Mark("", self), label(bold=True)
        self._line = ProgressLine(tr("Progress"), parent=self)
        self._line.setFixedWidth(theme.px(144))
        self._percent, self._figure = label(), label()
        self._spark = Spark(tr("Curve"), self)
        self._speed = label(tone="muted")
        self._note = ElidedLabel(tone="muted")
        self._left = label()
        self._pause = PauseButton(self)
        self._pause.toggled_job.connect(self._refresh)
        self._stop = tool("stop", tr("Stop; what is saved is kept  Ctrl+."), parent=self)
        self._stop.clicked.connect(self.stop)
        self._details = button(tr("Details"), "link", parent=self)
        self._details.clicked.connect(self._show_details)
        self._resume = button(tr("Continue"), "link", parent=self)
        self._resume.clicked.connect(self._continue)
        self._machine = label(size=12, tone="muted")
        self._queue = button("", "link", parent=self)
        self._queue.clicked.connect(self.queue_wanted)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(theme.px(16), 0, theme.px(12), 0)
        layout.setSpacing(theme.px(10))
        widgets: tuple[QWidget, ...] = (
            self._mark, self._name, self._line, self._percent, self._figure, self._spark,
            self._speed, self._note,
            self._details, self._resume, self._left, self._pause, self._stop, self._queue,
            self._machine,
        )  # fmt: skip
        for widget in widgets:
            layout.addWidget(widget, 1 if widget is self._note else 0)

    @Slot()
    def _show_machine(self) -> None:
        found = self._state.machine
        if found is not None:
            cores = tr("CPU with {cores} cores", cores=found.cores)
            self._machine.setText(str(found.devices[-1]["title"]) if found.devices[1:] else cores)

    @Slot(str)
    def say(self, sentence: str) -> None:
        """Show a sentence while nothing runs; it goes away by itself."""
        self._said = sentence
        self._forget.start()
        self._refresh()

    @Slot()
    def stop(self) -> None:
        """Stop the job that is shown."""
        if self._job is not None:
            self._job.cancel()
            self._refresh()

    @Slot()
    def pause(self) -> None:
        """Let the job that is shown wait, or go on."""
        self._pause.toggle()

    @Slot()
    def _forget_said(self) -> None:
        self._said = ""
        self._refresh()

    @Slot(object)
    def _job_started(self, job: Job) -> None:
        self._failed = None
        self._pick()

    @Slot(object)
    def _run_known(self, job: Job) -> None:
        if job is self._job:
            self._take(job)

    @Slot(object, list)
    def _progressed(self, job: Job, points: list[tuple[int, dict[str, float]]]) -> None:
        if job is self._job:
            if self._best is not None:
                self._best.add(points)
            self._refresh()

    @Slot(object)
    def _job_ended(self, job: Job) -> None:
        if job.title and job.state == "failed":
            self._failed = job
        self._pick()

    def _pick(self) -> None:
        """The job to show: one that trains before any other that runs."""
        running = [job for job in self._state.jobs.jobs() if job.state == "running"]
        job = min(running, key=lambda job: job.run_id is None, default=None)
        if job is not self._job:
            self._take(job)
        self._refresh()

    def _take(self, job: Job | None) -> None:
        self._job, self._best = job, None
        if job is not None and job.run_id is not None:
            from lmstudio.gui.run_figures import BestFigure  # numpy: not before the first paint

            self._best = BestFigure(self._state, job.run_id)
        self._mark.set_family(self._best.family if self._best else "")
        self._refresh()

    def _refresh(self) -> None:
        job, failed = self._job, self._failed if self._job is None else None
        for widget in (self._name, self._line, self._percent, self._figure, self._left, self._stop):
            widget.setVisible(job is not None)
        trains: tuple[QWidget, ...] = (self._mark, self._spark, self._speed)
        for part in trains:
            part.setVisible(job is not None and self._best is not None)
        self._pause.show_job(job)
        self._details.setVisible(failed is not None)
        self._resume.setVisible(failed is not None and self._can_continue(failed))
        set_tone(self._note, "bad" if failed else "muted")
        if job is not None:
            self._show_running(job)
        elif failed is not None:
            self._note.setText(f"{failed.title}: {failed.error}")
        else:
            self._note.setText(self._said or tr("No job is running."))
        waiting = sum(len(self._state.queue.waiting(lane)) for lane in ("train", "bulk"))
        self._queue.setText(tr("{count} waiting", count=waiting))
        self._queue.setVisible(waiting > 0)

    def _show_running(self, job: Job) -> None:
        self._name.setText(job.title)
        share = job.done / job.total if job.total else 0.0
        self._line.set_share(share)
        self._percent.setText(figures.percent(share) if job.total else "")
        if self._best is not None:
            self._figure.setText(self._best.text())
            self._spark.set_values(self._best.losses[-SPARK_POINTS:], self._best.family)
            self._spark.setVisible(len(self._best.losses) > 1)
            self._speed.setText(self._best.speed())
        else:
            self._figure.setText("")
        self._note.setText(_standing(job))
        left = job.seconds_left()
        show_left = left is not None and not job.cancelling and not job.paused
        self._left.setText(tr("{time} left", time=figures.duration(left)) if show_left else "")
        self._stop.setEnabled(not job.cancelling)

    def _can_continue(self, job: Job) -> bool:
        from lmstudio.gui import run_figures

        return job.run_id is not None and run_figures.can_continue(self._state, job.run_id)

    @Slot()
    def _show_details(self) -> None:
        if self._failed is not None:
            ErrorDialog(str(self._failed.error), self._failed.details, self.window()).open()

    @Slot()
    def _continue(self) -> None:
        from lmstudio.gui import run_figures

        failed, self._failed = self._failed, None
        if failed is not None and failed.run_id is not None:
            run_figures.go_on(self._state, failed.run_id)


def _standing(job: Job) -> str:
    """What a job that runs is doing."""
    if job.cancelling:
        return tr("Stopping…")
    return tr("paused") if job.paused else str(job.note)
