"""Documents to those that stand in a corpus more than once, word for word or nearly.

Exact duplicates have the same text once white space is left out; what near-duplicates are is said
in `data.neighbours`.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from lmstudio.data.copies.neighbours import Neighbours
from lmstudio.data.copies.shingles import Stretch
from lmstudio.data.layout import CorpusText
from lmstudio.jobs import Job
from lmstudio.messages import Message


@dataclass
class DuplicateReport:
    """Groups of document numbers, ascending; the first of each is the one to keep.

    In a near group every other is near to the first. Copies stand in the exact groups only.
    """

    exact: list[list[int]] = field(default_factory=list)
    near: list[list[int]] = field(default_factory=list)

    @property
    def exact_documents(self) -> int:
        """Documents whose text stands in an earlier one."""
        return sum(len(group) - 1 for group in self.exact)

    @property
    def near_documents(self) -> int:
        """Documents that differ a little from an earlier one; copies are not counted again."""
        return sum(len(group) - 1 for group in self.near)

    def to_json(self) -> dict[str, Any]:
        """Plain data: the groups and both counts."""
        counts = {"exact_documents": self.exact_documents, "near_documents": self.near_documents}
        return asdict(self) | counts


def duplicates(corpus_folder: Path, documents: Sequence[Stretch], *, job: Job) -> DuplicateReport:
    """Compare documents, given as (first line, lines), that follow one another in text.utf8."""
    if len(documents) < 2:
        return DuplicateReport()
    neighbours = Neighbours(CorpusText(corpus_folder), documents, job=job)
    exact = _equal_rows(neighbours.digests)
    copies = {number for group in exact for number in group[1:]}
    return DuplicateReport(exact, _near_groups(neighbours, copies, job))


def _equal_rows(digests: np.ndarray) -> list[list[int]]:
    """The numbers of rows of (N, 2) that are equal, where two or more are."""
    order = np.lexsort(digests.T)
    ordered = digests[order]
    begins = np.flatnonzero((ordered[1:] != ordered[:-1]).any(axis=1)) + 1
    bounds = np.concatenate([[0], begins, [len(order)]])
    several = np.flatnonzero(np.diff(bounds) > 1)
    return sorted(order[bounds[n] : bounds[n + 1]].tolist() for n in several)


def _near_groups(neighbours: Neighbours, copies: set[int], job: Job) -> list[list[int]]:
    """Each document joins a kept one that it is near to, or is kept itself."""
    groups: dict[int, list[int]] = {}
    numbers = [number for number in neighbours.in_company().tolist() if number not in copies]
    for done, number in enumerate(numbers):
        job.tick(done, len(numbers), Message("Comparing texts that look alike"))
        kept = neighbours.find(number)
        if kept is None:
            neighbours.add(number)
        else:
            groups.setdefault(kept, [kept]).append(number)
    return sorted(groups.values())
