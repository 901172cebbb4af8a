"""What the training loop asks of every neural model: its losses on a batch, by name."""

from abc import ABC, abstractmethod
from collections.abc import Iterator

from torch import Tensor, nn

Tensors = dict[str, Tensor]  # a batch, as its data module describes it; first axis: rows
Sums = dict[str, Tensor]  # by the name of a loss, a number


class Trainable(nn.Module, ABC):
    """A module with one or several losses, each a mean over its own events.

    Sums and counts are kept apart, so that batches of any size, and parts of one, pool exactly.
    """

    @abstractmethod
    def events(self, batch: Tensors) -> Sums:
        """How many predictions each loss is made of."""

    @abstractmethod
    def losses(self, batch: Tensors) -> Sums:
        """The sum of each loss in nats, with gradients."""

    def evaluate(self, batch: Tensors) -> Iterator[Sums]:
        """The same of a validation batch; in instalments where it may be long."""
        yield self.losses(batch)
