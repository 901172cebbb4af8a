"""Two segmentations into the words that are frequent in the one as against the other."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np

from lmstudio.data.browse.association import log_likelihood, log_ratio
from lmstudio.data.browse.frequencies import EVERYTHING, Frequencies, frequencies
from lmstudio.data.browse.listing import Column, Listing
from lmstudio.data.browse.words import WordFilter
from lmstudio.jobs import Job
from lmstudio.messages import Message, msg


@dataclass(frozen=True)
class Keyness(Listing):
    """Words by falling log-likelihood: the most typical first, the most untypical last."""

    word: Annotated[list[str], Column(msg("Word"))]
    count: Annotated[np.ndarray, Column(msg("Count"))]
    reference: Annotated[np.ndarray, Column(msg("Count in the reference"))]
    per_million: Annotated[np.ndarray, Column(msg("Per million"))]
    reference_per_million: Annotated[np.ndarray, Column(msg("Per million in the reference"))]
    log_likelihood: Annotated[np.ndarray, Column(msg("Log-likelihood"))]
    """G2, negative for words that are rarer than in the reference"""
    log_ratio: Annotated[np.ndarray, Column(msg("Log ratio"))]
    tokens: int
    reference_tokens: int
    note: Message | None = None  # why the two may not be comparable


def keyness(
    target: tuple[Path, Path],
    reference: tuple[Path, Path],
    *,
    part: str = "",
    min_count: int = 1,
    shown: WordFilter = EVERYTHING,
    job: Job,
) -> Keyness:
    """Compare the words of two (corpus folder, segmentation folder).

    A word is listed if it stands at least `min_count` times in both together. Log-likelihood for
    comparing corpora: Rayson and Garside (2000); effect size: Hardie (2014).
    """
    a = frequencies(*target, part, job=job)
    b = frequencies(*reference, part, job=job)
    words, counts = _together(a, b)
    kept = np.flatnonzero((counts.sum(axis=0) >= min_count) & shown.keeps(words))
    ours, theirs = counts[:, kept]
    both = np.float64(a.tokens + b.tokens)
    g2 = log_likelihood(ours, np.float64(a.tokens), ours + theirs, both)
    ratio = log_ratio(ours, theirs, a.tokens, b.tokens)
    listed = Keyness(
        [words[number] for number in kept.tolist()], ours, theirs,
        ours / max(a.tokens, 1) * 1e6, theirs / max(b.tokens, 1) * 1e6, g2, ratio,
        tokens=a.tokens, reference_tokens=b.tokens,
    )  # fmt: skip
    return listed.ordered("log_likelihood")


def _together(a: Frequencies, b: Frequencies) -> tuple[list[str], np.ndarray]:
    """The words of both and their counts (2, W) int64."""
    numbers = {word: number for number, word in enumerate(a.word)}
    places = np.array([numbers.setdefault(word, len(numbers)) for word in b.word], np.int64)
    counts = np.zeros((2, len(numbers)), np.int64)
    counts[0, : len(a.word)] = a.count
    counts[1, places] = b.count
    return list(numbers), counts
