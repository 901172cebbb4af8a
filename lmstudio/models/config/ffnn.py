"""What can be set of the feed-forward network."""

from dataclasses import dataclass

from lmstudio.messages import msg
from lmstudio.models.config.terms import (
    Term,
    dropout_option,
    linear,
    output,
    softmax_option,
    table,
)
from lmstudio.options import option


@dataclass(frozen=True)
class FfnnConfig:
    """A window of n - 1 embeddings, a hidden layer (Bengio et al. 2003)."""

    order: int = option(
        5, msg("Order"), msg("n: a token is predicted from the n - 1 before it"), low=2, high=65
    )
    width: int = option(64, msg("Width"), msg("Length of the embeddings"), low=1, high=4096)
    hidden: int = option(128, msg("Hidden units"), msg("Of the tanh layer"), low=1, high=65536)
    dropout: float = dropout_option(0.1)
    direct: bool = option(
        False, msg("Direct connection"), msg("Lead the embeddings also straight to the output")
    )
    softmax: str = softmax_option()

    def parameters(self, rows: int) -> list[Term]:
        """y = b + W x + U tanh(d + H x); `rows` of the table, <s> included."""
        terms = [table(msg("Embedding"), rows, self.width)]
        terms.append(linear(msg("Hidden layer"), self.window, self.hidden))
        if self.direct and self.softmax != "adaptive":
            terms.append(table(msg("Direct connection"), rows, self.window))
            return [*terms, *output(self.softmax, rows, self.hidden)]
        return [*terms, *output(self.softmax, rows, self.features)]

    @property
    def window(self) -> int:
        """Length of all embeddings read, one after the other."""
        return (self.order - 1) * self.width

    @property
    def features(self) -> int:
        """Length of what the output is made from."""
        return self.hidden + (self.window if self.direct else 0)
