"""A transformer and a sentence -> what its heads look at, and its guesses with some switched off.

A head is switched off by leaving out what it adds to its layer (Michel, Levy & Neubig 2019, "Are
sixteen heads really better than one?"); all heads of a layer off leave its linear layers working.
B rows of T tokens, D wide; L layers of H heads.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lmstudio.data.layout import BOS, EOS
from lmstudio.models.blocks import Block

TOKENS_AT_ONCE = 8192
"""That are read between two looks at whether the question is still wanted."""


class Attending(ABC):
    """What GptModel and BertModel have in common: models.base.AttendingModel, looking inside."""

    module: Any  # with embed and, of its own, what the abstract methods need
    _layers: list[Block]

    @abstractmethod
    def shown(self, ids: np.ndarray) -> np.ndarray:
        """See models.base.NeuralModel."""

    @abstractmethod
    def guessed(self, ids: np.ndarray) -> np.ndarray:
        """(E,) places after `<s>` of the sentence `ids` that are guessed, in order."""

    @abstractmethod
    def _read_for(self, ids: np.ndarray, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rows of ids (R, T), and where (R, T) bool in them the E places are guessed."""

    @abstractmethod
    def _log_probs(self, x: Tensor, targets: Tensor) -> Tensor:
        """(M,) ln p of targets (M,), of what the layers make (M, D) where they are guessed."""

    @abstractmethod
    def _distribution(self, x: Tensor) -> Tensor:
        """(M, V) p of every id, likewise."""

    # --- where heads look --------------------------------------------------------------------

    @torch.no_grad()
    def attention(self, ids: np.ndarray, heads: np.ndarray | None = None) -> np.ndarray:
        """See models.base."""
        looks = [
            layer.looks(stages["input"])[0]
            for layer, stages in zip(self._layers, self._stages(ids, heads), strict=True)
        ]
        return torch.stack(looks).float().cpu().numpy()

    @torch.no_grad()
    def projections(
        self, ids: np.ndarray, layer: int, heads: np.ndarray | None = None
    ) -> tuple[np.ndarray, ...]:
        """See models.base."""
        block = self._layers[layer]
        parts = block.attention.split(block.attended(self._stages(ids, heads)[layer]["input"]))
        return tuple(part[0].float().cpu().numpy() for part in parts)

    @torch.no_grad()
    def norms(self, ids: np.ndarray) -> dict[str, np.ndarray]:
        """See models.base."""
        layers = self._stages(ids)
        lengths = {name: [stages[name][0].norm(dim=1) for stages in layers] for name in layers[0]}
        return {name: torch.stack(found).float().cpu().numpy() for name, found in lengths.items()}

    def _stages(self, ids: np.ndarray, heads: np.ndarray | None = None) -> list[dict[str, Tensor]]:
        """What goes through each layer; `heads` (L, H) bool: those that are not switched off."""
        x = self.module.embed(self._tensor(self.shown(ids))[None])
        found = []
        for number, layer in enumerate(self._layers):
            on = None if heads is None else self._switches(heads[None, number])
            found.append(layer.stages(x, heads=on))
            x = found[-1]["output"]
        return found

    # --- guesses without some of them --------------------------------------------------------

    @torch.no_grad()
    def logprobs_with(
        self, ids: np.ndarray, places: np.ndarray, heads: np.ndarray,
        check: Callable[[], None] = lambda: None,
    ) -> np.ndarray:  # fmt: skip
        """See models.base."""
        targets = np.concatenate([[BOS], ids, [EOS]])[places]
        rows, kept = self._read_for(ids, places)
        found = np.empty((len(heads), len(places)))
        most = max(1, TOKENS_AT_ONCE // rows.shape[1])  # rows that are read at a time
        for some in _parts(len(heads), max(1, most // len(rows))):
            for part in _parts(len(rows), max(1, most // len(heads[some]))):
                check()
                own = slice(None) if len(rows) == 1 else part  # a row guesses all, or one each
                x = self._guesses(rows[part], kept[part], heads[some])  # (N, E, D)
                wanted = self._tensor(np.tile(targets[own], len(heads[some])))
                scored = self._log_probs(x.flatten(0, 1), wanted).double().cpu().numpy()
                found[some, own] = scored.reshape(len(heads[some]), -1)
        return found

    @torch.no_grad()
    def guess_with(self, ids: np.ndarray, place: int, heads: np.ndarray) -> np.ndarray:
        """See models.base."""
        x = self._guesses(*self._read_for(ids, np.array([place])), heads)
        return self._distribution(x[:, 0]).double().cpu().numpy()

    def _guesses(self, rows: np.ndarray, kept: np.ndarray, heads: np.ndarray) -> Tensor:
        """(N, E, D): what the layers make of rows (R, T) at the E places kept, for heads (N, L, H).

        Layers below the first in which the N differ are gone through once.
        """
        x, switches = self.module.embed(self._tensor(rows)), self._switches(heads)
        wanted = torch.from_numpy(kept).to(x.device)
        together = True
        for number, layer in enumerate(self._layers):
            on = switches[:, number]  # (N, H)
            if together and bool((on != on[0]).any()):
                x, together = x.repeat(len(heads), 1, 1), False  # (N R, T, D)
                wanted = wanted.repeat(len(heads), 1)
            on = on[:1].expand(len(rows), -1) if together else on.repeat_interleave(len(rows), 0)
            x = layer(x, heads=on, kept=wanted if layer is self._layers[-1] else None)
        found = x.unflatten(0, (1 if together else len(heads), -1))
        return found.expand(len(heads), -1, -1)

    def _switches(self, heads: np.ndarray) -> Tensor:
        return torch.from_numpy(np.asarray(heads, bool)).to(self._device)

    def _tensor(self, ids: np.ndarray) -> Tensor:
        return torch.from_numpy(np.asarray(ids, np.int64)).to(self._device)

    @property
    def _device(self) -> torch.device:
        return next(self.module.parameters()).device


def _parts(number: int, most: int) -> list[slice]:
    """The numbers below `number` in stretches of at most `most`."""
    return [slice(first, min(first + most, number)) for first in range(0, number, most)]
