"""Ids of a text in; out come, for each scored event, the numbers of its n-grams and contexts."""

from dataclasses import dataclass

import numpy as np

from lmstudio.data.layout import BOS, EOS

UNSEEN = -1
"""In place of a number: this n-gram does not occur in the training text."""
OUTSIDE = -2
"""In place of a number: this n-gram would begin before the sentence does."""


@dataclass
class Match:
    """What a table of n-grams knows of Q events, order by order."""

    grams: list[np.ndarray]  # (Q,) each: number of the n-gram that ends with the event
    contexts: list[np.ndarray]  # (Q,) each: number of what precedes the event in that n-gram

    @property
    def words(self) -> np.ndarray:
        """(Q,) the ids of the events."""
        return self.grams[0]


class Lookup:
    """Finds the numbers of n-grams; see `counts` for how they are numbered."""

    def __init__(self, rows: int, keys: list[np.ndarray]) -> None:
        """`keys` of the orders 2, 3, ..., ascending."""
        self.rows, self.keys = rows, [np.asarray(table) for table in keys]

    @property
    def order(self) -> int:
        """Of the longest n-grams."""
        return len(self.keys) + 1

    def find(self, order: int, numbers: np.ndarray, first: np.ndarray) -> np.ndarray:
        """(Q,) n-grams made by setting the words `first` before those numbered `numbers`."""
        table = self.keys[order - 2]
        if not len(table):
            return np.full(len(numbers), UNSEEN)
        probes = numbers * np.int64(self.rows) + first
        # Sorted probes walk through the table in one direction: ten times faster on a large one.
        ordered = np.argsort(probes)
        probes = probes[ordered]
        places = np.searchsorted(table, probes)
        places[places == len(table)] = 0
        found = np.empty(len(probes), np.int64)
        found[ordered] = np.where(table[places] == probes, places, UNSEEN)
        return found

    def events(self, stream: np.ndarray, skip: int = 0) -> Match:
        """All events of `<s> w ... </s> <s> ...` but those at its first `skip` positions."""
        numbers = self._by_position(stream)
        events = np.flatnonzero(stream[skip:] != BOS) + skip
        contexts = [np.zeros(len(events), np.int64)]
        contexts += [below[events - 1] for below in numbers[:-1]]
        return Match([table[events] for table in numbers], contexts)

    def after(self, prefix: np.ndarray) -> Match:
        """Every id of the vocabulary (Q = rows) as the event after `<s>` and the ids `prefix`."""
        history = np.concatenate([[BOS], prefix])[-max(1, self.order - 1) :].astype(np.int64)
        known = [table[-1:] for table in self._by_position(history)]
        if history[-1] == EOS:  # nothing ever follows a sentence's end
            known = [np.where(table == OUTSIDE, OUTSIDE, UNSEEN) for table in known]
        grams = [np.arange(self.rows)]
        contexts = [np.zeros(self.rows, np.int64)]
        for order in range(2, self.order + 1):
            contexts.append(np.repeat(known[order - 2], self.rows))
            if known[order - 2][0] == OUTSIDE:
                grams.append(np.full(self.rows, OUTSIDE))
                continue
            seen = np.flatnonzero(grams[-1] != UNSEEN)
            longer = np.full(self.rows, UNSEEN)
            longer[seen] = self.find(order, grams[-1][seen], history[-(order - 1)])
            grams.append(longer)
        return Match(grams, contexts)

    def _by_position(self, stream: np.ndarray) -> list[np.ndarray]:
        """For each order, (T,) the number of the n-gram that ends at each position."""
        numbers = [stream.astype(np.int64)]
        inside = np.ones(len(stream), bool)
        for order in range(2, self.order + 1):
            reach = order - 1  # the word before the (n - 1)-gram is so far from its end
            inside[:reach] = False
            inside[reach:] &= stream[1 : len(stream) - reach + 1] != BOS
            longer = np.where(inside, UNSEEN, OUTSIDE)
            seen = np.flatnonzero(inside & (numbers[-1] >= 0))
            longer[seen] = self.find(order, numbers[-1][seen], stream[seen - reach])
            numbers.append(longer)
        return numbers
