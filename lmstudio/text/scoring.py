"""Two segmentations of one text into precision, recall and F, as the SIGHAN bakeoff counts them.

Sproat and Emerson, "The First International Chinese Word Segmentation Bakeoff" (2003). Its scorer
aligns the words of a line by a longest common subsequence (it calls `diff`), so overlapping words
of jieba's full and search mode can be scored too. Out of vocabulary are words of the gold text that
are not among the training words.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from lmstudio.text.read import ReadError, shown, whole_text

Words = Sequence[str]
Chunk = tuple[tuple[str, ...], tuple[str, ...]]
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
_LONGEST = 4  # Han characters a word, on average; cut text has less than 2, verses have 5


@dataclass(frozen=True)
class SegmentationScore:
    """Counts of words and the shares that follow from them; a share of nothing is 0."""

    gold: int  # words of the gold text
    test: int  # words of the segmentation that is scored
    correct: int  # aligned with the same word
    oov: int | None = None  # gold words not among the training words; None without those
    oov_correct: int | None = None

    @property
    def recall(self) -> float:
        """Share of the gold words that were found."""
        return _share(self.correct, self.gold)

    @property
    def precision(self) -> float:
        """Share of the found words that are right."""
        return _share(self.correct, self.test)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return _share(2 * self.correct, self.gold + self.test)

    @property
    def oov_rate(self) -> float | None:
        """Share of the gold words that are not among the training words."""
        return None if self.oov is None else _share(self.oov, self.gold)

    @property
    def oov_recall(self) -> float | None:
        """Recall of those words."""
        return None if self.oov_correct is None else _share(self.oov_correct, self.oov or 0)

    @property
    def iv_recall(self) -> float | None:
        """Recall of the other words."""
        if self.oov is None or self.oov_correct is None:
            return None
        return _share(self.correct - self.oov_correct, self.gold - self.oov)


@dataclass(frozen=True)
class Difference:
    """A line that was cut otherwise: (gold words, test words) in turn, equal or differing."""

    line: int  # from 1: of the file, or of the corpus
    chunks: tuple[Chunk, ...]


def score(
    gold: Iterable[Words], test: Iterable[Words], training_words: Collection[str] | None = None
) -> SegmentationScore:
    """The score of `test` beside `gold`, both the words of each line. ValueError: other lines."""
    counts = [0] * 5
    known = None if training_words is None else frozenset(training_words)
    for right, found in zip(gold, test, strict=True):
        matched = [right[i] for i, _ in aligned(right, found)]
        counts[0] += len(right)
        counts[1] += len(found)
        counts[2] += len(matched)
        if known is not None:
            counts[3] += sum(word not in known for word in right)
            counts[4] += sum(word not in known for word in matched)
    return SegmentationScore(*counts[:3], *(counts[3:] if known is not None else ()))


def differences(gold: Iterable[Words], test: Iterable[Words], limit: int = 100) -> list[Difference]:
    """The first `limit` lines that were cut otherwise."""
    lines = enumerate(zip(gold, test, strict=True), 1)
    differing = (
        Difference(number, tuple(_chunks(right, found)))
        for number, (right, found) in lines
        if list(right) != list(found)
    )
    return list(islice(differing, limit))


def _chunks(right: Words, found: Words) -> Iterator[Chunk]:
    """Stretches of words that are the same in both, and what stands between them."""
    same: list[str] = []
    i = j = 0
    for next_i, next_j in [*aligned(right, found), (len(right), len(found))]:
        if (next_i, next_j) != (i, j):
            if same:
                yield tuple(same), tuple(same)
            yield tuple(right[i:next_i]), tuple(found[j:next_j])
            same = []
        if next_i < len(right):
            same.append(right[next_i])
        i, j = next_i + 1, next_j + 1
    if same:
        yield tuple(same), tuple(same)


def aligned(right: Words, found: Words) -> list[tuple[int, int]]:
    """Index pairs of a longest common subsequence, in order.

    The table's rows are bits of one integer each (Hyyrö, "Bit-parallel LCS-length computation
    revisited", 2004): bit j of row i is 0 where the first j + 1 words of `found` share one more
    with the first i words of `right` than the first j do.
    """
    start, ends = 0, (len(right), len(found))
    while start < min(ends) and right[start] == found[start]:
        start += 1
    while min(ends) > start and right[ends[0] - 1] == found[ends[1] - 1]:
        ends = ends[0] - 1, ends[1] - 1
    middle = _common(right[start : ends[0]], found[start : ends[1]])
    tail = zip(range(ends[0], len(right)), range(ends[1], len(found)), strict=True)
    return [(i, i) for i in range(start)] + [(start + i, start + j) for i, j in middle] + [*tail]


def _common(right: Words, found: Words) -> list[tuple[int, int]]:
    places: dict[str, int] = {}
    for j, word in enumerate(found):
        places[word] = places.get(word, 0) | 1 << j
    everything = (1 << len(found)) - 1
    rows = [everything]
    for word in right:
        row, same = rows[-1], places.get(word, 0)
        rows.append((row + (row & same) | row & ~same) & everything)
    pairs = []
    i, j = len(right), len(found)
    while i and j:
        if right[i - 1] == found[j - 1]:
            i, j = i - 1, j - 1
            pairs.append((i, j))
        elif rows[i] >> (j - 1) & 1:
            j -= 1
        else:
            i -= 1
    return pairs[::-1]


def read_words(path: Path) -> list[list[str]]:
    """The words of each line of a file, which white space divides.

    ReadError if it is no text, or Chinese text that is not cut: its "words" are whole lines.
    """
    text = whole_text(path)
    lines = text.split("\n")
    words = [line.split() for line in (lines if lines[-1] else lines[:-1])]
    han = [size for line in words for word in line if (size := len(_HAN.findall(word)))]
    if sum(han) > _LONGEST * len(han):
        raise ReadError(
            "{path} does not look cut into words: one has {size} Chinese characters on average. "
            "Give a file with white space between the words.",
            path=shown(path), size=round(sum(han) / len(han)),
        )  # fmt: skip
    return words


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
