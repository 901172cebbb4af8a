"""A transformer and a sentence -> what its heads look at, and its guesses with some switched off.

A head is switched off by leaving out what it adds to its layer (Michel, Levy & Neubig 2019, "Are
sixteen heads really better than one?"); all heads of a layer off leave its linear layers working.
B rows of T tokens, D wide; L layers of H heads.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lmstudio.data.layout import BOS, EOS
from lmstudio.models.blocks import Block

TOKENS_AT_ONCE = 2048
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
        x = self._stages(ids, heads, layer + 1)[layer]["input"]
        parts = block.attention.split(block.attended(x))
        return tuple(part[0].float().cpu().numpy() for part in parts)

    @torch.no_grad()
    def norms(self, ids: np.ndarray) -> dict[str, np.ndarray]:
        """See models.base."""
        layers = self._stages(ids)
        lengths = {name: [stages[name][0].norm(dim=1) for stages in layers] for name in layers[0]}
        return {name: torch.stack(found).float().cpu().numpy() for name, found in lengths.items()}

    def _stages(
        self, ids: np.ndarray, heads: np.ndarray | None = None, layers: int | None = None
    ) -> list[dict[str, Tensor]]:
        """What goes through the first `layers`, all for None; `heads` as models.base has them."""
        x = self.module.embed(self._tensor(self.shown(ids))[None])
        found = []
        for number, layer in enumerate(self._layers[:layers]):
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
        for some, part, x in self._guesses(rows, kept, heads, check):
            own = slice(None) if len(rows) == 1 else part  # a row guesses all, or one each
            wanted = self._tensor(np.tile(targets[own], len(x)))
            scored = self._log_probs(x.flatten(0, 1), wanted).double().cpu().numpy()
            found[some, own] = scored.reshape(len(x), -1)
        return found

    @torch.no_grad()
    def guess_with(self, ids: np.ndarray, place: int, heads: np.ndarray) -> np.ndarray:
        """See models.base."""
        guesses = self._guesses(*self._read_for(ids, np.array([place])), heads)
        found = [self._distribution(x[:, 0]).double().cpu().numpy() for _, _, x in guesses]
        return np.concatenate(found)

    def _guesses(
        self, rows: np.ndarray, kept: np.ndarray, heads: np.ndarray,
        check: Callable[[], None] = lambda: None,
    ) -> Iterator[tuple[slice, slice, Tensor]]:  # fmt: skip
        """What the layers make of rows (R, T) where it is kept, for heads (N, L, H), in parts.

        Some of the N, some of the R, and (N, E, D) of the places kept in these. Layers below the
        first in which any of the N differ are gone through once.
        """
        alike = (heads == heads[:1]).all((0, 2))  # (L,)
        alike[-1] = False  # where all are kept no longer
        common = int(alike.argmin())
        most = max(1, TOKENS_AT_ONCE // rows.shape[1])  # rows that are read at a time
        for part in _parts(len(rows), most):
            check()
            below = self.module.embed(self._tensor(rows[part]))  # (R, T, D)
            for number in range(common):
                on = self._switches(heads[:1, number]).expand(len(below), -1)
                below = self._layers[number](below, heads=on)
            for some in _parts(len(heads), max(1, most // len(below))):
                check()
                yield some, part, self._above(below, kept[part], heads[some], common)

    def _above(self, x: Tensor, kept: np.ndarray, heads: np.ndarray, first: int) -> Tensor:
        """(N, E, D): what layers from `first` on make of x (R, T, D), where kept (R, T)."""
        number, rows = len(heads), len(x)
        switches = self._switches(heads).repeat_interleave(rows, 0)  # (N R, L, H)
        wanted = torch.from_numpy(kept).to(x.device).repeat(number, 1)
        x = x.repeat(number, 1, 1)
        for place, layer in enumerate(self._layers[first:], first):
            last = place == len(self._layers) - 1
            x = layer(x, heads=switches[:, place], kept=wanted if last else None)
        return x.unflatten(0, (number, -1))

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
