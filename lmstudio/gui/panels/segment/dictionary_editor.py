"""DictionaryEditor: a user dictionary of the workspace, and what is done to it, step by step."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.segment.word_judge import WordJudge
from lmstudio.gui.state import AppState
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations import dictionaries
from lmstudio.operations.changes import Changes
from lmstudio.store.workspace import Workspace
from lmstudio.text.userdict import UserWord

_NOTES = 4  # that are spelled out


class DictionaryEditor(QObject):
    """Edits are queued and never dropped: a large dictionary takes a moment to write."""

    changed = Signal()  # another dictionary, or other words in it
    edited = Signal()  # words were added or taken away: texts must be cut anew
    noted = Signal(str)  # what an edit had to say, "" if nothing
    failed = Signal(object)  # an AppError

    def __init__(self, state: AppState, parent: QObject) -> None:
        super().__init__(parent)
        self._state = state
        self._jobs: list[Job] = []
        self._added = ""  # the word added last, until it is judged
        self.name = ""
        self.words: list[UserWord] = []
        self._reader = Asker(state, self)
        self._reader.answered.connect(self._take)
        self._judge = WordJudge(state, self)
        self._judge.judged.connect(self._judged)
        self._reader.failed.connect(self.failed)
        state.jobs.finished.connect(self._ended)
        state.dictionaries_changed.connect(self._read)
        state.workspace_changed.connect(self._forget)

    def names(self) -> list[str]:
        """The dictionaries of the workspace."""
        return dictionaries.names(self._state.workspace) if self._state.has_workspace else []

    def show_dictionary(self, name: str = "") -> None:
        """Edit a dictionary; "" is the first there is, or the one that is made at the first word.

        Raises AppError for a name that no file can have.
        """
        name = name or self.name or next(iter(self.names()), tr("My words"))
        dictionaries.path(self._state.workspace, name)
        if name != self.name:
            self.name, self.words = name, []
            self.changed.emit()
            self._read()

    def path(self) -> Path:
        """Where the dictionary is, or will be."""
        return dictionaries.path(self._state.workspace, self.name)

    @property
    def busy(self) -> bool:
        """Something is being read or written."""
        return bool(self._jobs) or self._reader.busy or self._judge.busy

    # edits

    def add(self, words: Sequence[UserWord]) -> None:
        """Add words, or change them."""
        self._added = words[0].word if len(words) == 1 else ""
        self._do(_add, self.name, list(words))

    def remove(self, words: Sequence[str]) -> None:
        """Take words out."""
        self._do(_remove, self.name, list(words))

    def import_file(self, file: Path) -> None:
        """Add the words of a file."""
        self._do(_import, self.name, file)

    @Slot()
    def undo(self) -> None:
        """Take back the last edit."""
        self._do(_undo, self.name)

    def _do(self, function: Callable[..., Changes], *args: Any) -> None:
        job = Job()
        self._jobs.append(job)
        self._state.run("ask", job, function, self._state.workspace, *args, quiet=True)

    @Slot(object)
    def _ended(self, job: Job) -> None:
        if job not in self._jobs:
            return
        self._jobs.remove(job)
        if job.state == "failed" and job.error:
            self.failed.emit(job.error)
        elif job.state == "done":
            self.noted.emit("\n".join(str(note) for note in job.result.notes[:_NOTES]))
            self.edited.emit()

    # what is in it

    @Slot()
    def _read(self) -> None:
        if self.name:
            self._reader.ask(_words, self._state.workspace, self.name)

    @Slot(object)
    def _take(self, words: list[UserWord]) -> None:
        self.words = words
        self.changed.emit()
        self._judge.look_at(self.name, words)

    def warning(self, word: UserWord) -> str:
        """What jieba does with a word that one would not expect; "" if nothing."""
        return self._judge.warning(self.name, word)

    @Slot()
    def _judged(self) -> None:
        self.changed.emit()
        for word in self.words:
            if word.word == self._added and (warning := self.warning(word)):
                self._added = ""
                self.noted.emit(warning)

    @Slot()
    def _forget(self) -> None:
        self.name, self.words = "", []
        self.changed.emit()


# In the lane's thread: each edit reads the file and writes it anew.


def _words(ws: Workspace, name: str, *, job: Job) -> list[UserWord]:
    job.check()
    return dictionaries.words(ws, name)


def _add(ws: Workspace, name: str, words: list[UserWord], *, job: Job) -> Changes:
    for word in words:
        dictionaries.add(ws, name, word.word, word.frequency, word.tag)
    return Changes(dictionaries=True)


def _remove(ws: Workspace, name: str, words: list[str], *, job: Job) -> Changes:
    for word in words:
        dictionaries.remove(ws, name, word)
    return Changes(dictionaries=True)


def _import(ws: Workspace, name: str, file: Path, *, job: Job) -> Changes:
    return dictionaries.import_file(ws, name, file)


def _undo(ws: Workspace, name: str, *, job: Job) -> Changes:
    return dictionaries.undo(ws, name)
