"""The arithmetic of a plot, free of Qt: values to axis positions, ticks, bins, spread labels."""

import math
from collections.abc import Callable

import numpy as np

from lmstudio import figures
from lmstudio.messages import tr

_NICE_SECONDS = (0.01, 0.1, 1, 10, 60, 600, 3600, 36000, 86400, 864000)


def positions(values: np.ndarray, log: bool) -> np.ndarray:
    """Values as positions on an axis (log10 if `log`); what cannot be shown is NaN, a gap."""
    shown = np.asarray(values, float).copy()
    shown[~np.isfinite(shown)] = np.nan
    if log:
        shown[shown <= 0] = np.nan
        return np.log10(shown)
    return shown


def value_at(position: float, log: bool) -> float:
    """The value at an axis position."""
    return float(10**position if log else position)


def ticks(
    low: float, high: float, log: bool, show: Callable[[float], str], most: int = 5, *,
    whole: bool = False,
) -> list[tuple[float, str]]:  # fmt: skip
    """Positions and labels of 2 to `most` round values between two axis positions.

    One value alone is its own. `whole`: what is counted has no halves, and neither do its ticks.
    """
    if not (math.isfinite(low) and math.isfinite(high)) or high < low:
        return []
    if high == low:
        return [(low, show(value_at(low, log)))]
    if log and high - low >= 0.8:
        marked = _log_ticks(low, high, most)
    else:
        first, last = value_at(low, log), value_at(high, log)
        marked = [positions_of(v, log) for v in _even_ticks(first, last, most, whole)]
    return [(position, show(value_at(position, log))) for position in marked]


def positions_of(value: float, log: bool) -> float:
    """The axis position of one value; NaN if it cannot be shown."""
    return float(positions(np.array([value]), log)[0])


def seconds_ticks(low: float, high: float, log: bool) -> list[tuple[float, str]]:
    """Ticks of a time axis: 1 s, 10 s, 1 min, 10 min, 1 h."""
    if not log:
        return ticks(low, high, log, time_label)
    inside = [s for s in _NICE_SECONDS if low <= math.log10(s) <= high]
    if len(inside) < 2:
        return ticks(low, high, log, time_label)
    return [(math.log10(s), time_label(s)) for s in inside]


def time_label(seconds: float) -> str:
    """A time on an axis: "0.05 s", "1 s", "10 min", "1 min 30 s"."""
    if seconds < 10 and seconds != round(seconds):
        return tr("{s} s", s=f"{seconds:.2g}")
    whole = seconds < 60 or (seconds % 60 == 0 and seconds < 3600) or seconds % 3600 == 0
    return figures.whole_duration(seconds) if whole else figures.duration(seconds)


def _log_ticks(low: float, high: float, most: int) -> list[float]:
    """Powers of ten, thinned; with 2 and 5 between where there would be few."""
    step = max(1, math.ceil((high - low) / most))
    powers = list(range(math.ceil(low - 1e-9), math.floor(high + 1e-9) + 1, step))
    if len(powers) >= 3:
        return [float(p) for p in powers]
    parts = [p + math.log10(m) for p in range(math.floor(low), math.ceil(high) + 1)
             for m in (1, 2, 5)]  # fmt: skip
    return [p for p in parts if low - 1e-9 <= p <= high + 1e-9]


def _even_ticks(low: float, high: float, most: int, whole: bool) -> list[float]:
    rough = max((high - low) / most, 1.0 if whole else 0.0)
    unit = 10 ** math.floor(math.log10(rough))
    steps = (unit * m for m in (1, 2, 2.5, 5, 10) if not whole or float(unit * m).is_integer())
    step = next(one for one in steps if one >= rough)
    first = math.ceil(low / step - 1e-9)
    return [round(n * step, 12) for n in range(first, math.floor(high / step + 1e-9) + 1)]


def binned(x: np.ndarray, y: np.ndarray, bins: int) -> tuple[np.ndarray, np.ndarray]:
    """At most the lowest and the highest point of each of `bins` slices of x, in order.

    `x` rises; NaN in y stays where a slice holds nothing else, so that gaps stay gaps.
    """
    if len(x) <= 2 * bins or not np.isfinite(x).any():
        return x, y
    low, high = np.nanmin(x), np.nanmax(x)
    places = np.nan_to_num((x - low) / ((high - low) or 1.0) * bins, nan=0.0)
    starts = np.flatnonzero(np.diff(np.minimum(places.astype(int), bins - 1), prepend=-1))
    seen = np.isfinite(y)
    lowest = _first_best(np.where(seen, y, np.inf), np.minimum, starts)
    highest = _first_best(np.where(seen, y, -np.inf), np.maximum, starts)
    chosen = np.zeros(len(x), bool)
    chosen[[0, -1]] = chosen[lowest] = chosen[highest] = True
    return x[chosen], y[chosen]


def _first_best(values: np.ndarray, better: np.ufunc, starts: np.ndarray) -> np.ndarray:
    """The index of the first best value of each slice that begins at one of `starts`."""
    sizes = np.diff(starts, append=len(values))
    hits = np.flatnonzero(values == np.repeat(better.reduceat(values, starts), sizes))
    slices = np.searchsorted(starts, hits, side="right")
    return hits[np.diff(slices, prepend=0) > 0]


def spread(wanted: list[float], gap: float, low: float, high: float) -> list[float]:
    """Places at least `gap` apart, as near to the wanted ones as can be, between two limits.

    Pool adjacent: labels that would overlap form a block centred on the mean of what they want.
    """
    order = sorted(range(len(wanted)), key=lambda n: wanted[n])
    blocks: list[tuple[float, int]] = []  # (first place, members)
    for number in order:
        blocks.append((wanted[number], 1))
        while len(blocks) > 1 and blocks[-2][0] + blocks[-2][1] * gap > blocks[-1][0]:
            (first, many), (second, more) = blocks[-2:]
            total = many + more
            mean = (first * many + (second - many * gap) * more) / total
            blocks[-2:] = [(mean, total)]
    places, bottom = [0.0] * len(wanted), low
    flat = [first + k * gap for first, many in blocks for k in range(many)]
    over = max(0.0, flat[-1] - high) if flat else 0.0
    for place, number in zip(flat, order, strict=True):
        places[number] = max(place - over, bottom)
        bottom = places[number] + gap
    return places


def interpolated(x: np.ndarray, y: np.ndarray, at: float) -> float:
    """y at axis position `at`; NaN outside the curve and in its gaps."""
    if len(x) < 2 or not x[0] <= at <= x[-1]:
        return float("nan")
    right = int(np.clip(np.searchsorted(x, at), 1, len(x) - 1))
    span = x[right] - x[right - 1]
    share = (at - x[right - 1]) / span if span else 0.0
    return float(y[right - 1] + (y[right] - y[right - 1]) * share)
