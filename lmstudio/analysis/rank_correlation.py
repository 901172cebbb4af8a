"""Two rows of figures in; how alike their order is, out: Spearman's rho, ties at their mean rank.

Spearman 1904. With ties it is the correlation of the ranks, not the short formula.
"""

import math

import numpy as np


def ranks(values: np.ndarray) -> np.ndarray:
    """(n,) float64 ranks from 1; equal values share the mean of theirs."""
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)  # the rank of the last of each group of equals
    ranked: np.ndarray = (last - (sizes - 1) / 2)[group]
    return ranked


def spearman(first: np.ndarray, second: np.ndarray) -> float:
    """Rho between -1 and 1; NaN of fewer than two pairs, or where one side is all equal."""
    if len(first) < 2:
        return math.nan
    one, two = (ranks(side) - (len(first) + 1) / 2 for side in (first, second))
    length = math.sqrt(float(one @ one) * float(two @ two))
    return float(one @ two) / length if length else math.nan
