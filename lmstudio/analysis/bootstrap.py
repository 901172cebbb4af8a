"""What runs paid for the same units of text in; how sure their differences are, out.

The paired bootstrap: units (sentences or documents) are drawn with replacement, as many as there
are, and both runs are measured on the same draw; the middle 95 % of the differences that so many
draws give are the interval. Percentile method of Efron & Tibshirani 1993, "An Introduction to the
Bootstrap", chapter 13; pairs as Koehn 2004, "Statistical significance tests for machine translation
evaluation". The figure is a ratio, all bits by all characters, so a draw is measured as the whole
is and long sentences weigh more.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lmstudio.jobs import Job
from lmstudio.messages import Message

SAMPLES = 2000
LEVEL = 0.95
_AT_ONCE = 20  # draws between two ticks


@dataclass(frozen=True)
class Interval:
    """The difference of a run from another in bits per character; negative: it is the better."""

    difference: float
    low: float  # NaN where there is no interval: an infinite figure, or fewer than two units
    high: float
    error: float  # standard deviation over the draws
    better: float  # share of the draws in which the difference is below 0


def paired_intervals(
    bits: np.ndarray, characters: np.ndarray, base: int = 0, *, samples: int = SAMPLES,
    seed: int = 1, job: Job,
) -> list[Interval]:  # fmt: skip
    """Each run against run `base`: `bits` (R, U) of each run for each unit, `characters` (U,).

    The same `seed` gives the same draws.
    """
    apart = _apart(bits, base)
    total = int(characters.sum())
    finite = np.isfinite(apart).all(axis=1)
    drawn = np.full((samples, len(bits)), np.nan)
    if len(characters) > 1:
        for number, weights in enumerate(draws(len(characters), samples, seed)):
            if number % _AT_ONCE == 0:
                job.tick(number, samples, Message("Drawing sentences again and again"))
            length = characters @ weights
            drawn[number, finite] = apart[finite] @ weights / (length or np.nan)
    return [_interval(float(row.sum()) / total, column)
            for row, column in zip(apart, drawn.T, strict=True)]  # fmt: skip


def draws(units: int, samples: int, seed: int) -> Iterator[np.ndarray]:
    """How often each unit is in a draw of as many as there are: (U,) float64, `samples` times."""
    generator = np.random.default_rng(seed)
    for _ in range(samples):
        chosen = generator.integers(units, size=units)
        yield np.bincount(chosen, minlength=units).astype(float)


def _apart(bits: np.ndarray, base: int) -> np.ndarray:
    """(R, U) bits more than run `base` needs; NaN where both find a unit impossible."""
    with np.errstate(invalid="ignore"):
        return bits - bits[base]


def _interval(difference: float, drawn: np.ndarray) -> Interval:
    found = drawn[np.isfinite(drawn)]
    if not len(found):
        return Interval(difference, np.nan, np.nan, np.nan, np.nan)
    low, high = np.quantile(found, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]).tolist()
    return Interval(difference, low, high, float(found.std()), float((found < 0).mean()))
