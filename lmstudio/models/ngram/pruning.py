"""A model with n-grams that are not worth their place, into one without them.

What is left keeps its numbers' order, so the keys stay sorted. An n-gram is needed as long as a
longer one is: as its context, whose weight is asked for, and as its end, through which it is found.
"""

from dataclasses import dataclass

import numpy as np

from lmstudio.models.ngram.smoothing.backoff import Backoff


@dataclass
class Stored:
    """A back-off model as it is stored: `keys` of the orders 2, 3, ... and its probabilities."""

    keys: list[np.ndarray]
    contexts: list[np.ndarray]  # of the same orders
    smoothing: Backoff


def without(model: Stored, wanted: list[np.ndarray], rows: int) -> tuple[list[np.ndarray], Backoff]:
    """Keys and smoothing of the n-grams `wanted` (N,) bool, orders 2, 3, ..., and of needed ones.

    A weight of a context after which nothing is left should be set by the caller, see `Backoff`.
    """
    kept = [np.ones(rows, bool), *(mask.copy() for mask in wanted)]
    for order in range(len(kept) - 1, 1, -1):
        here = np.flatnonzero(kept[order])
        kept[order - 1][model.keys[order - 1][here] // rows] = True
        kept[order - 1][model.contexts[order - 1][here]] = True
    number_of = np.arange(rows)  # new numbers by old ones, of the order below
    keys = []
    for table, mask in zip(model.keys, kept[1:], strict=True):
        chosen = table[mask]
        keys.append(number_of[chosen // rows] * rows + chosen % rows)
        number_of = np.cumsum(mask) - 1
    probs = [table[mask] for table, mask in zip(model.smoothing.by_order, kept, strict=True)]
    weights = [t[mask] for t, mask in zip(model.smoothing.backoffs, kept[:-1], strict=True)]
    return keys, type(model.smoothing)(probs, weights)
