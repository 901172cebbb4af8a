"""The tasks that come with the program, added to a workspace."""

from lmstudio.data.labelled.samples import NAMES, sample
from lmstudio.jobs import Job
from lmstudio.operations import tasks
from lmstudio.operations.changes import Changes
from lmstudio.store.workspace import Workspace


def sample_tasks(ws: Workspace, *, job: Job) -> Changes:
    """Add all of NAMES, each under a name that is free."""
    made = Changes()
    for number, (name, kind) in enumerate(NAMES.items()):
        job.tick(number, len(NAMES))
        made = tasks.add_examples(ws, ws.free_name("task", name), kind, sample(name), job=job)
    return Changes(tasks=True, new_id=made.new_id)
