"""Runs to jobs of the train lane: a new one, one to continue, the first three."""

from lmstudio.gui.state import AppState
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations import runs, training
from lmstudio.operations.changes import Changes
from lmstudio.store.rows import RunRow
from lmstudio.training.spec import RunSpec

RESUMABLE = ("stopped", "interrupted", "failed")
"""States of a run that ended early and can be gone on with."""

FIRST = tuple({"model": "ngram", "config": {"order": order}} for order in (1, 2, 3, 5))
"""What a corpus is shown with before anything else: each takes seconds, whatever its size."""


def start(state: AppState, run: RunRow) -> Job:
    """Train a queued run, or go on with one that ended early, after what is queued before it."""
    job = Job(tr("Train {name}", name=run.name))
    job.run_id = run.id
    return state.run("train", job, training.start, state.workspace, run.id)


def add(state: AppState, segmentation_id: int, spec: RunSpec, name: str = "") -> RunRow:
    """Queue a new run. Raises AppError where the name is taken or the spec has faults."""
    row = training.queue_run(state.workspace, segmentation_id, spec, name=name)
    start(state, row)
    state.apply(Changes(runs=True))
    return row


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
            runs.delete(state.workspace, job.run_id)
        state.apply(Changes(runs=True))
