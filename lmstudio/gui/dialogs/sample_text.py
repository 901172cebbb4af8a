"""SampleText: the first lines of a file, and what normalisation makes of them, as text."""

from collections.abc import Sequence

from PySide6.QtCore import Slot
from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from lmstudio.gui import theme
from lmstudio.messages import tr
from lmstudio.text.normalize_sample import SampleLine

_ARROW = "→ "


class SampleText(QPlainTextEdit):
    """A changed line stands twice: as it was, muted, and below as it becomes; the changes marked.

    Characters outside the basic plane are two of Qt's positions: text is put in piece by piece,
    never marked by position.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines: list[SampleLine] = []
        self.setReadOnly(True)
        self.setAccessibleName(tr("First lines"))
        self.setMinimumHeight(theme.px(56))
        self.setMaximumHeight(theme.px(176))
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        theme.signals.changed.connect(self._draw)

    def show_lines(self, lines: Sequence[str]) -> None:
        """Show lines as they are."""
        self.show_changes([SampleLine(line, line) for line in lines])

    def show_changes(self, lines: Sequence[SampleLine]) -> None:
        """Show lines before and after; those that are gone altogether are only before."""
        self._lines = list(lines)
        self._draw()

    @Slot()
    def _draw(self) -> None:
        place = self.verticalScrollBar().value()
        self.clear()
        cursor = self.textCursor()
        for number, line in enumerate(self._lines):
            if number:
                cursor.insertBlock()
            if line.before == line.after:
                cursor.insertText(line.before, _ink("text"))
                continue
            _write(cursor, line.before, line.left, "muted", "bad_bg")
            cursor.insertBlock()
            cursor.insertText(_ARROW, _ink("accent"))
            _write(cursor, line.after, line.right, "text", "tint")
        self.verticalScrollBar().setValue(place)
        self.horizontalScrollBar().setValue(0)


def _write(
    cursor: QTextCursor, text: str, spans: Sequence[tuple[int, int]], ink: str, ground: str
) -> None:
    done = 0
    for start, end in spans:
        cursor.insertText(text[done:start], _ink(ink))
        cursor.insertText(text[start:end], _ink(ink, ground))
        done = end
    cursor.insertText(text[done:], _ink(ink))


def _ink(token: str, ground: str = "") -> QTextCharFormat:
    made = QTextCharFormat()
    made.setForeground(theme.colour(token))
    if ground:
        made.setBackground(theme.colour(ground))
    return made
