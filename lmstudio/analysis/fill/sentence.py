"""A question and a model's own tokens in; ids with holes in them out.

Where the borders of all blanks are borders of tokens, the text is cut as it stands. Elsewhere, and
where marks stand, what lies between the blanks is cut by itself, and so is what stood in them.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from lmstudio.analysis.asked import Answering
from lmstudio.analysis.fill.question import Blank, Question
from lmstudio.data.layout import UNK
from lmstudio.data.token_preview import Piece, pieces_of
from lmstudio.errors import AppError
from lmstudio.jobs import Job


@dataclass(frozen=True)
class Hole:
    """Where a blank stands among the ids of a sentence."""

    first: int
    size: int
    truth: np.ndarray | None  # (size,) its ids; None behind a mark

    @property
    def end(self) -> int:
        """The place after it."""
        return self.first + self.size

    @property
    def known(self) -> bool:
        """All of the truth is in the vocabulary."""
        return self.truth is not None and UNK not in self.truth


@dataclass(frozen=True)
class HoledSentence:
    """T ids, of which those in holes are the truth, or anything behind a mark."""

    ids: np.ndarray  # (T,) int64
    holes: list[Hole]

    @property
    def hidden(self) -> np.ndarray:
        """(T,) bool: what is in a hole."""
        places = np.zeros(len(self.ids), bool)
        for hole in self.holes:
            places[hole.first : hole.end] = True
        return places


def holed(answering: Answering, question: Question, *, job: Job) -> HoledSentence:
    """The question as the model of `answering` reads it. AppError where a blank holds no token."""
    if not any(blank.marked for blank in question.blanks):
        pieces = answering.pieces(question.text, job=job)
        if (places := _places(pieces, question.blanks)) is not None:
            ids = np.array([piece.id for piece in pieces], np.int64)
            holes = [Hole(first, size, ids[first : first + size]) for first, size in places]
            return HoledSentence(ids, holes)
    return _cut_apart(answering, question, job)


def _cut_apart(answering: Answering, question: Question, job: Job) -> HoledSentence:
    """Blanks, and what lies between them, each cut by itself."""
    text, blanks = question.text, question.blanks
    edges = [0, *(edge for blank in blanks for edge in (blank.start, blank.end)), len(text)]
    stretches = [text[start:end] for start, end in pairwise(edges)]  # each second is a blank
    for number, blank in enumerate(blanks):
        if blank.marked:
            stretches[2 * number + 1] = ""
    cut = pieces_of(stretches, answering.asked.plan, answering.vocabulary, job=job)
    ids: list[int] = []
    holes: list[Hole] = []
    for number, pieces in enumerate(cut):
        found = [piece.id for piece in pieces]
        if number % 2:
            marked = blanks[number // 2].marked
            found = [UNK] if marked else found
            truth = None if marked else np.array(found, np.int64)
            if not found:
                raise AppError("For {name} nothing stands in this blank.",
                               name=answering.asked.name)  # fmt: skip
            holes.append(Hole(len(ids), len(found), truth))
        ids += found
    return HoledSentence(np.array(ids, np.int64), holes)


def _places(pieces: list[Piece], blanks: tuple[Blank, ...]) -> list[tuple[int, int]] | None:
    """(first piece, number of pieces) of each blank; None where a border is inside a piece."""
    starts, ends = [piece.start for piece in pieces], [piece.end for piece in pieces]
    found = []
    for blank in blanks:
        inside = [n for n, end in enumerate(ends) if end > blank.start and starts[n] < blank.end]
        if not inside or starts[inside[0]] != blank.start or ends[inside[-1]] != blank.end:
            return None
        if inside != list(range(inside[0], inside[-1] + 1)):
            return None  # of words that overlap some stand elsewhere
        found.append((inside[0], len(inside)))
    return found
