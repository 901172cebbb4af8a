"""A run and what it stands on, as plain data: out of one workspace, into another under new ids.

{"corpus": a row, "segmentation": a row, "task": a row or null, "runs": [{"row", "tags", "metrics":
{name: [[step, seconds, value]]}, "evaluations": {part: figures}}]}: the last run is the one that
is meant, the one before it what it was fine-tuned from. Names of files are left out.
"""

import math
from collections.abc import Iterator
from dataclasses import MISSING, asdict, dataclass, fields, replace
from typing import Any, TypeVar

from lmstudio.operations import fact_shapes
from lmstudio.operations.fact_shapes import LARGEST
from lmstudio.operations.run_recorder import LOGGED_TO
from lmstudio.options import from_dict
from lmstudio.store import tags
from lmstudio.store.names import CONTROLS, NAME_LENGTH
from lmstudio.store.rows import (
    PARTS,
    CorpusRow,
    Facts,
    RunRow,
    SegmentationRow,
    TaskRow,
)
from lmstudio.store.workspace import Workspace
from lmstudio.text.segment_options import SegmentOptions
from lmstudio.training.spec import RunSpec

_Row = TypeVar("_Row", CorpusRow, SegmentationRow, RunRow, TaskRow)
_PRIVATE = ("skipped", "partly")  # facts of a corpus that name its files
_OF_EXAMPLES = ("report", "files")  # facts of a task that quote examples, or name files
Points = list[tuple[int, float, str, float]]


@dataclass(frozen=True)
class Taken:
    """A run with its curves and figures."""

    row: RunRow
    tags: list[str]
    metrics: Points
    evaluations: dict[str, Facts]


@dataclass(frozen=True)
class Contents:
    """All rows of a run's file."""

    corpus: CorpusRow
    segmentation: SegmentationRow
    task: TaskRow | None
    runs: list[Taken]

    @property
    def meant(self) -> RunRow:
        """The run that the file is of."""
        return self.runs[-1].row


def chain(ws: Workspace, run: RunRow) -> list[RunRow]:
    """A run, before it what it was fine-tuned from, if that is still there."""
    if run.task is None or run.parent is None:
        return [run]
    encoder = ws.run(run.parent)
    return [encoder, run] if encoder.segmentation_id == run.segmentation_id else [run]


def rows_of(ws: Workspace, run: RunRow, *, everything: bool = False) -> dict[str, Any]:
    """The data of a run; with `everything` also what tells of the examples of its task."""
    cut = ws.segmentation(run.segmentation_id)
    corpus = ws.corpus(cut.corpus_id)
    task = None
    if run.task is not None:
        row = ws.task(run.task)
        hidden = () if everything else _OF_EXAMPLES
        task = asdict(replace(row, facts=_without(row.facts, hidden)))
    return {
        "corpus": asdict(replace(corpus, facts=_without(corpus.facts, _PRIVATE))),
        "segmentation": asdict(cut), "task": task,
        "runs": [_run_data(ws, one) for one in chain(ws, run)],
    }  # fmt: skip


def _without(facts: Facts, names: tuple[str, ...]) -> Facts:
    return {name: fact for name, fact in facts.items() if name not in names}


def _run_data(ws: Workspace, run: RunRow) -> dict[str, Any]:
    metrics = {
        name: [[step, seconds, value if math.isfinite(value) else str(value)]
               for step, seconds, value in ws.metrics(run.id, name)]
        for name in ws.metric_names(run.id)
    }  # fmt: skip
    figures = {part: ws.evaluation(run.id, part) for part in PARTS}
    facts = {name: fact for name, fact in run.facts.items() if name != LOGGED_TO}  # a folder here
    return {
        "row": asdict(replace(run, facts=facts)),
        "tags": list(tags.tags(ws.db, "run").get(run.id, ())),
        "metrics": metrics, "evaluations": {k: v for k, v in figures.items() if v is not None},
    }  # fmt: skip


def contents(data: dict[str, Any]) -> Contents:
    """Data that came in a file, as rows. ValueError, LookupError or TypeError where it is none."""
    runs = list(_runs(data["runs"]))
    corpus, cut = _row(CorpusRow, data["corpus"]), _row(SegmentationRow, data["segmentation"])
    task = None if data["task"] is None else _row(TaskRow, data["task"])
    found = Contents(
        replace(corpus, facts=fact_shapes.of_corpus(corpus.facts)),
        replace(cut, facts=fact_shapes.of_segmentation(cut.facts)),
        None if task is None else replace(task, facts=fact_shapes.of_task(task.facts)), runs,
    )  # fmt: skip
    options, faults = from_dict(SegmentOptions, found.segmentation.facts["options"])
    if faults or options.by != found.segmentation.segmenter:
        raise ValueError("damaged")
    *before, last = runs
    if (last.row.task is None) != (found.task is None) or len(before) > bool(found.task):
        raise ValueError("damaged")
    for run in runs:
        RunSpec.from_json(run.row.spec)
        RunSpec.from_json(run.row.facts.get("when_done", {"spec": run.row.spec})["spec"])
    return found


def _runs(data: list[dict[str, Any]]) -> Iterator[Taken]:
    for one in data:
        points = [
            (int(step), float(seconds), str(name), float(value))
            for name, curve in one["metrics"].items() for step, seconds, value in curve
        ]  # fmt: skip
        row = _row(RunRow, one["row"])
        evaluations = {part: fact_shapes.figures(found, tuned=row.task is not None)
                       for part, found in one["evaluations"].items()}  # fmt: skip
        if not set(evaluations) <= set(PARTS) or any(step > LARGEST for step, *_ in points):
            raise ValueError("damaged")
        if row.state in ("running", "queued"):
            row = replace(row, state="stopped")
        facts = _without(fact_shapes.of_run(row.facts), (LOGGED_TO,))
        yield Taken(replace(row, facts=facts, message=""),
                    list(map(str, one["tags"])), points, evaluations)  # fmt: skip


def _row(kind: type[_Row], data: dict[str, Any]) -> _Row:
    """A row whose fields are of their types; those that an older program did not know may lack."""
    given = {field.name: data[field.name] for field in fields(kind)
             if field.name in data or field.default is MISSING}  # fmt: skip
    for field in fields(kind):
        if field.name in given and not fact_shapes.fits(given[field.name], field.type):
            raise ValueError(field.name)
    name = CONTROLS.sub("_", given["name"]).strip() or "_"
    return kind(**given | {"name": name[:NAME_LENGTH]})
