"""LayerBoard: the points of a word's occurrences in layers in; small multiples of one scale out."""

import math
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from lmstudio.gui import theme
from lmstudio.gui.widgets.drawing import Drawing
from lmstudio.gui.widgets.group_marks import draw_group, group_colour
from lmstudio.messages import tr

GAP, TITLE, EDGE = 12, 30, 14  # pixels between cells, of their titles, and around points
LEAST = QSize(150, 104)  # of a cell
WIDEST = 5  # cells in a row, before the board scrolls
NEAR = 9  # pixels from the pointer to the point it means
MARK = 9
_VCENTRE = int(Qt.AlignmentFlag.AlignVCenter)


@dataclass(frozen=True)
class LayerCell:
    """One layer of one run."""

    run: int  # cells of one run have one scale
    title: str
    note: str
    brief: str  # the note where room is short
    points: tuple[tuple[float, float], ...]  # NaN where there is none
    single: bool = False  # all points are one


class LayerBoard(Drawing):
    """Arrows move from layer to layer; the pointer tells the sentence of a point."""

    hovered = Signal(int)  # an occurrence, -1 where the pointer is at none
    picked = Signal(int)  # an occurrence that was clicked
    chosen = Signal(int)  # a cell

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._cells: tuple[LayerCell, ...] = ()
        self._scales: dict[int, tuple[float, float]] = {}  # by run, the largest x and y
        self._labels: list[int] = []
        self._texts: list[str] = []
        self._names: dict[int, str] = {}
        self._cell = self._marked = self._hovered = -1
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    # what is shown

    def show_cells(self, cells: list[LayerCell], texts: list[str]) -> None:
        """Show layers of runs; `texts` are the sentences of the occurrences."""
        self._cells, self._texts = tuple(cells), texts
        runs = {cell.run for cell in cells}
        self._scales = {run: _extent([c for c in cells if c.run == run]) for run in runs}
        rows = math.ceil(len(cells) / WIDEST)
        self.setMinimumHeight(rows * theme.px(LEAST.height() + GAP))
        self._marked = self._hovered = -1
        self.update()

    def set_groups(self, labels: list[int], names: dict[int, str], cell: int) -> None:
        """Colour the occurrences by group; `names` stand beside the groups of `cell`."""
        self._labels, self._names, self._cell = labels, names, cell
        self.update()

    def mark(self, occurrence: int) -> None:
        """Put a ring around an occurrence in all cells; -1 takes it away. Emits nothing."""
        if occurrence != self._marked:
            self._marked = occurrence
            self.update()

    def cells(self) -> tuple[LayerCell, ...]:
        """What is shown."""
        return self._cells

    def cell(self) -> int:
        """The cell whose groups colour all."""
        return self._cell

    def labels(self) -> list[int]:
        """The groups by which the occurrences are coloured."""
        return self._labels

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(790), theme.px(400))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(2 * LEAST.width()), theme.px(LEAST.height()))

    # where things stand

    def _boxes(self, room: QRectF) -> list[QRectF]:
        """The rectangle of each cell, in as many rows as let them be largest."""
        count = len(self._cells)
        wide = max(range(1, count + 1), key=lambda n: _comfort(room, count, n), default=1)
        return [_box(room, math.ceil(count / wide), wide, *divmod(n, wide)) for n in range(count)]

    def _place(self, cell: LayerCell, box: QRectF, point: tuple[float, float]) -> QPointF:
        """Where a point is painted; both axes have one scale."""
        edge = theme.px(EDGE)
        inner = box.adjusted(edge, theme.px(TITLE + MARK), -edge, -edge)
        wide, high = self._scales[cell.run]
        scale = min(inner.width() / 2 / (wide or 1.0), inner.height() / 2 / (high or 1.0))
        middle = inner.center()
        return QPointF(middle.x() + point[0] * scale, middle.y() - point[1] * scale)

    def _at(self, place: QPointF) -> tuple[int, int]:
        """Cell and occurrence under the pointer; -1 where there is none."""
        for number, box in enumerate(self._boxes(QRectF(self.rect()))):
            if not box.contains(place):
                continue
            cell = self._cells[number]
            near = [
                ((at - place).manhattanLength(), n)
                for n, point in enumerate(cell.points)
                if point[0] == point[0]
                for at in (self._place(cell, box, point),)
            ]
            distance, found = min(near, default=(math.inf, -1))
            return number, found if distance <= theme.px(NEAR) else -1
        return -1, -1

    # painting

    def draw(self, painter: QPainter, target: QRectF, mode: str) -> None:
        """Paint into `target` on paper, in the colours of a theme."""
        self._paint(painter, target.adjusted(16, 8, -16, -16), mode)

    def _paint(self, painter: QPainter, room: QRectF, mode: str) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        boxes = self._boxes(room)
        for number, (cell, box) in enumerate(zip(self._cells, boxes, strict=True)):
            self._paint_frame(painter, number, cell, box, mode)
            shown = [(n, self._place(cell, box, point)) for n, point in enumerate(cell.points)
                     if point[0] == point[0]]  # fmt: skip
            for n, place in shown[:1] if cell.single else shown:
                draw_group(painter, place, -1 if cell.single else self._labels[n], theme.px(MARK),
                           mode)  # fmt: skip
            if cell.single:
                self._paint_single(painter, box, mode)
            elif number == self._cell:
                self._paint_names(painter, box, shown, mode)
            if not mode and not cell.single:
                self._paint_ring(painter, dict(shown))

    def _paint_frame(
        self, painter: QPainter, number: int, cell: LayerCell, box: QRectF, mode: str
    ) -> None:
        chosen = number == self._cell
        edge = theme.colour("accent" if chosen else "line", mode)
        painter.setPen(QPen(edge, 1.5 if chosen else 1))
        painter.setBrush(theme.colour("surface", mode))
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
        title, note = theme.font(13, bold=True), theme.font(12)
        line = box.adjusted(theme.px(12), theme.px(2), -theme.px(8), 0)
        line.setHeight(theme.px(TITLE))
        measure = QFontMetrics(title)
        room = int(line.width())
        text = measure.elidedText(cell.title, Qt.TextElideMode.ElideRight, room)
        painter.setFont(title)
        painter.setPen(theme.colour("text", mode))
        painter.drawText(line, _VCENTRE, text)
        line.setLeft(line.left() + measure.horizontalAdvance(text) + theme.px(8))
        if line.width() > theme.px(24):
            painter.setFont(note)
            painter.setPen(theme.colour("muted", mode))
            fits = QFontMetrics(note).horizontalAdvance(cell.note) <= line.width()
            painter.drawText(line, _VCENTRE, cell.note if fits else cell.brief)

    def _paint_single(self, painter: QPainter, box: QRectF, mode: str) -> None:
        painter.setFont(theme.font(12))
        painter.setPen(theme.colour("muted", mode))
        line = box.adjusted(0, box.height() / 2 + theme.px(16), 0, 0)
        line.setHeight(theme.px(20))
        painter.drawText(line, int(Qt.AlignmentFlag.AlignCenter), tr("one point"))

    def _paint_names(
        self, painter: QPainter, box: QRectF, shown: list[tuple[int, QPointF]], mode: str
    ) -> None:
        """What the groups are called, above or below their points."""
        painter.setFont(theme.font(13, bold=True))
        metrics = QFontMetrics(painter.font())
        written: list[QRectF] = []
        for group, name in self._names.items():
            places = [place for n, place in shown if self._labels[n] == group]
            tried = _beside(places, metrics.horizontalAdvance(name), metrics.height(), box)
            free = [room for room in tried if not any(map(room.intersects, written))]
            if not free:
                continue
            room = min(free, key=lambda room: sum(room.contains(place) for _, place in shown))
            written.append(room)
            ground = theme.colour("surface", mode)
            ground.setAlpha(190)
            painter.fillRect(room, ground)
            painter.setPen(group_colour(group, mode))
            painter.drawText(room, int(Qt.AlignmentFlag.AlignCenter), name)

    def _paint_ring(self, painter: QPainter, shown: dict[int, QPointF]) -> None:
        marked = self._hovered if self._hovered >= 0 else self._marked
        if marked in shown:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.colour("accent"), 2))
            painter.drawEllipse(shown[marked], theme.px(8), theme.px(8))

    # pointer and keys

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mouseMoveEvent(event)
        cell, found = self._at(event.position())
        self._hover(found)
        self.setCursor(
            Qt.CursorShape.PointingHandCursor if cell >= 0 else Qt.CursorShape.ArrowCursor
        )
        text = self._texts[found] if found >= 0 else self.told(cell)
        QToolTip.showText(event.globalPosition().toPoint(), text, self)

    def told(self, cell: int) -> str:
        """A cell in words."""
        return f"{self._cells[cell].title} · {self._cells[cell].note}" if cell >= 0 else ""

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        super().leaveEvent(event)
        self._hover(-1)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mousePressEvent(event)
        if event.button() != Qt.MouseButton.LeftButton:
            return
        cell, found = self._at(event.position())
        if found >= 0:
            self.picked.emit(found)
        elif cell >= 0:
            self.chosen.emit(cell)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        last = len(self._cells) - 1
        places = {
            Qt.Key.Key_Right: min(self._cell + 1, last), Qt.Key.Key_Left: max(self._cell - 1, 0),
            Qt.Key.Key_Home: 0, Qt.Key.Key_End: last,
        }  # fmt: skip
        if self._cells and event.key() in places:
            self.chosen.emit(places[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def _hover(self, occurrence: int) -> None:
        if occurrence != self._hovered:
            self._hovered = occurrence
            self.hovered.emit(occurrence)
            self.update()


def _extent(cells: list[LayerCell]) -> tuple[float, float]:
    """The largest absolute x and y of all points; 0 where there are none."""
    points = np.array([point for cell in cells for point in cell.points]).reshape(-1, 2)
    x, y = np.nan_to_num(np.abs(points)).max(0, initial=0.0).tolist()
    return x, y


def _beside(places: list[QPointF], wide: int, high: int, box: QRectF) -> list[QRectF]:
    """Room for a name above, below, right and left of the points of a group, if in the box."""
    if not places or not wide:
        return []
    xs, ys = [place.x() for place in places], [place.y() for place in places]
    middle = sum(xs) / len(xs)
    left = min(max(middle - wide / 2, box.left() + 4), box.right() - wide - 8)
    level = (min(ys) + max(ys) - high) / 2
    inner = box.adjusted(2, theme.px(TITLE), -2, -2)
    corners = [
        (left, min(ys) - theme.px(MARK) - high), (left, max(ys) + theme.px(MARK)),
        (max(xs) + theme.px(MARK), level), (min(xs) - theme.px(MARK) - wide - 4, level),
    ]  # fmt: skip
    rooms = [QRectF(x, y, wide + 4, high) for x, y in corners]
    return [room for room in rooms if inner.contains(room)]


def _comfort(room: QRectF, count: int, wide: int) -> float:
    """How large cells come out that are half as wide again as high, with `wide` in a row."""
    return min(room.width() / wide / 1.5, room.height() / math.ceil(count / wide))


def _box(room: QRectF, rows: int, columns: int, row: int, column: int) -> QRectF:
    gap = theme.px(GAP)
    width = (room.width() + gap) / columns
    height = (room.height() + gap) / rows
    return QRectF(
        room.left() + column * width, room.top() + row * height, width - gap, height - gap
    )
