"""A blank and two words for it in; how alike the vectors of the words are in that sentence, out."""

from dataclasses import dataclass
from typing import cast

import numpy as np

from lmstudio.analysis.asked import Asked, answering
from lmstudio.analysis.contextual import contextual, units
from lmstudio.analysis.fill.question import Question
from lmstudio.analysis.fill.sentence import holed
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.models.base import NeuralModel


@dataclass(frozen=True)
class FillerSimilarity:
    """Cosines of the vectors of two words that stand in the same blank, by layer."""

    fillers: tuple[str, str]
    cosines: tuple[float, ...]  # of the table, which knows no sentence, then of each layer
    known: tuple[bool, bool]  # False: a part of the word is unknown to the model


def similarity(
    asked: Asked, question: Question, number: int, fillers: tuple[str, str], *, job: Job
) -> FillerSimilarity:
    """Of a blank, by its number from 0; other blanks hold what is true, or an unknown token.

    The vector of a word of several tokens is their mean. NaN where a vector is zero. AppError for a
    model without vectors, for an empty word, and where the blank is outside of the window.
    """
    opened = answering(asked, job=job)
    if not hasattr(opened.model, "layers"):
        raise AppError("{name} has no vectors of words.", name=asked.name)
    model = cast(NeuralModel, opened.model)
    sentences = [holed(opened, question.put(number, word), job=job) for word in fillers]
    vectors: list[np.ndarray] = [np.empty(0), np.empty(0)]
    for which, layers in contextual(model, [s.ids for s in sentences], job=job):
        hole = sentences[which].holes[number]
        inside = layers[:, hole.first + 1 : hole.end + 1]  # `<s>` is read before
        if inside.shape[1] < hole.size:
            raise AppError("The blank is outside of the window of {name}.", name=asked.name)
        vectors[which] = units(inside.mean(1).astype(np.float64))
    cosines = (vectors[0] * vectors[1]).sum(1)
    zero = ~(vectors[0].any(1) & vectors[1].any(1))
    first, second = (sentence.holes[number].known for sentence in sentences)
    told = np.where(zero, np.nan, np.clip(cosines, -1, 1))
    return FillerSimilarity(fillers, tuple(map(float, told)), (first, second))
