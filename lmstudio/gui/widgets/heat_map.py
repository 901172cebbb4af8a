"""HeatMap: a matrix with a column for each token in; its numbers as heat, one column chosen, out.

Names of columns stand upright, one character under another. A bar at the right says what the
strongest colours mean.
"""

from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QImage, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.widgets.drawing import Drawing
from lmstudio.gui.widgets.heat import deep_colour, heat_colour

_LINE, _LONGEST = 14, 6  # height of a character of a column's name; characters of it shown
_NAME, _BAR, _GAP = 64, 56, 8  # widths of the names of rows and of the bar with its numbers
_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)  # between two numbers of columns
_CENTRE = int(Qt.AlignmentFlag.AlignCenter)


@dataclass(frozen=True)
class HeatGrid:
    """What is shown. R rows of T columns."""

    values: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), np.float32))  # (R, T)
    columns: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()  # names, or none where there are too many to read
    most: float = 1.0  # the absolute value of the strongest colour
    signed: bool = False
    barred: np.ndarray | None = None  # (R, T) bool: where there can be no number
    numbered: bool = False  # columns are numbers, written as such, not upright

    def __eq__(self, other: object) -> bool:
        return self is other


class HeatMap(Drawing):
    """Arrows move the column; the pointer tells the number under it."""

    chosen = Signal(int)  # a column

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._grid = HeatGrid()
        self._row = self._column = -1
        self._images: dict[str, QImage] = {}  # by theme: a large matrix is coloured once
        theme.signals.changed.connect(self._recolour)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(theme.px(240), theme.px(140))

    @Slot()
    def _recolour(self) -> None:
        self._images.clear()
        self.update()

    def show_grid(self, grid: HeatGrid) -> None:
        """Show another matrix; the column stays if there is one."""
        self._grid = grid
        self._images.clear()
        self._column = min(self._column, len(grid.columns) - 1)
        self.update()

    def grid(self) -> HeatGrid:
        """What is shown."""
        return self._grid

    def column(self) -> int:
        """The column marked, -1 if none is."""
        return self._column

    def choose(self, column: int) -> None:
        """Mark a column; emits nothing."""
        self._column = column
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(640), theme.px(280))

    # where things stand

    def _body(self, room: QRectF) -> QRectF:
        """The matrix itself."""
        left = theme.px(_NAME) if self._grid.rows else 0
        longest = max((min(len(name), _LONGEST) for name in self._grid.columns), default=1)
        longest = 1 if self._grid.numbered else longest
        top = longest * theme.px(_LINE) + theme.px(_GAP)
        return room.adjusted(left, top, -theme.px(_BAR), -1)

    def _cell_at(self, place: QPointF) -> tuple[int, int] | None:
        """Row and column."""
        body = self._body(QRectF(self.rect()))
        if not body.contains(place) or not self._grid.values.size:
            return None
        rows, columns = self._grid.values.shape
        row = int((place.y() - body.top()) / body.height() * rows)
        column = int((place.x() - body.left()) / body.width() * columns)
        return min(row, rows - 1), min(column, columns - 1)

    # painting

    def draw(self, painter: QPainter, target: QRectF, mode: str) -> None:
        """Paint into `target` on paper, in the colours of a theme."""
        self._paint(painter, target.adjusted(16, 8, -16, -8), mode)

    def _paint(self, painter: QPainter, room: QRectF, mode: str) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not self._grid.values.size:
            return
        body = self._body(room)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
        if mode not in self._images:
            self._images[mode] = heat_image(self._grid, mode)
        painter.drawImage(body, self._images[mode])
        self._paint_names(painter, body, room, mode)
        self._paint_bar(painter, body, mode)
        if not mode:
            self._paint_mark(painter, body)

    def _paint_mark(self, painter: QPainter, body: QRectF) -> None:
        """A frame around the column that is chosen."""
        if self._column >= 0:
            wide = body.width() / len(self._grid.columns)
            box = QRectF(body.left() + self._column * wide, body.top(), wide, body.height())
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for token, width in (("surface", 3.5), ("text", 1.5)):  # seen on light and on dark
                painter.setPen(QPen(theme.colour(token), width))
                painter.drawRect(box)

    def _paint_names(self, painter: QPainter, body: QRectF, room: QRectF, mode: str) -> None:
        painter.setFont(theme.font(12))
        wide, line = body.width() / max(1, len(self._grid.columns)), theme.px(_LINE)
        every = max(1, round(theme.px(13) / wide + 0.49))  # names that would overlap are left out
        if self._grid.numbered:
            every = next(step for step in _STEPS if step * wide >= theme.px(36))
        for number, name in enumerate(self._grid.columns):
            if number % every:
                continue
            painter.setPen(theme.colour("text" if number == self._column else "muted", mode))
            if self._grid.numbered:
                box = QRectF(body.left() + number * wide, body.top() - line * 1.4, wide, line)
                painter.drawText(box, _CENTRE | int(Qt.TextFlag.TextDontClip), name)
                continue
            shown = name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
            top = body.top() - theme.px(_GAP) / 2 - len(shown) * line
            for place, character in enumerate(shown):
                box = QRectF(body.left() + number * wide, top + place * line, wide, line)
                painter.drawText(box, _CENTRE | int(Qt.TextFlag.TextDontClip), character)
        painter.setPen(theme.colour("muted", mode))
        tall = body.height() / max(1, len(self._grid.rows))
        every = max(1, round(theme.px(_LINE) / tall + 0.49))
        flags = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
                    | Qt.TextFlag.TextDontClip)  # fmt: skip
        metrics, wide = painter.fontMetrics(), theme.px(_NAME - _GAP)
        for number, name in enumerate(self._grid.rows):
            if number % every and number != self._row:
                continue
            painter.setPen(theme.colour("accent" if number == self._row else "muted", mode))
            shown = metrics.elidedText(name, Qt.TextElideMode.ElideRight, wide)
            box = QRectF(room.left(), body.top() + number * tall, wide, tall)
            painter.drawText(box, flags, shown)

    def _paint_bar(self, painter: QPainter, body: QRectF, mode: str) -> None:
        """What the colours mean: the strongest at the top, zero or the negative at the foot."""
        bar = QRectF(body.right() + theme.px(_GAP), body.top(), theme.px(8), body.height())
        image = QImage(1, 64, QImage.Format.Format_RGB32)
        for y in range(64):
            share = 1 - y / 63 * (2 if self._grid.signed else 1)
            image.setPixelColor(0, y, _colour(self._grid, share, mode))
        painter.drawImage(bar, image)
        painter.setPen(theme.colour("muted", mode))
        most = self._grid.most
        least = -most if self._grid.signed else 0.0
        left, side = bar.right() + theme.px(4), theme.px(_BAR)
        for value, top in ((most, bar.top()), (least, bar.bottom() - theme.px(16))):
            box = QRectF(left, top, side, theme.px(16))
            shown = figures.decimal(value, 1 if most >= 1 or self._grid.signed else 2)
            painter.drawText(box, int(Qt.AlignmentFlag.AlignVCenter), shown)

    # pointer and keys

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mouseMoveEvent(event)
        cell = self._cell_at(event.position())
        QToolTip.showText(event.globalPosition().toPoint(), self.told(*cell) if cell else "", self)

    def told(self, row: int, column: int) -> str:
        """A number in words."""
        name = self._grid.rows[row] if self._grid.rows else f"{row + 1}"
        value = figures.decimal(float(self._grid.values[row, column]), 3)
        return f"{self._grid.columns[column]} · {name}: {value}"

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mousePressEvent(event)
        if cell := self._cell_at(event.position()):
            self._take(cell[1])

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        last, here = len(self._grid.columns) - 1, self._column
        places = {
            Qt.Key.Key_Right: min(here + 1, last), Qt.Key.Key_Left: max(here - 1, 0),
            Qt.Key.Key_Home: 0, Qt.Key.Key_End: last,
        }  # fmt: skip
        if event.key() in places:
            self._take(places[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def _take(self, column: int) -> None:
        if 0 <= column < len(self._grid.columns) and column != self._column:
            self.choose(column)
            self.chosen.emit(column)


def heat_image(grid: HeatGrid, mode: str) -> QImage:
    """A pixel for each number, in the colours of a theme."""
    low = -1 if grid.signed else 0
    steps = [_colour(grid, low + n / 255 * (1 - low), mode).rgb() for n in range(256)]
    shares = np.clip(np.nan_to_num(grid.values / (grid.most or 1.0)), low, 1)
    levels = ((shares - low) * (255 / (1 - low)) + 0.5).astype(np.uint8)
    pixels = np.array(steps, np.uint32)[levels]  # (R, T)
    if grid.barred is not None:
        pixels[grid.barred] = theme.colour("sunken", mode).rgb()
    rows, columns = pixels.shape
    image = QImage(pixels.tobytes(), columns, rows, 4 * columns, QImage.Format.Format_RGB32)
    return image.copy()  # the bytes are not Qt's own


def _colour(grid: HeatGrid, share: float, mode: str) -> QColor:
    return heat_colour(share, mode) if grid.signed else deep_colour(share, mode)
