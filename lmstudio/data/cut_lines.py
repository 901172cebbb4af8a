"""Lines of a corpus into tokens numbered within their batch, batch after batch, on all cores."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

from lmstudio import limits
from lmstudio.data.cut_plan import CutPlan
from lmstudio.data.layout import OFFSET, PART_NAMES, SENTENCE, CorpusText
from lmstudio.data.line_cutter import LineCutter
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.text.marks import characters_of
from lmstudio.text.segment import Span
from lmstudio.worker import Pool

__all__ = ["CutLines", "CutPlan", "Numbers", "cut_corpus", "cut_lines"]

BATCH = 64 * 1024  # bytes of text between two ticks
_POOL_FROM = {"characters": 32_000_000, "whitespace": 32_000_000, "given": 32_000_000,
              "jieba": 16_000_000}  # fmt: skip
_POOL_FROM_OTHERS = 4_000_000
"""Bytes of text from which starting more processes pays: each costs a second or two of work."""
_MOST_PROCESSES = 8  # each holds jieba's dictionary


@dataclass
class CutLines:
    """The tokens of a batch of lines."""

    types: list[str]  # (T,) in order of first sight
    ids: np.ndarray  # (N,) int32, into `types`
    offsets: np.ndarray  # (N,) OFFSET
    sentences: np.ndarray  # (S,) SENTENCE, tokens counted from the start of the batch
    counts: np.ndarray  # (parts, T) int64
    characters: np.ndarray  # (parts,) int64, marks left out, and white space unless it is scored
    spaces: int  # how much white space is scored


def cut_corpus(corpus: Path, plan: CutPlan, *, job: Job) -> Iterator[CutLines]:
    """All lines of a corpus folder in order; empty batches too."""
    text = CorpusText(corpus)
    batches = list(_batches(text))
    total = int(text.lines["size"].sum(dtype=np.int64)) if len(text) else 0
    done = 0
    for (first, last), cut in zip(
        batches, _cut_all(corpus, plan, batches, total, job), strict=True
    ):
        yield cut
        done += int(text.lines["size"][first:last].sum(dtype=np.int64))
        job.tick(done, total, Message("Cutting the text into tokens"))


def cut_lines(corpus: Path, first: int, last: int, plan: CutPlan, *, job: Job) -> CutLines:
    """Lines `first` to `last` - 1 of a corpus folder."""
    text, cutter = CorpusText(corpus), LineCutter(corpus, plan, job.check)
    parts = text.lines["part"][first:last].tolist()
    characters = np.zeros(len(PART_NAMES), np.int64)
    words: list[str] = []
    spans: list[Span] = []
    sentences: list[tuple[int, int, int]] = []
    starts: list[int] = []  # of the sentences, in their lines
    spaces = 0
    lines = list(enumerate(text.texts(first, last), first))
    for (number, line), part, cut in zip(lines, parts, cutter.cut(lines), strict=True):
        kept = 0
        for found in cut:
            sentences.append((len(words), number, part))
            starts.append(found.start)
            words += found.types
            spans += found.spans
            kept += found.spaces
        characters[part] += characters_of(line) + kept
        spaces += kept
    packed = _packed(words, spans, np.array(sentences, SENTENCE), starts, characters)
    packed.spaces = spaces
    return packed


def _packed(
    words: list[str],
    spans: list[Span],
    sentences: np.ndarray,
    starts: list[int],
    characters: np.ndarray,
) -> CutLines:
    numbers = Numbers()
    ids = np.fromiter(map(numbers.__getitem__, words), np.int32, len(words))
    lengths = np.diff(sentences["token"], append=len(words))
    flat = np.fromiter(chain.from_iterable(spans), np.int32, 2 * len(spans))
    flat += np.repeat(np.array(starts, np.int32), 2 * lengths)
    parts = np.repeat(sentences["part"], lengths)
    counts = [np.bincount(ids[parts == p], minlength=len(numbers)) for p in range(len(PART_NAMES))]
    return CutLines(
        list(numbers), ids, flat.view(OFFSET), sentences, np.stack(counts), characters, 0
    )  # fmt: skip


class Numbers(dict[str, int]):
    """A word looked up for the first time gets the next number."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


def _batches(text: CorpusText) -> Iterator[tuple[int, int]]:
    """(first, last) lines of about BATCH bytes; a longer line is a batch of its own."""
    if not len(text):
        return
    ends = np.cumsum(text.lines["size"], dtype=np.int64)
    first = 0
    while first < len(text):
        before = int(ends[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(ends, before + BATCH, side="right")))
        yield first, last
        first = last


def _cut_all(
    corpus: Path, plan: CutPlan, batches: list[tuple[int, int]], total: int, job: Job
) -> Iterator[CutLines]:
    processes = min(limits.threads(), len(batches), _MOST_PROCESSES)
    if processes < 2 or total < _POOL_FROM.get(plan.options.by, _POOL_FROM_OTHERS):
        for first, last in batches:
            yield cut_lines(corpus, first, last, plan, job=job)
        return
    pool = Pool(processes, (__name__,))
    try:
        pieces = ((corpus, first, last, plan) for first, last in batches)
        yield from pool.map(job, cut_lines, pieces)
    finally:
        pool.close()
