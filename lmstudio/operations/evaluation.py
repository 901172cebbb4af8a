"""Runs measured on the parts of their corpus, and the curves that their training left."""

import sqlite3
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from lmstudio.analysis import perplexity
from lmstudio.data.layout import PartCounts, SegmentationMeta
from lmstudio.errors import AppError
from lmstudio.figures import percent
from lmstudio.files import read_json
from lmstudio.jobs import Job
from lmstudio.messages import Message, listed
from lmstudio.models.checkpoint_folder import checkpoint
from lmstudio.operations import runs
from lmstudio.operations.changes import Changes
from lmstudio.operations.run_names import sees_both_sides
from lmstudio.store.rows import HELD_OUT, Facts, Part, RunRow
from lmstudio.store.workspace import Workspace

MEASURES = ("bits_per_character", "perplexity", "loss")
"""What the loss of a curve can be shown as."""


def evaluate(ws: Workspace, run: int | str, part: Part, *, job: Job) -> Facts:
    """The figures of a run on a part (see `analysis.perplexity.Evaluation`), kept for next time.

    AppError for a fine-tuned run, whose figures are the scores of its task.
    """
    row = ws.run(run)
    _refuse_tuned(row)
    known = ws.evaluation(row.id, part)
    if known is not None and row.state == "done":
        return known
    runs.refuse_unscored(ws, row)
    spec = runs.spec_of(ws, row.id)
    segmentation = ws.segmentation_folder(row.segmentation_id)
    try:
        figures: Facts = job.call(
            perplexity.evaluate, segmentation, ws.run_folder(row.id), spec, part
        ).to_json()
        if not ws.read_only:
            ws.set_evaluation(row.id, part, figures)
    except (AppError, OSError, sqlite3.IntegrityError):
        if all(run.id != row.id for run in ws.runs()):  # its files or its row went meanwhile
            raise AppError("The run {name} was deleted.", name=row.name) from None
        raise
    return figures


def evaluate_again(ws: Workspace, run: int | str, *, job: Job) -> Changes:
    """Measure valid and test anew, as after a run that was stopped before it was measured."""
    row = ws.run(run)
    _refuse_tuned(row)
    runs.refuse_unscored(ws, row)
    ws.drop_evaluations(row.id)
    evaluate_held_out(ws, row.id, job=job)
    return runs.CHANGED


def evaluate_held_out(ws: Workspace, run_id: int, *, job: Job) -> None:
    """Evaluate valid and test; one without sentences (a tiny corpus) has no figures."""
    meta = SegmentationMeta.load(ws.segmentation_folder(ws.run(run_id).segmentation_id))
    for part in HELD_OUT:
        if meta.parts[part].sentences:
            evaluate(ws, run_id, part, job=job)


def _refuse_tuned(row: RunRow) -> None:
    if row.task is not None:
        raise AppError("{name} is fine-tuned: what it is measured by are the scores on its task "
                       "(task-scores).", name=row.name)  # fmt: skip


def curve(
    ws: Workspace, run_id: int, *, part: str = "valid", measure: str = "bits_per_character",
    x: str = "seconds",
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """The curve of a run as (x, y) float64 arrays.

    `measure` is one of MEASURES ("loss" is in nats an event), which are of a `part`, or a name that
    `recorded` lists; `x` is "seconds" of training, "step" or "tokens" read. Raises AppError where
    nothing of that name was recorded.
    """
    run = ws.run(run_id)
    metric = ("valid_loss" if part == "valid" else "loss") if measure in MEASURES else measure
    points = ws.metrics(run_id, metric)
    if not points and measure not in MEASURES:
        known = listed([*MEASURES, *recorded(ws, run_id)])
        raise AppError("Nothing called {measure} was recorded of the run {name}. There are: "
                       "{known}.", measure=measure, name=run.name, known=known)  # fmt: skip
    steps, seconds, values = np.array(points, float).reshape(-1, 3).T
    xs = {"seconds": seconds, "step": steps, "tokens": steps * run.facts.get("tokens_per_step", 1)}
    if measure not in MEASURES:
        return xs[x], values
    counts = SegmentationMeta.load(ws.segmentation_folder(run.segmentation_id)).parts[part]
    return xs[x], measured(values, measure, scored(run, counts))


def looked_at(ws: Workspace, run_id: int) -> float | None:
    """The share of the valid part that a run is looked at by while it is trained.

    None where its plan is not known: before its first checkpoint, and of models that count.
    """
    folder = ws.run_folder(run_id)
    found = checkpoint(folder, "last") or checkpoint(folder, "best")
    if found is None:
        return None
    try:
        tokens = read_json(found / "meta.json")["progress"]["plan"]["valid_tokens"]
    except (OSError, ValueError, KeyError):  # damaged, or being replaced at this moment
        return None
    row = ws.run(run_id)
    counts = PartCounts(**ws.segmentation(row.segmentation_id).facts["parts"]["valid"])
    return min(1.0, tokens / counts.events) if tokens and counts.events else 1.0


def sampled(shares: Iterable[float | None]) -> Message | None:
    """What is said of curves of runs, by their `looked_at`; None where nothing was left out."""
    parts = sorted({share for share in shares if share is not None and share < 1})
    if not parts:
        return None
    told = list(dict.fromkeys(percent(share, 0 if share >= 0.01 else 1)
                              for share in (parts[0], parts[-1])))  # fmt: skip
    return Message("while training: {share} of the valid part", {"share": "–".join(told)})


def recorded(ws: Workspace, run_id: int) -> list[str]:
    """What a run has curves of besides MEASURES: "gradient_norm", "learning_rate", ..."""
    return [name for name in ws.metric_names(run_id) if name not in ("loss", "valid_loss")]


def scored(run: RunRow, counts: PartCounts) -> PartCounts:
    """What a run scores of a part with `counts`: no sentence ends where it sees both sides."""
    return replace(counts, sentences=0) if sees_both_sides(run.spec) else counts


def measured(losses: np.ndarray, measure: str, counts: PartCounts) -> np.ndarray:
    """Losses (nats an event) on a part with `counts`, in one of MEASURES."""
    if measure == "loss":
        return losses
    if measure == "perplexity":
        with np.errstate(over="ignore"):
            return np.exp(losses)
    bits = losses * counts.events / np.log(2) + counts.spelling_bits
    return bits / max(counts.characters, 1)


def oracle(ws: Workspace, corpus_id: int, part: Part, context: str = "sentence") -> float | None:
    """Bits per character no model can go below, where the corpus was made by a known source."""
    known = ws.corpus(corpus_id).facts.get("oracle")
    return known[context][part] if known else None
