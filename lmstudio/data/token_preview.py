"""A typed text and a segmentation into pieces: what any model on it is given for the text."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lmstudio.data.cut_plan import CutPlan
from lmstudio.data.layout import UNK
from lmstudio.data.vocab import Vocabulary
from lmstudio.data.watched import watched
from lmstudio.jobs import Job
from lmstudio.text.encoding import utf8
from lmstudio.text.segment import cut_all
from lmstudio.text.sentences import sentence_spans

MOST = 100_000
"""Code points of a text that are cut."""


@dataclass(frozen=True)
class Piece:
    """A token of a text."""

    start: int  # code points of the text
    end: int
    text: str  # what stands there, also where it is unknown
    piece: str  # its type in the vocabulary: "<unk>" if that lacks it
    id: int
    unknown: bool


@dataclass(frozen=True)
class TokenPreview:
    """A text (at most its first MOST code points) and its tokens, sentence after sentence."""

    text: str
    pieces: list[Piece]

    @property
    def unknown(self) -> int:
        """How many pieces are unknown."""
        return sum(piece.unknown for piece in self.pieces)


def token_preview(folder: Path, plan: CutPlan, text: str, *, job: Job) -> TokenPreview:
    """The tokens of `text` by the plan of a segmentation `folder` and its vocabulary."""
    text = text[:MOST]
    return TokenPreview(text, pieces_of([text], plan, Vocabulary.load(folder), job=job)[0])


def pieces_of(
    texts: Sequence[str], plan: CutPlan, vocabulary: Vocabulary, *, job: Job
) -> list[list[Piece]]:
    """The tokens of each text, all its sentences one after another, by a plan and a vocabulary.

    AppError where a text holds half a character, which not every segmenter can take.
    """
    for text in watched(texts, job):
        utf8(text)
    cutter, spell = plan.segmenter(), plan.options.unknown == "characters"
    places = [(number, *span) for number, text in enumerate(watched(texts, job))
              for span in sentences_of(text, plan)]  # fmt: skip
    sentences = [texts[number][start:end] for number, start, end in places]
    cut = cut_all(cutter, sentences, job.check, plan.options.special_tokens)
    found: list[list[Piece]] = [[] for _ in texts]
    for (number, start, _), (spans, types) in zip(watched(places, job), cut, strict=True):
        text, pieces = texts[number], found[number]
        for (first, last), word in zip(spans, types, strict=True):
            piece = _piece(text, start + first, start + last, word, vocabulary)
            pieces += _spelled(text, piece, vocabulary) if spell and piece.unknown else [piece]
    return found


def sentences_of(text: str, plan: CutPlan) -> list[tuple[int, int]]:
    """Where the sentences of a text stand, as in a corpus of which each line is a line."""
    found, position = [], 0
    for line in text.split("\n"):
        by_line = plan.options.sentences == "line"
        spans = [(0, len(line))] if by_line else sentence_spans(line)
        found += [(position + start, position + end) for start, end in spans]
        position += len(line) + 1
    return found


def _piece(text: str, start: int, end: int, word: str, vocabulary: Vocabulary) -> Piece:
    number = vocabulary.id_of(word)
    return Piece(start, end, text[start:end], vocabulary.type_of(number), number, number == UNK)


def _spelled(text: str, piece: Piece, vocabulary: Vocabulary) -> list[Piece]:
    """The characters of an unknown word, as `unknown="characters"` has it."""
    if piece.text == vocabulary.type_of(UNK):
        return [piece]
    return [
        _piece(text, i, i + 1, text[i], vocabulary)
        for i in range(piece.start, piece.end)
        if not text[i].isspace()
    ]
