"""Rows that hold several texts -> attention of each text by itself, not of the cells between them.

On a CPU that takes a fraction of the work and the memory of a mask over whole rows. (The varying
lengths are those of "unpadded" BERT: Zeng et al. 2022, "Boosting distributed training performance
of the unpadded BERT model"; texts of like length are put side by side here.)
"""

import math

import torch
from torch import Tensor

from lmstudio.models.dropout import dropout

_STEP = 16  # tokens in which lengths that are put side by side may differ


class Texts:
    """Where the texts in B rows of T tokens stand."""

    def __init__(self, segments: Tensor) -> None:
        """`segments` (B, T): equal within a text, others beside it; -1 where padded."""
        length = segments.shape[1]
        flat = segments.flatten()
        begins = torch.ones_like(flat, dtype=torch.bool)
        begins[1:] = flat[1:] != flat[:-1]
        begins[::length] = True
        starts = begins.nonzero().squeeze(1)
        sizes = torch.diff(starts, append=torch.tensor([len(flat)]))
        real = flat[starts] >= 0
        starts, sizes = starts[real], sizes[real]
        steps = -(-sizes // _STEP)
        self._inside: list[Tensor] = []  # (S, L) of each group of like length: what is no padding
        groups = []  # cells (S, L) of their tokens, the first of a text where it is padded
        for step in steps.unique().tolist():
            some = steps == step
            columns = torch.arange(int(sizes[some].max()))
            self._inside.append(columns < sizes[some].unsqueeze(1))
            groups.append((starts[some].unsqueeze(1) + columns * self._inside[-1]).flatten())
        self._cells = torch.cat(groups)
        inside = torch.cat([one.flatten() for one in self._inside])
        self._places = torch.zeros_like(flat)  # of each cell among those of the groups
        self._places[self._cells[inside]] = inside.nonzero().squeeze(1)

    def attend(self, qkv: Tensor, heads: int, dropped: float) -> Tensor:
        """Queries, keys and values (B, T, 3 D) -> what each token takes in (B, T, D).

        Where padded, anything.
        """
        gathered = qkv.flatten(0, 1).index_select(0, self._cells)
        parts = gathered.split([inside.numel() for inside in self._inside])
        found = [
            _attend(part.unflatten(0, inside.shape), inside, heads, dropped).flatten(0, 1)
            for part, inside in zip(parts, self._inside, strict=True)
        ]
        return torch.cat(found).index_select(0, self._places).unflatten(0, qkv.shape[:2])


def _attend(qkv: Tensor, inside: Tensor, heads: int, dropped: float) -> Tensor:
    """(S, L, D) of qkv (S, L, 3 D); nobody looks at what is not inside (S, L)."""
    q, k, v = qkv.unflatten(2, (3, heads, -1)).permute(2, 0, 3, 1, 4)  # (S, H, L, D / H)
    scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[3])  # (S, H, L, L)
    weights = torch.softmax(scores.masked_fill(~inside[:, None, None], -torch.inf), 3)
    weights = dropout(weights, dropped) if dropped else weights
    return (weights @ v).transpose(1, 2).flatten(2)
