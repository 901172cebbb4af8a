"""Word counts into the laws of Zipf and of Heaps: curves to plot and what was fitted to them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np

from lmstudio.data.browse.listing import Column, Listing
from lmstudio.data.browse.words import Words
from lmstudio.jobs import Job
from lmstudio.messages import Message, msg

_POINTS = 300  # of a curve
_STEEPEST = 10.0  # exponent; natural text is near 1
_PRECISION = 1e-9  # of an exponent
_MOST_ROUNDS = 60


@dataclass(frozen=True)
class Zipf(Listing):
    """Rank against frequency: count(rank) ~ scale / rank ** exponent."""

    rank: Annotated[np.ndarray, Column(msg("Rank"))]
    count: Annotated[np.ndarray, Column(msg("Count"))]
    fitted: Annotated[np.ndarray, Column(msg("Fitted"))]
    exponent: float
    scale: float  # what the fit gives to rank 1


@dataclass(frozen=True)
class Growth(Listing):
    """Tokens read against types met: types ~ scale * tokens ** exponent."""

    tokens: Annotated[np.ndarray, Column(msg("Tokens"))]
    types: Annotated[np.ndarray, Column(msg("Types"))]
    fitted: Annotated[np.ndarray, Column(msg("Fitted"))]
    exponent: float
    scale: float


def zipf(counts: np.ndarray) -> Zipf:
    """The curve of falling `counts` (W,) at ranks that grow by a factor.

    The exponent is the most likely one for a power law over the ranks 1 to W (Goldstein, Morris,
    Yen, "Problems with fitting to the power-law distribution", 2004); a straight line through the
    logarithms would let the words that stand once decide it. NaN for fewer than two words.
    """
    falling = np.sort(counts)[::-1].astype(np.float64)
    logs = np.log(np.arange(1, len(falling) + 1))
    ranks = _spread(len(falling))
    exponent = scale = float("nan")
    if len(falling) > 1:
        exponent = _likeliest(falling, logs)
        scale = float(falling.sum() / np.exp(-exponent * logs).sum())
    fitted = scale * np.exp(-exponent * logs[ranks - 1])
    return Zipf(ranks, falling[ranks - 1].astype(np.int64), fitted, exponent, scale)


def growth(corpus: Path, segmentation: Path, part: str = "", *, job: Job) -> Growth:
    """How many types the first n tokens hold, at some n, in the order of the corpus.

    The law of Heaps ("Information Retrieval", 1978) and before him Herdan (1960): a straight line
    through the logarithms of points that are spread evenly over them. NaN for fewer than two.
    """
    words = Words(corpus, segmentation, job=job)
    chosen = words.in_part(part)
    met = np.full(len(words.types), -1, np.int64)  # the token at which a type comes first
    read = 0
    for start, end in words.chunks(job, Message("Counting words")):
        ids = words.ids[start:end][words.spread(chosen, start, end)]
        chunk = np.full(len(met), -1, np.int64)
        chunk[ids[::-1]] = np.arange(read, read + len(ids))[::-1]  # the first one stays
        met = np.where(met < 0, chunk, met)
        read += len(ids)
    tokens = _spread(read)
    types = np.searchsorted(np.sort(met[met >= 0]), tokens)
    return _line(tokens, types)


def _line(tokens: np.ndarray, types: np.ndarray) -> Growth:
    exponent = scale = float("nan")
    if len(tokens) > 1:
        exponent, offset = np.polyfit(np.log(tokens), np.log(types), 1).tolist()
        scale = float(np.exp(offset))
    return Growth(tokens, types, scale * tokens.astype(float) ** exponent, exponent, scale)


def _spread(last: int) -> np.ndarray:
    """int64 numbers from 1 to `last` that grow by a factor."""
    if not last:
        return np.empty(0, np.int64)
    return np.unique(np.geomspace(1, last, _POINTS).round().astype(np.int64))


def _likeliest(counts: np.ndarray, logs: np.ndarray) -> float:
    """The exponent at which the expected log rank is the observed one.

    Newton's method, kept inside bounds that close in; some eight rounds over all ranks.
    """
    observed = float(counts @ logs / counts.sum())
    squares = logs * logs
    low, exponent, high = 0.0, 1.0, _STEEPEST
    for _ in range(_MOST_ROUNDS):
        weights = np.exp(-exponent * logs)
        total = weights.sum()
        excess = float(weights @ logs / total) - observed
        variance = float(weights @ squares / total) - (excess + observed) ** 2
        if excess > 0:
            low = exponent  # the ranks of the law are still too high: let it fall more steeply
        else:
            high = exponent
        better = exponent + excess / variance if variance > 0 else high
        if not low < better < high:
            better = (low + high) / 2
        if abs(better - exponent) < _PRECISION:
            return better
        exponent = better
    return exponent
