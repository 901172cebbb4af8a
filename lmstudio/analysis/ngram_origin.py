"""An n-gram model and a sentence in; for every event, which order answered and what was paid, out.

The same as the steps of `sentence_walk`, all at once and without their formulas.
"""

from dataclasses import dataclass

import numpy as np

from lmstudio.models.ngram.lookup import OUTSIDE, UNSEEN
from lmstudio.models.ngram.model import NgramModel
from lmstudio.models.ngram.smoothing.backoff import Backoff
from lmstudio.models.ngram.smoothing.stupid_backoff import WEIGHT


@dataclass(frozen=True)
class Origin:
    """Of E events."""

    orders: np.ndarray  # (E,) of the n-gram that answered, or that was asked alone
    paid: np.ndarray  # (E,) the product of the back-off weights; 1 where nothing was given up


def origin(model: NgramModel, stream: np.ndarray) -> Origin:
    """Of the events of `<s> w ... </s>`."""
    match, smoothing = model.lookup.events(stream), model.smoothing
    paid = np.ones(len(match.words))
    if not isinstance(smoothing, Backoff):
        known = np.stack(match.contexts) != OUTSIDE  # (n, E)
        return Origin(_highest(known), paid)
    orders = _highest(np.stack(match.grams) >= 0)
    unseen = 1.0 if smoothing.proper else WEIGHT
    for order in range(2, model.lookup.order + 1):
        grams, contexts = match.grams[order - 1], match.contexts[order - 1]
        given_up = (grams == UNSEEN) & (orders < order)
        known = given_up & (contexts >= 0)
        paid[known] *= smoothing.backoffs[order - 2].take(contexts[known])
        paid[given_up & ~known] *= unseen
    return Origin(orders, paid)


def _highest(known: np.ndarray) -> np.ndarray:
    """(E,) the last order, from 1, that is known at each event, given (n, E)."""
    return len(known) - known[::-1].argmax(axis=0)
