"""What can be set of GPT."""

from dataclasses import dataclass

from lmstudio.errors import Fault
from lmstudio.messages import msg
from lmstudio.models.config.terms import (
    Term,
    blocks,
    context_option,
    dropout_option,
    epsilon_option,
    heads_fault,
    norm,
    position_option,
    table,
    tied_option,
    window_option,
)
from lmstudio.options import option


@dataclass(frozen=True)
class GptConfig:
    """A decoder that writes from the left (Radford et al. 2018; 2019: the layout of GPT-2)."""

    layers: int = option(4, msg("Layers"), msg("Layers one above the other"), low=1, high=96)
    width: int = option(128, msg("Width"), msg("Length of the vectors"), low=1, high=12288)
    heads: int = option(4, msg("Heads"), msg("Of attention in each layer"), low=1, high=128)
    window: int = window_option(128)
    dropout: float = dropout_option(0.0)
    context: str = context_option("document")
    tied: bool = tied_option()
    inner: int = option(
        0, msg("Inner width"), msg("Between the two linear layers; 0: four times the width"),
        low=0, high=65536, more=True,
    )  # fmt: skip
    gelu: str = option(
        "erf", msg("GELU"), msg("Exact, or the approximation by tanh that GPT-2 was made with"),
        choices=("erf", "tanh"), more=True,
    )  # fmt: skip
    positions: str = position_option()
    norm_epsilon: float = epsilon_option(1e-5)

    def faults(self) -> list[Fault]:
        """What the limits of single settings do not tell."""
        return heads_fault(self.width, self.heads)

    @property
    def between(self) -> int:
        """Width between the two linear layers."""
        return self.inner or 4 * self.width

    def parameters(self, rows: int) -> list[Term]:
        """Of a model whose table has `rows` rows, <s> included."""
        width = self.width
        terms = [table(msg("Embedding"), rows, width)]
        if self.positions == "learned":
            terms.append(table(msg("Positions"), self.window, width))
        terms.append(blocks(self.layers, width, self.between))
        terms.append(norm(width))
        if not self.tied:
            terms.append(table(msg("Output matrix"), rows, width))
        return terms
