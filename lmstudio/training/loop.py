"""A module, batches and settings -> a trained module: the one loop of every neural model.

Read `Training.run` first. A module joins in by being Trainable, training data by answering `len`
and `at(step)`. The step alone decides the batch and the learning rate, so a checkpoint needs only
the step, the weights, the optimiser, the random numbers and what rows carry on, to go on exactly
where it was, in the middle of an epoch too.

How many steps there are is decided in plan.py, how gradients come about in gradients.py, what the
figures of a point mean in curve.py, what a checkpoint keeps in trainer_state.py.
"""

import math
import time
from collections.abc import Sequence

import torch
from torch import nn

from lmstudio.errors import Cancelled
from lmstudio.files import reading
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.models.checkpoint_folder import TRAIN_AGAIN
from lmstudio.models.trainable import Trainable
from lmstudio.training import optim, trainer_state
from lmstudio.training.checkpoint import Checkpoints
from lmstudio.training.curve import Recent
from lmstudio.training.device import tensors, used_memory
from lmstudio.training.distributed import Alone
from lmstudio.training.early_stopping import EarlyStopping
from lmstudio.training.feeds import Batches, Valid, tokens_of
from lmstudio.training.gradients import Gradients, with_carried
from lmstudio.training.plan import Plan, plan
from lmstudio.training.precision import Precision
from lmstudio.training.probes import Probe
from lmstudio.training.progress import Progress
from lmstudio.training.spec import TrainingConfig
from lmstudio.training.validation import validate

LOG_SECONDS = 0.2  # between two points of the training curve: reading a loss waits for the GPU


class Training:
    """The training of one module, fresh or gone on with."""

    def __init__(
        self,
        module: Trainable,
        train: Batches,
        valid: Valid | None,
        config: TrainingConfig,
        checkpoints: Checkpoints,
        device: torch.device,
        *,
        course: Plan | None = None,
        probes: Sequence[Probe] = (),
        uniform: float = math.inf,
        team: Alone | None = None,
    ) -> None:
        """`valid` begins the validation batches anew at each call; None trains without.

        `course` is what `config` says unless given; `probes` are asked at each validation;
        `uniform` is the loss in nats where all guesses are as likely.
        """
        self.module, self.train, self.valid = module.to(device), train, valid
        self.config, self.checkpoints, self.device = config, checkpoints, device
        self.probes, self.team, self._uniform = probes, team or Alone(device), uniform
        self.precision = Precision(config.precision, device)
        self.optimizer = optim.make(module, config, device)
        self.gradients = Gradients(module, config, self.precision, self.team)
        course = course or plan(config, len(train))
        self.progress = Progress(EarlyStopping(config.patience), course, parts=config.accumulate)
        self.recent = Recent()
        self.rate = 0.0  # of the last step
        self._began = self._saved = self.recent.now()

    @property
    def total(self) -> int:
        """Steps of the whole run."""
        return self.progress.plan.total

    def run(self, job: Job) -> Message:
        """Train to the end; the reason why it ended.

        Raises Cancelled after writing the last checkpoint, AppError where training cannot go on.
        The best checkpoint is kept in any case.
        """
        self.recent = Recent(
            lambda: time.monotonic() - job.paused_seconds,
            lambda: self.checkpoints.exists("best"),
            lambda: (self.progress.early.best_loss or 0.0) > self._uniform,
        )
        self._saved = self.recent.now()
        self._began = self._saved - self.progress.seconds
        try:
            if not self.progress.step:
                self._keep_answers(0.0)
            while True:
                if self._validation_is_due():
                    self._validate(job)
                if reason := self._why_end():
                    break
                self.step(job)
                self._report(job)
        except Cancelled:
            self._save_last()
            raise
        self._save_last()
        self._settle_best(job)
        return reason

    def resume(self) -> None:
        """Go back to the last checkpoint. AppError where it is of another training."""
        self.progress, trainer = self.checkpoints.load("last", self.module)
        self.progress.early.patience = self.config.patience
        self.progress.parts = max(self.progress.parts, self.config.accumulate)
        path = self.checkpoints.run_folder / "checkpoints" / "last" / "trainer.pt"
        with reading(path, TRAIN_AGAIN, RuntimeError):
            trainer_state.restore(self, trainer)

    # --- a step ------------------------------------------------------------------------------

    def step(self, job: Job) -> None:
        """One update of the weights."""
        rows = self.team.share(self.train.at(self.progress.step))
        batch = with_carried(tensors(rows, self.device), self.module.carried)
        self.rate = self._rate()
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate * group.get("scale", 1.0)
        self.module.train()
        events, sums = self.gradients.of(batch, self.progress, job)
        self.precision.unscale(self.optimizer)
        norm = nn.utils.clip_grad_norm_(self.module.parameters(), self.config.clip or math.inf)
        self.precision.step(self.optimizer)
        self.progress.step += 1
        tokens = tokens_of(rows) * self.team.size
        self.recent.add(events, sums, self.precision.norm(norm), tokens)

    def _rate(self) -> float:
        """The learning rate of this step.

        Where a longer plan was taken up, it rises from zero once more, as that of a fresh run
        would, to the line that the longer run is on by then.
        """
        step, since = self.progress.step, self.progress.plan.since
        line = optim.learning_rate(step, self.total, self.config)
        return min(line, optim.learning_rate(step - since, self.total - since, self.config))

    def _report(self, job: Job) -> None:
        """Progress after each step; now and then a point of the curve, a checkpoint."""
        if self.team.agree(job, self.recent.now() - self._saved > 60 * self.config.save_minutes):
            self._save_last()
        if self.recent.now() - self.recent.since < LOG_SECONDS:
            job.tick(self.progress.step, self.total)
            return
        point = self.recent.take(self.module.headline)
        point |= {"learning_rate": self.rate, "memory": used_memory(self.device)}
        job.tick(self.progress.step, self.total, "", seconds=self._clock(), **point)

    # --- between steps -----------------------------------------------------------------------

    def _validation_is_due(self) -> bool:
        step = self.progress.step
        if self.valid is None or step == self.progress.validated:
            return False
        return step % self.progress.plan.validate_every == 0 or step >= self.total

    def _validate(self, job: Job) -> None:
        """A point of the validation curve, and checkpoints after it."""
        self.recent.check()
        began = self.recent.now()
        found = self.look(job)
        self.progress.validated = self.progress.step
        if self.progress.early.update(self.module.criterion(found), self.progress.step):
            self._save_best()
        self._keep_answers(self._clock())
        self._save_last()
        self.recent.since += self.recent.now() - began  # no part of the speed of training
        point = {f"valid_{name}": value for name, value in found.items()}
        job.tick(self.progress.step, self.total, "", seconds=self._clock(), **point)

    def _keep_answers(self, seconds: float) -> None:
        """What the network knows at this step, to replay its learning."""
        for probe in self.probes:
            probe.ask(self.module, self.progress.step, seconds)

    def look(self, job: Job) -> dict[str, float]:
        """The figures of the valid part, as curve.py calls them."""
        assert self.valid is not None
        return validate(self.module, self.valid(), self.precision, self.team, job)

    def _why_end(self) -> Message | None:
        if reason := self.progress.early.reason(of_scores=self.module.by_score):
            return reason
        if self.progress.step >= self.total:
            return Message("All {steps} steps are done.", {"steps": self.total})
        return None

    def _save_last(self) -> None:
        self.recent.check()
        self._clock()
        trainer = trainer_state.of(self)
        if self.team.rank == 0:
            self.checkpoints.save("last", self.module, self.progress, trainer)
        self._saved = self.recent.now()

    def _save_best(self) -> None:
        self.recent.check()
        self._clock()
        if self.team.rank == 0:
            self.checkpoints.save("best", self.module, self.progress)

    def _settle_best(self, job: Job) -> None:
        """At the end, the last checkpoint is the best where no validation chose one."""
        chosen = self.progress.early.best_loss is not None
        if not chosen or not self.team.told(self.checkpoints.exists("best")):
            self._save_best()
        if not chosen and self.valid is not None:
            self.progress.tell(
                Message(
                    "No validation gave a finite loss: the last checkpoint counts as the best."
                ),
                job,
            )

    def _clock(self) -> float:
        """Put down, and give, the seconds of training: all sittings together without pauses."""
        self.progress.seconds = self.recent.now() - self._began
        return self.progress.seconds
