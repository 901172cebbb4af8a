"""Occurrences of a word and a run in; a vector of each in every layer, kept for a while, out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from lmstudio.analysis.asked import Answering
from lmstudio.analysis.contextual import contextual, room
from lmstudio.analysis.last_used import LastUsed
from lmstudio.data.browse.uses import Occurrence
from lmstudio.data.token_preview import Piece, pieces_of
from lmstudio.jobs import Job
from lmstudio.models.base import NeuralModel

_KEPT = 4  # readings of which the vectors are kept


@dataclass(frozen=True)
class Reading:
    """N occurrences, M of which hold something that the run reads; L layers above the table."""

    vectors: np.ndarray  # (L + 1, M, D) float32: a word of several pieces is their mean
    read: np.ndarray  # (M,) int64: which of the N they are
    pieces: np.ndarray  # (N,) int64: of the run's pieces the word has so many; 0: it was not read
    wider: int  # occurrences inside a token that is longer than the word
    unknown: int  # occurrences of which a piece is unknown to the run


_readings = LastUsed[Reading](_KEPT)


def reading(model: Answering, occurrences: Sequence[Occurrence], *, job: Job) -> Reading:
    """Made once for a model that stays open: what is known of meanings does not matter here."""
    key = model.asked.run_folder, tuple((one.text, one.start, one.end) for one in occurrences)
    return _readings.get(key, model, lambda: _read(model, occurrences, job))


def _read(model: Answering, occurrences: Sequence[Occurrence], job: Job) -> Reading:
    texts = list(dict.fromkeys(one.text for one in occurrences))  # one may hold the word often
    cut = pieces_of(texts, model.asked.plan, model.vocabulary, job=job)
    pieces_by_text = dict(zip(texts, cut, strict=True))
    pieces = [pieces_by_text[one.text] for one in occurrences]
    words = [_within(found, one) for found, one in zip(pieces, occurrences, strict=True)]
    counts = np.array([len(word) for word in words], np.int64)
    read = np.flatnonzero(counts)
    chosen = [(pieces[n], words[n]) for n in read.tolist()]
    wide = [_wider(found, word, occurrences[n])
            for n, (found, word) in zip(read.tolist(), chosen, strict=True)]  # fmt: skip
    lacking = [any(found[n].unknown for n in word) for found, word in chosen]
    vectors = word_vectors(cast(NeuralModel, model.model), chosen, job=job)
    return Reading(vectors, read, counts, sum(wide), sum(lacking))


def word_vectors(
    model: NeuralModel, chosen: Sequence[tuple[Sequence[Piece], range]], *, job: Job
) -> np.ndarray:
    """(L + 1, M, D): for each sentence the mean of the vectors of some of its pieces.

    Of a sentence that is longer than the model reads, a stretch with them near its middle is read.
    Stretches that are alike are read once: of a sentence that holds the word often, few are.
    """
    most = room(model)
    numbers: dict[bytes, int] = {}  # of the stretches, by their ids
    sentences: list[np.ndarray] = []
    asked: list[list[tuple[int, slice]]] = []  # of each stretch: whose, and where after <s>
    for place, (pieces, word) in enumerate(chosen):
        start = _stretch(len(pieces), word, most)
        ids = np.array([piece.id for piece in pieces[start : start + most]], np.int64)
        number = numbers.setdefault(ids.tobytes(), len(sentences))
        if number == len(sentences):
            sentences.append(ids)
            asked.append([])
        inside = slice(word.start - start + 1, min(word.stop - start, most) + 1)
        asked[number].append((place, inside))
    found: list[np.ndarray] = [np.empty(0)] * len(chosen)
    for number, layers in contextual(model, sentences, job=job):
        for place, inside in asked[number]:
            found[place] = layers[:, inside].mean(1)  # (L + 1, D)
    return np.stack(found, 1) if found else np.empty((0, 0, 0), np.float32)


def _stretch(size: int, word: range, most: int) -> int:
    """Where the stretch of `most` pieces begins that is read for a word, out of `size` pieces.

    One begins at every quarter of its length only, so that words that stand near share it: a word
    is within an eighth of its middle.
    """
    spare = max(most - len(word), 0)
    start, step = max(word.start - spare // 2, 0), max(most // 4, 1)
    if spare >= step:  # else the word fills it, and must not be left out
        start = (start + step // 2) // step * step
    return max(0, min(start, size - most))


def _within(pieces: Sequence[Piece], word: Occurrence) -> range:
    """The pieces that hold some of the word; none if nothing of it was kept."""
    found = [n for n, p in enumerate(pieces) if p.start < word.end and p.end > word.start]
    return range(found[0], found[-1] + 1) if found else range(0)


def _wider(pieces: Sequence[Piece], word: range, one: Occurrence) -> bool:
    return pieces[word.start].start < one.start or pieces[word.stop - 1].end > one.end
