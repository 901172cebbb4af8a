"""WordJudge: the words of a dictionary in; what each does to jieba's cut out, a few at a time."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal, Slot

from lmstudio.gui.jobs import Asker
from lmstudio.gui.state import AppState
from lmstudio.jobs import Job
from lmstudio.operations import dictionaries
from lmstudio.store.workspace import Workspace
from lmstudio.text.userdict import UserWord

_AT_ONCE = 20  # words: the lane answers other questions in between
_MOST = 400  # words of a dictionary, the newest: no one reads warnings of a hundred thousand

Key = tuple[str, str, int | None]
"""Dictionary, word, frequency."""


class WordJudge(QObject):
    """Each word is judged once, unless its frequency changes."""

    judged = Signal()  # more is known

    def __init__(self, state: AppState, parent: QObject) -> None:
        super().__init__(parent)
        self._state = state
        self._known: dict[Key, str] = {}
        self._waiting: list[Key] = []
        self._asked: list[Key] = []
        self._asker = Asker(state, self)
        self._asker.answered.connect(self._take)

    @property
    def busy(self) -> bool:
        """An answer is awaited."""
        return self._asker.busy

    def look_at(self, name: str, words: Sequence[UserWord]) -> None:
        """Judge the words of a dictionary that are new."""
        keys = [(name, word.word, word.frequency) for word in reversed(words[-_MOST:])]
        self._waiting = [key for key in keys if key not in self._known]
        self._ask()

    def warning(self, name: str, word: UserWord) -> str:
        """What is to be said of a word, "" if nothing is or it is not known yet."""
        return self._known.get((name, word.word, word.frequency), "")

    def _ask(self) -> None:
        self._asked = self._waiting[:_AT_ONCE]
        if self._asked:
            words = [word for _, word, _ in self._asked]
            self._asker.ask(_effects, self._state.workspace, self._asked[0][0], words)

    @Slot(object)
    def _take(self, warnings: list[str]) -> None:
        self._known |= dict(zip(self._asked, warnings, strict=True))
        self._waiting = self._waiting[len(self._asked) :]
        self.judged.emit()
        self._ask()


def _effects(ws: Workspace, name: str, words: list[str], *, job: Job) -> list[str]:
    """A sentence for each word, in the language in use."""
    known = {word.word for word in dictionaries.words(ws, name)}
    return [
        "\n".join(map(str, dictionaries.effect(ws, name, word, job=job))) if word in known else ""
        for word in words
    ]
