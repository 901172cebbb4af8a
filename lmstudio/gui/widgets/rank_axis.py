"""RankAxis: at which rank each model has the true word in; markers on a logarithmic axis out."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.widgets.marks import draw_mark
from lmstudio.messages import listed

_LEAST_END = 1000
_LABEL, _HEIGHT, _SIDE = 17, 22, 24


@dataclass(frozen=True)
class Ranked:
    """A model and its rank of the true word."""

    family: str
    name: str  # short
    rank: int
    least: bool = False  # at least that


class RankAxis(QWidget):
    """1 is at the left. Labels stand above, in several rows where they would overlap."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._ranked: list[Ranked] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(theme.px(180))
        theme.signals.changed.connect(self.update)
        self.show_ranks([])

    def show_ranks(self, ranked: Sequence[Ranked]) -> None:
        """Show other models."""
        self._ranked = sorted(ranked, key=lambda one: one.rank)
        told = listed(f"{one.name} {_told(one)}" for one in self._ranked)
        self.setAccessibleName(f"{self._name}: {told}")
        self.setToolTip("\n".join(f"{one.name}: {_told(one)}" for one in self._ranked))
        self.update()

    def ranks(self) -> list[Ranked]:
        """What is shown, the best first."""
        return self._ranked

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(320), theme.px(3 * _LABEL + _HEIGHT + 22))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_axis(painter, QRectF(self.rect()), self._ranked)
        painter.end()


def paint_axis(painter: QPainter, target: QRectF, ranked: Sequence[Ranked], mode: str = "") -> None:
    """The axis and its marks."""
    ranked = sorted(ranked, key=lambda one: one.rank)
    decades = _decades(ranked)
    left, right = target.left() + theme.px(_SIDE), target.right() - theme.px(_SIDE)
    y = target.bottom() - theme.px(_HEIGHT + 8)
    painter.setFont(theme.font(12))
    painter.setPen(QPen(theme.colour("line", mode), 1))
    painter.drawLine(QPointF(left, y), QPointF(right, y))
    titled = titled_decades(decades, right - left)
    for decade in range(decades + 1):
        x = left + (right - left) * decade / decades
        painter.setPen(QPen(theme.colour("line", mode), 1))
        painter.drawLine(QPointF(x, y - 4), QPointF(x, y + 4))
        if decade not in titled:
            continue
        painter.setPen(theme.colour("muted", mode))
        box = QRectF(x - 40, y + theme.px(7), 80, theme.px(_LABEL))
        painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), figures.short(10**decade))
    places = [left + (right - left) * math.log10(one.rank) / decades for one in ranked]
    _paint_labels(painter, target, y, list(zip(ranked, places, strict=True)), mode)
    for one, x in zip(ranked, places, strict=True):
        draw_mark(painter, QPointF(x, y), one.family, theme.px(12),
                  theme.family_colour(one.family, theme=mode))  # fmt: skip


def titled_decades(decades: int, width: float) -> range:
    """Those under which the number stands, on an axis of `width` pixels: all, or every so many."""
    metrics = QFontMetricsF(theme.font(12))
    widest = max(metrics.horizontalAdvance(figures.short(10**one)) for one in range(decades + 1))
    return range(0, decades + 1, math.ceil((widest + theme.px(6)) * decades / max(width, 1.0)))


def _paint_labels(
    painter: QPainter, target: QRectF, y: float, placed: list[tuple[Ranked, float]], mode: str
) -> None:
    """Each above its mark, in the lowest of three rows in which it touches no other.

    Where there is none it follows the last of the shortest row, if there is room.
    """
    font = theme.font(12, bold=True)
    painter.setFont(font)
    metrics = QFontMetricsF(font)
    ends = [-math.inf] * 3
    for one, x in placed:
        width = metrics.horizontalAdvance(one.name)
        start = min(max(x - width / 2, target.left()), target.right() - width)
        row = next((n for n, end in enumerate(ends) if start > end + 4), None)
        if row is None:
            row = min(range(3), key=ends.__getitem__)
            start = ends[row] + theme.px(6)
        if start + width > target.right():
            continue  # the tool tip tells it
        ends[row] = start + width
        painter.setPen(theme.family_colour(one.family, text=True, theme=mode))
        top = y - theme.px(8) - (row + 1) * theme.px(_LABEL)
        painter.drawText(QRectF(start, top, width + 2, theme.px(_LABEL)),
                         int(Qt.AlignmentFlag.AlignVCenter), one.name)  # fmt: skip


def _decades(ranked: Sequence[Ranked]) -> int:
    most = max((one.rank for one in ranked), default=1)
    return math.ceil(math.log10(max(most, _LEAST_END)))


def _told(one: Ranked) -> str:
    return f"≥ {figures.count(one.rank)}" if one.least else figures.count(one.rank)
