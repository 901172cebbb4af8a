"""A segmentation into the list of its words, how often and in how many documents each stands."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np

from lmstudio.data.browse.listing import Column, Listing
from lmstudio.data.browse.words import WordFilter, Words
from lmstudio.data.layout import PART_NAMES
from lmstudio.jobs import Job
from lmstudio.messages import Message, msg

EVERYTHING = WordFilter()
_NOTE = Message("Counting words")


@dataclass(frozen=True)
class Frequencies(Listing):
    """Words, the most frequent first, equals in the order of the vocabulary."""

    word: Annotated[list[str], Column(msg("Word"))]
    count: Annotated[np.ndarray, Column(msg("Count"))]
    """(W,) int64, in the parts that were counted; so are the next two"""
    per_million: Annotated[np.ndarray, Column(msg("Per million"))]
    documents: Annotated[np.ndarray, Column(msg("In documents"))]
    train: Annotated[np.ndarray, Column(msg("Train"))]
    valid: Annotated[np.ndarray, Column(msg("Valid"))]
    test: Annotated[np.ndarray, Column(msg("Test"))]
    part: str  # "" for all
    tokens: int  # counted, words that are not shown included
    types: int  # different words among them


def frequencies(
    corpus: Path, segmentation: Path, part: str = "", shown: WordFilter = EVERYTHING, *, job: Job
) -> Frequencies:
    """The words of a segmentation, those beyond its vocabulary too. `part` "" counts all parts."""
    words = Words(corpus, segmentation, job=job)
    by_part = part_counts(words, job)
    count = by_part[PART_NAMES.index(part)] if part else by_part.sum(axis=0)
    documents = document_counts(words, part, job)
    present = np.flatnonzero(count)
    kept = present[shown.keeps([words.types[t] for t in present.tolist()])]
    order = kept[np.argsort(-count[kept], kind="stable")]
    tokens = int(count.sum())
    return Frequencies(
        [words.types[t] for t in order.tolist()], count[order], count[order] / max(tokens, 1) * 1e6,
        documents[order], by_part[0, order], by_part[1, order], by_part[2, order],
        part=part, tokens=tokens, types=len(present),
    )  # fmt: skip


def part_counts(words: Words, job: Job) -> np.ndarray:
    """(parts, types) int64: how often each word stands in each part."""
    counts = np.zeros(len(PART_NAMES) * len(words.types), np.int64)
    for start, end in words.chunks(job, _NOTE):
        keys = words.spread(words.parts, start, end) * np.int64(len(words.types))
        counts += np.bincount(keys + words.ids[start:end], minlength=len(counts))
    return counts.reshape(len(PART_NAMES), -1)


def document_counts(words: Words, part: str, job: Job) -> np.ndarray:
    """(types,) int64: in how many documents each word stands."""
    chosen = words.in_part(part)
    counts = np.zeros(len(words.types), np.int64)
    last_seen = np.full(len(words.types), -1)  # a document may go on from chunk to chunk
    for start, end in words.chunks(job, _NOTE):
        inside = words.spread(chosen, start, end)
        document = words.spread(words.documents, start, end)[inside].astype(np.int64)
        pairs = distinct(document * len(words.types) + words.ids[start:end][inside])
        document, word = np.divmod(pairs, len(words.types))
        new = last_seen[word] != document
        counts += np.bincount(word[new], minlength=len(counts))
        last_seen[word] = document  # rising, so the last one stays
    return counts


def distinct(values: np.ndarray) -> np.ndarray:
    """The different values, rising; on big arrays many times faster than `np.unique`."""
    values = np.sort(values)
    return values[firsts(values)]


def firsts(values: np.ndarray) -> np.ndarray:
    """(V,) bool: where each run of equal values begins."""
    first = np.ones(len(values), bool)
    first[1:] = values[1:] != values[:-1]
    return first
