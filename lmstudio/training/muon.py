"""Gradients of matrices -> steps that are equally long in all directions: the optimiser Muon.

Jordan et al. 2024, "Muon: an optimizer for hidden layers in neural networks". The gradient's
momentum is replaced by the nearest matrix with orthogonal rows (or columns), which the iteration
of Newton and Schulz finds with products of matrices only.
"""

import math
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

STEPS = 5  # of the iteration
A, B, C = 3.4445, -4.7750, 2.0315  # x -> A x + B x³ + C x⁵ brings all of (0, 1] near 1 in STEPS
MOMENTUM = 0.95
TINY = 1e-7  # a gradient of zeros stays zero


class Muon(torch.optim.Optimizer):
    """For matrices (out, in); their rate is `lr` times sqrt(out / in) where that is above 1.

    A group's `parts` says of how many matrices, one below the other, each of its parameters
    consists: queries, keys and values are three. Matrices of one shape are worked on together.
    """

    def __init__(
        self,
        params: Iterable[nn.Parameter] | Iterable[dict[str, Any]],
        lr: float,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay, "parts": 1})

    @torch.no_grad()
    def step(self, closure: Any = None) -> Any:
        """Move each matrix that has a gradient."""
        alike = defaultdict(list)  # by the lengths of the short and the long side
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                if group["weight_decay"]:
                    parameter.mul_(1 - group["lr"] * group["weight_decay"])
                direction = self._direction(parameter, parameter.grad)
                direction = direction.unflatten(0, (group["parts"], -1))  # (parts, out, in)
                short, long = sorted(direction.shape[1:])
                alike[short, long].append((parameter.view_as(direction), direction, group["lr"]))
        for matrices in alike.values():
            _move(matrices)

    def _direction(self, parameter: Tensor, gradient: Tensor) -> Tensor:
        """The gradient with Nesterov's momentum, up to its length."""
        state = self.state[parameter]
        if "momentum" not in state:
            state["momentum"] = torch.zeros_like(gradient)
        momentum: Tensor = state["momentum"].lerp_(gradient, 1 - MOMENTUM)
        return torch.lerp(gradient, momentum, MOMENTUM)


def orthogonal(matrices: Tensor) -> Tensor:
    """(N, short, long) -> the same with rows about orthogonal: singular values 0.7 to 1.2."""
    x = matrices / (matrices.norm(dim=(1, 2), keepdim=True) + TINY)
    for _ in range(STEPS):
        square = x @ x.mT  # (N, short, short)
        x = torch.baddbmm(x, torch.baddbmm(square, square, square, beta=B, alpha=C), x, beta=A)
    return x


def _move(matrices: list[tuple[Tensor, Tensor, float]]) -> None:
    """One step of weights (parts, out, in) along their directions, all of the same two lengths."""
    flat = torch.cat([d if d.shape[1] <= d.shape[2] else d.mT for _, d, _ in matrices])
    if flat.is_cuda:  # its precision is enough, and fast there; on a CPU it can be very slow
        flat = flat.bfloat16()
    counts = [len(weights) for weights, _, _ in matrices]
    for (weights, direction, rate), step in zip(
        matrices, orthogonal(flat).split(counts), strict=True
    ):
        _, out, into = direction.shape
        step = step if out <= into else step.mT
        weights.add_(step.to(weights.dtype), alpha=-rate * math.sqrt(max(1.0, out / into)))
