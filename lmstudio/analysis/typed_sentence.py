"""A typed sentence and a run in; the ids that its network reads, and what stands at each, out."""

from dataclasses import dataclass

import numpy as np

from lmstudio.analysis.asked import Answering, Asked, answering
from lmstudio.analysis.fill.question import MASK, Question
from lmstudio.data.layout import BOS, EOS, SPECIALS
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.models.base import NeuralModel
from lmstudio.models.registry import MODELS
from lmstudio.text.encoding import utf8

LONGEST = 200
"""Tokens of a sentence that are read; of a transformer what fits into its window."""


@dataclass(frozen=True)
class TypedSentence:
    """A sentence of N tokens as a network is given it."""

    answering: Answering
    texts: list[str]  # (N,) as they stand in the text
    ids: np.ndarray  # (N,) int64
    total: int  # tokens of the whole text

    @property
    def network(self) -> NeuralModel:
        """What is given them."""
        return self.answering.model  # type: ignore[return-value]

    def blank(self, place: int) -> bool:
        """Whether [MASK] was typed there, so that nobody knows what belongs there."""
        return bool(self.ids[place] == self.answering.rows)

    @property
    def notes(self) -> tuple[Message, ...]:
        """What a reader must know: that the end of the text is not read."""
        marks = len(self.network.shown(self.ids[:0]))
        read = min(len(self.network.shown(self.ids)) - marks, len(self.ids))
        return cut_notes(read, self.total)

    def shown(self) -> list[str]:
        """(T,) what is read, the marks of both ends included: models.base's `shown` as text."""
        read = self.network.shown(self.ids)
        last = [SPECIALS[EOS]] if read[-1] == EOS else []
        return [SPECIALS[BOS], *self.texts[: len(read) - 1 - len(last)], *last]


def typed_sentence(asked: Asked, text: str, *, job: Job) -> TypedSentence:
    """`text` as one sentence; of a longer one the first LONGEST tokens.

    AppError for an empty text, for a model that is no network, and for a blank ([MASK], in any
    brackets) in a text for one that never learned from blanks.
    """
    info = MODELS[asked.spec.model]
    if info.kind == "count":
        raise AppError("{model} has neither layers nor gates.", model=info.title)
    opened = answering(asked, job=job)
    spans, ids = typed_tokens(opened, text, job=job)
    texts = [MASK if number == opened.rows else text[slice(*span)]
             for span, number in zip(spans, ids, strict=True)]  # fmt: skip
    return TypedSentence(opened, texts[:LONGEST], np.array(ids[:LONGEST], np.int64), len(ids))


def cut_notes(read: int, total: int) -> tuple[Message, ...]:
    """That of a text only the first tokens are read; nothing where all of them are."""
    if read >= total:
        return ()
    values: dict[str, object] = {"read": read, "all": total}
    return (Message("Only the first {read} of {all} tokens are read.", values),)


def typed_tokens(
    opened: Answering, text: str, *, job: Job
) -> tuple[list[tuple[int, int]], list[int]]:
    """Spans and ids of the tokens of a text; a blank has the id behind the vocabulary's last.

    AppError for an empty text, for one with half a character, and for a blank where the model
    never learned from blanks.
    """
    utf8(text)  # as a whole, so that what is told of a fault counts from its beginning
    spans: list[tuple[int, int]] = []
    ids: list[int] = []
    position = 0
    for blank in (*Question.of(text).blanks, None):
        end = len(text) if blank is None else blank.start
        for piece in opened.pieces(text[position:end], job=job):
            spans.append((position + piece.start, position + piece.end))
            ids.append(piece.id)
        if blank is not None:
            spans.append((blank.start, blank.end))
            ids.append(opened.rows)
            position = blank.end
    if not ids:
        raise AppError("There is no token in this text. Type some words.")
    if opened.rows in ids and opened.asked.spec.model != "bert":
        raise AppError("{name} never learned from blanks. Type a word instead of [MASK].",
                       name=opened.asked.name)  # fmt: skip
    return spans, ids
