"""SentenceField: sentences typed or pasted, one a line, in; their text, and the one meant, out.

Positions are code points here, and UTF-16 units where Qt is asked: see data.offsets.
"""

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtGui import QTextBlock, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from lmstudio.data.offsets import utf16_offset
from lmstudio.gui import theme
from lmstudio.messages import tr


class SentenceField(QPlainTextEdit):
    """What an input method has not committed yet is no text and changes nothing."""

    edited = Signal()  # the text is another
    line_changed = Signal(int)  # the cursor went to another sentence

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._before, self._line = "", 0
        self.setPlaceholderText(tr("Type a sentence; more on lines of their own"))
        self.setAccessibleName(tr("Sentence"))
        self.setFont(theme.font(15))
        self.setTabChangesFocus(True)
        self.setFixedHeight(theme.px(66))
        self.textChanged.connect(self._changed)
        self.cursorPositionChanged.connect(self._moved)

    def text(self) -> str:
        """All of it."""
        return self.toPlainText()

    def set_text(self, text: str) -> None:
        """Put another text in; emits nothing."""
        with QSignalBlocker(self):
            self.setPlainText(text)
        self._before, self._line = self.text(), 0

    def sentences(self) -> list[str]:
        """The lines that hold something."""
        return [block.text() for block in self._blocks()]

    def line(self) -> int:
        """The number of the sentence that the cursor is in, or the one before it."""
        here = self.textCursor().blockNumber()
        before = sum(block.blockNumber() <= here for block in self._blocks())
        return max(before - 1, 0)

    def go_to(self, line: int) -> None:
        """Put the cursor into a sentence; emits nothing."""
        blocks = self._blocks()
        if line < len(blocks) and line != self.line():
            with QSignalBlocker(self):
                self.setTextCursor(QTextCursor(blocks[line]))
        self._line = line

    def mark(self, line: int, start: int, end: int) -> None:
        """Light up characters of a sentence."""
        blocks, chosen = self._blocks(), QTextEdit.ExtraSelection()
        if line >= len(blocks):
            self.setExtraSelections([])
            return
        block, keep = blocks[line], QTextCursor.MoveMode.KeepAnchor
        cursor = QTextCursor(block)
        cursor.setPosition(block.position() + utf16_offset(block.text(), start))
        cursor.setPosition(block.position() + utf16_offset(block.text(), end), keep)
        chosen.cursor = cursor
        chosen.format.setBackground(theme.colour("tint"))
        chosen.format.setForeground(theme.colour("accent"))
        self.setExtraSelections([chosen])

    def marked(self) -> str:
        """The characters that are lit up."""
        found = self.extraSelections()
        return found[0].cursor.selectedText() if found else ""

    def _blocks(self) -> list[QTextBlock]:
        found, block = [], self.document().begin()
        while block.isValid():
            if block.text().strip():
                found.append(block)
            block = block.next()
        return found

    @Slot()
    def _changed(self) -> None:
        if self.text() != self._before:
            self._before = self.text()
            self.edited.emit()

    @Slot()
    def _moved(self) -> None:
        if self.text() == self._before and self.line() != self._line:
            self._line = self.line()
            self.line_changed.emit(self._line)
