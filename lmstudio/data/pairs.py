"""Sentences of documents to examples of two stretches that do or do not follow each other.

The pairs of next sentence prediction, made as create_pretraining_data.py of Devlin et al. 2019
(BERT) makes them: sentences fill the window, a part of them is the first stretch, and in half of
the pairs the second one follows it; in the others it comes from another document.
"""

from array import array
from bisect import bisect_left

import numpy as np

from lmstudio.errors import AppError
from lmstudio.messages import Message

EXAMPLE = np.dtype(
    [("a", "<i8"), ("a_size", "<i4"), ("b", "<i8"), ("b_size", "<i4"), ("follows", "i1")]
)
"""First token and number of tokens of both stretches, and whether the second follows the first:
1 or 0; -1 where there is no second one."""

MARKS = 3
"""Tokens of a pair that are none of its stretches: <s> before, </s> after each."""
SHORTER = 0.1  # of the pairs are made for a shorter window, a random one


class NoPairsError(AppError):
    """The sentences make no pairs; how the text must be so that they do."""


class NextSentencePairs:
    """Makes the pairs of an epoch; what follows a stretch is never called a stranger to it.

    A stranger stands in another document. With one document only, which `notice` then tells, it is
    any stretch of it outside the first one that does not begin where that ends.
    """

    def __init__(self, bounds: np.ndarray, documents: np.ndarray) -> None:
        """`bounds` (S, 2) are sentences among the tokens, `documents` (S,) tells whose they are.

        Both in the order of the corpus. A sentence is followed by the next of its document, unless
        some of another part stand between them. NoPairsError if none is, or none has a stranger.
        """
        self._starts, self._ends = _numbers(bounds[:, 0]), _numbers(bounds[:, 1])
        other = np.diff(documents, prepend=-1) != 0
        apart = other | (bounds[:, 0] != np.concatenate([[-1], bounds[:-1, 1]]))
        self._runs = _ranges(apart)  # (R, 2) sentences of which each follows the one before
        self._documents = _ranges(other)
        self._document_of = _numbers(np.cumsum(other) - 1)
        self._run_end = _numbers(np.repeat(self._runs[:, 1], np.diff(self._runs)[:, 0]))
        self.notice = self._check()

    def _check(self) -> Message | None:
        if not self.neighbours:
            raise NoPairsError(
                "No sentence has one that follows it in its document, so there are no pairs to "
                "learn from. Import the text so that a document holds several lines."
            )
        if len(self._documents) > 1:
            return None
        if len(self._starts) < 3:
            raise NoPairsError("Pairs of sentences take three sentences or two documents at least.")
        return Message(
            "There is only one document, so the sentences that do not follow come from the "
            "same text, which is harder to tell. Import the text as several documents to draw "
            "them from others."
        )

    @property
    def neighbours(self) -> int:
        """How many sentences are followed by one."""
        return len(self._starts) - len(self._runs)

    def examples(self, window: int, rng: np.random.Generator) -> np.ndarray:
        """EXAMPLE records: all sentences once as first stretches or what follows, none too long.

        A lone sentence can only have a stranger; as many others then have what follows them, so
        that one half of the pairs are of either kind.
        """
        found: list[tuple[int, int, int, int, bool]] = []
        owed = 0  # strangers that were not drawn by lot
        for run in rng.permutation(len(self._runs)).tolist():
            first, end = self._runs[run].tolist()
            while first < end:
                middle, last = self._chunk(first, end, window - MARKS, rng)
                candidates = self._strangers(first, middle)
                if middle == last:
                    follows, owed = False, owed + 1
                elif owed or not candidates:
                    follows, owed = True, max(0, owed - 1)
                else:
                    follows = bool(rng.random() < 0.5)
                if follows:
                    found.append((first, middle, middle, last, True))
                    first = last
                else:
                    room = window - MARKS - (self._ends[middle - 1] - self._starts[first])
                    second = self._stretch(first, middle, int(rng.random() * candidates), room)
                    found.append((first, middle, *second, False))
                    first = middle  # what would have followed is the beginning of the next
        return self._shortened(np.array(found, np.int64), window - MARKS, rng)

    def _chunk(self, first: int, end: int, room: int, rng: np.random.Generator) -> tuple[int, int]:
        """(end of its first stretch, end) of the sentences from `first` on that fill the room."""
        if rng.random() < SHORTER:
            room = 2 + int(rng.random() * (room - 1))
        last = bisect_left(self._ends, self._starts[first] + room, first, end - 1) + 1
        if last - first == 1:
            return last, last
        return first + 1 + int(rng.random() * (last - first - 1)), last

    def _strangers(self, first: int, middle: int) -> int:
        """How many sentences a stranger to sentences `first` to `middle` - 1 may begin with."""
        start, end = self._kin(first, middle)
        return len(self._starts) - (end - start)

    def _kin(self, first: int, middle: int) -> tuple[int, int]:
        """The sentences with which no stranger begins."""
        if len(self._documents) == 1:
            return first, min(middle + 1, len(self._starts))
        start, end = self._documents[self._document_of[first]].tolist()
        return start, end

    def _stretch(self, first: int, middle: int, number: int, room: int) -> tuple[int, int]:
        """(first sentence, end) of a stranger that fills `room`; one sentence at least."""
        start, end = self._kin(first, middle)
        begin = number if number < start else number + end - start
        stop = self._run_end[begin]
        if begin < first:
            stop = min(stop, first)  # it may not run into the first stretch
        return begin, bisect_left(self._ends, self._starts[begin] + room, begin, stop - 1) + 1

    def _shortened(self, found: np.ndarray, room: int, rng: np.random.Generator) -> np.ndarray:
        """EXAMPLE records of sentence numbers; of the longer stretch both ends are cut away.

        How much of which end is as by lot for each token.
        """
        starts, ends = np.frombuffer(self._starts, "q"), np.frombuffer(self._ends, "q")
        a, b = starts[found[:, 0]], starts[found[:, 2]]
        a_size, b_size = ends[found[:, 1] - 1] - a, ends[found[:, 3] - 1] - b
        a_kept = np.minimum(a_size, np.maximum(room - b_size, (room + 1) // 2))
        b_kept = np.minimum(b_size, room - a_kept)
        records = np.empty(len(found), EXAMPLE)
        records["a"] = a + rng.binomial(a_size - a_kept, 0.5)
        records["b"] = b + rng.binomial(b_size - b_kept, 0.5)
        records["a_size"], records["b_size"] = a_kept, b_kept
        records["follows"] = found[:, 4]
        return records


def _ranges(begins: np.ndarray) -> np.ndarray:
    """(R, 2) int64: from each place where `begins` (S,) is True to the next."""
    edges = np.append(np.flatnonzero(begins), len(begins))
    return np.stack([edges[:-1], edges[1:]], 1)


def _numbers(values: np.ndarray) -> "array[int]":
    """Whole numbers that are quicker had one by one than numpy's, and as small."""
    return array("q", values.astype(np.int64).tobytes())
