"""Stretches of lines to those among them that are nearly the same.

MinHash proposes, the shingles themselves decide: a stretch is near another if the Jaccard index of
their shingles (`data.shingles`) is NEAR or more. So no pair that is named is wrong; a few in a
hundred may be missed. With NEAR as it is, one Han character in eleven may be another one, or a
quarter of a text be new. The 0.8 that is customary, of five units (Lee et al. 2022, Deduplicating
training data makes language models better), finds one in six of the variants of Tang poems.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from lmstudio.data.copies.shingles import SHINGLE, Resemblance, Stretch, sketches
from lmstudio.data.layout import CorpusText
from lmstudio.jobs import Job

NEAR = 0.6
SHORT = 8  # units below which a text says too little to be near another
_BUCKET = 200  # stretches with the same band that are remembered, so that no text takes forever
_CANDIDATES = 50  # compared with a stretch at most, those with most bands in common first


class Neighbours:
    """Finds, among the stretches that were added, one that another is near to."""

    def __init__(self, text: CorpusText, stretches: Sequence[Stretch], *, job: Job) -> None:
        """Sketches the stretches, which follow one another; none is added yet."""
        self._sketches = sketches(text, stretches, job=job)
        self._resemblance = Resemblance(text, stretches, job=job)
        self._buckets: defaultdict[int, list[int]] = defaultdict(list)
        self._added: set[bytes] = set()
        self.digests = self._sketches.digests  # (N, 2), equal where the text is

    def in_company(self) -> np.ndarray:
        """Numbers, ascending, of the stretches that may be near another; all others are not."""
        long = np.flatnonzero(self._sketches.shingles > SHORT - SHINGLE)
        shared = np.zeros(len(long), bool)
        for band in self._sketches.bands[long].T:
            order = np.argsort(band)
            same = np.append(False, band[order][1:] == band[order][:-1])
            shared[order] |= same | np.append(same[1:], False)
        return long[shared]

    def add(self, number: int) -> None:
        """Let a stretch be found from now on; of equal ones the first is enough."""
        digest = self.digests[number].tobytes()
        if digest in self._added:
            return
        self._added.add(digest)
        for bucket in self._own_buckets(number):
            if len(self._buckets[bucket]) < _BUCKET:
                self._buckets[bucket].append(number)

    def find(self, number: int) -> int | None:
        """An added stretch that this one is near to, the likeliest tried first."""
        shared: Counter[int] = Counter()
        for bucket in self._own_buckets(number):
            shared.update(self._buckets.get(bucket, ()))
        for other, _ in shared.most_common(_CANDIDATES):
            if self._are_near(number, other):
                return other
        return None

    def _own_buckets(self, number: int) -> list[int]:
        bands = self._sketches.bands[number].tolist()
        return [place << 32 | band for place, band in enumerate(bands)]

    def _are_near(self, one: int, other: int) -> bool:
        return self._resemblance.jaccard(one, other) >= NEAR
