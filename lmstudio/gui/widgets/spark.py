"""A curve without axes, as large as a word: in tables and in the job bar."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from lmstudio.gui import theme


class Spark(QWidget):
    """The values of a family's run, oldest first."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """`name` is what a screen reader says."""
        super().__init__(parent)
        self._values: list[float] = []
        self._family = ""
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_values(self, values: list[float], family: str) -> None:
        """Show finite `values` in the colour of `family`; nothing below two of them."""
        self._values, self._family = values, family
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(64), theme.px(28))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        if self._family not in theme.FAMILIES:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        draw_spark(painter, QRectF(self.rect()), self._values, theme.family_colour(self._family))
        painter.end()


def draw_spark(painter: QPainter, room: QRectF, values: list[float], ink: QColor) -> None:
    """Paint finite `values` into `room`, a dot at the last."""
    if len(values) < 2:
        return
    low, high = min(values), max(values)
    inner = room.adjusted(0, theme.px(6), -theme.px(4), -theme.px(6))
    step, height = inner.width() / (len(values) - 1), (high - low) or 1.0
    points = [
        QPointF(inner.left() + n * step, inner.bottom() - (value - low) / height * inner.height())
        for n, value in enumerate(values)
    ]
    painter.setPen(QPen(ink, 1.4))
    painter.drawPolyline(QPolygonF(points))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink)
    painter.drawEllipse(points[-1], 2.0, 2.0)
