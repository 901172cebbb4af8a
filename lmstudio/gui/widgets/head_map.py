"""HeadMap: a heat map whose rows ask and whose columns are looked at; a row and a cell out."""

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QWidget

from lmstudio.gui import theme
from lmstudio.gui.widgets.heat_map import HeatGrid, HeatMap


class HeadMap(HeatMap):
    """Up and down move the row that asks, left and right the cell in it."""

    picked = Signal(int, int)  # a row and a column

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self.setMinimumSize(theme.px(200), theme.px(120))

    def show_grid(self, grid: HeatGrid) -> None:
        """Show another matrix; the cell stays if there is one."""
        self._row = min(self._row, len(grid.rows) - 1)
        super().show_grid(grid)

    def cell(self) -> tuple[int, int]:
        """The row and the column marked, -1 where none is."""
        return self._row, self._column

    def mark(self, row: int, column: int) -> None:
        """Mark a cell; emits nothing."""
        self._row, self._column = row, column
        self.update()

    def _paint_mark(self, painter: QPainter, body: QRectF) -> None:
        """A frame around the row, and one around the cell in it."""
        rows, columns = self._grid.values.shape
        tall, wide = body.height() / rows, body.width() / columns
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self._row < 0:
            return
        top = body.top() + self._row * tall
        frames = [QRectF(body.left(), top, body.width(), tall).adjusted(-1, -1, 1, 1)]
        if self._column >= 0:
            frames.append(QRectF(body.left() + self._column * wide, top, wide, tall))
        for token, width in (("surface", 4), ("accent", 2)):  # to be seen on dark cells too
            painter.setPen(QPen(theme.colour(token), width))
            painter.drawRects(frames)

    def told(self, row: int, column: int) -> str:
        """A number in words: who asks, who is looked at."""
        value = super().told(row, column).rpartition(": ")[2]
        return f"{self._grid.rows[row]} → {self._grid.columns[column]}: {value}"

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        QWidget.mousePressEvent(self, event)
        if event.button() == Qt.MouseButton.LeftButton and (
            cell := self._cell_at(event.position())
        ):
            self._pick(*cell)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        rows, columns = len(self._grid.rows), len(self._grid.columns)
        row, column = max(self._row, 0), max(self._column, 0)
        places = {
            Qt.Key.Key_Up: (max(row - 1, 0), column),
            Qt.Key.Key_Down: (min(row + 1, rows - 1), column),
            Qt.Key.Key_Left: (row, max(column - 1, 0)),
            Qt.Key.Key_Right: (row, min(column + 1, columns - 1)),
            Qt.Key.Key_Home: (0, column), Qt.Key.Key_End: (rows - 1, column),
        }  # fmt: skip
        if event.key() in places and rows:
            self._pick(*places[Qt.Key(event.key())])
        else:
            QWidget.keyPressEvent(self, event)

    def _pick(self, row: int, column: int) -> None:
        if (row, column) != self.cell():
            self.mark(row, column)
            self.picked.emit(row, column)
