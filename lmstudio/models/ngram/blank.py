"""A blank between two stretches of a sentence in; ln p of every word that could fill it, out.

A word pays for itself and for the few tokens after it that still see it:

    ln p(w | left) + ln p(right 1 | ... w) + ... + ln p(right n-1 | w ...)

What does not depend on the word is left out. Which n-grams a word makes with its right side is
looked up for all words at once: those that end alike stand side by side in a table.
"""

from typing import Protocol

import numpy as np

from lmstudio.data.layout import BOS
from lmstudio.models.ngram.lookup import OUTSIDE, UNSEEN, Lookup, Match
from lmstudio.models.ngram.smoothing import Scores


class Counted(Protocol):
    """What an n-gram model consists of."""

    lookup: Lookup
    smoothing: Scores


def fill_logs(model: Counted, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """(rows,) ln p of the events that depend on the word between `<s>` and `left`, and `right`.

    `right` ends with `</s>` if the sentence does there. -inf for `<s>`, and where some p is 0 or
    undefined.
    """
    probs = np.ones(model.lookup.rows)
    for match in matches(model.lookup, left, right):
        probs *= np.nan_to_num(model.smoothing.probs(match))  # float64: five factors never vanish
    probs[BOS] = 0.0
    logs = np.full(len(probs), -np.inf)
    return np.log(probs, out=logs, where=probs > 0)


def matches(lookup: Lookup, left: np.ndarray, right: np.ndarray) -> list[Match]:
    """Of the blank, then of each token of `right` that reaches back to it: rows events each."""
    history = np.concatenate([[BOS], left]).astype(np.int64)
    found = [lookup.after(left)]
    for place in range(1, min(lookup.order - 1, len(right)) + 1):
        before = [np.zeros(lookup.rows, np.int64), *found[-1].grams[:-1]]
        found.append(Match(_grams(lookup, history, right[:place]), before))
    return found


def _grams(lookup: Lookup, history: np.ndarray, right: np.ndarray) -> list[np.ndarray]:
    """For each order, (rows,) the number of the n-gram that ends with the last of `right`."""
    place = len(right)  # of that token, counted from the blank
    number = int(right[-1])
    grams = [_everywhere(lookup, number)]
    for order in range(2, place + 1):  # within the right side: the same for all words
        first = np.array([right[place - order]], np.int64)
        number = UNSEEN if number < 0 else int(lookup.find(order, np.array([number]), first)[0])
        grams.append(_everywhere(lookup, number))
    words, numbers = _preceding(lookup, place + 1, number)
    for order in range(place + 1, lookup.order + 1):
        back = order - place - 1  # so many tokens of the left side
        if back > len(history):
            grams.append(_everywhere(lookup, OUTSIDE))
            continue
        if back:
            numbers = lookup.find(order, numbers, np.full(len(numbers), history[-back]))
            words, numbers = words[numbers >= 0], numbers[numbers >= 0]
        table = np.full(lookup.rows, UNSEEN)
        table[words] = numbers
        grams.append(table)
    return grams


def _preceding(lookup: Lookup, order: int, number: int) -> tuple[np.ndarray, np.ndarray]:
    """(M,) words seen before the n-gram with a number, and (M,) the numbers of what they make."""
    table = lookup.keys[order - 2]
    ends = np.array([number, number + 1], np.int64) * lookup.rows if number >= 0 else [0, 0]
    start, end = table.searchsorted(ends) if number >= 0 else (0, 0)
    numbers = np.arange(start, end)
    return np.asarray(table[start:end]) % lookup.rows, numbers


def _everywhere(lookup: Lookup, number: int) -> np.ndarray:
    return np.broadcast_to(np.int64(number), lookup.rows)
