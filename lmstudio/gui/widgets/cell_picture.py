"""CellPicture: lines with a number or a vector each in; arithmetic as one writes it down, out."""

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from lmstudio.gui import theme
from lmstudio.gui.widgets.heat_map import HeatGrid, heat_image
from lmstudio.messages import listed, phrases

_ROW, _NAME, _STRIP, _RULE = 21, 84, 12, 9  # the last: of room around a rule
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_DIMENSIONS = 8  # of a vector that a tool tip tells


@dataclass(frozen=True)
class CellLine:
    """One line: a name at the left, at the right a number as text, or a vector as a strip."""

    name: str
    value: str = ""
    vector: np.ndarray | None = None
    strong: bool = False  # the result
    rule: bool = False  # a line is drawn above it

    def __eq__(self, other: object) -> bool:
        return self is other

    def told(self) -> str:
        """All of it as text."""
        if self.vector is None:
            return f"{self.name} {self.value}"
        some = listed(f"{value:.3f}" for value in self.vector[:_DIMENSIONS].tolist())
        more = ", …" if len(self.vector) > _DIMENSIONS else ""
        return f"{self.name} = ({some}{more})"


class CellPicture(QWidget):
    """Vectors share one scale of colours; the pointer tells their first numbers."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines: tuple[CellLine, ...] = ()
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.signals.changed.connect(self.update)

    def show_lines(self, lines: list[CellLine]) -> None:
        """Show other lines."""
        self._lines = tuple(lines)
        self.setAccessibleDescription(phrases(line.told() for line in lines))
        self.setMinimumHeight(self.sizeHint().height())
        self.updateGeometry()
        self.update()

    def lines(self) -> tuple[CellLine, ...]:
        """What is shown."""
        return self._lines

    def sizeHint(self) -> QSize:  # noqa: N802
        rules = sum(line.rule for line in self._lines)
        return QSize(theme.px(240), theme.px(_ROW) * len(self._lines) + theme.px(_RULE) * rules)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        self._paint(painter, QRectF(self.rect()), "")
        painter.end()

    def draw(self, painter: QPainter, target: QRectF, mode: str) -> None:
        """Paint into `target` on paper, in the colours of a theme; everything grows with it."""
        if not self._lines:
            return
        room = target.adjusted(16, 8, -16, -8)
        natural = QSize(theme.px(320), self.sizeHint().height())
        scale = min(room.width() / natural.width(), room.height() / natural.height())
        painter.translate(room.topLeft())
        painter.scale(scale, scale)
        self._paint(painter, QRectF(0, 0, natural.width(), natural.height()), mode)

    def _paint(self, painter: QPainter, room: QRectF, mode: str) -> None:
        vectors = [line.vector for line in self._lines if line.vector is not None]
        most = max((float(np.abs(vector).max(initial=0.0)) for vector in vectors), default=1.0)
        row = theme.px(_ROW)
        for top, line in zip(self._tops(), self._lines, strict=True):
            box = QRectF(room.left(), room.top() + top, room.width(), row)
            if line.rule:
                y = box.top() - theme.px(_RULE) // 2 - 0.5
                painter.setPen(QPen(theme.colour("line", mode), 1))
                painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
            painter.setFont(theme.font(13, bold=line.strong))
            painter.setPen(theme.colour("text", mode))
            self._paint_line(painter, box, line, most, mode)

    def _tops(self) -> list[int]:
        """Where each line begins."""
        found, y = [], 0
        for line in self._lines:
            y += theme.px(_RULE) if line.rule else 0
            found.append(y)
            y += theme.px(_ROW)
        return found

    def _paint_line(
        self, painter: QPainter, box: QRectF, line: CellLine, most: float, mode: str
    ) -> None:  # fmt: skip
        if line.vector is not None:
            painter.drawText(box, _LEFT, line.name)
            high = theme.px(_STRIP)
            strip = QRectF(box.left() + theme.px(_NAME), box.center().y() - high / 2,
                           box.width() - theme.px(_NAME), high)  # fmt: skip
            grid = HeatGrid(line.vector[None], most=most or 1.0, signed=True)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
            painter.drawImage(strip, heat_image(grid, mode))
            painter.setPen(QPen(theme.colour("line", mode), 1))
            painter.drawRect(strip)
            return
        metrics = QFontMetricsF(painter.font())
        left = box.width() - metrics.horizontalAdvance(line.value) - theme.px(8)
        name = metrics.elidedText(line.name, Qt.TextElideMode.ElideRight, left)
        painter.drawText(box, _LEFT, name)
        if line.strong:
            painter.setPen(theme.colour("accent", mode))
        painter.drawText(box, _RIGHT, line.value)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            self._tell(event.pos(), event.globalPos())
            return True
        return super().event(event)

    def _tell(self, place: QPoint, at: QPoint) -> None:
        number = sum(top <= place.y() for top in self._tops()) - 1
        known = number >= 0 and place.y() < self.sizeHint().height()
        QToolTip.showText(at, self._lines[number].told() if known else "", self)
