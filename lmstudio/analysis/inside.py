"""A sentence and a trained network in; what goes on inside at each token out: gates, or norms.

Gates of networks that read with gates (LSTM, GRU, ELMo), lengths of what passes through the layers
of transformers (BERT, GPT). What the names mean: GatedModel and AttendingModel in models.base.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np

from lmstudio.analysis.asked import Asked
from lmstudio.analysis.typed_sentence import typed_sentence
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.models.base import AttendingModel, GatedModel, LanguageModel
from lmstudio.models.capabilities import reason

Kind = Literal["gates", "norms"]


@dataclass(frozen=True)
class Inside:
    """A sentence of T tokens, marks included, as L layers see it."""

    tokens: list[str]  # as they stand in the text
    kind: Kind
    values: dict[str, np.ndarray]  # float32 by name: gates (L, T, D), norms (L, T)
    notes: tuple[Message, ...] = ()  # what a reader must know of it

    def rows(self) -> Iterator[tuple[str, int, int, str, int, float]]:
        """(token, its place, layer, name, unit, value); places, layers and units from 1."""
        for name, values in self.values.items():
            units = values if values.ndim == 3 else values[..., None]
            for (layer, place, unit), value in np.ndenumerate(units):
                yield self.tokens[place], place + 1, layer + 1, name, unit + 1, float(value)


def inside(asked: Asked, text: str, *, job: Job) -> Inside:
    """What the model of a run does with `text`, read as one sentence.

    Of a longer text what typed_sentence reads. AppError for an empty text, and for a model that
    has neither gates nor norms.
    """
    if why := reason(asked.spec.model, "inside", asked.spec.config):
        raise AppError("{name} cannot answer this: {reason}.", name=asked.name, reason=why)
    sentence = typed_sentence(asked, text, job=job)
    job.check()
    network, kind = sentence.network, kind_of(sentence.network)
    if kind == "gates":
        values = cast(GatedModel, network).gates(sentence.ids)
    else:
        values = cast(AttendingModel, network).norms(sentence.ids)
    return Inside(sentence.shown(), kind, values, sentence.notes)


def kind_of(model: LanguageModel) -> Kind:
    """What there is to look at in a model that has either."""
    return "gates" if hasattr(model, "gates") else "norms"
