"""What the training loop asks of every neural model: its losses on a batch, by name."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torch import Tensor, nn

if TYPE_CHECKING:
    from lmstudio.models.base import LanguageModel

Tensors = dict[str, Tensor]  # a batch, as its data module describes it; first axis: rows
Sums = dict[str, Tensor]  # by the name of a loss, a number

CORRECT = "_correct"
"""NAME_correct, among the sums of losses: how many predictions of loss NAME were right."""


class Trainable(nn.Module, ABC):
    """A module with one or several losses, each a mean over its own events.

    Sums and counts are kept apart, so that batches of any size, and parts of one, pool exactly.
    What is minimised is the sum of the means of all losses.
    """

    headline: tuple[str, ...] = ()
    """The losses whose means are what the curves show as loss, and by which the best checkpoint is
    chosen; () means all. One that can be compared with other models: of ELMo "forward", for both
    directions together would count every token twice; of BERT the masked tokens alone."""

    optimizer: str = "adamw"
    """What the setting "auto" means for this kind of model: see training.optim."""

    exact: bool = False
    """Validated in fp32 whatever it is trained in, as it is asked later."""

    def __init__(self) -> None:
        super().__init__()
        self.carried: Tensors = {}
        """Where the rows of the next batch go on from, rows first; empty at the beginning.

        Set by `losses` and `evaluate` of models that read on from batch to batch. The loop hands
        the rows back in a batch as "carried.NAME", and keeps them in its checkpoints.
        """

    @abstractmethod
    def events(self, batch: Tensors) -> Sums:
        """How many predictions each loss is made of."""

    @abstractmethod
    def losses(self, batch: Tensors) -> Sums:
        """The sum of each loss in nats, with gradients; NAME_correct without."""

    def evaluate(self, batch: Tensors) -> Iterator[Sums]:
        """The same of a validation batch; in instalments where it may be long."""
        yield self.losses(batch)

    def figures(self, sums: dict[str, float], events: dict[str, float]) -> dict[str, float]:
        """What a validation tells beside losses and accuracies, of the sums of `evaluate`."""
        return {}

    @property
    def by_score(self) -> bool:
        """The criterion is a score and no loss."""
        return False

    def criterion(self, figures: dict[str, float]) -> float:
        """What the best checkpoint has least of, among the figures of a validation."""
        return figures.get("loss", math.nan)

    def rates(self) -> dict[nn.Parameter, float]:
        """Of weights that do not move at the learning rate itself, the share of it."""
        return {}

    @abstractmethod
    def model(self) -> "LanguageModel":
        """Itself as something to ask, sharing its weights; in evaluation mode, on its device."""
