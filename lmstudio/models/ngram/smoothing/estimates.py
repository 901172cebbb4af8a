"""Counts of counts: how many n-grams occur r times, and what that says of those never seen."""

from typing import Any

import numpy as np

from lmstudio.messages import msg

HALF = 0.5
"""Taken from every count where the counts themselves cannot tell how much."""

NO_DISCOUNT = msg(
    "The discount of {order}-grams cannot be estimated (seen once {n1}, twice {n2}); one half of "
    "an occurrence is taken from each."
)


def counts_of_counts(counts: np.ndarray, most: int) -> list[int]:
    """[n_0, n_1, ..., n_most]: n_r n-grams occur r times; n_0 is always given as 0."""
    found = np.bincount(np.minimum(counts, most + 1), minlength=most + 2)[: most + 1]
    found[0] = 0
    return [int(number) for number in found]


def absolute_discount(counts: np.ndarray, order: int) -> tuple[float, list[Any] | None]:
    """D = n1 / (n1 + 2 n2) (Ney, Essen & Kneser 1994), or one half and a note why."""
    _, n1, n2 = counts_of_counts(counts, 2)
    if n1 and n2:
        return n1 / (n1 + 2 * n2), None
    return HALF, [NO_DISCOUNT, {"order": order, "n1": n1, "n2": n2}]
