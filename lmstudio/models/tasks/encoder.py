"""A pre-trained network and rows of ids -> the vectors of its layers, with gradients.

What every network is asked for where a task is learned on top of it: layer 0 is the look-up table,
the last is what the network itself predicts from.
"""

from collections.abc import Callable, Iterator
from typing import Any, Literal

import torch
from torch import Tensor, nn

from lmstudio.models.bert import Bert
from lmstudio.models.blocks import segment_mask
from lmstudio.models.elmo import Elmo
from lmstudio.models.gpt import Gpt
from lmstudio.models.recurrent import SCALE, Recurrent
from lmstudio.models.texts import Texts
from lmstudio.models.trainable import Trainable

Reads = Literal["both", "left", "none"]
"""Which side of a token its vectors know of; none: only the token itself."""

_SCANS: dict[str, Callable[..., tuple[Tensor, ...]]] = {
    "LSTM": torch.lstm, "GRU": torch.gru, "RNN_TANH": torch.rnn_tanh, "RNN_RELU": torch.rnn_relu,
}  # fmt: skip


class TaskEncoder:
    """A view of a network, which owns the weights. B rows of T ids, layers 0 to L, D wide."""

    def __init__(self, module: Trainable) -> None:
        """`module` of models/: bert, gpt, rnn, gru, lstm or elmo; of ffnn and vectors the table."""
        self.module = module
        config: Any = module.config
        self.layers = int(getattr(config, "layers", 0))
        self.width = int(config.width) * (2 if isinstance(module, Elmo) else 1)
        self.reads: Reads = "both" if isinstance(module, Bert | Elmo) else "left"
        if not self.layers:
            self.reads = "none"
        windowed = isinstance(module, Bert | Gpt)
        self.longest = int(config.window) if windowed else None  # tokens of a row, marks included

    def __call__(self, ids: Tensor, sizes: Tensor, types: Tensor | None = None) -> list[Tensor]:
        """L + 1 tensors (B, T, D); anything where a row is padded.

        ids (B, T), of which `sizes` (B,) are not padding; `types` (B, T) 0 or 1, for BERT: in
        which of two texts a token stands.
        """
        return [self.table(ids), *self._upper(ids, sizes, types)]

    def last(
        self, ids: Tensor, sizes: Tensor, types: Tensor | None = None, *, first_only: bool = False
    ) -> Tensor:
        """The last layer alone: (B, T, D), or (B, 1, D) of the first token of each row."""
        x = self.table(ids) if self.layers == 0 else None
        kept = None
        if first_only and isinstance(self.module, Bert):
            kept = torch.zeros_like(ids, dtype=torch.bool)
            kept[:, 0] = True
        for x in self._upper(ids, sizes, types, kept):  # noqa: B007 - only the last is wanted
            pass
        assert x is not None
        if kept is not None:
            return x.unsqueeze(1)
        return x[:, :1] if first_only else x

    def table(self, ids: Tensor) -> Tensor:
        """Layer 0, (B, T, D): ids looked up, whatever stands beside them."""
        if isinstance(self.module, Elmo):
            return self.module.words(ids).repeat(1, 1, 2)
        embedding: Any = self.module.embedding
        look_up = self.module.look_up if isinstance(self.module, Bert) else embedding
        vectors: Tensor = look_up(ids)
        return vectors

    @torch.no_grad()
    def looks(self, ids: Tensor, types: Tensor) -> Tensor:
        """(L, H, T, T): how much of its look each token (third axis) of one row gives to each.

        ids (T,) without padding, types (T,) as of `__call__`. ValueError: no transformer.
        """
        module = self.module
        if not isinstance(module, Bert | Gpt):
            raise ValueError(f"{type(module).__name__} has no attention")
        row = ids[None]
        x = module.embed(row, types=types[None]) if isinstance(module, Bert) else module.embed(row)
        found = []
        for block in module.stack():
            found.append(block.looks(x)[0])
            x = block(x)
        return torch.stack(found)

    def groups(self) -> list[list[nn.Parameter]]:
        """The weights that vectors are made with: the table and what is added to it, then layer by
        layer (one list for layers that share theirs); norms behind the last belong to it."""
        module = self.module
        if isinstance(module, Elmo):
            return [list(module.words.parameters()), *(list(p.parameters()) for p in module.layers)]
        embedding: Any = module.embedding
        table = list(embedding.parameters())
        if isinstance(module, Recurrent):
            layers = range(self.layers)
            return [table, *(list(_parameters(module, layer)) for layer in layers)]
        if not isinstance(module, Bert | Gpt):
            return [table]
        table += module.positions.parameters()
        groups = [table, *(list(block.parameters()) for block in module.blocks)]
        if isinstance(module, Bert):
            table += [*module.types.parameters(), *module.norm.parameters()]
            if module.projection is not None:
                table += module.projection.parameters()
        else:
            groups[-1] += module.norm.parameters()
        return groups

    # --- the networks ------------------------------------------------------------------------

    def _upper(
        self, ids: Tensor, sizes: Tensor, types: Tensor | None, kept: Tensor | None = None
    ) -> Iterator[Tensor]:
        """Layers 1 to L; `kept` (B, T) bool: of BERT's last layer only those, (N, D)."""
        module = self.module
        if isinstance(module, Bert):
            yield from _bert(module, ids, sizes, types, kept)
        elif isinstance(module, Gpt):
            yield from _gpt(module, ids)
        elif isinstance(module, Elmo):
            yield from module.embed(ids, sizes)[0][1:]
        elif isinstance(module, Recurrent):
            yield from _recurrent(module, ids)


def _bert(
    module: Bert, ids: Tensor, sizes: Tensor, types: Tensor | None, kept: Tensor | None
) -> Iterator[Tensor]:
    mask = _padding(sizes, ids.shape[1])
    x = module.embed(ids, types=types)
    for number, block in enumerate(module.stack(), 1):
        x = block(x, mask, kept=kept if number == module.config.layers else None)
        yield x


def _padding(sizes: Tensor, length: int) -> Tensor | Texts | None:
    """What keeps tokens from looking at the padding of their row; None where there is none."""
    real = torch.arange(length, device=sizes.device) < sizes.unsqueeze(1)  # (B, T)
    if bool(real.all()):
        return None
    if sizes.device.type == "cpu" and not torch.compiler.is_compiling():
        return Texts(torch.where(real, torch.arange(len(sizes)).unsqueeze(1), -1))
    return segment_mask(real.long() - 1, causal=False)


def _gpt(module: Gpt, ids: Tensor) -> Iterator[Tensor]:
    """No token looks at what is behind it, so padding there changes nothing."""
    x = module.embed(ids)
    for number, block in enumerate(module.blocks, 1):
        x = block(x)
        yield module.norm(x) if number == len(module.blocks) else x


def _recurrent(module: Recurrent, ids: Tensor) -> Iterator[Tensor]:
    """Layer after layer, so that each can be seen; as nn.RNNBase reads them, dropout included."""
    scan = _SCANS[module.cells.mode]
    x = module.embedding(ids) * SCALE
    for layer in range(module.config.layers):
        x = module.dropout(x)
        h = x.new_zeros(1, len(x), x.shape[2])
        state = [h, h] if module.cells.mode == "LSTM" else h
        weights = list(_parameters(module, layer))
        x = scan(x, state, weights, True, 1, 0.0, module.training, False, True)[0]
        yield x


def _parameters(module: Recurrent, layer: int) -> Iterator[nn.Parameter]:
    """The weights of one layer of cells, in the order that torch wants them."""
    for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
        yield module.cells.get_parameter(f"{name}_l{layer}")
