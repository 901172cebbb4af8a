"""Columns of next tokens and texts in; one picture of them all out, for print."""

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from lmstudio.gui import theme
from lmstudio.gui.panels.explore.generation_column import ROWS, GenerationColumn
from lmstudio.gui.widgets import draw_mark
from lmstudio.gui.widgets.guess_bars import ROW

_WIDTH, _GAP, _HEAD = 230, 24, 28  # at scale 1


class GenerationPicture:
    """A Drawing, see gui.plot_export: columns side by side, as large as the paper allows."""

    def __init__(self, columns: Sequence[GenerationColumn]) -> None:
        self._columns = columns

    def draw(self, painter: QPainter, target: QRectF, mode: str) -> None:
        """Paint into `target`."""
        width = len(self._columns) * theme.px(_WIDTH + _GAP)
        scale = target.width() / max(width, 1)
        painter.save()
        painter.setClipRect(target)
        painter.translate(target.topLeft())
        painter.scale(scale, scale)
        for number, column in enumerate(self._columns):
            left = theme.px(_GAP) / 2 + number * theme.px(_WIDTH + _GAP)
            place = QRectF(left, 0, theme.px(_WIDTH), target.height() / scale)
            self._draw_column(painter, column, place, mode)
        painter.restore()

    def _draw_column(
        self, painter: QPainter, column: GenerationColumn, place: QRectF, mode: str
    ) -> None:  # fmt: skip
        head = QRectF(place.left(), place.top(), place.width(), theme.px(_HEAD))
        colour = theme.family_colour(column.run.model, theme=mode)
        centre = QPointF(head.left() + theme.px(6), head.center().y())
        draw_mark(painter, centre, column.run.model, theme.px(11), colour)
        painter.setFont(theme.font(15, bold=True))
        painter.setPen(theme.colour("text", mode))
        name = head.adjusted(theme.px(20), 0, 0, 0)
        painter.drawText(name, int(Qt.AlignmentFlag.AlignVCenter), column.run.name)
        rows = QRectF(place.left(), head.bottom(), place.width(), theme.px(ROW) * ROWS)
        column.bars.draw(painter, rows, mode)
        text = QRectF(place.left(), rows.bottom() + theme.px(12), place.width(), place.height())
        column.text.draw(painter, text, mode)
