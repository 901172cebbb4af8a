"""MasksPicture: a sentence, ranks and the candidates of several runs in; one drawing out."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from lmstudio.gui import theme
from lmstudio.gui.widgets.guess_list import ROW, GuessRow, paint_gap, paint_row, rank_width
from lmstudio.gui.widgets.marks import draw_mark
from lmstudio.gui.widgets.rank_axis import Ranked, paint_axis
from lmstudio.messages import tr

_MARGIN, _TEXT, _AXIS, _HEAD, _FOOT = 24, 56, 110, 62, 30


@dataclass(frozen=True)
class PictureColumn:
    """What one run says."""

    family: str
    name: str
    how: str
    rows: Sequence[GuessRow]
    gap: bool  # the last row is far down in rank
    unscored: str


@dataclass(frozen=True)
class MasksPicture:
    """Paints itself into any size, for a file."""

    before: str  # the sentence up to the blank
    blank: str
    after: str
    ranked: Sequence[Ranked]
    columns: Sequence[PictureColumn]
    most: float  # the probability of the longest bar

    def draw(self, painter: QPainter, target: QRectF, mode: str) -> None:
        """See plot_export.Drawing. Scaled so that all rows have room."""
        rows = max((len(column.rows) for column in self.columns), default=0)
        axis = theme.px(_AXIS) if self.ranked else 0
        needed = theme.px(_TEXT + _HEAD + _FOOT + 2 * _MARGIN + ROW * rows + 16) + axis
        wide = theme.px(230) * max(len(self.columns), 2) + 2 * theme.px(_MARGIN)
        scale = min(target.height() / needed, target.width() / wide)
        painter.save()
        painter.translate(target.topLeft())
        painter.scale(scale, scale)
        inner = QRectF(0, 0, target.width() / scale, needed)
        inner.adjust(theme.px(_MARGIN), theme.px(8), -theme.px(_MARGIN), -theme.px(8))
        self._draw_sentence(painter, inner, mode)
        top = inner.top() + theme.px(_TEXT)
        if self.ranked:
            box = QRectF(inner.left(), top, inner.width(), axis - theme.px(10))
            paint_axis(painter, box, self.ranked, mode)
            top += axis
        width = inner.width() / max(len(self.columns), 1)
        for number, column in enumerate(self.columns):
            left = inner.left() + number * width
            self._draw_column(painter, QRectF(left, top, width - theme.px(20), 0), column, mode)
        painter.restore()

    def _draw_sentence(self, painter: QPainter, inner: QRectF, mode: str) -> None:
        font = theme.font(20)
        metrics = QFontMetricsF(font)
        painter.setFont(font)
        x, y = inner.left(), inner.top()
        for text, token in ((self.before, "text"), (self.blank, "accent"), (self.after, "text")):
            width = metrics.horizontalAdvance(text)
            box = QRectF(x, y, width + 2, theme.px(40))
            if token == "accent":
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme.colour("tint", mode))
                painter.drawRoundedRect(box.adjusted(-3, 2, 3, -2), 4, 4)
            painter.setPen(theme.colour(token, mode))
            painter.drawText(box, int(Qt.AlignmentFlag.AlignVCenter), text)
            x += width

    def _draw_column(
        self, painter: QPainter, place: QRectF, column: PictureColumn, mode: str
    ) -> None:
        middle = int(Qt.AlignmentFlag.AlignVCenter)
        draw_mark(painter, QPointF(place.left() + 7, place.top() + theme.px(14)), column.family,
                  theme.px(12), theme.family_colour(column.family, theme=mode))  # fmt: skip
        painter.setFont(theme.font(15, bold=True))
        painter.setPen(theme.colour("text", mode))
        name = QRectF(place.left() + theme.px(20), place.top(), place.width() - 20, theme.px(28))
        painter.drawText(name, middle, column.name)
        painter.setFont(theme.font(12))
        painter.setPen(theme.colour("muted", mode))
        how = QRectF(place.left(), name.bottom(), place.width(), theme.px(20))
        painter.drawText(how, middle, column.how)
        y, rank = place.top() + theme.px(_HEAD), rank_width(column.rows)
        for number, row in enumerate(column.rows):
            if column.gap and number == len(column.rows) - 1:
                paint_gap(painter, y + theme.px(4), place.left(), place.right(), mode)
                y += theme.px(10)
            box = QRectF(place.left(), y, place.width(), theme.px(ROW))
            paint_row(painter, box, row, column.family, self.most, rank, mode)
            y += theme.px(ROW)
        painter.setFont(theme.font(12))
        painter.setPen(theme.colour("muted", mode))
        painter.drawText(QRectF(place.left(), y + 4, place.width(), theme.px(20)), middle,
                         tr("Mass not scored: {share}", share=column.unscored))  # fmt: skip
