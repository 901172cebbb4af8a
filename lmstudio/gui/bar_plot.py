"""BarPlot: names and values in; horizontal bars with their numbers out, on screen or on paper.

It paints itself in any theme and on any device, so an export is the same drawing.
"""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.messages import phrases, tr

_MOST_NAME = 0.36  # of the width
_ROW, _THICK = 30, 16  # from one bar to the next; of a bar


@dataclass(frozen=True)
class Bar:
    """A name and its value; `value` None is drawn as a dash."""

    name: str
    value: float | None
    bold: bool = False  # selected


class BarPlot(QWidget):
    """Bars on one scale from `low` to `high`. A scale that does not begin at 0 is marked as cut."""

    export_wanted = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bars: list[Bar] = []
        self._low, self._high = 0.0, 1.0
        self._show: Callable[[float], str] = figures.decimal
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(theme.px(200), theme.px(90))
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._show_menu)
        theme.signals.changed.connect(self.update)

    def set_bars(
        self, bars: list[Bar], low: float, high: float, show: Callable[[float], str]
    ) -> None:
        """Show these bars; `show` makes a value text."""
        self._bars, self._low, self._high, self._show = bars, low, high, show
        spoken = phrases(f"{bar.name} {self._text(bar)}" for bar in bars)
        self.setAccessibleDescription(spoken)
        self.update()

    def bars(self) -> list[Bar]:
        """What is shown."""
        return self._bars

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(360), theme.px(_ROW * max(len(self._bars), 3) + 30))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        self.draw(painter, QRectF(self.rect()), "")
        painter.end()

    def draw(self, painter: QPainter, target: QRectF, mode: str) -> None:
        """Paint into `target`; on paper (`mode` names a theme) everything grows with it."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not self._bars:
            return
        if mode:
            natural = self.sizeHint()
            scale = min(target.width() / natural.width(), target.height() / natural.height())
            painter.translate(target.topLeft())
            painter.scale(scale, scale)
            target = QRectF(0, 0, target.width() / scale, target.height() / scale)
        self._draw_all(painter, target, mode)

    def _draw_all(self, painter: QPainter, target: QRectF, mode: str) -> None:
        painter.setFont(theme.font(12))
        metrics = QFontMetricsF(theme.font(12, bold=True))
        names = max(metrics.horizontalAdvance(bar.name) for bar in self._bars) + theme.px(12)
        numbers = max(metrics.horizontalAdvance(self._text(bar)) for bar in self._bars)
        names = min(names, target.width() * _MOST_NAME)
        track = QRectF(
            target.left() + names, target.top(),
            max(target.width() - names - numbers - theme.px(10), 10), target.height(),
        )  # fmt: skip
        foot = theme.px(22)
        row = min((target.height() - foot) / len(self._bars), theme.px(_ROW))
        self._draw_scale(painter, track, row * len(self._bars), mode)
        for number, bar in enumerate(self._bars):
            y = target.top() + number * row
            name = QRectF(target.left(), y, names - theme.px(10), row)
            self._draw_bar(painter, bar, name, QRectF(track.left(), y, track.width(), row), mode)

    def _draw_scale(self, painter: QPainter, track: QRectF, height: float, mode: str) -> None:
        """Three grid lines with their values; a dotted left one says that the scale is cut."""
        for step in range(3):
            x = track.left() + track.width() * step / 2
            cut = step == 0 and self._low != 0
            style = Qt.PenStyle.DotLine if cut else Qt.PenStyle.SolidLine
            token = "edge" if cut else "grid"
            painter.setPen(QPen(theme.colour(token, mode), 1, style))
            painter.drawLine(QPointF(x, track.top()), QPointF(x, track.top() + height))
            value = self._low + (self._high - self._low) * step / 2
            painter.setPen(theme.colour("muted", mode))
            box = QRectF(x - theme.px(40), track.top() + height, theme.px(80), theme.px(20))
            painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), self._show(value))

    def _draw_bar(
        self, painter: QPainter, bar: Bar, name: QRectF, track: QRectF, mode: str
    ) -> None:
        font = theme.font(12, bold=bar.bold)
        painter.setFont(font)
        painter.setPen(theme.colour("text" if bar.bold else "muted", mode))
        shown = QFontMetricsF(font).elidedText(bar.name, Qt.TextElideMode.ElideRight, name.width())
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(name, int(right), shown)
        thick = min(theme.px(_THICK), track.height() * 0.7)
        middle = track.center().y()
        share = 0.0 if bar.value is None else (bar.value - self._low) / (self._high - self._low)
        width = track.width() * min(max(share, 0.0), 1.0)
        box = QRectF(track.left(), middle - thick / 2, width, thick)
        painter.fillRect(box, self._ink(bar, mode))
        painter.setPen(theme.colour("text", mode))
        after = QRectF(box.right() + theme.px(6), track.top(), theme.px(90), track.height())
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(after, int(left), self._text(bar))
        painter.setFont(theme.font(12))

    def _ink(self, bar: Bar, mode: str) -> QColor:
        if bar.bold:
            return theme.colour("accent", mode)
        return theme.mix(theme.colour("surface", mode), theme.colour("text", mode), 0.45)

    def _text(self, bar: Bar) -> str:
        return figures.DASH if bar.value is None else self._show(bar.value)

    @Slot(QPoint)
    def _show_menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("Export…")).triggered.connect(self.export_wanted)
        menu.popup(self.mapToGlobal(place))
