"""Batches -> the same batches, and how many real tokens the last of them had."""

from lmstudio.data.batches import Batch
from lmstudio.training.feeds import Batches, tokens_of


class Counted:
    """Training data that remembers what it gave."""

    def __init__(self, batches: Batches) -> None:
        self._batches, self.tokens = batches, 0

    @property
    def events(self) -> int:
        """Targets of an epoch."""
        return self._batches.events

    def __len__(self) -> int:
        return len(self._batches)

    def at(self, step: int) -> Batch:
        """The batch of a step."""
        batch = self._batches.at(step)
        self.tokens = tokens_of(batch)
        return batch
