"""Texts read side by side from the left by ELMo, with its state; its other direction is left out.

Both directions go through one loop, so the right one reads along; what it makes is not used.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from lmstudio.data.layout import BOS, EOS
from lmstudio.models.reading import sentence_of

if TYPE_CHECKING:
    from lmstudio.models.elmo import Elmo
    from lmstudio.models.trainable import Tensors


class ElmoReading:
    """See models.reading. B sentences, W wide; a new one begins with nothing remembered."""

    @torch.no_grad()
    def __init__(self, module: "Elmo", prefix: np.ndarray) -> None:
        """`module` with the head "separate"."""
        self._module = module
        self._state: Tensors | None = None
        line = self._tensor([BOS, *sentence_of(prefix)])
        self._take(line[:, None])

    @torch.no_grad()
    def probs(self) -> np.ndarray:
        """See Reading."""
        logs = self._module.head.log_distribution(self._last).double()
        return torch.softmax(logs, 1).cpu().numpy()

    @torch.no_grad()
    def read(self, rows: Sequence[int], ids: Sequence[int]) -> None:
        """See Reading."""
        line, chosen = self._tensor(ids), self._tensor(rows)
        assert self._state is not None
        known = (line != EOS)[:, None, None, None]
        self._state = {name: part[chosen] * known for name, part in self._state.items()}
        self._take(line.masked_fill(line == EOS, BOS)[None])

    def _take(self, line: Tensor) -> None:
        """Read columns (T, B) on from the state."""
        sizes = torch.full((line.shape[1],), len(line), device=line.device)
        read = self._module.read(torch.stack([line, line]), sizes, self._state)
        self._state = read.ends
        self._last = read.vectors[-1][0, -1]  # (B, W)

    def _tensor(self, ids: Sequence[int]) -> Tensor:
        array = np.asarray(ids, np.int64)
        return torch.from_numpy(array).to(self._module.unigrams.device)
