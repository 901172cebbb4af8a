"""Texts read on token by token by GPT: keys and values of what was read are kept.

Each text has its own, as those that begin a new sentence are of another length. When the window is
full, its later half is read anew, as where a text is scored: a step costs the same on average.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from lmstudio.data.layout import BOS, EOS
from lmstudio.data.windows import first_seen, half
from lmstudio.models.blocks import Past
from lmstudio.models.reading import sentence_of

if TYPE_CHECKING:
    from lmstudio.models.gpt import Gpt


@dataclass(frozen=True)
class _Text:
    """What is in the window, and what each layer made of it."""

    ids: list[int]
    past: tuple[Past, ...]
    last: Tensor  # (D,)


class GptReading:
    """See models.reading."""

    @torch.no_grad()
    def __init__(self, module: "Gpt", prefix: np.ndarray) -> None:
        self._module = module
        self._sentence = module.config.context == "sentence"
        self._window = module.config.window
        ids = [BOS, *(sentence_of(prefix) if self._sentence else map(int, prefix))]
        self._texts = [self._anew(ids[first_seen(len(ids), self._window) :])]

    @torch.no_grad()
    def probs(self) -> np.ndarray:
        """See Reading."""
        matrix, offsets = self._module.head()
        logits = torch.stack([text.last for text in self._texts]) @ matrix.t() + offsets
        return torch.softmax(logits.cpu().double(), 1).numpy()

    @torch.no_grad()
    def read(self, rows: Sequence[int], ids: Sequence[int]) -> None:
        """See Reading."""
        pairs = zip(rows, ids, strict=True)
        self._texts = [self._longer(self._texts[row], int(number)) for row, number in pairs]

    def _longer(self, text: _Text, number: int) -> _Text:
        if self._sentence and number == EOS:
            return self._anew([BOS])
        ids = [*text.ids, number]
        if len(ids) > self._window:
            return self._anew(ids[half(self._window) :])
        return self._through(ids, len(text.ids), text.past)

    def _anew(self, ids: list[int]) -> _Text:
        ids = [BOS if ids[0] == EOS else ids[0], *ids[1:]]
        return self._through(ids, 0, tuple(Past() for _ in self._module.blocks))

    def _through(self, ids: list[int], known: int, past: tuple[Past, ...]) -> _Text:
        """Read `ids`, of which the first `known` made `past`; that is left as it is."""
        device = self._module.offsets.device
        line = torch.tensor([ids[known:]], device=device)
        x = self._module.embed(line, torch.arange(known, len(ids), device=device))
        longer = tuple(Past(one.keys, one.values) for one in past)
        for block, kept in zip(self._module.blocks, longer, strict=True):
            x = block(x, past=kept)
        return _Text(ids, longer, self._module.norm(x)[0, -1])
