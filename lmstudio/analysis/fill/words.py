"""A typed text and a segmentation in; where its tokens stand, and where its words do, out."""

from dataclasses import dataclass
from pathlib import Path

from lmstudio.data.cut_plan import CutPlan
from lmstudio.data.token_preview import Piece, pieces_of
from lmstudio.data.vocab import Vocabulary
from lmstudio.data.whole_words import words_plan
from lmstudio.jobs import Job
from lmstudio.text.segment import Span


@dataclass(frozen=True)
class Units:
    """What can be blanked with one click: spans of the text, from the left, none in another."""

    text: str
    tokens: tuple[Span, ...]  # of the segmentation
    words: tuple[Span, ...]  # the same where tokens are words; else as jieba cuts them


def units(segmentation: Path, plan: CutPlan, text: str, *, job: Job) -> Units:
    """The tokens and the words of a text."""
    pieces, words = cut(segmentation, plan, text, job=job)
    return Units(text, _apart(pieces), _apart(words))


def cut(
    segmentation: Path, plan: CutPlan, text: str, *, job: Job
) -> tuple[list[Piece], list[Piece]]:
    """The same as pieces, all of them."""
    vocabulary, own = Vocabulary.load(segmentation), words_plan(plan)
    pieces = pieces_of([text], plan, vocabulary, job=job)[0]
    return pieces, pieces if own == plan else pieces_of([text], own, vocabulary, job=job)[0]


def _apart(pieces: list[Piece]) -> tuple[Span, ...]:
    """Spans that do not overlap: pieces of one character are one, of words that do the first."""
    found: list[Span] = []
    for piece in pieces:
        if piece.start < piece.end and (not found or piece.start >= found[-1][1]):
            found.append((piece.start, piece.end))
    return tuple(found)
