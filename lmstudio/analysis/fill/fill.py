"""A run and a question in; its words for each blank, and what it thinks of the true one, out."""

from collections.abc import Sequence

import numpy as np

from lmstudio.analysis.asked import Answering, Asked, answering
from lmstudio.analysis.fill.answer import Answer, BlankAnswer, Guess
from lmstudio.analysis.fill.question import Question
from lmstudio.analysis.fill.search import NEAR, Context, Found, search
from lmstudio.analysis.fill.sentence import Hole, HoledSentence, holed
from lmstudio.data.layout import UNK
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.text.joining import joiner
from lmstudio.training.spec import RunSpec

LONGEST = 400
"""Tokens of a sentence that is asked about."""


def fill(
    asked: Asked, question: Question, *, top: int = 8, in_order: bool = False, job: Job
) -> Answer:
    """The `top` likeliest words for each blank, and the true one.

    With `in_order` a blank knows what the model itself puts into those before it; else every blank
    is filled as if all others stayed open. AppError without a blank, for a text that is too long,
    and where no word has a probability.
    """
    question.check()
    opened = answering(asked, job=job)
    sentence = holed(opened, question, job=job)
    if len(sentence.ids) > LONGEST:
        raise AppError("The text has {tokens} tokens; {most} at most are filled at once.",
                       tokens=len(sentence.ids), most=LONGEST)  # fmt: skip
    ids, hidden = sentence.ids.copy(), sentence.hidden
    answers, words = [], []
    for number, hole in enumerate(sentence.holes):
        job.check()
        found = search(opened.model, Context(ids.copy(), hidden.copy(), hole),
                       opened.vocabulary.counts, _reach(asked.spec),
                       windowed=hasattr(asked.spec.config, "order"))  # fmt: skip
        if not len(found.words):
            raise AppError("Every word has probability 0 here by {name}.", name=asked.name)
        texts = written(opened, question, number, found.words[:top])
        answers.append(_answer(found, question.truth(number), texts, hole,
                               _sides(asked.spec, sentence, hole)))  # fmt: skip
        words.append(texts[0])
        if in_order:
            ids[hole.first : hole.end] = found.words[0]
            hidden[hole.first : hole.end] = False
    return Answer(_method(opened), tuple(answers), question.filled(words), in_order,
                  _proper(opened))  # fmt: skip


def written(
    opened: Answering, question: Question, number: int, words: np.ndarray
) -> list[str]:  # fmt: skip
    """(N,) the words (N, m) as they are written in a blank of the text."""
    before = question.text[: question.blanks[number].start]
    plan, found = opened.asked.plan, []
    for word in words:
        join = joiner(plan.options, plan.tokenizer, before)
        found.append("".join(join.add(opened.types[number]) for number in word).strip())
    return found


def _answer(
    found: Found, truth: str, texts: Sequence[str], hole: Hole, sides: tuple[int, int]
) -> BlankAnswer:  # fmt: skip
    guesses = tuple(
        Guess(text, float(p), UNK not in word)
        for text, p, word in zip(texts, found.probs, found.words, strict=False)
    )
    own = None if hole.truth is None else Guess(truth, found.truth, hole.known)
    return BlankAnswer(guesses, own, found.rank, found.least, hole.size, found.scored,
                       found.unscored, *sides)  # fmt: skip


def _method(opened: Answering) -> str:
    """See answer.METHODS."""
    spec = opened.asked.spec
    if hasattr(opened.model, "fill_logs"):
        return "exact"
    if spec.model == "elmo":
        return "directions" if opened.model.proper else "joint"
    return "masked" if hasattr(opened.model, "fill_rows") else "rescored"


def _proper(opened: Answering) -> bool:
    return opened.model.proper or hasattr(opened.model, "fill_rows")


def _reach(spec: RunSpec) -> int:
    """How many tokens after a blank see it, or are asked whether they do."""
    config = spec.config
    if order := getattr(config, "order", 0):
        return order - 1
    return min(NEAR, getattr(config, "window", 2 * NEAR) // 2)


def _sides(spec: RunSpec, sentence: HoledSentence, hole: Hole) -> tuple[int, int]:
    """How many tokens of each side tell words apart, by what the model can see."""
    left, right = hole.first, len(sentence.ids) - hole.end
    if order := getattr(spec.config, "order", 0):
        return min(left, order - 1), min(right, order - 1)
    if spec.model in ("rnn", "gru", "lstm", "gpt"):
        right = min(right, _reach(spec))
    if window := getattr(spec.config, "window", 0):
        left, right = min(left, window - 2), min(right, window - 2)
    return left, right
