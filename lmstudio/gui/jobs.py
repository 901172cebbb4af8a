"""The one bridge from jobs to Qt: a timer that polls them and emits what it saw.

No signal crosses a thread: jobs are plain objects, written by their threads and read here.
"""

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from lmstudio.jobs import ENDED, Job, Lane

POLL_MS = 100
QUICK_MS = 10  # between two looks for the answer of a question
KEPT = 50


class JobWatcher(QObject):
    """Watches jobs until they end. Signals come in the order of this list, `added` first."""

    added = Signal(object)  # job
    started = Signal(object)  # job
    run_known = Signal(object)  # job, as soon as it says which run it trains
    progressed = Signal(object, list)  # job, its new (step, {name: value}) points
    finished = Signal(object)  # job, in any end state

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs: list[Job] = []
        self._ended: deque[Job] = deque(maxlen=KEPT)
        self._begun: set[Job] = set()
        self._known: set[Job] = set()
        self._timer = QTimer(self, interval=POLL_MS)
        self._timer.timeout.connect(self._poll)
        self._quick = QTimer(self, interval=QUICK_MS)
        self._quick.timeout.connect(self._poll_questions)

    def watch(self, job: Job) -> None:
        """Follow `job` until it ends."""
        self._jobs.append(job)
        self._timer.start()
        if not job.title:
            self._quick.start()
        self.added.emit(job)

    def jobs(self) -> list[Job]:
        """Those with a title that have not ended, in the order they were given."""
        return [job for job in self._jobs if job.title]

    @property
    def busy(self) -> bool:
        """Something is under way, questions included."""
        return bool(self._jobs)

    def ended(self) -> list[Job]:
        """The last jobs with a title that ended, newest first."""
        return list(self._ended)

    @Slot()
    def _poll(self) -> None:
        for job in list(self._jobs):
            self._look_at(job)
        if not self._jobs:
            self._timer.stop()

    @Slot()
    def _poll_questions(self) -> None:
        """A slider moves bars while its answer is awaited: that is shown when it is there."""
        for job in [job for job in self._jobs if not job.title and job.state in ENDED]:
            self._look_at(job)
        if all(job.title for job in self._jobs):
            self._quick.stop()

    def _look_at(self, job: Job) -> None:
        state = job.state  # read before draining: nothing comes after the end
        if state != "queued":
            self._tell_start(job)
            self.progressed.emit(job, job.drain())
        if state in ENDED:
            self._jobs.remove(job)
            self._begun.discard(job)
            self._known.discard(job)
            if job.title:
                self._ended.appendleft(job)
            self.finished.emit(job)

    def _tell_start(self, job: Job) -> None:
        if job not in self._begun:
            self._begun.add(job)
            self.started.emit(job)
        if job.run_id is not None and job not in self._known:
            self._known.add(job)
            self.run_known.emit(job)


class Runner(Protocol):
    """What an Asker needs of the state."""

    jobs: JobWatcher

    def run(
        self, lane: Lane, job: Job, function: Callable[..., Any], *args: Any, quiet: bool = False
    ) -> Job: ...


class Asker(QObject):
    """Asks one question at a time; a new one cancels the last, whose answer is dropped.

    So does its end: nobody could stop a question whose window was thrown away.
    """

    answered = Signal(object)  # what the function returned
    failed = Signal(object)  # the AppError
    advanced = Signal(object)  # the Job that is at it, ten times a second

    def __init__(self, state: Runner, parent: QObject, lane: Lane = "ask") -> None:
        super().__init__(parent)
        self._state, self._lane = state, lane
        self._open: list[Job] = []  # the question, if there is one
        state.jobs.finished.connect(self._ended)
        state.jobs.progressed.connect(self._progressed)
        self.destroyed.connect(partial(_cancel, self._open))  # no slot of its own runs by then

    def ask(self, function: Callable[..., Any], *args: Any) -> None:
        """Call `function(*args, job=...)` in the lane and emit what comes of it."""
        self.cancel()
        self._open.append(self._state.run(self._lane, Job(), function, *args, quiet=True))

    def cancel(self) -> None:
        """Drop the question that is open."""
        _cancel(self._open)

    @property
    def busy(self) -> bool:
        """An answer is awaited."""
        return bool(self._open)

    @Slot(object)
    def _progressed(self, job: Job) -> None:
        if job in self._open:
            self.advanced.emit(job)

    @Slot(object)
    def _ended(self, job: Job) -> None:
        if job not in self._open:
            return
        self._open.clear()
        if job.state == "done":
            self.answered.emit(job.result)
        elif job.state == "failed":
            self.failed.emit(job.error)


def _cancel(jobs: list[Job], *_: object) -> None:
    """Drop questions; where a signal calls it, it may say more."""
    for job in jobs:
        job.cancel()
    jobs.clear()
