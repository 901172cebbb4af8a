"""A segmentation, a RunSpec and a team -> a Training that can run: batches, plan, module.

What the spec leaves open is decided here, once: the batch that fits into memory, the steps that
fit into the minutes. A run that is gone on with takes both from its checkpoint.
"""

import gc
import importlib
import math
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch

from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.models.checkpoint_folder import TRAIN_AGAIN
from lmstudio.models.registry import MODELS
from lmstudio.models.trainable import Trainable
from lmstudio.training import batch_size, plan
from lmstudio.training.checkpoint import Checkpoints
from lmstudio.training.distributed import Alone
from lmstudio.training.feeds import TrainingData, feed, train_counts
from lmstudio.training.loop import Training
from lmstudio.training.measuring import measure
from lmstudio.training.plan import Plan, Speed
from lmstudio.training.probes import Probe, Probes
from lmstudio.training.snapshots import Snapshots
from lmstudio.training.spec import RunSpec
from lmstudio.training.warm_start import begin_with


def build(spec: RunSpec, counts: np.ndarray, segmentation_folder: Path) -> Trainable:
    """A fresh module of the spec's model for a vocabulary whose ids occur `counts` times."""
    model = importlib.import_module(MODELS[spec.model].module)
    module: Trainable = model.build(spec.config, counts, segmentation_folder)
    return module


@dataclass
class Assembly:
    """What trainings of one spec are made of."""

    segmentation: Path
    run_folder: Path
    spec: RunSpec
    team: Alone
    job: Job

    def __post_init__(self) -> None:
        self.counts: np.ndarray = train_counts(self.segmentation)
        self.checkpoints = Checkpoints(self.run_folder, self.spec.model)
        self.notes: list[Message] = []

    def fresh(
        self, warm: tuple[Path, Path] | None, course: Plan | None = None
    ) -> tuple[Training, TrainingData]:
        """A training at its beginning, or at that of another run's weights.

        It goes by `course`, where one is given to the first of the team.
        """
        course = self.team.told((course or self._course()) if self.team.rank == 0 else None)
        training, data = self._training(course)
        if self.team.rank == 0:
            self.checkpoints.clear()
        for probe in training.probes:
            probe.forget_after(-1)
        if warm:
            self.notes += begin_with(training.module, self.spec.model, self.segmentation, warm)
        return training, data

    def resumed(self, warm: tuple[Path, Path] | None) -> tuple[Training, TrainingData]:
        """A training where its last checkpoint was; by a new plan where the spec asks for one.

        Only a run without any checkpoint begins anew; AppError where the last one is gone.
        """
        if not self.checkpoints.exists("last"):
            self._refuse_lost()
            self.notes.append(
                Message("There is no checkpoint to continue from: training from the beginning.")
            )
            return self.fresh(warm)
        before = self.checkpoints.progress("last")
        self._take_batch(before.plan.batch)
        training, data = self._training(before.plan)
        training.resume()
        longer = plan.longer(
            before.plan, self.spec.training, len(data.train),
            step=before.step, seconds=before.seconds,
        )  # fmt: skip
        if longer:
            training.progress.take_up(longer)
        for probe in training.probes:
            probe.forget_after(before.step or -1)
        return training, data

    def _refuse_lost(self) -> None:
        """AppError where a run has lost what it goes on from: to begin anew deletes its model."""
        last = self.run_folder / "checkpoints" / "last"
        if self.checkpoints.exists("best"):
            raise AppError(
                "There is no checkpoint to continue from: {path} is missing or damaged. "
                "The model itself is kept.",
                path=last,
            )
        if self.checkpoints.any_left():
            raise AppError(TRAIN_AGAIN, path=last)

    def measured(self) -> tuple[Speed, Plan, TrainingData]:
        """How fast it is here, and what comes of that; nothing is written."""
        if not self.spec.training.batch:
            rows, why = batch_size.biggest(self._thrown_away, job=self.job)
            self.notes.append(why)
            self._take_batch(rows)
        data = self._feed()
        speed = measure(self._thrown_away(self.spec.training.batch, data), data, job=self.job)
        config, steps = self.spec.training, len(data.train)
        return speed, plan.plan(config, steps, valid=data.valid_events, speed=speed), data

    def _course(self) -> Plan:
        """The plan of a fresh run; steps are timed only where it depends on their time."""
        config = self.spec.training
        if config.minutes or not config.batch:
            return self.measured()[1]
        return plan.plan(config, len(self._feed().train))

    def _take_batch(self, rows: int) -> None:
        """Fill in a batch that the spec left open."""
        if not self.spec.training.batch:
            self.spec = replace(self.spec, training=replace(self.spec.training, batch=rows))

    def _training(self, course: Plan) -> tuple[Training, TrainingData]:
        self._take_batch(course.batch)
        data = self._feed(course.valid_tokens)
        self.notes += data.notes
        probes: tuple[Probe, ...] = ()
        if data.valid and self.team.rank == 0:
            probes = tuple(kind(self.run_folder, self.segmentation) for kind in (Probes, Snapshots))
        torch.manual_seed(self.spec.training.seed)
        module = build(self.spec, self.counts, self.segmentation)
        if self.team.rank:
            torch.manual_seed(self.spec.training.seed + self.team.rank)  # other dropout
        training = Training(
            module, data.train, data.valid, self.spec.training, self.checkpoints, self.team.device,
            course=course, probes=probes, uniform=math.log(len(self.counts) - 1),  # no <s>
            team=self.team,
        )  # fmt: skip
        if training.precision.note:
            self.notes.append(training.precision.note)
        return training, data

    def _thrown_away(self, rows: int, data: TrainingData | None = None) -> Training:
        """A training with so many rows, to try something on."""
        gc.collect()  # the one before is gone, also from the GPU
        spec = replace(self.spec, training=replace(self.spec.training, batch=rows))
        if data is None:
            data = feed(spec, self.segmentation, self.counts, job=self.job)
        module = build(spec, self.counts, self.segmentation)
        return Training(
            module, data.train, data.valid, spec.training, self.checkpoints, self.team.device
        )

    def _feed(self, valid_tokens: int = 0) -> TrainingData:
        return feed(
            self.spec, self.segmentation, self.counts, valid_tokens=valid_tokens, job=self.job
        )
