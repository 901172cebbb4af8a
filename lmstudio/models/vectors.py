"""Words -> vectors that were learned elsewhere; nothing is predicted.

Mikolov, Chen, Corrado & Dean 2013, "Efficient estimation of word representations in vector space";
Pennington, Socher & Manning 2014, "GloVe". A word that has no vector has one of zeros, which has no
direction.
"""

from pathlib import Path

import numpy as np
import torch
from torch import nn

from lmstudio.data.layout import BOS
from lmstudio.models import weights
from lmstudio.models.config import VectorsConfig


class Vectors(nn.Module):
    """A look-up table over a vocabulary of V, D numbers a word."""

    def __init__(self, config: VectorsConfig, rows: int) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(rows, config.width)


class VectorsModel:
    """A table as something to ask for layer 0: what models.base.NeuralModel has of vectors."""

    def __init__(self, module: Vectors) -> None:
        self.module = module.eval()

    def shown(self, ids: np.ndarray) -> np.ndarray:
        """See models.base."""
        return np.concatenate([[BOS], ids]).astype(np.int32)

    def layers(self, ids: np.ndarray) -> np.ndarray:
        """See models.base; layer 0 only."""
        return self.layers_of(self.shown(ids)[None], np.array([len(ids) + 1]))[:, 0]

    @torch.no_grad()
    def layers_of(self, rows: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """See models.base; layer 0 only."""
        found = self.module.embedding(torch.from_numpy(np.asarray(rows, np.int64)))
        return found[None].numpy()


def load(run_folder: Path, config: VectorsConfig, rows: int) -> VectorsModel:
    """The table of a run."""
    module = Vectors(config, rows)
    weights.load(run_folder, module)
    return VectorsModel(module)
