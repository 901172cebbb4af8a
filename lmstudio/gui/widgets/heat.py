"""Numbers in; how they look as heat: below zero towards brown, above it towards the accent."""

import numpy as np
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from lmstudio.gui import theme

_INK = 0.8  # of it in the strongest colour


def heat_colour(share: float, mode: str = "") -> QColor:
    """The colour of a number between -1 and 1 in a theme; 0 is the surface's own."""
    end = theme.colour("accent" if share > 0 else "warn", mode)
    return theme.mix(theme.colour("surface", mode), end, min(abs(share), 1.0))


def deep_colour(share: float, mode: str = "") -> QColor:
    """The colour of a number between 0 and 1, in steps that stay apart: over the accent to ink."""
    if share <= 0.5:
        return heat_colour(share * 2, mode)
    accent, ink = theme.colour("accent", mode), theme.colour("text", mode)
    return theme.mix(accent, ink, min(share * 2 - 1, 1.0) * _INK)


def ink_on(ground: QColor) -> QColor:
    """Black or white, whichever is easier to read on a colour."""
    inks = QColor("#1A1D23"), QColor("#FFFFFF")
    return max(inks, key=lambda ink: contrast(ink, ground))


def contrast(one: QColor, other: QColor) -> float:
    """1 to 21, the ratio of two relative luminances (WCAG 2.1)."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: QColor) -> float:
    shares = colour.redF(), colour.greenF(), colour.blueF()
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


class HeatStrip(QWidget):
    """A whole row of numbers as a strip, however many there are."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._values = np.zeros(0, np.float32)
        self._most = 1.0
        self.setAccessibleName(name)
        self.setFixedHeight(theme.px(18))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.signals.changed.connect(self.update)

    def set_values(self, values: np.ndarray, most: float) -> None:
        """Show `values`; `most` is the absolute value of the strongest colour."""
        self._values, self._most = values, most or 1.0
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(240), theme.px(18))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        if len(self._values):
            image = QImage(len(self._values), 1, QImage.Format.Format_RGB32)
            for x, value in enumerate(self._values):
                image.setPixelColor(x, 0, heat_colour(float(value) / self._most))
            painter.drawImage(QRectF(self.rect()), image)
        painter.end()
