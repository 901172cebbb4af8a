"""GroupedBars: figures of several series in the same groups in; upright bars side by side out.

A whisker is the spread of a bar; a notch across it is what it is set against. It paints itself in
any theme and on any device, so an export is the same drawing.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent, QPainter, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from lmstudio import figures
from lmstudio.gui import scales, theme
from lmstudio.gui.widgets.drawing import Drawing
from lmstudio.gui.widgets.marks import draw_mark
from lmstudio.messages import phrases

_LEFT, _FOOT, _LEGEND = 44, 24, 24  # widths and heights at scale 1
_MOST_BAR, _WHISKER = 34, 4
_PALER = (1.0, 0.62, 0.4)  # the second and the third series of a family
_CENTRE = int(Qt.AlignmentFlag.AlignCenter)
_SIDE = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_BEGIN = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


@dataclass(frozen=True)
class GroupBar:
    """The figure of a series in one group; NaN: it has no such spread, or notch."""

    value: float
    spread: float = math.nan
    notch: float = math.nan
    tip: str = ""


@dataclass(frozen=True)
class GroupSeries:
    """A bar for each group, from the first on; there may be fewer than groups."""

    name: str
    family: str
    bars: tuple[GroupBar, ...]
    order: int = 0  # among the series of its family


class GroupedBars(Drawing):
    """All bars begin at 0. Names of the series stand above."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._empty = ""
        self._groups: tuple[str, ...] = ()
        self._series: list[GroupSeries] = []
        self._line: tuple[float, str] | None = None
        self._show: Callable[[float], str] = figures.decimal
        self._high = 1.0
        self.setMinimumSize(theme.px(240), theme.px(150))

    def set_bars(
        self, groups: tuple[str, ...], series: list[GroupSeries], show: Callable[[float], str],
        line: tuple[float, str] | None = None,
    ) -> None:  # fmt: skip
        """Show these; `show` makes a value text, `line` is a value for all, with its sentence."""
        self._groups, self._series, self._show, self._line = groups, series, show, line
        tops = [bar.value + (0.0 if math.isnan(bar.spread) else bar.spread)
                for one in series for bar in one.bars]  # fmt: skip
        notches = [bar.notch for one in series for bar in one.bars]
        tops += [top for top in (*notches, line[0] if line else 0.0) if math.isfinite(top)]
        self._high = max(tops, default=1.0) * 1.08 or 1.0
        told = [f"{one.name} {group}: {show(bar.value)}" for one in series
                for group, bar in zip(groups, one.bars, strict=False)]  # fmt: skip
        self.setAccessibleDescription(phrases(told))
        self.update()

    def set_empty(self, sentence: str) -> None:
        """What is said where there are no bars."""
        self._empty = sentence
        self.update()

    def groups(self) -> tuple[str, ...]:
        """What the groups are called."""
        return self._groups

    def series(self) -> list[GroupSeries]:
        """What is shown."""
        return self._series

    def line(self) -> tuple[float, str] | None:
        """The value for all, with its sentence."""
        return self._line

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(640), theme.px(300))

    # where things stand

    def _body(self, room: QRectF) -> QRectF:
        """Between the names above and the groups below."""
        lines = len(self._legend(room))
        return room.adjusted(theme.px(_LEFT), theme.px(_LEGEND) * lines + theme.px(4), 0,
                             -theme.px(_FOOT))  # fmt: skip

    def _legend(self, room: QRectF) -> list[list[tuple[GroupSeries, float]]]:
        """The lines of names, each with where it begins."""
        metrics, lines = QFontMetricsF(theme.font(12)), [[]]  # type: ignore[var-annotated]
        x = float(theme.px(_LEFT))
        for one in self._series:
            wide = metrics.horizontalAdvance(one.name) + theme.px(36)
            if lines[-1] and x + wide > room.width():
                lines.append([])
                x = float(theme.px(_LEFT))
            lines[-1].append((one, room.left() + x))
            x += wide
        return lines

    def _y(self, body: QRectF, value: float) -> float:
        return body.bottom() - body.height() * value / self._high

    def _box(self, body: QRectF, group: int, number: int) -> QRectF:
        """From 0 to the value of a bar."""
        wide = body.width() / max(len(self._groups), 1)
        bar = min(wide * 0.8 / max(len(self._series), 1), theme.px(_MOST_BAR))
        left = body.left() + wide * (group + 0.5) + bar * (number - len(self._series) / 2)
        top = self._y(body, self._series[number].bars[group].value)
        return QRectF(left + 1, top, bar - 2, body.bottom() - top)

    # painting

    def draw(self, painter: QPainter, target: QRectF, mode: str) -> None:
        """Paint into `target` on paper, in the colours of a theme; everything grows with it."""
        natural = self.sizeHint()
        scale = min(target.width() / (natural.width() + 32), target.height() / natural.height())
        painter.translate(target.topLeft())
        painter.scale(scale, scale)
        room = QRectF(16, 0, target.width() / scale - 32, target.height() / scale - 8)
        self._paint(painter, room, mode)

    def _paint(self, painter: QPainter, room: QRectF, mode: str) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not self._series:
            painter.setFont(theme.font(13))
            painter.setPen(theme.colour("muted", mode))
            centre = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap)
            painter.drawText(room, centre, self._empty)
            return
        body = self._body(room)
        self._paint_grid(painter, body, mode)
        for number, one in enumerate(self._series):
            for group, bar in enumerate(one.bars):
                if math.isfinite(bar.value):
                    self._paint_bar(painter, body, self._box(body, group, number), one, bar, mode)
        self._paint_legend(painter, room, mode)
        if self._line is not None:
            self._paint_line(painter, body, *self._line, mode)

    def _paint_grid(self, painter: QPainter, body: QRectF, mode: str) -> None:
        painter.setFont(theme.font(12))
        for value, text in scales.ticks(0.0, self._high, False, self._show, 5):
            y = self._y(body, value)
            painter.setPen(QPen(theme.colour("grid", mode), 1))
            painter.drawLine(QPointF(body.left(), y), QPointF(body.right(), y))
            painter.setPen(theme.colour("muted", mode))
            left = theme.px(_LEFT)
            box = QRectF(body.left() - left, y - theme.px(10), left - theme.px(8), theme.px(20))
            painter.drawText(box, _SIDE, text)
        wide = body.width() / max(len(self._groups), 1)
        for number, name in enumerate(self._groups):
            box = QRectF(body.left() + number * wide, body.bottom() + 2, wide, theme.px(_FOOT) - 2)
            shown = painter.fontMetrics().elidedText(
                name, Qt.TextElideMode.ElideRight, round(wide) - 4
            )
            painter.drawText(box, _CENTRE, shown)

    def _ink(self, one: GroupSeries, mode: str) -> QColor:
        """The second series of a family is paler, the third more so."""
        ink = theme.family_colour(one.family, theme=mode)
        return theme.mix(theme.colour("surface", mode), ink, _PALER[min(one.order, 2)])

    def _paint_bar(
        self, painter: QPainter, body: QRectF, box: QRectF, one: GroupSeries, bar: GroupBar,
        mode: str,
    ) -> None:  # fmt: skip
        painter.fillRect(box, self._ink(one, mode))
        middle, half = box.center().x(), min(theme.px(_WHISKER), box.width() / 2)
        if math.isfinite(bar.spread):
            painter.setPen(QPen(theme.colour("text", mode), 1.5))
            ends = [self._y(body, bar.value + bar.spread * side) for side in (-1, 1)]
            painter.drawLine(QPointF(middle, ends[0]), QPointF(middle, ends[1]))
            for y in ends:
                painter.drawLine(QPointF(middle - half, y), QPointF(middle + half, y))
        if math.isfinite(bar.notch):
            y = self._y(body, bar.notch)
            for token, width in (("surface", 5), ("text", 2)):  # seen on the bar and beside it
                painter.setPen(QPen(theme.colour(token, mode), width))
                painter.drawLine(QPointF(box.left() - 3, y), QPointF(box.right() + 3, y))

    def _paint_legend(self, painter: QPainter, room: QRectF, mode: str) -> None:
        painter.setFont(theme.font(12))
        for number, line in enumerate(self._legend(room)):
            top = room.top() + number * theme.px(_LEGEND)
            for one, left in line:
                centre = QPointF(left + theme.px(6), top + theme.px(_LEGEND) / 2)
                draw_mark(painter, centre, one.family, theme.px(10), self._ink(one, mode))
                painter.setPen(theme.family_colour(one.family, text=True, theme=mode))
                box = QRectF(left + theme.px(16), top, room.width(), theme.px(_LEGEND))
                painter.drawText(box, _BEGIN | int(Qt.TextFlag.TextSingleLine), one.name)

    def _paint_line(
        self, painter: QPainter, body: QRectF, value: float, text: str, mode: str
    ) -> None:  # fmt: skip
        """Dashed, its sentence above it at the left on its own ground."""
        y = self._y(body, value)
        painter.setPen(QPen(theme.colour("text", mode), 1.5, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(body.left(), y), QPointF(body.right(), y))
        painter.setFont(theme.font(12))
        wide = painter.fontMetrics().horizontalAdvance(text) + theme.px(8)
        box = QRectF(body.left(), y - theme.px(20), wide, theme.px(18))
        ground = theme.colour("surface", mode)
        ground.setAlpha(215)
        painter.fillRect(box, ground)
        painter.setPen(theme.colour("text", mode))
        painter.drawText(box, _CENTRE, text)

    # pointer

    def told(self, place: QPointF) -> str:
        """What stands under the pointer."""
        body = self._body(QRectF(self.rect()))
        for number, one in enumerate(self._series):
            for group, bar in enumerate(one.bars):
                box = self._box(body, group, number)
                if box.left() <= place.x() <= box.right() and body.contains(place):
                    return bar.tip or f"{one.name}, {self._groups[group]}: {self._show(bar.value)}"
        return ""

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.told(QPointF(event.pos())), self)
            return True
        return super().event(event)
