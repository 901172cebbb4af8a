"""Points and a view in; a map painted in layers: dots, captions of groups, hair lines, labels.

The dots are one pixmap, larger than the window, that is only drawn anew where the scale changes or
the map is pulled further than it reaches.
"""

from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen, QPixmap, QPolygonF

from lmstudio.gui import theme
from lmstudio.gui.widgets.scatter_paint import (
    MOST_GROUPS,
    Label,
    Room,
    View,
    coloured,
    label_box,
    labels,
    raster,
)
from lmstudio.look import GROUPS

MOST_LABELS = 60
GREY = 0.45  # of the muted tone in a dot
MARGIN = 0.4  # of the window, on each side of it, that the pixmap reaches further
LINES = 3  # nearest words that hair lines lead to
_NONE = np.zeros(0, np.int64)
_CENTRE = int(Qt.AlignmentFlag.AlignCenter)


@dataclass(frozen=True)
class Points:
    """N words on a map."""

    words: list[str] = field(default_factory=list)
    places: np.ndarray = field(default_factory=lambda: np.zeros((0, 2), np.float32))  # (N, 2)
    counts: np.ndarray = field(default_factory=lambda: _NONE)  # (N,) or none
    groups: np.ndarray = field(default_factory=lambda: _NONE)  # (N,) -1 for none, or none
    names: list[str] = field(default_factory=list)  # of the groups
    chosen: int = -1
    near: list[int] = field(default_factory=list)  # the nearest to the chosen, by cosine
    marked: list[int] = field(default_factory=list)  # others that get a label first

    def __eq__(self, other: object) -> bool:
        return self is other


class Layers:
    """Paints points; keeps what is costly until it is told to forget it."""

    def __init__(self, mode: str = "") -> None:
        """`mode` fixes a theme, for paper."""
        self._mode = mode
        self._dots: tuple[View, tuple[float, float], QPixmap] | None = None
        self._labels: list[Label] | None = None

    def forget(self) -> None:
        """Set everything anew when it is painted next."""
        self._dots = self._labels = None

    def colour(self, token: str) -> QColor:
        """A colour by its use."""
        return theme.colour(token, self._mode)

    def group_colour(self, group: int) -> QColor:
        """The colour of a group from 0."""
        known = GROUPS[self._mode or theme.mode()]
        return QColor(known[group % len(known)])

    def paint(
        self, painter: QPainter, points: Points, view: View, size: tuple[float, float],
        ratio: float,
    ) -> None:  # fmt: skip
        """Everything; `ratio` device pixels a pixel, 0 for paper, on which dots are circles."""
        if not len(points.places):
            return
        if ratio:
            self._paint_pixmap(painter, points, view, size, ratio)
        else:
            self._paint_dots(painter, points, view.pixels(points.places, size))
        pixels = view.pixels(points.places, size)
        shown = self.labels(points, view, size)
        self._paint_captions(painter, points, pixels)
        self._paint_lines(painter, points, pixels)
        self._paint_labels(painter, points, pixels, shown)

    def labels(self, points: Points, view: View, size: tuple[float, float]) -> list[Label]:
        """Who has a label: the nearest of the chosen word, those marked, then the first."""
        if not points.words:
            return []
        if self._labels is None:
            pixels = view.pixels(points.places, size)
            room = Room()
            for box, _, _ in self._captions(points, pixels):
                room.take(box)
            metrics, gap = QFontMetrics(theme.font(13)), theme.px(8)
            if points.chosen >= 0:
                x, y = (float(v) for v in pixels[points.chosen])
                bold = QFontMetrics(theme.font(15, bold=True))
                word = points.words[points.chosen]
                room.take(label_box(x, y, word, bold, gap, left=False), firm=True)
                room.take(QRectF(x - gap, y - gap, 2 * gap, 2 * gap), firm=True)
            first = [*points.near[:LINES], *points.marked]
            order = dict.fromkeys([*first, *range(len(points.words))])
            order.pop(points.chosen, None)
            self._labels = labels(
                pixels, points.words, order, metrics, size, MOST_LABELS, room, gap
            )
        return self._labels

    # dots

    def _paint_pixmap(
        self, painter: QPainter, points: Points, view: View, size: tuple[float, float],
        ratio: float,
    ) -> None:  # fmt: skip
        if self._dots is None or not self._reaches(view, size):
            self._dots = view, size, self._pixmap(points, view, size, ratio)
        drawn, _, pixmap = self._dots
        shift = view.pixels(np.array([drawn.centre]), size)[0]
        wide, high = pixmap.width() / ratio, pixmap.height() / ratio
        painter.drawPixmap(QPointF(shift[0] - wide / 2, shift[1] - high / 2), pixmap)

    def _reaches(self, view: View, size: tuple[float, float]) -> bool:
        """The pixmap has all that is seen."""
        assert self._dots is not None
        drawn, drawn_size, _ = self._dots
        if drawn.scale != view.scale or drawn_size != size:
            return False
        pulled = np.abs(np.array(view.centre) - drawn.centre) * view.scale
        return bool((pulled <= np.array(size) * MARGIN).all())

    def _pixmap(
        self, points: Points, view: View, size: tuple[float, float], ratio: float
    ) -> QPixmap:
        larger = (size[0] * (1 + 2 * MARGIN), size[1] * (1 + 2 * MARGIN))
        pixels = view.pixels(points.places, larger) * ratio
        bounds = round(larger[0] * ratio), round(larger[1] * ratio)
        groups = None
        if len(points.groups):
            groups = np.minimum(points.groups + 1, MOST_GROUPS - 1)
        picture = raster(pixels, groups, bounds, self._radius(points) * ratio)
        pixmap = QPixmap.fromImage(coloured(picture, self._inks()))
        pixmap.setDevicePixelRatio(ratio)
        return pixmap

    def _inks(self) -> list[QColor]:
        """The colour of what is in no group, then those of the groups."""
        grey = theme.mix(self.colour("surface"), self.colour("muted"), GREY)
        return [grey, *(self.group_colour(group) for group in range(MOST_GROUPS - 1))]

    def _radius(self, points: Points) -> float:
        return theme.px(2) if len(points.places) <= 5000 else 1.0

    def _paint_dots(self, painter: QPainter, points: Points, pixels: np.ndarray) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        inks, radius = self._inks(), self._radius(points)
        groups = points.groups + 1 if len(points.groups) else np.zeros(len(pixels), np.int64)
        for number, (x, y) in enumerate(pixels.tolist()):
            painter.setBrush(inks[min(int(groups[number]), MOST_GROUPS - 1)])
            painter.drawEllipse(QPointF(x, y), radius, radius)

    # captions, lines, labels

    def _captions(self, points: Points, pixels: np.ndarray) -> list[tuple[QRectF, str, int]]:
        """Where the name of each group stands: over the middle of its points, or a little lower.

        Lower where the name of another group is in its way.
        """
        found: list[tuple[QRectF, str, int]] = []
        metrics, room = QFontMetrics(theme.font(12)), Room()
        for group, name in enumerate(points.names):
            own = pixels[points.groups == group]
            if len(own):
                x, y = np.median(own, axis=0)
                width = metrics.horizontalAdvance(name) + theme.px(16)
                box = QRectF(x - width / 2, y - theme.px(13), width, theme.px(26))
                for _ in points.names:
                    if room.take(box):
                        break
                    box.translate(0, theme.px(28))
                found.append((box, name, group))
        return found

    def _paint_captions(self, painter: QPainter, points: Points, pixels: np.ndarray) -> None:
        painter.setFont(theme.font(12))
        for box, name, group in self._captions(points, pixels):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.colour("sunken"))
            painter.drawRoundedRect(box, 3, 3)
            painter.setBrush(self.group_colour(group))
            painter.drawRect(QRectF(box.left(), box.bottom() - 2, box.width(), 2))
            painter.setPen(self.colour("muted"))
            painter.drawText(box, _CENTRE, name)

    def _paint_lines(self, painter: QPainter, points: Points, pixels: np.ndarray) -> None:
        if points.chosen < 0:
            return
        painter.setPen(QPen(theme.mix(self.colour("surface"), self.colour("accent"), 0.55), 1))
        x, y = pixels[points.chosen].tolist()
        for point in points.near[:LINES]:
            painter.drawLine(QPointF(x, y), QPointF(*pixels[point].tolist()))

    def _paint_labels(
        self, painter: QPainter, points: Points, pixels: np.ndarray, shown: list[Label]
    ) -> None:
        font, gap = theme.font(13), theme.px(8)
        metrics, ink, surface = QFontMetrics(font), self.colour("text"), self.colour("surface")
        painter.setFont(font)
        for label in shown:
            x, y = pixels[label.point].tolist()
            box = label_box(x, y, points.words[label.point], metrics, gap, left=label.left)
            group = int(points.groups[label.point]) if len(points.groups) else -1
            self._paint_dot(painter, QPointF(x, y), 3, self.group_colour(group) if group >= 0
                            else ink)  # fmt: skip
            self._paint_word(painter, box, points.words[label.point], ink, surface)
        if points.chosen >= 0:
            x, y = pixels[points.chosen].tolist()
            bold, accent = theme.font(15, bold=True), self.colour("accent")
            painter.setFont(bold)
            word = points.words[points.chosen]
            box = label_box(x, y, word, QFontMetrics(bold), gap, left=False)
            self._paint_dot(painter, QPointF(x, y), 5, accent)
            self._paint_word(painter, box, word, accent, surface)

    def _paint_dot(self, painter: QPainter, at: QPointF, radius: float, ink: QColor) -> None:
        painter.setPen(QPen(self.colour("surface"), 1))
        painter.setBrush(ink)
        painter.drawEllipse(at, float(theme.px(radius)), float(theme.px(radius)))

    def _paint_word(
        self, painter: QPainter, box: QRectF, word: str, ink: QColor, surface: QColor
    ) -> None:
        """With a glow of the ground around it, so that dots do not cross its strokes."""
        flags = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
        painter.setPen(surface)
        for dx, dy in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            painter.drawText(box.translated(dx, dy), flags, word)
        painter.setPen(ink)
        painter.drawText(box, flags, word)

    def paint_line(self, painter: QPainter, line: list[tuple[float, float]]) -> None:
        """The line that is being drawn round points."""
        if len(line) > 1:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self.colour("accent"), 1.5, Qt.PenStyle.DashLine))
            painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in line]))
