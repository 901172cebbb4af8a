"""Sentences through a network in, many read at once; the vectors of each layer out, one by one."""

from collections.abc import Iterator, Sequence

import numpy as np

from lmstudio.data.batches import like_lengths
from lmstudio.data.layout import EOS
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.models.base import NeuralModel

LONGEST = 512
"""Tokens of a sentence that are read, if the window of the model does not end before."""

_ROWS = 32  # sentences read together


def room(model: NeuralModel) -> int:
    """How many tokens of a sentence are read at most, its marks left out."""
    return len(model.shown(np.zeros(LONGEST, np.int64))) - marks(model)


def marks(model: NeuralModel) -> int:
    """How many marks are read with a sentence: `<s>`, perhaps `</s>`."""
    return len(model.shown(np.empty(0, np.int64)))


def contextual(
    model: NeuralModel, sentences: Sequence[np.ndarray], *, job: Job
) -> Iterator[tuple[int, np.ndarray]]:
    """(its number, (L + 1, T, D) float32) of each sentence of ids, short ones first.

    T are the tokens of `model.shown`, marks included and padding left out: a sentence has the same
    vectors whatever it is read with.
    """
    shown = [model.shown(ids) for ids in sentences]
    sizes = np.array([len(ids) for ids in shown], np.int64)
    done = 0
    for group in like_lengths(sizes, _ROWS):
        job.tick(done, len(shown), Message("Reading sentences"))
        rows = np.full((len(group), int(sizes[group].max())), EOS, np.int64)
        for row, number in zip(rows, group.tolist(), strict=True):
            row[: sizes[number]] = shown[number]
        layers = model.layers_of(rows, sizes[group])  # (L + 1, B, T, D)
        for place, number in enumerate(group.tolist()):
            yield number, layers[:, place, : sizes[number]]
        done += len(group)


def units(vectors: np.ndarray) -> np.ndarray:
    """(.., D): the vectors at length 1, so that distances go by angles; zero stays zero."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
