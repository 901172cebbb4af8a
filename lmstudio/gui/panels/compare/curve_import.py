"""CurveImport: a file of the user's in; its curves kept with the corpus, and shown, out."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from lmstudio.errors import AppError
from lmstudio.formats.curve_file import FileCurve
from lmstudio.gui.dialogs.import_curve import ImportCurveDialog
from lmstudio.gui.jobs import Asker
from lmstudio.gui.state import AppState
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations import foreign_curves


class CurveImport(QObject):
    """Asks for a file and what is in it; removes curves too."""

    added = Signal()

    def __init__(self, state: AppState, parent: QWidget) -> None:
        super().__init__(parent)
        self._state, self._over = state, parent
        self._path = Path()
        self._job: Job | None = None
        self._asker = Asker(state, self)
        self._asker.answered.connect(self._ask_which)
        self._asker.failed.connect(state.report)
        state.jobs.finished.connect(self._ended)

    @Slot()
    def ask(self) -> None:
        """Ask for a file."""
        title = tr("A table with curves of another program")
        name, _ = QFileDialog.getOpenFileName(self._over, title, "", "CSV, TSV (*.csv *.tsv)")
        if name:
            self.look(Path(name))

    def look(self, path: Path) -> None:
        """Look at a file; what is found is asked about."""
        self._path = path
        self._asker.ask(foreign_curves.look, path)

    @Slot(object)
    def _ask_which(self, found: list[FileCurve]) -> None:
        dialog = ImportCurveDialog(self._path, found, self._over.window())
        dialog.chosen.connect(self.add)
        dialog.open()

    @Slot(list, str, str, str)
    def add(self, columns: list[str], name: str, measure: str, part: str) -> None:
        """Keep columns of the file that was looked at."""
        corpus = self._state.corpus
        if corpus is None:
            return
        keep = partial(foreign_curves.add, columns=columns, name=name, measure=measure, part=part)
        self._job = Job(tr("Add curves of {name}", name=self._path.name))
        self._state.run("bulk", self._job, keep, self._state.workspace, corpus.id, self._path)

    @Slot(object)
    def _ended(self, job: Job) -> None:
        if job is self._job:
            self._job = None
            if job.state == "done":
                self.added.emit()

    @Slot(int)
    def remove(self, number: int) -> None:
        """Forget a curve."""
        corpus = self._state.corpus
        if corpus is None:
            return
        try:
            self._state.apply(foreign_curves.remove(self._state.workspace, corpus.id, number))
        except AppError as error:
            self._state.report(error)
