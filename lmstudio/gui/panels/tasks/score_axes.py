"""SCORES: how a plot of scores between 0 and 1 is read: in percent, as the tables tell them."""

from lmstudio import figures
from lmstudio.gui.plot_axes import Axes


def percent(share: float) -> str:
    """With the one decimal that tables and bars have."""
    return figures.percent(share, 1)


SCORES = Axes(whole=True, show_y=figures.round_percent, show_end=percent)
