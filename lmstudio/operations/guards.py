"""Guards: what a run that is trained, or waits to be, stands on is not deleted."""

from collections.abc import Iterable

from lmstudio.errors import AppError
from lmstudio.store.rows import RunRow


def check_idle(runs: Iterable[RunRow]) -> None:
    """Raise AppError if one of `runs` is trained or waits to be."""
    for run in runs:
        if run.state in ("running", "queued"):
            raise AppError(
                "The run {name} on it is being trained or waits to be. Stop it first.",
                name=run.name,
            )
