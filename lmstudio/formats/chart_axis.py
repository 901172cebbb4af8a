"""Values in, where they stand from left to right on a chart and what is written below out."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from lmstudio.figures import short
from lmstudio.messages import tr

SHORTEST = 0.01  # seconds: what took less stands at the left edge
_DECADES = 20  # times the smallest value that the largest is, from which an axis is logarithmic
_LABELS = 7  # at most, of a linear axis


@dataclass(frozen=True)
class Axis:
    """The ends of an axis, and its labels within them."""

    low: float
    high: float
    labels: list[tuple[float, str]]
    log: bool = True

    def share(self, value: float) -> float:
        """How far to the right `value` stands: 0 at `low`, 1 at `high`."""
        if not self.log:
            return (value - self.low) / (self.high - self.low)
        return math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)


def time_axis(seconds: Sequence[float]) -> Axis:
    """Of times of training, at least a factor of ten from end to end."""
    least = max(min(seconds), SHORTEST)
    low, high = least / 1.6, max(max(seconds), least * 10) * 1.4
    labels = [(s, tr("{s} s", s=f"{s:g}")) for s in (0.01, 0.1, 1, 10)]
    labels += [(60 * m, tr("{m} min", m=m)) for m in (1, 10)]
    labels += [(3600 * h, tr("{h} h", h=h)) for h in (1, 10, 100)]
    return Axis(low, high, [(x, text) for x, text in labels if low <= x <= high])


def number_axis(values: Sequence[float]) -> Axis:
    """Of a setting or a count, logarithmic where it spans more than a decade."""
    least, most = min(values), max(values)
    if least > 0 and most >= _DECADES * least:
        low, high = least / 1.2, most * 1.2
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        marks = [digit * 10.0**power for power in powers for digit in (1, 2, 5)]
        if most >= 1000 * least:
            marks = [10.0**power for power in powers]
        return Axis(low, high, [(x, _number(x)) for x in marks if low <= x <= high])
    room = (most - least) or abs(most) or 1.0
    low, high = least - 0.06 * room, most + 0.06 * room
    step = _step(room / (_LABELS - 1))
    first = math.ceil(low / step)
    marks = [n * step for n in range(first, math.floor(high / step) + 1)]
    return Axis(low, high, [(x, _number(x)) for x in marks], log=False)


def _step(least: float) -> float:
    """The smallest of 1, 2, 5, 10, ... times a power of ten that is not less than `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(digit * power for digit in (1, 2, 5, 10) if digit * power >= least * (1 - 1e-9))


def _number(value: float) -> str:
    return short(value) if value >= 1000 else f"{value:g}"
