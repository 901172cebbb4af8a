"""WrittenText: texts that a model wrote in; the same, the less likely a token the darker, out."""

import math
from collections.abc import Callable, Sequence

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from lmstudio.gui import theme
from lmstudio.gui.widgets.written_layout import Box, Room, Shown, boxes

_ROW, _BETWEEN, _PADDING, _GAP, _HEIGHT = 26, 10, 2, 2, 22  # at scale 1
_BITS, _DARKEST = 10.0, 0.45  # a token of so many bits is tinted most


class WrittenText(QWidget):
    """As high as its texts need; wants to stand in a scroll area. T texts."""

    picked = Signal(int, int)  # the text, the token: other ones are wanted there

    def __init__(
        self, name: str, tell: Callable[[int, int], str], parent: QWidget | None = None
    ) -> None:
        """`tell`: what there is to say of a token of a text, both by number."""
        super().__init__(parent)
        self._name, self._tell = name, tell
        self._texts: Sequence[Sequence[Shown]] = ()
        self._boxes: list[Box] = []
        self._chosen = (-1, -1)
        self._lit = (-1, -1)
        self._advance = QFontMetricsF(theme.font(15)).horizontalAdvance
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.MinimumExpanding)
        theme.signals.changed.connect(self.update)

    def set_texts(self, texts: Sequence[Sequence[Shown]]) -> None:
        """Show other texts; what is chosen stays if it is still there."""
        self._texts = texts
        text, token = self._chosen
        if text >= len(texts) or (text >= 0 and token >= len(texts[text])):
            self._chosen = (-1, -1)
        self._lay_out()
        self._speak()
        self.update()

    def texts(self) -> Sequence[Sequence[Shown]]:
        """What is shown."""
        return self._texts

    def box_of(self, text: int, token: int) -> QRectF:
        """Where a token stands."""
        box = next(box for box in self._boxes if (box.text, box.token) == (text, token))
        return self._rect(box)

    # layout

    def _room(self, width: float) -> Room:
        px = theme.px
        return Room(max(width, px(60)), px(_ROW), px(_BETWEEN), px(_PADDING), px(_GAP))

    def _lay_out(self) -> None:
        self._boxes, height = boxes(self._texts, self._room(self.width()), self._advance)
        if round(height) + 2 != self.minimumHeight():
            self.setMinimumHeight(round(height) + 2)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._lay_out()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(180), self.minimumHeight())

    # painting

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for box in self._boxes:
            if self._rect(box).intersects(QRectF(event.rect())):
                self._paint_box(painter, box, self._rect(box), "")
        painter.end()

    def draw(self, painter: QPainter, target: QRectF, mode: str) -> float:
        """Paint into `target` on paper, in the colours of a theme; the height it took."""
        found, height = boxes(self._texts, self._room(target.width()), self._advance)
        for box in found:
            self._paint_box(painter, box, self._rect(box).translated(target.topLeft()), mode)
        return height

    def _rect(self, box: Box) -> QRectF:
        return QRectF(box.x, box.y + 1, box.width, theme.px(_HEIGHT))

    def _paint_box(self, painter: QPainter, box: Box, place: QRectF, mode: str) -> None:
        token, here = self._texts[box.text][box.token], (box.text, box.token)
        chosen = here == self._chosen and self.hasFocus() and not mode
        painter.setPen(Qt.PenStyle.NoPen)
        if chosen or (here == self._lit and not mode):
            painter.setPen(QPen(theme.colour("accent", mode), 1.5))
        painter.setBrush(tint(token.p, mode))
        painter.drawRoundedRect(place, 3, 3)
        painter.setFont(theme.font(15))
        painter.setPen(theme.colour("muted" if token.end else "text", mode))
        centre = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine)
        painter.drawText(place, centre, box.shown)

    # pointer and keys

    def token_at(self, place: QPointF) -> tuple[int, int]:
        """The text and the token at a place; (-1, -1) where there is none."""
        found = (box for box in self._boxes if self._rect(box).contains(place))
        box = next(found, None)
        return (box.text, box.token) if box else (-1, -1)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        lit = self.token_at(event.position())
        if lit != self._lit:
            self._lit = lit
            self.setCursor(
                Qt.CursorShape.PointingHandCursor if lit[0] >= 0 else Qt.CursorShape.ArrowCursor
            )
            self.update()

    def leaveEvent(self, event: object) -> None:  # noqa: N802
        self._lit = (-1, -1)
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mousePressEvent(event)
        found = self.token_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and found[0] >= 0:
            self._choose(*found)
            self.picked.emit(*found)

    def event(self, event: QHelpEvent) -> bool:  # type: ignore[override]
        if event.type() != QHelpEvent.Type.ToolTip:
            return super().event(event)
        text, token = self.token_at(QPointF(event.pos()))
        told = self._tell(text, token) if text >= 0 else ""
        QToolTip.showText(event.globalPos(), told, self)
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        flat = [(t, n) for t, text in enumerate(self._texts) for n in range(len(text))]
        if not flat:
            super().keyPressEvent(event)
            return
        here = flat.index(self._chosen) if self._chosen in flat else -1
        last = len(flat) - 1
        places = {Qt.Key.Key_Right: min(here + 1, last), Qt.Key.Key_Left: max(here - 1, 0),
                  Qt.Key.Key_Home: 0, Qt.Key.Key_End: last}  # fmt: skip
        key = Qt.Key(event.key())
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if key in places and plain:
            self._choose(*flat[places[key]])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and plain and here >= 0:
            self.picked.emit(*self._chosen)
        else:
            super().keyPressEvent(event)

    def _choose(self, text: int, token: int) -> None:
        self._chosen = (text, token)
        self._speak()
        self.update()

    def place_of_menu(self, text: int, token: int) -> QPoint:
        """Where a menu about a token is to open, on the screen."""
        return self.mapToGlobal(self.box_of(text, token).bottomLeft().toPoint())

    def _speak(self) -> None:
        text, token = self._chosen
        if text >= 0:
            told = self._tell(text, token).replace("\n", ", ")
        else:
            told = "".join(one.text for one in (self._texts[0] if self._texts else ()))
        self.setAccessibleName(f"{self._name}: {told}" if told else self._name)


def tint(p: float, mode: str = "") -> QColor:
    """The ground of a token: plain for one that was sure to come, darker for a surprise."""
    bits = min(-math.log2(p), _BITS) if p > 0 else _BITS
    share = _DARKEST * bits / _BITS
    return theme.mix(theme.colour("surface", mode), theme.colour("accent", mode), share)
