"""Icons: the drawings of resources/icons in, QIcons out that take the theme's colours on."""

from functools import cache, lru_cache

from PySide6.QtCore import QByteArray, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from lmstudio import resources
from lmstudio.gui import theme


def icon(name: str, token: str = "muted") -> QIcon:
    """The drawing `name` in the colour `token`; disabled it is "off", checked it is "accent"."""
    return QIcon(_Drawing(name, token))


def app_icon() -> QIcon:
    """The program's own picture: the context strip's cells."""
    return QIcon(str(resources.path("icons", "app.svg")))


def pixmap(name: str, token: str, size: int, ratio: float = 1.0) -> QPixmap:
    """The drawing at `size` pixels of a screen with `ratio` device pixels to one."""
    made = _painted(name, theme.colour(token).name(), round(size * ratio))
    copy = QPixmap(made)
    copy.setDevicePixelRatio(ratio)
    return copy


class Painted(QIconEngine):
    """An icon that is what its `paint` draws, at any size."""

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        pixmap = QPixmap(size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        self.paint(painter, QRect(QPoint(0, 0), size), mode, state)
        painter.end()
        return pixmap


class _Drawing(Painted):
    """Reads its colour when it paints, so that a change of theme needs nothing else."""

    def __init__(self, name: str, token: str) -> None:
        super().__init__()
        self._name, self._token = name, token

    def clone(self) -> QIconEngine:
        return _Drawing(self._name, self._token)

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        size = min(rect.width(), rect.height())
        ratio = painter.device().devicePixelRatio()
        drawn = _painted(self._name, self._colour(mode, state), round(size * ratio))
        target = QRect(0, 0, size, size)
        target.moveCenter(rect.center())
        painter.drawPixmap(target, drawn)

    def _colour(self, mode: QIcon.Mode, state: QIcon.State) -> str:
        if mode == QIcon.Mode.Disabled:
            return theme.colour("off").name()
        checked = state == QIcon.State.On and self._token == "muted"
        return theme.colour("accent" if checked else self._token).name()


@cache
def _source(name: str) -> str:
    return resources.path("icons", f"{name}.svg").read_text(encoding="utf-8")


@lru_cache(maxsize=512)
def _painted(name: str, colour: str, size: int) -> QPixmap:
    """The drawing in `size` device pixels."""
    renderer = QSvgRenderer(QByteArray(_source(name).replace("currentColor", colour).encode()))
    pixmap = QPixmap(size, size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return pixmap
