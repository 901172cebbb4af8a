"""Frozen vectors and their classes -> a linear classifier: multinomial logistic regression.

What is minimised is the sum of -ln p of the classes, plus `penalty` / 2 times the squares of the
weights; offsets are free. Vectors are standardised first by the mean and deviation of those that
are learned from, so the penalty is the same whatever their scale. (Alain & Bengio 2016,
"Understanding intermediate layers using linear classifier probes".)
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

PENALTY = 1.0
"""Half of it times the squares of the weights: C = 1 in scikit-learn."""
STEPS = 100
"""Of the search, at most; so many as scikit-learn makes."""
NEAR = 1e-4
"""The search ends where the mean loss of an example rises less steeply, as scikit-learn's does."""


@dataclass(frozen=True)
class LinearProbe:
    """C classes of vectors D wide, of which those were `seen` that it may answer."""

    mean: Tensor  # (D,)
    scale: Tensor  # (D,)
    weight: Tensor  # (S, D): of the classes seen; of two (1, D), the odds of the second
    offset: Tensor  # (S,) or (1,)
    seen: Tensor  # (S,) int64 rising

    def logits(self, x: Tensor) -> Tensor:
        """x (N, D) -> (N, S)."""
        return _both(_standard(x, self.mean, self.scale) @ self.weight.t() + self.offset)

    def classes(self, x: Tensor) -> Tensor:
        """x (N, D) -> (N,) the likeliest class of each."""
        return self.seen[self.logits(x).argmax(1)]


def fit(
    x: Tensor, classes: Tensor, *, penalty: float = PENALTY, near: float = NEAR,
    steps: int = STEPS, check: Callable[[], None] | None = None,
) -> LinearProbe:  # fmt: skip
    """The probe of vectors x (N, D) and their `classes` (N,) int64, as precise as x is.

    `check` is called at every step.
    """
    seen, y = torch.unique(classes, return_inverse=True)
    mean, scale = (of.to(x.dtype) for of in (x.double().mean(0), x.double().std(0, correction=0)))
    scale = torch.where(scale > 0, scale, 1.0)
    x = _standard(x, mean, scale)
    rows = 1 if len(seen) == 2 else len(seen)  # of two, one odds: else the penalty would be halved
    weight = x.new_zeros(rows, x.shape[1]).requires_grad_()
    offset = x.new_zeros(rows).requires_grad_()
    search = torch.optim.LBFGS(
        [weight, offset], max_iter=steps, history_size=20, tolerance_grad=near,
        tolerance_change=1e-12, line_search_fn="strong_wolfe",
    )  # fmt: skip

    def loss() -> Tensor:
        if check is not None:
            check()
        search.zero_grad()
        fitted = F.cross_entropy(_both(x @ weight.t() + offset), y)
        value = fitted + penalty / (2 * len(y)) * weight.square().sum()
        value.backward()
        return value

    if len(seen) > 1:
        with torch.enable_grad():
            search.step(loss)
    return LinearProbe(mean, scale, weight.detach(), offset.detach(), seen)


def _standard(x: Tensor, mean: Tensor, scale: Tensor) -> Tensor:
    return (x - mean) / scale


def _both(logits: Tensor) -> Tensor:
    """(N, 1) the odds of the second of two classes -> (N, 2); others as they are."""
    return torch.cat([torch.zeros_like(logits), logits], 1) if logits.shape[1] == 1 else logits
