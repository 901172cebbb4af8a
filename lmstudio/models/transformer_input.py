"""A sentence -> what the first layer of a transformer reads of it, taken apart into its terms."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from lmstudio.models.blocks import Sinusoids


class TransformerInput:
    """What BertModel and GptModel have in common: their input is a sum. See models.base."""

    module: Any  # with embedding, positions and, of BERT, types, norm and projection
    shown: Callable[[np.ndarray], np.ndarray]
    _stages: Callable[[np.ndarray], list[dict[str, Tensor]]]
    _tensor: Callable[[np.ndarray], Tensor]

    @torch.no_grad()
    def streams(self, ids: np.ndarray) -> np.ndarray:
        """See models.base.LayeredModel; layer norms that come after the last layer are left out."""
        stages = self._stages(ids)
        found = [stages[0]["input"], *(layer["output"] for layer in stages)]
        return torch.cat(found).float().cpu().numpy()

    @torch.no_grad()
    def terms(self, ids: np.ndarray) -> dict[str, np.ndarray]:
        """See models.base.SummingModel."""
        looked_up = self.module.embedding(self._tensor(self.shown(ids)))  # (T, D)
        places = torch.arange(len(looked_up), device=looked_up.device)
        terms = {"token": looked_up}
        if self.position_table() is not None:
            terms["position"] = self.module.positions(places)
        if types := getattr(self.module, "types", None):
            terms["segment"] = types.weight[0].expand_as(looked_up)  # a sentence alone is the first
        terms["sum"] = sum(terms.values(), torch.zeros_like(looked_up))
        if types:
            terms["norm"] = self.module.norm(terms["sum"])
        if projection := getattr(self.module, "projection", None):
            terms["projected"] = projection(terms["norm"])
        return {name: term.float().cpu().numpy() for name, term in terms.items()}

    def position_table(self) -> np.ndarray | None:
        """See models.base.SummingModel."""
        positions = self.module.positions
        if isinstance(positions, nn.Embedding):
            return positions.weight.detach().float().cpu().numpy()
        return positions.table.cpu().numpy() if isinstance(positions, Sinusoids) else None

    def waves(self) -> np.ndarray:
        """See models.base.SummingModel."""
        config = self.module.config
        rows = len(self.module.positions.weight) if config.positions == "learned" else config.window
        return Sinusoids(rows, self.module.embedding.embedding_dim).table.numpy()
