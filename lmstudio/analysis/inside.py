"""A sentence and a trained network in; what goes on inside at each token out: gates, or norms.

Gates of networks that read with gates (LSTM, GRU, ELMo), lengths of what passes through the layers
of transformers (BERT, GPT). What the names mean: GatedModel and AttendingModel in models.base.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

import numpy as np

from lmstudio.analysis.loading import load
from lmstudio.data.cut_plan import CutPlan
from lmstudio.data.layout import BOS, EOS, SPECIALS
from lmstudio.data.token_preview import token_preview
from lmstudio.data.vocab import read_counts
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.models.base import AttendingModel, GatedModel, LanguageModel, NeuralModel
from lmstudio.models.registry import MODELS
from lmstudio.training.spec import RunSpec

LONGEST = 200  # tokens of a sentence that are shown


Kind = Literal["gates", "norms"]


@dataclass(frozen=True)
class Inside:
    """A sentence of T tokens, marks included, as L layers see it."""

    tokens: list[str]  # as they stand in the text
    kind: Kind
    values: dict[str, np.ndarray]  # float32 by name: gates (L, T, D), norms (L, T)

    def rows(self) -> Iterator[tuple[str, int, int, str, int, float]]:
        """(token, its place, layer, name, unit, value); places, layers and units from 1."""
        for name, values in self.values.items():
            units = values if values.ndim == 3 else values[..., None]
            for (layer, place, unit), value in np.ndenumerate(units):
                yield self.tokens[place], place + 1, layer + 1, name, unit + 1, float(value)


def inside(
    segmentation_folder: Path, plan: CutPlan, run_folder: Path, spec: RunSpec, text: str, *,
    job: Job,
) -> Inside:  # fmt: skip
    """What the model of a run does with `text`, read as one sentence and cut by `plan`.

    That is the plan of the segmentation, data.encode.plan_of. Of a longer text the first LONGEST
    tokens, or what fits into the window. AppError for an empty text, and for a model that has
    neither gates nor norms.
    """
    pieces = token_preview(segmentation_folder, plan, text, job=job).pieces[:LONGEST]
    if not pieces:
        raise AppError("There is no token in this text. Type some words.")
    model = load(run_folder, spec, len(read_counts(segmentation_folder)))
    kind = kind_of(model)
    if kind is None:
        raise AppError("{model} has neither gates nor the layers of a transformer.",
                       model=MODELS[spec.model].title)  # fmt: skip
    job.check()
    return look(model, kind, [piece.text for piece in pieces], [piece.id for piece in pieces])


def kind_of(model: LanguageModel) -> Kind | None:
    """What there is to look at in a model."""
    kinds: tuple[Kind, ...] = ("gates", "norms")
    return next((kind for kind in kinds if hasattr(model, kind)), None)


def look(model: LanguageModel, kind: Kind, texts: Sequence[str], ids: Sequence[int]) -> Inside:
    """What `kind_of` says of a sentence of ids, whose tokens read `texts`."""
    sentence = np.array(ids, np.int32)
    shown = cast(NeuralModel, model).shown(sentence)
    last = [SPECIALS[EOS]] if shown[-1] == EOS else []
    tokens = [SPECIALS[BOS], *texts[: len(shown) - 1 - len(last)], *last]
    if kind == "gates":
        return Inside(tokens, kind, cast(GatedModel, model).gates(sentence))
    return Inside(tokens, kind, cast(AttendingModel, model).norms(sentence))
