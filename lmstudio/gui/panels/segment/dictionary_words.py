"""DictionaryWords: the words of a dictionary in a table, to be taken out again or saved."""

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.panels.segment.dictionary_editor import DictionaryEditor
from lmstudio.gui.state import AppState
from lmstudio.gui.table_export import TableExport
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.gui.widgets import ElidedLabel, button, disable, enable
from lmstudio.messages import tr
from lmstudio.text.userdict import UserWord


class DictionaryWords(QWidget):
    """Newest first: what was added last is what one looks for."""

    def __init__(
        self, state: AppState, editor: DictionaryEditor, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._editor = editor
        columns = [
            Column("word", tr("Word")),
            Column("frequency", tr("Frequency"), right=True, show=figures.count, width=100),
            Column("tag", tr("Tag"), width=60),
        ]
        self.table = Table(columns, tr("Words of the dictionary"), self, many=True, row_height=26)
        self.export = TableExport(state, self.table, tr("Save the words as CSV…"), "words", self)
        self.note = ElidedLabel(size=12, tone="muted")
        self.remove = button(tr("Remove"), parent=self)
        self.undo = button(tr("Undo") + "  Ctrl+Z", parent=self)
        row = QHBoxLayout()
        row.setSpacing(theme.px(8))
        row.addWidget(self.note, 1)
        for control in (self.undo, self.remove):
            row.addWidget(control)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(8))
        layout.addWidget(self.table, 1)
        layout.addLayout(row)
        self._connect()
        self.refresh()

    def _connect(self) -> None:
        self.table.chosen.connect(self._choose)
        self.remove.clicked.connect(self.remove_selected)
        self.undo.clicked.connect(self._editor.undo)
        self._editor.changed.connect(self.refresh)
        delete = QAction(self)
        delete.setShortcut(QKeySequence(Qt.Key.Key_Delete))
        delete.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        delete.triggered.connect(self.remove_selected)
        self.addAction(delete)

    @Slot()
    def refresh(self) -> None:
        """Show the words as they are now."""
        editor = self._editor
        self.table.set_rows([_row(word, editor.warning(word)) for word in reversed(editor.words)])
        count = len(self._editor.words)
        self.note.setText(tr("{count} words", count=figures.count(count)))
        self._check()

    @Slot(list)
    def _choose(self, words: list[str]) -> None:
        self._check()
        chosen = [word for word in self._editor.words if word.word in words]
        self._editor.noted.emit(self._editor.warning(chosen[0]) if len(chosen) == 1 else "")

    def _check(self) -> None:
        if self.table.selected():
            enable(self.remove)
        else:
            disable(self.remove, tr("Select words in the table."))

    @Slot()
    def remove_selected(self) -> None:
        """Take the selected words out."""
        if chosen := self.table.selected():
            self._editor.remove([str(key) for key in chosen])


def _row(word: UserWord, warning: str) -> Row:
    off = word.frequency == 0
    tip = tr("jieba does not use this word.") if off else warning
    frequency = Cell(word.frequency) if word.frequency is not None else Cell(None, tr("enough"))
    return Row(word.word, {
        "word": Cell(word.word, tone="off" if off else "warn" if warning else "", tip=tip),
        "frequency": frequency,
        "tag": Cell(word.tag),
    })  # fmt: skip
