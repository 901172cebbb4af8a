"""The parts of a plot that pyqtgraph must be taught: axes without lines, a drag that picks a
range, a crosshair with its readout, the markers of families."""

from functools import cache

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainterPath, QPen
from PySide6.QtWidgets import QGraphicsRectItem

from lmstudio.gui import theme
from lmstudio.gui.widgets.marks import mark_path


class Axis(pg.AxisItem):
    """Labels only: no line, no ticks, no SI prefixes."""

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self.enableAutoSIPrefix(False)
        self.setStyle(tickLength=0, tickAlpha=0, hideOverlappingLabels=False)
        self.setPen(None)
        self._width = 0
        if side == "left":
            self._take_width(theme.px(44))
        else:
            self.setHeight(theme.px(24))

    def set_labels(self, marked: list[tuple[float, str]]) -> None:
        """Show text at positions; at the left there is room for the widest."""
        if self.orientation == "left":
            metrics = QFontMetrics(theme.font(12))
            widest = max((metrics.horizontalAdvance(text) for _, text in marked), default=0)
            self._take_width(max(theme.px(44), widest + theme.px(8)))
        self.setTicks([marked])

    def _take_width(self, width: int) -> None:
        """A change lays everything out anew, so only where there is one."""
        if width != self._width:
            self._width = width
            self.setWidth(width)

    def restyle(self, colour: QColor, font: QFont) -> None:
        """Take on a colour and a font."""
        self.setTextPen(colour)
        self.setTickFont(font)


class RangeBox(pg.ViewBox):
    """A view whose drag picks a range of x and whose double click asks for the whole."""

    range_chosen = Signal(float, float)
    reset_wanted = Signal()

    def __init__(self) -> None:
        super().__init__(enableMenu=False)
        self.setMouseEnabled(False, False)
        self.disableAutoRange()
        self._band = QGraphicsRectItem(self)
        self._band.setPen(QPen(theme.colour("accent"), 1))
        self._band.setZValue(10)
        self._band.hide()

    def wheelEvent(self, event: object, axis: int | None = None) -> None:  # noqa: N802
        event.ignore()  # type: ignore[attr-defined]

    def mouseDoubleClickEvent(self, event: object) -> None:  # noqa: N802
        self.reset_wanted.emit()

    def mouseDragEvent(self, event: object, axis: int | None = None) -> None:  # noqa: N802
        event.accept()  # type: ignore[attr-defined]
        start = event.buttonDownPos().x()  # type: ignore[attr-defined]
        left, right = sorted((start, event.pos().x()))  # type: ignore[attr-defined]
        tint = QColor(theme.colour("accent"))
        tint.setAlpha(30)
        self._band.setBrush(tint)
        self._band.setRect(QRectF(left, 0, right - left, self.height()))
        finished = event.isFinish()  # type: ignore[attr-defined]
        self._band.setVisible(not finished)
        if finished and right - left > 5:
            first, last = (self.mapToView(QPointF(x, 0)).x() for x in (left, right))
            self.range_chosen.emit(first, last)


class Readout:
    """The dotted line under the pointer, a dot on each curve, and what they read."""

    def __init__(self, box: pg.ViewBox) -> None:
        self._box = box
        self._line = pg.InfiniteLine(angle=90)
        self._dots = pg.ScatterPlotItem(size=7)
        self._text = pg.TextItem(anchor=(0, 0))
        self.text = ""
        for level, item in enumerate((self._line, self._dots, self._text)):
            item.setZValue(20 + level)
            box.addItem(item, ignoreBounds=True)
            item.hide()

    def restyle(self, pen: QPen, surface: QColor, ink: QColor) -> None:
        """Take on the colours of the theme."""
        self._line.setPen(pen)
        self._dots.setPen(pg.mkPen(surface, width=1))
        self._text.fill = pg.mkBrush(surface)
        self._text.setColor(ink)
        self._text.setFont(theme.font(12))

    def hide(self) -> None:
        """The pointer has left."""
        self.text = ""
        for item in (self._line, self._dots, self._text):
            item.hide()

    def show_at(
        self, at: float, dots: list[tuple[float, QColor]], text: str, right_edge: float
    ) -> None:
        """Stand at x; the readout goes to the side that has more room, at the top."""
        self.text = text
        (left, _), (_, top) = self._box.viewRange()
        self._line.setPos(at)
        self._dots.setData([{"pos": (at, y), "brush": colour} for y, colour in dots])
        self._text.setText(_folded(text))
        self._text.setAnchor((0, 0) if right_edge - at > at - left else (1, 0))
        self._text.setPos(at, top)
        for item in (self._line, self._dots, self._text):
            item.show()


class Cursor:
    """Where something stands now: a line across, a dot, and its value in bold."""

    def __init__(self, box: pg.ViewBox) -> None:
        self._box = box
        self._line = pg.InfiniteLine(angle=90)
        self._dot = pg.ScatterPlotItem(size=9)
        self._text = pg.TextItem(anchor=(1, 1))
        self._items = (self._line, self._dot, self._text)
        for level, item in enumerate(self._items):
            item.setZValue(10 + level)
            box.addItem(item, ignoreBounds=True)
            item.hide()

    def restyle(self, accent: QColor, surface: QColor, line: QPen) -> None:
        """Take on the colours of the theme."""
        self._line.setPen(line)
        self._dot.setPen(pg.mkPen(surface, width=1.5))
        self._dot.setBrush(accent)
        self._text.setColor(accent)
        self._text.setFont(theme.font(13, bold=True))

    def hide(self) -> None:
        """There is nothing to show."""
        for item in self._items:
            item.hide()

    def show_at(self, x: float, y: float, text: str) -> None:
        """Stand at a position; the text is on the side that has more room."""
        (left, right), _ = self._box.viewRange()
        self._line.setPos(x)
        self._dot.setData([x], [y])
        self._text.setText(text)
        self._text.setAnchor((1, 1) if x - left > right - x else (0, 1))
        self._text.setPos(x, y)
        for item in self._items:
            item.show()


def _folded(text: str) -> str:
    """Four readings to a line."""
    parts = text.split("   ")
    lines = [
        "   ".join(parts[:2]),
        *("   ".join(parts[n : n + 4]) for n in range(2, len(parts), 4)),
    ]
    return "\n".join(lines)


@cache
def marker_symbol(family: str) -> QPainterPath:
    """The family's marker as pyqtgraph wants it: one unit wide."""
    marker = theme.FAMILIES[family].marker if family in theme.FAMILIES else "circle"
    return mark_path(marker, 1.0)
