"""Chinese text into strings that may be words: those that hold together and are free outside.

A string holds together if it is far more frequent than its two halves would make it by chance,
however it is halved (pointwise mutual information of the least cohesive cut); it is free if many
different characters stand before and after it (entropy of the left and of the right neighbour).
Sproat and Shih, "A statistical method for finding word boundaries in Chinese text" (1990); Feng,
Chen, Deng and Zheng, "Accessor variety criteria for Chinese word extraction" (2004).
"""

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass

import numpy as np

LONGEST = 5  # characters of a word
_LEAST_PMI = 3.0  # bits
_LEAST_ENTROPY = 1.0  # bits
_HAN = ((0x3400, 0x9FFF), (0x20000, 0x2FFFF))


@dataclass(frozen=True)
class Suggestion:
    """A string that may be a word, and why; all but the count in bits."""

    word: str
    count: int
    pmi: float  # of its least cohesive cut
    left_entropy: float  # of the character before it
    right_entropy: float

    @property
    def score(self) -> float:
        """What suggestions are ranked by: cohesion times freedom on the less free side."""
        return self.pmi * min(self.left_entropy, self.right_entropy)


def find_words(
    text: str, known: Container[str], limit: int, check: Callable[[int], None]
) -> list[Suggestion]:
    """The best strings of 2 to 5 Chinese characters of `text` that are not `known`.

    A line end is a neighbour like any other. `check` is called with the length that comes next.
    """
    grams = _Grams(text)
    found: list[Suggestion] = []
    for length in range(2, LONGEST + 1):
        check(length)
        if not grams.lengthen():
            break
        found += [word for word in grams.words() if word.word not in known]
    return sorted(found, key=lambda word: -word.score)[:limit]


class _Grams:
    """The frequent strings of 1, 2, 3... characters: for each place of the text which begins there.

    `_ids[n]` (N,) int32: number of the string of n + 1 characters, -1 for a rare one. A string
    cannot be frequent where a part of it is rare, so each length starts from the last.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        codes = np.frombuffer(text.encode("utf-32-le"), np.uint32)
        types, self._characters = np.unique(codes, return_inverse=True)
        han = np.logical_or.reduce([(types >= low) & (types <= high) for low, high in _HAN])
        self._size = max(1, int(han[self._characters].sum()))
        self._least = max(4, round(2 * np.log10(self._size)))
        self._ids: list[np.ndarray] = []
        self._counts: list[np.ndarray] = []
        self._first = np.empty(0, np.int64)  # a place of each of the longest strings
        places = np.flatnonzero(han[self._characters])
        self._number(places, self._characters[places].astype(np.int64))

    def lengthen(self) -> bool:
        """Go on to strings of one more character; False if there are none."""
        last = self._ids[-1]
        places = np.flatnonzero((last[:-1] >= 0) & (last[1:] >= 0))
        keys = last[places].astype(np.int64) * len(self._counts[-1]) + last[places + 1]
        self._number(places, keys)
        return len(self._first) > 0

    def _number(self, places: np.ndarray, keys: np.ndarray) -> None:
        """Number the frequent ones of the strings that begin at `places` and differ by `keys`."""
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        starts = np.flatnonzero(np.diff(keys, prepend=-1))
        counts = np.diff(starts, append=len(keys))
        frequent = counts >= self._least
        ids = np.full(len(self._characters), -1, np.int32)
        numbers = np.where(frequent, np.cumsum(frequent) - 1, -1)
        ids[places[order]] = np.repeat(numbers, counts)
        self._ids.append(ids)
        self._counts.append(counts[frequent])
        self._first = places[order][starts[frequent]]

    def words(self) -> Iterator[Suggestion]:
        """Those of the longest strings that hold together and are free."""
        pmi, left, right = self._pmi(), self._entropy(-1), self._entropy(len(self._ids))
        good = (pmi >= _LEAST_PMI) & (np.minimum(left, right) >= _LEAST_ENTROPY)
        for number in np.flatnonzero(good).tolist():
            place = int(self._first[number])
            yield Suggestion(
                self._text[place : place + len(self._ids)], int(self._counts[-1][number]),
                float(pmi[number]), float(left[number]), float(right[number]),
            )  # fmt: skip

    def _pmi(self) -> np.ndarray:
        """(strings,) log2 of count x size / (count of the head x count of the tail), the least."""
        length = len(self._ids)
        cuts = []
        for head in range(1, length):
            heads = self._count(head, self._first)
            tails = self._count(length - head, self._first + head)
            cuts.append(self._counts[-1] * float(self._size) / (heads * tails.astype(float)))
        return np.log2(np.minimum.reduce(cuts))

    def _count(self, length: int, places: np.ndarray) -> np.ndarray:
        """How often the strings of `length` occur that begin at `places`."""
        return self._counts[length - 1][self._ids[length - 1][places]]

    def _entropy(self, step: int) -> np.ndarray:
        """(strings,) bits of the character `step` after the first of the string, of all its places.

        A character beyond an end of the text is as the one at the other end.
        """
        places = np.flatnonzero(self._ids[-1] >= 0)
        neighbours = np.take(self._characters, places + step, mode="wrap")
        keys = self._ids[-1][places].astype(np.int64) << 32 | neighbours
        keys.sort()
        starts = np.flatnonzero(np.diff(keys, prepend=-1))
        times = np.diff(starts, append=len(keys)).astype(float)
        owners = keys[starts] >> 32
        total = self._counts[-1]
        surprise = np.bincount(owners, times * np.log2(times), len(total))
        return np.log2(total) - surprise / total
