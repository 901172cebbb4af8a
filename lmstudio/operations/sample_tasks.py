"""The tasks that come with the program, added to a workspace."""

from lmstudio.data.labelled.samples import NAMES, sample
from lmstudio.jobs import Job
from lmstudio.messages import msg, tr
from lmstudio.operations import tasks
from lmstudio.operations.changes import Changes
from lmstudio.store.workspace import Workspace

TITLES = {"sentiment": msg("sentiment"), "travel": msg("travel"), "inference": msg("inference"),
          "passages": msg("passages")}  # fmt: skip
"""What the tasks are called; the English name finds them whatever the language."""


def sample_tasks(ws: Workspace, *, job: Job) -> Changes:
    """Add all of NAMES, each under a name that is free."""
    made = Changes()
    for number, (name, kind) in enumerate(NAMES.items()):
        job.tick(number, len(NAMES))
        title = ws.free_name("task", tr(TITLES[name]))
        made = tasks.add_examples(ws, title, kind, sample(name), sample=name, job=job)
    return Changes(tasks=True, new_id=made.new_id)
