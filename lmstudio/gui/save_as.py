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


class SaveAs(QObject):
    """Writes in the background, one file at a time, and tells the user when it is there."""

    def __init__(self, state: AppState, parent: QWidget) -> None:
        super().__init__(parent)
        self._state, self._over = state, parent
        self._job: Job | None = None
        self._path = Path()
        state.jobs.finished.connect(self._ended)

    def ask(self, name: str, function: Callable[..., Any], *args: Any, kind: str = CSV) -> None:
        """Ask where to, proposing `name`; then `function(*args, path, job=...)`."""
        ending = kind.rpartition("*")[2].rstrip(")")
        chosen, _ = QFileDialog.getSaveFileName(self._over, tr("Save as"), f"{name}{ending}", kind)
        if chosen:
            path = Path(chosen)
            self.save(path if path.suffix else path.with_suffix(ending), function, *args)

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
