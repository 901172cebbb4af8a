"""DictionaryChoice: which user dictionary of the workspace jieba cuts one side with."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QMenu, QWidget

from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.jobs import Asker
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import ElidedLabel, button, tool
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations import dictionaries
from lmstudio.store.workspace import Workspace
from lmstudio.text.userdict import UserDictionary, read_dictionary

_WARNED = 3  # warnings of a dictionary that are spelled out


def read_words(path: Path, *, job: Job) -> UserDictionary:
    """A user dictionary, as a job."""
    job.check()
    return read_dictionary(path)


def take_file(ws: Workspace, name: str, file: Path, *, job: Job) -> UserDictionary:
    """Add the words of a file to a dictionary of the workspace; what stood in the file."""
    job.check()
    dictionaries.import_file(ws, name, file)
    return read_dictionary(file)


class DictionaryChoice(QWidget):
    """A file that is chosen becomes a dictionary of the workspace: then it can be edited."""

    changed = Signal()
    warned = Signal(str)  # what is wrong with the dictionary, "" if nothing is
    edit_wanted = Signal()

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.path: Path | None = None
        self.words = button(tr("User dictionary…"), "link", parent=self)
        self._menu = QMenu(self)
        self._menu.aboutToShow.connect(self._fill)
        self.words.setMenu(self._menu)
        self.forget_button = tool("close", tr("Without the user dictionary"), parent=self)
        self.forget_button.clicked.connect(self.forget)
        self.note = ElidedLabel(size=12, tone="muted")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(6))
        row.addWidget(self.words)
        row.addWidget(self.note, 1)
        row.addWidget(self.forget_button)
        self._reader = Asker(state, self)
        self._reader.answered.connect(self._read)
        self._reader.failed.connect(self._failed)
        state.dictionaries_changed.connect(self._look_again)
        self._refresh()

    def use(self, path: Path | None) -> None:
        """Cut with a dictionary of the workspace, or with none."""
        self.path = path
        self._refresh()
        self._look_again()
        self.changed.emit()

    def use_file(self, file: Path) -> None:
        """Make a file a dictionary of the workspace and cut with it."""
        name = file.stem
        try:
            self.path = dictionaries.path(self._state.workspace, name)
        except AppError as error:
            self.warned.emit(str(error))
            return
        self.note.setText(tr("user dictionary {name}", name=name))
        self._refresh()
        self._reader.ask(take_file, self._state.workspace, name, file)

    def kept(self) -> tuple[Path | None, str]:
        """What `keep` takes: for the other side, when both change places."""
        return self.path, self.note.full_text()

    def keep(self, kept: tuple[Path | None, str]) -> None:
        """Show what another one has shown; emits nothing."""
        self.path, note = kept
        self.note.setText(note)
        self._refresh()

    @Slot()
    def forget(self) -> None:
        """Cut without a user dictionary."""
        self._reader.cancel()
        self.path = None
        self.warned.emit("")
        self._refresh()
        self.changed.emit()

    @Slot()
    def _look_again(self) -> None:
        if self.path is not None and self.path.exists() and not self._reader.busy:
            self._reader.ask(read_words, self.path)

    @Slot(object)
    def _read(self, found: UserDictionary) -> None:
        if self.path is None:
            return
        self.note.setText(tr("user dictionary {name}: {count} words", name=self.path.stem,
                             count=len(found.words)))  # fmt: skip
        told = [str(warning) for warning in found.warnings[:_WARNED]]
        if len(found.warnings) > _WARNED:
            told.append(tr("and {count} more", count=len(found.warnings) - _WARNED))
        self.warned.emit("\n".join(told))
        self.changed.emit()

    @Slot(object)
    def _failed(self, error: AppError) -> None:
        self.forget()
        self.warned.emit(str(error))

    def _refresh(self) -> None:
        there = self.path is not None
        self.words.setVisible(not there)
        self.note.setVisible(there)
        self.forget_button.setVisible(there)

    # the menu

    @Slot()
    def _fill(self) -> None:
        self._menu.clear()
        ws = self._state.workspace
        for name in dictionaries.names(ws):
            use = partial(self.use, dictionaries.path(ws, name))
            self._menu.addAction(name).triggered.connect(use)
        self._menu.addSeparator()
        self._menu.addAction(tr("From a file…")).triggered.connect(self._ask_file)
        self._menu.addAction(tr("Edit the words…")).triggered.connect(self.edit_wanted)

    @Slot()
    def _ask_file(self) -> None:
        kinds = tr("Text (*.txt *.dict);;All files (*)")
        name, _ = QFileDialog.getOpenFileName(self, tr("User dictionary for jieba"), "", kinds)
        if name:
            self.use_file(Path(name))
