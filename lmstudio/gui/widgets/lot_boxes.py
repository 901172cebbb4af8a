"""LotBoxes: tokens and what a lottery has made of each in; coloured boxes with both out."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from lmstudio.gui import theme

_ROW, _BOX, _PADDING, _GAP = 62, 52, 8, 4
TONES = {"open": "text", "masked": "accent", "random": "warn", "kept": "ok"}
"""The colour of what is shown, by fate."""


@dataclass(frozen=True)
class LotBox:
    """A token."""

    text: str  # as it stands in the sentence
    shown: str  # what the model reads
    fate: str  # a key of TONES


class LotBoxes(QWidget):
    """What is read above, what stood there below, where that is another or is asked for."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._boxes: list[LotBox] = []
        self._places: list[QRectF] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.MinimumExpanding)
        theme.signals.changed.connect(self.update)
        self.set_boxes([])

    def set_boxes(self, boxes: Sequence[LotBox]) -> None:
        """Show another drawing."""
        self._boxes = list(boxes)
        self.setAccessibleName(f"{self._name}: {' '.join(box.shown for box in boxes)}")
        self._lay_out()
        self.update()

    def boxes(self) -> list[LotBox]:
        """What is shown."""
        return self._boxes

    def _lay_out(self) -> None:
        large, small = QFontMetricsF(theme.font(15)), QFontMetricsF(theme.font(12))
        x = y = 0.0
        self._places = []
        for box in self._boxes:
            width = max(large.horizontalAdvance(box.shown), small.horizontalAdvance(box.text))
            width += 2 * theme.px(_PADDING)
            if x and x + width > self.width():
                x, y = 0.0, y + theme.px(_ROW)
            self._places.append(QRectF(x + 1, y + 1, width, theme.px(_BOX)))
            x += width + theme.px(_GAP)
        self.setMinimumHeight(round(y) + theme.px(_ROW))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._lay_out()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(400), self.minimumHeight())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for box, place in zip(self._boxes, self._places, strict=True):
            self._paint_box(painter, box, place)
        painter.end()

    def _paint_box(self, painter: QPainter, box: LotBox, place: QRectF) -> None:
        chosen, tone = box.fate != "open", theme.colour(TONES[box.fate])
        painter.setPen(QPen(tone if chosen else theme.colour("line"), 1.4 if chosen else 1))
        painter.setBrush(theme.colour("tint" if box.fate == "masked" else "surface"))
        painter.drawRoundedRect(place, 4, 4)
        upper = QRectF(place.left(), place.top() + 2, place.width(), place.height() * 0.56)
        painter.setFont(theme.font(15, bold=chosen))
        painter.setPen(tone)
        painter.drawText(upper, int(Qt.AlignmentFlag.AlignCenter), box.shown)
        if chosen:
            lower = QRectF(place.left(), upper.bottom() - 2, place.width(), place.height() * 0.4)
            painter.setFont(theme.font(12))
            painter.setPen(theme.colour("muted"))
            painter.drawText(lower, int(Qt.AlignmentFlag.AlignCenter), box.text)
