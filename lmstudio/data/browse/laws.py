"""A segmentation into the curves of both laws of word counts, Zipf's and Heaps'."""

from dataclasses import dataclass
from pathlib import Path

from lmstudio.data.browse.frequencies import part_counts
from lmstudio.data.browse.growth import Growth, Zipf, growth, zipf
from lmstudio.data.browse.words import Words
from lmstudio.data.layout import PART_NAMES
from lmstudio.jobs import Job


@dataclass(frozen=True)
class Laws:
    """Of the same tokens."""

    zipf: Zipf
    heaps: Growth


def laws(corpus: Path, segmentation: Path, part: str = "", *, job: Job) -> Laws:
    """Rank against frequency, and tokens against types. `part` "" takes all parts."""
    counts = part_counts(Words(corpus, segmentation, job=job), job)
    count = counts[PART_NAMES.index(part)] if part else counts.sum(axis=0)
    return Laws(zipf(count[count > 0]), growth(corpus, segmentation, part, job=job))
