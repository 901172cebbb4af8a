"""LineView: numbered lines that are read when they come into sight; a giant one is cut."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Slot
from PySide6.QtGui import (
    QFontMetricsF,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QTextCharFormat,
    QTextLayout,
    QTextLine,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip, QWidget

from lmstudio.gui import theme
from lmstudio.gui.widgets.token_paint import TINTS

LONGEST = 1000  # characters of a line that are laid out
_KEPT = 200  # lines remembered

Word = tuple[int, int, str]
"""A given word of a line: from and to in code points, and its tag, which may be empty."""


@dataclass(frozen=True)
class _Laid:
    """A line as it was drawn, to find out what the pointer is over."""

    top: float
    height: float
    layout: QTextLayout
    words: list[Word]
    text: str


class LineView(QAbstractScrollArea):
    """Scrolls by lines, so that nothing above or below needs to be laid out."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._count = 0
        self._first = 0
        self._read: Callable[[int], str] = str
        self._words: Callable[[int], list[Word]] = _no_words
        self._laid: list[_Laid] = []  # the lines in sight
        self._left = 0.0  # where their text begins
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        theme.signals.changed.connect(self.viewport().update)

    def set_lines(
        self, read: Callable[[int], str], first: int, count: int, *,
        words: Callable[[int], list[Word]] | None = None,
    ) -> None:  # fmt: skip
        """Show lines `first` to `first + count` - 1 of what `read` gives by number.

        `words` gives those of a line by its number: they stand on grounds that alternate, and the
        pointer over one shows its tag.
        """
        self._read = lru_cache(_KEPT)(_cut(read))
        self._words = lru_cache(_KEPT)(words) if words else _no_words
        self._first, self._count = first, count
        self.verticalScrollBar().setRange(0, max(count - 1, 0))
        self.verticalScrollBar().setPageStep(10)
        self.verticalScrollBar().setValue(0)
        self._scrolled()

    def clear(self) -> None:
        """Show nothing and hold nothing."""
        self.set_lines(str, 0, 0)

    def visible_text(self) -> str:
        """The lines in sight, as they are shown."""
        top = self.verticalScrollBar().value()
        last = min(top + max(len(self._laid), 1), self._count)
        return "\n".join(self._read(self._first + number) for number in range(top, last))

    @Slot()
    def _scrolled(self) -> None:
        top = self.verticalScrollBar().value()
        line = self._read(self._first + top) if self._count else ""
        self.setAccessibleDescription(line)
        self.viewport().update()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(360), theme.px(240))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(160), theme.px(80))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self.viewport())
        painter.fillRect(self.viewport().rect(), theme.colour("surface"))
        gutter = theme.px(12) + self.fontMetrics().horizontalAdvance(str(self._count))
        width, height = self.viewport().width() - gutter - theme.px(4), self.viewport().height()
        top, y = self.verticalScrollBar().value(), 0.0
        baseline = QFontMetricsF(theme.font(13)).ascent()
        self._laid, self._left = [], gutter
        for number in range(top, self._count):
            if y > height:
                break
            painter.setFont(theme.font(12))
            painter.setPen(theme.colour("muted"))
            painter.drawText(QPointF(0, y + baseline), str(number + 1))
            painter.setPen(theme.colour("text"))
            laid = self._lay(self._first + number, y, width)
            laid.layout.draw(painter, QPointF(gutter, y))
            self._laid.append(laid)
            y += laid.height + theme.px(4)
        painter.end()

    def _lay(self, number: int, top: float, width: float) -> _Laid:
        text, words = self._read(number), self._words(number)
        layout, height = _wrapped(text, words, width)
        return _Laid(top, height, layout, words, text)

    def tag_at(self, place: QPointF) -> str:
        """The tag of the word at a place of the viewport, empty if there is none."""
        for line in self._laid:
            if not line.top <= place.y() < line.top + line.height:
                continue
            for number in range(line.layout.lineCount()):
                row, point = line.layout.lineAt(number), place - QPointF(self._left, line.top)
                if row.naturalTextRect().contains(point):
                    at = row.xToCursor(point.x(), QTextLine.CursorPosition.CursorOnCharacter)
                    character = len(line.text.encode("utf-16-le")[: 2 * at].decode("utf-16-le"))
                    return next((tag for start, end, tag in line.words
                                 if start <= character < end), "")  # fmt: skip
        return ""

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802
        if isinstance(event, QHelpEvent):
            if tag := self.tag_at(QPointF(event.pos())):
                QToolTip.showText(event.globalPos(), tag, self.viewport())
            else:
                QToolTip.hideText()
            return True
        return super().viewportEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        if turned := event.angleDelta().y():
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + (-1 if turned > 0 else 1))
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        bar = self.verticalScrollBar()
        places = {
            Qt.Key.Key_Down: bar.value() + 1, Qt.Key.Key_Up: bar.value() - 1,
            Qt.Key.Key_PageDown: bar.value() + max(len(self._laid) - 1, 1),
            Qt.Key.Key_PageUp: bar.value() - max(len(self._laid) - 1, 1),
            Qt.Key.Key_Home: 0, Qt.Key.Key_End: bar.maximum(),
        }  # fmt: skip
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.visible_text())
        elif Qt.Key(event.key()) in places:
            bar.setValue(places[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)


def _cut(read: Callable[[int], str]) -> Callable[[int], str]:
    def line(number: int) -> str:
        text = read(number)
        return text if len(text) <= LONGEST else text[:LONGEST] + " …"

    return line


def _no_words(number: int) -> list[Word]:
    return []


def _wrapped(text: str, words: list[Word], width: float) -> tuple[QTextLayout, float]:
    """A line laid out, broken where it is too long, and its height."""
    layout = QTextLayout(text, theme.font(13))
    layout.setFormats(_grounds(text, words))
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    layout.beginLayout()
    height = 0.0
    while (row := layout.createLine()).isValid():
        row.setLineWidth(max(width, 40))
        row.setPosition(QPointF(0, height))
        height += max(row.height(), theme.px(20))
    layout.endLayout()
    return layout, max(height, theme.px(20))


def _grounds(text: str, words: list[Word]) -> list[QTextLayout.FormatRange]:
    """A light ground for every word, another for every second; in Qt's UTF-16 positions."""
    grounds = [QTextCharFormat(), QTextCharFormat()]
    for ground, share in zip(grounds, TINTS, strict=True):
        ground.setBackground(theme.mix(theme.colour("surface"), theme.colour("accent"), share))
    found, done, place = [], 0, 0  # code points and UTF-16 units so far
    for number, (start, end, _) in enumerate(words):
        if end > len(text):
            break
        place += _units(text[done:start])
        one = QTextLayout.FormatRange()
        one.start, one.length = place, _units(text[start:end])
        one.format = grounds[number % 2]
        found.append(one)
        place, done = place + one.length, end
    return found


def _units(text: str) -> int:
    return len(text) + sum(character > "\uffff" for character in text)
