"""SimilarityMatrix: words and their cosines in; a square of heat with numbers, a word chosen, out.

Names stand at the left, and below where they have room. Undefined cosines are a dash, never a
number. Many words are one picture, a pixel a cosine, and have no numbers.
"""

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QFontMetrics,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
)
from PySide6.QtWidgets import QToolTip, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.widgets.drawing import Drawing
from lmstudio.gui.widgets.heat import heat_colour, ink_on
from lmstudio.messages import tr

LEAST = 22  # pixels of a cell that has its number in it
MOST = 44  # pixels of a cell
NAMES = 72  # pixels at the left, at most
_CENTRE = int(Qt.AlignmentFlag.AlignCenter)


class SimilarityMatrix(Drawing):
    """Arrows choose a word, Del takes it out."""

    chosen = Signal(str)
    removed = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._words: list[str] = []
        self._values = np.zeros((0, 0), np.float32)
        self._row = -1
        self._images: dict[str, QImage] = {}  # by theme
        theme.signals.changed.connect(self._recolour)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(theme.px(200), theme.px(140))

    def show_words(self, words: list[str], values: np.ndarray) -> None:
        """Show the cosines (n, n) of n words; NaN where one is undefined."""
        before = self.word()
        self._words, self._values = list(words), values
        self._row = words.index(before) if before in words else -1
        self._recolour()

    def words(self) -> list[str]:
        """What is shown."""
        return list(self._words)

    def values(self) -> np.ndarray:
        """(n, n)."""
        return self._values

    def word(self) -> str:
        """The word chosen, "" if none is."""
        return self._words[self._row] if 0 <= self._row < len(self._words) else ""

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(320), theme.px(260))

    @Slot()
    def _recolour(self) -> None:
        self._images.clear()
        self.update()

    # where things stand

    def _body(self, room: QRectF) -> QRectF:
        """The square of cells."""
        metrics = QFontMetrics(theme.font(12))
        longest = max((metrics.horizontalAdvance(word) for word in self._words), default=0)
        names = min(longest + theme.px(8), theme.px(NAMES))
        foot = metrics.height() + theme.px(4)
        side = min(room.width() - names, room.height() - foot)
        side = max(min(side, theme.px(MOST) * len(self._words)), 1.0)
        left = room.left() + names + max((room.width() - names - side) / 2 - theme.px(20), 0)
        return QRectF(left, room.top(), side, side)

    def _cell_at(self, place: QPointF) -> tuple[int, int] | None:
        body = self._body(QRectF(self.rect()))
        if not body.contains(place) or not self._words:
            return None
        step = body.width() / len(self._words)
        last = len(self._words) - 1
        return (min(int((place.y() - body.top()) / step), last),
                min(int((place.x() - body.left()) / step), last))  # fmt: skip

    # painting

    def draw(self, painter: QPainter, target: QRectF, mode: str) -> None:
        """Paint into `target` on paper, in the colours of a theme."""
        self._paint(painter, target.adjusted(16, 8, -16, -8), mode)

    def _paint(self, painter: QPainter, room: QRectF, mode: str) -> None:
        if not self._words:
            return
        body = self._body(room)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
        painter.drawImage(body, self._image(mode))
        step = body.width() / len(self._words)
        if step >= theme.px(LEAST):
            self._paint_numbers(painter, body, step, mode)
        self._paint_names(painter, body, room, step, mode)
        if self._row >= 0 and not mode:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.colour("text"), 1.5))
            painter.drawRect(QRectF(body.left(), body.top() + self._row * step, body.width(), step))

    def _image(self, mode: str) -> QImage:
        """A pixel for each cosine."""
        if mode not in self._images:
            steps = np.array(
                [heat_colour(n / 127.5 - 1, mode).rgb() for n in range(256)], np.uint32
            )
            shares = np.clip(np.nan_to_num(self._values), -1, 1)
            pixels = np.ascontiguousarray(steps[np.rint((shares + 1) * 127.5).astype(np.intp)])
            side = len(self._words)
            image = QImage(pixels.data, side, side, side * 4, QImage.Format.Format_RGB32)
            self._images[mode] = image.copy()
        return self._images[mode]

    def _paint_numbers(self, painter: QPainter, body: QRectF, step: float, mode: str) -> None:
        painter.setFont(theme.font(12))
        grid = QPen(theme.colour("surface", mode), 1)
        for (row, column), value in np.ndenumerate(self._values):
            box = QRectF(body.left() + column * step, body.top() + row * step, step, step)
            painter.setPen(grid)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(box)
            painter.setPen(ink_on(heat_colour(float(np.nan_to_num(value)), mode)))
            painter.drawText(box, _CENTRE, short(float(value)))

    def _paint_names(
        self, painter: QPainter, body: QRectF, room: QRectF, step: float, mode: str
    ) -> None:
        font = theme.font(12)
        painter.setFont(font)
        metrics, line = QFontMetrics(font), float(theme.px(14))
        every = max(1, int(np.ceil(line / step)))  # names that would overlap are left out
        fit = all(metrics.horizontalAdvance(word) < step for word in self._words)
        right = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight)
        for number in range(0, len(self._words), every):
            chosen = number == self._row and not mode
            painter.setPen(theme.colour("accent" if chosen else "muted", mode))
            width = body.left() - room.left() - theme.px(6)
            box = QRectF(room.left(), body.top() + number * step, width, max(step, line))
            word = metrics.elidedText(self._words[number], Qt.TextElideMode.ElideRight, int(width))
            painter.drawText(box, right, word)
            if fit:
                below = QRectF(body.left() + number * step, body.bottom() + theme.px(3), step, line)
                painter.drawText(below, _CENTRE, self._words[number])

    # pointer and keys

    def told(self, row: int, column: int) -> str:
        """A cosine in words."""
        value = float(self._values[row, column])
        said = figures.decimal(value, 3) if np.isfinite(value) else tr("undefined")
        return f"{self._words[row]} · {self._words[column]}: {said}"

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mouseMoveEvent(event)
        cell = self._cell_at(event.position())
        QToolTip.showText(event.globalPosition().toPoint(), self.told(*cell) if cell else "", self)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mousePressEvent(event)
        if cell := self._cell_at(event.position()):
            self._take(cell[0])

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        last = len(self._words) - 1
        places = {
            Qt.Key.Key_Down: min(self._row + 1, last), Qt.Key.Key_Up: max(self._row - 1, 0),
            Qt.Key.Key_Home: 0, Qt.Key.Key_End: last,
        }  # fmt: skip
        if event.key() in places:
            self._take(places[Qt.Key(event.key())])
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and self.word():
            self.removed.emit(self.word())
        else:
            super().keyPressEvent(event)

    def _take(self, row: int) -> None:
        if 0 <= row < len(self._words) and row != self._row:
            self._row = row
            self.update()
            self.chosen.emit(self._words[row])


def short(value: float) -> str:
    """A cosine in the room of a cell: .7, 1.0, −.2; – where it is undefined."""
    if not np.isfinite(value):
        return "–"
    text = f"{abs(value):.1f}"
    text = text if text.startswith("1") else text[1:]
    return f"−{text}" if value < 0 and text != ".0" else text
