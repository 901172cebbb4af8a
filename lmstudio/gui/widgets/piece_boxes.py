"""PieceBoxes: the pieces of a sentence in; boxes of text, piece and id out, one of them chosen."""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.messages import tr

_TEXT, _LINE = 26, 19  # height of the text's line, and of each line below it
_PADDING, _GAP = 9, 6
_LEAST = 34  # width of a box


@dataclass(frozen=True)
class PieceBox:
    """A piece: what stands in the text, what the vocabulary calls it, and its number there."""

    text: str
    piece: str
    id: int
    unknown: bool = False
    again: bool = False  # the text was shown in the box before: several pieces make one character


class PieceBoxes(QWidget):
    """As high as its rows need; wants to stand in a scroll area."""

    chosen = Signal(int)  # the number of a box, when the user chooses another one

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._boxes: list[PieceBox] = []
        self._places: list[QRectF] = []
        self._chosen = -1
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.MinimumExpanding)
        theme.signals.changed.connect(self.update)

    def set_boxes(self, boxes: list[PieceBox]) -> None:
        """Show these; the chosen one stays if there are as many."""
        self._boxes = boxes
        self._lay_out()
        self.choose(self._chosen if self._chosen < len(boxes) else len(boxes) - 1)
        self.update()

    def boxes(self) -> list[PieceBox]:
        """What is shown."""
        return self._boxes

    def choose(self, number: int) -> None:
        """Mark a box, -1 for none; emits nothing."""
        self._chosen = number
        spoken = self._name
        if 0 <= number < len(self._boxes):
            box = self._boxes[number]
            spoken = f"{self._name}: {box.text} {box.piece} {box.id}"
        self.setAccessibleName(spoken)
        self.update()

    def chosen_number(self) -> int:
        """The number of the box that is marked, -1 if none is."""
        return self._chosen

    # layout

    def _lines(self, box: PieceBox) -> list[tuple[str, int, str]]:
        """Text, size and colour of each line of a box."""
        tone = "warn" if box.unknown else "muted"
        ink = "off" if box.again else "text"
        lines = [(_visible(box.text), 15, ink)]
        if self._twofold():
            lines.append((_visible(box.piece), 12, tone))
        return [*lines, (figures.count(box.id), 12, tone)]

    def _twofold(self) -> bool:
        """Some piece is called otherwise than its text."""
        return any(box.piece != box.text for box in self._boxes)

    def _lay_out(self) -> None:
        wide, small = QFontMetricsF(theme.font(15)), QFontMetricsF(theme.font(12, bold=True))
        x = y = 0.0
        height = theme.px(_TEXT + _LINE * (2 if self._twofold() else 1)) + theme.px(6)
        self._places = []
        for box in self._boxes:
            sizes = [(wide if size == 15 else small).horizontalAdvance(text)
                     for text, size, _ in self._lines(box)]  # fmt: skip
            width = max(max(sizes) + 2 * theme.px(_PADDING), theme.px(_LEAST))
            width = min(width, max(self.width() - 2, theme.px(_LEAST)))
            if x and x + width > self.width() - 1:
                x, y = 0.0, y + height + theme.px(_GAP)
            self._places.append(QRectF(x + 1, y + 1, width, height))
            x += width + theme.px(_GAP)
        needed = round(y + height + 2) if self._boxes else 0
        if needed != self.minimumHeight():
            self.setMinimumHeight(needed)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._lay_out()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(400), self.minimumHeight())

    # painting

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for number, (box, place) in enumerate(zip(self._boxes, self._places, strict=True)):
            if place.intersects(QRectF(event.rect())):
                self._paint_box(painter, box, place, number == self._chosen)
        painter.end()

    def _paint_box(self, painter: QPainter, box: PieceBox, place: QRectF, chosen: bool) -> None:
        ground = theme.colour("warn_bg" if box.unknown else "tint")
        edge = theme.colour("accent") if chosen else ground
        painter.setPen(QPen(edge, 2 if chosen and self.hasFocus() else 1.2))
        painter.setBrush(ground)
        painter.drawRoundedRect(place, 4, 4)
        y = place.top() + theme.px(3)
        for text, size, tone in self._lines(box):
            height = theme.px(_TEXT if size == 15 else _LINE)
            font = theme.font(size, bold=tone == "warn" and text == _visible(box.piece))
            painter.setFont(font)
            painter.setPen(theme.colour(tone))
            line = QRectF(place.left() + 2, y, place.width() - 4, height)
            shown = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, line.width())
            painter.drawText(line, int(Qt.AlignmentFlag.AlignCenter), shown)
            y += height

    # pointer and keys

    def box_at(self, place: QPointF) -> int:
        """The number of the box at a place, -1 where there is none."""
        found = [n for n, box in enumerate(self._places) if box.contains(place)]
        return found[0] if found else -1

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mousePressEvent(event)
        self._take(self.box_at(event.position()))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        steps = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}
        ends = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: len(self._boxes) - 1}
        key = Qt.Key(event.key())
        if key in steps:
            self._take(min(max(self._chosen + steps[key], 0), len(self._boxes) - 1))
        elif key in ends:
            self._take(ends[key])
        else:
            super().keyPressEvent(event)

    def _take(self, number: int) -> None:
        if number >= 0 and number != self._chosen:
            self.choose(number)
            self.chosen.emit(number)


def _visible(text: str) -> str:
    """White space that can be seen."""
    return text.replace(" ", "␣").replace("\t", "⇥").replace("\n", "⏎") or tr("(nothing)")
