"""DotPlot: groups and the figure of each run in each of them in; a row of markers a group out.

The second run of a family is hollow, the third smaller and hollow, as lines are dashed and dotted.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.widgets.marks import draw_mark, mark_path
from lmstudio.gui.widgets.rows_plot import RowsPlot

_SIZE = 10


@dataclass(frozen=True)
class Dots:
    """One run: its marker, and its figure in each group (NaN or infinite: not drawn)."""

    name: str
    family: str
    values: Sequence[float]
    order: int = 0  # among the runs of its family


class DotPlot(RowsPlot):
    """Set groups and dots; everything else follows."""

    def set_dots(
        self, groups: list[str], ends: list[str], dots: list[Dots],
        show: Callable[[float], str] = figures.decimal, *, log: bool = False,
    ) -> None:  # fmt: skip
        """`groups` are the rows from the top, `ends` what stands at their right.

        `log`: over a logarithmic scale.
        """
        self._dots = dots
        tips = ["\n".join(f"{run.name}: {show(run.values[number])}" for run in dots)
                for number in range(len(groups))]  # fmt: skip
        values = [value for run in dots for value in run.values]
        self.set_rows(groups, ends, tips, values, show, log=log)

    def dots(self) -> list[Dots]:
        """What is shown."""
        return self._dots

    def paint_row(self, painter: QPainter, number: int, row: QRectF, mode: str) -> None:
        middle = row.center().y()
        painter.setPen(QPen(theme.colour("line", mode), 1))
        painter.drawLine(QPointF(row.left(), middle), QPointF(row.right(), middle))
        for run in reversed(self._dots):  # the first one on top
            value = run.values[number]
            if math.isfinite(value):
                draw_dot(painter, QPointF(self.x_of(value, row), middle), run.family, run.order,
                         mode)  # fmt: skip


def draw_dot(painter: QPainter, centre: QPointF, family: str, order: int, mode: str) -> None:
    """The marker of a family: filled for its first run, hollow for others, with a white ring."""
    surface, ink = theme.colour("surface", mode), theme.family_colour(family, theme=mode)
    size = theme.px(_SIZE)
    draw_mark(painter, centre, family, size + 3, surface)
    if order == 0:
        draw_mark(painter, centre, family, size, ink)
    else:
        _hollow(painter, centre, family, size if order == 1 else size * 0.7, ink)


def _hollow(painter: QPainter, centre: QPointF, family: str, size: float, ink: QColor) -> None:
    painter.save()
    painter.translate(centre)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(ink, 1.6))
    painter.drawPath(mark_path(theme.FAMILIES[family].marker, size - 1))
    painter.restore()
