"""Suggestions: the train text in; strings that may be words out, to be accepted or rejected."""

from functools import partial

from PySide6.QtCore import Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from lmstudio import figures
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.segment.dictionary_editor import DictionaryEditor
from lmstudio.gui.state import AppState
from lmstudio.gui.table_export import TableExport
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.gui.widgets import ElidedLabel, button, disable, enable
from lmstudio.messages import tr
from lmstudio.operations import dictionaries
from lmstudio.text.userdict import UserWord
from lmstudio.text.word_finding import Suggestion

_MOST = 300  # suggestions asked for


class Suggestions(QWidget):
    """Asks while it is looked at; what is rejected stays away while the window is open."""

    def __init__(
        self, state: AppState, editor: DictionaryEditor, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._state, self._editor = state, editor
        self._corpus_id: int | None = None  # whose suggestions are shown
        self._found: list[Suggestion] = []
        self._rejected: set[str] = set()
        self._asker = Asker(state, self, "bulk")
        self.table = Table(_columns(), tr("New words"), self, many=True, row_height=26)
        self.note = ElidedLabel(size=12, tone="muted")
        self.accept = button(tr("Accept"), parent=self)
        self.reject = button(tr("Reject"), parent=self)
        self.export = TableExport(
            state, self.table, tr("Save the suggestions as CSV"), "new_words", self
        )
        row = QHBoxLayout()
        row.setSpacing(theme.px(8))
        row.addWidget(self.note, 1)
        for control in (self.export.button(), self.reject, self.accept):
            row.addWidget(control)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(8))
        layout.addWidget(self.table, 1)
        layout.addLayout(row)
        self._connect()
        self._check()

    def _connect(self) -> None:
        self._asker.answered.connect(self._take)
        self._asker.failed.connect(self._fail)
        self.table.chosen.connect(self._check)
        self.table.opened.connect(self._accept_one)
        self.accept.clicked.connect(self.accept_selected)
        self.reject.clicked.connect(self.reject_selected)
        self._editor.changed.connect(self._refresh)
        self._state.selection_changed.connect(self._corpus_changed)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self.look()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        super().hideEvent(event)
        if self._asker.busy:  # an import would wait for it
            self._asker.cancel()
            self._corpus_id = None

    @property
    def busy(self) -> bool:
        """Words are being looked for."""
        return self._asker.busy

    @Slot()
    def look(self) -> None:
        """Look for new words in the corpus selected, unless that was done."""
        corpus = self._state.corpus
        if corpus is None or corpus.id == self._corpus_id:
            return
        self._corpus_id, self._found = corpus.id, []
        self._refresh()
        self.note.setText(tr("Looking for new words in the whole train part…"))
        question = partial(dictionaries.suggest, limit=_MOST)
        self._asker.ask(question, self._state.workspace, corpus.id)

    @Slot()
    def _corpus_changed(self) -> None:
        if self.isVisible():
            self.look()

    @Slot(object)
    def _take(self, found: list[Suggestion]) -> None:
        self._found = found
        self._refresh()

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        self._corpus_id = None
        self.note.setText(str(error))

    @Slot()
    def _refresh(self) -> None:
        known = {word.word for word in self._editor.words} | self._rejected
        left = [one for one in self._found if one.word not in known]
        self.table.set_rows([_row(one) for one in left])
        if not self.busy:
            self.note.setText(
                tr("{count} strings that jieba does not know", count=figures.count(len(left)))
                if left else tr("No new word was found.")
            )  # fmt: skip
        self._check()

    @Slot()
    def _check(self) -> None:
        for control in (self.accept, self.reject):
            if self.table.selected():
                enable(control)
            else:
                disable(control, tr("Select words in the table."))

    # accepting and rejecting

    @Slot()
    def accept_selected(self) -> None:
        """Add the selected words to the dictionary."""
        self._accept([str(key) for key in self.table.selected()])

    @Slot(object)
    def _accept_one(self, word: str) -> None:
        self._accept([word])

    def _accept(self, words: list[str]) -> None:
        if words:
            self._editor.add([UserWord(word) for word in words])

    @Slot()
    def reject_selected(self) -> None:
        """Show the selected words no more."""
        self._rejected |= {str(key) for key in self.table.selected()}
        self._refresh()


def _columns() -> list[Column]:
    return [
        Column("word", tr("Word")),
        Column("count", tr("Count"), right=True, show=figures.count, width=58),
        Column("pmi", tr("PMI"), right=True, show=figures.decimal, width=52,
               note=tr("How much more often its parts meet than chance has it, at its "
                       "weakest joint; in bits")),
        Column("left", tr("Left entropy"), right=True, show=figures.decimal, width=84,
               note=tr("How varied the characters before it are: entropy in bits")),
        Column("right", tr("Right entropy"), right=True, show=figures.decimal, width=88,
               note=tr("How varied the characters after it are: entropy in bits")),
    ]  # fmt: skip


def _row(one: Suggestion) -> Row:
    return Row(one.word, {
        "word": Cell(one.word), "count": Cell(one.count), "pmi": Cell(one.pmi),
        "left": Cell(one.left_entropy), "right": Cell(one.right_entropy),
    })  # fmt: skip
