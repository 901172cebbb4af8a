"""A question and a model's own tokens in; ids with holes in them out.

The text is cut as it stands, with a stand-in where marks are. Where the borders of a blank are
none of tokens, what lies between the blanks is cut by itself, and so is what stood in them.
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


_STAND_IN = "x"
"""In the place of a mark: it becomes no part of a Chinese word, and may have a space before it."""


def holed(answering: Answering, question: Question, *, job: Job) -> HoledSentence:
    """The question as the model of `answering` reads it. AppError where a blank holds no token."""
    whole = question
    for number, blank in enumerate(question.blanks):
        whole = whole.put(number, _STAND_IN) if blank.marked else whole
    pieces = answering.pieces(whole.text, job=job)
    places = _places(pieces, whole.blanks)
    if places is None:
        return _cut_apart(answering, question, job)
    ids: list[int] = []
    holes: list[Hole] = []
    at = 0
    for (first, size), blank in zip(places, question.blanks, strict=True):
        ids += [piece.id for piece in pieces[at:first]]
        found = [UNK] if blank.marked else [piece.id for piece in pieces[first : first + size]]
        holes.append(_hole(len(ids), found, blank))
        ids += found
        at = first + size
    ids += [piece.id for piece in pieces[at:]]
    return HoledSentence(np.array(ids, np.int64), holes)


def _hole(first: int, ids: list[int], blank: Blank) -> Hole:
    return Hole(first, len(ids), None if blank.marked else np.array(ids, np.int64))


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
            found = [UNK] if blanks[number // 2].marked else found
            if not found:
                raise AppError("For {name} nothing stands in this blank.",
                               name=answering.asked.name)  # fmt: skip
            holes.append(_hole(len(ids), found, blanks[number // 2]))
        ids += found
    return HoledSentence(np.array(ids, np.int64), holes)


def _places(pieces: list[Piece], blanks: tuple[Blank, ...]) -> list[tuple[int, int]] | None:
    """(first piece, number of pieces) of each blank; None where a border is inside a piece.

    White space that is part of a piece is none of a blank.
    """
    spans = [(piece.end - len(piece.text.lstrip()), piece.start + len(piece.text.rstrip()))
             for piece in pieces]  # fmt: skip
    found = []
    for blank in blanks:
        inside = [n for n, (start, end) in enumerate(spans)
                  if start < end and end > blank.start and start < blank.end]  # fmt: skip
        if not inside or inside != list(range(inside[0], inside[-1] + 1)):
            return None  # of words that overlap some stand elsewhere
        if (spans[inside[0]][0], spans[inside[-1]][1]) != (blank.start, blank.end):
            return None
        found.append((inside[0], len(inside)))
    return found
