"""A transformer in; how alike the vectors of its positions are, beside sinusoidal ones, out.

Learned tables are often found to have made waves of themselves (Wang & Chen 2020, "What do position
embeddings learn?"); the sinusoids are those of Vaswani et al. 2017. Cosines do not see that a
model's sinusoids may be shorter or longer. What no sentence of the training text reached was never
learned.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np

from lmstudio.analysis.asked import Asked, answering
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.models.base import SummingModel
from lmstudio.models.capabilities import reason

Kind = Literal["learned", "sinusoidal", "none"]
MOST = 512
"""Positions that are compared."""


@dataclass(frozen=True)
class PositionVectors:
    """P positions; a model that knows of none has only the sinusoids to show."""

    kind: Kind
    window: int  # positions that the model knows
    own: np.ndarray | None  # (P, P) float32: cosines of the model's vectors
    waves: np.ndarray  # (P, P) float32: of sinusoidal ones
    lengths: np.ndarray | None  # (P,) float32: of the model's vectors

    @property
    def distances(self) -> np.ndarray:
        """(P,) how far two positions are apart: 0, 1, ..."""
        return np.arange(len(self.waves))

    def by_distance(self, cosines: np.ndarray) -> np.ndarray:
        """(P,) the mean cosine (P, P) of positions that are so far apart."""
        return np.array([np.diagonal(cosines, offset).mean() for offset in self.distances])

    def agreement(self) -> float:
        """Pearson's r between the cosines of different positions, own and sinusoidal."""
        if self.own is None or len(self.waves) < 3:
            return float("nan")
        pairs = np.triu_indices(len(self.waves), 1)
        one, two = (cosines[pairs] - cosines[pairs].mean() for cosines in (self.own, self.waves))
        size = float(np.sqrt((one**2).sum() * (two**2).sum()))
        return float((one * two).sum()) / size if size else float("nan")

    def rows(self) -> Iterator[tuple[int, int, float | None, float]]:
        """(position, position, cosine of the model's vectors, of sinusoidal ones), from 0."""
        for (one, two), wave in np.ndenumerate(self.waves):
            yield one, two, None if self.own is None else float(self.own[one, two]), float(wave)


def position_vectors(asked: Asked, *, job: Job) -> PositionVectors:
    """Of the first MOST positions of a run's model. AppError if it is no transformer."""
    if why := reason(asked.spec.model, "norms", asked.spec.config):
        raise AppError("{name} cannot answer this: {reason}.", name=asked.name, reason=why)
    model = cast(SummingModel, answering(asked, job=job).model)
    kind = cast(Kind, getattr(asked.spec.config, "positions", "learned"))
    table, waves = model.position_table(), model.waves()
    job.check()
    own = None if table is None else cosines(table[:MOST])
    lengths = None if table is None else np.linalg.norm(table[:MOST], axis=1)
    return PositionVectors(kind, len(waves), own, cosines(waves[:MOST]), lengths)


def cosines(vectors: np.ndarray) -> np.ndarray:
    """(P, P) float32 of (P, D); 0 with a vector that has no direction."""
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    units = np.divide(vectors, lengths, out=np.zeros_like(lengths * vectors), where=lengths > 0)
    return np.clip(units @ units.T, -1, 1).astype(np.float32)
