"""Sentences -> LSTM states -> the next token: a recurrent language model with gates.

Hochreiter & Schmidhuber 1997, "Long short-term memory"; Sundermeyer, Schlüter & Ney 2012, "LSTM
neural networks for language modeling"; forget gates start open (Jozefowicz et al. 2015).
"""

from pathlib import Path

import numpy as np
from torch import nn

from lmstudio.models import weights
from lmstudio.models.config import LstmConfig
from lmstudio.models.recurrent import Recurrent, RecurrentModel


class Lstm(Recurrent):
    """Layers of LSTM cells; gates in the order i f g o."""

    remembers = ("h", "c")

    def __init__(self, config: LstmConfig, rows: int, counts: np.ndarray | None = None) -> None:
        between = config.dropout if config.layers > 1 else 0.0
        cells = nn.LSTM(
            config.width, config.width, config.layers, batch_first=True, dropout=between
        )
        super().__init__(config, cells, rows, counts)
        self.renamed("lstm")
        for layer in range(config.layers):
            bias = getattr(cells, f"bias_ih_l{layer}")
            nn.init.ones_(bias[config.width : 2 * config.width])

    def model(self) -> "LstmModel":
        """See Trainable."""
        return LstmModel(self)


class LstmModel(RecurrentModel):
    """A trained Lstm that can be asked, its gates too."""


def build(config: LstmConfig, counts: np.ndarray, segmentation_folder: Path | None = None) -> Lstm:
    """A new module for the ids counted in `counts` (V,); torch's seed decides its weights."""
    return Lstm(config, len(counts), counts)


def load(run_folder: Path, config: LstmConfig, rows: int) -> LstmModel:
    """The trained model of a run, from its best checkpoint."""
    module = Lstm(config, rows)
    weights.load(run_folder, module)
    return LstmModel(module)
