"""Vectors of a transformer -> what is asked of them: a blank's token, or a pair's relation.

The heads of BERT (Devlin et al. 2019), as the code that was published with it has them.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from lmstudio.models import softmax


class BlankHead(nn.Module):
    """Vectors of blanks -> distributions over the tokens: a dense layer, GELU, layer norm, table.

    The table (V, E) is the embedding, which the module does not own; ids in `never` have no
    probability.
    """

    def __init__(
        self, width: int, table_width: int, rows: int, never: list[int], epsilon: float, *,
        gelu: str = "erf",
    ) -> None:  # fmt: skip
        """`gelu`: "erf", the exact one, or "tanh", its approximation."""
        super().__init__()
        self.dense = nn.Linear(width, table_width)
        self.gelu = nn.GELU("none" if gelu == "erf" else "tanh")
        self.norm = nn.LayerNorm(table_width, epsilon)
        self.bias = nn.Parameter(torch.zeros(rows))
        self.never: Tensor
        self.register_buffer("never", torch.tensor(never), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """x (N, D) -> (N, E), to be compared with the rows of the table."""
        return self.norm(self.gelu(self.dense(x)))

    def offsets(self) -> Tensor:
        """(V,) what is added to the logits."""
        return self.bias.index_fill(0, self.never, -torch.inf)

    def losses(self, x: Tensor, table: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        """Sum of -ln p of `targets` (N,), and how many are the likeliest."""
        return softmax.cross_entropy_and_right(self(x), table, self.offsets(), targets)

    def log_probs(self, x: Tensor, table: Tensor, targets: Tensor) -> Tensor:
        """(N,) ln p of `targets`."""
        return softmax.log_probs(self(x), table, self.offsets(), targets)

    def log_distribution(self, x: Tensor, table: Tensor) -> Tensor:
        """(N, V) ln p of every id."""
        return torch.log_softmax(self(x) @ table.t() + self.offsets(), 1)


class PairHead(nn.Module):
    """The vector of a pair's first mark -> whether its second half follows the first."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.pooler = nn.Linear(width, width)
        self.output = nn.Linear(width, 2)

    def forward(self, x: Tensor) -> Tensor:
        """x (N, D) -> logits (N, 2): of following, as published first, and of not following."""
        return self.output(self.pooled(x))

    def pooled(self, x: Tensor) -> Tensor:
        """x (N, D) -> (N, D): what stands for the pair as a whole."""
        return torch.tanh(self.pooler(x))

    def losses(self, x: Tensor, follows: Tensor) -> tuple[Tensor, Tensor]:
        """Sum of -ln p of `follows` (N,), 1 or 0, and how many are the likelier one."""
        logits, kind = self(x), 1 - follows
        right = (logits.detach().argmax(1) == kind).sum()
        return F.cross_entropy(logits, kind, reduction="sum"), right
