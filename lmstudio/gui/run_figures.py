"""The points of a run in training -> its best figure so far, in words, for the job bar."""

import math

import numpy as np

from lmstudio import figures
from lmstudio.data.layout import SegmentationMeta
from lmstudio.gui.panels import training_jobs
from lmstudio.gui.state import AppState
from lmstudio.messages import tr
from lmstudio.operations import runs

RESUMABLE = ("stopped", "interrupted", "failed")


class BestFigure:
    """Follows one run."""

    def __init__(self, state: AppState, run_id: int) -> None:
        run = state.workspace.run(run_id)
        folder = state.workspace.segmentation_folder(run.segmentation_id)
        self.family = run.model
        self._counts = SegmentationMeta.load(folder).parts.get("valid")
        self._best = math.inf

    def add(self, points: list[tuple[int, dict[str, float]]]) -> None:
        """Take in new points."""
        losses = [point["valid_loss"] for _, point in points if "valid_loss" in point]
        self._best = min([self._best, *losses])

    def text(self) -> str:
        """Bits per character on the valid part; "" before the first validation."""
        if self._counts is None or math.isinf(self._best):
            return ""
        bits = float(runs.measured(np.array(self._best), "bits_per_character", self._counts))
        return tr("valid {bits} bits/character", bits=figures.decimal(bits))


def can_continue(state: AppState, run_id: int) -> bool:
    """The run ended early and has not been deleted."""
    return any(run.id == run_id and run.state in RESUMABLE for run in state.runs())


def go_on(state: AppState, run_id: int) -> None:
    """Queue a run that ended early."""
    training_jobs.start(state, state.workspace.run(run_id))
