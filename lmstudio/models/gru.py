"""Tokens -> a state with two gates -> the next token: gated recurrent units.

Cho et al. 2014, "Learning phrase representations using RNN encoder-decoder"; Chung, Gulcehre, Cho &
Bengio 2014, "Empirical evaluation of gated recurrent neural networks on sequence modeling".
"""

from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from lmstudio.models import weights
from lmstudio.models.config import GruConfig
from lmstudio.models.recurrent import Recurrent, RecurrentModel, between


class Gru(Recurrent):
    """Layers of gated units; gates in the order r z n."""

    def __init__(self, config: GruConfig, rows: int, counts: np.ndarray | None = None) -> None:
        cells = nn.GRU(
            config.width, config.width, config.layers, batch_first=True, dropout=between(config)
        )
        super().__init__(config, cells, rows, counts)

    def walk(self, layer: int, x: Tensor) -> dict[str, Tensor]:
        """See Recurrent: n = tanh(W x + r (U h)), h = (1 - z) n + z h, biases left out here."""
        from_input, from_state, bias, more_bias = self.weights(layer)
        state, steps = x.new_zeros(x.shape[1:]), []
        for row in x @ from_input.t() + bias:  # (.., 3 D)
            from_x = row.chunk(3, -1)
            from_h = (state @ from_state.t() + more_bias).chunk(3, -1)
            reset = torch.sigmoid(from_x[0] + from_h[0])
            update = torch.sigmoid(from_x[1] + from_h[1])
            candidate = torch.tanh(from_x[2] + reset * from_h[2])
            state = (1 - update) * candidate + update * state
            steps.append(torch.stack([reset, update, candidate, state]))
        names = ("reset", "update", "candidate", "state")
        return dict(zip(names, torch.stack(steps, 1), strict=True))

    def model(self) -> "GruModel":
        """See Trainable."""
        return GruModel(self)


class GruModel(RecurrentModel):
    """A trained Gru as models.base.GatedModel."""

    def gates(self, ids: np.ndarray) -> dict[str, np.ndarray]:
        """See models.base: "reset", "update", "candidate"."""
        return self._gates(ids)


def build(config: GruConfig, counts: np.ndarray, segmentation_folder: Path | None = None) -> Gru:
    """A new module for the ids counted in `counts` (V,); torch's seed decides its weights."""
    return Gru(config, len(counts), counts)


def load(run_folder: Path, config: GruConfig, rows: int) -> GruModel:
    """The trained model of a run, from its best checkpoint."""
    module = Gru(config, rows)
    weights.load(run_folder, module)
    return module.model()
