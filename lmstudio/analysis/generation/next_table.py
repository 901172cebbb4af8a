"""A typed text and a model in; the exact probabilities of what could come next out."""

from dataclasses import dataclass

import numpy as np

from lmstudio.analysis.asked import Asked, answering
from lmstudio.analysis.generation.prompt import line_after, read_prompt
from lmstudio.analysis.generation.token import Candidate, candidates
from lmstudio.data.layout import BOS, EOS, SPECIALS, UNK
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.models.base import LanguageModel
from lmstudio.models.reading import sentence_of

SHOWN = 40  # of the tokens read, the last


@dataclass(frozen=True)
class NextTable:
    """What one model gives to the next token."""

    name: str  # of the run
    read: list[str]  # the last tokens that were read; <s> where a sentence begins
    guesses: tuple[Candidate, ...]  # the likeliest
    written: tuple[str, ...]  # what each of them would add to the text
    rest: float  # of all others together
    end: float  # of the sentence ending here
    unknown: float  # of a word that the vocabulary lacks
    entropy: float  # bits
    vocabulary: int  # V: how many have a share
    proper: bool  # False: scores, which do not sum to 1
    notes: tuple[Message, ...] = ()


def next_table(asked: Asked, text: str, *, count: int = 10, job: Job) -> NextTable:
    """The `count` likeliest tokens after `text` for the model of a run.

    AppError where the model defines no probabilities after this text.
    """
    model = answering(asked, job=job)
    prompt = read_prompt(model, text, job=job)
    job.check()
    probs = next_probs(model.model, prompt.ids)
    if np.isnan(probs).any():
        raise AppError(
            "{name} never saw this context, and without smoothing nothing is defined after it.",
            name=asked.name,
        )
    read = [SPECIALS[BOS], *(model.types[number] for number in prompt.ids)]
    guesses = candidates(probs, model.types, count)
    line = line_after(model, text)
    written = tuple(line.copy().add(guess.id, probs, 1.0).text for guess in guesses)
    rest = max(0.0, float(probs.sum()) - sum(guess.p for guess in guesses))
    return NextTable(
        asked.name, read[-SHOWN:], guesses, written, rest, float(probs[EOS]), float(probs[UNK]),
        entropy(probs), model.rows - 1, model.model.proper, prompt.notes,
    )  # fmt: skip


def next_probs(model: LanguageModel, ids: list[int]) -> np.ndarray:
    """(rows,) p of each id after <s> and `ids`, in which </s> may stand."""
    seen = sentence_of(ids) if model.context == "sentence" else ids
    return np.asarray(model.next_probs(np.array(seen, np.int32)), np.float64)


def entropy(probs: np.ndarray) -> float:
    """Of a distribution in bits; of scores, of their shares."""
    found = probs[probs > 0] / probs.sum()
    return 0.0 - float((found * np.log2(found)).sum())
