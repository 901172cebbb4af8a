"""Questions to a segmentation in a worker, which keeps the laboratory it made for the last one."""

import math
from collections.abc import Sequence
from pathlib import Path

from lmstudio.analysis.laboratory import Bars, CountsOfCounts, Frequent, Laboratory
from lmstudio.data.layout import refuse_absent
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.models.config import NgramConfig

_shelf: dict[tuple[Path, float], Laboratory] = {}


def laboratory(segmentation: Path, order: int, *, job: Job) -> Laboratory:
    """The laboratory of a segmentation, counted at the first question and at a higher order."""
    refuse_absent(segmentation)
    key = segmentation, (segmentation / "tokens.bin").stat().st_mtime
    if key not in _shelf or _shelf[key].order < order:
        _shelf.clear()
        _shelf[key] = Laboratory(segmentation, order, job=job)
    return _shelf[key]


def ask_bars(
    segmentation: Path, prefix: Sequence[int], order: int, configs: Sequence[NgramConfig], *,
    most: int, words: Sequence[int], unseen: int = 0, job: Job,
) -> Bars:  # fmt: skip
    """See `Laboratory.bars`."""
    asked = laboratory(segmentation, order, job=job)
    return asked.bars(prefix, order, configs, most=most, words=words, unseen=unseen, job=job)


def ask_frequent(segmentation: Path, order: int, *, most: int, job: Job) -> list[Frequent]:
    """See `Laboratory.frequent`."""
    return laboratory(segmentation, order, job=job).frequent(order, most=most)


def ask_bits(
    segmentation: Path, configs: Sequence[NgramConfig], *, job: Job
) -> list[tuple[float, float]]:
    """(bits per character, perplexity) of the valid part under each config."""
    asked = laboratory(segmentation, max(config.order for config in configs), job=job)
    found = []
    for number, config in enumerate(configs):
        job.tick(number, len(configs), Message("Measuring the valid part"))
        loss = asked.loss(config, job=job)
        found.append((asked.bits(loss), math.inf if loss >= 700 else math.exp(loss)))
    return found


def ask_notes(segmentation: Path, config: NgramConfig, *, job: Job) -> list[Message]:
    """What is not defined of a smoothing on this text, and what is done instead."""
    asked = laboratory(segmentation, config.order, job=job)
    return [*asked.notes, *asked.model(config, job)[1]]


def ask_counts_of_counts(segmentation: Path, order: int, *, job: Job) -> CountsOfCounts:
    """See `Laboratory.counts_of_counts`."""
    return laboratory(segmentation, order, job=job).counts_of_counts(order)
