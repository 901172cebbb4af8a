"""Runs of one task against the size of the networks they began with; prompts beside them."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path

from lmstudio.analysis.tasks.zero_shot import ZeroShot
from lmstudio.errors import AppError
from lmstudio.files import unwritten, written
from lmstudio.formats.chart import Curve, chart
from lmstudio.formats.chart_axis import number_axis
from lmstudio.formats.chart_style import alone
from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import listed, tr
from lmstudio.models.registry import MODELS
from lmstudio.operations import finetuning, task_results
from lmstudio.operations.asked import asked
from lmstudio.operations.task_results import MEASURES, spread
from lmstudio.operations.tuning_ways import share_of, ways
from lmstudio.store.rows import Facts, Part, RunRow
from lmstudio.store.workspace import Workspace
from lmstudio.training.task_config import TaskConfig


@dataclass(frozen=True)
class Point:
    """An encoder, and how well what was made of it does the task."""

    encoder: str
    encoder_id: int
    model: str  # its family
    parameters: int  # of the encoder alone
    share: float  # of the examples that was trained with; 0 without training
    series: str  # how it was tuned; points of one series are joined by a line
    mean: float  # of the score, from 0 to 1
    spread: float | None  # standard deviation over seeds, with n - 1
    runs: tuple[str, ...]  # that were scored: a run a seed; the encoder itself without training

    @property
    def n(self) -> int:
        """How many runs the mean is of."""
        return len(self.runs)


def queue(
    ws: Workspace, task: int | str, encoders: Sequence[int | str], head: TaskConfig,
    training: Facts, *, seeds: int = 1,
) -> list[RunRow]:  # fmt: skip
    """Queue runs of the same head on each encoder, all or none of them.

    What `training` does not set is as usual for each encoder. AppError where one is no encoder or
    has no model, or the settings have faults.
    """
    row, specs = ws.task(task), {}
    for encoder in encoders:
        how = finetuning.usual_training(ws, encoder, head.start) | training
        specs[encoder] = finetuning.spec_for(ws, row, encoder, asdict(head), how)
        asked(ws, encoder)  # has it a model?
    made = []
    for encoder, spec in specs.items():
        made += finetuning.queue_tuning(ws, task, encoder, head, spec.training, seeds=seeds)
    return made


def points(ws: Workspace, task: int | str, part: Part = "test", measure: str = "") -> list[Point]:
    """The encoders of a task's runs with their scores, by series and size.

    `measure`: one of MEASURES of its kind, the first where none is named. Encoders that were
    deleted are left out, and runs that have no score.
    """
    row = ws.task(task)
    measure = checked(row.kind, measure)
    encoders = {run.id: run for run in ws.runs()}
    tried = task_results.settings(ws, row.id)
    found = []
    for setting, way in zip(tried, ways(tried), strict=True):
        encoder = encoders.get(setting.runs[0].run.parent or 0)
        known = spread(setting.scores(part, measure))
        if encoder is None or known is None or not encoder.parameters:
            continue
        names = tuple(one.run.name for one in setting.runs if one.score(part, measure) is not None)
        found.append(Point(encoder.name, encoder.id, encoder.model, encoder.parameters,
                           share_of(setting), way, known.mean, known.deviation, names))  # fmt: skip
    return sorted(found, key=lambda one: (*_line(one), one.parameters))


def zero_shot_points(ws: Workspace, found: Sequence[ZeroShot], measure: str = "") -> list[Point]:
    """The same of runs that were asked by a prompt."""
    made = []
    for one in found:
        run = ws.run(one.run)
        measured = one.figures[checked("classify", measure)]
        made.append(Point(run.name, run.id, run.model, run.parameters or 0, 0.0,
                          tr("zero-shot"), measured, None, (run.name,)))  # fmt: skip
    return sorted(made, key=lambda one: (*_line(one), one.parameters))


def checked(kind: str, measure: str) -> str:
    """A measure of a kind of task, the first if none is named. AppError for any other."""
    known = MEASURES[kind]
    measure = measure or next(iter(known))
    if measure not in known:
        raise AppError("This task is not scored by {name}, but by: {known}.", name=measure,
                       known=listed(known))  # fmt: skip
    return measure


def _line(one: Point) -> tuple[str, str]:
    """What points share that a line joins."""
    return one.series, one.model


def save_csv(path: Path, found: Sequence[Point], measure: str, *, job: Job) -> None:
    """Write a row for each point, as a table for spreadsheets."""
    header = [tr("Encoder"), tr("Parameters"), tr("Share"), tr("Series"), measure,
              tr("standard deviation"), tr("Runs")]  # fmt: skip

    def rows() -> Iterator[list[object]]:
        for one in found:
            yield [one.encoder, one.parameters, one.share, one.series, one.mean, one.spread,
                   "; ".join(one.runs)]  # fmt: skip

    save_table(path, header, rows(), total=len(found), job=job)


def save_chart(path: Path, found: Sequence[Point], title: str) -> None:
    """Write an SVG file: score against parameters, a line for each series and family.

    AppError where there is nothing to draw.
    """
    curves = []
    ordered = sorted(found, key=lambda one: (*_line(one), one.parameters))
    for (name, model), group in groupby(ordered, key=_line):
        line = tuple((float(one.parameters), one.mean) for one in group)
        told = tr(MODELS[model].title)
        curves.append(Curve(f"{told}, {name}", model, line, line[-1][1]))
    if not curves:
        raise AppError("There is nothing to draw: no run of this task has a score yet.")
    drawing = alone(chart(curves, axis=number_axis, name=title, whole=True), title)
    with unwritten(path), written(path) as temporary:
        temporary.write_text(drawing, encoding="utf-8")
