"""Shares as lengths: how far something is, and what a sum is made of."""

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QProgressBar, QSizePolicy, QWidget

from lmstudio.gui import theme
from lmstudio.gui.widgets.labels import set_tone


class ProgressLine(QProgressBar):
    """A thin bar for a share between 0 and 1."""

    def __init__(self, name: str, *, tone: str = "", parent: QWidget | None = None) -> None:
        """`tone` is "" (accent), "muted", "warn" or "bad"."""
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setProperty("tone", tone)
        self.setTextVisible(False)
        self.setRange(0, 1000)
        self.setFixedHeight(theme.px(6))

    def set_share(self, share: float, tone: str = "") -> None:
        """Show `share`, cut to 0...1."""
        self.setValue(round(min(max(share, 0.0), 1.0) * 1000))
        if tone:
            set_tone(self, tone)


class StackedBar(QWidget):
    """A sum and its parts: one bar in shades of a family's colour."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._parts: list[float] = []
        self._family = ""
        self.setAccessibleName(name)
        self.setFixedHeight(theme.px(10))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_parts(self, parts: list[float], family: str) -> None:
        """Show `parts` (any unit) in shades of `family`; "" is the ink's own."""
        self._parts, self._family = [float(part) for part in parts], family
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(120), theme.px(10))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        total = sum(self._parts)
        painter.fillRect(self.rect(), theme.colour("sunken"))
        x = 0.0
        for number, part in enumerate(self._parts if total > 0 else []):
            width = self.width() * part / total
            box = QRectF(x, 0, max(width - 1, 0.5), self.height())
            painter.fillRect(box, shade(self._family, number))
            x += width
        painter.end()


def shade(family: str, number: int) -> QColor:
    """The colour of part `number`: the family's, then paler and paler."""
    ink = theme.family_colour(family) if family else theme.colour("muted")
    return theme.mix(ink, theme.colour("surface"), (0, 0.35, 0.52, 0.68, 0.78)[min(number, 4)])
