"""Pairs of figures in, such as perplexity and score; how much they go together out.

Pearson's r is the covariance over both standard deviations; Spearman's rho is that of the ranks.
Their intervals are those of the bootstrap by percentiles (Efron & Tibshirani 1993, chapter 13):
pairs are drawn with replacement, as many as there are, and the middle 95 % of the figures that so
many draws give are kept. Of a handful of pairs an interval is wide and itself a guess.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lmstudio.analysis.bootstrap import LEVEL, SAMPLES, draws
from lmstudio.analysis.rank_correlation import spearman
from lmstudio.jobs import Job

FEWEST = 4
"""Pairs that an interval needs."""


@dataclass(frozen=True)
class Correlation:
    """Between -1 and 1; NaN where one side is all equal, or there are fewer than two pairs."""

    value: float
    low: float = math.nan  # of its interval; NaN of fewer than FEWEST pairs
    high: float = math.nan


def pearson(x: np.ndarray, y: np.ndarray) -> float:
    """r between -1 and 1; NaN of fewer than two pairs, or where one side is all equal."""
    if len(x) < 2:
        return math.nan
    one, two = x - x.mean(), y - y.mean()
    length = math.sqrt(float(one @ one) * float(two @ two))
    return float(one @ two) / length if length else math.nan


def correlations(
    x: Sequence[float], y: Sequence[float], *, samples: int = SAMPLES, seed: int = 1, job: Job
) -> tuple[Correlation, Correlation]:
    """Pearson's and Spearman's, both on the same draws. The same `seed` gives the same ones."""
    one, two = np.array(x, float), np.array(y, float)
    measures: tuple[Callable[[np.ndarray, np.ndarray], float], ...] = pearson, spearman
    drawn = np.full((samples, len(measures)), np.nan)
    if len(one) >= FEWEST:
        for number, weights in enumerate(draws(len(one), samples, seed)):
            job.check()
            places = np.repeat(np.arange(len(one)), weights.astype(int))
            drawn[number] = [measure(one[places], two[places]) for measure in measures]
    first, second = (_correlation(measure(one, two), column)
                     for measure, column in zip(measures, drawn.T, strict=True))  # fmt: skip
    return first, second


def _correlation(value: float, drawn: np.ndarray) -> Correlation:
    found = drawn[np.isfinite(drawn)]  # a draw of one pair alone has none
    if not len(found) or math.isnan(value):
        return Correlation(value)
    low, high = np.quantile(found, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]).tolist()
    return Correlation(value, low, high)
