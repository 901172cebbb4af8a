"""LookupPicture: a few rows of an embedding matrix in; "one-hot row × matrix = a row" drawn out.

Each row of the matrix stands beside its entry of the one-hot row. All entries are 0 but one, so
the sum of entry × row is that one row; it is drawn below the line, number for number.
"""

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.widgets.heat import heat_colour, ink_on
from lmstudio.messages import tr

_ROW, _HEAD, _DOTS = 26, 24, 16  # heights
_ENTRY, _ID, _NAME, _CELL = 56, 64, 104, 58  # widths
_GAP = 10


@dataclass(frozen=True)
class MatrixRows:
    """Rows of a matrix of `vocabulary` rows, in rising order, and the one that is looked up."""

    vocabulary: int
    ids: tuple[int, ...]
    names: tuple[str, ...]
    rows: np.ndarray  # (len(ids), D)
    chosen: int  # an id

    @property
    def row(self) -> np.ndarray:
        """(D,) of the chosen id."""
        found: np.ndarray = self.rows[self.ids.index(self.chosen)]
        return found


class LookupPicture(QWidget):
    """As many columns of the matrix as there is room for, with their numbers."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: MatrixRows | None = None
        self.setAccessibleName(tr("One-hot × matrix = look-up"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.signals.changed.connect(self.update)

    def show_rows(self, shown: MatrixRows | None) -> None:
        """Draw these rows, or nothing."""
        self._shown = shown
        if shown is None:
            self.setAccessibleName(tr("One-hot × matrix = look-up"))
        else:
            numbers = " ".join(f"{value:.3f}" for value in shown.row[: self.columns()])
            self.setAccessibleName(
                tr("Row {id} of the matrix: {numbers}", id=shown.chosen, numbers=numbers)
            )
        self.updateGeometry()
        self.update()

    def shown(self) -> MatrixRows | None:
        """What is drawn."""
        return self._shown

    def columns(self) -> int:
        """How many columns of the matrix there is room for."""
        if self._shown is None:
            return 0
        width = self._shown.rows.shape[1]
        room = int((self.width() - self._matrix_left() - theme.px(20)) / theme.px(_CELL))
        return max(min(room, width), 1)

    def sizeHint(self) -> QSize:  # noqa: N802
        rows = len(self._shown.ids) if self._shown else 5
        height = _HEAD + 2 * _DOTS + rows * _ROW + _GAP + _ROW
        return QSize(theme.px(600), theme.px(height))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(340), self.sizeHint().height())

    def _matrix_left(self) -> float:
        return theme.px(_ENTRY + _ID + _NAME + 2 * _GAP)

    # painting

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        if self._shown is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        shown, y = self._shown, float(theme.px(_HEAD))
        self._paint_head(painter, shown)
        above, below = shown.ids[0] > 0, shown.ids[-1] < shown.vocabulary - 1
        if above:
            self._paint_dots(painter, y)
        y += theme.px(_DOTS)
        most = float(np.abs(shown.rows).max()) or 1.0
        for number, key in enumerate(shown.ids):
            self._paint_entry(painter, y, key == shown.chosen)
            self._paint_row(painter, y, key, shown.names[number], shown.rows[number] / most, most)
            y += theme.px(_ROW)
        if below:
            self._paint_dots(painter, y)
        y += theme.px(_DOTS)
        self._paint_sum(painter, y, shown, most)
        painter.end()

    def _paint_head(self, painter: QPainter, shown: MatrixRows) -> None:
        painter.setFont(theme.font(12))
        painter.setPen(theme.colour("muted"))
        height = theme.px(_HEAD)
        size = figures.count(shown.vocabulary)
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        room = self._matrix_left()
        painter.drawText(QRectF(0, 0, room, height), int(left),
                         tr("one-hot, 1 × {size}", size=size))  # fmt: skip
        title = tr("× matrix, {size} × {width}", size=size, width=shown.rows.shape[1])
        painter.drawText(QRectF(room, 0, self.width() - room, height), int(left), title)

    def _paint_dots(self, painter: QPainter, y: float) -> None:
        painter.setPen(theme.colour("muted"))
        for middle in (_ENTRY / 2, _ENTRY + _GAP + _ID - 8, _ENTRY + _ID + 2 * _GAP + 6):
            box = QRectF(theme.px(middle) - 10, y, 20, theme.px(_DOTS))
            painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), "⋮")

    def _paint_entry(self, painter: QPainter, y: float, one: bool) -> None:
        """An entry of the one-hot row, and its product sign."""
        cell = QRectF(1, y + 1, theme.px(_ENTRY) - 2, theme.px(_ROW) - 3)
        painter.setPen(QPen(theme.colour("accent" if one else "line"), 1))
        painter.setBrush(theme.colour("accent" if one else "surface"))
        painter.drawRoundedRect(cell, 3, 3)
        painter.setFont(theme.font(13, bold=one))
        painter.setPen(theme.colour("on_accent" if one else "muted"))
        painter.drawText(cell, int(Qt.AlignmentFlag.AlignCenter), "1" if one else "0")

    def _paint_row(
        self, painter: QPainter, y: float, key: int | None, name: str, shares: np.ndarray,
        most: float,
    ) -> None:  # fmt: skip
        """Id and name, then the numbers on their heat."""
        chosen = self._shown is not None and key in (self._shown.chosen, None)
        font = theme.font(12, bold=chosen)
        painter.setFont(font)
        painter.setPen(theme.colour("text" if chosen else "muted"))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        height = theme.px(_ROW)
        if key is not None:
            box = QRectF(theme.px(_ENTRY + _GAP), y, theme.px(_ID), height)
            painter.drawText(box, int(right), figures.count(key))
        box = QRectF(theme.px(_ENTRY + _ID + 2 * _GAP), y, theme.px(_NAME - _GAP), height)
        shown = QFontMetricsF(font).elidedText(name, Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, int(left), shown)
        painter.setFont(theme.font(12))
        for column in range(self.columns()):
            x = self._matrix_left() + column * theme.px(_CELL)
            cell = QRectF(x, y, theme.px(_CELL) - 1, height - 1)
            ground = heat_colour(float(shares[column]) * 0.75)
            painter.fillRect(cell, ground)
            painter.setPen(ink_on(ground))
            number = f"{float(shares[column]) * most:.3f}"
            painter.drawText(cell, int(Qt.AlignmentFlag.AlignCenter), number)
        if self.columns() < len(shares):
            painter.setPen(theme.colour("muted"))
            end = self._matrix_left() + self.columns() * theme.px(_CELL)
            painter.drawText(QRectF(end, y, theme.px(20), height), int(left), "…")

    def _paint_sum(self, painter: QPainter, y: float, shown: MatrixRows, most: float) -> None:
        line = y + theme.px(_GAP) / 2
        end = self._matrix_left() + self.columns() * theme.px(_CELL)
        painter.setPen(QPen(theme.colour("edge"), 1))
        painter.drawLine(QPointF(0, line), QPointF(end, line))
        y += theme.px(_GAP)
        painter.setFont(theme.font(13, bold=True))
        painter.setPen(theme.colour("accent"))
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        room = QRectF(0, y, theme.px(_ENTRY + _ID + _GAP), theme.px(_ROW))
        painter.drawText(room, int(left), tr("= row {id}", id=figures.count(shown.chosen)))
        name = shown.names[shown.ids.index(shown.chosen)]
        self._paint_row(painter, y, None, name, shown.row / most, most)
