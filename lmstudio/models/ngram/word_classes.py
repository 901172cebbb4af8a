"""Bigrams of words in; a class for each word, out: words that stand in like company share one.

Brown et al. 1992, "Class-based n-gram models of natural language": the classes should keep as much
as possible of the mutual information between neighbours,

    AMI = sum over classes c, d of  p(c d) log2 (p(c d) / (p(c .) p(. d)))

As there, words come one by one, the frequent first; each is a class of its own until the two
classes are joined that lose least by it (`class_unions`). That is done for the first thousand
words, if classes are few; the others go where they lose least. Then each word is tried in every
other class, again and again, until nothing moves: the exchange algorithm (Kneser & Ney 1993;
Martin, Liermann & Ney 1998), which only gains. Words are tried in batches, all against the same
counts; one that would gain is tried again by itself before it moves.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from lmstudio.data.layout import SPECIALS
from lmstudio.models.ngram.class_unions import Unions, XLogX
from lmstudio.models.ngram.counts import Progress
from lmstudio.models.ngram.neighbours import Neighbours

_JOINED = 1000
"""Words after which joining two older classes hardly ever beats placing the new word."""
_JOINABLE = 200
"""Classes above which none are joined: finding the cheapest pair takes their number squared."""
_LEAST_GAIN = 1e-9  # of n log n; below, a move is rounding
_TRIED = 512  # words of a batch, at most
_CELLS = 1 << 17  # numbers that a batch works on at a time: a megabyte
_PLACED = 0.02  # so many of the words that have a class get theirs next, without one another


@dataclass(frozen=True)
class Found:
    """How far the search has come: enough to go on from, to the same end."""

    class_of: np.ndarray  # (rows,) int64, -1 for a word that has no class yet
    sweep: int  # 0 while words get their first class
    place: int  # in the order of frequency, of the next word
    moved: int  # words that this sweep has moved


Keep = Callable[[Found], None]


class WordClasses:
    """The exchange algorithm on a table of bigrams."""

    def __init__(
        self, left: np.ndarray, right: np.ndarray, counts: np.ndarray, rows: int, classes: int
    ) -> None:
        """`left`, `right` (N,) ids of the bigrams that occur and (N,) how often each does.

        `<unk>`, `<s>` and `</s>` have a class of their own each, beside the `classes`.
        """
        self._after = Neighbours(left, right, counts, rows)
        self._before = Neighbours(right, left, counts, rows)
        self._size = len(SPECIALS) + classes + 1  # the last is spare, for a word that has just come
        self.class_of = np.full(rows, -1, np.int64)
        self.pairs = np.zeros((self._size, self._size), np.int64)  # (C, C) class bigrams
        self._frequency = np.bincount(right, weights=counts, minlength=rows)
        self._f = XLogX(int(np.sum(counts)))

    def fit(
        self, sweeps: int, progress: Progress, *, begun: Found | None = None,
        keep: Keep = lambda found: None,
    ) -> np.ndarray:  # fmt: skip
        """(rows,) the class of each id, after at most so many rounds of exchange.

        `keep` is called now and then with what a later call can go on from as `begun`.
        """
        words = self._by_frequency()
        if begun is None:
            begun = Found(self._first(words, sweeps, progress), 0, self._one_by_one(words), 0)
        self._restore(begun.class_of)
        sweep, place, moved = begun.sweep, begun.place, begun.moved
        while sweep == 0 or (sweep <= sweeps and self._size > len(SPECIALS) + 2):
            while place < len(words):
                keep(Found(self.class_of.copy(), sweep, place, moved))
                tick = partial(progress, (sweep + place / len(words)) / (sweeps + 1))
                tick()
                batch = self._batch(words, place, sweep)
                moved += self._exchange(batch, tick) if sweep else self._place(batch)
                place += len(batch)
            if not moved and sweep:
                break
            sweep, place, moved = sweep + 1, 0, 0
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

    def _one_by_one(self, words: np.ndarray) -> int:
        """How many words are placed singly: they have a class of their own, or are joined."""
        classes = self._size - 1 - len(SPECIALS)
        return min(len(words), max(classes, _JOINED if 1 < classes <= _JOINABLE else 0))

    def _first(self, words: np.ndarray, sweeps: int, progress: Progress) -> np.ndarray:
        """(rows,) classes of the special ids and of the words that are placed singly."""
        spare, first = self._size - 1, len(SPECIALS)
        for number in range(first):
            self._put(np.array([number]), np.array([number]))
        unions = Unions(self.pairs, self._f)
        for place, word in enumerate(words[: self._one_by_one(words)]):
            progress(place / len(words) / (sweeps + 1))
            if place < spare - first:
                self._put(np.array([word]), np.array([first + place]))
                continue
            if place == spare - first:
                unions = Unions(self.pairs, self._f)
            with unions.changing(spare):
                self._put(np.array([word]), np.array([spare]))
            self._join(unions, *unions.cheapest())
        return self.class_of

    def _join(self, unions: Unions, one: int, other: int) -> None:
        """Make one class of two; what is spare takes the number that is free then."""
        spare = self._size - 1
        with unions.changing(one, other, spare):
            for old, new in ((other, one), (spare, other)) if other != spare else ((spare, one),):
                self.class_of[self.class_of == old] = new
                for pairs in (self.pairs, self.pairs.T):
                    pairs[new] += pairs[old]
                    pairs[old] = 0

    def _restore(self, class_of: np.ndarray) -> None:
        """Count anew what words that have a class make of the pairs."""
        self.class_of = class_of.astype(np.int64)
        self.pairs[:] = 0
        self._count(np.flatnonzero(self.class_of >= 0))
        self._members = np.bincount(self.class_of[self.class_of >= 0], minlength=self._size)

    def _batch(self, words: np.ndarray, place: int, sweep: int) -> np.ndarray:
        """The words to try next, with one another's company left as it is."""
        most = _TRIED if sweep else min(_TRIED, max(1, int(_PLACED * place)))
        batch = words[place : place + most]
        cells = np.cumsum(np.minimum(self._after.sizes(batch), self._size)) * self._size
        return batch[: max(1, int(np.searchsorted(cells, _CELLS)))]

    def _place(self, batch: np.ndarray) -> int:
        """Give words a class."""
        best = np.argmax(self._gains(batch), axis=1)
        self._put(batch, best)
        self._members += np.bincount(best, minlength=self._size)
        return len(batch)

    def _exchange(self, batch: np.ndarray, tick: Callable[[], None]) -> int:
        """Move words to their best classes, how many moved. A class is never left empty."""
        moved = 0
        for word in batch[self._better(batch)[0]]:
            tick()  # with many classes a batch may take more than a second
            alone = np.array([word])
            gains, best = self._better(alone)
            old = int(self.class_of[word])
            if not gains[0] or self._members[old] == 1:
                continue
            self._count(alone, -1)
            self._put(alone, best)
            self._members[old] -= 1
            self._members[best] += 1
            moved += 1
        return moved

    def _better(self, batch: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(B,) whether words would gain by moving, and (B,) where to."""
        gains, here = self._gains(batch), np.arange(len(batch))
        best = np.argmax(gains, axis=1)
        return gains[here, best] > gains[here, self.class_of[batch]] + _LEAST_GAIN, best

    def _put(self, words: np.ndarray, numbers: np.ndarray) -> None:
        self.class_of[words] = numbers
        self._count(words)

    def _count(self, words: np.ndarray, sign: int = 1) -> None:
        """Bigrams of words with words that have a class, into or out of the pairs, each once."""
        chosen = np.zeros(len(self.class_of), bool)
        chosen[words] = True
        for rows, pairs in ((self._after, self.pairs), (self._before, self.pairs.T)):
            of, others, counts = rows.of(words)
            counted = self.class_of[others] >= 0
            if rows is self._before:  # between two of the words it has been counted
                counted &= ~chosen[others]
            keys = self.class_of[words[of[counted]]] * self._size + self.class_of[others[counted]]
            found = np.bincount(keys, counts[counted], self._size**2).reshape(pairs.shape)
            pairs += sign * found.astype(np.int64)

    def _company(self, words: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(B, C) counts of words before each class, (B, C) after each, and (B,) before itself."""
        shape = len(words), self._size
        itself, tables = np.zeros(len(words), np.int64), []
        for rows in (self._after, self._before):
            of, others, counts = rows.of(words)
            same = others == words[of]
            itself[of[same]] = counts[same]
            classes = self.class_of[others]
            placed = (classes >= 0) & ~same
            keys = of[placed] * self._size + classes[placed]
            found = np.bincount(keys, counts[placed], shape[0] * shape[1])
            tables.append(found.astype(np.int64).reshape(shape))
        return tables[0], tables[1], itself

    def _gains(self, words: np.ndarray) -> np.ndarray:
        """(B, C) what each class would add to sum n log n of pairs less that of margins.

        Each word is taken out of its class first, if it has one. -inf for the special ids' classes.
        """
        f, pairs, own = self._f, self.pairs, self.class_of[words]
        after, before, itself = self._company(words)
        gains = self._meeting(pairs.T, after, before, own, itself)
        gains += self._meeting(pairs, before, after, own, itself)
        has = np.flatnonzero(own >= 0)
        here = has, own[has]
        inside = np.repeat(np.diagonal(pairs)[None], len(words), axis=0)
        inside[here] -= after[here] + before[here] + itself[has]
        # where class meets class, both of the above were wrong
        gains -= f(inside + after) + f(inside + before) - f(inside)
        gains += f(inside + after + before + itself[:, None])
        for axis, added, other in ((1, after, before), (0, before, after)):
            occurs = added.sum(axis=1) + itself
            margin = np.repeat(pairs.sum(axis=axis)[None], len(words), axis=0)
            margin[own < 0] += other[own < 0]
            margin[here] -= occurs[has]
            gains -= f(margin + occurs[:, None]) - f(margin)
        gains[:, : len(SPECIALS)] = gains[:, -1] = -np.inf
        return gains

    def _meeting(
        self, table: np.ndarray, company: np.ndarray, opposite: np.ndarray, own: np.ndarray,
        itself: np.ndarray,
    ) -> np.ndarray:  # fmt: skip
        """(B, C) what the bigrams of words with each class add to n log n, by the word's class.

        `table` (C, C) pairs with the classes of the `company` in front, `opposite` on its other
        side; a word's own bigrams are taken out where it has a class.
        """
        of, met = np.nonzero(company)
        cells, value = table[met], company[of, met]
        placed = np.flatnonzero(own[of] >= 0)
        cells[placed, own[of[placed]]] -= value[placed]
        inside = np.flatnonzero(met == own[of])
        cells[inside] -= opposite[of[inside]]
        cells[inside, met[inside]] -= itself[of[inside]]
        change = self._f(cells + value[:, None])
        change -= self._f(cells)
        found = np.zeros(company.shape)
        starts = np.flatnonzero(np.diff(of, prepend=-1))
        if len(starts):
            found[of[starts]] = np.add.reduceat(change, starts, axis=0)
        return found


def members(class_of: np.ndarray, counts: np.ndarray) -> Iterator[np.ndarray]:
    """The ids of each class, the frequent first."""
    for number in range(int(class_of.max()) + 1):
        ids = np.flatnonzero(class_of == number)
        yield ids[np.argsort(-counts[ids], kind="stable")]
