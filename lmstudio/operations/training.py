"""Runs queued, trained, and gone on with."""

from collections.abc import Callable
from typing import Any

from lmstudio.errors import AppError, Cancelled, WorkerDied, refusal
from lmstudio.jobs import Job
from lmstudio.models.registry import MODELS
from lmstudio.operations import leaks, runs
from lmstudio.operations.changes import Changes
from lmstudio.operations.evaluation import evaluate_held_out
from lmstudio.operations.run_names import describe, state_name
from lmstudio.operations.run_recorder import UNFINISHED, Recorder
from lmstudio.store.rows import Facts, RunRow
from lmstudio.store.workspace import Workspace
from lmstudio.training import estimate as estimating
from lmstudio.training import fit_neural, fit_ngram
from lmstudio.training.estimate import Estimate
from lmstudio.training.spec import RunSpec


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
    spec = runs.spec_of(ws, run.id)
    facts = _recorded_fit(ws, run, spec, job)
    evaluate_held_out(ws, run.id, job=job)
    leaking = leaks.notes_on_run(ws, run.id, job=job)
    return Changes(runs=True, new_id=run.id, notes=(*runs.notes(facts), *leaking.values()))


def _recorded_fit(ws: Workspace, run: RunRow, spec: RunSpec, job: Job) -> Facts:
    """The facts of the training, which is done; however it ends, the row tells it."""
    job.run_id = run.id
    ws.update_run(run.id, state="running", message="")
    recorder = Recorder(ws, run, job)
    try:
        facts = job.call(_fitter(spec), ws.segmentation_folder(run.segmentation_id),
                         ws.run_folder(run.id), spec, **_how(spec, run))  # fmt: skip
    except (Cancelled, KeyboardInterrupt):
        recorder.end("stopped")
        raise
    except WorkerDied as error:
        recorder.end("interrupted", error)
        raise
    except BaseException as error:
        recorder.end("failed", refusal(error) or error)
        raise
    recorder.end("done", facts=facts)
    return facts


def estimate(ws: Workspace, segmentation: int, spec: RunSpec, *, job: Job) -> Estimate:
    """How long a network of `spec` would train here, and in how much memory: some steps are timed.

    Raises AppError where training could not begin.
    """
    return job.call(estimating.estimate, ws.segmentation_folder(segmentation), spec)


def _fitter(spec: RunSpec) -> Callable[..., Facts]:
    return fit_ngram.fit if MODELS[spec.model].kind == "count" else fit_neural.fit


def _how(spec: RunSpec, run: RunRow) -> dict[str, Any]:
    if MODELS[spec.model].kind == "count":
        return {}
    return {"resume": run.state in UNFINISHED}
