"""A language model, a prompt and labelled texts -> the label whose word goes on best, unlearned.

Radford et al. 2019, "Language models are unsupervised multitask learners": a model that only ever
learned to go on with texts is asked by how the text before is put. The score of a label is the
natural log p of its word after the prompt; calibrated, less that after the prompt without its texts
(Holtzman et al. 2021, "Surface form competition"; Zhao et al. 2021, "Calibrate before use"), so
that a word is not chosen for being frequent. Neither `</s>` nor the prompt itself is scored.

Prompt and word are cut together and read as one sentence, as all texts were that the model learned
from: a segmenter may well join the end of one and the beginning of the other. Scored is what stands
behind the tokens within the prompt that are the same whatever the word. So all labels pay for the
same characters, and where nothing is joined it is the word alone that is scored.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import cast

import numpy as np

from lmstudio.analysis.asked import Answering, Asked, answering
from lmstudio.analysis.tasks.scores import classes
from lmstudio.data.labelled.example import Example
from lmstudio.data.labelled.task_folder import read_part
from lmstudio.data.layout import BOS, EOS
from lmstudio.data.token_preview import Piece, pieces_of
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message, listed
from lmstudio.models.base import LanguageModel, ReadingModel
from lmstudio.text.prompt_templates import filled
from lmstudio.training.fit_task import window_of

AT_ONCE = 16
"""Examples that are cut together."""


@dataclass(frozen=True)
class Prompt:
    """How a task is put to a model that reads from the left."""

    template: str  # with {text}, and of pairs {other}; the word of a label follows it
    words: Mapping[str, str]  # by label

    def of(self, example: Example) -> str:
        """What stands before the word."""
        return filled(self.template, {"text": example.text, "other": example.other})


@dataclass(frozen=True)
class ZeroShot:
    """How well a run does a task that it never learned."""

    run: str
    model: str  # its family
    prompt: Prompt
    calibrated: bool
    part: str
    labels: tuple[str, ...]
    examples: list[Example]
    logs: np.ndarray  # (N, C) float64: the score of each label, -inf where its word is impossible
    notes: tuple[Message, ...] = field(default=())
    parameters: int | None = None

    @property
    def guesses(self) -> list[str]:
        """(N,) the label with the highest score, the first of equals."""
        return [self.labels[number] for number in self.logs.argmax(1)]

    @property
    def figures(self) -> dict[str, float]:
        """accuracy, macro_f1, majority and examples, as those of fine-tuned runs."""
        gold = [one.label for one in self.examples]
        return classes.score(gold, self.guesses, self.labels).figures


@dataclass(frozen=True)
class ShownTask:
    """A task of classes as a worker needs to know it."""

    name: str
    folder: Path
    labels: tuple[str, ...]


def zero_shot(
    asked: Asked, task: ShownTask, prompt: Prompt, *, part: str, limit: int,
    calibrated: bool = False, job: Job,
) -> ZeroShot:  # fmt: skip
    """The scores of at most `limit` examples of a part. AppError where none is labelled."""
    examples = _drawn(task, part, limit)
    opened = answering(asked, job=job)
    words = [prompt.words[label] for label in task.labels]
    notes = _unknown(opened, words, job)
    logs, longest = np.empty((len(examples), len(words))), 0
    asked_for = word_logs(opened, [prompt.of(one) for one in examples], words, job=job)
    for number, (scores, size) in enumerate(asked_for):
        job.tick(number, len(examples), Message("Asking for the words of labels"))
        logs[number], longest = scores, max(longest, size)
    if calibrated:
        ((base, _),) = word_logs(opened, [prompt.of(Example(""))], words, job=job)
        with np.errstate(invalid="ignore"):  # what is impossible either way
            logs = np.where(np.isneginf(logs), logs, logs - base)
    return ZeroShot(asked.name, asked.spec.model, prompt, calibrated, part, task.labels, examples,
                    logs, (*notes, *_left_out(opened, longest)))  # fmt: skip


def _drawn(task: ShownTask, part: str, limit: int) -> list[Example]:
    """The labelled examples of a part, or so many of them, the same each time."""
    found = [one for one in read_part(task.folder, part) if one.labelled]
    if not found:
        raise AppError("The task {name} has no labelled examples in {part}.",
                       name=task.name, part=part)  # fmt: skip
    if len(found) <= limit:
        return found
    chosen = np.random.default_rng(0).choice(len(found), limit, replace=False)
    return [found[number] for number in sorted(chosen.tolist())]


def _unknown(opened: Answering, words: Sequence[str], job: Job) -> list[Message]:
    """Which words hold tokens that the model does not know. AppError where one holds none."""
    name = opened.asked.name
    whole, partly = list[str](), list[str]()
    cut = pieces_of(words, opened.asked.plan, opened.vocabulary, job=job)
    for word, pieces in zip(words, cut, strict=True):
        if not pieces:
            raise AppError("The word {word} is no token of {name}.", word=repr(word), name=name)
        if all(piece.unknown for piece in pieces):
            whole.append(word)
        elif any(piece.unknown for piece in pieces):
            partly.append(word)
    notes = []
    if whole:
        notes.append(Message(
            "Unknown to {name}: {words}. Such words all score alike, as any rare word does, so the "
            "figures mean nothing. Choose words of its vocabulary for the labels (--word).",
            {"name": name, "words": _quoted(whole)},
        ))  # fmt: skip
    if partly:
        told: dict[str, object] = {"name": name, "words": _quoted(partly)}
        notes.append(Message("Tokens of these words are unknown to {name}: {words}.", told))
    return notes


def _quoted(words: Sequence[str]) -> str:
    return listed(f"“{word}”" for word in words)


def _left_out(opened: Answering, longest: int) -> list[Message]:
    """That the model does not read all of the longest prompt, of so many tokens."""
    if 0 < (window := window_of(opened.asked.spec)) < longest:
        return [Message(
            "{name} reads {window} tokens: of longer prompts the beginning is left out.",
            {"name": opened.asked.name, "window": window},
        )]  # fmt: skip
    return []


# --- log p of words -----------------------------------------------------------------------------


def word_logs(
    opened: Answering, prompts: Sequence[str], words: Sequence[str], *, job: Job
) -> Iterator[tuple[np.ndarray, int]]:
    """Of each prompt, (C,) natural log p of the words after it, and how many tokens are read."""
    for start in range(0, len(prompts), AT_ONCE):
        some = prompts[start : start + AT_ONCE]
        texts = [prompt + word for prompt in some for word in words]
        cut = pieces_of(texts, opened.asked.plan, opened.vocabulary, job=job)
        for number, prompt in enumerate(some):
            job.check()
            own = cut[number * len(words) : (number + 1) * len(words)]
            shared = _shared(own, len(prompt))
            ids = [np.array([piece.id for piece in pieces], np.int64) for pieces in own]
            logs = _logs(opened.model, ids[0][:shared], [row[shared:] for row in ids])
            yield logs, max(map(len, ids))


def _shared(cut: Sequence[Sequence[Piece]], end: int) -> int:
    """How many pieces, none of which goes beyond `end`, all of these texts begin with."""
    same = takewhile(lambda pieces: pieces[0].end <= end and len(set(pieces)) == 1,
                     zip(*cut, strict=False))  # fmt: skip
    return sum(1 for _ in same)


def _logs(model: LanguageModel, prefix: np.ndarray, rests: Sequence[np.ndarray]) -> np.ndarray:
    """(C,) ln p of what may follow `<s>` and the prefix; -inf also where p is not defined."""
    if hasattr(model, "continuations"):
        rows = np.full((len(rests), max(map(len, rests))), EOS, np.int64)
        for row, rest in zip(rows, rests, strict=True):
            row[: len(rest)] = rest  # what stands behind it changes nothing
        logs = cast(ReadingModel, model).continuations(prefix, rows)
        return np.array([log[: len(rest)].sum() for log, rest in zip(logs, rests, strict=True)])
    stream = np.concatenate([np.concatenate([[BOS], prefix, rest, [EOS]]) for rest in rests])
    logs = np.nan_to_num(model.logprobs(stream.astype(np.int32)), nan=-np.inf, neginf=-np.inf)
    each = np.split(logs, np.cumsum([len(prefix) + len(rest) + 1 for rest in rests])[:-1])
    return np.array([one[len(prefix) : -1].sum() for one in each])
