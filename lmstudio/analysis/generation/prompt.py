"""A typed text and a model in; what the model reads of it, and a line to write on, out."""

from dataclasses import dataclass
from typing import cast

import numpy as np

from lmstudio.analysis.asked import Answering
from lmstudio.analysis.generation.token import Line
from lmstudio.data.layout import EOS
from lmstudio.data.token_preview import Piece, sentences_of
from lmstudio.data.windows import first_seen
from lmstudio.jobs import Job
from lmstudio.messages import Message, listed
from lmstudio.models.base import NeuralModel
from lmstudio.models.reading import sentence_of
from lmstudio.text.joining import joiner


@dataclass(frozen=True)
class Prompt:
    """The beginning of a text."""

    ids: list[int]  # after <s>; </s> between two sentences, and after the last if its line ends
    pieces: list[Piece]
    notes: tuple[Message, ...]  # what a reader must know of it


def read_prompt(model: Answering, text: str, *, job: Job) -> Prompt:
    """`text` as a model reads it: in sentences, as its corpus was cut.

    The last sentence is open unless the text ends with a new line: then the next one begins.
    """
    plan = model.asked.plan
    pieces = model.pieces(text, job=job)
    ids: list[int] = []
    place = 0
    for start, end in sentences_of(text, plan):
        if start == end:
            continue
        if ids and ids[-1] != EOS:
            ids.append(EOS)
        while place < len(pieces) and pieces[place].start < end:
            ids.append(pieces[place].id)
            place += 1
    if ids and ids[-1] != EOS and text.rstrip(" \t\r").endswith("\n"):
        ids.append(EOS)
    unknown = dict.fromkeys(piece.text for piece in pieces if piece.unknown)
    words: dict[str, object] = {"words": listed(unknown)}
    notes = (Message("Unknown here and read as <unk>: {words}.", words),) if unknown else ()
    return Prompt(ids, pieces, notes + _cut(model, ids))


def _cut(model: Answering, ids: list[int]) -> tuple[Message, ...]:
    """That a transformer does not read the beginning of a long text, as in models.gpt."""
    if model.asked.spec.model != "gpt":
        return ()
    seen = sentence_of(ids) if model.model.context == "sentence" else ids
    window = len(cast(NeuralModel, model.model).shown(np.array(seen, np.int64)))
    first = first_seen(len(seen) + 1, window)  # <s> counts
    if not first:
        return ()
    values: dict[str, object] = {"read": len(seen) + 1 - first, "all": len(seen)}
    return (Message("Only the last {read} of {all} tokens are read.", values),)


def line_after(model: Answering, text: str) -> Line:
    """An empty line that is to be written after `text`."""
    plan = model.asked.plan
    joined = joiner(plan.options, plan.tokenizer, text)
    return Line(model.types, joined, plan.options.sentences == "line")
