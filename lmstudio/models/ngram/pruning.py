"""A model with n-grams that are not worth their place, into one without them.

What is left keeps its numbers' order, so the keys stay sorted. An n-gram is needed as long as a
longer one is: as its context, whose weight is asked for, and as its end, through which it is found.
"""

from dataclasses import dataclass

import numpy as np

from lmstudio.data.layout import BOS, EOS
from lmstudio.models.ngram.smoothing.backoff import Backoff

_NOTHING = 1e-12


@dataclass
class Stored:
    """A back-off model as it is stored: `keys` of the orders 2, 3, ... and its probabilities."""

    keys: list[np.ndarray]
    contexts: list[np.ndarray]  # of the same orders
    smoothing: Backoff


def without(model: Stored, wanted: list[np.ndarray], rows: int) -> Stored:
    """The model of the n-grams `wanted` (N,) bool, orders 2, 3, ..., and of those they need.

    The weights stay: right where what goes was never more than its share of the shorter n-gram.
    """
    kept = _needed(model, wanted, rows)
    number_of = np.arange(rows)  # new numbers by old ones, of the order below
    keys, contexts = [], []
    for table, old_contexts, mask in zip(model.keys, model.contexts, kept[1:], strict=True):
        chosen = table[mask]
        keys.append(number_of[chosen // rows] * rows + chosen % rows)
        contexts.append(number_of[old_contexts[mask]])
        number_of = np.cumsum(mask) - 1
    probs = [table[mask] for table, mask in zip(model.smoothing.by_order, kept, strict=True)]
    weights = [t[mask] for t, mask in zip(model.smoothing.backoffs, kept[:-1], strict=True)]
    return Stored(keys, contexts, type(model.smoothing)(probs, weights))


def pruned(model: Stored, threshold: float, rows: int) -> Stored:
    """The model without n-grams whose loss raises the perplexity by less than a share `threshold`.

    Stolcke 1998, "Entropy-based pruning of backoff language models": what each n-gram by itself
    adds to the relative entropy, its context's weight made anew; the perplexity is the model's own.
    """
    wanted = [
        np.expm1(_losses(model, order, rows)) >= threshold
        for order in range(2, len(model.keys) + 2)
    ]
    smaller = without(model, wanted, rows)
    weights = [table.copy() for table in smaller.smoothing.backoffs]
    for order in range(2, len(smaller.keys) + 2):
        here, free = _left(smaller, order, rows)
        made = np.divide(here, free, out=weights[order - 2].astype(np.float64),
                         where=(free > _NOTHING) & (here > _NOTHING))  # fmt: skip
        weights[order - 2] = made.astype(np.float32)
    smoothing = type(smaller.smoothing)(smaller.smoothing.by_order, weights)
    return Stored(smaller.keys, smaller.contexts, smoothing)


def _needed(model: Stored, wanted: list[np.ndarray], rows: int) -> list[np.ndarray]:
    """By order, (N,) what is wanted, and what that needs; all words."""
    kept = [np.ones(rows, bool), *(mask.copy() for mask in wanted)]
    for order in range(len(kept) - 1, 1, -1):
        here = np.flatnonzero(kept[order])
        kept[order - 1][model.keys[order - 1][here] // rows] = True
        kept[order - 1][model.contexts[order - 1][here]] = True
    return kept


def _left(model: Stored, order: int, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """(contexts,) what the seen words leave of 1, by n-grams and by the shorter ones."""
    contexts, size = model.contexts[order - 2], len(model.smoothing.by_order[order - 2])
    probs, shorter = _both(model, order, rows)
    here = 1 - np.bincount(contexts, weights=probs, minlength=size)
    free = 1 - np.bincount(contexts, weights=shorter, minlength=size)
    return np.maximum(here, 0), np.maximum(free, 0)


def _both(model: Stored, order: int, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """(N,) float64 p of each n-gram and of the shorter one that ends like it."""
    ends = model.keys[order - 2] // rows
    probs = model.smoothing.by_order[order - 1].astype(np.float64)
    return probs, model.smoothing.by_order[order - 2][ends].astype(np.float64)


def _losses(model: Stored, order: int, rows: int) -> np.ndarray:
    """(N,) nats an event that the model loses by each n-gram alone."""
    contexts = model.contexts[order - 2]
    probs, shorter = _both(model, order, rows)
    here, free = _left(model, order, rows)
    weight = model.smoothing.backoffs[order - 2].astype(np.float64)[contexts]
    here, free = here[contexts], free[contexts]
    without_it = (here + probs) / np.maximum(free + shorter, _NOTHING)
    tiny = np.finfo(np.float64).tiny
    alone = np.log(np.maximum(without_it * shorter, tiny)) - np.log(np.maximum(probs, tiny))
    others = np.log(np.maximum(without_it, tiny)) - np.log(np.maximum(weight, tiny))
    return -_chances(model, order - 1)[contexts] * (probs * alone + here * others)


def _chances(model: Stored, order: int) -> np.ndarray:
    """(N,) how often the model expects each n-gram of an order; `<s>` as often as `</s>`."""
    chances = model.smoothing.by_order[0].astype(np.float64)
    chances[BOS] = chances[EOS]
    for length in range(2, order + 1):
        chances = chances[model.contexts[length - 2]] * model.smoothing.by_order[length - 1]
    return chances
