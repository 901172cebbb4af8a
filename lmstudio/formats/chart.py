"""Curves of runs in, one SVG out: bits per character against training time, or something else.

Colours are CSS variables of the page (`--text`, `--family-lstm`, ...), so that one drawing serves
light and dark. Labels stand at the right, moved apart; there is no legend.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from lmstudio.figures import decimal
from lmstudio.formats.chart_axis import Axis, time_axis
from lmstudio.formats.markers import marker
from lmstudio.messages import tr

WIDTH, LEFT, TOP, BOTTOM = 960.0, 44.0, 14.0, 34.0
LEADER, GAP = 24.0, 17.0  # from the plot to the labels; between two labels
DASHES = ("", "6 4", "2 3", "8 3 2 3")  # the second run of a family is dashed, and so on

MadeAxis = Callable[[Sequence[float]], Axis]


@dataclass(frozen=True)
class Curve:
    """A run on the chart: (x, bits per character) points in order, and the final figure."""

    name: str
    family: str  # a key of look.FAMILIES
    points: tuple[tuple[float, float], ...]
    value: float


class _Plane:
    """Values and bits to places in the picture."""

    def __init__(
        self, curves: list[Curve], oracle: float | None, axis: MadeAxis, whole: bool
    ) -> None:
        self.axis = axis([x for curve in curves for x, _ in curve.points])
        ends = [curve.value for curve in curves] + ([oracle] if oracle is not None else [])
        ends += [y for curve in curves for _, y in curve.points if whole and math.isfinite(y)]
        room = max(max(ends) - min(ends), 0.5)
        self.y_low, self.y_high = min(ends) - 0.12 * room, max(ends) + 0.18 * room
        widest = max(_width(f"{decimal(curve.value)} {curve.name}") for curve in curves)
        self.right = WIDTH - LEADER - min(widest + 12, 340)
        self.height = max(400.0, TOP + BOTTOM + GAP * (len(curves) + 1))
        self.bottom = self.height - BOTTOM

    def x(self, value: float) -> float:
        return LEFT + self.axis.share(value) * (self.right - LEFT)

    def y(self, bits: float) -> float:
        share = (self.y_high - bits) / (self.y_high - self.y_low)
        return TOP + share * (self.bottom - TOP)


def chart(
    curves: list[Curve], oracle: float | None = None, *, axis: MadeAxis = time_axis,
    name: str = "", whole: bool = False,
) -> str:  # fmt: skip
    """The drawing, called `name`. Curves without a finite figure are left out.

    `oracle` is a dashed line; `axis` makes what goes from left to right of all values. A curve may
    begin above the top, unless it is to be seen as a `whole`: then each of its points is marked.
    """
    drawn = [curve for curve in curves if curve.points and math.isfinite(curve.value)]
    if not drawn:
        return f"<p class=note>{escape(tr('There is nothing to draw yet.'))}</p>"
    drawn.sort(key=lambda curve: -curve.value)
    plane = _Plane(drawn, oracle, axis, whole)
    parts = [*_grid(plane), *_oracle(plane, oracle), *_curves(plane, drawn)]
    if whole:
        parts += [marker(curve.family, plane.x(x), plane.y(y))
                  for curve in drawn for x, y in curve.points[:-1]]  # fmt: skip
    parts += _labels(plane, drawn)
    name = escape(name or tr("Bits per character against training time"), quote=True)
    clip = (
        f'<defs><clipPath id="plot"><rect x="{LEFT:g}" y="{TOP - 8:g}" width="{WIDTH:g}" '
        f'height="{plane.bottom - TOP + 16:g}"/></clipPath></defs>'
    )
    return (
        f'<svg viewBox="0 0 {WIDTH:g} {plane.height:g}" role="img" aria-label="{name}">'
        f"{clip}{''.join(parts)}</svg>"
    )


def spread(wanted: list[float], gap: float, low: float, high: float) -> list[float]:
    """Places as near as can be to `wanted` (rising), `gap` apart, between `low` and `high`.

    Neighbours that would overlap are pooled and share their mean (pool adjacent violators).
    """
    pools: list[tuple[float, int]] = []  # mean, size; of the places less the gaps before them
    for index, place in enumerate(wanted):
        mean, size = place - index * gap, 1
        while pools and pools[-1][0] > mean:
            before, count = pools.pop()
            mean, size = (before * count + mean * size) / (count + size), count + size
        pools.append((mean, size))
    last = max(low, high - (len(wanted) - 1) * gap)
    even = [min(max(mean, low), last) for mean, size in pools for _ in range(size)]
    return [place + index * gap for index, place in enumerate(even)]


def _grid(plane: _Plane) -> list[str]:
    parts = []
    for bits, text in _y_labels(plane.y_low, plane.y_high):
        y = plane.y(bits)
        parts.append(_line(LEFT, y, plane.right, y, "grid"))
        parts.append(_text(LEFT - 10, y + 4, text, "axis end"))
    for value, text in plane.axis.labels:
        parts.append(_text(plane.x(value), plane.height - 8, text, "axis middle"))
    return parts


def _y_labels(low: float, high: float) -> list[tuple[float, str]]:
    """Three to seven round values."""
    step = next(
        (s for s in (0.1, 0.2, 0.5, 1, 2, 5, 10) if (high - low) / s <= 7), (high - low) / 4
    )
    first = math.ceil(low / step)
    values = [n * step for n in range(first, math.floor(high / step) + 1)]
    return [(value, f"{value:.{1 if step < 1 else 0}f}") for value in values]


def _oracle(plane: _Plane, oracle: float | None) -> list[str]:
    if oracle is None:
        return []
    y = plane.y(oracle)
    sentence = tr(
        "The limit of the language itself, {bits}: no model can go below", bits=decimal(oracle)
    )
    return [
        _line(LEFT, y, WIDTH, y, "oracle"),
        _text(LEFT + 10, y + 16, sentence, "axis"),
    ]


def _curves(plane: _Plane, curves: list[Curve]) -> list[str]:
    parts, seen = [], Counter[str]()
    for curve in curves:
        places = [
            (plane.x(x), plane.y(min(y, 10 * plane.y_high)))
            for x, y in curve.points
            if not math.isnan(y)
        ]
        if len(places) > 1:
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
            dash = DASHES[seen[curve.family] % len(DASHES)]
            seen[curve.family] += 1
            parts.append(
                f'<polyline clip-path="url(#plot)" points="{path}" class="curve" '
                f'stroke="var(--family-{curve.family})" stroke-dasharray="{dash or "none"}"/>'
            )
    return parts


def _labels(plane: _Plane, curves: list[Curve]) -> list[str]:
    """The end mark of each curve, the line that carries it to the right, and its name."""
    heights = [plane.y(curve.value) for curve in curves]
    places = spread(heights, GAP, TOP + 6, plane.bottom)
    parts = []
    for curve, y, place in zip(curves, heights, places, strict=True):
        x = plane.x(curve.points[-1][0])
        counted = len(curve.points) == 1
        colour = f"var(--family-{curve.family})" if counted else "var(--edge)"
        end = plane.right + LEADER - 6
        parts.append(
            f'<path d="M{x:.1f} {y:.1f}H{plane.right:.1f}" class="leader" stroke="{colour}"/>'
            f'<path d="M{plane.right:.1f} {y:.1f}L{end:.1f} {place:.1f}" class="leader" '
            f'stroke="var(--edge)"/>'
        )
        parts.append(marker(curve.family, x, y))
        parts.append(
            f'<text x="{plane.right + LEADER:.1f}" y="{place + 4:.1f}" class="name" '
            f'fill="var(--text-{curve.family})">{decimal(curve.value)} {escape(curve.name)}</text>'
        )
    return parts


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def _text(x: float, y: float, text: str, kind: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}">{escape(text)}</text>'


def _width(text: str) -> float:
    """About how wide a text of 12 px is: Chinese characters are square, others half of that."""
    return sum(12.5 if ord(character) > 0x2E7F else 7.0 for character in text)
