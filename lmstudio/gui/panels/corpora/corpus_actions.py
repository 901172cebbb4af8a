"""CorpusActions: rename, delete and export the selected corpus, show its import report."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton, QToolButton, QWidget

from lmstudio.gui import renaming
from lmstudio.gui.dialogs.ask import DeleteDialog, NameDialog
from lmstudio.gui.dialogs.import_report import ImportReportDialog
from lmstudio.gui.dialogs.tags import TagsDialog
from lmstudio.gui.jobs import Asker
from lmstudio.gui.row_actions import RowAction, line
from lmstudio.gui.save_as import CSV, TABLE, chosen_path
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import button, disable, enable, tool
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations import corpora, documents, import_report, trash
from lmstudio.operations.import_report import ReportRow
from lmstudio.store.rows import CorpusRow
from lmstudio.store.workspace import Workspace


def read_report(ws: Workspace, corpus_id: int, *, job: Job) -> list[ReportRow]:
    """The report as a job: it looks up the name of every document that came twice."""
    job.check()
    return import_report.import_report(ws, corpus_id)


class CorpusActions(QObject):
    """The tools of the corpora panel; dialogs open over `over`."""

    def __init__(self, state: AppState, over: QWidget) -> None:
        super().__init__(over)
        self._state, self._over = state, over
        self._asked: CorpusRow | None = None  # the corpus a dialog is about
        self._export: tuple[Job, Path] | None = None
        self.edit = tool("edit", tr("Rename  F2"), parent=over)
        self.tag = tool("tag", tr("Tags…"), parent=over)
        self.remove = tool("delete", tr("Delete…"), parent=over)
        self.save = tool("export", tr("Save the documents as CSV"), parent=over)
        self.report = button(tr("Import report"), "link", parent=over)
        self.again = button(tr("Import again…"), "link", parent=over)
        self.again.setToolTip(tr("The same files with other settings, as a new corpus"))
        self.edit.clicked.connect(self.rename)
        self.tag.clicked.connect(self.set_tags)
        self.remove.clicked.connect(self.delete)
        self.save.setMenu(self._save_menu())
        self.save.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.report.clicked.connect(self.show_report)
        self._reporter = Asker(state, self)
        self._reporter.answered.connect(self._open_report)
        self._reporter.failed.connect(state.report)
        state.jobs.added.connect(self._update)
        state.jobs.finished.connect(self._job_ended)
        self._update()  # jobs outlive a window

    def _save_menu(self) -> QMenu:
        menu = QMenu(self._over)
        ways = (
            (tr("The table of documents…"), self.export),
            (tr("The documents with their text…"), self.export_texts),
        )
        for title, way in ways:
            action = QAction(title, menu)
            action.triggered.connect(way)
            menu.addAction(action)
        return menu

    def offer(self, rows: QWidget, segment: QPushButton) -> None:
        """Offer all of it in the menu of the list of corpora, below what Enter does there."""
        RowAction(rows, segment, "Return")
        line(rows)
        for press in (self.report, self.again):
            RowAction(rows, press)
        line(rows)
        rows.addActions(self.save.menu().actions())
        line(rows)
        RowAction(rows, self.edit, "F2")
        RowAction(rows, self.tag, "T")
        RowAction(rows, self.remove, "Del")

    @Slot()
    def rename(self) -> None:
        """Ask for another name."""
        if (corpus := self._state.corpus) is not None:
            self._asked = corpus
            dialog = NameDialog(tr("Rename the corpus"), corpus.name, self._over.window())
            dialog.named.connect(self.rename_to)
            dialog.open()

    @Slot(str)
    def rename_to(self, name: str) -> None:
        """Give the corpus asked about another name."""
        assert self._asked is not None
        renaming.rename(self._state, corpora.rename, self._asked.id, self._asked.name, name)

    @Slot()
    def set_tags(self) -> None:
        """Ask for its tags."""
        if (corpus := self._state.corpus) is not None:
            over = self._over.window()
            TagsDialog(self._state, "corpus", corpus.id, corpus.name, over).open()

    @Slot()
    def delete(self) -> None:
        """Ask, and say what goes with the corpus."""
        corpus = self._state.corpus
        if corpus is None or not self.remove.isEnabled():
            return
        self._asked = corpus
        cuts = self._state.segmentations(corpus.id)
        runs = trash.going(self._state.workspace, "corpus", corpus.id)
        if cuts:
            detail = tr(
                "Its text, its segmentations ({segmentations}) and its runs ({runs}) with their "
                "models go to the trash. The files it was imported from are left as they are.",
                segmentations=len(cuts), runs=len(runs),
            )  # fmt: skip
            detail += f"\n{trash.with_it(runs)}" if runs else ""
        else:
            detail = tr(
                "Its text goes to the trash. The files it was imported from are left as they are."
            )
        title = tr("Delete {name}?", name=corpus.name)
        dialog = DeleteDialog(title, detail, self._over.window())
        dialog.accepted.connect(self.delete_asked)
        dialog.open()

    @Slot()
    def delete_asked(self) -> None:
        """Delete the corpus asked about."""
        assert self._asked is not None
        job = Job(tr("Delete {name}", name=self._asked.name))
        ws = self._state.workspace
        self._state.run("bulk", job, corpora.delete, ws, self._asked.id)

    @Slot()
    def show_report(self) -> None:
        """What the import took, left out, found twice and changed."""
        if (corpus := self._state.corpus) is not None:
            self._asked = corpus
            self._reporter.ask(read_report, self._state.workspace, corpus.id)

    @Slot(object)
    def _open_report(self, rows: list[ReportRow]) -> None:
        assert self._asked is not None
        dialog = ImportReportDialog(self._asked, rows, self._over.window())
        dialog.save_wanted.connect(self.export_report)
        dialog.open()

    @Slot()
    def export_report(self) -> None:
        """Ask for a file and save the report of the corpus asked about in it."""
        assert self._asked is not None
        title = tr("Save the import report as CSV")
        if path := chosen_path(self._over, title, self._asked.name):
            self.export_report_to(path)

    def export_report_to(self, path: Path) -> None:
        """Save the report of the corpus asked about."""
        assert self._asked is not None
        self._save(import_report.save_csv, self._asked, path)

    @Slot()
    def export(self) -> None:
        """Ask for a file and save the table of documents in it."""
        if path := self._path(TABLE):
            self.export_to(path)

    @Slot()
    def export_texts(self) -> None:
        """Ask for a file and save the documents with their text, to be imported again."""
        if path := self._path(CSV):
            self.export_texts_to(path)

    def _path(self, kinds: str) -> Path | None:
        if (corpus := self._state.corpus) is None:
            return None
        return chosen_path(self._over, tr("Save the documents as CSV"), corpus.name, kinds)

    def export_to(self, path: Path) -> None:
        """Save the table of documents."""
        corpus = self._state.corpus
        assert corpus is not None
        self._save(documents.save_csv, corpus, path)

    def export_texts_to(self, path: Path) -> None:
        """Save the documents with their text."""
        corpus = self._state.corpus
        assert corpus is not None
        self._save(corpora.documents_csv, corpus, path)

    def _save(self, operation: Callable[..., None], corpus: CorpusRow, path: Path) -> None:
        job = Job(tr("Save {path}", path=path.name))
        self._export = job, path
        self._state.run("bulk", job, operation, self._state.workspace, corpus.id, path)

    @Slot(object)
    def _job_ended(self, job: Job) -> None:
        if self._export is not None and job is self._export[0]:
            if job.state == "done":
                self._state.told.emit(tr("Saved {path}", path=self._export[1]))
            self._export = None
        self._update()

    @Slot()
    def _update(self) -> None:
        """A corpus that a job may be reading is not deleted."""
        if self._state.jobs.jobs():
            disable(self.remove, tr("A job is running. Wait for it, or stop it."))
        else:
            enable(self.remove)
