"""A softmax of two steps: a frequent word or a group of rare ones; then the word of the group.

Grave, Joulin, Cissé, Grangier & Jégou 2017, "Efficient softmax approximation for GPUs". The rarer
the words of a group, the shorter the vectors by which they are told apart. It is no approximation
in that its probabilities sum to one: training and evaluation are the same.
"""

from typing import cast

import numpy as np
import torch
from torch import Tensor, nn

from lmstudio.data.layout import BOS
from lmstudio.models.config.terms import adaptive_groups
from lmstudio.models.softmax import chunked
from lmstudio.models.softmax.head import Head, log_shares


class Tail(nn.Module):
    """The words of a group, told apart by vectors of length `inner`."""

    def __init__(self, width: int, inner: int, first: int, last: int) -> None:
        super().__init__()
        self.first, self.last = first, last  # ranks
        self.projection = nn.Linear(width, inner, bias=False)
        self.output = nn.Linear(inner, last - first)

    def inside(self, ranks: Tensor) -> Tensor:
        """(N,) bool: which ranks are in the group."""
        return (ranks >= self.first) & (ranks < self.last)

    def losses(self, hidden: Tensor, ranks: Tensor) -> Tensor:
        """Sum of -ln p within the group over the ranks in it."""
        return chunked.cross_entropy(*self._chosen(hidden, ranks))

    def log_probs(self, hidden: Tensor, ranks: Tensor) -> Tensor:
        """ln p within the group of the ranks in it."""
        return chunked.log_probs(*self._chosen(hidden, ranks))

    def log_distribution(self, hidden: Tensor) -> Tensor:
        """(N, words) ln p within the group."""
        return torch.log_softmax(self.output(self.projection(hidden)), 1)

    def _chosen(self, hidden: Tensor, ranks: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        inside = self.inside(ranks)
        x = self.projection(hidden[inside])
        return x, self.output.weight, self.output.bias, ranks[inside] - self.first


class AdaptiveSoftmax(Head):
    """Groups by rank in frequency. The last rank is that of <s>, which belongs to no group."""

    def __init__(self, width: int, rows: int, counts: np.ndarray | None) -> None:
        super().__init__()
        self.frequent, groups = adaptive_groups(rows, width)
        self.first = nn.Linear(width, self.frequent + len(groups))
        self._tails = nn.ModuleList(Tail(width, *group) for group in groups)
        counts = np.zeros(rows) if counts is None else counts
        order = np.argsort(-counts, kind="stable")
        order = np.append(order[order != BOS], BOS)
        self.rank: Tensor
        self.register_buffer("rank", torch.from_numpy(np.argsort(order)))  # (V,)
        self._start(log_shares(counts[order]))

    @property
    def tails(self) -> list[Tail]:
        """The groups of rarer words, the less rare first."""
        return cast("list[Tail]", list(self._tails))

    @torch.no_grad()
    def _start(self, logs: Tensor) -> None:
        """As the unigram distribution; `logs` (V,) are ln p by rank."""
        self.first.bias[: self.frequent] = logs[: self.frequent]
        for i, tail in enumerate(self.tails):
            within = logs[tail.first : tail.last]
            tail.output.bias.copy_(within)
            self.first.bias[self.frequent + i] = torch.logsumexp(within, 0)

    def losses(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """See Head."""
        ranks = self._ranks(targets)
        weight, bias = self.first.weight, self.first.bias
        total = chunked.cross_entropy(hidden, weight, bias, self._steps(ranks))
        return total + sum(tail.losses(hidden, ranks) for tail in self.tails)

    def log_probs(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """See Head."""
        ranks = self._ranks(targets)
        found = chunked.log_probs(hidden, self.first.weight, self.first.bias, self._steps(ranks))
        for tail in self.tails:
            found[tail.inside(ranks)] += tail.log_probs(hidden, ranks)
        return found

    def log_distribution(self, hidden: Tensor) -> Tensor:
        """See Head."""
        first = torch.log_softmax(self.first(hidden), 1)
        by_rank = [first[:, : self.frequent]]
        for i, tail in enumerate(self.tails, self.frequent):
            by_rank.append(first[:, i : i + 1] + tail.log_distribution(hidden))
        by_rank.append(torch.full_like(first[:, :1], -torch.inf))
        return torch.cat(by_rank, 1)[:, self.rank]

    def _ranks(self, targets: Tensor) -> Tensor:
        return torch.where(targets < 0, targets, self.rank[targets.clamp(min=0)])

    def _steps(self, ranks: Tensor) -> Tensor:
        """What the first step has to choose: the word, or the group of its rank."""
        steps = ranks.clamp(max=self.frequent - 1)
        for i, tail in enumerate(self.tails, self.frequent):
            steps = torch.where(ranks >= tail.first, i, steps)
        return steps
