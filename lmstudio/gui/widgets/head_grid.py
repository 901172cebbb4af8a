"""HeadGrid: a small picture of every head of every layer in; the heads that were chosen out.

A click chooses, Ctrl and a click adds to those chosen, a right click switches off. On the number of
a layer they mean all its heads. Each picture has its own scale, in which the brightest hundredth
of its cells is all one colour: a first word that can only see itself would make the rest pale.
"""

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QHelpEvent, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from lmstudio.gui import theme
from lmstudio.gui.widgets.heat_map import HeatGrid, heat_image
from lmstudio.messages import tr

WHOLE = -1
"""As a head: all of the layer."""
_NAMES, _GAP = 22, 5
_LEAST, _MOST = 22, 62  # of a picture's side
_BRIGHT = 0.99
_CENTRE = int(Qt.AlignmentFlag.AlignCenter)
Head = tuple[int, int]


@dataclass(frozen=True)
class HeadPictures:
    """L layers of H heads."""

    weights: np.ndarray  # (L, H, g, g) float32
    barred: np.ndarray | None = None  # (g, g) bool: what nothing can be seen of

    def __eq__(self, other: object) -> bool:
        return self is other


class HeadGrid(QWidget):
    """Arrows move the head, Ctrl and space adds it, Del or 0 switches it off."""

    chosen = Signal(int, int)  # layer and head, or WHOLE
    added = Signal(int, int)  # to those chosen, or taken from them
    switched = Signal(int, int)  # off, or on again

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pictures = HeadPictures(np.zeros((0, 0, 1, 1), np.float32))
        self._images: dict[tuple[str, int, int], QImage] = {}
        self._head: Head = (0, 0)
        self._members: frozenset[Head] = frozenset()
        self._off: frozenset[Head] = frozenset()
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        theme.signals.changed.connect(self._restyle)

    @Slot()
    def _restyle(self) -> None:
        self._images.clear()
        self.update()

    def show_heads(self, pictures: HeadPictures) -> None:
        """Show other pictures."""
        self._pictures = pictures
        self._images.clear()
        layers, heads = self._shape
        side = theme.px(_LEAST + _GAP)
        self.setMinimumSize(theme.px(_NAMES) + heads * side, theme.px(_NAMES) + layers * side)
        self.update()

    def mark(self, head: Head, members: frozenset[Head], off: frozenset[Head]) -> None:
        """The head that is chosen, those that are looked at together, those off; emits nothing."""
        self._head, self._members, self._off = head, members, off
        self.setAccessibleDescription(self.told(*head))
        self.update()

    def pictures(self) -> HeadPictures:
        """What is shown."""
        return self._pictures

    def told(self, layer: int, head: int) -> str:
        """What a picture is of, in words."""
        if head == WHOLE:
            return tr("Layer {layer}", layer=layer + 1)
        said = tr("Layer {layer}, head {head}", layer=layer + 1, head=head + 1)
        return tr("{head}, switched off", head=said) if (layer, head) in self._off else said

    def sizeHint(self) -> QSize:  # noqa: N802
        layers, heads = self._shape
        side = theme.px(46 + _GAP)
        return QSize(theme.px(_NAMES) + heads * side, theme.px(_NAMES) + layers * side)

    @property
    def _shape(self) -> tuple[int, int]:
        layers, heads = self._pictures.weights.shape[:2]
        return int(layers), int(heads)

    # where things stand

    def _side(self, room: QRectF) -> float:
        """Of a picture, with the gap behind it."""
        layers, heads = self._shape
        wide = (room.width() - theme.px(_NAMES)) / max(heads, 1)
        high = (room.height() - theme.px(_NAMES)) / max(layers, 1)
        return max(min(wide, high, theme.px(_MOST + _GAP)), theme.px(12))

    def _box(self, room: QRectF, layer: int, head: int) -> QRectF:
        side, names = self._side(room), theme.px(_NAMES)
        inner = side - theme.px(_GAP)
        return QRectF(room.left() + names + head * side, room.top() + names + layer * side,
                      inner, inner)  # fmt: skip

    def head_at(self, place: QPointF) -> Head | None:
        """The head under a point; WHOLE over the number of a layer."""
        layers, heads = self._shape
        side, names = self._side(QRectF(self.rect())), theme.px(_NAMES)
        layer = int((place.y() - names) // side)
        head = int((place.x() - names) // side) if place.x() >= names else WHOLE
        return (layer, head) if 0 <= layer < layers and head < heads else None

    # painting

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint(painter, QRectF(self.rect()), "")
        painter.end()

    def draw(self, painter: QPainter, target: QRectF, mode: str) -> None:
        """Paint into `target` on paper, in the colours of a theme; everything grows with it."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        layers, heads = self._shape
        if not layers:
            return
        names, side = theme.px(_NAMES), theme.px(_MOST + _GAP)
        wide, high = names + heads * side, names + layers * side
        room = target.adjusted(16, 8, -16, -8)
        scale = min(room.width() / wide, room.height() / high)
        painter.translate(room.topLeft())
        painter.scale(scale, scale)
        self._paint(painter, QRectF(0, 0, wide, high), mode)

    def _paint(self, painter: QPainter, room: QRectF, mode: str) -> None:
        layers, heads = self._shape
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
        names = theme.px(_NAMES)
        for layer in range(layers):
            box = self._box(room, layer, 0)
            place = QRectF(room.left(), box.top(), names - theme.px(4), box.height())
            self._paint_number(painter, place, layer, self._head[0], mode)
        for head in range(heads):
            box = self._box(room, 0, head)
            place = QRectF(box.left(), room.top(), box.width(), names - theme.px(2))
            self._paint_number(painter, place, head, self._head[1], mode)
        for layer, head in np.ndindex(layers, heads):
            self._paint_head(painter, self._box(room, layer, head), layer, head, mode)

    def _paint_number(
        self, painter: QPainter, place: QRectF, number: int, chosen: int, mode: str
    ) -> None:  # fmt: skip
        painter.setFont(theme.font(12, bold=number == chosen and not mode))
        painter.setPen(theme.colour("accent" if number == chosen else "muted", mode))
        painter.drawText(place, _CENTRE, f"{number + 1}")

    def _paint_head(
        self, painter: QPainter, box: QRectF, layer: int, head: int, mode: str
    ) -> None:  # fmt: skip
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if (layer, head) in self._off:
            painter.setPen(QPen(theme.colour("edge", mode), 1, Qt.PenStyle.DashLine))
            painter.drawRect(box)
            painter.setFont(theme.font(12))
            painter.setPen(theme.colour("muted", mode))
            painter.drawText(box, _CENTRE | int(Qt.TextFlag.TextDontClip), tr("off"))
        else:
            painter.drawImage(box, self._image(layer, head, mode))
            painter.setPen(QPen(theme.colour("line", mode), 1))
            painter.drawRect(box)
        if (layer, head) in self._members or (layer, head) == self._head and not mode:
            width = 2.5 if (layer, head) == self._head else 1.5
            painter.setPen(QPen(theme.colour("accent", mode), width))
            painter.drawRoundedRect(box.adjusted(-2, -2, 2, 2), 3, 3)

    def _image(self, layer: int, head: int, mode: str) -> QImage:
        key = mode, layer, head
        if key not in self._images:
            weights, barred = self._pictures.weights[layer, head], self._pictures.barred
            seen = weights if barred is None else weights[~barred]
            most = float(np.quantile(seen, _BRIGHT)) if seen.size else 0.0
            grid = HeatGrid(weights, most=most or 1.0, barred=barred)
            self._images[key] = heat_image(grid, mode)
        return self._images[key]

    # pointer and keys

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            self._tell(event.pos(), event.globalPos())
            return True
        return super().event(event)

    def _tell(self, place: QPoint, at: QPoint) -> None:
        head = self.head_at(QPointF(place))
        hint = tr("Right click switches it off or on.")
        QToolTip.showText(at, f"{self.told(*head)}\n{hint}" if head else "", self)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mousePressEvent(event)
        head = self.head_at(event.position())
        if head is None:
            return
        if event.button() == Qt.MouseButton.RightButton:
            self.switched.emit(*head)
        elif event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.added.emit(*head)
        else:
            self.chosen.emit(*head)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        layers, heads = self._shape
        layer, head = self._head
        steps = {Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1), Qt.Key.Key_Up: (-1, 0),
                 Qt.Key.Key_Down: (1, 0)}  # fmt: skip
        if event.key() in steps and layers:
            down, right = steps[Qt.Key(event.key())]
            self.chosen.emit(min(max(layer + down, 0), layers - 1),
                             min(max(head + right, 0), heads - 1))  # fmt: skip
        elif event.key() == Qt.Key.Key_Space and layers:
            self.added.emit(layer, head)
        elif event.key() == Qt.Key.Key_Delete and layers:
            self.switched.emit(layer, head)
        else:
            super().keyPressEvent(event)
