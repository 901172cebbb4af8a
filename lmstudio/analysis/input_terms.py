"""A sentence and a transformer in; what its first layer reads of each token, as the sum it is, out.

GPT     token + position
BERT    layer norm (token + position + segment)       (Devlin et al. 2019, figure 2)
ALBERT  the same, times a matrix from the width of the table to that of the layers
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import numpy as np

from lmstudio.analysis.asked import Asked
from lmstudio.analysis.typed_sentence import typed_sentence
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.models.base import SummingModel
from lmstudio.models.capabilities import reason

ADDED = ("token", "position", "segment")
"""The terms of the sum; a model may lack the last two."""
MADE = ("norm", "projected")
"""What BERT, and ALBERT after it, make of the sum."""


@dataclass(frozen=True)
class InputTerms:
    """Of T tokens, marks included."""

    tokens: list[str]
    values: dict[str, np.ndarray]  # (T, D) float32: of ADDED what there is, "sum", and of MADE
    notes: tuple[Message, ...] = ()  # what a reader must know of it

    def lengths(self) -> dict[str, np.ndarray]:
        """(T,) by name: how long each vector is."""
        return {name: np.linalg.norm(term, axis=1) for name, term in self.values.items()}

    def shares(self) -> dict[str, np.ndarray]:
        """(T,) by name of ADDED: how much of the sum a term makes up.

        Its part in the direction of the sum, of the sum's length: they add up to 1, and one that
        points away from the sum is below 0. NaN where the sum is 0.
        """
        total = self.values["sum"].astype(np.float64)
        size = (total**2).sum(1)
        return {
            name: np.divide((self.values[name] * total).sum(1), size,
                            out=np.full(len(size), np.nan), where=size > 0)
            for name in ADDED if name in self.values
        }  # fmt: skip

    def rows(self) -> Iterator[tuple[int, str, str, int, float]]:
        """(place from 0, token, name of the term, component from 1, value)."""
        for name, term in self.values.items():
            for (place, component), value in np.ndenumerate(term):
                yield place, self.tokens[place], name, component + 1, float(value)


def input_terms(asked: Asked, text: str, *, job: Job) -> InputTerms:
    """Of a text, read as one sentence. AppError if it is empty, or the model no transformer."""
    if why := reason(asked.spec.model, "norms", asked.spec.config):
        raise AppError("{name} cannot answer this: {reason}.", name=asked.name, reason=why)
    sentence = typed_sentence(asked, text, job=job)
    job.check()
    values = cast(SummingModel, sentence.network).terms(sentence.ids)
    return InputTerms(sentence.shown(), values, sentence.notes)
