"""SaveAs: an operation that writes a file in; a place asked for, and the file there, out."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from lmstudio.gui.state import AppState
from lmstudio.jobs import Job
from lmstudio.messages import tr

CSV = "CSV (*.csv)"
TABLE = f"{CSV};;TSV (*.tsv);;LaTeX (*.tex)"
"""What `formats.table_file` writes."""


def chosen_path(parent: QWidget | None, title: str, name: str, kinds: str = TABLE) -> Path | None:
    """Ask for a file of one of some `kinds`, proposing `name` with the ending of the first.

    The ending that the user wrote counts, else that of the kind chosen. None: thought better of it.
    """
    proposed = f"{name}{_ending(kinds)}"
    chosen, kind = QFileDialog.getSaveFileName(parent, title, proposed, kinds)
    if not chosen:
        return None
    path, wanted = Path(chosen), _ending(kind or kinds)
    if path.suffix and (path.suffix != _ending(kinds) or path.suffix == wanted):
        return path
    return _free(path.with_suffix(wanted))


def _ending(kinds: str) -> str:
    """Of the first of some kinds: ".csv"."""
    return kinds.split(";;")[0].rpartition("*")[2].rstrip(")")


def _free(path: Path) -> Path:
    """A name that the dialog has not asked about: it must not replace anything."""
    found, number = path, 2
    while found.exists():
        found, number = path.with_stem(f"{path.stem} {number}"), number + 1
    return found


class SaveAs(QObject):
    """Writes in the background, one file at a time, and tells the user when it is there."""

    def __init__(self, state: AppState, parent: QWidget) -> None:
        super().__init__(parent)
        self._state, self._over = state, parent
        self._job: Job | None = None
        self._path = Path()
        state.jobs.finished.connect(self._ended)

    def ask(self, name: str, function: Callable[..., Any], *args: Any, kind: str = TABLE) -> None:
        """Ask where to, proposing `name`; then `function(*args, path, job=...)`."""
        if path := chosen_path(self._over, tr("Save as"), name, kind):
            self.save(path, function, *args)

    def save(self, path: Path, function: Callable[..., Any], *args: Any) -> None:
        """Write there."""
        self._job, self._path = Job(tr("Save {name}", name=path.name)), path
        self._state.run("bulk", self._job, function, *args, path)

    @Slot(object)
    def _ended(self, job: Job) -> None:
        if job is self._job:
            self._job = None
            if job.state == "done":
                self._state.told.emit(tr("Saved {path}", path=self._path))
