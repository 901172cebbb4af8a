"""Runs queued, trained, and gone on with."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from lmstudio import room
from lmstudio.analysis import scoring_time
from lmstudio.errors import AppError, Cancelled, WorkerDied, refusal
from lmstudio.jobs import Job
from lmstudio.messages import Message, tr
from lmstudio.models.config import ClassNgramConfig, NgramConfig
from lmstudio.models.registry import MODELS, TRAINABLE, NeuralConfig, table_rows
from lmstudio.operations import finetuning, leaks, runs, tensorboard
from lmstudio.operations.changes import Changes
from lmstudio.operations.evaluation import evaluate_held_out
from lmstudio.operations.run_names import describe, state_name
from lmstudio.operations.run_recorder import UNFINISHED, Recorder
from lmstudio.operations.vector_files import refuse_beginning
from lmstudio.options import options_of
from lmstudio.store.rows import Facts, RunRow
from lmstudio.store.workspace import Workspace
from lmstudio.training import estimate as estimating
from lmstudio.training import fit_neural, fit_ngram
from lmstudio.training.estimate import Estimate
from lmstudio.training.spec import RunSpec, TrainingConfig

_MOST_EPOCHS = int(options_of(TrainingConfig)["epochs"][1].high or 0)
_WHEN_DONE = "when_done"
"""A fact of a run that was done and is to go on: its spec and step when it was done."""
COURSE = "course"
"""A fact of a run that repeats another: the plan that one was trained by."""


def queue_run(
    ws: Workspace, segmentation: int | str, spec: RunSpec, *, name: str = "",
    warm_start: int | str | None = None, sweep: str = "",
) -> RunRow:  # fmt: skip
    """Add the run that `start` will train, so that it can be seen while it waits.

    It begins with the weights of the run `warm_start`, if one is given. AppError where the spec has
    faults, the name is taken, that run has no weights for it, or the segmentation is of a list of
    words.
    """
    RunSpec.from_json(spec.to_json()).refuse_untrainable()  # and a spec with faults
    row = ws.segmentation(segmentation)
    corpus = ws.corpus(row.corpus_id)
    if not corpus.holds_text:
        raise AppError("{name} is the list of the words of a model that was imported, no text to "
                       "train on. Choose a segmentation of a text.", name=corpus.name)  # fmt: skip
    if name:
        ws.check_name("run", name)
    parent = None if warm_start is None else check_parent(ws, spec, warm_start)
    name = name or ws.free_name("run", describe(spec))
    return ws.add_run(row.id, name, spec.model, spec.to_json(), parent=parent, sweep=sweep)


def train(
    ws: Workspace, segmentation: int | str, spec: RunSpec, *, name: str = "", job: Job
) -> Changes:
    """Train a new run of `spec` on a segmentation, to its end, and measure valid and test."""
    return start(ws, queue_run(ws, segmentation, spec, name=name).id, job=job)


def start(ws: Workspace, run_id: int, *, job: Job) -> Changes:
    """Train a queued run, or go on with one that was stopped or interrupted, from its checkpoint.

    One that is done, but was stopped before it was measured, is measured. Its row says at every
    moment what is true: running, and then done, stopped or failed; one that was done and cannot
    be gone on with is done, as before.
    """
    run = ws.run(run_id)
    to_measure = waits_for_scores(ws, run)
    if run.state in ("running", "done") and not to_measure:
        raise AppError("The run {name} is {state}; there is nothing to continue.",
                       name=run.name, state=state_name(run.state))  # fmt: skip
    facts = run.facts
    if not to_measure:
        facts = _recorded_fit(ws, run, runs.spec_of(ws, run.id), job)
        ws.drop_evaluations(run.id)  # those of an earlier checkpoint
    if run.task is not None:
        found = finetuning.measure(ws, run.id, job=job)
        tensorboard.add_scores(ws, run.id)
        named = [Message("{run}: {note}", {"run": run.name, "note": note}) for note in found]
        return Changes(runs=True, new_id=run.id, notes=(*runs.notes(facts), *named))
    evaluate_held_out(ws, run.id, job=job)
    tensorboard.add_scores(ws, run.id)
    leaking = leaks.notes_on_run(ws, run.id, job=job)
    return Changes(runs=True, new_id=run.id, notes=(*runs.notes(facts), *leaking.values()))


def waits_for_scores(ws: Workspace, run: RunRow) -> bool:
    """Whether a run is trained, but was not measured on what is held out: `start` does it."""
    if run.task is None:
        return runs.unmeasured(ws, run.id)
    return run.state == "done" and finetuning.unmeasured(ws, run)


def prolong(
    ws: Workspace, run: int | str, *, epochs: int = 0, minutes: float = 0, max_steps: int = 0
) -> RunRow:
    """Give a network that is done, or ended early, so much more to do than it did; then `start` it.

    What is not given no longer ends the training. AppError where there is nothing to go on with.
    """
    row = ws.run(run)
    spec = runs.spec_of(ws, row.id)
    if MODELS[spec.model].kind == "count":
        raise AppError("The run {name} is counted in one go; there is nothing to go on with. "
                       "Train another.", name=row.name)  # fmt: skip
    if "imported" in row.facts:
        raise AppError("{name} was imported; there is no training to go on with. Train a new run "
                       "that begins with its weights (--warm-start).", name=row.name)  # fmt: skip
    if row.state == "done" and not runs.has_last(ws, row):
        raise AppError("The last checkpoint of {name} is not here, so it cannot be trained longer. "
                       "Train a new run that begins with its weights (--warm-start).",
                       name=row.name)  # fmt: skip
    if row.state not in ("done", *UNFINISHED):
        raise AppError("The run {name} is {state}; go on with it when it has ended.",
                       name=row.name, state=state_name(row.state))  # fmt: skip
    training = replace(
        spec.training,
        epochs=_epochs_done(row, spec) + epochs if epochs else _MOST_EPOCHS,
        minutes=row.seconds / 60 + minutes if minutes else 0.0,
        max_steps=row.step + max_steps if max_steps else 0,
    )
    longer = replace(spec, training=training)
    RunSpec.from_json(longer.to_json())
    facts = row.facts
    if row.state == "done":
        facts = facts | {_WHEN_DONE: {"spec": row.spec, "step": row.step}}
    ws.update_run(row.id, spec=longer.to_json(), state="stopped", facts=facts)
    return ws.run(row.id)


def continue_run(
    ws: Workspace, run: int | str, *, epochs: int = 0, minutes: float = 0, max_steps: int = 0,
    job: Job,
) -> Changes:  # fmt: skip
    """Go on with a run, done or not; given nothing, to the end that it was to have."""
    row = ws.run(run)
    if epochs or minutes or max_steps:
        row = prolong(ws, row.id, epochs=epochs, minutes=minutes, max_steps=max_steps)
    return start(ws, row.id, job=job)


def _epochs_done(run: RunRow, spec: RunSpec) -> int:
    """How often a run has read its text, a part of an epoch counted as one.

    Of a run that was stopped that is not known: it is as often as it was to.
    """
    steps = run.facts.get("steps_per_epoch")
    return math.ceil(run.step / steps) if steps else spec.training.epochs


def check_parent(ws: Workspace, spec: RunSpec, key: int | str) -> int:
    """The id of the run whose weights a run of `spec` can begin with; AppError if it cannot."""
    parent = ws.run(key)
    if parent.model not in TRAINABLE:
        refuse_beginning(spec, parent)
    elif MODELS[spec.model].kind == "count" or parent.model != spec.model:
        raise AppError("{name} is of the kind {model}: only a network of the same kind can begin "
                       "with its weights.", name=parent.name,
                       model=tr(MODELS[parent.model].title))  # fmt: skip
    if not runs.has_model(ws, parent):
        raise AppError("The run {name} has no finished model or checkpoint yet.", name=parent.name)
    return parent.id


def _recorded_fit(ws: Workspace, run: RunRow, spec: RunSpec, job: Job) -> Facts:
    """The facts of the training, which is done; however it ends, the row tells it."""
    job.run_id = run.id
    ws.update_run(run.id, state="running", message="")
    with tensorboard.live(ws, run, job) as watcher:
        return _ended(Recorder(ws, run, job, watcher), ws, run, spec, job)


def _ended(recorder: Recorder, ws: Workspace, run: RunRow, spec: RunSpec, job: Job) -> Facts:
    """Train, and record how it ended."""
    try:
        room.refuse_disk(ws.folder, _needed(ws, run, spec))
        fitter, made_of, how = _call(ws, run, spec)
        facts = job.call(fitter, *made_of, **how)
    except (Cancelled, KeyboardInterrupt):
        recorder.end("stopped")
        raise
    except WorkerDied as error:
        recorder.end("interrupted", error)
        raise
    except BaseException as error:
        recorder.end("failed", refusal(error) or error)
        _take_back(ws, run.id)
        raise
    recorder.end("done", facts=facts)
    return facts


def _needed(ws: Workspace, run: RunRow, spec: RunSpec) -> int:
    """Bytes of disk that training takes, about; of what was imported here, 0."""
    cut = ws.segmentation(run.segmentation_id)
    if isinstance(spec.config, NgramConfig | ClassNgramConfig):
        parts = cut.facts.get("parts", {}).get("train", {})
        events = parts.get("tokens", 0) + parts.get("sentences", 0)
        return room.of_ngrams(events, spec.config.order)
    if not isinstance(spec.config, NeuralConfig):
        return 0
    rows = table_rows(spec.config, cut.vocabulary + 1)
    return room.of_checkpoints(sum(count for _, _, count in spec.config.parameters(rows)))


def _take_back(ws: Workspace, run_id: int) -> None:
    """A run that was done and made no step since is done again, to its old end."""
    row = ws.run(run_id)
    before = row.facts.get(_WHEN_DONE)
    if before and before["step"] == row.step:
        facts = {name: fact for name, fact in row.facts.items() if name != _WHEN_DONE}
        ws.update_run(run_id, state="done", spec=before["spec"], message="", facts=facts)


def estimate(ws: Workspace, segmentation: int, spec: RunSpec, *, job: Job) -> Estimate:
    """How long a network of `spec` would train here and be scored, and in how much memory.

    Some steps are timed.

    Raises AppError where training could not begin.
    """
    folder = ws.segmentation_folder(segmentation)
    found = job.call(estimating.estimate, folder, spec)
    return replace(found, scoring=job.call(scoring_time.scoring_seconds, folder, spec))


def _call(
    ws: Workspace, run: RunRow, spec: RunSpec
) -> tuple[Callable[..., Facts], tuple[Any, ...], dict[str, Any]]:
    """What trains a run, and what it is given."""
    resume = run.state in UNFINISHED
    if run.task is not None:
        return (*finetuning.fitting(ws, run), {"resume": resume})
    made_of = ws.segmentation_folder(run.segmentation_id), ws.run_folder(run.id), spec
    if MODELS[spec.model].kind == "count":
        return fit_ngram.fit, made_of, {}
    how: dict[str, Any] = {"resume": resume, "course": run.facts.get(COURSE)}
    if run.parent is not None:
        segmentation = ws.run(run.parent).segmentation_id
        how["warm"] = ws.run_folder(run.parent), ws.segmentation_folder(segmentation)
    return fit_neural.fit, made_of, how
