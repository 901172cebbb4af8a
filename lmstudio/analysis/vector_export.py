"""A network and a layer in; a file of word vectors for other programs out.

Layer 0 is the look-up table: every word of the vocabulary has its row. In a deeper layer the vector
of a word is the mean over all its places in the train part; words that do not occur there have
none.
"""

from pathlib import Path
from typing import cast

import numpy as np

from lmstudio.analysis.asked import Answering, Asked, answering
from lmstudio.analysis.contextual import contextual
from lmstudio.analysis.word_vectors import deepest, word_vectors
from lmstudio.data.layout import EOS, SPECIALS, Tokens
from lmstudio.errors import AppError
from lmstudio.files import refuse_full, unwritten, written_folder
from lmstudio.formats.vectors.projector import write_projector
from lmstudio.formats.vectors.vector_file import write_vectors
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.models.base import NeuralModel

LAYOUTS = ("word2vec", "word2vec-binary", "glove", "projector")
_SENTENCES = 256  # read between two sums


def write(asked: Asked, layout: str, layer: int, path: Path, *, job: Job) -> list[Message]:
    """Write a layer's vectors in one of LAYOUTS; what is to be told of them.

    AppError for a layer that the model does not have, and where nothing can be written.
    """
    model = answering(asked, job=job)
    last = deepest(asked.spec)
    if not 0 <= layer <= last:
        raise AppError("{name} has layers 0 to {last}.", name=asked.name, last=last)
    if layer:
        ids, vectors, notes = _means(model, layer, job)
    else:
        ids, vectors, notes = _table(asked, job)
    words = [model.types[number] for number in ids.tolist()]
    if layout != "projector":
        return notes + write_vectors(path, words, vectors, binary=layout == "word2vec-binary",
                                     header=layout != "glove", job=job)  # fmt: skip
    refuse_full(path)
    counts = model.vocabulary.counts[ids].tolist()
    with unwritten(path), written_folder(path) as folder:
        write_projector(folder, words, vectors, [("count", counts)], job=job)
    return notes


def _table(asked: Asked, job: Job) -> tuple[np.ndarray, np.ndarray, list[Message]]:
    """(N,) ids of words, (N, D) their rows; those of zeros, which have no direction, left out."""
    found = word_vectors(asked, job=job)
    kept = found.defined
    vectors = found.units[kept] * found.lengths[kept, None]
    note = Message("{words} words of the look-up table.", {"words": int(kept.sum())})
    return found.ids[kept], vectors, [note]


def _means(
    model: Answering, layer: int, job: Job
) -> tuple[np.ndarray, np.ndarray, list[Message]]:  # fmt: skip
    """(N,) ids of the words of the train part, (N, D) the means of their vectors there."""
    tokens, network = Tokens(model.asked.segmentation_folder), cast(NeuralModel, model.model)
    tokens.check(model.rows)
    bounds = tokens.bounds("train")
    counts = np.zeros(model.rows, np.int64)
    sums = np.zeros((model.rows, 0))
    for start in range(0, len(bounds), _SENTENCES):
        job.tick(start, len(bounds), Message("Reading sentences"))
        some = [
            np.asarray(tokens.ids[a:b], np.int32) for a, b in bounds[start : start + _SENTENCES]
        ]
        for number, layers in contextual(network, some, job=Job()):
            shown = network.shown(some[number])
            words = slice(1, len(shown) - (shown[-1] == EOS))  # without marks
            if not sums.shape[1]:
                sums = np.zeros((model.rows, layers.shape[2]))
            np.add.at(sums, shown[words], layers[layer, words])
            counts += np.bincount(shown[words], minlength=model.rows)
            job.check()
    ids = np.flatnonzero(counts[len(SPECIALS) :]) + len(SPECIALS)
    if not len(ids):
        raise AppError("The train part holds no word.")
    told: dict[str, object] = {
        "layer": layer, "words": len(ids), "places": int(counts[ids].sum()),
        "absent": model.rows - len(SPECIALS) - len(ids),
    }  # fmt: skip
    note = Message(
        "Each vector is the mean of layer {layer} over the places of a word in the train part: "
        "{words} words, {places} places; {absent} words that do not occur there are left out.",
        told,
    )
    return ids, (sums[ids] / counts[ids, None]).astype(np.float32), [note]
