"""Runs set against one thing in which they differ: size, data, time, or any setting."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from lmstudio.data.layout import SegmentationMeta
from lmstudio.errors import AppError
from lmstudio.files import unwritten, written
from lmstudio.formats.chart import Curve, chart
from lmstudio.formats.chart_axis import number_axis, time_axis
from lmstudio.formats.chart_style import alone
from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import listed, msg, tr
from lmstudio.models.registry import MODELS
from lmstudio.operations import evaluation, run_names
from lmstudio.options import options_of
from lmstudio.store.rows import Facts, Part, RunRow
from lmstudio.store.workspace import Workspace
from lmstudio.training.spec import TrainingConfig

MEASURED = {
    "parameters": msg("Parameters"), "seconds": msg("Seconds of training"),
    "tokens": msg("Tokens read"),
}  # fmt: skip
"""What runs can be set against besides their settings."""
X = float | str | None


@dataclass(frozen=True)
class ScalingRow:
    """A run; None where a figure is not known."""

    run: str
    run_id: int
    model: str  # a key of MODELS
    series: str  # runs of one series are joined by a line
    x: X
    bits_per_character: float | None
    comparable: bool  # its figure stands on the axis of the others
    parameters: int | None
    seconds: float
    tokens: float | None  # read in training, repetitions counted


@dataclass(frozen=True)
class Scaling:
    """Runs by series and x."""

    x: str  # a setting, or a key of MEASURED
    title: str  # what `x` is called, a catalogue sentence
    part: Part
    rows: list[ScalingRow]
    oracle: float | None = None  # bits per character that no model can go below, if known


def scaling(
    ws: Workspace, which: str | Sequence[int | str], x: str = "", part: Part = "valid", *, job: Job
) -> Scaling:
    """The runs of a sweep (by its name) or `which`, with their bits per character on a part.

    `x` is a setting of model or training, a key of MEASURED, or "" for the setting in which the
    runs differ. AppError where there is no such run, or none has such a setting.
    """
    rows = _runs(ws, which)
    x = x or _differing(rows)
    title = MEASURED.get(x) or _title(rows, x)
    if not title:
        raise AppError("None of the runs has a setting {name}.", name=x)
    found = []
    for run in rows:
        found.append(_row(ws, run, x, part))
        job.check()
    found.sort(key=lambda row: (row.series, _order(row.x)))
    corpora = {ws.segmentation(run.segmentation_id).corpus_id for run in rows}
    oracle = evaluation.oracle(ws, corpora.pop(), part) if len(corpora) == 1 else None
    return Scaling(x, title, part, found, oracle)


def save_csv(found: Scaling, path: Path, *, job: Job) -> None:
    """Write the table. AppError if it cannot be written."""
    header = [tr("Run"), tr("Series"), found.x, tr("Bits per character"), tr("Comparable"),
              tr("Parameters"), tr("Seconds of training"), tr("Tokens read")]  # fmt: skip
    rows = [(row.run, row.series, row.x, row.bits_per_character, row.comparable, row.parameters,
             row.seconds, row.tokens) for row in found.rows]  # fmt: skip
    save_table(path, header, rows, total=len(rows), job=job)


def save_chart(found: Scaling, path: Path) -> None:
    """Write an SVG file: a line for each series. AppError where there is nothing to draw."""
    curves = []
    for series, group in groupby(found.rows, key=lambda row: row.series):
        rows = list(group)
        points = [(x, y) for x, y in map(_point, rows) if math.isfinite(x) and math.isfinite(y)]
        if points:
            curves.append(Curve(series, rows[0].model, tuple(points), points[-1][1]))
    if not curves:
        raise AppError("There is nothing to draw: no run has both a number and a figure.")
    name = tr("Bits per character by {x}", x=tr(found.title))
    axis = time_axis if found.x == "seconds" else number_axis
    drawing = alone(chart(curves, found.oracle, axis=axis, name=name, whole=True), name)
    with unwritten(path), written(path) as temporary:
        temporary.write_text(drawing, encoding="utf-8")


def sweeps(ws: Workspace) -> list[str]:
    """The names of the sweeps there are, oldest first."""
    return list(dict.fromkeys(run.sweep for run in ws.runs() if run.sweep))


def _runs(ws: Workspace, which: str | Sequence[int | str]) -> list[RunRow]:
    if not isinstance(which, str):
        return [ws.run(key) for key in which]
    rows = [run for run in ws.runs() if run.sweep == which]
    if not rows:
        known = listed(sweeps(ws)) or "–"
        raise AppError("There is no sweep named {name}. There are: {known}.", name=which,
                       known=known)  # fmt: skip
    return rows


def _settings(run: RunRow) -> Facts:
    return {**run.spec.get("training", {}), **run.spec.get("config", {})}


def _differing(rows: Sequence[RunRow]) -> str:
    """The first setting that all runs have and in which they differ; "parameters" without one."""
    settings = [_settings(run) for run in rows]
    for name in settings[0] if settings else ():
        if all(name in one for one in settings) and len({one[name] for one in settings}) > 1:
            return name
    return "parameters"


def _title(rows: Sequence[RunRow], name: str) -> str:
    """What a setting of one of the runs is called; "" if it is none."""
    for run in rows:
        known = options_of(MODELS[run.model].config) | options_of(TrainingConfig)
        if name in _settings(run) and name in known:
            return known[name][1].label
    return ""


def _row(ws: Workspace, run: RunRow, x: str, part: Part) -> ScalingRow:
    cut = ws.segmentation(run.segmentation_id)
    figures = ws.evaluation(run.id, part) or {}
    tokens = _tokens(ws, run)
    measured = {"parameters": run.parameters, "seconds": run.seconds, "tokens": tokens}
    value = measured[x] if x in measured else _settings(run).get(x)
    return ScalingRow(
        run.name, run.id, run.model, f"{tr(MODELS[run.model].title)}, {cut.name}",
        float(value) if isinstance(value, int | float) else value,
        figures.get("bits_per_character"), not run_names.own_axis(run, cut),
        run.parameters, run.seconds, tokens,
    )  # fmt: skip


def _tokens(ws: Workspace, run: RunRow) -> float | None:
    """Tokens and sentence ends that training read; counting reads the text once."""
    if run.state != "done":
        return None
    if MODELS[run.model].kind == "count":
        meta = SegmentationMeta.load(ws.segmentation_folder(run.segmentation_id))
        return float(meta.parts["train"].events)
    return float(round(run.step * run.facts.get("tokens_per_step", 0)))


def _point(row: ScalingRow) -> tuple[float, float]:
    if isinstance(row.x, float) and row.comparable and row.bits_per_character is not None:
        return row.x, row.bits_per_character
    return math.nan, math.nan


def _order(x: X) -> tuple[bool, float, str]:
    """Numbers first, by size; then words; what is not known last."""
    return (x is None, x, "") if isinstance(x, float) else (True, math.inf, x or "")
