"""Arcs: a sentence and one row of weights in; curves from the word that asks to those it looks at.

Above stands the sentence that asks, below the one that is looked at, with its weights. Of a long
text only the words that are looked at most are drawn.
"""

from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from lmstudio.gui import theme
from lmstudio.messages import phrases

LONGEST = 128
"""Words that are all drawn; of more, the STRONGEST."""
STRONGEST = 24
_LEAST, _MOST, _PAD = 34, 120, 14  # widths of a word
_LINE, _THICK = 20, 9
_HIGH = 118
_CENTRE = int(Qt.AlignmentFlag.AlignCenter)


@dataclass(frozen=True)
class ArcRow:
    """N words, one of which asks."""

    names: tuple[str, ...] = ()
    row: int = 0
    weights: np.ndarray = field(default_factory=lambda: np.zeros(0, np.float32))  # (N,)
    barred: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))  # (N,) not to be seen
    family: str = ""

    def __eq__(self, other: object) -> bool:
        return self is other

    def drawn(self) -> list[int]:
        """The words that are drawn, in the order of the text."""
        if len(self.names) <= LONGEST:
            return list(range(len(self.names)))
        best = np.argsort(-self.weights, kind="stable")[:STRONGEST].tolist()
        return sorted({*best, self.row})


class Arcs(QWidget):
    """Left and right move the word that asks; a click below chooses one that is looked at."""

    row_chosen = Signal(int)
    column_chosen = Signal(int)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = ArcRow()
        self._drawn: list[int] = []
        self._column = -1
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(theme.px(_HIGH))
        theme.signals.changed.connect(self.update)

    def show_row(self, row: ArcRow) -> None:
        """Show another row."""
        self._shown, self._drawn = row, row.drawn()
        self.setMinimumWidth(round(sum(self._widths())))
        best = sorted(self._drawn, key=lambda n: -row.weights[n])[:5]
        self.setAccessibleDescription(phrases(f"{row.names[n]} {row.weights[n]:.2f}" for n in best))
        self.update()

    def shown(self) -> ArcRow:
        """What is shown."""
        return self._shown

    def place_of(self, word: int) -> int:
        """Where the middle of a word is, from the left."""
        if word not in self._drawn:
            return 0
        return round(self._places(QRectF(self.rect()))[self._drawn.index(word)].center().x())

    def mark(self, column: int) -> None:
        """Mark a word that is looked at; emits nothing."""
        self._column = column
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(round(sum(self._widths())), theme.px(_HIGH + 30))

    def _widths(self) -> list[float]:
        """At least, of each word that is drawn."""
        metrics = QFontMetricsF(theme.font(15, bold=True))
        return [min(max(metrics.horizontalAdvance(self._shown.names[n]) + theme.px(_PAD),
                        theme.px(_LEAST)), theme.px(_MOST)) for n in self._drawn]  # fmt: skip

    def _places(self, room: QRectF) -> list[QRectF]:
        """The column of each word: what room is left is shared."""
        widths = self._widths()
        more = max(room.width() - sum(widths), 0) / max(len(widths), 1)
        left, found = room.left(), []
        for width in widths:
            found.append(QRectF(left, room.top(), width + more, room.height()))
            left += width + more
        return found

    # painting

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint(painter, QRectF(self.rect()), "")
        painter.end()

    def draw(self, painter: QPainter, target: QRectF, mode: str) -> None:
        """Paint into `target` on paper, in the colours of a theme; everything grows with it."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not self._drawn:
            return
        room = target.adjusted(16, 8, -16, -8)
        natural = max(sum(self._widths()), theme.px(300)), theme.px(_HIGH + 60)
        scale = min(room.width() / natural[0], room.height() / natural[1])
        painter.translate(room.topLeft())
        painter.scale(scale, scale)
        self._paint(painter, QRectF(0, 0, room.width() / scale, natural[1]), mode)

    def _paint(self, painter: QPainter, room: QRectF, mode: str) -> None:
        places = self._places(room)
        line = theme.px(_LINE)
        top, foot = room.top() + line + theme.px(6), room.bottom() - 2 * line - theme.px(4)
        asking = self._drawn.index(self._shown.row) if self._drawn else 0
        for number in sorted(range(len(places)), key=self._weight):
            if not self._shown.barred[self._drawn[number]]:
                start = QPointF(places[asking].center().x(), top)
                self._paint_arc(painter, start, QPointF(places[number].center().x(), foot),
                                self._weight(number), mode)  # fmt: skip
        for number, place in enumerate(places):
            self._paint_word(painter, place, number, number == asking, mode)

    def _weight(self, number: int) -> float:
        return float(self._shown.weights[self._drawn[number]])

    def _paint_arc(
        self, painter: QPainter, start: QPointF, end: QPointF, weight: float, mode: str
    ) -> None:  # fmt: skip
        ink = self._ink(mode)
        faint = theme.mix(theme.colour("surface", mode), ink, min(0.12 + weight * 1.4, 1.0))
        middle = (start.y() + end.y()) / 2
        path = QPainterPath(start)
        path.cubicTo(QPointF(start.x(), middle), QPointF(end.x(), middle), end)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(faint, 1 + weight * theme.px(_THICK)))
        painter.drawPath(path)

    def _ink(self, mode: str) -> QColor:
        family = self._shown.family
        return theme.family_colour(family, theme=mode) if family else theme.colour("accent", mode)

    def _paint_word(
        self, painter: QPainter, place: QRectF, number: int, asks: bool, mode: str
    ) -> None:  # fmt: skip
        name, line = self._shown.names[self._drawn[number]], theme.px(_LINE)
        weight, barred = self._weight(number), self._shown.barred[self._drawn[number]]
        above = QRectF(place.left(), place.top(), place.width(), line + theme.px(4))
        if asks:
            wide = QFontMetricsF(theme.font(15, bold=True)).horizontalAdvance(name) + theme.px(12)
            box = QRectF(place.center().x() - wide / 2, above.top(), wide, above.height())
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("tint", mode))
            painter.drawRoundedRect(box, 6, 6)
        self._write(painter, above, name, "accent" if asks else "muted", asks, mode)
        strong = weight >= 0.1
        chosen = self._drawn[number] == self._column and not mode
        tone = "accent" if chosen else "off" if barred else "text" if strong else "muted"
        below = QRectF(place.left(), place.bottom() - 2 * line, place.width(), line)
        self._write(painter, below, name, tone, strong or chosen, mode)
        painter.setFont(theme.font(12, bold=strong))
        value = "·" if barred else f"{weight:.2f}".removeprefix("0")
        painter.drawText(below.translated(0, line), _CENTRE, value)

    def _write(
        self, painter: QPainter, box: QRectF, name: str, tone: str, bold: bool, mode: str
    ) -> None:  # fmt: skip
        font = theme.font(15, bold=bold)
        shown = QFontMetricsF(font).elidedText(name, Qt.TextElideMode.ElideRight, box.width() - 4)
        painter.setFont(font)
        painter.setPen(theme.colour(tone, mode))
        painter.drawText(box, _CENTRE, shown)

    # pointer and keys

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mousePressEvent(event)
        for number, place in enumerate(self._places(QRectF(self.rect()))):
            if place.left() <= event.position().x() < place.right():
                above = event.position().y() < self.height() / 2
                (self.row_chosen if above else self.column_chosen).emit(self._drawn[number])

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        last, row = len(self._shown.names) - 1, self._shown.row
        places = {Qt.Key.Key_Left: max(row - 1, 0), Qt.Key.Key_Right: min(row + 1, last),
                  Qt.Key.Key_Home: 0, Qt.Key.Key_End: last}  # fmt: skip
        if event.key() in places and last >= 0:
            self.row_chosen.emit(places[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)
