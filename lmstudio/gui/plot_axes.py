"""Axes: how the axes of a plot are read, and what values are called on them."""

from collections.abc import Callable
from dataclasses import dataclass

from lmstudio import figures


@dataclass(frozen=True)
class Axes:
    """How both axes are read."""

    log_x: bool = False
    log_y: bool = False
    time: bool = False  # x is in seconds
    decimals: int = 2  # of y, in labels
    end_values: bool = True  # a label names the curve's last value too
    whole: bool = False  # the range holds the steep beginning of a curve too
    show_x: Callable[[float], str] = figures.short
    show_y: Callable[[float], str] | None = None  # at the axis
    show_end: Callable[[float], str] | None = None  # in labels, instead of `decimals`

    def told(self, y: float) -> str:
        """A value of y as labels and the crosshair say it."""
        return self.show_end(y) if self.show_end else figures.decimal(y, self.decimals)
