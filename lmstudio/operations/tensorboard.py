"""The curves of runs for TensorBoard: as they come, or afterwards from what was recorded.

Tags are "train/loss", "valid/loss" and so on; of models that read from the left also bits per
character and perplexity. The figures of the whole parts are "scores/test_perplexity" and so on.
"""

import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

import numpy as np

from lmstudio.data.layout import PartCounts, SegmentationMeta
from lmstudio.errors import AppError
from lmstudio.files import unwritten, written_folder
from lmstudio.formats.tensorboard import EventFile, folder_name
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.operations import evaluation, task_results
from lmstudio.operations.changes import Changes
from lmstudio.operations.export_format import ExportOptions
from lmstudio.operations.run_names import sees_both_sides
from lmstudio.operations.run_recorder import LOGGED_TO, Watcher
from lmstudio.store.rows import PARTS, RunRow
from lmstudio.store.workspace import Workspace

_DERIVED = ("bits_per_character", "perplexity")
_VALID = "valid_"
_AT_ONCE = 500  # points between two looks whether to stop


def log_to(ws: Workspace, run_id: int, folder: Path) -> None:
    """Let the training of a run write its curves below `folder` too, as they come.

    AppError where that folder cannot be made.
    """
    folder = Path(folder).absolute()
    with unwritten(folder):
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
        self._tags = tags_of(ws, run)
        self._file: EventFile | None = None
        self._broken = False

    def add(self, step: int, point: dict[str, float]) -> None:
        if self._broken:
            return
        try:
            if self._file is None:
                self._file = _begun(self._run, self._folder, max(step - 1, 0))
            self._file.add(step, self._tags(point))
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
    if path.exists() and not (path.is_dir() and not any(path.iterdir())):
        raise AppError("{path} is there already. Choose a folder that is new or empty.", path=path)
    created = datetime.fromisoformat(run.created).timestamp()
    tags = tags_of(ws, run)
    with unwritten(path):
        if path.is_dir():
            path.rmdir()
        points = _points(ws, run)
        with written_folder(path) as folder, _begun(run, folder, 0, created) as file:
            for number, ((step, seconds), point) in enumerate(points):
                if number % _AT_ONCE == 0:
                    job.tick(number, len(points), Message("Writing the points"))
                file.add(step, tags(point), when=created + seconds)
            if found := scores(ws, run):
                file.add(run.step, found, when=created + run.seconds)
    return Changes()


def scores(ws: Workspace, run: RunRow) -> dict[str, float]:
    """The figures of the whole parts, by tag."""
    measures = _DERIVED
    if run.task is not None:
        measures = tuple(task_results.MEASURES[ws.task(run.task).kind])
    known = {part: ws.evaluation(run.id, part) or {} for part in PARTS}
    return {f"scores/{part}_{name}": float(figures[name]) for part, figures in known.items()
            for name in measures if figures.get(name) is not None}  # fmt: skip


Tags = Callable[[dict[str, float]], dict[str, float]]
"""A point as it was recorded -> the same by tag."""


def tags_of(ws: Workspace, run: RunRow) -> Tags:
    """What names the points of a run."""
    counts = _counts(ws, run)

    def tagged(point: dict[str, float]) -> dict[str, float]:
        found = {}
        for name, value in point.items():
            part = "valid" if name.startswith(_VALID) else "train"
            plain = name.removeprefix(_VALID)
            found[f"{part}/{plain}"] = value
            if plain == "loss" and part in counts:
                found |= {f"{part}/{measure}": _derived(value, measure, counts[part])
                          for measure in _DERIVED}  # fmt: skip
        found.pop("train/seconds", None)
        return found

    return tagged


def _derived(loss: float, measure: str, counts: PartCounts) -> float:
    return float(evaluation.measured(np.array(loss), measure, counts))


def _counts(ws: Workspace, run: RunRow) -> dict[str, PartCounts]:
    """Of the parts whose losses are log-likelihoods of the text."""
    if run.task is not None or sees_both_sides(run.spec):
        return {}
    parts = SegmentationMeta.load(ws.segmentation_folder(run.segmentation_id)).parts
    return {part: parts[part] for part in ("train", "valid") if parts[part].events}


def _begun(run: RunRow, folder: Path, step: int, when: float | None = None) -> EventFile:
    """A new file of a run with its settings; points after `step` in other files are given up."""
    file = EventFile(folder, began=when, first_step=step if run.step and when is None else 0)
    settings = json.dumps(run.spec, ensure_ascii=False, indent=1)
    file.add_text("settings", f"```json\n{settings}\n```", when=when)
    return file


def _points(ws: Workspace, run: RunRow) -> list[tuple[tuple[int, float], dict[str, float]]]:
    """((step, seconds), what was recorded then), in the order of the steps."""
    rows: dict[tuple[int, float], dict[str, float]] = defaultdict(dict)
    for name in ws.metric_names(run.id):
        for step, seconds, value in ws.metrics(run.id, name):
            rows[step, seconds][name] = value
    return sorted(rows.items(), key=lambda row: row[0])
