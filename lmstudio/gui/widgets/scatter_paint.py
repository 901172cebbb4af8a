"""Points of a map and a view of it in; their picture, and labels that do not overlap, out.

Fifty thousand dots are stamped into one array of bytes, a byte a pixel, and become one pixmap: the
map is moved by moving that. Labels are set by hand, so to speak: the first that find room have it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFontMetrics, QImage, qRgba

LEVELS = 16  # of opacity in a byte; the other half of it is the group
MOST_GROUPS = 15
TRIED = 800  # points that may ask for a label


@dataclass(frozen=True)
class View:
    """Which part of the plane is seen: the point in the middle, and pixels in a unit."""

    centre: tuple[float, float]
    scale: float

    def pixels(self, places: np.ndarray, size: tuple[float, float]) -> np.ndarray:
        """(N, 2) where places (N, 2) stand in a window of a size; y goes up on the map."""
        middle = np.array(size) / 2
        return (places - np.array(self.centre)) * (self.scale, -self.scale) + middle

    def place(self, pixel: QPointF, size: tuple[float, float]) -> tuple[float, float]:
        """What stands under a pixel."""
        x = (pixel.x() - size[0] / 2) / self.scale + self.centre[0]
        y = self.centre[1] - (pixel.y() - size[1] / 2) / self.scale
        return x, y

    def moved(self, pixels: QPointF) -> "View":
        """After the map was pulled by so many pixels."""
        x, y = self.centre
        return View((x - pixels.x() / self.scale, y + pixels.y() / self.scale), self.scale)


def fitting(places: np.ndarray, size: tuple[float, float], margin: float = 0.88) -> View:
    """The view that shows all places (N, 2)."""
    if not len(places):
        return View((0.0, 0.0), 1.0)
    low, high = places.min(axis=0).astype(float), places.max(axis=0).astype(float)
    span = np.maximum(high - low, 1e-9)
    scale = float(min(size[0] / span[0], size[1] / span[1])) * margin
    middle = (low + high) / 2
    return View((float(middle[0]), float(middle[1])), min(scale, 1e7))


def stamp(radius: float) -> list[tuple[int, int, int]]:
    """(dy, dx, opacity 1 to 15) of the pixels of a round dot, the faintest first."""
    reach = int(np.ceil(radius))
    found = []
    for dy in range(-reach, reach + 1):
        for dx in range(-reach, reach + 1):
            cover = min(max(radius + 0.5 - float(np.hypot(dy, dx)), 0.0), 1.0)
            if level := round(cover * (LEVELS - 1)):
                found.append((dy, dx, level))
    return sorted(found, key=lambda entry: entry[2])


def raster(
    pixels: np.ndarray, labels: np.ndarray | None, size: tuple[int, int], radius: float
) -> np.ndarray:
    """(H, W) bytes, 16 x group + opacity, of dots at pixels (N, 2); groups 0 to 14.

    Where dots overlap the most opaque is seen.
    """
    width, height = size
    picture = np.zeros((height, width), np.uint8)
    spots = np.rint(pixels).astype(np.int64)
    reach = int(np.ceil(radius))
    inside = ((spots >= reach) & (spots < np.array([width, height]) - reach)).all(axis=1)
    spots = spots[inside]
    groups = np.zeros(len(spots), np.uint8) if labels is None else labels[inside]
    groups = (groups * LEVELS).astype(np.uint8)
    flat, base = picture.reshape(-1), spots[:, 1] * width + spots[:, 0]
    for dy, dx, level in stamp(radius):
        at = base + (dy * width + dx)
        fainter = (flat[at] & (LEVELS - 1)) <= level
        flat[at[fainter]] = groups[fainter] + level
    return picture


def coloured(picture: np.ndarray, colours: list[QColor]) -> QImage:
    """The picture of a raster, transparent where there is no dot."""
    height, width = picture.shape
    padded = np.zeros((height, -(-width // 4) * 4), np.uint8)  # lines of an image are aligned
    padded[:, :width] = picture
    image = QImage(padded.data, width, height, padded.shape[1], QImage.Format.Format_Indexed8)
    table = [
        qRgba(c.red(), c.green(), c.blue(), round(255 * level / (LEVELS - 1)))
        for c in colours for level in range(LEVELS)
    ]  # fmt: skip
    image.setColorTable(table)
    return image.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)


@dataclass(frozen=True)
class Label:
    """A point that is named: which, and where its text stands from it."""

    point: int
    left: bool  # of the point


class Room:
    """What is taken on a map already."""

    def __init__(self) -> None:
        self._boxes = np.zeros((0, 4))

    def take(self, box: QRectF, *, firm: bool = False) -> bool:
        """Have this room if nobody has it; `firm`, in any case."""
        one = np.array([box.left(), box.top(), box.right(), box.bottom()])
        taken = self._boxes
        free = (
            (taken[:, 0] >= one[2]) | (taken[:, 2] <= one[0])
            | (taken[:, 1] >= one[3]) | (taken[:, 3] <= one[1])
        ).all()  # fmt: skip
        if free or firm:
            self._boxes = np.vstack([taken, one])
        return bool(free)


def labels(
    pixels: np.ndarray, words: list[str], order: Iterable[int], metrics: QFontMetrics,
    size: tuple[float, float], most: int, room: Room, gap: float,
) -> list[Label]:  # fmt: skip
    """Which points get a label, at most `most`: the first in `order` that find room."""
    found: list[Label] = []
    for tried, point in enumerate(order):
        if len(found) >= most or tried >= TRIED:
            break
        x, y = float(pixels[point, 0]), float(pixels[point, 1])
        if not (0 <= x < size[0] and 0 <= y < size[1]):
            continue
        for left in (False, True):
            box = label_box(x, y, words[point], metrics, gap, left=left)
            if box.left() >= 0 and box.right() <= size[0] and room.take(box):
                room.take(QRectF(x - gap / 2, y - gap / 2, gap, gap), firm=True)
                found.append(Label(point, left))
                break
    return found


def label_box(
    x: float, y: float, word: str, metrics: QFontMetrics, gap: float, *, left: bool
) -> QRectF:
    """Where the text of a label stands beside its point."""
    width, height = metrics.horizontalAdvance(word) + 2, metrics.height()
    return QRectF(x - gap - width if left else x + gap, y - height / 2, width, height)


def inside(polygon: np.ndarray, places: np.ndarray) -> np.ndarray:
    """(N,) bool: which places (N, 2) a closed line (M, 2) goes round, by crossings of a ray."""
    found = np.zeros(len(places), bool)
    if len(polygon) < 3:
        return found
    x, y = places.T
    for (x0, y0), (x1, y1) in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        crosses = (y0 > y) != (y1 > y)
        if y0 != y1:
            found ^= crosses & (x < (x1 - x0) * (y - y0) / (y1 - y0) + x0)
    return found
