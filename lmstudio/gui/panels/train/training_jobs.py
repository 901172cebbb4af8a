"""Runs to jobs of the train lane: a new one, one to continue, the first ones."""

from collections.abc import Sequence

from lmstudio.gui.state import AppState
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations import sweeps, tensorboard, training
from lmstudio.operations.changes import Changes
from lmstudio.store.rows import RunRow
from lmstudio.training.spec import RunSpec

FIRST = tuple({"model": "ngram", "config": {"order": order}} for order in (1, 2, 3, 5))
"""What a corpus is shown with before anything else: each takes seconds, whatever its size."""


def start(state: AppState, run: RunRow, *, log: bool = False) -> Job:
    """Train a queued run, or go on with one that ended early, after what is queued before it.

    With `log` its curves are written for TensorBoard too. AppError where they cannot be.
    """
    if log:
        ws = state.workspace
        tensorboard.log_to(ws, run.id, tensorboard.default_folder(ws))
    job = Job(tr("Train {name}", name=run.name))
    job.run_id = run.id
    return state.run("train", job, training.start, state.workspace, run.id)


def start_all(state: AppState, runs: Sequence[RunRow], *, log: bool = False) -> None:
    """Train queued runs in their order; `log` as in `start`."""
    for run in runs:
        start(state, run, log=log)
    state.apply(Changes(runs=True))


def go_on(state: AppState, run_id: int, *, epochs: int = 0, minutes: float = 0) -> Job:
    """Queue a run that ended, to do so much more, or to the end that it was to have.

    Raises AppError where there is nothing to go on with.
    """
    row = state.workspace.run(run_id)
    if epochs or minutes:
        row = training.prolong(state.workspace, run_id, epochs=epochs, minutes=minutes)
    return start(state, row)


def add(
    state: AppState, segmentation_id: int, spec: RunSpec, name: str = "",
    warm_start: int | None = None, *, log: bool = False,
) -> RunRow:  # fmt: skip
    """Queue a new run, perhaps with the weights of another to begin with; `log` as in `start`.

    Raises AppError where the name is taken, the spec has faults or there are no such weights.
    """
    row = training.queue_run(
        state.workspace, segmentation_id, spec, name=name, warm_start=warm_start
    )
    start(state, row, log=log)
    state.apply(Changes(runs=True))
    return row


def add_sweep(
    state: AppState, segmentation_id: int, spec: RunSpec, field: str, values: list[sweeps.Value],
    *, log: bool = False,
) -> str:  # fmt: skip
    """Queue a run for each value of a setting, in their order; the name that they share.

    Raises SpecError where some value cannot be.
    """
    rows = sweeps.sweep(state.workspace, segmentation_id, spec, field, values)
    start_all(state, rows, log=log)
    return rows[0].sweep


def add_first(state: AppState, segmentation_id: int) -> None:
    """Queue the runs of FIRST."""
    for data in FIRST:
        add(state, segmentation_id, RunSpec.from_json(data))


def jobs(state: AppState) -> list[Job]:
    """The training jobs that run or wait, in order."""
    return [job for job in state.jobs.jobs() if job.run_id is not None]


def withdraw(state: AppState, job: Job) -> None:
    """Take a waiting run out of the queue; one that was never begun is deleted."""
    if state.queue.withdraw(job) and job.run_id is not None:
        if state.workspace.run(job.run_id).state == "queued":
            state.workspace.delete("run", job.run_id)
        state.apply(Changes(runs=True))
