"""The vectors of a question and a passage -> where in the passage the answer begins and ends.

Devlin et al. 2019, section 4.2: a vector for the start and one for the end; the first mark is
where an answer stands that this window of the passage does not hold (section 4.3).
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from lmstudio.data.batches import IGNORE
from lmstudio.models.dropout import Dropout
from lmstudio.models.trainable import CORRECT, Sums, Tensors


class SpanHead(nn.Module):
    """Scores of T places as start and as end."""

    def __init__(self, width: int, dropout: float) -> None:
        super().__init__()
        self.dropout = Dropout(dropout)
        self.output = nn.Linear(width, 2)

    def forward(self, x: Tensor, batch: Tensors) -> tuple[Tensor, Tensor]:
        """x (B, T, D) -> logits (B, T) of starts and of ends.

        -inf but in the passage (`types` 1, without the mark that ends it) and at the first mark.
        """
        columns = torch.arange(x.shape[1], device=x.device)
        passage = (batch["types"] == 1) & (columns < batch["sizes"].unsqueeze(1) - 1)
        logits = self.output(self.dropout(x)).float()
        logits = logits.masked_fill(~(passage | (columns == 0)).unsqueeze(2), -torch.inf)
        return logits[..., 0], logits[..., 1]

    def events(self, batch: Tensors) -> Sums:
        """The number of windows, for both ends of an answer."""
        return {name: (batch[name] != IGNORE).sum() for name in ("starts", "ends")}

    def losses(self, x: Tensor, batch: Tensors) -> Sums:
        """The sums of -ln p of both ends."""
        sums: Sums = {}
        for name, logits in zip(("starts", "ends"), self(x, batch), strict=True):
            sums[name] = F.cross_entropy(logits, batch[name], ignore_index=IGNORE, reduction="sum")
            sums[name + CORRECT] = (logits.detach().argmax(1) == batch[name]).sum()
        return sums
