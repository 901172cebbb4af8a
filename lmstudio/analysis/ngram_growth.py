"""An n-gram config on a segmentation, made anew at growing orders or on growing text: its cost."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from lmstudio.data.layout import BOS, PartCounts, Tokens
from lmstudio.data.pieces import pieces
from lmstudio.data.vocab import read_counts
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.models.config import NgramConfig
from lmstudio.models.ngram.model import NgramModel


@dataclass(frozen=True)
class Point:
    """One model of the row."""

    order: int
    tokens: int  # of the train part that it saw
    ngrams: int  # of its highest order that occur
    possible: float  # V to the power of its order
    parameters: int
    bytes: int  # of its arrays
    seconds: float  # to count and to estimate
    valid_bits: float  # bits per character; NaN without a valid part
    valid_perplexity: float


def by_order(
    segmentation: Path, config: NgramConfig, orders: Sequence[int], *, job: Job
) -> list[Point]:
    """The same smoothing at each of the orders."""
    text = _Text(segmentation)
    points = []
    for number, order in enumerate(orders):
        job.tick(number, len(orders), Message("Counting n-grams"))
        points.append(text.point(replace(config, order=order), text.train, job))
    return points


def by_size(
    segmentation: Path, config: NgramConfig, shares: Sequence[float], *, job: Job
) -> list[Point]:
    """The same config on the first `shares` (0 to 1) of the train part, by sentences."""
    text = _Text(segmentation)
    starts = np.append(np.flatnonzero(text.train == BOS), len(text.train))
    points = []
    for number, share in enumerate(shares):
        job.tick(number, len(shares), Message("Counting n-grams"))
        end = int(starts[max(1, round(share * (len(starts) - 1)))])
        points.append(text.point(config, text.train[:end], job))
    return points


class _Text:
    """The parts of a segmentation that models are made of and measured on."""

    def __init__(self, segmentation: Path) -> None:
        tokens = Tokens(segmentation)
        self.rows = len(read_counts(segmentation))
        tokens.check(self.rows)
        self.train, self.valid = tokens.stream("train"), tokens.stream("valid")
        self.counts: PartCounts = tokens.meta.parts["valid"]
        if not len(self.train):
            raise AppError("There is no text to train on: the train part is empty.")

    def point(self, config: NgramConfig, stream: np.ndarray, job: Job) -> Point:
        started = time.perf_counter()
        model, facts = NgramModel.fit(
            stream, self.rows, config, lambda share: job.check(), self.valid
        )
        seconds = time.perf_counter() - started
        loss = self._loss(model, job)
        bits = loss * self.counts.events / math.log(2) + self.counts.spelling_bits
        return Point(
            config.order, int((stream != BOS).sum()), model.sizes[-1],
            float(self.rows - 1) ** config.order, facts.parameters,
            sum(table.nbytes for table in model.arrays().values()), seconds,
            bits / max(self.counts.characters, 1), math.inf if loss >= 700 else math.exp(loss),
        )  # fmt: skip

    def _loss(self, model: NgramModel, job: Job) -> float:
        nats, events = 0.0, 0
        for piece in pieces(self.valid, 1 << 14):
            job.check()
            logprobs = model.logprobs(piece)
            nats, events = nats - float(logprobs.sum()), events + len(logprobs)
        return nats / events if events else math.nan
