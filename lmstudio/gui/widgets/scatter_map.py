"""ScatterMap: words and where they stand in; a map to pull, zoom, search and draw round out.

Dots for all, ink dots with labels for some that do not collide, the accent for the word chosen and
hair lines to its nearest. What it looks like is in scatter_paint and scatter_layers.
"""

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QContextMenuEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolTip, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.widgets.scatter_layers import Layers, Points
from lmstudio.gui.widgets.scatter_paint import Label, View, fitting, inside
from lmstudio.messages import tr

ZOOM = 1.25  # at a step
STEP = 60  # pixels that an arrow key pulls
NEAR = 12  # pixels from a dot that still mean it
SETTLE_MS = 80  # after the last move labels are set anew
LONGEST = 400  # corners of a line drawn round points


class ScatterMap(QWidget):
    """Drag to pull, wheel or + and - to zoom, 0 for all, / to search, L to draw round words."""

    chosen = Signal(int)  # a point
    lassoed = Signal(list)  # points
    lasso_changed = Signal(bool)  # whether dragging draws a line
    search_wanted = Signal()
    export_wanted = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._points = Points()
        self._layers = Layers()
        self._view = View((0.0, 0.0), 1.0)
        self._pulled: QPointF | None = None  # where the pointer was
        self._pressed = QPointF()
        self._lasso = False
        self._line: list[tuple[float, float]] = []  # that is drawn round points
        self._settle = QTimer(self, interval=SETTLE_MS, singleShot=True)
        self._settle.timeout.connect(self._settled)
        self.setAccessibleName(name)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(theme.px(260), theme.px(160))
        theme.signals.changed.connect(self._settled)

    # what is shown

    def show_points(self, points: Points, *, frame: np.ndarray | None = None) -> None:
        """Show other points, all of them, or all places of `frame`; what is chosen is in them."""
        self._points = points
        self._view = fitting(points.places if frame is None else frame, self._size())
        self._settled()

    def change(self, points: Points) -> None:
        """The same places with other marks, or others in the same view."""
        self._points = points
        self._settled()

    def points(self) -> Points:
        """What is shown."""
        return self._points

    def labelled(self) -> list[str]:
        """The words that have a label now."""
        return [self._points.words[label.point] for label in self._labels()]

    def view(self) -> View:
        """Which part is seen."""
        return self._view

    @Slot()
    def fit(self) -> None:
        """Show all points."""
        self._look(fitting(self._points.places, self._size()))

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Come nearer (or go away, below 1), with what is under `at` staying there."""
        if at is None:
            at = QPointF(self.width() / 2, self.height() / 2)
        x, y = self._view.place(at, self._size())
        scale = min(max(self._view.scale * factor, 1e-4), 1e7)
        new = View((x, y), scale)
        self._look(new.moved(at - QPointF(self.width() / 2, self.height() / 2)))

    def bring(self, point: int) -> None:
        """Pull the map so that a point is seen, in the middle if it was not."""
        x, y = self._pixels()[point]
        if not self.rect().adjusted(20, 20, -20, -20).contains(int(x), int(y)):
            place = self._points.places[point]
            self._look(View((float(place[0]), float(place[1])), self._view.scale))

    @Slot(bool)
    def set_lasso(self, on: bool) -> None:
        """Whether dragging draws a line round words, or pulls the map."""
        if on != self._lasso:
            self._lasso, self._line = on, []
            self.setCursor(Qt.CursorShape.CrossCursor if on else Qt.CursorShape.ArrowCursor)
            self.lasso_changed.emit(on)
            self.update()

    def take_inside(self, line: list[tuple[float, float]]) -> None:
        """Emit the points that a line of pixels goes round."""
        corners = np.array(line[:: max(1, len(line) // LONGEST)], float).reshape(-1, 2)
        found = np.flatnonzero(inside(corners, self._pixels())).tolist()
        if found:
            self.lassoed.emit(found)

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(720), theme.px(480))

    # painting

    def _size(self) -> tuple[float, float]:
        return float(max(self.width(), 1)), float(max(self.height(), 1))

    def _pixels(self) -> np.ndarray:
        return self._view.pixels(self._points.places, self._size())

    def _labels(self) -> list[Label]:
        return self._layers.labels(self._points, self._view, self._size())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ratio = self.devicePixelRatioF()
        self._layers.paint(painter, self._points, self._view, self._size(), ratio)
        self._layers.paint_line(painter, self._line)
        painter.end()

    def draw(self, painter: QPainter, target: QRectF, mode: str) -> None:
        """Paint into `target` on paper, all points, in the colours of a theme."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        size = target.width(), target.height()
        painter.save()
        painter.translate(target.topLeft())
        painter.setClipRect(QRectF(0, 0, *size))
        factor = min(size[0] / self._size()[0], size[1] / self._size()[1])
        view = View(self._view.centre, self._view.scale * factor)
        Layers(mode).paint(painter, self._points, view, size, 0.0)
        painter.restore()

    def _look(self, view: View) -> None:
        """See another part, with the labels that there are until it is still."""
        self._view = view
        self._settle.start()
        self.update()

    @Slot()
    def _settled(self) -> None:
        self._layers.forget()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        if event.oldSize().isValid() and event.oldSize().width() > 0:
            factor = min(event.size().width() / event.oldSize().width(),
                         event.size().height() / event.oldSize().height())  # fmt: skip
            self._view = View(self._view.centre, self._view.scale * factor)
        self._layers.forget()

    # pointer and keys

    def _at(self, place: QPointF) -> int:
        """The point under the pointer, -1 if there is none."""
        if not self._points.words:
            return -1
        distances = np.square(self._pixels() - (place.x(), place.y())).sum(axis=1)
        nearest = int(distances.argmin())
        return nearest if distances[nearest] <= theme.px(NEAR) ** 2 else -1

    def told(self, point: int) -> str:
        """A word with what is known of it."""
        points = self._points
        said = points.words[point]
        if len(points.counts):
            said += " · " + tr("{count} times", count=figures.count(int(points.counts[point])))
        group = int(points.groups[point]) if len(points.groups) else -1
        return f"{said} · {points.names[group]}" if group >= 0 else said

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mousePressEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self._pulled = self._pressed = event.position()
            self._line = [(event.position().x(), event.position().y())] if self._lasso else []
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mouseMoveEvent(event)
        place = event.position()
        if self._pulled is None:
            point = self._at(place)
            QToolTip.showText(event.globalPosition().toPoint(),
                              self.told(point) if point >= 0 else "", self)  # fmt: skip
        elif self._lasso:
            self._line.append((place.x(), place.y()))
            self.update()
        else:
            self._look(self._view.moved(place - self._pulled))
            self._pulled = place

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mouseReleaseEvent(event)
        if self._pulled is None:
            return
        moved = (event.position() - self._pressed).manhattanLength() > theme.px(4)
        line, self._line, self._pulled = self._line, [], None
        self.update()
        if self._lasso and moved:
            self.take_inside(line)
        elif not moved and (point := self._at(event.position())) >= 0:
            self.chosen.emit(point)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mouseDoubleClickEvent(event)
        if self._at(event.position()) < 0:
            self.fit()

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        steps = event.angleDelta().y() / 120
        if steps:
            self.zoom(ZOOM**steps, event.position())
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        key, step = event.key(), float(theme.px(STEP))
        pulls = {Qt.Key.Key_Left: (step, 0.0), Qt.Key.Key_Right: (-step, 0.0),
                 Qt.Key.Key_Up: (0.0, step), Qt.Key.Key_Down: (0.0, -step)}  # fmt: skip
        if key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal) and not _held(event):
            self.zoom(ZOOM)
        elif key == Qt.Key.Key_Minus and not _held(event):
            self.zoom(1 / ZOOM)
        elif key == Qt.Key.Key_0 and not _held(event):
            self.fit()
        elif key == Qt.Key.Key_L and not _held(event):
            self.set_lasso(not self._lasso)
        elif key == Qt.Key.Key_Slash:
            self.search_wanted.emit()
        elif key == Qt.Key.Key_Escape and self._lasso:
            self.set_lasso(False)
        elif key in pulls:
            self._look(self._view.moved(QPointF(*pulls[Qt.Key(key)])))
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        self._show_menu(event.globalPos())

    def _show_menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("Show all")).triggered.connect(self.fit)
        menu.addAction(tr("Export as a picture…")).triggered.connect(self.export_wanted)
        menu.popup(place)


def _held(event: QKeyEvent) -> bool:
    """Ctrl belongs to the window: it makes everything larger."""
    return bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
