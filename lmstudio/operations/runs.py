"""Runs: train, continue, evaluate, and read their curves."""

import json
import sqlite3
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np

from lmstudio.analysis import perplexity
from lmstudio.data.layout import PartCounts, SegmentationMeta
from lmstudio.errors import AppError, Cancelled, WorkerDied, refusal
from lmstudio.jobs import Job
from lmstudio.messages import Message, msg, tr
from lmstudio.models.config import SCORES_ONLY
from lmstudio.models.registry import MODELS
from lmstudio.operations import leaks, segmentations
from lmstudio.operations.changes import Changes
from lmstudio.store.rows import Facts, Part, RunRow, RunState, SegmentationRow
from lmstudio.store.workspace import Workspace
from lmstudio.text.segment_options import AXES
from lmstudio.training import estimate as estimating
from lmstudio.training import fit_neural, fit_ngram
from lmstudio.training.estimate import Estimate
from lmstudio.training.spec import RunSpec

CHANGED = Changes(runs=True)
_SHORT = {
    "maximum-likelihood": msg("ML"), "add-one": msg("add-one"), "add-k": msg("add-k"),
    "good-turing": msg("Good-Turing"), "katz": msg("Katz"),
    "absolute-discounting": msg("abs. discounting"), "witten-bell": msg("Witten-Bell"),
    "jelinek-mercer": msg("Jelinek-Mercer"), "kneser-ney": msg("KN"),
    "modified-kneser-ney": msg("mod. KN"), "stupid-backoff": msg("stupid back-off"),
}  # fmt: skip
_SCORES = msg(
    "Its scores are no probabilities: they do not sum to one, so no perplexity of them can be "
    "compared."
)
MEASURES = ("bits_per_character", "perplexity", "loss")


def queue_run(ws: Workspace, segmentation: int | str, spec: RunSpec, *, name: str = "") -> RunRow:
    """Add the run that `train` will train, so that it can be seen while it waits."""
    RunSpec.from_json(spec.to_json())  # refuses a spec with faults
    row = ws.segmentation(segmentation)
    if name:
        ws.check_name("run", name)
    name = name or ws.free_name("run", describe(spec))
    return ws.add_run(row.id, name, spec.model, spec.to_json())


def train(
    ws: Workspace, segmentation: int | str, spec: RunSpec, *, name: str = "", job: Job
) -> Changes:
    """Train a new run of `spec` on a segmentation, to its end, and measure valid and test."""
    return start(ws, queue_run(ws, segmentation, spec, name=name).id, job=job)


def start(ws: Workspace, run_id: int, *, job: Job) -> Changes:
    """Train a queued run, or go on with one that was stopped or interrupted, from its checkpoint.

    Its row says at every moment what is true: running, and then done, stopped or failed.
    """
    run = ws.run(run_id)
    if run.state in ("running", "done"):
        raise AppError("The run {name} is {state}; there is nothing to continue.",
                       name=run.name, state=state_name(run.state))  # fmt: skip
    spec = _spec(run)
    job.run_id = run.id
    ws.update_run(run.id, state="running", message="")
    recorder = _Recorder(ws, run)
    job.on_point = recorder.add
    try:
        facts = job.call(_fitter(spec), ws.segmentation_folder(run.segmentation_id),
                         ws.run_folder(run.id), spec, **_resume(spec, run))  # fmt: skip
    except (Cancelled, KeyboardInterrupt):
        recorder.end("stopped")
        raise
    except WorkerDied as error:
        recorder.end("interrupted", error)
        raise
    except BaseException as error:
        recorder.end("failed", refusal(error) or error)
        raise
    finally:
        job.on_point = None
    recorder.end("done", facts=facts)
    for part in ("valid", "test"):
        _measure(ws, run.id, part, job)
    leaking = leaks.notes_on_run(ws, run.id, job=job)
    return Changes(runs=True, new_id=run.id, notes=(*notes(facts), *leaking.values()))


def evaluate(ws: Workspace, run: int | str, part: Part, *, job: Job) -> Facts:
    """The figures of a run on a part (see `analysis.perplexity.Evaluation`), kept for next time."""
    row = ws.run(run)
    known = ws.evaluation(row.id, part)
    if known is not None and row.state == "done":
        return known
    if not has_model(ws, row):
        raise AppError("The run {name} has no finished model or checkpoint yet.", name=row.name)
    spec = _spec(row)
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
    if not has_model(ws, row):
        raise AppError("The run {name} has no finished model or checkpoint yet.", name=row.name)
    ws.drop_evaluations(row.id)
    for part in ("valid", "test"):
        _measure(ws, row.id, part, job)
    return CHANGED


def runs(ws: Workspace, segmentation: int | str | None = None) -> list[Facts]:
    """Every run with its figures on valid and test, oldest first, as plain data."""
    key = None if segmentation is None else ws.segmentation(segmentation).id
    rows = []
    for run in ws.runs(key):
        entry = asdict(run)
        cut = ws.segmentation(run.segmentation_id)
        entry |= {"segmentation": cut.name, "corpus": ws.corpus(cut.corpus_id).name}
        entry |= {part: ws.evaluation(run.id, part) for part in ("valid", "test")}
        rows.append(entry)
    return rows


def curve(
    ws: Workspace, run_id: int, *, part: str = "valid", measure: str = "bits_per_character",
    x: str = "seconds",
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """The curve of a run as (x, y) float64 arrays.

    `measure` is "bits_per_character", "perplexity" or "loss" (nats an event); `x` is "seconds" of
    training, "step" or "tokens" read.
    """
    run = ws.run(run_id)
    points = ws.metrics(run_id, "valid_loss" if part == "valid" else "loss")
    steps, seconds, losses = np.array(points, float).reshape(-1, 3).T
    xs = {"seconds": seconds, "step": steps, "tokens": steps * run.facts.get("tokens_per_step", 1)}
    counts = SegmentationMeta.load(ws.segmentation_folder(run.segmentation_id)).parts[part]
    return xs[x], measured(losses, measure, counts)


def measured(losses: np.ndarray, measure: str, counts: PartCounts) -> np.ndarray:
    """Losses (nats an event) on a part with `counts`, in one of MEASURES."""
    if measure == "loss":
        return losses
    if measure == "perplexity":
        with np.errstate(over="ignore"):
            return np.exp(losses)
    bits = losses * counts.events / np.log(2) + counts.spelling_bits
    return bits / max(counts.characters, 1)


def estimate(ws: Workspace, segmentation: int, spec: RunSpec, *, job: Job) -> Estimate:
    """How long a network of `spec` would train here, and in how much memory: some steps are timed.

    Raises AppError where training could not begin.
    """
    return job.call(estimating.estimate, ws.segmentation_folder(segmentation), spec)


def oracle(ws: Workspace, corpus_id: int, part: Part, context: str = "sentence") -> float | None:
    """Bits per character no model can go below, where the corpus was made by a known source."""
    known = ws.corpus(corpus_id).facts.get("oracle")
    return known[context][part] if known else None


def rename(ws: Workspace, run: int | str, name: str) -> Changes:
    """Give a run another name."""
    ws.rename("run", ws.run(run).id, name)
    return CHANGED


def delete(ws: Workspace, run: int | str) -> Changes:
    """Delete a run with its checkpoints."""
    row = ws.run(run)
    if row.state == "running":
        raise AppError("The run {name} is being trained. Stop it first.", name=row.name)
    ws.delete("run", row.id)
    return CHANGED


def has_model(ws: Workspace, run: RunRow) -> bool:
    """There is something to ask questions of."""
    folder = ws.run_folder(run.id)
    return (folder / "model.ngram").exists() or (folder / "checkpoints").is_dir()


def describe(spec: RunSpec) -> str:
    """A short name for a run of `spec`, such as "5-gram mod. KN" or "LSTM 2×256"."""
    config = asdict(spec.config)
    if spec.model == "ngram":
        smoothing = tr(_SHORT[config["smoothing"]])
        if config["smoothing"] == "add-k":
            smoothing = f"{smoothing}={config['k']:g}"
        return tr("{order}-gram {smoothing}", order=config["order"], smoothing=smoothing)
    if spec.model == "class-ngram":
        return tr("{order}-gram of {classes} classes, {smoothing}", order=config["order"],
                  classes=config["classes"], smoothing=tr(_SHORT[config["smoothing"]]))  # fmt: skip
    return f"{tr(MODELS[spec.model].title)} {config['layers']}×{config['width']}"


def own_axis(run: RunRow, cut: SegmentationRow) -> str:
    """Why a run is not on the axis of the others, a catalogue sentence; "" where it is on it."""
    if run.spec.get("config", {}).get("smoothing") in SCORES_ONLY:
        return _SCORES
    return AXES.get(segmentations.axis(cut), "")


def message(run: RunRow) -> str:
    """Why a run failed or was interrupted, in the language in use."""
    return str(Message(*json.loads(run.message))) if run.message else ""


def notes(facts: Facts) -> list[Message]:
    """What a run had to say for itself: fall-backs, shortened windows."""
    return [Message(sentence, values) for sentence, values in facts.get("notes", [])]


def state_name(state: str) -> str:
    """The state of a run in the language in use."""
    return {
        "queued": tr("queued"), "running": tr("training"), "done": tr("done"),
        "stopped": tr("stopped"), "interrupted": tr("interrupted"), "failed": tr("failed"),
    }[state]  # fmt: skip


def _spec(run: RunRow) -> RunSpec:
    if not run.spec:
        raise AppError("The settings of the run {name} are damaged. Delete it and train again.",
                       name=run.name)  # fmt: skip
    return RunSpec.from_json(run.spec)


def _fitter(spec: RunSpec) -> Callable[..., Facts]:
    return fit_ngram.fit if MODELS[spec.model].kind == "count" else fit_neural.fit


def _resume(spec: RunSpec, run: RunRow) -> dict[str, Any]:
    if MODELS[spec.model].kind == "count":
        return {}
    return {"resume": run.state in ("stopped", "interrupted", "failed")}


def _measure(ws: Workspace, run_id: int, part: Part, job: Job) -> None:
    """Evaluate a part; one without sentences (a tiny corpus) has no figures."""
    meta = SegmentationMeta.load(ws.segmentation_folder(ws.run(run_id).segmentation_id))
    if meta.parts[part].sentences:
        evaluate(ws, run_id, part, job=job)


class _Recorder:
    """Writes a run's points and state while it is trained, on the supervising thread."""

    WRITE_EVERY = 0.5  # seconds

    def __init__(self, ws: Workspace, run: RunRow) -> None:
        self._ws, self._run = ws, run
        self._before = run.seconds if run.state in ("stopped", "interrupted", "failed") else 0.0
        self._started = self._written = time.monotonic()
        self._points: list[tuple[int, float, str, float]] = []
        self._step = run.step
        self._seconds = self._before

    def add(self, step: int, point: dict[str, float]) -> None:
        """Keep a point; its "seconds", if it has them, are training time without start-up."""
        if step < self._step:  # it goes on from a checkpoint before the last point
            self._ws.drop_metrics_after(self._run.id, step)
        self._step = step
        self._seconds = point.get("seconds", self._elapsed())
        self._points += [
            (step, self._seconds, name, value) for name, value in point.items() if name != "seconds"
        ]
        if time.monotonic() - self._written > self.WRITE_EVERY:
            self._write()

    def end(
        self, state: RunState, error: BaseException | None = None, facts: Facts | None = None
    ) -> None:
        """Write what is left and how it ended."""
        self._write()
        facts = facts or {}
        self._ws.update_run(
            self._run.id, state=state, message=_stored(error), facts=facts or None,
            seconds=facts.get("seconds", self._seconds), step=facts.get("step", self._step),
            parameters=facts.get("parameters"),
        )  # fmt: skip

    def _write(self) -> None:
        self._ws.add_metrics(self._run.id, self._points)
        self._ws.update_run(self._run.id, seconds=self._seconds, step=self._step)
        self._points, self._written = [], time.monotonic()

    def _elapsed(self) -> float:
        return self._before + time.monotonic() - self._started


def _stored(error: BaseException | None) -> str:
    """Why a run ended, as a sentence and its values, so that it can be shown in any language."""
    if error is None:
        return ""
    message = error.message if isinstance(error, AppError) else Message("{error}", {"error": error})
    return json.dumps([message.sentence, {k: str(v) for k, v in message.values.items()}])
