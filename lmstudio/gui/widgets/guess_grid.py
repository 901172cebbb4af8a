"""GuessGrid: guesses by layer and place in; a table of them out, coloured, one cell chosen.

Names of rows and columns stay where they are while the cells scroll below them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QMenu, QSizePolicy, QWidget

from lmstudio.gui import theme
from lmstudio.gui.widgets.heat import heat_colour, ink_on
from lmstudio.messages import tr

_NAMES, _HEAD = 64, 30  # width of the names of rows, height of those of columns
_WIDE, _TALL, _TALLEST = 84, 46, 112  # of a cell
_UPPER, _LINE = 24, 18  # heights of the guess, and of a line below it
_STRONGEST = 0.85  # of a colour: text is read on it
_CENTRE = int(Qt.AlignmentFlag.AlignCenter)


@dataclass(frozen=True)
class GuessCell:
    """What stands in a cell: the guess, a line below it, and how strong its colour is (0 to 1)."""

    guess: str
    note: str = ""
    share: float = 0.0
    right: bool = False  # it is what stands in the text
    told: str = ""  # by the pointer
    more: tuple[str, ...] = ()  # further guesses, for which there may be room


class GuessGrid(QAbstractScrollArea):
    """Arrows move the cell. R rows of T columns."""

    chosen = Signal(int, int)  # row, column
    export_wanted = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: Sequence[str] = ()
        self._columns: Sequence[str] = ()
        self._cells: Sequence[Sequence[GuessCell]] = ()
        self._name = name
        self._row = self._column = 0
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(theme.px(260), theme.px(150))
        self.viewport().setMouseTracking(True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._show_menu)
        theme.signals.changed.connect(self.viewport().update)

    def show_cells(
        self, rows: Sequence[str], columns: Sequence[str], cells: Sequence[Sequence[GuessCell]]
    ) -> None:
        """Show other guesses: cells by row, then by column."""
        self._rows, self._columns, self._cells = rows, columns, cells
        self._measure()
        self.viewport().update()

    def cell(self, row: int, column: int) -> GuessCell:
        """One of them."""
        return self._cells[row][column]

    def choose(self, row: int, column: int) -> None:
        """Frame a cell and bring it into view; emits nothing."""
        self._row, self._column = row, column
        if self._has(row, column):
            cell = self._cells[row][column]
            told = f"{self._name}: {self._rows[row]}, {self._columns[column]}: {cell.guess}"
            self.setAccessibleName(told)
            self._reveal(row, column)
        self.viewport().update()

    def where(self) -> tuple[int, int]:
        """Row and column of the cell chosen."""
        return self._row, self._column

    def sizeHint(self) -> QSize:  # noqa: N802
        rows, columns = max(len(self._rows), 3), min(max(len(self._columns), 6), 12)
        return QSize(theme.px(_NAMES + columns * _WIDE), theme.px(_HEAD + rows * _TALL))

    # where things stand

    def _has(self, row: int, column: int) -> bool:
        return 0 <= row < len(self._rows) and 0 <= column < len(self._columns)

    def _size_of_cell(self, room: QRectF) -> tuple[float, float]:
        """Cells fill the room, if that is not too small for them."""
        rows, columns = max(1, len(self._rows)), max(1, len(self._columns))
        wide = (room.width() - theme.px(_NAMES)) / columns
        tall = (room.height() - theme.px(_HEAD)) / rows
        wide = min(max(wide, theme.px(_WIDE)), theme.px(2 * _WIDE))
        return wide, min(max(tall, theme.px(_TALL)), theme.px(_TALLEST))

    def _box(self, row: int, column: int, room: QRectF) -> QRectF:
        """A cell as it stands before anything was scrolled."""
        wide, tall = self._size_of_cell(room)
        return QRectF(room.left() + theme.px(_NAMES) + column * wide,
                      room.top() + theme.px(_HEAD) + row * tall, wide, tall)  # fmt: skip

    def _measure(self) -> None:
        room = QRectF(self.viewport().rect())
        wide, tall = self._size_of_cell(room)
        width = theme.px(_NAMES) + wide * len(self._columns)
        height = theme.px(_HEAD) + tall * len(self._rows)
        for bar, needed, there in ((self.horizontalScrollBar(), width, room.width()),
                                   (self.verticalScrollBar(), height, room.height())):  # fmt: skip
            bar.setRange(0, max(0, round(needed - there)))
            bar.setPageStep(round(there))
            bar.setSingleStep(theme.px(_TALL))

    def _reveal(self, row: int, column: int) -> None:
        box = self._box(row, column, QRectF(self.viewport().rect()))
        for bar, low, high, names, room in (
            (self.horizontalScrollBar(), box.left(), box.right(), _NAMES, self.viewport().width()),
            (self.verticalScrollBar(), box.top(), box.bottom(), _HEAD, self.viewport().height()),
        ):
            if high - bar.value() > room:
                bar.setValue(round(high - room))
            elif low - bar.value() < theme.px(names):
                bar.setValue(round(low - theme.px(names)))

    def _offset(self) -> QPointF:
        return QPointF(self.horizontalScrollBar().value(), self.verticalScrollBar().value())

    def _cell_at(self, place: QPointF) -> tuple[int, int] | None:
        if place.x() < theme.px(_NAMES) or place.y() < theme.px(_HEAD):
            return None
        room = QRectF(self.viewport().rect())
        wide, tall = self._size_of_cell(room)
        inner = place + self._offset() - QPointF(theme.px(_NAMES), theme.px(_HEAD))
        row, column = int(inner.y() // tall), int(inner.x() // wide)
        return (row, column) if self._has(row, column) else None

    # painting

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        room, offset = QRectF(self.viewport().rect()), self._offset()
        self._paint(painter, room, offset, "")
        painter.end()

    def draw(self, painter: QPainter, target: QRectF, mode: str) -> None:
        """Paint all cells into `target` on paper, in the colours of a theme."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        width = theme.px(_NAMES) + len(self._columns) * theme.px(_WIDE)
        height = theme.px(_HEAD) + len(self._rows) * theme.px(_TALL)
        scale = min(target.width() / max(width, 1), target.height() / max(height, 1))
        painter.translate(target.topLeft())
        painter.scale(scale, scale)
        self._paint(painter, QRectF(0, 0, width, height), QPointF(), mode)

    def _paint(self, painter: QPainter, room: QRectF, offset: QPointF, mode: str) -> None:
        names, head = theme.px(_NAMES), theme.px(_HEAD)
        painter.save()
        painter.setClipRect(room.adjusted(names, head, 0, 0))
        for row, cells in enumerate(self._cells):
            for column, cell in enumerate(cells):
                box = self._box(row, column, room).translated(-offset)
                if box.intersects(room):
                    self._paint_cell(painter, box.adjusted(1, 1, -1, -1), cell, mode)
        if not mode and self._has(self._row, self._column):
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for token, width in (("surface", 4), ("text", 2)):  # seen on light and on dark
                painter.setPen(QPen(theme.colour(token), width))
                painter.drawRect(self._box(self._row, self._column, room).translated(-offset))
        painter.restore()
        self._paint_columns(painter, room, offset, mode)
        self._paint_rows(painter, room, offset, mode)

    def _paint_cell(self, painter: QPainter, box: QRectF, cell: GuessCell, mode: str) -> None:
        ground = heat_colour(min(max(cell.share, 0.0), 1.0) * _STRONGEST, mode)
        painter.fillRect(box, ground)
        painter.setPen(ink_on(ground))
        room = int((box.height() - theme.px(_UPPER)) / theme.px(_LINE))
        lines = [cell.guess, cell.note, *cell.more][: 1 + room]
        top = box.top() + (box.height() - theme.px(_UPPER + _LINE * (len(lines) - 1))) / 2
        for number, line in enumerate(lines):
            font = theme.font(12 if number else 13, bold=cell.right and not number)
            painter.setFont(font)
            tall = theme.px(_LINE if number else _UPPER)
            here = QRectF(box.left() + 3, top, box.width() - 6, tall)
            shown = QFontMetricsF(font).elidedText(line, Qt.TextElideMode.ElideRight, here.width())
            painter.drawText(here, _CENTRE, shown)
            top += tall
        if cell.right:
            painter.fillRect(QRectF(box.left(), box.bottom() - 2, box.width(), 2), ink_on(ground))

    def _paint_columns(self, painter: QPainter, room: QRectF, offset: QPointF, mode: str) -> None:
        painter.save()
        painter.setClipRect(
            QRectF(room.left() + theme.px(_NAMES), room.top(), room.width(), theme.px(_HEAD))
        )
        for column, name in enumerate(self._columns):
            box = self._box(0, column, room).translated(-offset.x(), 0)
            box = QRectF(box.left() + 2, room.top(), box.width() - 4, theme.px(_HEAD))
            bold = column == self._column and not mode
            font = theme.font(13, bold=bold)
            painter.setFont(font)
            painter.setPen(theme.colour("text" if bold or mode else "muted", mode))
            shown = QFontMetricsF(font).elidedText(name, Qt.TextElideMode.ElideRight, box.width())
            painter.drawText(box, _CENTRE, shown)
        painter.restore()

    def _paint_rows(self, painter: QPainter, room: QRectF, offset: QPointF, mode: str) -> None:
        painter.save()
        painter.setClipRect(
            QRectF(room.left(), room.top() + theme.px(_HEAD), theme.px(_NAMES), room.height())
        )
        painter.setFont(theme.font(12))
        for row, name in enumerate(self._rows):
            box = self._box(row, 0, room).translated(0, -offset.y())
            box = QRectF(room.left(), box.top(), theme.px(_NAMES - 8), box.height())
            bold = row == self._row and not mode
            painter.setPen(theme.colour("text" if bold else "muted", mode))
            painter.drawText(box, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
                                      | Qt.TextFlag.TextWordWrap), name)  # fmt: skip
        painter.restore()

    # pointer and keys

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._measure()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        cell = self._cell_at(event.position())
        self.viewport().setToolTip(self._cells[cell[0]][cell[1]].told if cell else "")

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if cell := self._cell_at(event.position()):
            self._take(*cell)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        row, column, last = self._row, self._column, len(self._columns) - 1
        places = {
            Qt.Key.Key_Right: (row, column + 1), Qt.Key.Key_Left: (row, column - 1),
            Qt.Key.Key_Down: (row + 1, column), Qt.Key.Key_Up: (row - 1, column),
            Qt.Key.Key_Home: (row, 0), Qt.Key.Key_End: (row, last),
        }  # fmt: skip
        if event.key() in places:
            self._take(*places[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def _take(self, row: int, column: int) -> None:
        if self._has(row, column) and (row, column) != (self._row, self._column):
            self.choose(row, column)
            self.chosen.emit(row, column)

    @Slot(QPoint)
    def _show_menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("Export as a picture…")).triggered.connect(self.export_wanted)
        menu.popup(self.mapToGlobal(place))
