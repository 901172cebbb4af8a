"""Vectors of words and a word in; the words whose vectors point the same way out.

By the cosine of the angle between two vectors, cos(a, b) = a b / (|a| |b|). A vector of zeros has
no direction: it is nobody's neighbour, and stands last as undefined.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from lmstudio.analysis.asked import Asked, answering
from lmstudio.analysis.class_words import class_of_ids
from lmstudio.analysis.word_vectors import WordVectors, word_vectors
from lmstudio.errors import AppError
from lmstudio.jobs import Job

UNDEFINED, LEFT_OUT = -2.0, -3.0
"""In the place of a cosine while words are ordered: below all that there are."""


@dataclass(frozen=True)
class Neighbour:
    """A word and how near it is."""

    word: str
    cosine: float | None  # None: undefined, its vector is zero
    count: int  # in the train part
    same_class: bool | None = None  # as the word asked for; None where there are no classes


@dataclass(frozen=True)
class Neighbours:
    """The nearest words to what was asked for, falling."""

    query: str
    parts: list[str]  # the words of the vocabulary whose mean was taken; one if it is a word
    count: int  # of the query in the train part; 0 of a mean
    rank: int  # 1 for the most frequent word; 0 of a mean
    layer: int
    nearest: list[Neighbour]
    known: int  # words that were compared


def nearest(
    vectors: WordVectors, query: np.ndarray, most: int, without: Sequence[int] = ()
) -> list[Neighbour]:
    """The `most` words nearest to a vector (D,) that is not zero, but those at `without`."""
    cosines = vectors.units @ (query / np.sqrt(query @ query)).astype(np.float32)
    cosines[~vectors.defined] = UNDEFINED
    cosines[list(without)] = LEFT_OUT
    kept = min(most, len(cosines) - len(without))
    best = np.argpartition(-cosines, max(kept - 1, 0))[:kept]
    best = best[np.lexsort((best, -cosines[best]))]
    return [
        Neighbour(vectors.words[place], _number(cosines[place]), int(vectors.counts[place]))
        for place in best.tolist()
    ]


def _number(cosine: float) -> float | None:
    return None if cosine == UNDEFINED else float(np.clip(cosine, -1, 1))


def mean_vector(vectors: WordVectors, words: Sequence[str]) -> tuple[np.ndarray, list[int]]:
    """The mean (D,) of the vectors of the words that are known, and where these stand.

    AppError where none is known.
    """
    places = [vectors.places[word] for word in words if word in vectors.places]
    if not places:
        raise AppError("None of these is in the vocabulary: {words}.", words=" ".join(words))
    return np.mean([vectors.vector(place) for place in places], axis=0), places


def neighbours_of(
    vectors: WordVectors, query: str, parts: Sequence[str], most: int, layer: int = 0
) -> Neighbours:
    """The neighbours of a word, or of the mean of its `parts`.

    AppError where none is known, and where the mean is zero.
    """
    mean, places = mean_vector(vectors, parts)
    known = [vectors.words[place] for place in places]
    if not mean.any():
        raise AppError(
            "The vector of {words} is zero: it has no direction, so its cosines are undefined.",
            words=" ".join(known),
        )
    single = places[0] if known == [query] else None
    count = 0 if single is None else int(vectors.counts[single])
    rank = 0 if single is None else int((vectors.counts > count).sum()) + 1
    found = nearest(vectors, mean, most, sorted(set(places)))
    return Neighbours(query, known, count, rank, layer, found, len(vectors.words))


def neighbours(
    asked: Asked, text: str, layer: int = 0, most: int = 20, classes: Path | None = None, *,
    job: Job,
) -> Neighbours:  # fmt: skip
    """The words nearest to `text` in a layer of a run.

    What is no word of the vocabulary is cut as the run's text was, and the mean of its known pieces
    taken. `classes`: the folder of a run of word classes over the same vocabulary, to say who
    shares one with `text`. AppError where no piece is known.
    """
    parts = parts_of(asked, text, job=job)
    vectors = word_vectors(asked, layer, parts, job=job)
    found = neighbours_of(vectors, text.strip(), parts, most, layer)
    if classes is None or found.parts != [found.query]:
        return found
    types, class_of = answering(asked, job=job).vocabulary, class_of_ids(classes)
    own = class_of[types.id_of(found.query)]
    marked = [replace(one, same_class=bool(class_of[types.id_of(one.word)] == own))
              for one in found.nearest]  # fmt: skip
    return replace(found, nearest=marked)


def parts_of(asked: Asked, text: str, *, job: Job) -> list[str]:
    """`text` itself if it is a word of the vocabulary, else the pieces that it is cut into."""
    word = text.strip()
    if not word:
        raise AppError("Type a word.")
    opened = answering(asked, job=job)
    if opened.vocabulary.id_of(word):
        return [word]
    if " " in word:
        apart = [part for one in word.split() for part in parts_of(asked, one, job=job)]
    else:
        apart = [piece.piece for piece in opened.pieces(word, job=job) if piece.id]
    return apart or [word]
