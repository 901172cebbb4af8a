"""A segmentation into its frequent n-grams: word sequences inside sentences, with their counts."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np

from lmstudio.data.frequencies import EVERYTHING, firsts
from lmstudio.data.listing import Column, Listing
from lmstudio.data.words import CHUNK, WordFilter, Words
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message, msg

LONGEST = 8
GROUP = 1 << 22  # n-grams counted at a time, if their first words allow
_NOTE = Message("Counting n-grams")


@dataclass(frozen=True)
class NgramList(Listing):
    """N-grams, the most frequent first, equals in the order of the text."""

    ngram: Annotated[list[str], Column(msg("N-gram"))]
    """(N,) words with spaces between them"""
    count: Annotated[np.ndarray, Column(msg("Count"))]
    per_million: Annotated[np.ndarray, Column(msg("Per million"))]
    """(N,) per million n-grams of this length"""
    ids: Annotated[np.ndarray, Column()]
    """(N, n) numbers of the words"""
    n: int
    total: int  # n-grams of this length in the text
    found: int  # different ones of the minimum count, of which the first are listed


def ngrams(
    corpus: Path,
    segmentation: Path,
    n: int = 2,
    *,
    min_count: int = 2,
    limit: int = 10_000,
    part: str = "",
    shown: WordFilter = EVERYTHING,
    job: Job,
) -> NgramList:
    """The `limit` most frequent n-grams of `n` words (2 to 8) that stand `min_count` times.

    One that holds a word which `shown` leaves out is left out. Exact, in bounded memory: n-grams
    are counted in groups by their first word, and only what is frequent is made longer.
    """
    if not 2 <= n <= LONGEST:
        raise AppError("An n-gram has 2 to {longest} words here.", longest=LONGEST)
    words = Words(corpus, segmentation, job=job)
    starts, total = _starts(words, n, part, job)
    keeps = shown.keeps(words.types)
    best = np.empty((0, 2), np.int64)  # first token and count
    found = 0
    for group in _groups(words, starts, job):
        counted = _counted(words, group, n, min_count)
        counted = counted[_all_kept(words, counted[:, 0], n, keeps)]
        found += len(counted)
        best = np.concatenate([best, counted])
        best = best[np.lexsort((best[:, 0], -best[:, 1]))[:limit]]
    ids = words.ids[best[:, :1] + np.arange(n)]
    texts = [" ".join(words.types[number] for number in row) for row in ids.tolist()]
    return NgramList(
        texts, best[:, 1], best[:, 1] / max(total, 1) * 1e6, ids, n=n, total=total, found=found
    )


def _starts(words: Words, n: int, part: str, job: Job) -> tuple[np.ndarray, int]:
    """(T,) bool: an n-gram of this part begins here and ends in the same sentence; their number."""
    starts = np.zeros(len(words), bool)
    chosen = words.in_part(part)
    for start, end in words.chunks(job, _NOTE):
        room = words.spread(words.starts[1:], start, end) - np.arange(start, end) >= n
        starts[start:end] = room & words.spread(chosen, start, end)
    return starts, int(np.count_nonzero(starts))


def _groups(words: Words, starts: np.ndarray, job: Job) -> Iterator[np.ndarray]:
    """Tokens at which n-grams begin, about `GROUP` at a time, all of one first word together."""
    counts = np.bincount(words.ids, minlength=len(words.types))
    group_of = ((np.cumsum(counts) - counts) // GROUP).astype(np.int32)
    groups = np.flatnonzero(np.bincount(group_of[counts > 0]))
    for done, group in enumerate(groups.tolist()):
        job.tick(done, len(groups), _NOTE)
        inside = group_of == group
        yield np.concatenate([
            start + np.flatnonzero(starts[start : start + CHUNK]
                                   & inside[words.ids[start : start + CHUNK]])
            for start in range(0, len(words), CHUNK)
        ])  # fmt: skip


def _counted(words: Words, tokens: np.ndarray, n: int, min_count: int) -> np.ndarray:
    """(N, 2) int64: first token and count of each frequent n-gram that begins in `tokens`.

    One n-gram more frequent than its own beginning there is not, so from word to word only the
    beginnings that are frequent enough go on.
    """
    groups = words.ids[tokens].astype(np.int64)
    rows = len(words.types)
    for distance in range(1, n):
        keys = groups * rows + words.ids[tokens + distance]
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        first = firsts(keys)
        begins = np.flatnonzero(first)
        counts = np.diff(np.append(begins, len(keys)))
        number = np.cumsum(first) - 1
        kept = counts[number] >= min_count
        tokens, groups = tokens[order[kept]], number[kept]
    return np.stack([tokens[firsts(groups)], counts[counts >= min_count]], axis=1)


def _all_kept(words: Words, tokens: np.ndarray, n: int, keeps: np.ndarray) -> np.ndarray:
    """(N,) bool: every word of the n-grams that begin at `tokens` is shown."""
    return keeps[words.ids[tokens[:, None] + np.arange(n)]].all(axis=1)
