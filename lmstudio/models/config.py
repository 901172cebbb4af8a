"""What can be set of each model, free of torch so that forms and the command line can show it.

Each config also knows its exact parameter arithmetic: `parameters(vocabulary)` lists
(what, arithmetic, count) terms whose counts sum to the number of trained weights.
"""

from dataclasses import dataclass

from lmstudio.messages import msg
from lmstudio.options import option

Term = tuple[str, str, int]

SMOOTHINGS = ("maximum-likelihood", "add-one", "add-k", "modified-kneser-ney")


@dataclass(frozen=True)
class NgramConfig:
    """A count-based model of the last n - 1 tokens."""

    order: int = option(
        3, msg("Order"), msg("n: a token is predicted from the n - 1 before it"), low=1, high=6
    )
    smoothing: str = option(
        "modified-kneser-ney", msg("Smoothing"), msg("How probability is kept for unseen n-grams"),
        choices=SMOOTHINGS,
    )  # fmt: skip
    k: float = option(
        0.1, msg("k"), msg("The count that add-k gives every n-gram"), low=0, high=100, above=True
    )


@dataclass(frozen=True)
class LstmConfig:
    """Long short-term memory (Hochreiter & Schmidhuber 1997; Sundermeyer et al. 2012)."""

    layers: int = option(1, msg("Layers"), msg("LSTM layers one above the other"), low=1, high=8)
    width: int = option(
        128, msg("Width"), msg("Length of the embeddings and of the state"), low=1, high=4096
    )
    dropout: float = option(
        0.2, msg("Dropout"), msg("Share of activations set to zero while training"), low=0, high=0.9
    )
    tied: bool = option(
        True, msg("Shared embedding"), msg("Use the embedding also as the output matrix")
    )

    def parameters(self, vocabulary: int) -> list[Term]:
        """Weights of a model whose table has `vocabulary` rows (<s> included)."""
        width = self.width
        terms = [(msg("Embedding"), f"{vocabulary} × {width}", vocabulary * width)]
        layer = 4 * width * (2 * width + 2)
        arithmetic = f"4 × {width} × ({width} + {width} + 2)"
        terms += [(f"LSTM {number}", arithmetic, layer) for number in range(1, self.layers + 1)]
        if not self.tied:
            terms.append((msg("Output matrix"), f"{vocabulary} × {width}", vocabulary * width))
        return [*terms, (msg("Output bias"), f"{vocabulary}", vocabulary)]


PRESETS: dict[str, dict[str, dict[str, dict[str, object]]]] = {
    "ngram": {},
    "lstm": {
        "small": {
            "model": {"layers": 1, "width": 128},
            "training": {"epochs": 5, "learning_rate": 0.01, "max_steps": 3000},
        },
        "base": {
            "model": {"layers": 1, "width": 256, "dropout": 0.3},
            "training": {"epochs": 10, "learning_rate": 0.006},
        },
        "large": {
            "model": {"layers": 2, "width": 512, "dropout": 0.4},
            "training": {"epochs": 16, "learning_rate": 0.003, "batch": 32},
        },
    },
}
"""By model and name, what a preset changes from the defaults of model and training."""
