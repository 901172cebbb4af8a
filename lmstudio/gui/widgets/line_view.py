"""LineView: numbered lines that are read when they come into sight; a giant one is cut."""

from collections.abc import Callable
from functools import lru_cache

from PySide6.QtCore import QPointF, QSize, Qt, Slot
from PySide6.QtGui import (
    QFontMetricsF,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QTextLayout,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from lmstudio.gui import theme

LONGEST = 1000  # characters of a line that are laid out
_KEPT = 200  # lines remembered


class LineView(QAbstractScrollArea):
    """Scrolls by lines, so that nothing above or below needs to be laid out."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._count = 0
        self._first = 0
        self._read: Callable[[int], str] = str
        self._drawn = 0  # lines in sight
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        theme.signals.changed.connect(self.viewport().update)

    def set_lines(self, read: Callable[[int], str], first: int, count: int) -> None:
        """Show lines `first` to `first + count` - 1 of what `read` gives by number."""
        self._read = lru_cache(_KEPT)(_cut(read))
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
        last = min(top + max(self._drawn, 1), self._count)
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
        self._drawn = 0
        for number in range(top, self._count):
            if y > height:
                break
            painter.setFont(theme.font(12))
            painter.setPen(theme.colour("muted"))
            painter.drawText(QPointF(0, y + baseline), str(number + 1))
            painter.setPen(theme.colour("text"))
            y += _draw_wrapped(painter, self._read(self._first + number), gutter, y, width)
            y += theme.px(4)
            self._drawn += 1
        painter.end()

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        if turned := event.angleDelta().y():
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + (-1 if turned > 0 else 1))
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        bar = self.verticalScrollBar()
        places = {
            Qt.Key.Key_Down: bar.value() + 1, Qt.Key.Key_Up: bar.value() - 1,
            Qt.Key.Key_PageDown: bar.value() + max(self._drawn - 1, 1),
            Qt.Key.Key_PageUp: bar.value() - max(self._drawn - 1, 1),
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


def _draw_wrapped(painter: QPainter, text: str, x: float, y: float, width: float) -> float:
    """Draw a line, broken where it is too long; returns its height."""
    layout = QTextLayout(text, theme.font(13))
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
    layout.draw(painter, QPointF(x, y))
    return max(height, theme.px(20))
