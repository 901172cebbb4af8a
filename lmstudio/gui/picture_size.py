"""PictureSize: a width and height in px, mm or inches and a resolution -> layout and pixels.

A chart is laid out in pixels of which 96 are an inch, on paper as on screen, so that its type has
the same size everywhere (12 px are 9 points). A PNG file holds as many pixels as its resolution
asks for; SVG and PDF have none.
"""

from dataclasses import dataclass

from PySide6.QtCore import QSize

LAYOUT = 96  # pixels to an inch
UNITS = {"px": 1.0, "mm": LAYOUT / 25.4, "in": float(LAYOUT)}
"""Pixels of the layout in each."""
RESOLUTIONS = (96, 144, 192, 300, 600)
"""Pixels of a PNG to an inch; 96 is one for one."""
LEAST, MOST = 100, 20_000
"""Pixels that a side may have, in the layout and in a file."""


@dataclass(frozen=True)
class PictureSize:
    """How large a picture is to be."""

    width: float = 1600
    height: float = 900
    unit: str = "px"  # of UNITS
    resolution: int = LAYOUT

    @property
    def scale(self) -> float:
        """Pixels of a PNG file to one of the layout."""
        return self.resolution / LAYOUT

    def layout(self) -> QSize:
        """What the chart is drawn on."""
        return QSize(round(self.width * UNITS[self.unit]), round(self.height * UNITS[self.unit]))

    def pixels(self) -> QSize:
        """What a PNG file holds."""
        layout = self.layout()
        return QSize(round(layout.width() * self.scale), round(layout.height() * self.scale))

    def possible(self) -> bool:
        """It can be drawn."""
        layout, pixels = self.layout(), self.pixels()
        return (min(layout.width(), layout.height()) >= LEAST
                and max(pixels.width(), pixels.height()) <= MOST)  # fmt: skip

    def converted(self, unit: str) -> "PictureSize":
        """The same in another unit."""
        factor = UNITS[self.unit] / UNITS[unit]
        return PictureSize(self.width * factor, self.height * factor, unit, self.resolution)
