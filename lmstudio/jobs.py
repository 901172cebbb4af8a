"""Jobs: work with progress that can be cancelled, in a lane of the window or inline.

An operation takes a Job as its last argument. What is light it does itself, in a thread; what is
heavy it hands over with `job.call(function, ...)`. On the command line that is a plain call. In
the window it runs in the worker process of the job's lane, and `function` gets a stand-in for the
job whose ticks come back over a pipe. Nothing here knows Qt: the window polls.
"""

import logging
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any, Literal, TypeVar

from lmstudio.errors import AppError, Cancelled, refusal
from lmstudio.messages import Message
from lmstudio.worker import HURRIED, LOOK_EVERY, Pauses, Worker

Lane = Literal["train", "bulk", "ask"]
State = Literal["queued", "running", "done", "failed", "cancelled"]
T = TypeVar("T")

LANES: tuple[Lane, ...] = ("train", "bulk", "ask")
ENDED: tuple[State, ...] = ("done", "failed", "cancelled")
_log = logging.getLogger(__name__)


class Job:
    """What a running task and its watchers share. A task takes it as its last argument.

    Written by the task: `done`, `total`, `note`, `partial`, the points. Written by watchers: stop
    and pause.
    """

    def __init__(self, title: str = "") -> None:
        self.title = title
        self.state: State = "queued"
        self.result: Any = None
        self.error: AppError | None = None  # set when the state is "failed"
        self.details = ""  # the traceback of a failure that is a bug
        self.done: float = 0
        self.total: float = 0
        self.note: Message | str = ""
        self.partial: Any = None  # the newest part of the result, see `show`
        self.run_id: int | None = None  # the run this job trains, for the window's job bar
        self.measured_run: int | None = None  # the run this job evaluates: not deleted meanwhile
        self.on_point: Callable[[int, dict[str, float]], None] | None = None  # called as they come
        self.on_note: Callable[[Message | str], None] | None = None
        self.started: float | None = None
        self._origin: tuple[float, float] | None = None  # when, and what was done, as a step began
        self.ended: float | None = None
        self._points: list[tuple[int, dict[str, float]]] = []
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._pauses = Pauses()
        self._worker: Worker | None = None

    def tick(self, done: float, total: float = 0, note: Message | str = "", **point: float) -> None:
        """Report progress; cheap, and the one place where stop takes effect.

        `point` are figures of step `done` for a curve (loss=, valid_loss=).
        """
        self.record(done, total, note, **point)
        self.check()

    def record(
        self, done: float, total: float = 0, note: Message | str = "", **point: float
    ) -> None:
        """What `tick` reports, with neither stop nor pause taking effect."""
        with self._lock:
            another = done < self.done or 0 < total != self.total  # a resumed run, the next step
            if self._origin is None or another:
                self._origin = self._working_time(), done
            self.done, self.total = done, total or self.total
            self.note = note or self.note
            if point:
                self._points.append((int(done), point))
        if point and self.on_point:
            self.on_point(int(done), point)
        if note and self.on_note:
            self.on_note(note)

    def remark(self, note: Message | str) -> None:
        """Say something for the log; `note`, the stage that the work is in, stays what it is."""
        if self.on_note:
            self.on_note(note)

    def show(self, partial: Any) -> None:
        """Let watchers see what there is of the result until now; only the newest is kept."""
        self.partial = partial

    def check(self) -> None:
        """Wait while the user wants a pause; raise Cancelled if stop was pressed."""
        while self.paused and not self.cancelling:
            time.sleep(LOOK_EVERY)
        if self.cancelling:
            raise Cancelled(self.title)

    def call(
        self,
        function: Callable[..., T],
        *args: Any,
        **kwargs: Any,
    ) -> T:
        """`function(*args, job=..., **kwargs)`, in the lane's worker process if there is one.

        `function` is at the top of an importable module; arguments, result and errors are pickled.
        """
        self.check()
        if self._worker is None:
            return function(*args, job=self, **kwargs)
        return self._worker.call(self, function, args, kwargs)

    def cancel(self) -> None:
        """Ask the task to end; it does at its next tick."""
        self._stop.set()

    def pause(self) -> None:
        """Ask the task to wait; it does at its next tick, with all it has in memory."""
        self._pauses.begin()

    def resume_work(self) -> None:
        """Let a task that waits go on."""
        self._pauses.end()

    @property
    def paused(self) -> bool:
        """A pause was asked for."""
        return self._pauses.under_way

    @property
    def paused_seconds(self) -> float:
        """How long the pauses were until now; no part of the time that work took."""
        return self._pauses.seconds

    @property
    def ticked(self) -> bool:
        """The task has reported something."""
        return self._origin is not None

    @property
    def cancelling(self) -> bool:
        """Stop was pressed."""
        return self._stop.is_set()

    def drain(self) -> list[tuple[int, dict[str, float]]]:
        """The points since the last call; the watcher asks ten times a second."""
        with self._lock:
            points, self._points = self._points, []
        return points

    def seconds_left(self) -> float | None:
        """A straight-line guess from what is done of the step; None before a hundredth of it is."""
        if self._origin is None or not self.total:
            return None
        when, before = self._origin
        if self.done - before < self.total / 100:
            return None
        return (self._working_time() - when) * (self.total - self.done) / (self.done - before)

    def _working_time(self) -> float:
        return time.monotonic() - self.paused_seconds


class JobQueue:
    """Three lanes, each with a thread and a worker process; one job at a time in each."""

    def __init__(self, warm: dict[Lane, tuple[str, ...]] | None = None) -> None:
        """`warm`: modules that each lane's worker imports at once."""
        warm = warm or {}
        self._lanes = {lane: _LaneThread(lane, warm.get(lane, ())) for lane in LANES}

    def start_workers(self) -> None:
        """Start the processes now (after the first paint), so that the first job need not wait."""
        for lane in self._lanes.values():
            lane.submit(Job(), lane.start)

    def renew_workers(self) -> None:
        """Start those that run anew, each when it has nothing to do: limits have changed."""
        for lane in self._lanes.values():
            lane.submit(Job(), lane.renew)

    def submit(self, lane: Lane, job: Job, function: Callable[..., Any], *args: Any) -> Job:
        """Queue `function(*args, job=job)`, where `function` is an operation."""
        self._lanes[lane].submit(job, lambda job: function(*args, job=job))
        return job

    def move_first(self, lane: Lane, job: Job) -> None:
        """Let a queued job be the next of its lane."""
        self._lanes[lane].move_first(job)

    def withdraw(self, job: Job) -> bool:
        """Take a job that has not started out of its lane; False if it is not waiting."""
        return any(lane.withdraw(job) for lane in self._lanes.values())

    def waiting(self, lane: Lane) -> list[Job]:
        """The jobs not yet started, in order."""
        return self._lanes[lane].waiting()

    def worker_pid(self, lane: Lane) -> int | None:
        """The process that works for a lane, None if it is not running."""
        return self._lanes[lane].worker.pid

    def close(self, seconds: float = 4.0) -> None:
        """Cancel everything, wait for tidy ends, then kill what is left."""
        for name, lane in self._lanes.items():
            if name != "train":  # which writes a last checkpoint
                lane.worker.patience = HURRIED
            lane.close()
        deadline = time.monotonic() + seconds
        for lane in self._lanes.values():
            lane.join(max(0.0, deadline - time.monotonic()))


class _LaneThread:
    """The supervisor of a lane: takes its jobs in order, runs each, records how it ended."""

    def __init__(self, lane: Lane, warm: tuple[str, ...]) -> None:
        self.worker = Worker(lane, warm)
        self._jobs: list[tuple[Job, Callable[[Job], Any]]] = []
        self._wake = threading.Condition()
        self._current: Job | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._serve, name=f"lane-{lane}", daemon=True)
        self._thread.start()

    def submit(self, job: Job, function: Callable[[Job], Any]) -> None:
        with self._wake:
            self._jobs.append((job, function))
            self._wake.notify()

    def start(self, job: Job) -> None:
        self.worker.start()

    def renew(self, job: Job) -> None:
        if self.worker.pid is not None:
            self.worker.kill()
            self.worker.start()

    def move_first(self, job: Job) -> None:
        with self._wake:
            self._jobs.sort(key=lambda entry: entry[0] is not job)

    def withdraw(self, job: Job) -> bool:
        with self._wake:
            kept = [entry for entry in self._jobs if entry[0] is not job]
            found = len(kept) < len(self._jobs)
            self._jobs = kept
        if found:
            job.cancel()
            job.state = "cancelled"
        return found

    def waiting(self) -> list[Job]:
        with self._wake:
            return [job for job, _ in self._jobs if job.title]

    def close(self) -> None:
        with self._wake:
            self._closed = True
            for job, _ in self._jobs:
                job.cancel()
            if self._current:
                self._current.cancel()
            self._wake.notify()

    def join(self, seconds: float) -> None:
        self._thread.join(seconds)
        self.worker.stop()

    def _serve(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._jobs or self._closed)
                if not self._jobs:
                    return
                job, function = self._jobs.pop(0)
                self._current = job
            job._worker = self.worker
            run(job, function)


def run(job: Job, function: Callable[[Job], Any]) -> None:
    """`function(job)`, with its end recorded in the job whatever happens."""
    job.started = time.monotonic()
    job.state = "running"
    try:
        job.check()
        job.result = function(job)
        state: State = "done"
    except Cancelled:
        state = "cancelled"
    except Exception as error:  # the job body: one of the three places that catch everything
        job.error = refusal(error) or _bug(job, error)
        state = "failed"
    job.ended = time.monotonic()
    job.state = state  # last: a watcher that sees the end sees all the rest


def _bug(job: Job, error: Exception) -> AppError:
    """What is said of a bug; the rest goes to the log and the job's details."""
    job.details = getattr(error, "remote_traceback", "") or traceback.format_exc()
    _log.error("a job failed:\n%s", job.details)  # its title names what the user calls things
    return AppError(
        "This should not have happened ({error}). The details are in the log.", error=repr(error)
    )
