"""Families as drawn: a marker for each, and the strip of cells that a model may look at."""

import math

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QIcon,
    QIconEngine,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from lmstudio.gui import theme
from lmstudio.gui.icons import Painted

_CORNERS: dict[str, list[tuple[float, float]]] = {
    "up": [(0, -1), (1, 0.8), (-1, 0.8)],
    "down": [(0, 1), (1, -0.8), (-1, -0.8)],
    "diamond": [(0, -1.15), (1.0, 0), (0, 1.15), (-1.0, 0)],
    "square": [(-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)],
    "hexagon": [(math.cos(a), math.sin(a)) for a in (math.pi * k / 3 for k in range(6))],
    "star": [
        (r * math.sin(a), -r * math.cos(a))
        for a, r in ((math.pi * k / 5, 1.2 if k % 2 == 0 else 0.5) for k in range(10))
    ],
}


def mark_path(marker: str, size: float) -> QPainterPath:
    """The outline of a marker around (0, 0), about `size` wide."""
    path, half = QPainterPath(), size / 2
    if marker == "circle":
        path.addEllipse(QPointF(0, 0), half, half)
        return path
    corners = [QPointF(x * half, y * half) for x, y in _CORNERS[marker]]
    path.addPolygon(QPolygonF(corners))
    path.closeSubpath()
    return path


def draw_mark(
    painter: QPainter, centre: QPointF, family: str, size: float, colour: QColor | None = None
) -> None:
    """Paint the marker of a family."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(centre)
    filling = colour or theme.family_colour(family)
    painter.fillPath(mark_path(theme.FAMILIES[family].marker, size), filling)
    painter.restore()


def mark_icon(family: str) -> QIcon:
    """The marker as an icon that follows the theme."""
    return QIcon(_MarkDrawing(family))


class _MarkDrawing(Painted):
    def __init__(self, family: str) -> None:
        super().__init__()
        self._family = family

    def clone(self) -> QIconEngine:
        return _MarkDrawing(self._family)

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        off = theme.colour("off") if mode == QIcon.Mode.Disabled else None
        size = min(rect.width(), rect.height()) * 0.8
        draw_mark(painter, QRectF(rect).center(), self._family, size, off)


class Mark(QWidget):
    """The marker of a family, as large as a letter."""

    def __init__(self, family: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._family = family
        self.setFixedSize(theme.px(14), theme.px(14))

    def set_family(self, family: str) -> None:
        """Show another family; "" shows nothing."""
        self._family = family
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        if self._family:
            painter = QPainter(self)
            draw_mark(painter, QRectF(self.rect()).center(), self._family, theme.px(10))
            painter.end()


_CELLS = 9
_ASKED = 5  # the hollow cell: the word to be guessed
_SIGHT: dict[str, tuple[float, ...]] = {
    "ngram": (0, 0, 0, 1, 1, 0, 0, 0, 0),
    "class-ngram": (0, 0, 0, 0.5, 0.5, 0, 0, 0, 0),
    "ffnn": (0, 1, 1, 1, 1, 0, 0, 0, 0),
    "rnn": (0.2, 0.35, 0.55, 0.8, 1, 0, 0, 0, 0),
    "lstm": (0.6, 0.7, 0.8, 0.9, 1, 0, 0, 0, 0),
    "gru": (0.5, 0.6, 0.7, 0.9, 1, 0, 0, 0, 0),
    "elmo": (1, 1, 1, 1, 1, 0, 1, 1, 1),
    "bert": (1, 1, 1, 1, 1, 0, 1, 1, 1),
    "gpt": (1, 1, 1, 1, 1, 0, 0, 0, 0),
}
_BELTS = {"rnn": [(0, 5)], "lstm": [(0, 5)], "gru": [(0, 5)], "elmo": [(0, 5), (8, 6)]}


class ContextStrip(QWidget):
    """Nine cells: the hollow one is guessed, the filled ones are what the model may look at."""

    def __init__(self, family: str, name: str, *, cell: int = 11,
                 parent: QWidget | None = None) -> None:  # fmt: skip
        """`name` tells a screen reader what is seen; `cell` is the size of a cell."""
        super().__init__(parent)
        self._family, self._cell = family, theme.px(cell)
        self._step = self._cell + max(theme.px(cell * 0.4), 3)
        self._seen = _SIGHT.get(family, _SIGHT["bert"])
        self._belts = _BELTS.get(family, [])
        self._outlined: frozenset[int] = frozenset()  # cells that are asked without being read
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_order(self, order: int) -> None:
        """For n-grams: how many cells an order sees."""
        left = min(order - 1, _ASKED)
        self._seen = tuple(float(_ASKED - left <= n < _ASKED) for n in range(_CELLS))
        self.update()

    def set_use(self, left: int, right: int, *, rescored: bool = False) -> None:
        """What one question looks at: so many cells of each side; `rescored`: outlined at right."""
        after = range(_ASKED + 1, min(_ASKED + 1 + right, _CELLS))
        family = _SIGHT.get(self._family, _SIGHT["bert"])
        self._seen = tuple(
            (family[n] or 1.0) * (_ASKED - left <= n < _ASKED or (n in after and not rescored))
            for n in range(_CELLS)
        )
        self._outlined = frozenset(after) if rescored else frozenset()
        self.update()

    def keep_left(self) -> None:
        """Show that a question needs what stands to the left only."""
        self._seen = tuple(seen * (n < _ASKED) for n, seen in enumerate(self._seen))
        self._belts = self._belts[:1]
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(self._step * _CELLS, self._cell * 2)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ink = theme.colour("muted")
        if self._family in theme.FAMILIES:
            ink = theme.family_colour(self._family)
        for number, strength in enumerate(self._seen):
            self._draw_cell(painter, number, strength, ink)
        for start, end in self._belts:
            self._draw_belt(painter, start, end, ink)
        painter.end()

    def _draw_cell(self, painter: QPainter, number: int, strength: float, ink: QColor) -> None:
        box = QRectF(number * self._step + 1, 1, self._cell - 2, self._cell - 2)
        surface = theme.colour("surface")
        if number == _ASKED:
            painter.setPen(QPen(theme.colour("text"), 1.6))
            painter.setBrush(surface)
        elif number in self._outlined:
            painter.setPen(QPen(ink, 1.2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
        elif strength:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.mix(surface, ink, strength))
        else:
            painter.setPen(QPen(theme.colour("line"), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box, 2, 2)

    def _draw_belt(self, painter: QPainter, start: int, end: int, ink: QColor) -> None:
        y = self._cell * 1.5
        inset = self._cell / 2 if end > start else -self._cell / 2
        first = QPointF(start * self._step + self._cell / 2 - inset / 2, y)
        last = QPointF(end * self._step + self._cell / 2 - inset, y)
        tip = 3 if end > start else -3
        painter.setPen(QPen(ink, 1.4))
        painter.drawLine(first, last)
        painter.drawLine(last, last + QPointF(-tip, -3))
        painter.drawLine(last, last + QPointF(-tip, 3))
