"""Tokens -> a state mixed with each -> the next token: the simple recurrent network.

Elman 1990, "Finding structure in time"; Mikolov, Karafiát, Burget, Černocký & Khudanpur 2010,
"Recurrent neural network based language model":  h = f(W x + U h + b), f being tanh or ReLU.
"""

from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from lmstudio.models import weights
from lmstudio.models.config import RnnConfig
from lmstudio.models.recurrent import Recurrent, RecurrentModel, between


class Rnn(Recurrent):
    """Layers of Elman's units."""

    def __init__(self, config: RnnConfig, rows: int, counts: np.ndarray | None = None) -> None:
        cells = nn.RNN(
            config.width, config.width, config.layers, config.activation, batch_first=True,
            dropout=between(config),
        )  # fmt: skip
        super().__init__(config, cells, rows, counts)
        if config.activation == "relu":  # begin by keeping what there is (Le, Jaitly & Hinton 2015)
            for layer in range(config.layers):
                nn.init.eye_(getattr(cells, f"weight_hh_l{layer}"))

    def walk(self, layer: int, x: Tensor) -> dict[str, Tensor]:
        """See Recurrent; there are no gates."""
        from_input, from_state, bias, more_bias = self.weights(layer)
        squash = torch.tanh if self.cells.nonlinearity == "tanh" else torch.relu
        state, states = x.new_zeros(x.shape[1:]), []
        for row in x @ from_input.t() + bias + more_bias:
            state = squash(row + state @ from_state.t())
            states.append(state)
        return {"state": torch.stack(states)}

    def model(self) -> RecurrentModel:
        """See Trainable."""
        return RecurrentModel(self)


def build(config: RnnConfig, counts: np.ndarray, segmentation_folder: Path | None = None) -> Rnn:
    """A new module for the ids counted in `counts` (V,); torch's seed decides its weights."""
    return Rnn(config, len(counts), counts)


def load(run_folder: Path, config: RnnConfig, rows: int) -> RecurrentModel:
    """The trained model of a run, from its best checkpoint."""
    module = Rnn(config, rows)
    weights.load(run_folder, module)
    return module.model()
