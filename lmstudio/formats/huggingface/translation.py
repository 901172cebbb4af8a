"""Tensors by the names of transformers -> a state dict of ours, its rows in our order."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from lmstudio.errors import AppError
from lmstudio.formats.huggingface.naming import NAMINGS, PAIR, Naming, is_buffer
from lmstudio.models.bert import Bert
from lmstudio.models.blocks import STD
from lmstudio.models.config import BertConfig, GptConfig
from lmstudio.models.gpt import Gpt

TABLES = frozenset(("embedding.weight", "output.weight", "blank.bias"))
"""Names of ours whose rows stand for types."""
_KINDS = ("weight", "bias")
_INNER = ("embeddings", "encoder.", "transformer.", "h.", "wte.", "wpe.")
"""What the names of weights begin with, prefixes left out, that vectors depend on."""


@dataclass
class Translated:
    """What became of the tensors of a file."""

    state: dict[str, Tensor]  # whole: every name of our module
    missing_head: list[str] = field(default_factory=list)  # theirs; made up where there are any
    left: list[str] = field(default_factory=list)  # what had no place


def module_for(config: BertConfig | GptConfig, rows: int) -> Bert | Gpt:
    """A module of `rows` types, for BERT with one more row for [MASK]."""
    return Bert(config, rows + 1) if isinstance(config, BertConfig) else Gpt(config, rows)


def has_pair_head(names: Sequence[str], naming: Naming) -> bool:
    """Whether a file has all of BERT's head of sentence pairs."""
    known = {naming.known(name) for name in names}
    return naming.prefix == "bert." and all(
        f"{part}.{kind}" in known for part in PAIR.values() for kind in _KINDS
    )


def untied(tensors: dict[str, Tensor], naming: Naming) -> bool:
    """Whether there is an output matrix that is not the look-up table; by today's names."""
    decoder, table = tensors.get(naming.decoder), tensors.get(naming.body["embedding"] + ".weight")
    return decoder is not None and (table is None or not torch.equal(decoder, table))


def translate(
    tensors: dict[str, Tensor], kind: str, config: BertConfig | GptConfig, rows: Sequence[int]
) -> Translated:
    """`rows`: for each row of our table that of theirs, -1 for a row of zeros.

    AppError where a tensor of the network itself is missing or has another size than the settings
    say; nothing of that size is made before.
    """
    reader = _Reader({NAMINGS[kind].known(name): t for name, t in tensors.items()}, NAMINGS[kind])
    with torch.device("meta"):
        wanted: nn.Module = module_for(config, len(rows) - isinstance(config, BertConfig))
    order = torch.tensor(rows)
    found = Translated({})
    for name, like in wanted.state_dict().items():
        tensor = whole = reader.take(name)
        if tensor is None and name.startswith("blank."):
            found.missing_head += reader.missing[-1:]
            tensor = _fresh(name, like)
        elif tensor is None:
            raise AppError("The weights have no {name}: they belong to another network than "
                           "config.json tells.", name=reader.missing[-1])  # fmt: skip
        elif name in TABLES and len(tensor) > max(rows):
            tensor = _reordered(tensor, order)
        if not tensor.is_floating_point():
            raise AppError("The weights are quantised ({name}); get those in 16 or 32 bits.",
                           name=name)  # fmt: skip
        if tensor.shape != like.shape:
            told = tensor if whole is None else whole
            rows_there = 0 if told is tensor else len(told)  # ours were put in another order
            due = _size(like, rows_there)
            raise AppError(
                "The weights do not fit config.json: {name} has the size {found} in place of "
                "{expected}.", name=reader.last, found=_size(told), expected=due,
            )  # fmt: skip
        found.state[name] = tensor.contiguous()
    found.left = reader.left()
    if inner := [name for name in found.left if name.startswith(_INNER)]:
        raise AppError("The weights have {name}, for which there is no place here: this is "
                       "another kind of network.", name=inner[0])  # fmt: skip
    return found


class _Reader:
    """Tensors of a file, by our names; remembers what was taken and what was not there."""

    def __init__(self, tensors: dict[str, Tensor], naming: Naming) -> None:
        self.tensors, self.naming = tensors, naming
        self.taken: set[str] = set()
        self.missing: list[str] = []
        self.last = ""  # that was taken
        self._same = naming.decoder in tensors and not untied(tensors, naming)

    def take(self, name: str) -> Tensor | None:
        """The tensor of ours that is called `name`, None if it is not there."""
        naming, (part, _, kind) = self.naming, name.rpartition(".")
        if name == "blank.bias":
            return self._get(naming.head_bias or name)
        if name == "output.weight":
            return self._get(naming.decoder)
        if part == "types":
            return self._types(naming)
        if part.startswith("blocks."):
            return self._in_block(part, kind)
        theirs = (naming.body | naming.head | PAIR).get(part, part)
        return self._get(f"{theirs}.{kind}")

    def _in_block(self, part: str, kind: str) -> Tensor | None:
        naming, (_, number, name) = self.naming, part.split(".", 2)
        layer, whole = int(number), None
        if name == "attention.qkv":
            found = [self._get(naming.in_layer(layer, f"{one}.{kind}")) for one in naming.qkv]
            parts = [tensor for tensor in found if tensor is not None]
            if len(parts) < len(found):
                return None
            whole = torch.cat(parts, 1 if naming.turned and kind == "weight" else 0)
        else:
            whole = self._get(naming.in_layer(layer, f"{naming.block[name]}.{kind}"))
        linear = kind == "weight" and not name.startswith("norm")
        return whole.t() if whole is not None and naming.turned and linear else whole

    def _types(self, naming: Naming) -> Tensor | None:
        """Two rows, whether the model has two, one or none."""
        if "types" not in naming.body:
            width = self.tensors[naming.body["embedding"] + ".weight"].shape[1]
            return torch.zeros(2, width)
        found = self._get(naming.body["types"] + ".weight")
        if found is not None and len(found) == 1:
            return found.repeat(2, 1)
        return found

    def _get(self, name: str) -> Tensor | None:
        if name not in self.tensors:
            self.missing.append(name)
            return None
        self.taken.add(name)
        self.last = name
        return self.tensors[name]

    def left(self) -> list[str]:
        """What was not asked for, buffers and second names of the table left out."""
        again = {self.naming.decoder} if self._same else set()
        if self.naming.head_bias in self.taken:  # what newer files hold twice
            again.add(self.naming.decoder.replace(".weight", ".bias"))
        return sorted(name for name in self.tensors.keys() - self.taken - again
                      if not is_buffer(name))  # fmt: skip


def _reordered(tensor: Tensor, order: Tensor) -> Tensor:
    found = tensor[order.clamp(min=0)]
    found[order < 0] = 0
    return found


def _fresh(name: str, like: Tensor) -> Tensor:
    """What a head of blanks begins with."""
    if name == "blank.norm.weight":
        return torch.ones(like.shape)
    if name.endswith("bias"):
        return torch.zeros(like.shape)
    return torch.normal(0, STD, tuple(like.shape), generator=torch.Generator().manual_seed(1))


def _size(tensor: Tensor, rows: int = 0) -> str:
    """Its size, with other `rows`."""
    first, *others = tensor.shape
    return " × ".join(map(str, (rows or first, *others)))
