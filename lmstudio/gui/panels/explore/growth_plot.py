"""What a curve of the smoothing laboratory holds; its axes and series out, for each choice of y."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lmstudio import figures
from lmstudio.analysis.ngram_growth import Point
from lmstudio.gui.plot_curves import Series
from lmstudio.gui.plots import Axes
from lmstudio.messages import msg, tr

VIEWS = {"k": msg("k"), "discount": "D", "order": msg("order"), "size": msg("text")}
"""Against what a figure is drawn."""

MEASURES = {
    "bits": msg("Bits per character"), "perplexity": msg("Perplexity"),
    "parameters": msg("Parameters"), "possible": msg("n-grams seen and V^n"),
    "bytes": msg("Memory"), "seconds": msg("Time"),
}  # fmt: skip
"""What can be drawn against order and text."""


@dataclass(frozen=True)
class Drawn:
    """A plot."""

    axes: Axes
    series: list[Series]


def knob_plot(curve: Sequence[tuple[float, float, float]], knob: str) -> Drawn:
    """Bits per character against a knob."""
    x, bits, _ = np.array(curve).T
    axes = Axes(log_x=knob == "k", end_values=False, whole=True, show_x=_short)
    return Drawn(axes, [Series(knob, "", x, bits, bold=True)])


def growth_plot(points: Sequence[Point], view: str, measure: str) -> Drawn:
    """A measure against order or against the tokens trained on."""
    x = np.array([p.order if view == "order" else p.tokens for p in points], float)
    found = {
        "bits": [p.valid_bits for p in points], "perplexity": [p.valid_perplexity for p in points],
        "parameters": [p.parameters for p in points], "bytes": [p.bytes for p in points],
        "seconds": [p.seconds for p in points], "possible": [p.ngrams for p in points],
    }[measure]  # fmt: skip
    series = [Series(measure, "", x, np.array(found, float), bold=True)]
    if measure == "possible":
        power = np.array([p.possible for p in points])
        series = [
            Series("seen", tr("seen"), x, series[0].y, bold=True),
            Series("possible", "V^n", x, power, dash=1),
        ]
    shows: dict[str, Callable[[float], str]] = {
        "bytes": figures.size, "seconds": _seconds, "parameters": figures.short,
        "possible": _power, "perplexity": figures.short,
    }  # fmt: skip
    axes = Axes(
        log_x=view == "size", log_y=measure in ("possible", "parameters", "bytes", "seconds"),
        end_values=False, whole=True, show_x=_order if view == "order" else _tokens,
        show_y=shows.get(measure),
    )  # fmt: skip
    return Drawn(axes, series)


def _short(value: float) -> str:
    return f"{value:.2g}"


def _order(value: float) -> str:
    return f"{value:.0f}" if abs(value - round(value)) < 1e-6 else ""


def _tokens(value: float) -> str:
    """No label at 2, 20, 200 ...: the plot is narrow."""
    decade = math.log10(value / 2) if value > 0 else 0.5
    return "" if abs(decade - round(decade)) < 1e-9 else figures.short(value)


def _seconds(value: float) -> str:
    return tr("{s} s", s=f"{value:.2g}")


def _power(value: float) -> str:
    """Numbers of n-grams grow far beyond names: a power of ten."""
    return figures.short(value) if value < 1e9 else f"{value:.0e}".replace("e+", "e")
