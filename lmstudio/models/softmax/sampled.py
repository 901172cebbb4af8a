"""A softmax that looks at some words only while it learns: 100 000 words cost as much as 3 000.

Jean, Cho, Memisevic & Bengio 2015, "On using very large target vocabulary for neural machine
translation"; Bengio & Senécal 2008. The sum over the vocabulary in

    -ln p(w) = ln(exp s_w + sum over v != w of exp s_v) - s_w

is estimated from words v drawn with known probabilities q_v, each counting exp(s_v) / q_v, so that
the estimate of the sum is right in the mean. A word drawn that is the target itself is left out
("accidental hit"): it is in the sum already.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from lmstudio.data.layout import BOS
from lmstudio.models.softmax.chunked import rows_at_a_time, softmax_
from lmstudio.models.softmax.head import FullSoftmax

FLATTENED = 0.75  # power of the counts that words are drawn by: rare ones come more often


def sample_size(rows: int) -> int:
    """How many words are looked at, of so many."""
    return max(1024, min(rows // 32, 4096))


class SampledSoftmax(FullSoftmax):
    """A FullSoftmax whose `losses` are sampled while it trains; all other answers are exact."""

    def __init__(
        self, width: int, rows: int, counts: np.ndarray | None, shared: nn.Embedding | None
    ) -> None:
        super().__init__(width, rows, counts, shared)
        self._groups = Groups(np.ones(rows) if counts is None else counts, sample_size(rows))

    def losses(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """See Head; the same words are drawn for all rows, by torch's random numbers."""
        if not self.training:
            return super().losses(hidden, targets)
        if hidden.device.type == "cpu":  # elsewhere, to count what is kept would wait for it
            kept = targets >= 0
            hidden, targets = hidden[kept], targets[kept]
        drawn, chances = (t.to(hidden.device) for t in self._groups.draw())
        place = torch.full_like(self.bias, -1, dtype=torch.int64)
        place[drawn] = torch.arange(len(drawn), device=drawn.device)
        words = targets.clamp(min=0)
        looked_at = torch.cat([drawn, words])
        rows = nn.functional.embedding(looked_at, self.matrix)  # (S + N, D)
        offsets = self.bias[looked_at]
        total: Tensor = _SampledCrossEntropy.apply(
            hidden.to(rows.dtype), rows[: len(drawn)], offsets[: len(drawn)] - chances,
            rows[len(drawn) :], offsets[len(drawn) :], place[words], targets >= 0,
        )  # fmt: skip
        return total


class Groups:
    """The words by frequency, in groups of like weight; one word of each group is drawn.

    Frequent words are groups of their own and always drawn. No word is drawn twice.
    """

    def __init__(self, counts: np.ndarray, size: int) -> None:
        """At most `size` groups of the ids counted in `counts` (V,), without <s>."""
        order = np.argsort(-counts, kind="stable")
        order = order[order != BOS]
        weights = _capped((counts[order] + 1.0) ** FLATTENED, size)
        before = np.cumsum(weights) - weights
        _, group = np.unique(np.floor(before + 1e-6), return_inverse=True)
        shares = weights / np.bincount(group, weights)[group]  # q of each word
        within = np.cumsum(shares)
        self._order = torch.from_numpy(order)
        self._last = torch.from_numpy(np.flatnonzero(np.diff(group, append=-1)))  # of each group
        self._up_to = torch.from_numpy(within)  # group g reaches from g to g + 1
        self._chances = torch.from_numpy(np.log(shares)).float()

    def draw(self) -> tuple[Tensor, Tensor]:
        """(S,) ids, all different, and ln of the probability with which each was to be drawn."""
        size = len(self._last)
        where = torch.arange(size) + torch.rand(size, dtype=torch.float64)
        place = torch.minimum(torch.searchsorted(self._up_to, where, right=True), self._last)
        return self._order[place], self._chances[place]


def _capped(weights: np.ndarray, size: int) -> np.ndarray:
    """Falling `weights` scaled so that they are at most 1 each and `size` together."""
    if size >= len(weights):
        return np.ones(len(weights))
    rest = np.cumsum(weights[::-1])[::-1]  # of each word and all after it
    left = size - np.arange(size)  # groups for these, when all before have one of their own
    certain = int(np.argmax(weights[:size] * left < rest[:size]))
    scaled = weights * (size - certain) / rest[certain]
    scaled[:certain] = 1.0
    return scaled


class _SampledCrossEntropy(torch.autograd.Function):
    """Like chunked.cross_entropy over the words drawn and, in one more column, the target."""

    @staticmethod
    def forward(
        ctx: Any, hidden: Tensor, rows: Tensor, offsets: Tensor, own: Tensor, own_offsets: Tensor,
        hits: Tensor, counted: Tensor,
    ) -> Tensor:  # fmt: skip
        """hidden, own (N, D); rows (S, D); hits (N,) place of the target in S or -1."""
        size, total = len(rows), hidden.new_zeros(())
        d_hidden, d_own = torch.empty_like(hidden), torch.empty_like(own)
        d_rows, d_offsets = torch.zeros_like(rows), torch.zeros_like(offsets)
        d_own_offsets = torch.empty_like(own_offsets)
        step = rows_at_a_time(rows)
        buffer = hidden.new_empty(min(step, len(hidden)), size + 1)
        for i in range(0, len(hidden), step):
            here = slice(i, i + step)
            h, count = hidden[here], counted[here].to(hidden.dtype)
            logits = buffer[: len(h)]  # (n, S + 1)
            torch.addmm(offsets, h, rows.t(), out=logits[:, :size])
            logits[:, size] = (h * own[here]).sum(1) + own_offsets[here]
            hit = (hits[here] >= 0).nonzero().squeeze(1)
            logits[hit, hits[here][hit]] = -torch.inf
            target = torch.full_like(hits[here], size).unsqueeze(1)
            total += (softmax_(logits, target)[0] * count).sum()
            logits[:, size] -= 1.0
            logits.mul_(count.unsqueeze(1))
            sampled, last = logits[:, :size], logits[:, size:]
            torch.mm(sampled, rows, out=d_hidden[here])
            d_hidden[here].addcmul_(last, own[here])
            d_rows.addmm_(sampled.t(), h)
            d_offsets += sampled.sum(0)
            torch.mul(last, h, out=d_own[here])
            d_own_offsets[here] = last.squeeze(1)
        ctx.save_for_backward(d_hidden, d_rows, d_offsets, d_own, d_own_offsets)
        return total

    @staticmethod
    def backward(ctx: Any, d_total: Tensor) -> tuple[Tensor | None, ...]:
        return (*(gradient * d_total for gradient in ctx.saved_tensors), None, None)
