"""A module and its training settings -> what moves its weights, and the rate of each step.

`make` answers with one object whatever the settings ask for: AdamW (Loshchilov & Hutter 2019),
SGD with momentum, or Muon for the matrices inside the layers and AdamW for all else. Each group of
weights has a "scale": its rate is the rate of the step times that.
"""

from typing import Any

import torch
from torch import Tensor, nn

from lmstudio.models.blocks import MultiHeadAttention
from lmstudio.models.trainable import Trainable
from lmstudio.training.muon import Muon
from lmstudio.training.spec import TrainingConfig
from lmstudio.training.tuning import by_rate

MATRICES = 2.0
"""With Muon the learning rate is that of the embeddings, 0.01; matrices move so much faster."""
VECTORS = 0.3
"""And biases and layer norms so much slower."""
WARMUP = 20
"""One step in so many, at most, is warm-up. In 90 steps GPT came to a loss of 4.63 with this, to
4.65 with 8, to 4.68 with 2; an LSTM by AdamW was as good with 20 as with 2."""

Optimizer = torch.optim.Optimizer


class Together(torch.optim.Optimizer):
    """Several optimisers as one."""

    def __init__(self, *optimizers: torch.optim.Optimizer) -> None:
        self._optimizers = optimizers
        super().__init__([group for one in optimizers for group in one.param_groups], {})

    def step(self, closure: Any = None) -> Any:
        """A step of each."""
        for one in self._optimizers:
            one.step()

    def state_dict(self) -> dict[str, Any]:
        """What `load_state_dict` reads back."""
        return {"optimizers": [one.state_dict() for one in self._optimizers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on where another was."""
        for one, state in zip(self._optimizers, state_dict["optimizers"], strict=True):
            one.load_state_dict(state)
        self.param_groups = [group for one in self._optimizers for group in one.param_groups]


def make(module: nn.Module, config: TrainingConfig, device: torch.device) -> torch.optim.Optimizer:
    """The optimiser for the weights of `module`, which is on `device`.

    "auto" is what the class of the module says in `Trainable.optimizer`.
    """
    kind = config.optimizer
    if kind == "auto":
        kind = module.optimizer if isinstance(module, Trainable) else "adamw"
    rates = module.rates() if isinstance(module, Trainable) else {}
    groups = by_rate(_by_dimension(module, config), rates)
    if kind == "sgd":
        return torch.optim.SGD(groups, config.learning_rate, momentum=0.9)
    fused = device.type in ("cpu", "cuda")
    if kind == "adamw":
        return torch.optim.AdamW(groups, config.learning_rate, betas=(0.9, 0.98), fused=fused)
    return _muon(module, config, rates, fused)


def _by_dimension(module: nn.Module, config: TrainingConfig) -> list[dict[str, Any]]:
    """Groups of which only the matrices decay."""
    parameters = [p for p in module.parameters() if p.requires_grad]
    return [
        {"params": [p for p in parameters if p.dim() >= 2], "weight_decay": config.weight_decay},
        {"params": [p for p in parameters if p.dim() < 2], "weight_decay": 0.0},
    ]


def _muon(
    module: nn.Module, config: TrainingConfig, rates: dict[nn.Parameter, float], fused: bool
) -> torch.optim.Optimizer:
    """Muon beside AdamW, the rates as measured on small transformers."""
    parts = inner_matrices(module)
    inside = [
        {"params": [p for p, n in parts.items() if n == number], "parts": number, "scale": MATRICES}
        for number in sorted(set(parts.values()))
    ]
    tables, vectors = _by_dimension(module, config)
    tables["params"] = [p for p in tables["params"] if p not in parts]
    tables["scale"], vectors["scale"] = 1.0, VECTORS
    others = torch.optim.AdamW(
        by_rate([tables, vectors], rates), config.learning_rate, betas=(0.9, 0.95), fused=fused
    )
    if not inside:
        return others
    return Together(Muon(by_rate(inside, rates), config.learning_rate, config.weight_decay), others)


def inner_matrices(module: nn.Module) -> dict[Tensor, int]:
    """The matrices inside the layers, and of how many, one below the other, each consists.

    Left out are tables with a row for each token or position: embeddings, the output matrix.
    """
    tables = [m.weight for m in module.modules() if isinstance(m, nn.Embedding)]
    rows = max((len(table) for table in tables), default=0)
    parts: dict[Tensor, int] = {
        p: 1
        for p in module.parameters()
        if p.requires_grad and p.dim() == 2 and len(p) != rows and all(p is not t for t in tables)
    }
    for layer in module.modules():
        if isinstance(layer, MultiHeadAttention) and layer.qkv.weight.requires_grad:
            parts[layer.qkv.weight] = 3
        if isinstance(layer, nn.RNNBase):  # gates
            for p in layer.parameters():
                if p in parts and len(p) % layer.hidden_size == 0:
                    parts[p] = len(p) // layer.hidden_size
    return parts


def learning_rate(step: int, total: int, config: TrainingConfig) -> float:
    """Of step 0, 1, ... `total` - 1: a straight rise over the warm-up, then straight down to zero.

    The warm-up takes a twentieth of the steps at most: with more of them GPT ended worse.
    """
    warmup = min(config.warmup, total // WARMUP)
    if step < warmup:
        return config.learning_rate * (step + 1) / warmup
    return config.learning_rate * (total - step) / (total - warmup)
