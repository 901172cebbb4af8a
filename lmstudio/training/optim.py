"""A module and its training settings -> an AdamW optimiser and the learning rate of each step."""

import torch
from torch import nn

from lmstudio.training.spec import TrainingConfig


def adamw(module: nn.Module, config: TrainingConfig, device: torch.device) -> torch.optim.AdamW:
    """AdamW (Loshchilov & Hutter 2019) whose weight decay is on matrices only."""
    parameters = [p for p in module.parameters() if p.requires_grad]
    groups = [
        {"params": [p for p in parameters if p.dim() >= 2], "weight_decay": config.weight_decay},
        {"params": [p for p in parameters if p.dim() < 2], "weight_decay": 0.0},
    ]
    fused = device.type in ("cpu", "cuda")
    return torch.optim.AdamW(groups, lr=config.learning_rate, betas=(0.9, 0.98), fused=fused)


def learning_rate(step: int, total: int, config: TrainingConfig) -> float:
    """Of step 0, 1, ... `total` - 1: a straight rise over the warm-up, then straight down to zero.

    The warm-up never takes more than half of the steps.
    """
    warmup = min(config.warmup, total // 2)
    if step < warmup:
        return config.learning_rate * (step + 1) / warmup
    return config.learning_rate * (total - step) / (total - warmup)
