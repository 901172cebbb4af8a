"""ModelImport: models and word vectors of other programs, by the system's dialog and by drops."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from lmstudio.errors import AppError
from lmstudio.gui.dialogs.import_model import ImportModelDialog
from lmstudio.gui.state import AppState
from lmstudio.jobs import Job
from lmstudio.messages import tr

PATTERNS = (
    "*.safetensors", "*.bin", "*.json", "*.hdf5", "*.arpa", "*.lm", "*.txt", "*.vec", "*.gz",
)  # fmt: skip
SURE = (".arpa", ".lm", ".safetensors", ".hdf5", ".vec", ".arpa.gz", ".vec.gz")
"""Ends of names that are nothing but models or vectors, so that a drop of them is no text."""


class ModelImport(QObject):
    """Asks for a file, what it is to be called and to stand on; shows the run when it is there."""

    def __init__(self, state: AppState, parent: QWidget) -> None:
        super().__init__(parent)
        self._state, self._over = state, parent
        self._path, self._kind = Path(), ""
        self._job: Job | None = None
        state.jobs.finished.connect(self._ended)

    @Slot()
    def choose(self) -> None:
        """Ask for a file; of a folder, any file in it will do."""
        kinds = tr("Models and word vectors ({patterns});;All files (*)",
                   patterns=" ".join(PATTERNS))  # fmt: skip
        name, _ = QFileDialog.getOpenFileName(self._over, tr("Import a model"), "", kinds)
        if name:
            self.ask(Path(name))

    def take(self, paths: list[Path]) -> list[Path]:
        """Ask about the first model among dropped `paths`; those that are none."""
        models = [path for path in paths if _is_model(path)]
        if models:
            self.ask(models[0])
        return [path for path in paths if path not in models]

    def ask(self, path: Path) -> None:
        """Say what a file is, and ask what is to become of it."""
        from lmstudio.operations import model_files  # with numpy: not before the first paint

        try:
            self._state.workspace  # noqa: B018  # AppError without one
            self._path, self._kind = path, model_files.kind(path)
        except AppError as error:
            self._state.report(error)
            return
        dialog = ImportModelDialog(self._state, path, self._kind, self._over)
        dialog.chosen.connect(self.bring)
        dialog.open()

    @Slot(str, int, list)
    def bring(self, name: str, place: int, words: list[str]) -> None:
        """Import the file asked about, onto the corpus or segmentation `place`, 0 for its own.

        `words` become tokens of their own.
        """
        from lmstudio.operations import model_files

        corpus, cut = (
            (place or None, None) if self._kind == "huggingface" else (None, place or None)
        )
        function = partial(model_files.import_model, name=name, corpus=corpus, segmentation=cut,
                           new_words=words)  # fmt: skip
        self._job = Job(tr("Import {name}", name=self._path.name))
        self._state.run("bulk", self._job, function, self._state.workspace, self._path)

    @Slot(object)
    def _ended(self, job: Job) -> None:
        if job is self._job:
            self._job = None
            if job.state == "done":
                self._state.panel_wanted.emit("curves")


def _is_model(path: Path) -> bool:
    """A file whose name tells it, or the folder of a model of Hugging Face or of an ELMo."""
    if path.is_dir():
        elmo = (path / "options.json").exists() and any(path.glob("*.hdf5"))
        return (path / "config.json").exists() or elmo
    return path.name.lower().endswith(SURE)
