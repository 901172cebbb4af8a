"""The layers of a network -> one vector a token: their weighted mean, as ELMo is used for a task.

gamma (s_0 x_0 + ... + s_L x_L),   s = softmax(weights)      (Peters et al. 2018, equation 1)
"""

import torch
from torch import Tensor, nn


class ElmoMix(nn.Module):
    """L + 1 layers in, one out; what each is worth is learned with the task."""

    def __init__(self, layers: int) -> None:
        """`layers` counts the token vectors too. All are worth the same at first."""
        super().__init__()
        self.weights = nn.Parameter(torch.zeros(layers))
        self.gamma = nn.Parameter(torch.ones(()))

    def forward(self, layers: Tensor) -> Tensor:
        """layers (L + 1, .., D) -> (.., D)."""
        return self.gamma * torch.tensordot(self.shares(), layers, 1)

    def shares(self) -> Tensor:
        """(L + 1,) s: how much of each layer is taken; they sum to 1."""
        return torch.softmax(self.weights, 0)
