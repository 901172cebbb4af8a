"""The points of a run in training -> what jobs say of it: best figure, curve, speed, memory."""

import math

import numpy as np

from lmstudio import figures
from lmstudio.data.layout import SegmentationMeta
from lmstudio.gui.panels.train import training_jobs
from lmstudio.gui.state import AppState
from lmstudio.messages import tr
from lmstudio.operations import evaluation
from lmstudio.operations.run_names import sees_both_sides
from lmstudio.operations.run_recorder import UNFINISHED

_BLANKS = "valid_masked_accuracy"
_SCORE = "valid_score"  # of a fine-tuned run: what its best checkpoint is chosen by


class BestFigure:
    """Follows one run, from what is stored of it on."""

    def __init__(self, state: AppState, run_id: int) -> None:
        ws = state.workspace
        run = ws.run(run_id)
        folder = ws.segmentation_folder(run.segmentation_id)
        counts = SegmentationMeta.load(folder).parts.get("valid") if run.task is None else None
        self._counts = evaluation.scored(run, counts) if counts else None
        self._pseudo = sees_both_sides(run.spec)
        self.family = run.model
        self.losses: list[float] = []  # of the valid part, finite ones
        self._tuned = run.task is not None
        self._right = 0.0  # best share of the blanks filled right
        self._score = 0.0  # best one
        self._speed = self._memory = 0.0
        for name in ("valid_loss", _BLANKS, _SCORE):
            self.add([(step, {name: value}) for step, _, value in ws.metrics(run_id, name)])

    def add(self, points: list[tuple[int, dict[str, float]]]) -> None:
        """Take in new points."""
        for _, point in points:
            loss = point.get("valid_loss", math.nan)
            self.losses += [loss] if math.isfinite(loss) else []
            self._score = max(self._score, point.get(_SCORE, 0.0))
            self._right = max(self._right, point.get(_BLANKS, 0.0))
            self._speed = point.get("tokens_per_second", self._speed)
            self._memory = point.get("memory", self._memory)

    def text(self) -> str:
        """The best figure on the valid part; "" before the first validation.

        Bits per character, but of models that see both sides what they are trained to do.
        """
        if self._tuned:
            share = figures.percent(self._score, 1)
            return tr("valid score {share}", share=share) if self.losses else ""
        if self._right:
            return tr("valid {share} of the blanks right", share=figures.percent(self._right, 1))
        if self._counts is None or not self.losses:
            return ""
        best = min(self.losses)
        if self._pseudo:
            return tr("valid loss {loss}", loss=figures.decimal(best, 3))
        bits = float(evaluation.measured(np.array(best), "bits_per_character", self._counts))
        return tr("valid {bits} bits/character", bits=figures.decimal(bits))

    def speed(self) -> str:
        """Tokens a second, and the memory of what trains; "" before they are known."""
        parts = []
        if self._speed:
            parts.append(tr("{count} tokens/s", count=figures.short(self._speed)))
        if self._memory:
            parts.append(figures.size(self._memory))
        return " · ".join(parts)


def can_continue(state: AppState, run_id: int) -> bool:
    """The run ended early and has not been deleted."""
    run = state.run_row(run_id)
    return run is not None and run.state in UNFINISHED


def go_on(state: AppState, run_id: int) -> None:
    """Queue a run that ended early."""
    training_jobs.start(state, state.workspace.run(run_id))
