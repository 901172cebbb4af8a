"""The snapshots of a training in; how the map of its frequent words came about, step by step, out.

The plane is that of PCA over the last step, and all steps are laid into it, so that whatever moves
between two of them has moved in the network. Directions of length 1, as cosines see them.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lmstudio.analysis.contextual import units
from lmstudio.analysis.pca import pca
from lmstudio.data.vocab import Vocabulary
from lmstudio.jobs import Job
from lmstudio.training import snapshots


@dataclass(frozen=True)
class Film:
    """N words at S validations."""

    words: list[str]
    ids: np.ndarray  # (N,)
    counts: np.ndarray  # (N,)
    steps: list[int]
    seconds: list[float]
    places: np.ndarray  # (S, N, 2) float32
    shares: tuple[float, float]  # of the last step's variance, along each axis


def film(segmentation_folder: Path, run_folder: Path, *, job: Job) -> Film:
    """The film of a run; no steps where nothing was kept. AppError where files are damaged."""
    record = snapshots.read(run_folder)
    vocabulary = Vocabulary.load(segmentation_folder)
    known = np.flatnonzero(record.ids < vocabulary.rows)
    ids = record.ids[known]
    words = [vocabulary.types[number] for number in ids.tolist()]
    if not record.snapshots:
        nowhere = np.zeros((0, len(ids), 2), np.float32)
        return Film(words, ids, vocabulary.counts[ids], [], [], nowhere, (0.0, 0.0))
    plane = pca(_seen(record.snapshots[-1].vectors[known]))
    places = []
    for one in record.snapshots:
        job.check()
        places.append(plane.place(_seen(one.vectors[known])))
    return Film(
        words, ids, vocabulary.counts[ids], [one.step for one in record.snapshots],
        [one.seconds for one in record.snapshots], np.stack(places), plane.shares,
    )  # fmt: skip


def _seen(vectors: np.ndarray) -> np.ndarray:
    return units(vectors.astype(np.float32))
