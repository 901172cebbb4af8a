"""A module, batches and settings -> a trained module: the one loop of every neural model.

Read `Training.run` first. A module joins in by being Trainable, training data by answering `len`
and `at(step)`. The step alone decides the batch and the learning rate, so a checkpoint needs only
the step, the weights, the optimiser and the random numbers to go on exactly where it was, in the
middle of an epoch too.
"""

import math
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch
from torch import nn

from lmstudio.data.batches import Batch
from lmstudio.errors import AppError, Cancelled
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.models.trainable import Sums, Tensors, Trainable
from lmstudio.training import optim
from lmstudio.training.checkpoint import Checkpoints, random_state, set_random_state
from lmstudio.training.early_stopping import EarlyStopping
from lmstudio.training.feeds import Batches
from lmstudio.training.progress import Progress, Recent
from lmstudio.training.spec import TrainingConfig

LOG_SECONDS = 0.2  # between two points of the training curve: reading a loss waits for the GPU
SAVE_SECONDS = 60.0  # of work that a kill may cost


class Training:
    """The training of one module, fresh or gone on with."""

    def __init__(
        self,
        module: Trainable,
        train: Batches,
        valid: Callable[[], Iterable[Batch]] | None,
        config: TrainingConfig,
        checkpoints: Checkpoints,
        device: torch.device,
    ) -> None:
        """`valid` begins the validation batches anew at each call; None trains without."""
        self.module, self.train, self.valid = module.to(device), train, valid
        self.config, self.checkpoints, self.device = config, checkpoints, device
        self.total = total_steps(len(train), config)
        self.optimizer = optim.adamw(module, config, device)
        self.progress = Progress(EarlyStopping(config.patience))
        self._validate_every = config.validate_every or max(1, len(train) // 10)
        self.recent = Recent()
        self._began = self._saved = time.monotonic()

    def run(self, job: Job) -> Message:
        """Train to the end; the reason why it ended.

        Raises Cancelled after writing the last checkpoint, AppError where training cannot go on.
        The best checkpoint is kept in any case.
        """
        self._began = time.monotonic() - self.progress.seconds
        try:
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
        if not self.checkpoints.exists("best"):
            self._save("best")
        return reason

    def resume(self) -> None:
        """Go back to the moment of the last checkpoint."""
        self.progress, trainer = self.checkpoints.load("last", self.module)
        self.progress.early.patience = self.config.patience
        self.optimizer.load_state_dict(trainer["optimizer"])
        set_random_state(trainer["random"], self.device)

    @property
    def validations(self) -> int:
        """How many there are if nothing stops the training early."""
        return 0 if self.valid is None else math.ceil(self.total / self._validate_every)

    # --- a step ------------------------------------------------------------------------------

    def step(self, job: Job) -> None:
        """One update of the weights."""
        batch = self._tensors(self.train.at(self.progress.step))
        rate = optim.learning_rate(self.progress.step, self.total, self.config)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.module.train()
        events, losses = self._backward_in_parts(batch, job)
        norm = nn.utils.clip_grad_norm_(self.module.parameters(), self.config.clip or math.inf)
        self.optimizer.step()
        self.progress.step += 1
        self.recent.add(events, losses, norm)

    def _backward_in_parts(self, batch: Tensors, job: Job) -> tuple[Sums, Sums]:
        """`_backward`; in twice as many parts, from then on, each time memory runs out."""
        while True:
            try:
                return self._backward(batch)
            except RuntimeError as error:
                if not _is_out_of_memory(error):
                    raise
            if self.progress.parts >= _rows(batch):
                raise AppError(
                    "Memory ran out. Make the batch (now {batch}), the length (now {length}) "
                    "or the model smaller.",
                    batch=self.config.batch,
                    length=self.config.length,
                )
            self.progress.parts *= 2
            note = Message(
                "Memory ran out; from here on a batch is computed in {parts} parts.",
                {"parts": self.progress.parts},
            )
            self.progress.notes.append(note)
            job.tick(self.progress.step, self.total, note)

    def _backward(self, batch: Tensors) -> tuple[Sums, Sums]:
        """Gradients of the sum of the mean losses; the events and the sums of each loss."""
        self.optimizer.zero_grad(set_to_none=True)
        events = self.module.events(batch)
        sums: Sums = {}
        for part in _split(batch, self.progress.parts):
            losses = self.module.losses(part)
            torch.stack([losses[name] / events[name] for name in losses]).sum().backward()
            for name, total in losses.items():
                sums[name] = sums[name] + total.detach() if name in sums else total.detach()
        return events, sums

    def _report(self, job: Job) -> None:
        """Progress after each step; now and then a point of the curve, a checkpoint."""
        if time.monotonic() - self._saved > SAVE_SECONDS:
            self._save_last()
        if time.monotonic() - self.recent.since < LOG_SECONDS:
            job.tick(self.progress.step, self.total)
            return
        loss, speed = self.recent.take()
        job.tick(
            self.progress.step,
            self.total,
            loss=loss,
            learning_rate=self.optimizer.param_groups[0]["lr"],
            tokens_per_second=speed,
            seconds=self._clock(),
        )

    # --- between steps -----------------------------------------------------------------------

    def _validation_is_due(self) -> bool:
        step = self.progress.step
        if self.valid is None or step == self.progress.validated:
            return False
        return step % self._validate_every == 0 or step >= self.total

    def _validate(self, job: Job) -> None:
        """A point of the validation curve, and checkpoints after it."""
        self.recent.check()
        began = time.monotonic()
        loss = self.valid_loss(job)
        self.progress.validated = self.progress.step
        if self.progress.early.update(loss, self.progress.step):
            self._save("best")
        self._save_last()
        self.recent.since += time.monotonic() - began  # no part of the speed of training
        job.tick(self.progress.step, self.total, valid_loss=loss, seconds=self._clock())

    def valid_loss(self, job: Job) -> float:
        """Sums over all batches divided by events over all batches, never a mean of means."""
        assert self.valid is not None
        self.module.eval()
        sums: dict[str, float] = {}
        events: dict[str, float] = {}
        with torch.no_grad():
            for batch in map(self._tensors, self.valid()):
                _add(events, self.module.events(batch))
                for losses in self.module.evaluate(batch):
                    _add(sums, losses)
                    job.check()
        return sum(sums[name] / events[name] for name in sums)

    def _why_end(self) -> Message | None:
        if reason := self.progress.early.reason():
            return reason
        if self.progress.step >= self.total:
            return Message("All {steps} steps are done.", {"steps": self.total})
        return None

    def _save_last(self) -> None:
        random = random_state(self.device)
        self._save("last", {"optimizer": self.optimizer.state_dict(), "random": random})
        self._saved = time.monotonic()

    def _save(self, name: str, trainer: dict[str, Any] | None = None) -> None:
        self.recent.check()
        self._clock()
        self.checkpoints.save(name, self.module, self.progress, trainer)

    def _clock(self) -> float:
        """Seconds of training until now, all sittings together."""
        self.progress.seconds = time.monotonic() - self._began
        return self.progress.seconds

    def _tensors(self, batch: Batch) -> Tensors:
        return {name: torch.from_numpy(rows).to(self.device) for name, rows in batch.items()}


def total_steps(epoch: int, config: TrainingConfig) -> int:
    """Steps of a whole run whose epochs have `epoch` batches."""
    steps = config.epochs * epoch
    return min(steps, config.max_steps) if config.max_steps else steps


def _split(batch: Tensors, parts: int) -> Iterator[Tensors]:
    """The batch in `parts` batches, or as many as it has rows; views, not copies."""
    split = {name: rows.tensor_split(min(parts, _rows(batch))) for name, rows in batch.items()}
    for pieces in zip(*split.values(), strict=True):
        yield dict(zip(split, pieces, strict=True))


def _rows(batch: Tensors) -> int:
    return len(next(iter(batch.values())))


def _add(totals: dict[str, float], values: Sums) -> None:
    for name, value in values.items():
        totals[name] = totals.get(name, 0.0) + value.item()


def _is_out_of_memory(error: RuntimeError) -> bool:
    """The sentences of CUDA and MPS, and of the CPU's allocator."""
    text = str(error)
    return "out of memory" in text or "can't allocate memory" in text
