"""A plot on screen in; the same drawing in the light theme as PNG, SVG or PDF out.

pyqtgraph's own vector exporter fails with this Qt, so the scene paints itself on Qt's generators.
"""

from pathlib import Path
from typing import Protocol

from pyqtgraph import ScatterPlotItem
from PySide6.QtCore import QMarginsF, QRect, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QImage, QPageLayout, QPageSize, QPaintDevice, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgGenerator

from lmstudio.errors import AppError
from lmstudio.files import unwritten, written
from lmstudio.gui import theme
from lmstudio.gui.picture_size import LAYOUT
from lmstudio.gui.plots import Plot
from lmstudio.messages import tr

KINDS = ("png", "svg", "pdf")
CAPTION = 32  # pixels for the title row


class Drawing(Protocol):
    """What paints itself in a theme ("light", "dark", "": on screen), as BarPlot does."""

    def draw(self, painter: QPainter, target: QRectF, mode: str) -> None:
        """Paint into `target`."""
        ...


def export(
    plot: Plot | Drawing, path: Path, size: QSize, caption: str = "", *, scale: float = 1.0
) -> None:
    """Draw `plot` on `size` pixels into `path`; its ending says the kind. Raises AppError.

    96 of these pixels are an inch. `scale`: of a PNG, how many it holds for each of them.
    """
    kind = path.suffix.lower().lstrip(".")
    if kind not in KINDS:
        raise AppError("{name} must end in .png, .svg or .pdf.", name=path.name)
    scale = scale if kind == "png" else 1.0
    drawing = _Scene(plot, size, scale) if isinstance(plot, Plot) else plot
    try:
        with unwritten(path), written(path) as temporary:
            _PAINTERS[kind](drawing, temporary, size, caption, scale)
    finally:
        if isinstance(drawing, _Scene):
            drawing.close()


class _Scene:
    """The scene of a plot, laid out anew in the light theme at the size of the picture."""

    def __init__(self, plot: Plot, size: QSize, scale: float) -> None:
        self._copy = _light_copy(plot, QSize(size.width(), size.height() - CAPTION), scale)

    def draw(self, painter: QPainter, target: QRectF, mode: str) -> None:
        self._copy.view.render(painter, target, self._copy.view.viewport().rect())

    def close(self) -> None:
        self._copy.close()
        self._copy.deleteLater()


def _light_copy(plot: Plot, size: QSize, scale: float) -> Plot:
    copy = Plot(plot.accessibleName(), mode="light", ratio=scale)
    copy.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    copy.setMinimumSize(1, 1)
    copy.resize(size)
    copy.set_axes(plot.axes())
    copy.set_series(plot.series())
    if oracle := plot.oracle():
        copy.set_oracle(*oracle)
    copy.set_mark(plot.mark())
    copy.show()  # not on screen: it makes the layout
    copy.view.resize(size)
    copy.set_series(plot.series())
    for item in copy.view.scene().items():
        if isinstance(item, ScatterPlotItem):
            item.opts["useCache"] = False  # or marks would be painted as images, not as shapes
    return copy


def _paint(drawing: Drawing, device: QPaintDevice, size: QSize, caption: str) -> None:
    painter = QPainter(device)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.fillRect(QRect(0, 0, size.width(), size.height()), theme.colour("surface", "light"))
    painter.setFont(theme.font(15, bold=True))
    painter.setPen(theme.colour("text", "light"))
    title = QRect(16, 0, size.width() - 32, CAPTION)
    painter.drawText(title, int(Qt.AlignmentFlag.AlignVCenter), caption)
    target = QRectF(0, CAPTION, size.width(), size.height() - CAPTION)
    drawing.draw(painter, target, "light")
    painter.end()


def _png(drawing: Drawing, path: Path, size: QSize, caption: str, scale: float) -> None:
    image = QImage(size * scale, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    _paint(drawing, image, size, caption)
    per_metre = round(LAYOUT * scale / 0.0254)  # said now: what is painted would follow it too
    image.setDotsPerMeterX(per_metre)
    image.setDotsPerMeterY(per_metre)
    if not image.save(str(path), "PNG"):  # type: ignore[call-overload]
        raise OSError(tr("no room, or no right to write"))


def _svg(drawing: Drawing, path: Path, size: QSize, caption: str, scale: float) -> None:
    generator = QSvgGenerator()
    generator.setResolution(LAYOUT)
    generator.setFileName(str(path))
    generator.setSize(size)
    generator.setViewBox(QRect(0, 0, size.width(), size.height()))
    generator.setTitle(caption)
    _paint(drawing, generator, size, caption)


def _pdf(drawing: Drawing, path: Path, size: QSize, caption: str, scale: float) -> None:
    writer = QPdfWriter(str(path))
    writer.setResolution(LAYOUT)
    points = QSizeF(size) * 72 / LAYOUT
    page = QPageSize(points, QPageSize.Unit.Point)
    writer.setPageLayout(QPageLayout(page, QPageLayout.Orientation.Portrait, QMarginsF()))
    writer.setTitle(caption)
    _paint(drawing, writer, size, caption)


_PAINTERS = {"png": _png, "svg": _svg, "pdf": _pdf}
