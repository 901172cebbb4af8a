"""The points of a run in training -> what the job bar says of it: best figure, curve, speed."""

import math

import numpy as np

from lmstudio import figures
from lmstudio.data.layout import SegmentationMeta
from lmstudio.gui.panels.train import training_jobs
from lmstudio.gui.state import AppState
from lmstudio.messages import tr
from lmstudio.operations import evaluation


class BestFigure:
    """Follows one run."""

    def __init__(self, state: AppState, run_id: int) -> None:
        run = state.workspace.run(run_id)
        folder = state.workspace.segmentation_folder(run.segmentation_id)
        self.family = run.model
        self.losses: list[float] = []  # of the valid part, finite ones
        self._speed = 0.0
        self._counts = SegmentationMeta.load(folder).parts.get("valid")

    def add(self, points: list[tuple[int, dict[str, float]]]) -> None:
        """Take in new points."""
        losses = [point["valid_loss"] for _, point in points if "valid_loss" in point]
        self.losses += [loss for loss in losses if math.isfinite(loss)]
        speeds = [p["tokens_per_second"] for _, p in points if "tokens_per_second" in p]
        self._speed = speeds[-1] if speeds else self._speed

    def text(self) -> str:
        """Bits per character on the valid part; "" before the first validation."""
        if self._counts is None or not self.losses:
            return ""
        best = np.array(min(self.losses))
        bits = float(evaluation.measured(best, "bits_per_character", self._counts))
        return tr("valid {bits} bits/character", bits=figures.decimal(bits))

    def speed(self) -> str:
        """Tokens a second; "" before it is known."""
        return tr("{count} tokens/s", count=figures.short(self._speed)) if self._speed else ""


def can_continue(state: AppState, run_id: int) -> bool:
    """The run ended early and has not been deleted."""
    return any(run.id == run_id and run.state in training_jobs.RESUMABLE for run in state.runs())


def go_on(state: AppState, run_id: int) -> None:
    """Queue a run that ended early."""
    training_jobs.start(state, state.workspace.run(run_id))
