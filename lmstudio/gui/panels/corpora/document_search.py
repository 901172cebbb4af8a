"""DocumentSearch: words typed in; a document table that shows only what is named so, out."""

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from lmstudio import figures
from lmstudio.gui.jobs import Asker
from lmstudio.gui.state import AppState
from lmstudio.messages import tr
from lmstudio.operations import document_search

_WAIT_MS = 150


class DocumentSearch(QLineEdit):
    """Asks in the background as one types; Esc empties it."""

    found = Signal(object)  # numbers of documents; None where nothing is searched for
    counted = Signal(str)  # how many, for a note

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._corpus_id = 0
        self.said = ""  # how many were found
        self._asker = Asker(state, self)
        self._timer = QTimer(self, interval=_WAIT_MS, singleShot=True)
        self.setPlaceholderText(tr("Search names, titles and labels  Ctrl+F"))
        self.setAccessibleName(tr("Search names, titles and labels"))
        self.setClearButtonEnabled(True)
        self._timer.timeout.connect(self._ask)
        self.textChanged.connect(self._typed)
        self._asker.answered.connect(self._answer)

    def set_corpus(self, corpus_id: int) -> None:
        """Search in another corpus: what was searched for is forgotten."""
        self._corpus_id = corpus_id
        self._asker.cancel()
        self._timer.stop()
        blocked = self.blockSignals(True)
        self.clear()
        self.blockSignals(blocked)
        self._say("")

    @property
    def busy(self) -> bool:
        """An answer is awaited."""
        return self._timer.isActive() or self._asker.busy

    @Slot()
    def _typed(self) -> None:
        if self.text().strip():
            self._timer.start()
        else:
            self._timer.stop()
            self._asker.cancel()
            self._say("")
            self.found.emit(None)

    @Slot()
    def _ask(self) -> None:
        words = self.text().strip()
        self._asker.ask(document_search.search, self._state.workspace, self._corpus_id, words)

    @Slot(object)
    def _answer(self, numbers: list[int]) -> None:
        self._say(tr("{count} found", count=figures.count(len(numbers))))
        self.found.emit(numbers)

    def _say(self, text: str) -> None:
        self.said = text
        self.counted.emit(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)
