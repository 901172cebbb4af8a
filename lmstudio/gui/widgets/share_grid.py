"""ShareGrid: shares of a whole by row in; their cells as heat with a number in each, out.

As Peters et al. 2018 draw what tasks take of the layers of a network (figure 2).
"""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.widgets.heat import deep_colour, ink_on
from lmstudio.gui.widgets.marks import draw_mark
from lmstudio.gui.widgets.rows_plot import HEAD, RowsPlot

_CENTRE = int(Qt.AlignmentFlag.AlignCenter)


@dataclass(frozen=True)
class ShareRow:
    """One whole: its parts sum to 1."""

    name: str
    family: str
    shares: tuple[float, ...]
    end: str = ""  # what stands at the right
    tip: str = ""


class ShareGrid(RowsPlot):
    """A row may have fewer parts than there are columns."""

    LEAD = 18

    def set_shares(self, rows: list[ShareRow], columns: tuple[str, ...]) -> None:
        """Show these from the top."""
        self._rows, self._columns = rows, columns
        shares = (share for row in rows for share in row.shares)
        self._most = max(2 / max(len(columns), 2), *shares, 0.0)  # what is even is half as strong
        self.set_rows([row.name for row in rows], [row.end for row in rows],
                      [row.tip or row.name for row in rows], [0.0, 1.0],
                      figures.percent)  # fmt: skip

    def shares(self) -> list[ShareRow]:
        """What is shown."""
        return self._rows

    def columns(self) -> tuple[str, ...]:
        """What the parts are called."""
        return self._columns

    def _paint_scale(self, painter: QPainter, track: QRectF, mode: str) -> None:
        """The names of the columns, where other plots have their scale."""
        painter.setFont(theme.font(12))
        painter.setPen(theme.colour("muted", mode))
        for number, name in enumerate(self._columns):
            box = self._cell(QRectF(track.left(), track.top() - theme.px(HEAD), track.width(),
                                    theme.px(HEAD)), number)  # fmt: skip
            shown = painter.fontMetrics().elidedText(
                name, Qt.TextElideMode.ElideRight, round(box.width())
            )
            painter.drawText(box, _CENTRE, shown)

    def paint_row(self, painter: QPainter, number: int, row: QRectF, mode: str) -> None:
        for column, share in enumerate(self._rows[number].shares):
            box = self._cell(row, column)
            ground = deep_colour(share / self._most, mode)
            painter.fillRect(box.adjusted(1, 1, -1, -1), ground)
            painter.setFont(theme.font(12))
            painter.setPen(ink_on(ground))
            painter.drawText(box, _CENTRE, figures.percent(share))

    def paint_lead(self, painter: QPainter, number: int, place: QRectF, mode: str) -> None:
        family = self._rows[number].family
        centre = QPointF(place.left() + theme.px(6), place.center().y())
        draw_mark(painter, centre, family, theme.px(10), theme.family_colour(family, theme=mode))

    def _cell(self, row: QRectF, column: int) -> QRectF:
        wide = row.width() / max(len(self._columns), 1)
        return QRectF(row.left() + column * wide, row.top(), wide, row.height())
