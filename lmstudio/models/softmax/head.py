"""Vectors -> a distribution over the vocabulary: what every head answers, and the plain one."""

import math
from abc import ABC, abstractmethod

import numpy as np
import torch
from torch import Tensor, nn

from lmstudio.data.layout import BOS
from lmstudio.models.softmax import chunked


class Head(nn.Module, ABC):
    """The last layer of a network. N vectors of length D in, V rows of a vocabulary; no <s>."""

    @abstractmethod
    def losses(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """Sum of -ln p(target) over `hidden` (N, D); negative targets (N,) are left out.

        To learn from: a head that samples estimates it.
        """

    @abstractmethod
    def log_probs(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """(N,) ln p(target), exact, 0 where the target is negative."""

    @abstractmethod
    def log_distribution(self, hidden: Tensor) -> Tensor:
        """(N, V) ln p of every id, exact; -inf for <s>."""


class FullSoftmax(Head):
    """p = softmax(hidden Wᵀ + b). W is the head's own, or the embedding (Press & Wolf 2017)."""

    def __init__(
        self, width: int, rows: int, counts: np.ndarray | None, shared: nn.Embedding | None
    ) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(rows))
        if shared is None:
            bound = 1 / math.sqrt(width)
            self.weight = nn.Parameter(torch.empty(rows, width).uniform_(-bound, bound))
        self._shared = (shared,)  # in a tuple, so that its weights are not counted as ours too
        self.never: Tensor
        self.register_buffer("never", torch.tensor([BOS]), persistent=False)
        if counts is not None:
            with torch.no_grad():
                self.bias.copy_(log_shares(counts))

    @property
    def matrix(self) -> Tensor:
        """W (V, D)."""
        (shared,) = self._shared
        return self.weight if shared is None else shared.weight

    def offsets(self) -> Tensor:
        """b (V,), by which <s> is never predicted."""
        return self.bias.index_fill(0, self.never, -torch.inf)

    def losses(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """See Head."""
        return chunked.cross_entropy(hidden, self.matrix, self.offsets(), targets)

    def log_probs(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """See Head."""
        return chunked.log_probs(hidden, self.matrix, self.offsets(), targets)

    def log_distribution(self, hidden: Tensor) -> Tensor:
        """See Head."""
        return torch.log_softmax(hidden @ self.matrix.t() + self.offsets(), 1)


def log_shares(counts: np.ndarray) -> Tensor:
    """(V,) ln of the share of each id, one more counted of each.

    An output that begins so is the unigram distribution, which would take many steps to learn.
    """
    shares = (counts + 1) / (counts + 1).sum()
    return torch.from_numpy(np.log(shares)).float()
