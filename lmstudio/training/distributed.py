"""The processes that torchrun started -> one team that trains one model.

Each process works on its share of the rows of the same batch; events, losses and gradients are
summed over all, so that figures and weights are those of one process with the whole batch. The
first process alone asks, tells and writes; the others are told over the wire what to train (see
processes.py). The folders must be there for all of them. Gradients are summed here rather than by
torch's DistributedDataParallel, since losses are no result of `forward`, and are divided by the
events of all processes before they go backward.
"""

import os
from datetime import timedelta
from typing import Any

import numpy as np
import torch
from torch import distributed as dist
from torch import nn

from lmstudio.data.batches import Batch
from lmstudio.errors import AppError, Cancelled
from lmstudio.jobs import Job
from lmstudio.models.trainable import Sums
from lmstudio.training import processes

PATIENCE = timedelta(days=30)  # a pause is no failure


def team_for(order: Any, device: torch.device) -> "Alone":
    """The team of this process on `device`; `order` is told to those that wait for one.

    Raises AppError where a machine has fewer GPUs than processes.
    """
    if processes.count() == 1:
        return Alone(device)
    join()
    if processes.rank() == 0:
        told(order)
    if device.type == "cuda":
        device = _own_gpu()
    return Team(device)


def join() -> None:
    """Meet the other processes, unless this one has met them already."""
    if not dist.is_initialized():
        backend = "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo"
        dist.init_process_group(backend, timeout=PATIENCE)


def leave() -> None:
    """Part from the others once all are here."""
    dist.all_reduce(torch.zeros(1))  # a barrier by the CPU, whatever GPUs there are
    dist.destroy_process_group()


def told(value: Any) -> Any:
    """What the first process says, in all of them."""
    values = [value]
    dist.broadcast_object_list(values, 0)
    return values[0]


def _own_gpu() -> torch.device:
    """Each process of a machine has one."""
    here, cards = int(os.environ.get("LOCAL_RANK", "0")), torch.cuda.device_count()
    if here >= cards:
        raise AppError(
            "There are more processes than GPUs ({cards}) here. Start {cards} processes.",
            cards=cards,
        )
    torch.cuda.set_device(here)
    return torch.device("cuda", here)


class Alone:
    """A team of one: nothing to share or to sum."""

    rank, size = 0, 1

    def __init__(self, device: torch.device) -> None:
        self.device = device

    def share(self, batch: Batch) -> Batch:
        """The rows of this process."""
        return batch

    def part(self, batch: Batch) -> Batch | None:
        """The rows of this process, None where there are none for it: for what is only summed."""
        return batch

    def sum(self, values: Sums) -> Sums:
        """Each number, summed over the team."""
        return values

    def sum_gradients(self, module: nn.Module, sums: Sums) -> Sums:
        """Leave in `module` the gradients of the whole team; `sums` summed too."""
        return sums

    def gather(self, value: Any) -> list[Any]:
        """The values of all, by rank."""
        return [value]

    def told(self, value: Any) -> Any:
        """What the first of the team says."""
        return value

    def agree(self, job: Job, wish: bool) -> bool:
        """Whether the first wishes something; Cancelled for all if it was told to stop."""
        return wish


class Team(Alone):
    """Several processes. All of them call the same methods in the same order."""

    def __init__(self, device: torch.device) -> None:
        super().__init__(device)
        self.rank, self.size = dist.get_rank(), dist.get_world_size()

    def share(self, batch: Batch) -> Batch:
        """See Alone. Fewer rows than processes are everybody's: the means stay the same."""
        if len(next(iter(batch.values()))) < self.size:
            return batch
        return {name: np.array_split(rows, self.size)[self.rank] for name, rows in batch.items()}

    def part(self, batch: Batch) -> Batch | None:
        """See Alone."""
        rows = len(next(iter(batch.values())))
        if rows >= self.size:
            return self.share(batch)
        return batch if self.rank == 0 else None

    def sum(self, values: Sums) -> Sums:
        """See Alone."""
        flat = torch.stack([value.detach().double() for value in values.values()]).to(self.device)
        dist.all_reduce(flat)
        return dict(zip(values, flat, strict=True))

    def sum_gradients(self, module: nn.Module, sums: Sums) -> Sums:
        """See Alone. One message for all."""
        parameters = [p for p in module.parameters() if p.requires_grad]
        for parameter in parameters:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
        gradients = [p.grad for p in parameters if p.grad is not None]
        flat = torch.cat([gradient.flatten() for gradient in gradients])
        dist.all_reduce(flat)
        sizes = [gradient.numel() for gradient in gradients]
        for gradient, summed in zip(gradients, flat.split(sizes), strict=True):
            gradient.copy_(summed.view_as(gradient))
        return self.sum(sums)

    def gather(self, value: Any) -> list[Any]:
        """See Alone; plain data and tensors on the CPU."""
        values: list[Any] = [None] * self.size
        dist.all_gather_object(values, value)
        return values

    def told(self, value: Any) -> Any:
        """See Alone."""
        return told(value)

    def agree(self, job: Job, wish: bool) -> bool:
        """See Alone."""
        flags = torch.tensor([job.cancelling, wish and self.rank == 0], device=self.device).int()
        dist.all_reduce(flags)
        stop, agreed = (bool(flag) for flag in flags.tolist())
        if stop:
            raise Cancelled(job.title)
        return agreed


class TeamJob:
    """A job in a team: stop takes effect in `agree`, where it does for all at once."""

    def __init__(self, job: Job) -> None:
        self._job = job

    def tick(self, *args: Any, **point: Any) -> None:
        """See Job."""
        self._job.record(*args, **point)

    def check(self) -> None:
        """See Job; only `Team.agree` raises."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._job, name)
