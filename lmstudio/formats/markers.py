"""A model family in, its mark in SVG out, so that colour is never the only difference."""

import math

from lmstudio.look import FAMILIES

RADIUS = 5.0


def marker(family: str, x: float, y: float) -> str:
    """The mark of a family, its middle at (x, y), ringed with the colour of the ground."""
    shape = _SHAPES[FAMILIES[family].marker]
    points = " ".join(f"{x + dx * RADIUS:.1f},{y + dy * RADIUS:.1f}" for dx, dy in shape)
    return f'<polygon points="{points}" class="mark" fill="var(--family-{family})"/>'


def _polygon(
    corners: int, turn: float, radii: tuple[float, ...] = (1.0,)
) -> list[tuple[float, float]]:
    """Corners on a circle, the first at `turn` degrees from the right, down being positive."""
    angles = [math.radians(turn + 360 * n / corners) for n in range(corners)]
    return [
        (radii[n % len(radii)] * math.cos(a), radii[n % len(radii)] * math.sin(a))
        for n, a in enumerate(angles)
    ]


_SHAPES = {
    "square": _polygon(4, 45, (1.2,)),
    "diamond": _polygon(4, 90, (1.2,)),
    "up": _polygon(3, -90, (1.2,)),
    "down": _polygon(3, 90, (1.2,)),
    "hexagon": _polygon(6, 90, (1.1,)),
    "circle": _polygon(24, 0),
    "star": _polygon(10, -90, (1.3, 0.55)),
}
"""By marker, corners around 0 in units of the radius."""
