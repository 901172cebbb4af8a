"""Vectors of words and questions "a is to b as c is to ?" in; answers and their score out.

    3CosAdd   cos(d, b) - cos(d, a) + cos(d, c)                          Mikolov et al. 2013
    3CosMul   cos'(d, b) cos'(d, c) / (cos'(d, a) + 0.001)               Levy & Goldberg 2014

over directions of length 1, cos' = (cos + 1) / 2; d is none of a, b and c. Questions are read from
files as that of CA8 (Li et al. 2018, "Analogical reasoning on Chinese morphological and semantic
relations"): four words in a line, sections begin with ":". A question is covered if all four of its
words are known; accuracy is over the covered ones.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lmstudio.analysis.asked import Asked
from lmstudio.analysis.word_vectors import WordVectors, word_vectors
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.text.word_file import read_word_file

AT_ONCE = 128  # questions
LEAST = 0.001  # keeps 3CosMul from dividing by zero


@dataclass(frozen=True)
class Candidate:
    """A word and its score by one of the two formulas."""

    word: str
    score: float


@dataclass(frozen=True)
class Analogy:
    """The best answers to one question by each formula, falling."""

    add: list[Candidate]
    mul: list[Candidate]


@dataclass(frozen=True)
class SectionScore:
    """How many questions of a section were answered right."""

    name: str
    questions: int
    covered: int
    add: int
    mul: int

    @property
    def coverage(self) -> float:
        """The share of the questions whose words are all known."""
        return self.covered / self.questions if self.questions else math.nan

    def accuracy(self, formula: str) -> float:
        """The share of the covered ones that "add" or "mul" answered right; NaN of none."""
        return getattr(self, formula) / self.covered if self.covered else math.nan


Question = tuple[str, str, str, str]


def read_questions(path: Path) -> dict[str, list[Question]]:
    """The questions of a file by section; AppError for a line that is not four words."""
    sections: dict[str, list[Question]] = {}
    name = ""
    for number, line in enumerate(read_word_file(path).splitlines(), 1):
        cells = line.split()
        if line.startswith(":"):
            name = line[1:].strip()
        elif len(cells) == 4:
            sections.setdefault(name, []).append((cells[0], cells[1], cells[2], cells[3]))
        elif cells:
            raise AppError("Line {line} of {path} is not four words.", line=number, path=path)
    if not sections:
        raise AppError("{path} holds no question of four words.", path=path)
    return sections


def holds_questions(path: Path) -> bool:
    """Whether the first line of a file that is not empty begins a section or is four words."""
    lines = (line for line in read_word_file(path).splitlines() if line.strip())
    first = next(lines, "")
    return first.startswith(":") or (len(first.split()) == 4 and "\t" not in first)


def analogy(
    asked: Asked, words: tuple[str, str, str], layer: int = 0, most: int = 10, *, job: Job
) -> Analogy:
    """What is to c as b is to a, for `words` a, b and c. AppError if one of them is not known."""
    vectors = word_vectors(asked, layer, words, job=job)
    if missing := [word for word in words if not _known(vectors, word)]:
        if all(word in vectors.places for word in missing):
            raise AppError("The vectors of these words are zero, so they point nowhere: {words}.",
                           words=" ".join(missing))  # fmt: skip
        raise AppError("None of these is in the vocabulary: {words}.", words=" ".join(missing))
    places = np.array([[vectors.places[word] for word in words]])
    added, multiplied = (scores[0] for scores in _scores(vectors, places))
    return Analogy(_best(vectors, added, most), _best(vectors, multiplied, most))


def _best(vectors: WordVectors, scores: np.ndarray, most: int) -> list[Candidate]:
    order = np.argsort(-scores, kind="stable")[:most].tolist()
    return [Candidate(vectors.words[place], float(scores[place]))
            for place in order if np.isfinite(scores[place])]  # fmt: skip


def analogy_set(asked: Asked, path: Path, layer: int = 0, *, job: Job) -> list[SectionScore]:
    """The score of a run on each section of a file, and on all of them last."""
    sections = read_questions(path)
    words = {word for questions in sections.values() for question in questions for word in question}
    return score_sections(word_vectors(asked, layer, sorted(words), job=job), sections, job=job)


def score_sections(
    vectors: WordVectors, sections: dict[str, list[Question]], *, job: Job
) -> list[SectionScore]:
    """The score on each section and, where there are several, on all together."""
    found, done = [], 0
    total = sum(map(len, sections.values()))
    for name, questions in sections.items():
        covered = [q for q in questions if all(_known(vectors, word) for word in q)]
        places = np.array([[vectors.places[word] for word in q] for q in covered], np.int64)
        right = np.zeros(2, np.int64)
        for some in _batches(places.reshape(-1, 4)):
            right += _right(vectors, some)
            job.tick(done + len(some), total, Message("Analogies"))
        found.append(SectionScore(name, len(questions), len(covered), *right.tolist()))
        done += len(questions)
    if len(found) > 1:
        sums = [sum(getattr(one, key) for one in found)
                for key in ("questions", "covered", "add", "mul")]  # fmt: skip
        found.append(SectionScore("", *sums))
    return found


def _known(vectors: WordVectors, word: str) -> bool:
    return word in vectors.places and bool(vectors.lengths[vectors.places[word]])


def _batches(places: np.ndarray) -> Iterator[np.ndarray]:
    for start in range(0, len(places), AT_ONCE):
        yield places[start : start + AT_ONCE]


def _right(vectors: WordVectors, places: np.ndarray) -> list[int]:
    """How many of the questions (Q, 4) each formula answers right."""
    return [int((scores.argmax(axis=1) == places[:, 3]).sum())
            for scores in _scores(vectors, places[:, :3])]  # fmt: skip


def _scores(vectors: WordVectors, places: np.ndarray) -> Sequence[np.ndarray]:
    """(Q, N) by 3CosAdd and by 3CosMul of questions (Q, 3); -inf where nothing can stand."""
    words, which = np.unique(places, return_inverse=True)
    cosines = vectors.units[words] @ vectors.units.T  # (unique words, N)
    a, b, c = (cosines[side] for side in which.reshape(places.shape).T)
    added = b - a + c
    multiplied = (b + 1) / 2 * ((c + 1) / 2) / ((a + 1) / 2 + np.float32(LEAST))
    rows = np.arange(len(places))[:, None]
    for scores in (added, multiplied):
        scores[:, ~vectors.defined] = -np.inf
        scores[rows, places] = -np.inf
    return added, multiplied
