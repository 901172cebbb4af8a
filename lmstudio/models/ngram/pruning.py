"""A model with n-grams that are not worth their place, into one without them.

What is left keeps its numbers' order, so the keys stay sorted. An n-gram is needed as long as a
longer one is: as its context, whose weight is asked for, and as its end, through which it is found.
"""

from dataclasses import dataclass

import numpy as np

from lmstudio.data.layout import BOS, EOS
from lmstudio.models.ngram.counts import Progress, blocks, in_blocks, stage
from lmstudio.models.ngram.smoothing.backoff import Backoff

_NOTHING = 1e-12


@dataclass
class Stored:
    """A back-off model as it is stored: `keys` of the orders 2, 3, ... and its probabilities."""

    keys: list[np.ndarray]
    contexts: list[np.ndarray]  # of the same orders
    smoothing: Backoff


def without(model: Stored, wanted: list[np.ndarray], rows: int, progress: Progress) -> Stored:
    """The model of the n-grams `wanted` (N,) bool, orders 2, 3, ..., and of those they need.

    The weights stay: right where what goes was never more than its share of the shorter n-gram.
    """
    kept = _needed(model, wanted, rows, stage(progress, 0.0, 0.5))
    number_of = np.arange(rows)  # new numbers by old ones, of the order below
    keys, contexts, steps = [], [], len(wanted)
    for number, (table, before, mask) in enumerate(
        zip(model.keys, model.contexts, kept[1:], strict=True)
    ):
        step = stage(progress, 0.5 + 0.5 * number / steps, 0.5 / steps)
        chosen = table[mask]
        keys.append(_renumbered(chosen, number_of, rows, stage(step, 0.0, 0.5)))
        contexts.append(number_of[before[mask]])
        number_of = np.cumsum(mask) - 1
        step(1.0)
    probs = [table[mask] for table, mask in zip(model.smoothing.by_order, kept, strict=True)]
    weights = [t[mask] for t, mask in zip(model.smoothing.backoffs, kept[:-1], strict=True)]
    return Stored(keys, contexts, type(model.smoothing)(probs, weights))


def _renumbered(
    keys: np.ndarray, number_of: np.ndarray, rows: int, progress: Progress
) -> np.ndarray:
    """(N,) keys of n-grams whose ends have new numbers."""

    def made(block: slice) -> np.ndarray:
        new: np.ndarray = number_of[keys[block] // rows] * rows + keys[block] % rows
        return new

    return in_blocks(len(keys), np.int64, made, progress)


def pruned(model: Stored, threshold: float, rows: int, progress: Progress) -> Stored:
    """The model without n-grams whose loss raises the perplexity by less than a share `threshold`.

    Stolcke 1998, "Entropy-based pruning of backoff language models": what each n-gram by itself
    adds to the relative entropy, its context's weight made anew; the perplexity is the model's own.
    """
    if not model.keys:
        return model
    orders = range(2, len(model.keys) + 2)
    step = 0.6 / len(orders)
    wanted = [
        _worth(model, order, rows, threshold, stage(progress, (order - 2) * step, step))
        for order in orders
    ]
    smaller = without(model, wanted, rows, stage(progress, 0.6, 0.2))
    weights = [table.copy() for table in smaller.smoothing.backoffs]
    step = 0.2 / len(orders)
    for order in orders:
        here, free = _left(smaller, order, rows, stage(progress, 0.8 + (order - 2) * step, step))
        made = np.divide(here, free, out=weights[order - 2].astype(np.float64),
                         where=(free > _NOTHING) & (here > _NOTHING))  # fmt: skip
        weights[order - 2] = made.astype(np.float32)
    smoothing = type(smaller.smoothing)(smaller.smoothing.by_order, weights)
    return Stored(smaller.keys, smaller.contexts, smoothing)


def _needed(
    model: Stored, wanted: list[np.ndarray], rows: int, progress: Progress
) -> list[np.ndarray]:
    """By order, (N,) what is wanted, and what that needs; all words."""
    kept = [np.ones(rows, bool), *(mask.copy() for mask in wanted)]
    for number, order in enumerate(range(len(kept) - 1, 1, -1)):
        step = stage(progress, number / len(wanted), 1 / len(wanted))
        mask, keys, contexts = kept[order], model.keys[order - 1], model.contexts[order - 1]
        for block in blocks(len(mask)):
            here = mask[block]
            kept[order - 1][keys[block][here] // rows] = True
            kept[order - 1][contexts[block][here]] = True
            step(block.stop / len(mask))
    return kept


def _left(
    model: Stored, order: int, rows: int, progress: Progress
) -> tuple[np.ndarray, np.ndarray]:
    """(contexts,) what the seen words leave of 1, by n-grams and by the shorter ones."""
    contexts, size = model.contexts[order - 2], len(model.smoothing.by_order[order - 2])
    here, free = np.zeros(size), np.zeros(size)
    for block in blocks(len(contexts)):
        probs, shorter = _both(model, order, rows, block)
        into = contexts[block].astype(np.int64)
        np.add.at(here, into, probs)
        np.add.at(free, into, shorter)
        progress(block.stop / len(contexts))
    return np.maximum(1 - here, 0), np.maximum(1 - free, 0)


def _both(model: Stored, order: int, rows: int, block: slice) -> tuple[np.ndarray, np.ndarray]:
    """(N,) float64 p of each n-gram of a block and of the shorter one that ends like it."""
    ends = model.keys[order - 2][block] // rows
    probs = model.smoothing.by_order[order - 1][block].astype(np.float64)
    return probs, model.smoothing.by_order[order - 2][ends].astype(np.float64)


def _worth(
    model: Stored, order: int, rows: int, threshold: float, progress: Progress
) -> np.ndarray:
    """(N,) bool: without the n-gram alone the model's perplexity would rise by the `threshold`."""
    contexts, backoffs = model.contexts[order - 2], model.smoothing.backoffs[order - 2]
    here_of, free_of = _left(model, order, rows, stage(progress, 0.0, 0.3))
    chances = _chances(model, order - 1, stage(progress, 0.3, 0.2))
    tiny = np.finfo(np.float64).tiny

    def made(block: slice) -> np.ndarray:
        into = contexts[block]
        probs, shorter = _both(model, order, rows, block)
        here, free, weight = here_of[into], free_of[into], backoffs[into].astype(np.float64)
        without_it = (here + probs) / np.maximum(free + shorter, _NOTHING)
        alone = np.log(np.maximum(without_it * shorter, tiny)) - np.log(np.maximum(probs, tiny))
        others = np.log(np.maximum(without_it, tiny)) - np.log(np.maximum(weight, tiny))
        loss = -chances[into] * (probs * alone + here * others)  # nats an event
        return np.expm1(loss) >= threshold

    return in_blocks(len(contexts), np.bool_, made, stage(progress, 0.5, 0.5))


def _chances(model: Stored, order: int, progress: Progress) -> np.ndarray:
    """(N,) how often the model expects each n-gram of an order; `<s>` as often as `</s>`."""
    chances = model.smoothing.by_order[0].astype(np.float64)
    chances[BOS] = chances[EOS]
    for length in range(2, order + 1):
        chances = chances[model.contexts[length - 2]] * model.smoothing.by_order[length - 1]
        progress(length / order)
    return chances
