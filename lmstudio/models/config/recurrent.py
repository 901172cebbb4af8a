"""What can be set of networks that read a text token by token and carry a state."""

from dataclasses import dataclass
from typing import ClassVar

from lmstudio.errors import Fault
from lmstudio.messages import Message, msg
from lmstudio.models.config.terms import (
    Term,
    context_option,
    dropout_option,
    output,
    softmax_option,
    table,
    tied_option,
)
from lmstudio.options import option


@dataclass(frozen=True)
class RecurrentConfig:
    """Layers of cells one above the other."""

    gates: ClassVar[int] = 1  # matrices of a cell, of each kind
    cell: ClassVar[str]  # what a layer is called

    layers: int = option(1, msg("Layers"), msg("Layers one above the other"), low=1, high=8)
    width: int = option(
        128, msg("Width"), msg("Length of the embeddings and of the state"), low=1, high=4096
    )
    dropout: float = dropout_option(0.2)
    tied: bool = tied_option()
    context: str = context_option("sentence")
    softmax: str = softmax_option()

    def faults(self) -> list[Fault]:
        """What the limits of single settings do not tell."""
        if self.tied and self.softmax == "adaptive":
            return [Fault("tied", Message("must be off with an adaptive softmax"))]
        return []

    def parameters(self, rows: int) -> list[Term]:
        """Of a model whose table has `rows` rows, <s> included."""
        width = self.width
        terms = [table(msg("Embedding"), rows, width)]
        times = f"{self.gates} × " if self.gates > 1 else ""
        arithmetic = f"{times}{width} × ({width} + {width} + 2)"
        layer = self.gates * width * (2 * width + 2)
        terms += [(f"{self.cell} {n}", arithmetic, layer) for n in range(1, self.layers + 1)]
        return [*terms, *output(self.softmax, rows, width, tied=self.tied)]


@dataclass(frozen=True)
class RnnConfig(RecurrentConfig):
    """The simple recurrent network (Elman 1990; Mikolov et al. 2010)."""

    cell: ClassVar[str] = "RNN"

    activation: str = option(
        "tanh", msg("Activation"), msg("What a unit makes of its sum"), choices=("tanh", "relu"),
        more=True,
    )  # fmt: skip


@dataclass(frozen=True)
class GruConfig(RecurrentConfig):
    """Gated recurrent units (Cho et al. 2014)."""

    gates: ClassVar[int] = 3
    cell: ClassVar[str] = "GRU"


@dataclass(frozen=True)
class LstmConfig(RecurrentConfig):
    """Long short-term memory (Hochreiter & Schmidhuber 1997; Sundermeyer et al. 2012)."""

    gates: ClassVar[int] = 4
    cell: ClassVar[str] = "LSTM"
