"""Batches and an encoder that stands still -> the same batches with what it reads of them.

A frozen encoder says the same of a row in each epoch, so it is asked once, before the first step.
Rows of about the same length are read together, always the same ones: a run that is gone on with
learns from exactly the numbers that it had. What does not fit into ROOM is read anew each time.
"""

import time
from collections.abc import Callable

import numpy as np
import torch

from lmstudio.data.batches import Batch
from lmstudio.data.labelled.task_batches import TaskBatches, collated, in_order
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.models.tasks.task_model import TaskModel
from lmstudio.training import machine
from lmstudio.training.device import tensors
from lmstudio.training.loop import Training

ROOM = 1 / 8  # of the memory of this computer

_Read = Callable[[Batch], np.ndarray]  # of a batch, (B, .., T, D), T that of the batch, or 1


class Remembered(TaskBatches):
    """The batches of others, each with "read", see `TaskModel`."""

    def __init__(self, batches: TaskBatches, read: _Read, *, job: Job) -> None:
        super().__init__(batches.rows, batches.kind, batch=batches.batch, seed=batches.seed)
        self._read: list[np.ndarray] = [np.empty(0)] * len(self.rows)
        for numbers, batch in in_order(self.rows, self.kind, self.batch):
            found = read(batch)
            for number, row, size in zip(numbers, found, batch["sizes"], strict=True):
                self._read[number] = row[..., :size, :].copy()
            job.tick(0, 0, Message("Reading the examples once"))

    def at(self, step: int) -> Batch:
        """See TaskBatches; 0 where a row is padded."""
        numbers = self.numbers(step)
        known = [self._read[number] for number in numbers]
        longest = max(row.shape[-2] for row in known)
        shape = (len(known), *known[0].shape[:-2], longest, known[0].shape[-1])
        joined = np.zeros(shape, np.float32)
        for into, row in zip(joined, known, strict=True):
            into[..., : row.shape[-2], :] = row
        return collated([self.rows[number] for number in numbers], self.kind) | {"read": joined}


def can_remember(training: Training, valid: list[Batch]) -> bool:
    """Whether the encoder of a fine-tuning stands still, and what it says has room.

    Not worth it: to look up words, to read once what is read once anyway, or to spare a GPU.
    """
    model, batches = _parts(training)
    often = training.progress.plan.total > len(batches)
    still = model.frozen and model.config.layers != "table"
    if not (still and often and training.device.type == "cpu"):
        return False
    return _bytes(batches, valid, _reader(training)) <= ROOM * machine.memory()


def remember(training: Training, valid: list[Batch], *, job: Job) -> float:
    """Let `training` learn, and look at `valid`, from what its encoder says now.

    The seconds that reading took.
    """
    read, began = _reader(training), time.monotonic()
    training.train = Remembered(_parts(training)[1], read, job=job)
    exactly = _reader(training, exact=True)
    shown = [batch | {"read": exactly(batch)} for batch in valid]
    training.valid = (lambda: shown) if shown else None
    return time.monotonic() - began


def _parts(training: Training) -> tuple[TaskModel, TaskBatches]:
    model, batches = training.module, training.train
    assert isinstance(model, TaskModel)
    assert isinstance(batches, TaskBatches)
    return model, batches


def _reader(training: Training, *, exact: bool = False) -> _Read:
    model, device = _parts(training)[0].eval(), training.device

    def read(batch: Batch) -> np.ndarray:
        precision = training.precision
        with torch.no_grad(), precision.of_looks(exact=True) if exact else precision.autocast():
            found: np.ndarray = model.read(tensors(batch, device)).float().numpy()
            return found

    return read


def _bytes(batches: TaskBatches, valid: list[Batch], read: _Read) -> float:
    """About what all that is read takes, from what one batch does."""
    _, first = next(in_order(batches.rows[: batches.batch], batches.kind, batches.batch))
    a_token = read(first).nbytes / first["ids"].size
    tokens = sum(len(row.ids) for row in batches.rows) + sum(each["ids"].size for each in valid)
    return a_token * tokens
