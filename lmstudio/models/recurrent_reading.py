"""Texts read side by side by a network with a state, which is all that a step needs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from lmstudio.data.layout import BOS, EOS
from lmstudio.models.reading import sentence_of

if TYPE_CHECKING:
    from lmstudio.models.recurrent import Recurrent

_LENGTH = 256  # tokens of a beginning that are read at a time


class RecurrentReading:
    """See models.reading. B texts, D wide."""

    @torch.no_grad()
    def __init__(self, module: "Recurrent", prefix: np.ndarray) -> None:
        self._module = module
        self._sentence = module.config.context == "sentence"
        ids = sentence_of(prefix) if self._sentence else list(prefix)
        line = self._tensor([BOS, *ids])[None]
        self._state: tuple[Tensor, ...] = ()
        for start in range(0, line.shape[1], _LENGTH):
            x, self._state = module.hidden(line[:, start : start + _LENGTH], self._state)
        self._last = x[:, -1]  # (B, D)

    @torch.no_grad()
    def probs(self) -> np.ndarray:
        """See Reading."""
        probs = self._module.head.log_distribution(self._last).cpu().double().exp().numpy()
        return probs / probs.sum(1, keepdims=True)

    @torch.no_grad()
    def read(self, rows: Sequence[int], ids: Sequence[int]) -> None:
        """See Reading."""
        line, chosen = self._tensor(ids), self._tensor(rows)
        state = tuple(part[:, chosen] for part in self._state)  # (layers, B, D) each
        if self._sentence:
            ends = line == EOS
            state = tuple(part.masked_fill(ends[None, :, None], 0.0) for part in state)
            line = line.masked_fill(ends, BOS)
        x, self._state = self._module.hidden(line[:, None], state)
        self._last = x[:, 0]

    def _tensor(self, ids: Sequence[int]) -> Tensor:
        device = self._module.embedding.weight.device
        return torch.from_numpy(np.asarray(ids, np.int64)).to(device)
