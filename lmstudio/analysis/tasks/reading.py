"""Rows of ids of a task and its model -> what the model says of each row, in their order."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from lmstudio.data.labelled.encoding import Row
from lmstudio.data.labelled.task_batches import in_order
from lmstudio.jobs import Job
from lmstudio.messages import Message

if TYPE_CHECKING:
    import torch

    from lmstudio.models.tasks.task_model import TaskModel

BATCH = 32
"""Rows of about the same length that are read at once."""


def _none() -> np.ndarray:
    return np.empty(0)


@dataclass(frozen=True)
class RowAnswer:
    """What is said of one row of T ids; fields that its kind of task lacks are empty."""

    probabilities: np.ndarray = field(default_factory=_none)  # (C,) of classes; (T - 2, C) of tags
    tags: tuple[int, ...] = ()  # of the T - 2 ids between the marks
    starts: np.ndarray = field(default_factory=_none)  # (T,) logits
    ends: np.ndarray = field(default_factory=_none)


def read(model: "TaskModel", rows: Sequence[Row], *, job: Job) -> list[RowAnswer]:
    """What `model`, in evaluation mode, says of each row."""
    import torch

    found: dict[int, RowAnswer] = {}
    for numbers, batch in in_order(rows, model.config.kind, BATCH):
        job.tick(len(found), len(rows), Message("Reading the examples"))
        tensors = {name: torch.from_numpy(array) for name, array in batch.items()}
        found |= zip(numbers, answers(model, tensors), strict=True)
    return [found[number] for number in range(len(rows))]


def answers(
    model: "TaskModel", batch: "dict[str, torch.Tensor]", *, sure: bool = True
) -> list[RowAnswer]:
    """What is said of each row of a batch; not `sure`: without the p of tags, which take longer."""
    sizes = batch["sizes"].tolist()
    if model.config.kind == "tag":  # what is right is not for it
        batch = {name: batch[name] for name in ("ids", "sizes", "read") if name in batch}
        numbers, shares = model.tags(batch, sure=sure)
        every = zip(shares.cpu().numpy(), numbers, sizes, strict=True)
        return [RowAnswer(p[1 : size - 1], tuple(mine)) for p, mine, size in every]
    if model.config.kind == "qa":
        starts, ends = (logits.cpu().numpy() for logits in model.ends(batch))
        return [RowAnswer(starts=s[:t], ends=e[:t])
                for s, e, t in zip(starts, ends, sizes, strict=True)]  # fmt: skip
    return [RowAnswer(p) for p in model.classes(batch).cpu().numpy()]
