"""What a fine-tuned transformer looks at in a text of its task, as it reads it for its answer."""

from pathlib import Path

from lmstudio.analysis.tasks import looking
from lmstudio.analysis.tasks.looking import TaskLooks
from lmstudio.jobs import Job
from lmstudio.operations import attention
from lmstudio.operations.asked import asked
from lmstudio.operations.predicting import asked_task, examples
from lmstudio.store.workspace import Workspace

Key = int | str


def looks(
    ws: Workspace, run: Key, text: str, other: str = "", *, place: int = -1, job: Job
) -> TaskLooks:  # fmt: skip
    """Where every head of a fine-tuned run looks in a text, with its second text or question.

    `place`: as of `looking.looks`. AppError for a run without attention, a language model, and as
    of `predicting.predict`.
    """
    one = asked_task(ws, run)
    asked(ws, run, "attention")
    (example,) = examples(one.task, [text], [other] if other else [])
    return job.call(looking.looks, one, example, place)


def save_looks(found: TaskLooks, path: Path, *, job: Job) -> None:
    """Write every cell of every head as CSV, a line each."""
    attention.save_cells(found.names, found.weights, path, job=job)
