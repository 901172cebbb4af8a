"""What a layout of other programs is to this one: a line of the table in operations.exporting."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from lmstudio.jobs import Job
from lmstudio.messages import msg
from lmstudio.operations.changes import Changes
from lmstudio.options import option
from lmstudio.store.rows import RunRow
from lmstudio.store.workspace import Workspace


@dataclass(frozen=True)
class ExportOptions:
    """What can be set of an export; each layout says which of it it heeds."""

    layer: int = option(
        0, msg("Layer"), msg("Layer of the vectors; 0 is the table"), low=0, high=1000
    )
    all: bool = option(
        False, msg("Everything"), msg("With the last checkpoint, to go on with the training, what "
                                      "the replay shows, and the examples of a task"),
    )  # fmt: skip


class Writer(Protocol):
    """Writes a run: the file or folder is whole or not there; `Changes.notes` are to be told."""

    def __call__(
        self, ws: Workspace, run: RunRow, path: Path, options: ExportOptions, *, job: Job
    ) -> Changes:
        """AppError where it cannot be written."""
        ...


@dataclass(frozen=True)
class Format:
    """A layout that runs can be written in."""

    title: str  # a catalogue sentence
    suffix: str  # of the file that is written, "" for a folder
    refuse: Callable[[Workspace, RunRow], None]  # AppError where a run cannot be written so; quick
    write: Writer
    settings: tuple[str, ...] = ()  # fields of ExportOptions that it heeds
