"""A batch -> the gradients of the sum of its mean losses, in parts where memory is short.

All ways give the same figures and gradients: one part or many, one process or a team.
"""

from collections.abc import Iterator

import torch

from lmstudio.errors import AppError, is_out_of_memory
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.models.trainable import CORRECT, Sums, Tensors, Trainable
from lmstudio.training.compiling import Losses
from lmstudio.training.distributed import Alone
from lmstudio.training.precision import NOT_FASTER, Precision
from lmstudio.training.progress import Progress
from lmstudio.training.spec import TrainingConfig


class Gradients:
    """Goes backward through one module."""

    def __init__(
        self, module: Trainable, config: TrainingConfig, precision: Precision, team: Alone
    ) -> None:
        self.module, self.config = module, config
        self.precision, self.team = precision, team
        self.losses = Losses(module, config.compile)

    def of(self, batch: Tensors, progress: Progress, job: Job) -> tuple[Sums, Sums]:
        """Leave the gradients in the module; the events and the sums of each loss.

        Where memory runs out, in twice as many parts from then on. AppError where a single row
        is too much.
        """
        events = self.team.sum(self.module.events(batch))
        while True:
            try:
                sums = self._backward(batch, events, progress.parts)
                break
            except RuntimeError as error:
                short = is_out_of_memory(error)
                if not short and not self.precision.give_up():
                    raise
            if short:
                self._take_smaller_parts(batch, progress, job)
            else:
                progress.tell(Message(NOT_FASTER, {"precision": "bf16"}), job)
        if told := self.losses.take_note():
            progress.tell(told, job)
        return events, self.team.sum_gradients(self.module, sums)

    def _take_smaller_parts(self, batch: Tensors, progress: Progress, job: Job) -> None:
        if progress.parts >= rows_of(batch):
            raise AppError(
                "Memory ran out. Make the batch (now {batch}), the length or window, or the model "
                "smaller.",
                batch=self.config.batch,
            )
        progress.parts *= 2
        note = Message(
            "Memory ran out; from here on a batch is computed in {parts} parts.",
            {"parts": progress.parts},
        )
        progress.tell(note, job)

    def _backward(self, batch: Tensors, events: Sums, parts: int) -> Sums:
        """What rows carry on is put together again as the parts were cut."""
        self.module.zero_grad(set_to_none=True)
        sums: Sums = {}
        carried: list[Tensors] = []
        for part in _split(batch, parts):
            with self.precision.autocast():
                losses = self.losses(part)
            means = [losses[name] / events[name].clamp(min=1) for name in names_of(losses)]
            self.precision.scaled(torch.stack(means).sum()).backward()
            for name, total in losses.items():
                sums[name] = sums[name] + total.detach() if name in sums else total.detach()
            carried.append(self.module.carried)
        self.module.carried = _joined(carried)
        return sums


def names_of(losses: Sums) -> list[str]:
    """The names of losses; what they are right at is left out."""
    return [name for name in losses if not name.endswith(CORRECT)]


def with_carried(batch: Tensors, carried: Tensors) -> Tensors:
    """The batch, its rows going on from where those before have stopped.

    Where there were fewer rows before, the others begin anew, at zero.
    """
    rows = rows_of(batch)
    for name, before in carried.items():
        missing = before.new_zeros(max(0, rows - len(before)), *before.shape[1:])
        batch[f"carried.{name}"] = torch.cat([before[:rows], missing])
    return batch


def rows_of(batch: Tensors) -> int:
    """The rows of a batch."""
    return len(next(iter(batch.values())))


def _split(batch: Tensors, parts: int) -> Iterator[Tensors]:
    """The batch in `parts` batches, or as many as it has rows; views, not copies."""
    split = {name: rows.tensor_split(min(parts, rows_of(batch))) for name, rows in batch.items()}
    for pieces in zip(*split.values(), strict=True):
        yield dict(zip(split, pieces, strict=True))


def _joined(parts: list[Tensors]) -> Tensors:
    """The rows of all parts."""
    return {name: torch.cat([part[name] for part in parts]).detach() for name in parts[0]}
