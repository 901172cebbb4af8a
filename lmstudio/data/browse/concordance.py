"""A query into a concordance: every hit counted, and as many as can be read shown in context."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, Self

import numpy as np

from lmstudio.data.browse.listing import Column, Listing
from lmstudio.data.browse.search import HIT, Query, text_hits, word_hits, word_spans
from lmstudio.data.browse.tagged_words import TaggedWords, tag_hits
from lmstudio.data.browse.words import Neighbours, Words
from lmstudio.data.layout import PART_NAMES, CorpusText
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message, msg

Side = Literal["document", "hit", "left", "right"]
SIDES: tuple[Side, ...] = ("document", "hit", "left", "right")
NEIGHBOURS = 5  # words or characters on each side that can be sorted by
WIDEST = 500  # characters of context on a side
_LONGEST_HIT = 200  # characters of a hit that are shown


@dataclass(frozen=True)
class View:
    """How much of what is found is kept, and how much is seen of each hit."""

    limit: int = 10_000  # hits kept; all are counted
    width: int = 40  # characters of context on each side, 0 to WIDEST
    sample: bool = False  # beyond the limit keep hits drawn at random (seed 1), not the first
    stop_at: int = 0  # end the search when there are so many hits: a first page; 0 = never

    def check(self) -> None:
        """AppError if nothing can be shown like this."""
        if self.limit < 1 or not 0 <= self.width <= WIDEST:
            raise AppError(
                "A concordance keeps one hit or more, with 0 to {widest} characters on each side.",
                widest=WIDEST,
            )


@dataclass(frozen=True)
class Concordance(Listing):
    """Hits in context (KWIC), in the order of the corpus unless sorted. Context ends with its line.

    A hit that is longer than 200 characters is shown by its first 200.
    """

    name: Annotated[list[str], Column(msg("Document"))]
    """(H,) what the document is called; its number from 1 where nobody gave names"""
    document: Annotated[np.ndarray, Column()]
    """(H,) its number, from 0"""
    part: Annotated[list[str], Column(msg("Part"))]
    line_number: Annotated[np.ndarray, Column(msg("Corpus line"))]
    """(H,) lines of the corpus, from 1"""
    left: Annotated[list[str], Column(msg("Left"))]
    hit: Annotated[list[str], Column(msg("Hit"))]
    right: Annotated[list[str], Column(msg("Right"))]
    line: Annotated[np.ndarray, Column()]
    """(H,) lines of the corpus, from 0"""
    start: Annotated[np.ndarray, Column()]
    end: Annotated[np.ndarray, Column()]
    """(H,) code points of the hit in its line"""
    left_units: Annotated[list[Sequence[str]], Column()]
    """(H,) the words before the hit, the nearest first; characters where there are no words"""
    right_units: Annotated[list[Sequence[str]], Column()]
    query: Query
    total: int  # hits found
    complete: bool  # the whole corpus was searched
    sampled: bool  # the hits shown were drawn at random from more

    def sorted_by(self, side: Side, nth: int = 1) -> Self:
        """The hits by place, by their own text, or by their context from the `nth` unit on.

        Units are compared by code point, and farther ones where nearer ones are equal.
        """
        if side == "document":
            return self.take(np.lexsort((self.start, self.line)))
        units = self.left_units if side == "left" else self.right_units
        keys = self.hit if side == "hit" else [tuple(unit[nth - 1 :]) for unit in units]
        order = sorted(range(len(self)), key=keys.__getitem__)
        return self.take(np.array(order, np.int64))


def concordance(
    corpus: Path,
    query: Query,
    view: View,
    *,
    segmentation: Path | None = None,
    part: str = "",
    job: Job,
) -> Concordance:
    """Search a corpus folder; a word query searches the words of `segmentation`.

    Raises AppError for a query that cannot be, and for tags where the corpus came without.
    """
    query.check()
    view.check()
    if query.kind == "word":
        assert segmentation is not None
        return _of_words(Words(corpus, segmentation, job=job), corpus, query, view, part, job)
    if query.kind == "tag":
        return _of_tags(corpus, query, view, part, job)
    kept = _Kept(view)
    kept.take_all(text_hits(corpus, query, part, job=job))
    return _shown(corpus, query, view, kept, kept.hits, None, job)


def _of_words(
    words: Words, corpus: Path, query: Query, view: View, part: str, job: Job
) -> Concordance:
    kept = _Kept(view)
    kept.take_all(word_hits(words, query, part, job=job))
    length = len(query.text.split())
    hits = word_spans(words, kept.hits, length)
    units = words.around(kept.hits, length, NEIGHBOURS)
    return _shown(corpus, query, view, kept, hits, units, job)


def _of_tags(corpus: Path, query: Query, view: View, part: str, job: Job) -> Concordance:
    words = TaggedWords(corpus)
    kept = _Kept(view)
    kept.take_all(tag_hits(words, query, part, job=job))
    length = len(query.text.split())
    hits = words.spans(kept.hits, length)
    units = words.around(kept.hits, length, NEIGHBOURS)
    return _shown(corpus, query, view, kept, hits, units, job)


class _Kept:
    """The first hits, or hits drawn at random; all are counted."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._random = np.random.default_rng(1)
        self._keys = np.empty(0)
        self.hits: np.ndarray = np.empty(0, np.int64)
        self.total = 0
        self.complete = True

    def take_all(self, batches: Iterator[np.ndarray]) -> None:
        """Take batches of hits in corpus order until there are as many as are asked for."""
        for number, batch in enumerate(batches):
            if number == 0:
                self.hits = batch[:0]
            self._take(batch)
            if self._view.stop_at and self.total >= self._view.stop_at:
                self.complete = False
                return

    def _take(self, batch: np.ndarray) -> None:
        self.total += len(batch)
        if not self._view.sample:
            self.hits = np.concatenate([self.hits, batch[: self._view.limit - len(self.hits)]])
            return
        hits = np.concatenate([self.hits, batch])
        keys = np.concatenate([self._keys, self._random.random(len(batch))])
        if len(keys) > self._view.limit:  # those with the smallest keys are a fair sample
            chosen = np.sort(np.argpartition(keys, self._view.limit)[: self._view.limit])
            hits, keys = hits[chosen], keys[chosen]
        self.hits, self._keys = hits, keys


def _shown(
    corpus: Path, query: Query, view: View, kept: _Kept, hits: np.ndarray, units: Neighbours | None,
    job: Job,
) -> Concordance:  # fmt: skip
    """The context of `hits` (HIT), from the text of the corpus."""
    text = CorpusText(corpus)
    hits = hits if len(hits) else np.empty(0, HIT)
    line = hits["line"].astype(np.int64)
    contexts = list(_contexts(text, hits, view.width, job))
    left, hit, right = (list(cells) for cells in zip(*contexts, strict=True)) if contexts else (
        [], [], [])  # fmt: skip
    left_units, right_units = units or (
        [_nearest(cell[::-1]) for cell in left], [_nearest(cell) for cell in right]
    )  # fmt: skip
    document = text.lines["document"][line].astype(np.int64)
    return Concordance(
        [str(number + 1) for number in document.tolist()], document,
        [PART_NAMES[number] for number in text.lines["part"][line].tolist()],
        line + 1, left, hit, right,
        line, hits["start"].astype(np.int64), hits["end"].astype(np.int64), left_units, right_units,
        query=query, total=kept.total, complete=kept.complete,
        sampled=view.sample and kept.total > len(hits),
    )  # fmt: skip


def _contexts(
    text: CorpusText, hits: np.ndarray, width: int, job: Job
) -> Iterator[tuple[str, str, str]]:
    number, line = -1, ""
    for done, (wanted, start, end) in enumerate(hits.tolist()):
        if wanted != number:
            number, line = wanted, text.line(wanted)
            job.tick(done, len(hits), Message("Reading the context"))
        yield (
            line[max(0, start - width) : start],
            line[start : min(end, start + _LONGEST_HIT)],
            line[end : end + width],
        )


def _nearest(characters: str) -> Sequence[str]:
    """The first characters that are no white space."""
    return tuple("".join(characters.split())[:NEIGHBOURS])
