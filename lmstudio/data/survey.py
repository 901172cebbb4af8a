"""A corpus folder and a plan into the figures one weighs before keeping a segmentation."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lmstudio.data.cut_lines import cut_corpus
from lmstudio.data.cut_plan import CutPlan
from lmstudio.data.layout import PartCounts
from lmstudio.data.type_table import TypeTable
from lmstudio.jobs import Job

_POINTS = 200  # of the coverage curve


@dataclass(frozen=True)
class Survey:
    """What a segmentation of the whole corpus would be."""

    tokens: int
    types: int  # different tokens in train
    vocabulary: int  # V after minimum count and size limit
    parts: dict[str, PartCounts]  # without spelling bits
    oov_rate_valid: float | None  # share of valid's tokens that are unknown; None without tokens
    average_length: float  # code points in a token
    coverage: list[tuple[int, float]]  # (types, share of train's tokens they cover), rising


def survey(corpus: Path, plan: CutPlan, *, job: Job) -> Survey:
    """Cut the whole corpus and count; nothing is written. AppError if train holds no token."""
    table = TypeTable()
    for cut in cut_corpus(corpus, plan, job=job):
        table.add(cut)
    vocabulary, _ = table.vocabulary(plan)
    parts = table.parts(vocabulary.encode(table.words), None)
    tokens = int(table.counts.sum())
    return Survey(
        tokens, int(np.count_nonzero(table.counts[0])), vocabulary.size, parts,
        oov_rate(parts["valid"]), _covered(table, plan) / tokens, coverage(table.counts[0]),
    )  # fmt: skip


def _covered(table: TypeTable, plan: CutPlan) -> int:
    """Code points in all tokens; where words overlap, in each of them."""
    if not plan.options.overlapping:
        return int(table.characters.sum())
    lengths = np.fromiter(map(len, table.words), np.int64, len(table.words))
    return int(table.counts.sum(axis=0) @ lengths)


def oov_rate(counts: PartCounts) -> float | None:
    """Share of a part's tokens that are unknown, those written `<unk>` included."""
    return counts.unknown / counts.tokens if counts.tokens else None


def coverage(counts: np.ndarray) -> list[tuple[int, float]]:
    """How much of the text the most frequent types cover, at ranks that grow by a factor."""
    falling = np.sort(counts[counts > 0])[::-1]
    ranks = np.unique(np.geomspace(1, len(falling), _POINTS).round().astype(np.int64))
    shares = np.cumsum(falling)[ranks - 1] / falling.sum()
    return list(zip(ranks.tolist(), shares.tolist(), strict=True))
