"""What can be set of BERT."""

from dataclasses import dataclass

from lmstudio.errors import Fault
from lmstudio.messages import msg
from lmstudio.models.config.terms import (
    Term,
    blocks,
    dropout_option,
    epsilon_option,
    heads_fault,
    linear,
    norm,
    position_option,
    table,
    vector,
    window_option,
)
from lmstudio.options import option


@dataclass(frozen=True)
class BertConfig:
    """An encoder that fills blanks from both sides (Devlin et al. 2019)."""

    layers: int = option(4, msg("Layers"), msg("Layers one above the other"), low=1, high=48)
    width: int = option(128, msg("Width"), msg("Length of the vectors"), low=1, high=8192)
    heads: int = option(4, msg("Heads"), msg("Of attention in each layer"), low=1, high=128)
    window: int = window_option(128)
    dropout: float = dropout_option(0.1)
    next_sentence: bool = option(
        False, msg("Next sentence"),
        msg("Also learn to tell whether two sentences follow each other"),
    )  # fmt: skip
    whole_words: bool = option(
        False, msg("Whole words"), msg("Hide all pieces or characters of a word together")
    )
    mask_share: float = option(
        0.15, msg("Masked share"), msg("Of the tokens, hidden and to be guessed"),
        low=0, high=0.9, above=True, more=True,
    )  # fmt: skip
    dynamic: bool = option(
        True, msg("Dynamic masking"), msg("off: a sentence keeps the blanks it has"), more=True
    )
    random_from: str = option(
        "all", msg("Random tokens"),
        msg("What replaces a tenth of the chosen tokens: all, or other words only"),
        choices=("all", "others"), more=True,
    )  # fmt: skip
    inner: int = option(
        0, msg("Inner width"), msg("Between the two linear layers; 0: four times the width"),
        low=0, high=65536, more=True,
    )  # fmt: skip
    gelu: str = option(
        "erf", msg("GELU"), msg("Exact, or the approximation by tanh that GPT-2 was made with"),
        choices=("erf", "tanh"), more=True,
    )  # fmt: skip
    positions: str = position_option()
    table_width: int = option(
        0, msg("Width of the table"),
        msg("A narrow table whose vectors are projected to the width, as in ALBERT and ELECTRA; "
            "0: as wide as the layers"),
        low=0, high=8192, more=True,
    )  # fmt: skip
    shared: bool = option(
        False, msg("One layer, repeated"), msg("All layers have the same weights, as in ALBERT"),
        more=True,
    )  # fmt: skip
    norm_epsilon: float = epsilon_option(1e-12)

    def faults(self) -> list[Fault]:
        """What the limits of single settings do not tell."""
        return heads_fault(self.width, self.heads)

    @property
    def between(self) -> int:
        """Width between the two linear layers."""
        return self.inner or 4 * self.width

    @property
    def looked_up(self) -> int:
        """Width of the vectors in the table."""
        return self.table_width or self.width

    def parameters(self, rows: int) -> list[Term]:
        """Of a model whose table has `rows` rows, [MASK] included; the output matrix is tied."""
        width, narrow = self.width, self.looked_up
        terms = [table(msg("Embedding"), rows, narrow)]
        if self.positions == "learned":
            terms.append(table(msg("Positions"), self.window, narrow))
        terms += [table(msg("Segments"), 2, narrow), norm(narrow)]
        if self.table_width:
            terms.append(linear(msg("Projection of the table"), narrow, width))
        terms.append(blocks(1 if self.shared else self.layers, width, self.between))
        if self.next_sentence:
            terms.append(linear(msg("Pooler"), width, width))
            terms.append(linear(msg("Next sentence"), width, 2))
        name, arithmetic, count = linear(msg("Head of the blanks"), width, narrow)
        terms.append((name, f"{arithmetic} + 2 × {narrow}", count + 2 * narrow))
        return [*terms, vector(msg("Output bias"), rows)]
