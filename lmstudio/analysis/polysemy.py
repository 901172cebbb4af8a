"""A word in many sentences into what each layer of a network makes of it: points, and groups.

The look-up table has one vector for a word, whatever it means. Above it each occurrence has a
vector of its own, and where a network tells meanings apart, those of one meaning lie together
(Peters et al. 2018, section 5.3; Wiedemann et al. 2019, "Does BERT make any sense?"). Vectors are
compared by their angle: each is brought to length 1, then grouped by k-means.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lmstudio.analysis.asked import Asked, answering
from lmstudio.analysis.clusters import FEWEST, MOST, adjusted_rand, best_grouping, silhouette
from lmstudio.analysis.contextual import units
from lmstudio.analysis.occurrence_vectors import reading
from lmstudio.analysis.pca import pca
from lmstudio.data.browse.uses import Occurrence
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message


@dataclass(frozen=True)
class LayerGroups:
    """N occurrences in one layer; those that could not be read are in group -1, at NaN."""

    points: (
        np.ndarray
    )  # (N, 2) float32: in the plane of their largest variance, vectors of length 1
    labels: np.ndarray  # (N,) int64: groups from 0, the largest first
    groups: int
    silhouette: float  # -1 to 1; NaN where all are one point
    tried: dict[int, float]  # the silhouette by number of groups
    likeness: float  # the mean cosine of two occurrences
    agreement: float  # adjusted Rand index of groups and known senses; NaN where none are known
    sense_silhouette: float  # of the senses that are known, as groups; NaN where there are not two


@dataclass(frozen=True)
class Polysemy:
    """What a run makes of N occurrences; layer 0 is the look-up table."""

    run: str
    layers: list[LayerGroups]
    pieces: np.ndarray  # (N,) int64: of the run's pieces the word has so many; 0: it was not read
    wider: int  # occurrences inside a token that is longer than the word
    unknown: int  # occurrences of which a piece is unknown to the run

    @property
    def best(self) -> int:
        """The layer with the highest silhouette; the last where there is none."""
        values = [layer.silhouette for layer in self.layers]
        return len(values) - 1 if np.isnan(values).all() else int(np.nanargmax(values))


def polysemy(
    asked: Asked, occurrences: Sequence[Occurrence], groups: int = 0, *, job: Job
) -> Polysemy:
    """The layers of a run; `groups` 2 to 6, or 0: as many as have the highest silhouette.

    AppError for fewer than two occurrences, and for a number of groups that is none of these.
    """
    if groups and not FEWEST <= groups <= MOST:
        raise AppError("Choose {low} to {high} groups, or leave the number to the silhouette.",
                       low=FEWEST, high=MOST)  # fmt: skip
    found = reading(answering(asked, job=job), occurrences, job=job)
    if len(found.read) < 2:
        raise AppError("Find or type two sentences with the word at least.")
    senses = np.array([occurrences[n].sense for n in found.read.tolist()])
    layers = []
    for number, vectors in enumerate(found.vectors):
        job.tick(number, len(found.vectors), Message("Grouping"))
        layer = grouped(vectors, senses, groups, job=job)
        layers.append(_placed(layer, found.read, len(occurrences)))
    return Polysemy(asked.name, layers, found.pieces, found.wider, found.unknown)


def grouped(vectors: np.ndarray, senses: np.ndarray, groups: int, *, job: Job) -> LayerGroups:
    """One layer: vectors (M, D) and what is known of their senses (M,), "" where nothing is."""
    points = units(vectors.astype(np.float64))
    choices = [groups] if groups else range(FEWEST, MOST + 1)
    grouping, tried = best_grouping(points, choices, job=job)
    known = senses != ""
    several = len(set(senses[known].tolist())) > 1
    total = points.sum(0)
    pairs = len(points) * (len(points) - 1)
    return LayerGroups(
        pca(points).places,
        grouping.labels,
        grouping.groups,
        tried.get(grouping.groups, float("nan")),
        tried,
        float(total @ total - (points**2).sum()) / pairs,
        adjusted_rand(grouping.labels[known], senses[known]) if several else float("nan"),
        silhouette(points[known], senses[known]),
    )


def _placed(layer: LayerGroups, read: np.ndarray, total: int) -> LayerGroups:
    """The same for all occurrences: those that were not read are nowhere."""
    points = np.full((total, 2), np.nan, np.float32)
    labels = np.full(total, -1, np.int64)
    points[read], labels[read] = layer.points, layer.labels
    return LayerGroups(points, labels, layer.groups, layer.silhouette, layer.tried, layer.likeness,
                       layer.agreement, layer.sense_silhouette)  # fmt: skip
