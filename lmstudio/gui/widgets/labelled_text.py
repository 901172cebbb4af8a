"""LabelledText: a text with what is said of its stretches in; the same, marked and named, out.

A single lane is written as coloured boxes with their names below. Of several, the first has the
boxes, and each is a row of brackets under the text, so that what is right and what was guessed can
be set against each other.
"""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFontMetricsF,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from lmstudio.gui import theme
from lmstudio.gui.widgets.labelled_layout import Lane, Span, Stretch, lines_of, stretches
from lmstudio.messages import phrases

_LINE, _NAME, _BETWEEN = 26, 18, 8  # heights of a line of text, of a lane below it, of the gap
_BOX = 0.16  # of a label's colour in the ground of its box
_ELIDE = Qt.TextElideMode.ElideRight
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


class LabelledText(QWidget):
    """As high as its text needs; wants to stand in a scroll area. A click picks a character."""

    picked = Signal(int)  # the place of a character

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = ""
        self._lanes: tuple[Lane, ...] = (Lane(),)
        self._lines: list[Span] = []
        self._placed: list[list[Stretch]] = []
        self._font = theme.font(15)
        self._advance = QFontMetricsF(self._font).horizontalAdvance
        self._picked = -1
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.MinimumExpanding)
        theme.signals.changed.connect(self.update)

    def show_text(self, text: str, *lanes: Lane) -> None:
        """Show another text; the character that was picked is picked no more."""
        self._text, self._lanes, self._picked = text, lanes or (Lane(),), -1
        self._lay_out()
        told = [f"{lane.title} {text[one.start : one.end]} {one.name}".strip()
                for lane in self._lanes for one in lane.labels]  # fmt: skip
        self.setAccessibleDescription(phrases([text, *told]))
        self.update()

    def text(self) -> str:
        """What is shown."""
        return self._text

    def lanes(self) -> Sequence[Lane]:
        """What is said of it."""
        return self._lanes

    def pick(self, place: int) -> None:
        """Mark a character; emits nothing."""
        self._picked = place
        self.update()

    # layout

    def _lay_out(self) -> None:
        self._lines, self._placed = self._laid(self.width() - self._margin())
        height = round(self._row() * len(self._lines)) + 2
        if height != self.minimumHeight():
            self.setMinimumHeight(height)
            self.updateGeometry()

    def _laid(self, width: float) -> tuple[list[Span], list[list[Stretch]]]:
        width = max(width, theme.px(60))
        lines = lines_of(self._text, width, self._advance)
        return lines, [stretches(self._text, lines, lane, width, self._advance)
                       for lane in self._lanes]  # fmt: skip

    def _margin(self) -> float:
        """The room for the titles of lanes."""
        metrics = QFontMetricsF(theme.font(12))
        widths = [metrics.horizontalAdvance(lane.title) for lane in self._lanes if lane.title]
        return max(widths) + theme.px(12) if widths else 0.0

    def _row(self) -> float:
        """From one line of the text to the next."""
        named = any(lane.title or lane.labels for lane in self._lanes)
        return theme.px(_LINE + _BETWEEN) + theme.px(_NAME) * len(self._lanes) * named

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._lay_out()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(240), self.minimumHeight())

    # painting

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint(painter, QPointF(0, 0), self._lines, self._placed, "")
        painter.end()

    def draw(self, painter: QPainter, target: QRectF, mode: str) -> None:
        """Paint into `target` on paper, in the colours of a theme; everything grows with it."""
        width = max(self.width(), theme.px(480))
        lines, placed = self._laid(width - self._margin())
        height = self._row() * len(lines)
        scale = min(target.width() / (width + 32), target.height() / (height + 32))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(target.topLeft())
        painter.scale(scale, scale)
        self._paint(painter, QPointF(16, 16), lines, placed, mode)

    def _paint(
        self, painter: QPainter, origin: QPointF, lines: list[Span],
        placed: list[list[Stretch]], mode: str,
    ) -> None:  # fmt: skip
        left = origin.x() + self._margin()
        for stretch in placed[0]:
            self._paint_box(painter, QPointF(left, origin.y()), stretch, mode)
        if self._picked >= 0 and not mode:
            self._paint_picked(painter, QPointF(left, origin.y()))
        painter.setFont(self._font)
        painter.setPen(theme.colour("text", mode))
        for number, (start, end) in enumerate(lines):
            top = origin.y() + number * self._row()
            line = QRectF(left, top, 1, theme.px(_LINE))
            flags = _LEFT | int(Qt.TextFlag.TextDontClip | Qt.TextFlag.TextSingleLine)
            painter.drawText(line, flags, self._text[start:end])
            self._paint_titles(painter, QPointF(origin.x(), top + line.height()), mode)
        painter.setFont(theme.font(12))
        for lane, found in enumerate(placed):
            for stretch in found:
                self._paint_name(painter, QPointF(left, origin.y()), lane, stretch, mode)

    def _paint_box(
        self, painter: QPainter, origin: QPointF, stretch: Stretch, mode: str
    ) -> None:  # fmt: skip
        ink = theme.colour(stretch.label.tone, mode)
        box = self._box(origin, stretch)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.mix(theme.colour("surface", mode), ink, _BOX))
        painter.drawRoundedRect(box, 3, 3)

    def _box(self, origin: QPointF, stretch: Stretch) -> QRectF:
        top = origin.y() + stretch.line * self._row() + 1
        width = stretch.right - stretch.left
        return QRectF(origin.x() + stretch.left, top, width, theme.px(_LINE) - 2)

    def _paint_picked(self, painter: QPainter, origin: QPointF) -> None:
        for number, (start, end) in enumerate(self._lines):
            if start <= self._picked < end:
                left = self._advance(self._text[start : self._picked])
                right = self._advance(self._text[start : self._picked + 1])
                top = origin.y() + number * self._row() + 1
                box = QRectF(origin.x() + left, top, right - left, theme.px(_LINE) - 2)
                painter.setPen(QPen(theme.colour("accent"), 1.5))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(box, 3, 3)

    def _paint_titles(self, painter: QPainter, place: QPointF, mode: str) -> None:
        """What each lane is, beside every line."""
        font, pen = painter.font(), painter.pen()
        painter.setFont(theme.font(12))
        painter.setPen(theme.colour("muted", mode))
        for number, lane in enumerate(self._lanes):
            box = QRectF(place.x(), place.y() + number * theme.px(_NAME), self._margin(),
                         theme.px(_NAME))  # fmt: skip
            painter.drawText(box, _LEFT, lane.title)
        painter.setFont(font)
        painter.setPen(pen)

    def _paint_name(
        self, painter: QPainter, origin: QPointF, lane: int, stretch: Stretch, mode: str
    ) -> None:  # fmt: skip
        """A line under the stretch, and what it is below that."""
        ink = theme.colour(stretch.label.tone, mode)
        box = self._box(origin, stretch)
        top = box.bottom() + 1 + lane * theme.px(_NAME)
        painter.setPen(QPen(ink, 2))
        painter.drawLine(QPointF(box.left() + 1, top + 1), QPointF(box.right() - 1, top + 1))
        if not stretch.first or not stretch.label.name:
            return
        painter.setPen(ink)
        room = max(stretch.room - stretch.left - theme.px(4), theme.px(8))
        name = QRectF(box.left(), top + 2, room, theme.px(_NAME) - 3)
        shown = painter.fontMetrics().elidedText(stretch.label.name, _ELIDE, round(room))
        painter.drawText(name, _LEFT | int(Qt.TextFlag.TextSingleLine), shown)

    # pointer

    def place_at(self, point: QPointF) -> int:
        """The character at a point, -1 where there is none."""
        number = int(point.y() // self._row())
        if not 0 <= number < len(self._lines):
            return -1
        start, end = self._lines[number]
        x = point.x() - self._margin()
        for place in range(start, end):
            if x < self._advance(self._text[start : place + 1]):
                return place if x >= 0 else -1
        return -1

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mousePressEvent(event)
        place = self.place_at(event.position())
        if place >= 0:
            self.picked.emit(place)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            place = self.place_at(QPointF(event.pos()))
            told = [f"{lane.title} {one.tip or one.name}".strip() for lane in self._lanes
                    for one in lane.labels if one.start <= place < one.end]  # fmt: skip
            QToolTip.showText(event.globalPos(), "\n".join(told), self)
            return True
        return super().event(event)
