"""Hidden states and an output matrix -> cross-entropy, without ever holding all logits.

The logits of a few rows are made, turned into their own gradient in place, and forgotten. That
keeps them in the processor's cache and the memory independent of the batch.
"""

from typing import Any

import torch
from torch import Tensor

CELLS = {"cpu": 1 << 19, "cuda": 1 << 26}  # logits held at a time


def cross_entropy(hidden: Tensor, weight: Tensor, bias: Tensor, targets: Tensor) -> Tensor:
    """Sum of -ln p(target) in nats; p = softmax(hidden weightᵀ + bias).

    hidden (N, D), weight (V, D), bias (V,) where -inf takes an id out, targets (N,) with negative
    ids left out of the sum. Under autocast the products are made in its precision, sums are not.
    """
    if hidden.device.type == "cpu":  # elsewhere, to count what is kept would wait for the device
        kept = targets >= 0
        hidden, targets = hidden[kept], targets[kept]
    return cross_entropy_and_right(hidden, weight, bias, targets)[0]


def cross_entropy_and_right(
    hidden: Tensor, weight: Tensor, bias: Tensor, targets: Tensor
) -> tuple[Tensor, Tensor]:
    """`cross_entropy`, and how many targets are the likeliest of their row."""
    hidden = hidden.to(_precision(hidden))
    total, right = _CrossEntropy.apply(hidden, weight, bias, targets)
    return total, right


def log_probs(hidden: Tensor, weight: Tensor, bias: Tensor, targets: Tensor) -> Tensor:
    """(N,) ln p(target) of each row, by the same softmax; 0 where the target is negative."""
    found = torch.empty(len(hidden), dtype=bias.dtype, device=hidden.device)
    step = rows_at_a_time(weight)
    for i in range(0, len(hidden), step):
        logits = hidden[i : i + step] @ weight.t() + bias  # (n, V)
        chosen = targets[i : i + step].clamp(min=0).unsqueeze(1)  # (n, 1)
        picked = torch.log_softmax(logits, 1).gather(1, chosen).squeeze(1)
        found[i : i + step] = picked.masked_fill(targets[i : i + step] < 0, 0.0)
    return found


def rows_at_a_time(weight: Tensor) -> int:
    """Hidden states whose logits over the rows of `weight` are held together."""
    return max(1, CELLS.get(weight.device.type, CELLS["cuda"]) // len(weight))


def _precision(hidden: Tensor) -> torch.dtype:
    device = hidden.device.type
    if torch.is_autocast_enabled(device):
        return torch.get_autocast_dtype(device)
    return hidden.dtype


class _CrossEntropy(torch.autograd.Function):
    """Makes the gradient together with the value, since the logits are at hand then."""

    @staticmethod
    def forward(
        ctx: Any, hidden: Tensor, weight: Tensor, bias: Tensor, targets: Tensor
    ) -> tuple[Tensor, Tensor]:
        counted = (targets >= 0).to(bias.dtype)  # (N,)
        total, right = bias.new_zeros(()), bias.new_zeros(())
        d_hidden = torch.empty_like(hidden)
        d_weight, d_bias = torch.zeros_like(weight), torch.zeros_like(bias)
        matrix = weight.to(hidden.dtype)
        step = rows_at_a_time(weight)
        buffer = bias.new_empty(min(step, len(hidden)), len(weight))
        with torch.autocast(hidden.device.type, enabled=False):
            for i in range(0, len(hidden), step):
                h, count = hidden[i : i + step], counted[i : i + step]
                logits = _logits(h, matrix, bias, buffer[: len(h)])
                chosen = targets[i : i + step].clamp(min=0).unsqueeze(1)  # (n, 1)
                loss, likeliest = softmax_(logits, chosen)
                total += (loss * count).sum()
                right += (likeliest * count).sum()
                logits.scatter_add_(1, chosen, torch.full_like(logits[:, :1], -1.0))
                logits.mul_(count.unsqueeze(1))
                d_bias += logits.sum(0)
                gradient = logits.to(h.dtype)
                torch.mm(gradient, matrix, out=d_hidden[i : i + step])
                _add_product_(d_weight, gradient.t(), h)
        ctx.save_for_backward(d_hidden, d_weight, d_bias)
        ctx.mark_non_differentiable(right)
        return total, right

    @staticmethod
    def backward(ctx: Any, d_total: Tensor, _: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        d_hidden, d_weight, d_bias = ctx.saved_tensors
        return d_hidden * d_total, d_weight * d_total, d_bias * d_total, None


def _logits(h: Tensor, matrix: Tensor, bias: Tensor, buffer: Tensor) -> Tensor:
    """h matrixᵀ + bias (n, V), in `buffer`, whose precision may be higher than that of h."""
    if h.dtype == buffer.dtype:
        return torch.addmm(bias, h, matrix.t(), out=buffer)
    return buffer.copy_(h @ matrix.t()).add_(bias)


def _add_product_(total: Tensor, a: Tensor, b: Tensor) -> None:
    if total.dtype == a.dtype:
        total.addmm_(a, b)
    else:
        total += a @ b


def softmax_(logits: Tensor, chosen: Tensor) -> tuple[Tensor, Tensor]:
    """Turn logits (n, V) into probabilities in place.

    (n,) -ln p of the chosen, never 0's log; (n,) bool whether they are the likeliest.
    """
    top, where = logits.max(1, keepdim=True)
    picked = logits.gather(1, chosen)
    torch.softmax(logits, 1, out=logits)
    loss = top - logits.gather(1, where).log() - picked
    return loss.squeeze(1), (where == chosen).squeeze(1)
