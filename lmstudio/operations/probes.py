"""What a network answered to the same few questions at each validation of its training."""

from lmstudio.store.workspace import Workspace
from lmstudio.training import probes as asked
from lmstudio.training.probes import ProbeRecord


def probes(ws: Workspace, run: int | str) -> list[ProbeRecord]:
    """The records of a run, by step; none where it has not been validated yet."""
    return asked.read(ws.run_folder(ws.run(run).id))
