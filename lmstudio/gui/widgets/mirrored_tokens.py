"""MirroredTokens: a sentence and what two models paid for it in; bars above and below it out.

The text stands once. Each model's tokens are bars over the characters that they cover, so models
that cut the text differently can be read against each other.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.widgets.drawing import Drawing
from lmstudio.messages import listed, phrases

_TEXT, _BAR, _NUMBER, _GAP = 26, 44, 16, 10  # heights at scale 1
_CENTRE = Qt.AlignmentFlag.AlignCenter


@dataclass(frozen=True)
class Paid:
    """A token: its first cell and the one behind its last, and its bits."""

    first: int
    end: int
    bits: float
    text: str = ""


@dataclass(frozen=True)
class Side:
    """The tokens of one model, in its colour."""

    name: str
    family: str
    tokens: Sequence[Paid]


class MirroredTokens(Drawing):
    """Cells are characters; the first side stands above them, the second below."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._cells: list[str] = []
        self._sides: list[Side] = []
        self._boxes: list[QRectF] = []  # of the cells' text
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.MinimumExpanding)

    def set_sentence(self, cells: list[str], sides: list[Side]) -> None:
        """Show another one; none with empty `cells`."""
        self._cells, self._sides = cells, sides
        spoken = (f"{side.name}: " + listed(f"{t.text} {figures.decimal(t.bits, 1)}"
                                            for t in side.tokens) for side in sides)  # fmt: skip
        self.setAccessibleDescription(phrases(spoken))
        self._lay_out()
        self.update()

    def sides(self) -> list[Side]:
        """What is shown."""
        return self._sides

    @property
    def scale(self) -> float:
        """Bits of a bar of full length, the same above and below."""
        finite = (t.bits for side in self._sides for t in side.tokens if math.isfinite(t.bits))
        return max(finite, default=0.0) or 1.0

    # layout

    def _lay_out(self) -> None:
        self._boxes = self._boxes_in(self.width())
        bottom = self._boxes[-1].bottom() if self._boxes else 0.0
        needed = round(bottom + theme.px(_BAR + _NUMBER + _GAP)) if self._boxes else theme.px(40)
        if needed != self.minimumHeight():
            self.setMinimumHeight(needed)

    def _boxes_in(self, width: float) -> list[QRectF]:
        metrics = QFontMetricsF(theme.font(15))
        boxes: list[QRectF] = []
        x, y = 0.0, float(theme.px(_BAR + _NUMBER))
        for cell in self._cells:
            wide = metrics.horizontalAdvance(cell) + theme.px(8 if len(cell.strip()) else 0)
            wide = max(wide, theme.px(6))
            if x and x + wide > width:
                x, y = 0.0, y + theme.px(_TEXT + 2 * (_BAR + _NUMBER) + _GAP)
            boxes.append(QRectF(x, y, wide, theme.px(_TEXT)))
            x += wide
        return boxes

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._lay_out()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(420), self.minimumHeight())

    # painting

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        self._paint_sentence(painter, self._boxes, "")
        painter.end()

    def draw(self, painter: QPainter, target: QRectF, mode: str) -> None:
        """Paint into `target` on paper, in the colours of a theme."""
        width = max(self.width(), theme.px(480))
        boxes = self._boxes_in(width)
        height = boxes[-1].bottom() + theme.px(_BAR + _NUMBER) if boxes else 1.0
        scale = min(target.width() / (width + 32), target.height() / (height + 16))
        painter.translate(target.topLeft() + QPointF(16, 8))
        painter.scale(scale, scale)
        self._paint_sentence(painter, boxes, mode)

    def _paint_sentence(self, painter: QPainter, boxes: list[QRectF], mode: str) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font(15))
        painter.setPen(theme.colour("text", mode))
        for cell, box in zip(self._cells, boxes, strict=True):
            painter.drawText(box, int(_CENTRE), cell)
        painter.setFont(theme.font(12))
        for number, side in enumerate(self._sides):
            ink = theme.family_colour(side.family, theme=mode)
            for token in side.tokens:
                for first, end in _rows(boxes, token):
                    room = boxes[first].united(boxes[end - 1])
                    self._paint_token(painter, room, token, ink, mode, below=number == 1)

    def _paint_token(
        self, painter: QPainter, room: QRectF, token: Paid, ink: QColor, mode: str, *, below: bool
    ) -> None:
        if math.isnan(token.bits):
            return
        infinite = math.isinf(token.bits)
        share = 1.0 if infinite else token.bits / self.scale
        length = max(theme.px(_BAR) * share, 1.0)
        left, width = room.left() + 1, max(room.width() - 2, 1.0)
        top = room.bottom() if below else room.top() - length
        bar = QRectF(left, top, width, length)
        if infinite:
            painter.fillRect(bar, theme.colour("bad_bg", mode))
            painter.setPen(QPen(theme.colour("bad", mode), 1.5, Qt.PenStyle.DashLine))
            painter.drawRect(bar)
        else:
            painter.fillRect(bar, ink)
        text = figures.decimal(token.bits, 1)
        if QFontMetricsF(painter.font()).horizontalAdvance(text) <= width + 2:
            edge = bar.bottom() if below else bar.top() - theme.px(_NUMBER)
            painter.setPen(theme.colour("bad" if infinite else "muted", mode))
            painter.drawText(QRectF(left, edge, width, theme.px(_NUMBER)), int(_CENTRE), text)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._told_at(QPointF(event.pos())), self)
            return True
        return super().event(event)

    def _told_at(self, place: QPointF) -> str:
        """What both paid for the character over or under which the pointer is."""
        reach = theme.px(_BAR + _NUMBER)
        for number, box in enumerate(self._boxes):
            if box.adjusted(0, -reach, 0, reach).contains(place):
                return "\n".join(
                    f"{side.name}: {t.text} {figures.decimal(t.bits, 2)}"
                    for side in self._sides for t in side.tokens if t.first <= number < t.end
                )  # fmt: skip
        return ""


def _rows(boxes: list[QRectF], token: Paid) -> list[tuple[int, int]]:
    """The cells of a token, row by row of the text."""
    found: list[tuple[int, int]] = []
    for number in range(token.first, min(token.end, len(boxes))):
        if found and boxes[number].top() == boxes[found[-1][0]].top():
            found[-1] = (found[-1][0], number + 1)
        else:
            found.append((number, number + 1))
    return found
