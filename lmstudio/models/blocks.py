"""Vectors of tokens -> vectors that took in other tokens: the layers of transformers.

Vaswani et al. 2017, "Attention is all you need"; layer norms before each part as in GPT-2 (Radford
et al. 2019) or after it as in BERT (Devlin et al. 2019); GELU by Hendrycks & Gimpel 2016. B rows
of T tokens, D wide, H heads. Where a row holds several texts, a mask keeps them apart.
"""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from lmstudio.models.dropout import Dropout
from lmstudio.models.texts import Texts

STD = 0.02
"""Of the random weights a transformer begins with (Radford et al. 2019; Devlin et al. 2019)."""
LONGEST_WAVE = 10_000.0
"""Sinusoidal positions repeat after so many tokens times 2 pi, at the latest."""


@dataclass
class Past:
    """Keys and values (B, H, S, D / H) of what one attention has read before, if anything."""

    keys: Tensor | None = None
    values: Tensor | None = None

    def extended(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Everything read so far, with these; remembered."""
        if self.keys is not None and self.values is not None:
            keys, values = torch.cat([self.keys, keys], 2), torch.cat([self.values, values], 2)
        self.keys, self.values = keys, values
        return keys, values

    def repeat(self, rows: int) -> None:
        """Let `rows` texts go on from what the only one has read."""
        if self.keys is not None and self.values is not None:
            self.keys = self.keys.expand(rows, -1, -1, -1)
            self.values = self.values.expand(rows, -1, -1, -1)


class MultiHeadAttention(nn.Module):
    """Each token takes in what the tokens it looks at hold, in H ways at once."""

    def __init__(self, width: int, heads: int, *, causal: bool, dropout: float = 0.0) -> None:
        """`causal`: without a mask, no token looks at later ones."""
        super().__init__()
        self.heads, self.causal, self.dropped = heads, causal, dropout
        self.qkv = nn.Linear(width, 3 * width)  # queries, keys and values, one below the other
        self.output = nn.Linear(width, width)
        self.dropout = Dropout(dropout)

    def forward(
        self,
        x: Tensor,
        mask: Tensor | Texts | None = None,
        past: Past | None = None,
        kept: Tensor | None = None,
        heads: Tensor | None = None,
    ) -> Tensor:
        """x (B, T, D) -> (B, T, D), or (N, D) of the tokens `kept` (B, T) bool.

        `mask` (B, 1, T, T) is True where a row looks at a column; Texts keep to themselves, which
        is for one that is not causal. With `past`, x goes on after what was read before; only for
        a causal one without a mask. `heads` (B, H) bool: those of a row that are not switched off.
        """
        dropped = self.dropped if self.training else 0.0
        if isinstance(mask, Texts):
            y = mask.attend(self.qkv(x), self.heads, dropped)  # (B, T, D)
        else:
            y = self._attend(x, mask, past, dropped)
        if heads is not None:
            y = (y.unflatten(2, (self.heads, -1)) * heads[:, None, :, None]).flatten(2)
        return self.dropout(self.output(y if kept is None else y[kept]))

    def _attend(
        self, x: Tensor, mask: Tensor | None, past: Past | None, dropped: float
    ) -> Tensor:  # fmt: skip
        q, k, v = self.split(x)  # (B, H, T, D / H)
        causal = self.causal and mask is None
        if past is not None and past.keys is not None:
            k, v = past.extended(k, v)  # (B, H, S, D / H)
            mask, causal = _seen(q.shape[2], k.shape[2], x.device), False
        elif past is not None:
            past.extended(k, v)
        y = F.scaled_dot_product_attention(q, k, v, mask, dropped, is_causal=causal)
        return y.transpose(1, 2).flatten(2)  # (B, T, D)

    def weights(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """(B, H, T, T): how much of its look each token (third axis) gives to each; sums to 1."""
        q, k, _ = self.split(x)
        scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[3])  # (B, H, T, T)
        if mask is None and self.causal:
            mask = _seen(x.shape[1], x.shape[1], x.device)
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
        return torch.softmax(scores, 3)

    def split(self, x: Tensor) -> tuple[Tensor, ...]:
        """Queries, keys and values (B, H, T, D / H) of x."""
        parts = self.qkv(x).unflatten(2, (3, self.heads, -1))  # (B, T, 3, H, D / H)
        return parts.permute(2, 0, 3, 1, 4).unbind(0)


class Mlp(nn.Module):
    """Two linear layers with a GELU between them, for each token alone."""

    def __init__(self, width: int, inner: int, *, gelu: str = "erf", dropout: float = 0.0) -> None:
        """`gelu`: "erf", the exact one, or "tanh", its approximation."""
        super().__init__()
        self.inner = nn.Linear(width, inner)
        self.gelu = nn.GELU("none" if gelu == "erf" else "tanh")
        self.output = nn.Linear(inner, width)
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, D) -> (B, T, D)."""
        return self.dropout(self.output(self.gelu(self.inner(x))))


class Block(nn.Module):
    """A layer: attention, then the MLP, each added to what goes past it.

    `norm_first` True norms what a part reads (GPT-2), False what comes of the addition (BERT).
    """

    def __init__(
        self,
        width: int,
        heads: int,
        inner: int,
        *,
        causal: bool,
        norm_first: bool,
        dropout: float = 0.0,
        gelu: str = "erf",
        epsilon: float = 1e-5,
    ) -> None:
        super().__init__()
        self.norm_first = norm_first
        self.norm1 = nn.LayerNorm(width, epsilon)
        self.attention = MultiHeadAttention(width, heads, causal=causal, dropout=dropout)
        self.norm2 = nn.LayerNorm(width, epsilon)
        self.mlp = Mlp(width, inner, gelu=gelu, dropout=dropout)

    def forward(
        self,
        x: Tensor,
        mask: Tensor | Texts | None = None,
        past: Past | None = None,
        kept: Tensor | None = None,
        heads: Tensor | None = None,
    ) -> Tensor:
        """x (B, T, D) -> (B, T, D); mask, past and heads as the attention's.

        `kept` (B, T) bool: (N, D) instead, of those tokens only, which takes less work.
        """
        return self.stages(x, mask, past, kept, heads)["output"]

    def stages(
        self,
        x: Tensor,
        mask: Tensor | Texts | None = None,
        past: Past | None = None,
        kept: Tensor | None = None,
        heads: Tensor | None = None,
    ) -> dict[str, Tensor]:
        """(B, T, D) each: "input", what "attention" adds, "middle", what "mlp" adds, "output"."""
        attention = self.attention(self.attended(x), mask, past, kept, heads)
        x = x if kept is None else x[kept]
        if self.norm_first:
            middle = x + attention
            mlp = self.mlp(self.norm2(middle))
            output = middle + mlp
        else:
            middle = self.norm1(x + attention)
            mlp = self.mlp(middle)
            output = self.norm2(middle + mlp)
        return {"input": x, "attention": attention, "middle": middle, "mlp": mlp, "output": output}

    def looks(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """(B, H, T, T): the weights of the attention where the layer reads x (B, T, D)."""
        return self.attention.weights(self.attended(x), mask)

    def attended(self, x: Tensor) -> Tensor:
        """(B, T, D): what the attention reads where the layer reads x (B, T, D)."""
        return self.norm1(x) if self.norm_first else x


class Sinusoids(nn.Module):
    """Positions as waves of growing length (Vaswani et al. 2017, section 3.5), nothing to learn.

    There embeddings are about as long as the waves; ours begin STD times that, and so do these.
    """

    def __init__(self, window: int, width: int) -> None:
        super().__init__()
        place = torch.arange(window).unsqueeze(1)  # (T, 1)
        even = torch.arange(0, width, 2)  # (D / 2,)
        angle = place / LONGEST_WAVE ** (even / width)  # (T, D / 2)
        table = torch.stack([angle.sin(), angle.cos()], 2).flatten(1)[:, :width]  # (T, D)
        self.table: Tensor
        self.register_buffer("table", STD * table, persistent=False)

    def forward(self, places: Tensor) -> Tensor:
        """places (..., T) -> (..., T, D)."""
        return self.table[places]


class Nowhere(nn.Module):
    """Positions for a model that is to know of none."""

    def forward(self, places: Tensor) -> Tensor:
        """places (..., T) -> 0, whatever they are."""
        return torch.zeros((), device=places.device)


def positions(kind: str, window: int, width: int) -> nn.Module:
    """What turns places (..., T) into vectors (..., T, D): "learned", "sinusoidal" or "none"."""
    if kind == "learned":
        return nn.Embedding(window, width)
    return Sinusoids(window, width) if kind == "sinusoidal" else Nowhere()


def segment_mask(segments: Tensor, *, causal: bool) -> Tensor:
    """(B, 1, T, T) bool: each token looks at its own segment; `causal`: at nothing later in it.

    `segments` (B, T), -1 where padded: those look at each other, and nobody else does.
    """
    same = segments.unsqueeze(1) == segments.unsqueeze(2)  # (B, T, T)
    return (same.tril() if causal else same).unsqueeze(1)


def start(module: nn.Module) -> None:
    """Random weights: STD everywhere, zero in what a block adds, so that it begins as nothing."""
    for part in module.modules():
        if isinstance(part, nn.Linear | nn.Embedding):
            nn.init.normal_(part.weight, std=STD)
        if isinstance(part, nn.Linear) and part.bias is not None:
            nn.init.zeros_(part.bias)
    for block in module.modules():
        if isinstance(block, Block):
            nn.init.zeros_(block.attention.output.weight)
            nn.init.zeros_(block.mlp.output.weight)


def _seen(new: int, read: int, device: torch.device) -> Tensor:
    """(new, read) bool: the last `new` of `read` tokens look at what is not later."""
    return torch.ones(new, read, dtype=torch.bool, device=device).tril(read - new)
