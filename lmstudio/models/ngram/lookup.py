"""Ids of a text in; out come, for each scored event, the numbers of its n-grams and contexts."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lmstudio.data.layout import BOS, EOS

UNSEEN = -1
"""In place of a number: this n-gram does not occur in the training text."""
OUTSIDE = -2
"""In place of a number: this n-gram would begin before the sentence does."""
_FEW = 256
"""So few n-grams are found sooner without sorting them first."""
_MANY = 1000
"""So many n-grams after a context are worth an index of the longer ones."""
_NUMBER = 32  # bits that the number of an n-gram takes


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
        probes = numbers * np.int64(self.rows) + first
        if len(probes) <= _FEW:
            return _find(table, probes)
        # Sorted probes walk through the table in one direction: ten times faster on a large one.
        probes, places = _sorted(probes)
        new = np.ones(len(probes), bool)
        np.not_equal(probes[1:], probes[:-1], out=new[1:])
        found = np.empty(len(probes), np.int64)
        found[places] = _find(table, probes[new]).take(np.cumsum(new) - 1)
        return found

    def seen(self, stream: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Order by order, the places where n-grams that were seen end, ascending; their numbers.

        No n-gram reaches beyond a `<s>`, and those that reach the first position stop there if it
        is `<s>`. All places are looked through only once: a longer n-gram ends where a shorter did.
        """
        places, numbers = np.arange(len(stream)), stream
        yield places, numbers
        places = (stream != BOS).nonzero()[0]
        numbers = stream.take(places)
        for reach in range(1, self.order):  # the word before the shorter n-gram is so far away
            first = stream.take(places - reach, mode="clip")
            numbers = self.find(reach + 1, numbers, first)
            found = (numbers >= 0).nonzero()[0]
            places, numbers = places.take(found), numbers.take(found)
            yield places, numbers
            grows = (first.take(found) != BOS).nonzero()[0]
            places, numbers = places.take(grows), numbers.take(grows)

    def events(self, stream: np.ndarray, skip: int = 0) -> Match:
        """All events of `<s> w ... </s> <s> ...` but those at its first `skip` positions."""
        numbers = self._by_position(stream)
        events = (stream[skip:] != BOS).nonzero()[0] + skip
        before = events - 1
        contexts = [np.zeros(len(events), np.int32)]
        contexts += [below.take(before) for below in numbers[:-1]]
        return Match([table.take(events) for table in numbers], contexts)

    def after(self, prefix: np.ndarray, words: np.ndarray | None = None) -> Match:
        """Ids as the event after `<s>` and the ids `prefix`: all (Q = rows), or (Q,) `words`.

        `words` ascend, and hold at least the `followers` of the prefix.
        """
        history = self._history(prefix)
        known = [table[-1:] for table in self._by_position(history)]
        if history[-1] == EOS:  # nothing ever follows a sentence's end
            known = [np.where(table == OUTSIDE, OUTSIDE, UNSEEN) for table in known]
        grams = [np.arange(self.rows) if words is None else words]
        contexts: list[np.ndarray] = [np.zeros(len(grams[0]), np.int64)]
        for order in range(2, self.order + 1):
            context = known[order - 2][0]
            contexts.append(np.broadcast_to(context, len(grams[0])))
            if context < 0:  # nothing was seen after it
                grams.append(contexts[-1])
                continue
            grams.append(np.full(len(grams[0]), UNSEEN, np.int32))
            if order == 2:
                seen, numbers = self._followers(int(history[-1]))
                places = seen if words is None else words.searchsorted(seen)
            else:
                kept, numbers = self._begin(order, int(history[1 - order]), numbers)
                places = places[kept]
            grams[-1][places] = numbers
        return Match(grams, contexts)

    def followers(self, prefix: np.ndarray) -> np.ndarray:
        """(M,) ids, ascending: all that were seen after the last of `<s>` and the ids `prefix`."""
        last = int(self._history(prefix)[-1])
        return np.array([], np.int64) if self.order == 1 else self._followers(last)[0]

    def _history(self, prefix: np.ndarray) -> np.ndarray:
        """The last ids of `<s>` and `prefix` that n-grams reach back to."""
        return np.concatenate([[BOS], prefix])[-max(1, self.order - 1) :].astype(np.int64)

    def _followers(self, word: int) -> tuple[np.ndarray, np.ndarray]:
        """(M,) words seen after a word, ascending, and (M,) the numbers of these bigrams."""
        numbers = _of(word, self._by_first)
        return self.keys[0][numbers] // self.rows, numbers

    def _begin(self, order: int, word: int, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Before which of the shorter n-grams a word was seen: places in `numbers`; the longer.

        `numbers` ascend. Where they are many, such as all that follow a comma, what begins with the
        word may be fewer; that is known of trigrams.
        """
        if order == 3 and len(numbers) > _MANY:
            begun = _of(word, self._trigrams_by_first)
            if len(begun) < len(numbers):
                shorter = self.keys[1][begun] // self.rows
                places = numbers.searchsorted(shorter)
                kept = numbers.take(places, mode="clip") == shorter
                return places[kept], begun[kept]
        longer = _find(self.keys[order - 2], numbers * np.int64(self.rows) + word)
        kept = longer >= 0
        return kept.nonzero()[0], longer[kept]

    @cached_property
    def _by_first(self) -> np.ndarray:
        """(first word, number) of all bigrams, ascending. Made when a next word is first asked."""
        return _paired(self.keys[0], self.rows)

    @cached_property
    def _trigrams_by_first(self) -> np.ndarray:
        """The same of all trigrams. Made when many of them could be asked for."""
        return _paired(self.keys[1], self.rows)

    def _by_position(self, stream: np.ndarray) -> list[np.ndarray]:
        """For each order, (T,) the number of the n-gram that ends at each position."""
        places = np.arange(len(stream), dtype=np.int32)
        depth = places - np.maximum.accumulate(np.where(stream == BOS, places, np.int32(0)))
        by_order = []
        for reach, (places, numbers) in enumerate(self.seen(stream)):
            table = np.where(depth >= reach, np.int32(UNSEEN), np.int32(OUTSIDE))
            table[places] = numbers  # int32: half the memory to go through
            by_order.append(table)
        return by_order


def _paired(keys: np.ndarray, rows: int) -> np.ndarray:
    """(N,) first word and number of each n-gram in one number, ascending."""
    pairs: np.ndarray = keys % rows << _NUMBER
    pairs |= np.arange(len(pairs))
    pairs.sort()
    return pairs


def _of(word: int, pairs: np.ndarray) -> np.ndarray:
    """The numbers, ascending, that are paired with a word."""
    start, end = pairs.searchsorted([word << _NUMBER, (word + 1) << _NUMBER])
    numbers: np.ndarray = pairs[start:end] & ((1 << _NUMBER) - 1)
    return numbers


def _sorted(probes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(Q,) probes, ascending, and (Q,) where each stood; both in one number if there is room."""
    bits = len(probes).bit_length()
    if int(probes.max()) >> (63 - bits):
        places = np.argsort(probes)
        return probes[places], places
    packed = probes << bits | np.arange(len(probes))
    packed.sort()
    return packed >> bits, packed & ((1 << bits) - 1)


def _find(table: np.ndarray, probes: np.ndarray) -> np.ndarray:
    """(Q,) where the probes stand in an ascending table; quickest if they ascend as well."""
    if not len(table):
        return np.full(len(probes), UNSEEN)
    places = table.searchsorted(probes)
    places[table.take(places, mode="clip") != probes] = UNSEEN
    return places
