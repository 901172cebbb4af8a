"""Words in; how alike each two are, and how well that agrees with what people said, out.

A similarity set is a text file with two words and a score in each line, apart by tabs or blanks, as
WordSim-353 (Finkelstein et al. 2002) and its Chinese kin wordsim-240 (Jin & Wu 2012) are.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lmstudio.analysis.asked import Asked
from lmstudio.analysis.class_words import class_of_ids
from lmstudio.analysis.neighbours import mean_vector, parts_of
from lmstudio.analysis.rank_correlation import spearman
from lmstudio.analysis.word_vectors import WordVectors, word_vectors
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.text.word_file import read_word_file

MOST_WORDS = 512
"""Words of a matrix."""


@dataclass(frozen=True)
class Similarities:
    """n words against each other."""

    words: list[str]
    values: np.ndarray  # (n, n) float32 cosines; NaN where one of the two has no direction
    unknown: list[str]  # what was asked for and is in no vocabulary


def similarity(asked: Asked, words: Sequence[str], layer: int = 0, *, job: Job) -> Similarities:
    """The cosines of a list of words, each once; of one that is cut, of the mean of its pieces.

    AppError where none of them is known.
    """
    wanted = list(dict.fromkeys(word.strip() for word in words if word.strip()))
    if len(wanted) > MOST_WORDS:
        raise AppError("A matrix holds {most} words at most.", most=MOST_WORDS)
    parts = {word: parts_of(asked, word, job=job) for word in wanted}
    needed = [piece for pieces in parts.values() for piece in pieces]
    vectors = word_vectors(asked, layer, needed, job=job)
    known = [word for word in wanted if any(piece in vectors.places for piece in parts[word])]
    if not known:
        raise AppError("None of these is in the vocabulary: {words}.", words=" ".join(wanted))
    rows = np.stack([mean_vector(vectors, parts[word])[0] for word in known])
    return Similarities(known, cosines(rows), [word for word in wanted if word not in known])


def one_hot(words: Sequence[str]) -> Similarities:
    """The baseline: rows of an identity matrix, in which no word is like another."""
    return Similarities(list(words), np.eye(len(words), dtype=np.float32), [])


def of_classes(class_run_folder: Path, words: Sequence[str], ids: np.ndarray) -> Similarities:
    """The step between: 1 for two words of one class, else 0. `ids` are those of the words."""
    own = class_of_ids(class_run_folder)[ids]
    return Similarities(list(words), (own[:, None] == own).astype(np.float32), [])


def cosines(vectors: np.ndarray) -> np.ndarray:
    """(n, n) float32 of vectors (n, D); NaN where one is zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        units = vectors / lengths
    found = np.clip(units @ units.T, -1, 1).astype(np.float32)
    np.fill_diagonal(found, np.where(lengths[:, 0] > 0, 1, np.nan))
    return found


# --- what people said ------------------------------------------------------------------------


@dataclass(frozen=True)
class WordPair:
    """Two words, what people said, and what the vectors say (None: a word is not known)."""

    first: str
    second: str
    score: float
    cosine: float | None = None


@dataclass(frozen=True)
class SimilarityScore:
    """How well vectors agree with a set."""

    rho: float  # Spearman's, over the pairs that are covered; NaN of fewer than two
    covered: int
    pairs: list[WordPair]

    @property
    def coverage(self) -> float:
        """The share of pairs whose words are both known."""
        return self.covered / len(self.pairs) if self.pairs else math.nan


def read_pairs(path: Path) -> list[WordPair]:
    """The pairs of a file; a first line without a number is a header. AppError by its line."""
    pairs = []
    for number, line in enumerate(read_word_file(path).splitlines(), 1):
        cells = line.split("\t") if "\t" in line else line.split()
        if not line.strip():
            continue
        try:
            pairs.append(WordPair(cells[0].strip(), cells[1].strip(), float(cells[2])))
        except (IndexError, ValueError):
            if number > 1:
                raise AppError(
                    "Line {line} of {path} is not two words and a score.", line=number, path=path
                ) from None
    if not pairs:
        raise AppError("{path} holds no pair of words with a score.", path=path)
    return pairs


def score_pairs(vectors: WordVectors, pairs: Sequence[WordPair]) -> SimilarityScore:
    """Cosines beside what people said. Vectors of zeros cover nothing."""
    found = []
    for pair in pairs:
        places = [vectors.places.get(word, -1) for word in (pair.first, pair.second)]
        known = min(places) >= 0 and bool(vectors.defined[places].all())
        cosine = float(vectors.units[places[0]] @ vectors.units[places[1]]) if known else None
        found.append(WordPair(pair.first, pair.second, pair.score, cosine))
    told = [(pair.score, pair.cosine) for pair in found if pair.cosine is not None]
    table = np.array(told, np.float64).reshape(-1, 2)
    return SimilarityScore(spearman(table[:, 0], table[:, 1]), len(told), found)


def similarity_set(asked: Asked, path: Path, layer: int = 0, *, job: Job) -> SimilarityScore:
    """How well the vectors of a run agree with the set in a file."""
    pairs = read_pairs(path)
    needed = [word for pair in pairs for word in (pair.first, pair.second)]
    return score_pairs(word_vectors(asked, layer, needed, job=job), pairs)
