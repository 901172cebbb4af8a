"""The points of a run, stored or just come from its job, as curves in any measure."""

import math
from bisect import bisect_left
from dataclasses import dataclass, field

import numpy as np

from lmstudio.data.layout import PartCounts
from lmstudio.operations import evaluation
from lmstudio.store.workspace import Workspace


@dataclass
class Losses:
    """One metric of a run, such as nats an event on a part, in the order of the steps."""

    steps: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    values: list[float] = field(default_factory=list)

    @classmethod
    def read(cls, ws: Workspace, run_id: int, metric: str) -> "Losses":
        """Those stored."""
        points = ws.metrics(run_id, metric)
        return cls([p[0] for p in points], [p[1] for p in points], [p[2] for p in points])

    def add(self, step: int, seconds: float, value: float) -> None:
        """Take in the next point; later ones are of a course that was given up."""
        self.cut(step)
        self.steps.append(step)
        self.seconds.append(seconds)
        self.values.append(value)

    def cut(self, step: int) -> None:
        """Forget the points from `step` on."""
        kept = bisect_left(self.steps, step)
        for column in (self.steps, self.seconds, self.values):
            del column[kept:]

    def curve(
        self, measure: str, x: str, counts: PartCounts, tokens_per_step: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """(x, y) float64; see `operations.evaluation.curve`. What is no loss stays what it is."""
        steps = np.array(self.steps, np.float64)
        xs = np.array(self.seconds, np.float64) if x == "seconds" else steps
        if x == "tokens":
            xs = steps * tokens_per_step
        values = np.array(self.values, np.float64)
        if measure not in evaluation.MEASURES:
            return xs, values
        return xs, evaluation.measured(values, measure, counts)

    def last_finite(self) -> float | None:
        """The newest value that is a number."""
        return next((value for value in reversed(self.values) if math.isfinite(value)), None)
