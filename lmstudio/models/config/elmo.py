"""What can be set of ELMo."""

from dataclasses import dataclass

from lmstudio.errors import Fault
from lmstudio.messages import Message, msg
from lmstudio.models.config.terms import Term, dropout_option, linear, output, softmax_option, table
from lmstudio.options import option

BYTES = 262  # of UTF-8, and marks of the ends of words and sentences
BYTE_WIDTH = 16
BYTES_READ = 50  # of a word, its marks included
_MOST_SIZES, _MOST_FILTERS, _WIDEST_BYTE = 16, 8192, 1024
FILTERS = ((1, 32), (2, 32), (3, 64), (4, 128), (5, 256), (6, 512), (7, 1024))
"""Widths in bytes and number of the convolutions of the published model."""


@dataclass(frozen=True)
class ElmoConfig:
    """A network for each direction over one embedding (Peters et al. 2018)."""

    layers: int = option(2, msg("Layers"), msg("LSTM layers of each direction"), low=1, high=8)
    width: int = option(
        128, msg("Width"), msg("Length of the vectors between layers"), low=1, high=4096
    )
    cell: int = option(
        256, msg("Cell"), msg("Length of the state inside a layer; projected to the width"),
        low=1, high=16384,
    )  # fmt: skip
    characters: bool = option(
        False, msg("From characters"),
        msg("Make the vector of a word from its characters, by convolutions; off: look it up"),
    )  # fmt: skip
    head: str = option(
        "separate", msg("Prediction"),
        msg("separate: each direction predicts; joint: both together fill a blank"),
        choices=("separate", "joint"),
    )  # fmt: skip
    dropout: float = dropout_option(0.1)
    softmax: str = softmax_option()
    filters: int = option(
        5, msg("Convolutions"), msg("How many of the seven widths; with characters only"),
        low=1, high=7, more=True,
    )  # fmt: skip
    highways: int = option(
        2, msg("Highways"), msg("Layers above the convolutions; with characters only"),
        low=0, high=4, more=True,
    )  # fmt: skip
    cell_clip: float = option(
        3.0, msg("Clipped state"), msg("Largest value of cell and projection; 0: not clipped"),
        low=0, high=100, more=True,
    )  # fmt: skip
    carried: bool = option(
        False, msg("Carried state"),
        msg("Let a sentence begin with the state of the one before; vectors then depend on it"),
        more=True,
    )  # fmt: skip

    sizes: tuple[tuple[int, int], ...] = ()  # of the convolutions, where a file has other ones
    byte_width: int = BYTE_WIDTH

    def __post_init__(self) -> None:
        """JSON knows no tuples."""
        object.__setattr__(self, "sizes", tuple(tuple(pair) for pair in self.sizes))

    @property
    def convolutions(self) -> tuple[tuple[int, int], ...]:
        """Widths in bytes and numbers of the convolutions."""
        return self.sizes or FILTERS[: self.filters]

    def faults(self) -> list[Fault]:
        """What the limits of single settings do not tell."""
        if (
            len(self.sizes) > _MOST_SIZES
            or not 1 <= self.byte_width <= _WIDEST_BYTE
            or any(
                not (1 <= width <= BYTES_READ and 1 <= count <= _MOST_FILTERS)
                for width, count in self.sizes
            )
        ):
            return [Fault("filters", Message("are of sizes that cannot be"))]
        if self.head == "joint" and self.softmax == "adaptive":
            return [Fault("softmax", Message("must not be adaptive where both directions predict"))]
        return []

    def parameters(self, rows: int) -> list[Term]:
        """Of a model over a table of `rows` rows, <s> included. Two directions share both ends."""
        return [*self.word_terms(rows), *self.layer_terms(), *self._head_terms(rows)]

    def word_terms(self, rows: int) -> list[Term]:
        """What makes the vector of a word."""
        if not self.characters:
            return [table(msg("Embedding"), rows, self.width)]
        chosen, inputs = self.convolutions, self.byte_width
        terms = [table(msg("Embedding of bytes"), BYTES, inputs)]
        convolved = sum(inputs * width * count + count for width, count in chosen)
        terms.append((msg("Convolutions"), f"{len(chosen)}", convolved))
        total = sum(count for _, count in chosen)
        highway = 2 * (total * total + total)
        terms += [
            (f"Highway {n}", f"2 × ({total} × {total} + {total})", highway)
            for n in range(1, self.highways + 1)
        ]
        return [*terms, linear(msg("Projection"), total, self.width)]

    def layer_terms(self) -> list[Term]:
        """LSTMs with a projection, one bias a gate."""
        cell, width = self.cell, self.width
        count = 2 * (4 * cell * (2 * width + 1) + cell * width)
        arithmetic = f"2 × (4 × {cell} × ({width} + {width} + 1) + {cell} × {width})"
        return [(f"LSTM {n}", arithmetic, count) for n in range(1, self.layers + 1)]

    def _head_terms(self, rows: int) -> list[Term]:
        inputs = self.width * (2 if self.head == "joint" else 1)
        return output(self.softmax, rows, inputs)
