"""What was recorded of runs while they were trained, as a table or as JSON.

Names are those of `training.curve`. Beside the losses of models that read from the left stand what
they come to: "bits_per_character" and "perplexity" of what was trained on since the point before,
"valid_bits_per_character" and "valid_perplexity" of the valid part.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lmstudio.data.layout import PartCounts, SegmentationMeta
from lmstudio.errors import AppError
from lmstudio.files import unwritten, write_json
from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import listed
from lmstudio.operations import evaluation
from lmstudio.operations.metric_names import VALID as VALID
from lmstudio.operations.run_names import sees_both_sides
from lmstudio.store.rows import PARTS, Facts, RunRow
from lmstudio.store.workspace import Workspace

DERIVED = ("bits_per_character", "perplexity")
_FIRST = ("loss", "valid_loss", *DERIVED, *(VALID + name for name in DERIVED))

Values = dict[str, float]


@dataclass(frozen=True)
class Point:
    """A step of a training at which something was recorded."""

    step: int
    seconds: float  # of training
    values: Values


def recorded(ws: Workspace, run: RunRow) -> list[Point]:
    """All points of a run, in the order of the steps."""
    rows: dict[tuple[int, float], Values] = defaultdict(dict)
    for name in ws.metric_names(run.id):
        for step, seconds, value in ws.metrics(run.id, name):
            rows[step, seconds][name] = value
    derive = deriving(ws, run)
    return [
        Point(step, seconds, derive(values)) for (step, seconds), values in sorted(rows.items())
    ]


def deriving(ws: Workspace, run: RunRow) -> Callable[[Values], Values]:
    """What adds to the losses of a run, where they are log-likelihoods, what they come to."""
    parts: dict[str, PartCounts] = {}
    if run.task is None and not sees_both_sides(run.spec):
        parts = SegmentationMeta.load(ws.segmentation_folder(run.segmentation_id)).parts
    of_loss = {name: parts[part] for name, part in (("", "train"), (VALID, "valid"))
               if part in parts and parts[part].events}  # fmt: skip

    def derived(values: Values) -> Values:
        more = {
            prefix + measure: _measured(values[f"{prefix}loss"], measure, counts)
            for prefix, counts in of_loss.items() if f"{prefix}loss" in values
            for measure in DERIVED
        }  # fmt: skip
        return values | more

    return derived


def _measured(loss: float, measure: str, counts: PartCounts) -> float:
    return float(evaluation.measured(np.array(loss), measure, counts))


def table(ws: Workspace, runs: Sequence[int | str]) -> tuple[list[str], list[list[object]]]:
    """A header and a row for each point; what was not recorded then is None.

    Of several runs the first column names the run. AppError where nothing was recorded of any.
    """
    rows = list({row.id: row for row in map(ws.run, runs)}.values())
    found = [(row, point) for row in rows for point in recorded(ws, row)]
    if not found:
        asked = listed(row.name for row in rows)
        raise AppError("No curve was recorded of {name}.", name=asked)
    known = {name for _, point in found for name in point.values}
    names = [name for name in _FIRST if name in known] + sorted(known - set(_FIRST))
    several = len(rows) > 1
    header = [*(["run"] if several else []), "step", "seconds", *names]
    cells: list[list[object]] = [
        [*([row.name] if several else []), point.step, round(point.seconds, 3),
         *(point.values.get(name) for name in names)]
        for row, point in found
    ]  # fmt: skip
    return header, cells


def plain(ws: Workspace, runs: Sequence[int | str]) -> list[Facts]:
    """The runs with their curves by name, and the figures of their parts, for JSON."""
    return [_plain(ws, row) for row in {row.id: row for row in map(ws.run, runs)}.values()]


def _plain(ws: Workspace, run: RunRow) -> Facts:
    curves: dict[str, dict[str, list[float]]] = defaultdict(
        lambda: {"step": [], "seconds": [], "value": []}
    )
    for point in recorded(ws, run):
        for name, value in point.values.items():
            curves[name]["step"].append(point.step)
            curves[name]["seconds"].append(round(point.seconds, 3))
            curves[name]["value"].append(value)
    scores = {part: found for part in PARTS if (found := ws.evaluation(run.id, part))}
    return {"run": run.name, "model": run.model, "parameters": run.parameters,
            "seconds": run.seconds, "steps": run.step, "curves": dict(curves),
            "scores": scores}  # fmt: skip


def strict(value: Any) -> Any:
    """Plain data with None for every number that JSON does not have."""
    if isinstance(value, dict):
        return {name: strict(held) for name, held in value.items()}
    if isinstance(value, list | tuple):
        return [strict(held) for held in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def save(ws: Workspace, runs: Sequence[int | str], path: Path, *, job: Job) -> None:
    """Write the points of runs: as JSON where the name ends in .json, else as a table.

    AppError where nothing was recorded, or it cannot be written.
    """
    header, rows = table(ws, runs)
    if path.suffix.lower() == ".json":
        job.check()
        with unwritten(path):
            write_json(path, strict(plain(ws, runs)))
    else:
        save_table(path, header, rows, total=len(rows), job=job)
