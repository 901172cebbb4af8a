"""A segmentation into its frequent n-grams: word sequences inside sentences, with their counts."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np

from lmstudio.data.browse.frequencies import EVERYTHING, firsts
from lmstudio.data.browse.listing import Column, Listing
from lmstudio.data.browse.words import WordFilter, Words
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message, msg

LONGEST = 8
GROUP = 1 << 20  # n-grams counted at a time; more if one word begins more
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
    groups = _groups(words, n, part, job)
    job.check()
    total, last = int(np.count_nonzero(groups)), int(groups.max(initial=0))
    keeps = shown.keeps(words.types)
    best = np.empty((0, 2), np.int64)  # first token and count
    found = 0
    for group in range(1, last + 1):
        job.tick(group - 1, last, _NOTE)
        counted = _counted(words, np.flatnonzero(groups == group), n, min_count, job)
        counted = counted[_all_kept(words, counted[:, 0], n, keeps)]
        found += len(counted)
        best = np.concatenate([best, counted])
        best = best[np.lexsort((best[:, 0], -best[:, 1]))[:limit]]
    ids = words.ids[best[:, :1] + np.arange(n)]
    texts = [" ".join(words.types[number] for number in row) for row in ids.tolist()]
    return NgramList(
        texts, best[:, 1], best[:, 1] / max(total, 1) * 1e6, ids, n=n, total=total, found=found
    )


def _groups(words: Words, n: int, part: str, job: Job) -> np.ndarray:
    """(T,) uint16: which group the n-gram that begins at a token is in; 0 if none begins here.

    An n-gram ends in its sentence. Those of one first word are in one group, of about `GROUP`.
    """
    counts = np.zeros(len(words.types), np.int64)
    for start, end in words.chunks(job, _NOTE):
        counts += np.bincount(words.ids[start:end], minlength=len(counts))
    group_of = ((np.cumsum(counts) - counts) // GROUP + 1).astype(np.uint16)
    chosen = words.in_part(part)
    groups = np.zeros(len(words), np.uint16)
    for start, end in words.chunks(job, _NOTE):
        room = words.spread(words.starts[1:], start, end) - np.arange(start, end) >= n
        begins = room & words.spread(chosen, start, end)
        groups[start:end] = np.where(begins, group_of[words.ids[start:end]], 0)
    return groups


def _counted(words: Words, tokens: np.ndarray, n: int, min_count: int, job: Job) -> np.ndarray:
    """(N, 2) int64: first token and count of each frequent n-gram that begins in `tokens`.

    No n-gram is more frequent than its own beginning, so from word to word only the beginnings
    that are frequent enough go on.
    """
    numbers = words.ids[tokens].astype(np.int64)  # of the beginnings, as long as they are so far
    counts = np.empty(0, np.int64)
    for distance in range(1, n):
        job.check()
        keys = numbers * len(words.types) + words.ids[tokens + distance]
        order = np.argsort(keys)
        first = firsts(keys[order])
        counts = np.diff(np.append(np.flatnonzero(first), len(keys)))
        numbers = np.cumsum(first) - 1
        kept = counts[numbers] >= min_count
        tokens, numbers = tokens[order[kept]], numbers[kept]
        counts = counts[counts >= min_count]
    begins = np.flatnonzero(firsts(numbers))
    earliest = np.minimum.reduceat(tokens, begins) if len(begins) else tokens
    return np.stack([earliest, counts], axis=1)


def _all_kept(words: Words, tokens: np.ndarray, n: int, keeps: np.ndarray) -> np.ndarray:
    """(N,) bool: every word of the n-grams that begin at `tokens` is shown."""
    return keeps[words.ids[tokens[:, None] + np.arange(n)]].all(axis=1)
