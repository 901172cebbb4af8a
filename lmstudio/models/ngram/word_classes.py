"""Bigrams of words in; a class for each word, out: words that stand in like company share one.

Brown et al. 1992, "Class-based n-gram models of natural language": the classes should keep as much
as possible of the mutual information between neighbours,

    AMI = sum over classes c, d of  p(c d) log2 (p(c d) / (p(c .) p(. d)))

As there, words come one by one, the frequent first; each is a class of its own until the two
classes are joined that lose least by it. That is done for the first thousand words, if classes are
few; the others go where they lose least. Then each word is tried in every other class, again and
again, until nothing moves: the exchange algorithm (Kneser & Ney 1993; Martin, Liermann & Ney 1998),
which only gains.
"""

from collections.abc import Iterator

import numpy as np

from lmstudio.data.layout import SPECIALS
from lmstudio.models.ngram.counts import Progress

_JOINED = 1000
"""Words after which joining two older classes hardly ever beats placing the new word."""
_JOINABLE = 200
"""Classes above which none are joined: finding the cheapest pair takes their number cubed."""
_LEAST_GAIN = 1e-9  # of n log n; below, a move is rounding


class WordClasses:
    """The exchange algorithm on a table of bigrams."""

    def __init__(
        self, left: np.ndarray, right: np.ndarray, counts: np.ndarray, rows: int, classes: int
    ) -> None:
        """`left`, `right` (N,) ids of the bigrams that occur and (N,) how often each does.

        `<unk>`, `<s>` and `</s>` have a class of their own each, beside the `classes`.
        """
        self._after = _Rows(left, right, counts, rows)
        self._before = _Rows(right, left, counts, rows)
        self._size = len(SPECIALS) + classes + 1  # the last is spare, for a word that has just come
        self.class_of = np.full(rows, -1, np.int64)
        self.pairs = np.zeros((self._size, self._size))  # (C, C) class bigrams
        self._frequency = np.bincount(right, weights=counts, minlength=rows)

    def fit(self, sweeps: int, progress: Progress) -> np.ndarray:
        """(rows,) the class of each id, after at most so many rounds of exchange."""
        words = self._by_frequency()
        spare, first = self._size - 1, len(SPECIALS)
        joined = _JOINED if spare - first <= _JOINABLE else 0
        for special in range(first):
            self._put(special, special)
        for place, word in enumerate(words.tolist()):
            if place < spare - first:
                self._put(word, first + place)
            elif place < joined:
                self._put(word, spare)
                self._join(*self._cheapest())
            else:
                self._put(word, int(np.argmax(self._gains(word))))
            progress(place / len(words) / (sweeps + 1))
        for sweep in range(1, sweeps + 1):
            moved = 0
            for place, word in enumerate(words.tolist()):
                moved += self._exchange(word)
                progress((sweep + place / len(words)) / (sweeps + 1))
            if not moved:
                break
        progress(1.0)
        return self.class_of

    @property
    def mutual_information(self) -> float:
        """AMI of the classes in bits."""
        total = self.pairs.sum()
        joint = self.pairs / total
        apart = np.outer(joint.sum(axis=1), joint.sum(axis=0))
        seen = joint > 0
        return float((joint[seen] * np.log2(joint[seen] / apart[seen])).sum())

    def _by_frequency(self) -> np.ndarray:
        order = np.argsort(-self._frequency, kind="stable")
        return order[order >= len(SPECIALS)]

    def _join(self, one: int, other: int) -> None:
        """Make one class of two; what is spare takes the number that is free then."""
        spare = self._size - 1
        for old, new in ((other, one), (spare, other)) if other != spare else ((spare, one),):
            self.class_of[self.class_of == old] = new
            for pairs in (self.pairs, self.pairs.T):
                pairs[new] += pairs[old]
                pairs[old] = 0

    def _cheapest(self) -> tuple[int, int]:
        """The two classes, the spare one among them, that lose least by being joined."""
        first = len(SPECIALS)
        pairs, own = self.pairs, np.diagonal(self.pairs)
        kept = np.zeros((self._size, self._size))
        for table in (pairs, pairs.T):
            single = _xlogx(table).sum(axis=1)
            margin = table.sum(axis=1)
            for one in range(first, self._size):
                to = slice(one + 1, None)
                gain = kept[one, to]
                gain += _xlogx(table[one] + table[to]).sum(axis=1) - single[one] - single[to]
                gain -= _xlogx(margin[one] + margin[to]) - _xlogx(margin[one]) - _xlogx(margin[to])
                # the four cells where the two meet become one, counted here as two columns
                gain -= _xlogx(own[one] + table[to, one]) + _xlogx(table[one, to] + own[to])
        crossed = pairs + pairs.T + own + own[:, None]
        kept += (
            _xlogx(crossed) + _xlogx(pairs) + _xlogx(pairs.T) + _xlogx(own) + _xlogx(own)[:, None]
        )
        kept[:first] = kept[:, :first] = -np.inf
        kept[np.tril_indices(self._size)] = -np.inf
        best = int(np.argmax(kept))
        return best // self._size, best % self._size

    def _exchange(self, word: int) -> int:
        """Move a word to its best class; 1 if it moved. A class is never left empty."""
        old = int(self.class_of[word])
        if np.count_nonzero(self.class_of == old) == 1:
            return 0
        self._take(word)
        gains = self._gains(word)
        new = int(np.argmax(gains))
        if gains[new] <= gains[old] + _LEAST_GAIN:
            new = old
        self._put(word, new)
        return int(new != old)

    def _put(self, word: int, number: int) -> None:
        self.class_of[word] = number
        self._count(word, number, 1)

    def _take(self, word: int) -> None:
        self._count(word, int(self.class_of[word]), -1)
        self.class_of[word] = -1

    def _count(self, word: int, number: int, sign: int) -> None:
        """Bigrams of a word with words that have a class, into or out of the class's."""
        after, before, itself = self._company(word)
        self.pairs[number] += sign * after
        self.pairs[:, number] += sign * before
        self.pairs[number, number] += sign * itself

    def _company(self, word: int) -> tuple[np.ndarray, np.ndarray, float]:
        """(C,) counts of the word before each class, (C,) after each, and before itself."""
        after, before, itself = np.zeros(self._size), np.zeros(self._size), 0.0
        for rows, sums in ((self._after, after), (self._before, before)):
            others, counts = rows.of(word)
            same = others == word
            itself = float(counts[same].sum())
            classes = self.class_of[others]
            placed = (classes >= 0) & ~same
            sums += np.bincount(classes[placed], weights=counts[placed], minlength=self._size)
        return after, before, itself

    def _gains(self, word: int) -> np.ndarray:
        """(C,) what joining each class would add to sum n log n of pairs less that of margins.

        -inf for the classes of the special ids.
        """
        after, before, itself = self._company(word)
        pairs = self.pairs
        right, left = np.flatnonzero(after), np.flatnonzero(before)
        gains = (_xlogx(pairs[:, right] + after[right]) - _xlogx(pairs[:, right])).sum(axis=1)
        gains += (_xlogx(pairs[left].T + before[left]) - _xlogx(pairs[left].T)).sum(axis=1)
        inside = np.diagonal(pairs)  # where class meets class, both of the above were wrong
        gains -= _xlogx(inside + after) + _xlogx(inside + before) - 2 * _xlogx(inside)
        gains += _xlogx(inside + after + before + itself) - _xlogx(inside)
        for margin, added in ((pairs.sum(axis=1), after.sum() + itself),
                              (pairs.sum(axis=0), before.sum() + itself)):  # fmt: skip
            gains -= _xlogx(margin + added) - _xlogx(margin)
        gains[: len(SPECIALS)] = gains[-1] = -np.inf
        return gains


class _Rows:
    """For each id, the ids on one side of it and how often."""

    def __init__(self, keys: np.ndarray, others: np.ndarray, counts: np.ndarray, rows: int) -> None:
        order = np.argsort(keys, kind="stable")
        self._others, self._counts = others[order].astype(np.int64), counts[order].astype(float)
        self._starts = np.searchsorted(keys[order], np.arange(rows + 1))

    def of(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        here = slice(self._starts[number], self._starts[number + 1])
        return self._others[here], self._counts[here]


def _xlogx(values: np.ndarray) -> np.ndarray:
    """n ln n of counts, 0 at 0."""
    return values * np.log(np.maximum(values, 1.0))


def members(class_of: np.ndarray, counts: np.ndarray) -> Iterator[np.ndarray]:
    """The ids of each class, the frequent first."""
    for number in range(int(class_of.max()) + 1):
        ids = np.flatnonzero(class_of == number)
        yield ids[np.argsort(-counts[ids], kind="stable")]
