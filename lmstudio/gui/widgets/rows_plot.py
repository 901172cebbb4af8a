"""RowsPlot: named rows over one scale; what stands in a row is drawn by the plots made of it.

Dots, not bars from 0, where the figures have no 0 in sight; the scale is marked as cut then. It
paints itself in any theme and on any device, so an export is the same drawing.
"""

import math
from collections.abc import Callable, Iterable

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from lmstudio import figures
from lmstudio.gui import scales, theme
from lmstudio.gui.widgets.drawing import Drawing
from lmstudio.messages import phrases

ROW, HEAD, PAPER = 28, 22, 480  # of a row and of the scale above; least width of an export
_MOST_NAME = 0.42  # of the width
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class RowsPlot(Drawing):
    """As high as its rows need; wants to stand in a scroll area. A row may be chosen."""

    LEAD = 0  # room for `paint_lead` before each name, at scale 1

    chosen = Signal(int)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._name = name
        self._names: list[str] = []
        self._ends: list[str] = []  # the text at the right of each row
        self._tips: list[str] = []
        self._low, self._high = 0.0, 1.0  # positions: values, or their logarithms
        self._log = False
        self._show: Callable[[float], str] = figures.decimal
        self._chosen = -1
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.MinimumExpanding)

    def set_rows(
        self, names: list[str], ends: list[str], tips: list[str], values: Iterable[float],
        show: Callable[[float], str], *, zero: bool = False, log: bool = False,
    ) -> None:  # fmt: skip
        """Rows from the top; the scale holds the finite `values`, and 0 if `zero`.

        `log`: the scale is logarithmic, and holds what is above 0.
        """
        self._names, self._ends, self._tips, self._show = names, ends, tips, show
        self._log = log
        placed = [scales.positions_of(value, log) for value in values]
        finite = [place for place in placed if math.isfinite(place)] + ([0.0] if zero else [])
        low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
        room = (high - low) * 0.06 or max(abs(high), 1.0) * 0.1
        self._low, self._high = low - room, high + room
        self.setMinimumHeight(theme.px(ROW * max(len(names), 1) + HEAD))
        self.setAccessibleDescription(phrases(f"{n} {e}" for n, e in zip(names, ends, strict=True)))
        self.choose(self._chosen if self._chosen < len(names) else -1)

    def names(self) -> list[str]:
        """What the rows are called."""
        return self._names

    def scale(self) -> tuple[float, float]:
        """The values at the ends of the scale."""
        return scales.value_at(self._low, self._log), scales.value_at(self._high, self._log)

    def choose(self, number: int) -> None:
        """Mark a row, -1 for none; emits nothing."""
        self._chosen = number
        self.update()

    def chosen_number(self) -> int:
        """The row marked, -1 if none is."""
        return self._chosen

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(360), self.minimumHeight())

    # painting

    def draw(self, painter: QPainter, target: QRectF, mode: str) -> None:
        """Paint into `target` on paper, in the colours of a theme; everything grows with it."""
        width = max(self.width(), theme.px(PAPER))
        natural = QRectF(0, 0, width, self.minimumHeight())
        scale = min(target.width() / (width + 32), target.height() / (natural.height() + 16))
        painter.translate(target.topLeft() + QPointF(16, 8))
        painter.scale(scale, scale)
        self._paint(painter, natural, mode)

    def _paint(self, painter: QPainter, target: QRectF, mode: str) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not self._names:
            return
        track = self._track(target)
        self._paint_scale(painter, track, mode)
        for number in range(len(self._names)):
            self._paint_text(painter, number, target, track, mode)
            self.paint_row(painter, number, self._row(track, number), mode)

    def paint_row(self, painter: QPainter, number: int, row: QRectF, mode: str) -> None:
        """Draw what stands in a row, between the name and the text at the right."""

    def paint_lead(self, painter: QPainter, number: int, place: QRectF, mode: str) -> None:
        """Draw what stands before a name."""

    def x_of(self, value: float, row: QRectF) -> float:
        """Where a value stands."""
        place = scales.positions_of(value, self._log)
        return row.left() + row.width() * (place - self._low) / (self._high - self._low)

    def _track(self, target: QRectF) -> QRectF:
        metrics = QFontMetricsF(theme.font(13))
        bold = QFontMetricsF(theme.font(13, bold=True))  # of the row that is chosen
        names = max(map(bold.horizontalAdvance, self._names), default=0.0) + theme.px(
            16 + self.LEAD
        )
        ends = max(map(metrics.horizontalAdvance, self._ends), default=0.0)
        names = min(names, target.width() * _MOST_NAME)
        width = max(target.width() - names - ends - theme.px(16), theme.px(24))
        height = theme.px(ROW) * len(self._names)
        return QRectF(target.left() + names, target.top() + theme.px(HEAD), width, height)

    def _row(self, track: QRectF, number: int) -> QRectF:
        height = theme.px(ROW)
        return QRectF(track.left(), track.top() + number * height, track.width(), height)

    def _paint_scale(self, painter: QPainter, track: QRectF, mode: str) -> None:
        painter.setFont(theme.font(12))
        for place, text in scales.ticks(self._low, self._high, self._log, self._show, 4):
            x = self.x_of(scales.value_at(place, self._log), track)
            painter.setPen(QPen(theme.colour("grid", mode), 1))
            painter.drawLine(QPointF(x, track.top()), QPointF(x, track.bottom()))
            painter.setPen(theme.colour("muted", mode))
            box = QRectF(
                x - theme.px(40), track.top() - theme.px(HEAD), theme.px(80), theme.px(HEAD)
            )
            painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)

    def _paint_text(
        self, painter: QPainter, number: int, target: QRectF, track: QRectF, mode: str
    ) -> None:
        row, chosen = self._row(track, number), number == self._chosen
        if chosen and not mode:
            painter.setPen(QPen(theme.colour("accent"), 1) if self.hasFocus()
                           else Qt.PenStyle.NoPen)  # fmt: skip
            painter.setBrush(theme.colour("tint"))
            box = QRectF(target.left(), row.top(), target.width(), row.height())
            painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), 6, 6)
        font = theme.font(13, bold=chosen)
        painter.setFont(font)
        left, lead = target.left() + theme.px(6), theme.px(self.LEAD)
        self.paint_lead(painter, number, QRectF(left, row.top(), lead, row.height()), mode)
        painter.setPen(theme.colour("text", mode))
        width = track.left() - left - lead - theme.px(10)
        name = QRectF(left + lead, row.top(), width, row.height())
        shown = QFontMetricsF(font).elidedText(
            self._names[number], Qt.TextElideMode.ElideMiddle, name.width()
        )
        painter.drawText(name, int(_LEFT), shown)
        painter.setPen(theme.colour("muted", mode))
        painter.setFont(theme.font(13))
        end = QRectF(track.right(), row.top(), target.right() - track.right() - theme.px(6),
                     row.height())  # fmt: skip
        painter.drawText(end, int(_RIGHT), self._ends[number])

    # pointer and keys

    def _number_at(self, place: QPointF) -> int:
        number = int((place.y() - theme.px(HEAD)) // theme.px(ROW))
        return number if 0 <= number < len(self._names) else -1

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mousePressEvent(event)
        self._take(self._number_at(event.position()))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        last, here = len(self._names) - 1, self._chosen
        places = {
            Qt.Key.Key_Down: min(here + 1, last), Qt.Key.Key_Up: max(here - 1, 0),
            Qt.Key.Key_Home: 0, Qt.Key.Key_End: last,
        }  # fmt: skip
        if event.key() in places:
            self._take(places[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            number = self._number_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), self._tips[number] if number >= 0 else "", self)
            return True
        return super().event(event)

    def _take(self, number: int) -> None:
        if number >= 0 and number != self._chosen:
            self.choose(number)
            self.chosen.emit(number)
