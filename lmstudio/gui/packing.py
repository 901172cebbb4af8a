"""Packing: runs and workspaces as files, in and out, by the system's dialogs and by drops."""

from pathlib import Path

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.store.rows import RunRow

RUN, ZIP = ".lmrun", "ZIP (*.zip)"


class Packing(QObject):
    """Opens dialogs over a widget and hands what was chosen to the operations."""

    def __init__(self, state: AppState, parent: QWidget) -> None:
        super().__init__(parent)
        self._state, self._over = state, parent
        self.save = SaveAs(state, parent)
        self._import: Job | None = None
        self._unpacking: tuple[Job, Path] | None = None
        state.jobs.finished.connect(self._ended)

    @Slot()
    def choose_runs(self) -> None:
        """Ask for files of runs and add the runs."""
        kinds = tr("Runs as files ({pattern})", pattern=f"*{RUN}")
        names, _ = QFileDialog.getOpenFileNames(self._over, tr("Import runs"), "", kinds)
        self.take([Path(name) for name in names])

    def take(self, paths: list[Path]) -> list[Path]:
        """Add the runs whose files are among `paths`; the others."""
        files = [path for path in paths if path.suffix.lower() == RUN]
        if files:
            self.import_runs(files)
        return [path for path in paths if path not in files]

    def import_runs(self, files: list[Path]) -> None:
        """Add the runs of files."""
        from lmstudio.operations import run_files  # with numpy: not before the first paint

        self._import = Job(tr("Import {count} runs", count=len(files)))
        self._state.run("bulk", self._import, run_files.import_runs, self._state.workspace, files)

    @Slot()
    def pack(self) -> None:
        """Ask for a file and pack the workspace."""
        from lmstudio.operations import workspace_files

        ws = self._state.workspace
        self.save.ask(ws.folder.name, workspace_files.export_workspace, ws, kind=ZIP)

    @Slot()
    def choose_packed(self) -> None:
        """Ask for a packed workspace and for a folder, unpack it there and open it."""
        name, _ = QFileDialog.getOpenFileName(self._over, tr("A packed workspace"), "", ZIP)
        title = tr("An empty folder for the workspace")
        folder = QFileDialog.getExistingDirectory(self._over, title) if name else ""
        if folder:
            self.unpack(Path(name), Path(folder))

    def unpack(self, path: Path, folder: Path) -> None:
        """Unpack a workspace into an empty folder; it is opened then."""
        from lmstudio.operations import workspace_files

        job = Job(tr("Unpack {name}", name=path.name))
        self._unpacking = job, folder
        self._state.run("bulk", job, workspace_files.unpack_workspace, path, folder)

    @Slot(object)
    def _ended(self, job: Job) -> None:
        if job is self._import:
            self._import = None
            if job.state == "done":
                self._show(self._state.workspace.runs(tuned=True)[-1])
        elif self._unpacking is not None and job is self._unpacking[0]:
            folder, self._unpacking = self._unpacking[1], None
            if job.state == "done":
                self._state.open_workspace(folder)

    def _show(self, run: RunRow) -> None:
        """Where a run that has just come stands."""
        self._state.select_segmentation(run.segmentation_id)
        if run.task is None:
            self._state.panel_wanted.emit("curves")
        else:
            self._state.tuned.choose_run(run)
            self._state.panel_wanted.emit("task_results")
