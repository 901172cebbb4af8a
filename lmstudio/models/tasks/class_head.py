"""The vectors of a text, or of two -> one vector -> its class.

Devlin et al. 2019, section 4.1: a linear layer on what stands at the first mark. What stands for a
text can be chosen, as models that read from the left know nothing there yet.
"""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from lmstudio.data.batches import IGNORE
from lmstudio.models.dropout import Dropout
from lmstudio.models.tasks.encoder import Reads
from lmstudio.models.trainable import CORRECT, Sums, Tensors


def pooling_for(reads: Reads, *, bert: bool) -> str:
    """What the pooling "auto" means: first, last or mean."""
    if bert:
        return "first"
    return "last" if reads == "left" else "mean"


def pool(x: Tensor, sizes: Tensor, pooling: str) -> Tensor:
    """x (B, T, D) -> (B, D): of the `sizes` (B,) tokens of each row, not of its padding."""
    if pooling == "first":
        return x[:, 0]
    if pooling == "last":
        return x[torch.arange(len(x), device=x.device), sizes - 1]
    padded = (torch.arange(x.shape[1], device=x.device) >= sizes.unsqueeze(1)).unsqueeze(2)
    if pooling == "max":
        return x.masked_fill(padded, -torch.inf).amax(1)
    return x.masked_fill(padded, 0).sum(1) / sizes.unsqueeze(1)


def balanced(counts: Sequence[int]) -> list[float]:
    """Weights of classes in inverse proportion to how many examples each has in training.

    Their mean over those examples is 1, so that losses stay comparable; 0 for a class without any.
    """
    seen = sum(count > 0 for count in counts)
    return [sum(counts) / (seen * count) if count else 0.0 for count in counts]


class ClassHead(nn.Module):
    """C classes of vectors D wide."""

    def __init__(
        self, width: int, classes: int, dropout: float, weights: Sequence[float] | None = None
    ) -> None:
        """`weights` (C,): what an example of each class counts; None: 1."""
        super().__init__()
        self.dropout = Dropout(dropout)
        self.output = nn.Linear(width, classes)
        self.weights: Tensor
        counted = torch.ones(classes) if weights is None else torch.tensor(list(weights))
        self.register_buffer("weights", counted.float(), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """x (B, D) -> logits (B, C)."""
        logits: Tensor = self.output(self.dropout(x))
        return logits

    def events(self, batch: Tensors) -> Sums:
        """The number of texts."""
        return {"class": (batch["labels"] != IGNORE).sum()}

    def losses(self, x: Tensor, batch: Tensors) -> Sums:
        """The weighted sum of -ln p of the labels."""
        logits, labels = self(x), batch["labels"]
        loss = F.cross_entropy(
            logits.float(), labels, self.weights, ignore_index=IGNORE, reduction="sum"
        )
        right = (logits.detach().argmax(1) == labels).sum()
        return {"class": loss, "class" + CORRECT: right}
