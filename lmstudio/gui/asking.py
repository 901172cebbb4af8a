"""What must be asked before it can be done: files to import, folders to open, the log to read."""

from pathlib import Path

from PySide6.QtCore import QObject, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QWidget

from lmstudio.gui import file_kinds
from lmstudio.gui.packing import ZIP
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.messages import tr
from lmstudio.store.settings import log_file


class Asking(QObject):
    """Opens the system's dialogs over a widget and hands what was chosen to the state."""

    def __init__(self, state: AppState, parent: QWidget) -> None:
        super().__init__(parent)
        self._state, self._over = state, parent
        self.save = SaveAs(state, parent)

    @Slot()
    def choose_files(self) -> None:
        """Ask for files to import."""
        kinds, title = file_kinds.patterns(), tr("Import files")
        names, _ = QFileDialog.getOpenFileNames(self._over, title, "", kinds)
        if names:
            self._state.files_given.emit([Path(name) for name in names])

    @Slot()
    def choose_folder(self) -> None:
        """Ask for a folder to import."""
        if name := QFileDialog.getExistingDirectory(self._over, tr("Import a folder")):
            self._state.files_given.emit([Path(name)])

    @Slot()
    def new_workspace(self) -> None:
        """Ask for an empty folder and make it a workspace."""
        self._open_folder(tr("An empty folder for the new workspace"))

    @Slot()
    def open_workspace(self) -> None:
        """Ask for a workspace folder."""
        self._open_folder(tr("Open a workspace"))

    def _open_folder(self, title: str) -> None:
        if name := QFileDialog.getExistingDirectory(self._over, title):
            self._state.open_workspace(Path(name))

    @Slot()
    def report_problem(self) -> None:
        """Show what a report of a problem would hold, and save it where the user wants it."""
        from lmstudio.gui.dialogs.problem_report import ReportDialog

        dialog = ReportDialog(self._state, self._over)
        dialog.accepted_report.connect(self._save_report)
        dialog.open()

    @Slot(dict)
    def _save_report(self, report: dict[str, str]) -> None:
        from lmstudio.operations import problem_report

        self.save.ask("lm-workbench-report", problem_report.write, report, kind=ZIP)

    @Slot()
    def open_log(self) -> None:
        """Show the log file in the system's viewer."""
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(log_file())))
