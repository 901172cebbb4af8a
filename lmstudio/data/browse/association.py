"""Four counts into how strongly two things go together: the measures of collocation and keyness.

The counts are those of a 2 by 2 table, where a word is or is not the one in question and stands or
does not stand in the place in question (near a node word; in one corpus rather than another):

                in the place    elsewhere
    the word         o11            o12        c = o11 + o12
    others           o21            o22
                 r = o11 + o21                 n = all

`expected` = r c / n is o11 if the two had nothing to do with each other. All functions take arrays
(W,), or numbers for r, c and n, and give float64 (W,). Notation and formulas: Evert, "Corpora and
collocations" (2008).
"""

import numpy as np

Array = np.ndarray
Number = np.ndarray | np.float64


def expected(r: Number, c: Number, n: Number) -> Number:
    """What o11 would be by chance."""
    return r * (c / np.maximum(n, 1))


def log_likelihood(o11: Array, r: Number, c: Number, n: Number) -> Array:
    """G2 of the four counts, negative where o11 is below what is expected.

    Dunning, "Accurate methods for the statistics of surprise and coincidence" (1993). Over 3.84
    is what chance exceeds in 5 % of cases, over 10.83 in 0.1 %.
    """
    tables = [
        (o11, r, c),
        (c - o11, n - r, c),
        (r - o11, r, n - c),
        (n - r - c + o11, n - r, n - c),
    ]
    total = sum(_term(observed, expected(row, cell, n)) for observed, row, cell in tables)
    return np.copysign(2 * np.maximum(total, 0), o11 - expected(r, c, n))


def mutual_information(o11: Array, r: Number, c: Number, n: Number) -> Array:
    """log2(o11 / expected): pointwise; high for rare words (Church and Hanks, 1990)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log2(o11 / expected(r, c, n))


def t_score(o11: Array, r: Number, c: Number, n: Number) -> Array:
    """(o11 - expected) / sqrt(o11): favours frequent pairs (Church et al., 1991)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return (o11 - expected(r, c, n)) / np.sqrt(o11)


def dice(o11: Array, r: Number, c: Number) -> Array:
    """2 o11 / (r + c): 1 where one is never without the other."""
    return 2 * o11 / np.maximum(r + c, 1)


def log_ratio(a: Array, b: Array, size_a: int, size_b: int) -> Array:
    """log2 of the relative frequencies of a word with counts `a` and `b` in texts of these sizes.

    1 is twice as frequent. A count of 0 is taken for 0.5 (Hardie, "Log Ratio", 2014).
    """
    share_a = np.where(a == 0, 0.5, a) / max(size_a, 1)
    share_b = np.where(b == 0, 0.5, b) / max(size_b, 1)
    return np.log2(share_a / share_b)


def _term(observed: Number, wanted: Number) -> Array:
    """observed ln(observed / expected), 0 where nothing is observed."""
    some = observed > 0
    ratio = np.divide(observed, wanted, out=np.ones(np.shape(observed)), where=some)
    return observed * np.log(ratio)
