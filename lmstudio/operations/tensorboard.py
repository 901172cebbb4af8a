"""The curves of runs for TensorBoard: as they come, or afterwards from what was recorded.

Tags are "train/loss", "valid/loss" and so on; of models that read from the left also bits per
character and perplexity. The figures of the whole parts are "scores/test_perplexity" and so on.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from lmstudio.errors import AppError
from lmstudio.files import refuse_full, unwritten, written_folder
from lmstudio.formats.tensorboard import EventFile, folder_name
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.models.config import SCORES_ONLY
from lmstudio.operations import metrics, task_results
from lmstudio.operations.changes import Changes
from lmstudio.operations.export_format import ExportOptions
from lmstudio.operations.run_names import sees_both_sides
from lmstudio.operations.run_recorder import LOGGED_TO, Watcher
from lmstudio.store.rows import PARTS, RunRow
from lmstudio.store.workspace import Workspace

_AT_ONCE = 500  # points between two looks whether to stop


def log_to(ws: Workspace, run_id: int, folder: Path) -> None:
    """Let the training of a run write its curves below `folder` too, as they come.

    AppError where that folder cannot be made.
    """
    folder = Path(folder).absolute()
    with unwritten(folder, own=True):
        folder.mkdir(parents=True, exist_ok=True)
    own = folder.relative_to(ws.folder) if folder.is_relative_to(ws.folder) else folder
    facts = ws.run(run_id).facts | {LOGGED_TO: own.as_posix()}
    ws.update_run(run_id, facts=facts)


def default_folder(ws: Workspace) -> Path:
    """Where the window writes them."""
    return ws.folder / "tensorboard"


def logged_to(ws: Workspace, run: RunRow) -> Path | None:
    """The folder that the curves of a run are written to as they come."""
    if LOGGED_TO not in run.facts:
        return None
    return ws.folder / run.facts[LOGGED_TO] / folder_name(run.name)


@contextmanager
def live(ws: Workspace, run: RunRow, job: Job) -> Iterator[Watcher | None]:
    """What is given the points of a training, if they are to be written; see `log_to`.

    A log that cannot be written is told of, and is no reason to stop training.
    """
    folder = logged_to(ws, run)
    if folder is None:
        yield None
        return
    log = _Live(ws, run, folder, job)
    try:
        yield log.add
    finally:
        log.close()


class _Live:
    """Begins a file with the first point, and writes until that fails."""

    def __init__(self, ws: Workspace, run: RunRow, folder: Path, job: Job) -> None:
        self._run, self._folder, self._job = run, folder, job
        self._derive = metrics.deriving(ws, run)
        self._file: EventFile | None = None
        self._broken = False

    def add(self, step: int, point: dict[str, float]) -> None:
        if self._broken:
            return
        try:
            if self._file is None:
                self._file = _begun(self._run, self._folder, max(step - 1, 0))
            self._file.add(step, _tagged(self._derive(point)))
        except OSError as error:
            self._broken = True
            reason = error.strerror or str(error)
            self._job.remark(Message(
                "The TensorBoard log {path} cannot be written ({error}). Training goes on "
                "without it.", {"path": self._folder, "error": reason},
            ))  # fmt: skip

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


def add_scores(ws: Workspace, run_id: int) -> None:
    """Append the figures of a run that is done, if its curves were written as they came."""
    run = ws.run(run_id)
    folder = logged_to(ws, run)
    found = scores(ws, run)
    if folder is not None and found:
        with suppress(OSError), EventFile(folder) as file:
            file.add(run.step, found)


def refuse(ws: Workspace, run: RunRow) -> None:
    """AppError where nothing was recorded of a run."""
    if not ws.metric_names(run.id) and not scores(ws, run):
        raise AppError("Nothing was recorded of {name} yet.", name=run.name)


def write(ws: Workspace, run: RunRow, path: Path, options: ExportOptions, *, job: Job) -> Changes:
    """Write the folder `path`, new or empty, with all that was recorded of a run."""
    refuse_full(path)
    created = datetime.fromisoformat(run.created).timestamp()
    with unwritten(path):
        points = metrics.recorded(ws, run)
        with written_folder(path) as folder, _begun(run, folder, 0, created) as file:
            for number, point in enumerate(points):
                if number % _AT_ONCE == 0:
                    job.tick(number, len(points), Message("Writing the points"))
                file.add(point.step, _tagged(point.values), when=created + point.seconds)
            if found := scores(ws, run):
                file.add(run.step, found, when=created + run.seconds)
    return Changes()


def scores(ws: Workspace, run: RunRow) -> dict[str, float]:
    """The figures of the whole parts, by tag; those of models that see both sides say so."""
    if run.spec.get("config", {}).get("smoothing") in SCORES_ONLY:
        return {}
    measures: tuple[str, ...] = metrics.DERIVED
    if run.task is not None:
        measures = tuple(task_results.MEASURES[ws.task(run.task).kind])
    pseudo = "pseudo_" if run.task is None and sees_both_sides(run.spec) else ""
    known = {part: ws.evaluation(run.id, part) or {} for part in PARTS}
    return {f"scores/{part}_{pseudo}{name}": float(figures[name])
            for part, figures in known.items()
            for name in measures if figures.get(name) is not None}  # fmt: skip


def _tagged(values: metrics.Values) -> metrics.Values:
    """What was recorded, by tag."""
    return {_tag(name): value for name, value in values.items() if name != "seconds"}


def _tag(name: str) -> str:
    part = "valid" if name.startswith(metrics.VALID) else "train"
    return f"{part}/{name.removeprefix(metrics.VALID)}"


def _begun(run: RunRow, folder: Path, step: int, when: float | None = None) -> EventFile:
    """A new file of a run with its settings; points after `step` in other files are given up."""
    file = EventFile(folder, began=when, first_step=step if run.step and when is None else 0)
    settings = json.dumps(run.spec, ensure_ascii=False, indent=1)
    file.add_text("settings", f"```json\n{settings}\n```", when=when)
    return file
