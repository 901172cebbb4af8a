"""Cosines of the same sentences to several runs in; a square of numbers and heat for each, out."""

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.widgets.drawing import Drawing
from lmstudio.gui.widgets.heat import heat_colour, ink_on
from lmstudio.gui.widgets.marks import draw_mark

TITLE, NAME, GAP = 44, 24, 16  # pixels of the two lines above a matrix, of names, between matrices
_READABLE = 34  # pixels of a cell that has room for its number
_CENTRE, _LEFT = int(Qt.AlignmentFlag.AlignCenter), int(Qt.AlignmentFlag.AlignVCenter)
Rows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Square:
    """What one run says of N sentences."""

    run: int
    family: str
    title: str
    note: str
    cosines: Rows  # (N, N)
    heat: Rows  # (N, N): -1 to 1; 0 is what is usual
    told: tuple[tuple[str, ...], ...]  # (N, N) in words


class SimilarityMatrices(Drawing):
    """Up and down move the sentence, left and right the run; the pointer tells a number."""

    chosen = Signal(int, int)  # a run and a sentence

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._squares: tuple[Square, ...] = ()
        self._square, self._row = 0, 0
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(theme.px(320), theme.px(180))

    def show_squares(self, squares: list[Square]) -> None:
        """Show other numbers; the run and the sentence stay chosen if they are there."""
        before = self._squares[self._square].run if self._squares else 0
        self._squares = tuple(squares)
        runs = [square.run for square in squares]
        self._square = runs.index(before) if before in runs else 0
        self._row = min(self._row, max(0, self._size() - 1))
        self.update()

    def squares(self) -> tuple[Square, ...]:
        """What is shown."""
        return self._squares

    def selected(self) -> tuple[int, int]:
        """The run and the sentence that are chosen; (0, 0) where there is nothing."""
        return (self._squares[self._square].run, self._row) if self._squares else (0, 0)

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(780), theme.px(380))

    # where things stand

    def _size(self) -> int:
        return len(self._squares[0].cosines) if self._squares else 0

    def _boxes(self, room: QRectF) -> list[QRectF]:
        """The numbers of each square, in as many rows as let them be largest."""
        count = len(self._squares)
        if not count:
            return []
        wide = max(range(1, count + 1), key=lambda n: _side(room, count, n))
        side = _side(room, count, wide)
        step_x = (room.width() + theme.px(GAP)) / wide
        step_y = (room.height() + theme.px(GAP)) / math.ceil(count / wide)
        return [
            QRectF(room.left() + column * step_x + theme.px(NAME),
                   room.top() + row * step_y + theme.px(TITLE + NAME), side, side)
            for row, column in (divmod(n, wide) for n in range(count))
        ]  # fmt: skip

    def _at(self, place: QPointF) -> tuple[int, int, int] | None:
        """Square, row and column under the pointer."""
        for number, box in enumerate(self._boxes(QRectF(self.rect()))):
            if box.contains(place) and (size := self._size()):
                row = int((place.y() - box.top()) / box.height() * size)
                column = int((place.x() - box.left()) / box.width() * size)
                return number, min(row, size - 1), min(column, size - 1)
        return None

    # painting

    def draw(self, painter: QPainter, target: QRectF, mode: str) -> None:
        """Paint into `target` on paper, in the colours of a theme."""
        self._paint(painter, target.adjusted(16, 8, -16, -16), mode)

    def _paint(self, painter: QPainter, room: QRectF, mode: str) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for number, box in enumerate(self._boxes(room)):
            square = self._squares[number]
            self._paint_title(painter, square, box, room, mode)
            self._paint_cells(painter, square, box, mode)
            if number == self._square and not mode:
                self._paint_choice(painter, box)

    def _paint_title(
        self, painter: QPainter, square: Square, box: QRectF, room: QRectF, mode: str
    ) -> None:
        line = QRectF(box.left() - theme.px(NAME), box.top() - theme.px(TITLE + NAME),
                      max(box.width() + theme.px(NAME), theme.px(150)), theme.px(22))  # fmt: skip
        line.setRight(min(line.right(), room.right()))
        ink = theme.family_colour(square.family, theme=mode)
        mark = QPointF(line.left() + theme.px(6), line.center().y())
        draw_mark(painter, mark, square.family, theme.px(10), ink)
        bold, small = theme.font(13, bold=True), theme.font(12)
        title = line.adjusted(theme.px(18), 0, 0, 0)
        self._write(painter, title, square.title, bold, "text", mode)
        line.translate(0, theme.px(20))
        self._write(painter, line, square.note, small, "muted", mode)

    def _write(
        self, painter: QPainter, box: QRectF, text: str, font: QFont, token: str, mode: str
    ) -> None:
        painter.setFont(font)
        painter.setPen(theme.colour(token, mode))
        metrics = QFontMetrics(painter.font())
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, int(box.width()))
        painter.drawText(box, _LEFT, shown)

    def _paint_cells(self, painter: QPainter, square: Square, box: QRectF, mode: str) -> None:
        size = len(square.cosines)
        step = box.width() / size
        painter.setFont(theme.font(12))
        for row in range(size):
            name = QRectF(box.left() - theme.px(NAME), box.top() + row * step,
                          theme.px(NAME - 6), step)  # fmt: skip
            top = QRectF(box.left() + row * step, box.top() - theme.px(NAME), step, theme.px(NAME))
            painter.setPen(theme.colour("muted", mode))
            if step >= theme.px(12):
                right = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                painter.drawText(name, right, str(row + 1))
                painter.drawText(top, _CENTRE, str(row + 1))
            for column in range(size):
                cell = QRectF(box.left() + column * step, box.top() + row * step, step, step)
                ground = heat_colour(square.heat[row][column], mode)
                painter.fillRect(cell.adjusted(0, 0, -1, -1), ground)
                if step >= theme.px(_READABLE):
                    painter.setPen(ink_on(ground))
                    number = figures.decimal(square.cosines[row][column])
                    painter.drawText(cell, _CENTRE, number)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.colour("line", mode), 1))
        painter.drawRect(box)

    def _paint_choice(self, painter: QPainter, box: QRectF) -> None:
        step = box.width() / max(1, self._size())
        line = QRectF(box.left(), box.top() + self._row * step, box.width(), step)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.colour("text"), 1.5))
        painter.drawRect(line)

    # pointer and keys

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mouseMoveEvent(event)
        found = self._at(event.position())
        QToolTip.showText(
            event.globalPosition().toPoint(), self.told(*found) if found else "", self
        )

    def told(self, square: int, row: int, column: int) -> str:
        """A number in words."""
        return self._squares[square].told[row][column]

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mousePressEvent(event)
        if found := self._at(event.position()):
            self._take(*found[:2])

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        steps = {Qt.Key.Key_Up: (0, -1), Qt.Key.Key_Down: (0, 1),
                 Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0)}  # fmt: skip
        if not self._squares or event.key() not in steps:
            super().keyPressEvent(event)
            return
        along, down = steps[Qt.Key(event.key())]
        square = min(max(self._square + along, 0), len(self._squares) - 1)
        self._take(square, min(max(self._row + down, 0), self._size() - 1))

    def _take(self, square: int, row: int) -> None:
        if (square, row) != (self._square, self._row):
            self._square, self._row = square, row
            self.update()
            self.chosen.emit(*self.selected())


def _side(room: QRectF, count: int, wide: int) -> float:
    """Of a square, with `wide` of them in a row."""
    across = (room.width() + theme.px(GAP)) / wide - theme.px(GAP + NAME)
    down = (room.height() + theme.px(GAP)) / math.ceil(count / wide) - theme.px(GAP + TITLE + NAME)
    return max(min(across, down), 8.0)
