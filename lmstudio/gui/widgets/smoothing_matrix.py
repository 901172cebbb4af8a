"""SmoothingMatrix: words by estimators in; a matrix, and a column chosen, out."""

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from lmstudio.gui import theme
from lmstudio.gui.widgets.drawing import Drawing
from lmstudio.gui.widgets.matrix import (
    FOOT,
    HEADER,
    LEAST_ROW,
    MOST_ROW,
    Matrix,
    MatrixColumn,
    Places,
    shown,
)
from lmstudio.gui.widgets.matrix_paint import MatrixPainter
from lmstudio.messages import phrases


class SmoothingMatrix(Drawing):
    """Left and right move the chosen column; it is spoken with its values."""

    chosen = Signal(str)  # the key of a column, when the user chooses another
    paged = Signal(int)  # 1: page up, -1: page down; a scroll area around it would take the keys

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._name = name
        self._matrix = Matrix()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def set_matrix(self, matrix: Matrix) -> None:
        """Show another matrix."""
        before, self._matrix = self._matrix, matrix
        height = theme.px(HEADER + FOOT + LEAST_ROW * max(len(matrix.rows), 1))
        if height != self.minimumHeight():
            self.setMinimumHeight(height)
        self._speak()
        self._update(before)

    def _update(self, before: Matrix) -> None:
        """Repaint the columns that changed, if that is all."""
        now = self._matrix
        keys = [column.key for column in now.columns]
        same = (before.rows, before.chosen, before.scale) == (now.rows, now.chosen, now.scale)
        if not same or keys != [column.key for column in before.columns]:
            self.update()
            return
        places = self._places()
        for number, (old, new) in enumerate(zip(before.columns, now.columns, strict=True)):
            if old != new:
                self.update(places.column(number).toAlignedRect())

    def matrix(self) -> Matrix:
        """What is shown."""
        return self._matrix

    def column(self, key: str) -> MatrixColumn:
        """A column by its key."""
        return next(column for column in self._matrix.columns if column.key == key)

    def value(self, key: str, row: str) -> float:
        """What stands in a cell."""
        names = [entry.name for entry in self._matrix.rows]
        return self.column(key).values[names.index(row)]

    def sizeHint(self) -> QSize:  # noqa: N802
        rows = max(len(self._matrix.rows), 1)
        return QSize(theme.px(760), theme.px(HEADER + FOOT + MOST_ROW * rows))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(620), self.minimumHeight())

    # painting

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        clip, target = QRectF(event.rect()), QRectF(self.rect())
        MatrixPainter(painter, self._matrix, target, "").draw(clip)
        if self.hasFocus() and self._matrix.columns:
            self._draw_focus(painter)
        painter.end()

    def draw(self, painter: QPainter, target: QRectF, mode: str) -> None:
        """Paint on paper, in the colours of a theme; everything grows with `target`."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        natural = self.sizeHint().expandedTo(self.size())
        scale = min(target.width() / natural.width(), target.height() / natural.height())
        painter.translate(target.topLeft() + QPointF(16, 0))
        painter.scale(scale, scale)
        target = QRectF(0, 0, target.width() / scale - 32, target.height() / scale)
        MatrixPainter(painter, self._matrix, target, mode).draw()

    def _draw_focus(self, painter: QPainter) -> None:
        keys = [column.key for column in self._matrix.columns]
        if self._matrix.chosen in keys:
            place = self._places().column(keys.index(self._matrix.chosen))
            painter.setPen(theme.colour("accent"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(place.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)

    def _places(self) -> Places:
        return Places(self._matrix, QRectF(self.rect()))

    def _speak(self) -> None:
        found = [c for c in self._matrix.columns if c.key == self._matrix.chosen and c.values]
        spoken = [
            f"{row.name} {shown(value)}"
            for column in found
            for row, value in zip(self._matrix.rows, column.values, strict=True)
        ]
        title = found[0].title if found else ""
        self.setAccessibleDescription(phrases([title, *spoken]))

    # pointer and keys

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mousePressEvent(event)
        number = self._places().column_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton:
            self._choose(number)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        keys = [column.key for column in self._matrix.columns]
        here = keys.index(self._matrix.chosen) if self._matrix.chosen in keys else 0
        last = len(keys) - 1
        places = {
            Qt.Key.Key_Left: max(here - 1, 0), Qt.Key.Key_Right: min(here + 1, last),
            Qt.Key.Key_Home: 0, Qt.Key.Key_End: last,
        }  # fmt: skip
        pages = {Qt.Key.Key_PageUp: 1, Qt.Key.Key_PageDown: -1}
        if event.key() in places and keys:
            self._choose(places[Qt.Key(event.key())])
        elif event.key() in pages:
            self.paged.emit(pages[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def _choose(self, number: int) -> None:
        if 0 <= number < len(self._matrix.columns):
            key = self._matrix.columns[number].key
            if key != self._matrix.chosen:
                self.chosen.emit(key)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            number = self._places().column_at(QPointF(event.pos()))
            inside = 0 <= number < len(self._matrix.columns)
            QToolTip.showText(event.globalPos(),
                              self._matrix.columns[number].tip if inside else "", self)  # fmt: skip
            return True
        return super().event(event)
