"""Imports: an order from a dialog in; a job, and then what came of it, out."""

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from lmstudio.data.import_options import ImportOptions
from lmstudio.gui.state import AppState
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations import corpora
from lmstudio.operations.changes import Changes
from lmstudio.store.rows import Part
from lmstudio.store.workspace import Workspace
from lmstudio.text.document import ReadOptions
from lmstudio.text.normalize import NormaliseOptions
from lmstudio.text.normalize_sample import NormalisedSample, normalised_sample
from lmstudio.text.preview import Preview

Parts = dict[Part, list[Path]]


@dataclass(frozen=True)
class ImportOrder:
    """What a dialog was left with; one of `text`, `again`, `parts` and `paths` says what of.

    `text` is pasted text, `again` a corpus whose files are imported anew, `parts` a given split.
    """

    paths: tuple[Path, ...] = ()
    name: str = ""
    options: ImportOptions = ImportOptions()
    parts: Parts | None = None
    text: str = ""
    again: int | None = None

    @property
    def title(self) -> str:
        """What the job bar calls it."""
        return tr("Import {name}", name=self.name)


def look(paths: list[Path], reading: ReadOptions, *, job: Job) -> tuple[Preview, Parts | None]:
    """What the files hold, and the parts that they are named as; of a folder with any number."""
    job.check()
    seen = corpora.preview(paths, reading)
    return seen, corpora.parts_by_name([file.path for file in seen.files])


def try_steps(lines: list[str], normalise: NormaliseOptions, *, job: Job) -> NormalisedSample:
    """What normalisation does to lines, and what each step would do."""
    return normalised_sample(lines, normalise, job=job)


def carry_out(ws: Workspace, order: ImportOrder, *, job: Job) -> Changes:
    """Import what was ordered."""
    name, options = order.name, order.options
    if order.text:
        return corpora.import_text(ws, order.text, name=name, options=options, job=job)
    if order.again is not None:
        return corpora.import_again(ws, order.again, options, name=name, job=job)
    if order.parts is not None:
        train, valid, test = (order.parts[part] for part in ("train", "valid", "test"))
        return corpora.import_splits(ws, train, valid, test, name=name, options=options, job=job)
    return corpora.import_files(ws, order.paths, name=name, options=options, job=job)


class Imports(QObject):
    """Starts imports and follows them to their end."""

    done = Signal(object)  # the Changes of an import that ended well

    def __init__(self, state: AppState, parent: QObject) -> None:
        super().__init__(parent)
        self._state = state
        self._jobs: set[Job] = set()
        state.jobs.finished.connect(self._ended)

    @Slot(object)
    def start(self, order: ImportOrder) -> None:
        """Import in the background; the new corpus is selected when it is there."""
        job = Job(order.title)
        self._jobs.add(job)
        self._state.run("bulk", job, carry_out, self._state.workspace, order)

    @property
    def busy(self) -> bool:
        """An import runs or waits."""
        return bool(self._jobs)

    @Slot(object)
    def _ended(self, job: Job) -> None:
        if job not in self._jobs:
            return
        self._jobs.discard(job)
        if job.state == "done":
            self.done.emit(job.result)
        elif job.state == "cancelled":
            self._state.told.emit(tr("Stopped. Nothing was imported."))
