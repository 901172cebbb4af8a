"""A worker process: runs one function at a time for its owner, and may die without harm.

Owner and worker talk over a pipe in plain data. The worker ends by itself when the pipe closes,
so no owner, however it ends, leaves one behind; it may own workers in turn (see `Pool`).
"""

import importlib
import logging
import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any

from lmstudio import limits, messages
from lmstudio.errors import Cancelled, WorkerDied, refusal
from lmstudio.messages import msg

if TYPE_CHECKING:
    from lmstudio.jobs import Job

_log = logging.getLogger(__name__)
TRAINING_DIED = msg(
    "The process that did the work has ended by itself (exit code {code}). What was saved "
    "is kept; start again, or continue from the last checkpoint. If memory ran out, make "
    "the batch or the model smaller."
)
OTHER_DIED = msg(
    "The process that did the work has ended by itself (exit code {code}). Nothing was changed; "
    "start again. If memory or the disk ran out, close other programs or free some space first."
)
SEND_EVERY = 0.05  # seconds between two batches of ticks
LOOK_EVERY = 0.05  # seconds between two looks at what the owner wants
KILL_AFTER = 3.0  # seconds a cancelled function may take to end by itself
HURRIED = 0.5  # the same while the program closes, for what keeps nothing


GO_ON, STOP, PAUSE = 0, 1, 2
"""What the owner wants of the function that runs, in a byte that both processes see."""


class Pauses:
    """The times in which work waited."""

    def __init__(self) -> None:
        self._before = 0.0  # seconds of those that have ended
        self._since: float | None = None

    def begin(self) -> None:
        """A pause begins, unless one is under way."""
        if self._since is None:
            self._since = time.monotonic()

    def end(self) -> None:
        """The pause that is under way ends."""
        self._before, self._since = self.seconds, None

    @property
    def under_way(self) -> bool:
        """Whether there is a pause now."""
        return self._since is not None

    @property
    def seconds(self) -> float:
        """Of all pauses until now."""
        since = self._since
        return self._before + (0.0 if since is None else time.monotonic() - since)


class RemoteError(Exception):
    """A bug in the worker, with the traceback it had there."""

    def __init__(self, error: str, remote_traceback: str) -> None:
        super().__init__(error)
        self.remote_traceback = remote_traceback


class Worker:
    """The owner's end of a worker process. Used by one thread at a time."""

    def __init__(self, name: str, warm: tuple[str, ...] = ()) -> None:
        """`warm` are modules the process imports before its first task."""
        self.name, self._warm = name, warm
        self._process: Any = None
        self._pipe: Connection | None = None
        self._wish: Any = None
        self._starting = threading.Lock()
        self._retired = False
        self.patience = KILL_AFTER

    @property
    def pid(self) -> int | None:
        """The process id, None while there is no process."""
        return self._process.pid if self._process and self._process.is_alive() else None

    def start(self) -> None:
        """Start the process unless it runs."""
        with self._starting:
            if self.pid is not None or self._retired:
                return
            context = multiprocessing.get_context("spawn")
            self._pipe, theirs = context.Pipe()
            self._wish = context.RawValue("b", GO_ON)  # an Event outlives a killed owner
            self._process = context.Process(
                target=_serve, args=(theirs, self._wish, self._warm), name=f"lmstudio-{self.name}"
            )
            self._process.start()
            theirs.close()

    def stop(self) -> None:
        """End the process for good: no call starts another."""
        with self._starting:
            self._retired = True
        self.kill()

    def kill(self) -> None:
        """End the process now; the next call starts a new one."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = None

    def call(
        self,
        job: "Job",
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Run `function(*args, job=<stand-in>, **kwargs)` there and give back what it returns.

        Raises what it raised; Cancelled when the job is stopped, WorkerDied when the process ends.
        """
        self.send(function, args, kwargs)
        cancelled_at = 0.0
        while True:
            if job.cancelling and not cancelled_at:
                cancelled_at = time.monotonic()
            self._wish.value = STOP if cancelled_at else PAUSE if job.paused else GO_ON
            if cancelled_at and time.monotonic() - cancelled_at > self.patience:
                self.kill()
                raise Cancelled(job.title)
            answer = self._receive(LOOK_EVERY)
            if answer is None:
                continue
            kind, value = answer
            if kind == "ticks":
                _replay(job, value)
            elif kind == "partial":
                job.show(value)
            else:
                return _unwrap(kind, value)

    def send(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        """Give the process its next task."""
        self.start()
        if self._pipe is None:
            raise Cancelled(self.name)
        self._wish.value = GO_ON
        try:
            self._pipe.send((messages.language(), function, args, kwargs))
        except (BrokenPipeError, ConnectionResetError):
            raise self._died() from None

    def _receive(self, seconds: float) -> tuple[str, Any] | None:
        """The next message, None if none came in time."""
        pipe = self._pipe
        if pipe is None:
            raise Cancelled(self.name)
        try:
            return pipe.recv() if pipe.poll(seconds) else None
        except (EOFError, OSError):
            raise self._died() from None

    def _died(self) -> WorkerDied:
        """What is to be raised of a process that is gone; Cancelled where `stop` ended it."""
        process = self._process
        if process is None:  # while the window closes
            raise Cancelled(self.name)
        process.join(2)
        code = process.exitcode
        self.kill()
        _log.info("worker %s ended with %s", self.name, code)
        return WorkerDied(TRAINING_DIED if self.name == "train" else OTHER_DIED, code=code)


class Pool:
    """Several workers that share the pieces of one task; answers come in order."""

    def __init__(self, count: int, warm: tuple[str, ...] = ()) -> None:
        self._workers = [Worker(f"pool-{i}", warm) for i in range(count)]

    def map(
        self, job: "Job", function: Callable[..., Any], pieces: Iterable[tuple[Any, ...]]
    ) -> Iterator[Any]:
        """`function(*piece, job=...)` for each piece, at most two pieces ahead of the reader."""
        waiting: deque[_Piece] = deque()
        idle = list(self._workers)
        for args in pieces:
            while not idle:
                self._collect(job, waiting, idle)
            worker = idle.pop()
            worker.send(function, args, {})
            waiting.append(_Piece(worker))
            while waiting and waiting[0].ready:
                yield waiting.popleft().value
            while len(waiting) > 2 * len(self._workers):
                self._collect(job, waiting, idle)
                while waiting and waiting[0].ready:
                    yield waiting.popleft().value
        while waiting:
            while not waiting[0].ready:
                self._collect(job, waiting, idle)
            yield waiting.popleft().value

    def _collect(self, job: "Job", waiting: "deque[_Piece]", idle: list[Worker]) -> None:
        """Wait for at least one worker to answer."""
        job.check()
        busy = [piece for piece in waiting if not piece.ready]
        wait([piece.worker._pipe for piece in busy if piece.worker._pipe], 0.1)
        for piece in busy:
            answer = piece.worker._receive(0)
            if answer and answer[0] not in ("ticks", "partial"):
                piece.value, piece.ready = _unwrap(*answer), True
                idle.append(piece.worker)

    def close(self) -> None:
        """End all processes."""
        for worker in self._workers:
            worker.stop()


class _Piece:
    def __init__(self, worker: Worker) -> None:
        self.worker, self.ready, self.value = worker, False, None


def _replay(job: "Job", ticks: list[tuple[Any, ...]]) -> None:
    """Repeat the worker's ticks on the owner's job; stop and pause are the worker's to notice."""
    for done, total, note, point in ticks:
        if done is None:
            job.remark(note)
        else:
            job.record(done, total, note, **point)


def _unwrap(kind: str, value: Any) -> Any:
    if kind == "result":
        return value
    if kind == "cancelled":
        raise Cancelled(value)
    if kind == "refused":
        raise value
    raise RemoteError(*value)


# --- in the worker process -------------------------------------------------------------------


def _serve(pipe: Connection, wish: Any, warm: tuple[str, ...]) -> None:
    """Take tasks until the owner's end of the pipe closes."""
    _be_nice()
    limits.keep()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the owner's to notice
    logging.captureWarnings(True)
    for module in warm:
        importlib.import_module(module)
    while True:
        try:
            language, function, args, kwargs = pipe.recv()
        except (EOFError, OSError):
            return
        messages.use(language)
        kind, value = _answer(function, args, kwargs, _RemoteJob(pipe, wish))
        try:
            pipe.send((kind, value))
        except OSError:
            return


def _answer(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    job: Any,
) -> tuple[str, Any]:
    try:
        value = function(*args, job=job, **kwargs)
        job.flush()
        return "result", value
    except Cancelled as stopped:
        job.flush()
        return "cancelled", str(stopped)
    except Exception as error:  # the job body, this side of the pipe
        if told := refusal(error):
            return "refused", told
        return "bug", (repr(error), traceback.format_exc())


def _be_nice() -> None:
    """The window comes first: lower priority, and idle OpenMP threads sleep."""
    os.environ["OMP_WAIT_POLICY"] = "passive"
    if sys.platform == "win32":
        import ctypes

        below_normal = 0x4000
        kernel = ctypes.windll.kernel32
        kernel.SetPriorityClass(kernel.GetCurrentProcess(), below_normal)
    else:
        os.nice(10)


class _RemoteJob:
    """The job as its function sees it in the worker: ticks are sent home in batches."""

    def __init__(self, pipe: Connection, wish: Any) -> None:
        self._pipe, self._wish = pipe, wish
        self._pauses = Pauses()
        self._ticks: list[tuple[Any, ...]] = []
        self._sent = self._shown = 0.0

    def tick(self, done: float, total: float = 0, note: Any = "", **point: float) -> None:
        if (
            self._ticks
            and not point
            and not self._ticks[-1][3]
            and self._ticks[-1][0] is not None
            and self._ticks[-1][2] in ("", note)
        ):
            self._ticks.pop()  # only the last of several bare ticks matters
        self._ticks.append((done, total, note, point))
        if time.monotonic() - self._sent >= SEND_EVERY:
            self.flush()
        self.check()

    def remark(self, note: Any) -> None:
        """Sent home in its place among the ticks, as one without progress."""
        self._ticks.append((None, 0, note, {}))

    def show(self, partial: Any) -> None:
        """One that comes soon after another is dropped: the result follows at the end anyway."""
        if time.monotonic() - self._shown >= SEND_EVERY:
            self._send("partial", partial)
            self._shown = time.monotonic()

    def check(self) -> None:
        if self._wish.value == PAUSE:
            self._wait()
        if self.cancelling:
            raise Cancelled("")

    def _wait(self) -> None:
        self.flush()
        self._pauses.begin()
        while self._wish.value == PAUSE:
            if self._pipe.poll(LOOK_EVERY):  # nothing is sent meanwhile: it was closed
                os._exit(1)
        self._pauses.end()

    @property
    def cancelling(self) -> bool:
        return self._wish.value == STOP

    @property
    def paused_seconds(self) -> float:
        return self._pauses.seconds

    def call(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return function(*args, job=self, **kwargs)

    def flush(self) -> None:
        if self._ticks:
            self._send("ticks", self._ticks)
            self._ticks, self._sent = [], time.monotonic()

    def _send(self, kind: str, value: Any) -> None:
        try:
            self._pipe.send((kind, value))
        except OSError:
            os._exit(1)  # the owner is gone; nobody wants the answer
