"""A model and a stream of ids in; slices of the stream with the log p of their events out."""

import math
from collections.abc import Iterator
from typing import cast

import numpy as np

from lmstudio.data.layout import BOS
from lmstudio.data.pieces import pieces
from lmstudio.models.base import DocumentModel, LanguageModel

PIECES = {"count": 1 << 16, "neural": 1 << 10, "pseudo": 1 << 8}
"""Tokens scored between two ticks, by kind of model: at most some tenths of a second."""
PSEUDO_TOKENS = 20_000
"""Of a part that a model is asked about which reads a sentence once for each of its tokens."""


def instalments(
    model: LanguageModel, stream: np.ndarray, size: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """(slice, log p of what in it is not `<s>`) of `<s> w ... </s> <s> ...`, in order.

    Slices are sentences of about `size` ids. A model of the context "document" reads on from slice
    to slice, and decides itself how long they are. ValueError if it gives too few or many figures.
    """
    if model.context == "sentence":
        for piece in pieces(stream, size):
            yield piece, model.logprobs(piece)
        return
    begin = 0
    for logprobs in cast(DocumentModel, model).read(stream):
        end = begin + _length(stream[begin : begin + 2 * len(logprobs) + 1], len(logprobs))
        yield stream[begin:end], logprobs
        begin = end
    if begin < len(stream):
        raise ValueError("a model gave too few figures")


def spread(stream: np.ndarray, most: int = PSEUDO_TOKENS) -> np.ndarray:
    """Sentences from evenly all over a stream that is longer than `most` ids: about so many."""
    step = math.ceil(len(stream) / most)
    return np.concatenate(list(pieces(stream, PIECES["pseudo"]))[::step])


def _length(stream: np.ndarray, events: int) -> int:
    """How long the beginning of a stream is that holds so many events."""
    places = np.flatnonzero(stream != BOS)
    if len(places) < events:
        raise ValueError("a model gave too many figures")
    return int(places[events - 1]) + 1 if events else 0
