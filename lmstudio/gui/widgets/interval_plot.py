"""IntervalPlot: differences with their intervals in; bars from zero with whiskers out."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPen

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.widgets.marks import draw_mark
from lmstudio.gui.widgets.rows_plot import RowsPlot

_THICK, _WHISKER = 10, 5


@dataclass(frozen=True)
class Difference:
    """How far something is from what all are set against; without an interval `low` is NaN."""

    name: str
    family: str
    value: float
    low: float = math.nan
    high: float = math.nan
    end: str = ""  # what stands at the right
    tip: str = ""


class IntervalPlot(RowsPlot):
    """A bar whose interval leaves out zero is in full ink, another is pale."""

    LEAD = 18

    def set_differences(
        self, rows: list[Difference], show: Callable[[float], str] = figures.decimal
    ) -> None:
        """Show these from the top; `show` makes a value text."""
        self._rows = rows
        values = [v for row in rows for v in (row.value, row.low, row.high)]
        self.set_rows([row.name for row in rows], [row.end for row in rows],
                      [row.tip or row.name for row in rows], values, show, zero=True)  # fmt: skip

    def differences(self) -> list[Difference]:
        """What is shown."""
        return self._rows

    def paint_row(self, painter: QPainter, number: int, row: QRectF, mode: str) -> None:
        entry, middle = self._rows[number], row.center().y()
        zero = self.x_of(0.0, row)
        ink = theme.family_colour(entry.family, theme=mode)
        if math.isfinite(entry.value):
            sure = entry.low > 0 or entry.high < 0
            surface = theme.colour("surface", mode)
            x = self.x_of(entry.value, row)
            bar = QRectF(min(zero, x), middle - theme.px(_THICK) / 2, abs(x - zero),
                         theme.px(_THICK))  # fmt: skip
            painter.fillRect(bar, ink if sure else theme.mix(surface, ink, 0.4))
        if math.isfinite(entry.low) and math.isfinite(entry.high):
            self._paint_whisker(painter, entry, row, mode)
        painter.setPen(QPen(theme.colour("muted", mode), 1))
        painter.drawLine(QPointF(zero, row.top()), QPointF(zero, row.bottom()))

    def paint_lead(self, painter: QPainter, number: int, place: QRectF, mode: str) -> None:
        family = self._rows[number].family
        centre = QPointF(place.left() + theme.px(6), place.center().y())
        draw_mark(painter, centre, family, theme.px(10), theme.family_colour(family, theme=mode))

    def _paint_whisker(self, painter: QPainter, entry: Difference, row: QRectF, mode: str) -> None:
        middle, half = row.center().y(), theme.px(_WHISKER)
        low, high = self.x_of(entry.low, row), self.x_of(entry.high, row)
        painter.setPen(QPen(theme.colour("text", mode), 1.5))
        painter.drawLine(QPointF(low, middle), QPointF(high, middle))
        for x in (low, high):
            painter.drawLine(QPointF(x, middle - half), QPointF(x, middle + half))
