"""Where a training stands: what a checkpoint keeps besides tensors, and the last few losses."""

import math
import time
from dataclasses import asdict, dataclass, field
from typing import Any

from torch import Tensor

from lmstudio.errors import AppError
from lmstudio.messages import Message
from lmstudio.models.trainable import Sums
from lmstudio.training.early_stopping import EarlyStopping


@dataclass
class Progress:
    """Plain facts, kept in the checkpoint's meta.json."""

    early: EarlyStopping
    step: int = 0  # steps done; the place in the data follows from it
    validated: int = 0  # the step of the last validation
    parts: int = 1  # in how many a batch is computed, since memory ran out
    seconds: float = 0.0  # of training, all sittings together
    notes: list[Message] = field(default_factory=list)  # what the user should know

    def to_json(self) -> dict[str, Any]:
        """Plain data that `from_json` reads back."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Progress":
        """The progress that `to_json` gave."""
        early = EarlyStopping(**data["early"])
        notes = [Message(**note) for note in data["notes"]]
        return cls(**(data | {"early": early, "notes": notes}))


class Recent:
    """Losses since the last point of the curve; they stay on the device until they are asked."""

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self.since = time.monotonic()
        self._losses: Sums = {}
        self._events: Sums = {}
        self._norm: Tensor | None = None

    def add(self, events: Sums, losses: Sums, norm: Tensor) -> None:
        """Take in the counts and sums of a step, and the length of its gradient."""
        for totals, values in ((self._events, events), (self._losses, losses)):
            for name, value in values.items():
                totals[name] = totals[name] + value if name in totals else value
        self._norm = norm if self._norm is None else self._norm + norm

    def loss(self) -> float:
        """The mean loss in nats per event; NaN before the first step."""
        means = [total / self._events[name] for name, total in self._losses.items()]
        return sum(mean.item() for mean in means) if means else math.nan

    def check(self) -> None:
        """Raise AppError if a step has gone wrong, before its weights are used or kept."""
        if self._norm is None or math.isfinite(self.loss() + self._norm.item()):
            return
        raise AppError(
            "The training loss became NaN (not a number) or infinite. Lower the learning rate, or "
            "clip gradients to a smaller length. The best checkpoint so far is kept."
        )

    def take(self) -> tuple[float, float]:
        """The mean loss and the events a second since the last call; starts anew."""
        self.check()
        loss = self.loss()
        events = sum(count.item() for count in self._events.values())
        seconds = max(time.monotonic() - self.since, 1e-9)
        self._clear()
        return loss, events / seconds
