"""What a training reports -> the run's points and state in the workspace, and its log file.

Works on the supervising side: the worker that trains knows neither the workspace nor the log.
"""

import json
import math
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from lmstudio.errors import AppError
from lmstudio.figures import count, decimal, duration
from lmstudio.jobs import Job
from lmstudio.messages import Message, listed, tr
from lmstudio.operations.run_names import state_name
from lmstudio.store.rows import Facts, RunRow, RunState
from lmstudio.store.workspace import Workspace

LOG = "log.txt"  # in the folder of a run
UNFINISHED: tuple[RunState, ...] = ("stopped", "interrupted", "failed")
"""States of a run that ended early and can be gone on with."""
LOGGED_TO = "tensorboard"
"""A fact of a run: the folder its curves are written below as they come, for TensorBoard."""
CONTINUED = "continued"
"""A fact of a run: the steps at which its training was gone on with."""
_WRITE_EVERY = 0.5  # seconds

Watcher = Callable[[int, dict[str, float]], None]
"""Is given each step with its figures."""


class Recorder:
    """Writes a run's points, log and state while it is trained."""

    def __init__(
        self, ws: Workspace, run: RunRow, job: Job, watcher: Watcher | None = None
    ) -> None:  # fmt: skip
        """`run` is the row as it was before; everything `job` reports from now on is kept.

        The points are passed on to `watcher`.
        """
        self._ws, self._run, self._job, self._watcher = ws, run, job, watcher
        self._log = RunLog(ws.run_folder(run.id))
        goes_on = run.step > 0
        self._before = run.seconds if goes_on else 0.0
        self._started = self._written = time.monotonic()
        self._points: list[tuple[int, float, str, float]] = []
        self._step, self._seconds, self._moved = run.step, self._before, False
        began = (tr("Goes on after step {step}.", step=count(run.step)) if goes_on
                 else tr("Training begins."))  # fmt: skip
        self._log.add(f"{began} {json.dumps(run.spec, ensure_ascii=False)}")
        job.on_point, job.on_note = self._add, self._log.add_note

    def _add(self, step: int, point: dict[str, float]) -> None:
        """Keep a point; its "seconds", if it has them, are training time without start-up."""
        if step < self._step:  # it goes on from a checkpoint before the last point
            self._ws.drop_metrics_after(self._run.id, step)
        self._step, self._moved = step, True
        self._seconds = point.get("seconds", self._elapsed())
        self._points += [
            (step, self._seconds, name, value) for name, value in point.items() if name != "seconds"
        ]
        if self._watcher:
            self._watcher(step, point)
        if "valid_loss" in point:
            self._log.add_validation(step, self._seconds, point)
        if time.monotonic() - self._written > _WRITE_EVERY:
            self._write()

    def end(
        self, state: RunState, error: BaseException | None = None, facts: Facts | None = None
    ) -> None:
        """Write what is left and how it ended."""
        self._job.on_point = self._job.on_note = None
        self._write()
        facts = facts or {}
        self._ws.update_run(
            self._run.id, state=state, message=_stored(error),
            facts=(facts or self._run.facts) | self._course(),
            seconds=facts.get("seconds", self._seconds), step=facts.get("step", self._step),
            parameters=facts.get("parameters"),
        )  # fmt: skip
        why = Message(*facts["why_ended"]) if "why_ended" in facts else error or ""
        self._log.add(tr("{state}. {why}", state=state_name(state), why=why).strip())

    def _course(self) -> Facts:
        """Facts that outlive those of one sitting."""
        known = {name: self._run.facts[name] for name in (LOGGED_TO, CONTINUED)
                 if name in self._run.facts}  # fmt: skip
        if self._run.step and self._moved:
            known[CONTINUED] = [*known.get(CONTINUED, []), self._run.step]
        return known

    def _write(self) -> None:
        self._ws.add_metrics(self._run.id, self._points)
        self._ws.update_run(self._run.id, seconds=self._seconds, step=self._step)
        self._points, self._written = [], time.monotonic()

    def _elapsed(self) -> float:
        return self._before + time.monotonic() - self._started


class RunLog:
    """A text file of dated lines, in the language of the moment they were written in."""

    def __init__(self, run_folder: Path) -> None:
        self._path = run_folder / LOG
        self._last: Message | str = ""

    def add(self, text: str) -> None:
        """Append a line; a log that cannot be written is no reason to stop training."""
        moment = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M:%S")
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as log:
                log.write(f"{moment}  {text}\n")

    def add_note(self, note: Message | str) -> None:
        """Append what a job says; a stage that it repeats is said once."""
        if note != self._last:
            self._last = note
            self.add(str(note))

    def add_validation(self, step: int, seconds: float, point: dict[str, float]) -> None:
        """Append a look at the valid part, with all its figures."""
        figures = listed((f"{name} {decimal(value, 4)}" for name, value in point.items()
                          if name != "seconds" and math.isfinite(value)), clauses=True)  # fmt: skip
        self.add(tr("Step {step}, {time}: {figures}", step=count(step), time=duration(seconds),
                    figures=figures))  # fmt: skip

    def read(self) -> str:
        """All lines; empty where nothing was logged."""
        with suppress(OSError):
            return self._path.read_text(encoding="utf-8", errors="replace")
        return ""


def _stored(error: BaseException | None) -> str:
    """Why a run ended, as a sentence and its values, so that it can be shown in any language."""
    if error is None:
        return ""
    message = error.message if isinstance(error, AppError) else Message("{error}", {"error": error})
    return json.dumps([message.sentence, {k: str(v) for k, v in message.values.items()}])
