"""The model and the loop of nanoGPT as its author sets them up, to be measured against.

After karpathy/nanoGPT, model.py and train.py (MIT licence): linear layers without bias, all logits
at once, AdamW with decay on matrices, random windows, warm-up and cosine. Its own evaluations,
checkpoints and prints are left out; the fused AdamW, which it has on a GPU only, is put in.
"""

import math
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Attention(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.c_attn = nn.Linear(width, 3 * width, bias=False)
        self.c_proj = nn.Linear(width, width, bias=False)
        self.heads = heads

    def forward(self, x: Tensor) -> Tensor:
        rows, length, width = x.size()
        parts = self.c_attn(x).split(width, dim=2)
        q, k, v = (p.view(rows, length, self.heads, -1).transpose(1, 2) for p in parts)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.c_proj(y.transpose(1, 2).contiguous().view(rows, length, width))


class Mlp(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.c_fc = nn.Linear(width, 4 * width, bias=False)
        self.gelu = nn.GELU()
        self.c_proj = nn.Linear(4 * width, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.c_proj(self.gelu(self.c_fc(x)))


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.ln_1, self.attn = nn.LayerNorm(width, bias=False), Attention(width, heads)
        self.ln_2, self.mlp = nn.LayerNorm(width, bias=False), Mlp(width)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class NanoGpt(nn.Module):
    def __init__(self, rows: int, layers: int, heads: int, width: int, block: int) -> None:
        super().__init__()
        self.wte, self.wpe = nn.Embedding(rows, width), nn.Embedding(block, width)
        self.h = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.ln_f = nn.LayerNorm(width, bias=False)
        self.lm_head = nn.Linear(width, rows, bias=False)
        self.wte.weight = self.lm_head.weight
        self.apply(self._init_weights)
        for name, p in self.named_parameters():
            if name.endswith("c_proj.weight"):
                nn.init.normal_(p, mean=0.0, std=0.02 / math.sqrt(2 * layers))

    def _init_weights(self, module: nn.Module) -> None:
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(module.weight, mean=0.0, std=0.02)

    def forward(self, ids: Tensor, targets: Tensor) -> Tensor:
        """The mean loss."""
        x = self.wte(ids) + self.wpe(torch.arange(ids.size(1)))
        for block in self.h:
            x = block(x)
        logits = self.lm_head(self.ln_f(x))
        return F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1)


@dataclass(frozen=True)
class Settings:
    """Of train.py, with the names it has there."""

    learning_rate: float = 1e-3
    max_iters: int = 300
    warmup_iters: int = 30
    weight_decay: float = 0.1
    grad_clip: float = 1.0
    batch_size: int = 12
    block_size: int = 128

    def rate(self, step: int) -> float:
        """The cosine, down to a tenth."""
        least = self.learning_rate / 10
        if step < self.warmup_iters:
            return self.learning_rate * (step + 1) / (self.warmup_iters + 1)
        share = (step - self.warmup_iters) / (self.max_iters - self.warmup_iters)
        return least + 0.5 * (1.0 + math.cos(math.pi * share)) * (self.learning_rate - least)


def train(model: NanoGpt, data: np.ndarray, settings: Settings) -> None:
    """The loop of train.py over `data`, the ids of a text."""
    parameters = list(model.parameters())
    groups = [
        {"params": [p for p in parameters if p.dim() >= 2], "weight_decay": settings.weight_decay},
        {"params": [p for p in parameters if p.dim() < 2], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, settings.learning_rate, betas=(0.9, 0.95), fused=True)
    for step in range(settings.max_iters):
        for group in optimizer.param_groups:
            group["lr"] = settings.rate(step)
        ids, targets = _batch(data, settings)
        model(ids, targets).backward()
        nn.utils.clip_grad_norm_(parameters, settings.grad_clip)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def _batch(data: np.ndarray, settings: Settings) -> tuple[Tensor, Tensor]:
    starts = torch.randint(len(data) - settings.block_size, (settings.batch_size,))
    ids, targets = (
        torch.stack([torch.from_numpy(data[i : i + settings.block_size].astype(np.int64))
                     for i in starts + shift])
        for shift in (0, 1)
    )  # fmt: skip
    return ids, targets
