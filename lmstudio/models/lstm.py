"""Tokens -> a cell guarded by gates -> the next token: long short-term memory.

Hochreiter & Schmidhuber 1997, "Long short-term memory"; Sundermeyer, Schlüter & Ney 2012, "LSTM
neural networks for language modeling"; forget gates start open (Jozefowicz et al. 2015).
"""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from lmstudio.models import weights
from lmstudio.models.config import LstmConfig
from lmstudio.models.recurrent import Recurrent, RecurrentModel, between


class Lstm(Recurrent):
    """Layers of LSTM cells; gates in the order i f g o."""

    remembers = ("h", "c")

    def __init__(self, config: LstmConfig, rows: int, counts: np.ndarray | None = None) -> None:
        cells = nn.LSTM(
            config.width, config.width, config.layers, batch_first=True, dropout=between(config)
        )
        super().__init__(config, cells, rows, counts)
        self.register_load_state_dict_pre_hook(_rename)
        for layer in range(config.layers):
            bias = getattr(cells, f"bias_ih_l{layer}")
            nn.init.ones_(bias[config.width : 2 * config.width])

    def walk(self, layer: int, x: Tensor) -> dict[str, Tensor]:
        """See Recurrent: c = f c + i g, h = o tanh c."""
        from_input, from_state, bias, more_bias = self.weights(layer)
        state = cell = x.new_zeros(x.shape[1:])
        steps = []
        for row in x @ from_input.t() + bias + more_bias:  # (.., 4 D)
            i, f, g, o = (row + state @ from_state.t()).chunk(4, -1)
            i, f, g, o = torch.sigmoid(i), torch.sigmoid(f), torch.tanh(g), torch.sigmoid(o)
            cell = f * cell + i * g
            state = o * torch.tanh(cell)
            steps.append(torch.stack([i, f, o, g, cell, state]))
        names = ("input", "forget", "output", "candidate", "cell", "state")
        return dict(zip(names, torch.stack(steps, 1), strict=True))

    def model(self) -> "LstmModel":
        """See Trainable."""
        return LstmModel(self)


def _rename(module: nn.Module, weights: dict[str, Tensor], *_: Any) -> None:
    """Let weights be loaded that were saved before the three networks shared a base."""
    for name in list(weights):
        new = name
        if name in ("bias", "output.weight"):
            new = f"head.{name.removeprefix('output.')}"
        elif name.startswith("lstm."):
            new = f"cells.{name.removeprefix('lstm.')}"
        weights[new] = weights.pop(name)


class LstmModel(RecurrentModel):
    """A trained Lstm as models.base.GatedModel."""

    def gates(self, ids: np.ndarray) -> dict[str, np.ndarray]:
        """See models.base: "input", "forget", "output", "candidate", "cell"."""
        return self._gates(ids)


def build(config: LstmConfig, counts: np.ndarray, segmentation_folder: Path | None = None) -> Lstm:
    """A new module for the ids counted in `counts` (V,); torch's seed decides its weights."""
    return Lstm(config, len(counts), counts)


def load(run_folder: Path, config: LstmConfig, rows: int) -> LstmModel:
    """The trained model of a run, from its best checkpoint."""
    module = Lstm(config, rows)
    weights.load(run_folder, module)
    return module.model()
