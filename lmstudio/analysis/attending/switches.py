"""Heads switched off in; what that does to a prediction and to the loss of the text, out.

Michel, Levy & Neubig 2019, "Are sixteen heads really better than one?": a head is worth what is
lost without it. What reads both sides guesses each token from all the others (a pseudo loss); of a
long text it guesses some, at equal distances.
"""

from dataclasses import dataclass

import numpy as np

from lmstudio.analysis.asked import Asked
from lmstudio.analysis.attending.text import Question, ReadText, check_head, read_text
from lmstudio.errors import AppError
from lmstudio.jobs import Job

READ = 4096
"""Tokens that are read to guess some of a text from both sides."""
LEAST = 8
"""Of a text's tokens that are guessed, however long it is."""
ALL = -1
"""All heads of a layer, where a head is asked for."""


@dataclass(frozen=True)
class Effect:
    """All heads on, and some off. NaN and "" where nothing is predicted: at a mark, a blank."""

    token: str  # or word
    p: tuple[float, float]  # of what stands there
    guess: tuple[str, str]  # the likeliest type there
    guess_p: tuple[float, float]
    loss: tuple[float, float]  # of the text, in nats a guess
    scored: int  # guesses in it
    guessed: int  # that there could be

    @property
    def change(self) -> float:
        """Of the loss."""
        return self.loss[1] - self.loss[0]


@dataclass(frozen=True)
class HeadChange:
    """What is lost without a head."""

    layer: int  # both from 0
    head: int  # ALL for the whole layer
    change: float  # of the loss, in nats a guess


@dataclass(frozen=True)
class HeadChanges:
    """The loss with everything that is on, and without each head besides."""

    loss: float  # NaN where nothing can be guessed
    changes: list[HeadChange]  # layer by layer; none where nothing can be guessed
    scored: int
    guessed: int

    def sorted(self) -> list[HeadChange]:
        """The head that is missed most at the front."""
        return sorted(self.changes, key=lambda one: -one.change)


def effect(asked: Asked, question: Question, row: int, *, job: Job) -> Effect:
    """What the heads `question.off` do for a text and for one of its words, marks counted too.

    AppError where there is no such `row`.
    """
    read = read_text(asked, question, job=job)
    if not 0 <= row < len(read.names):
        raise AppError("There are {number} rows and columns.", number=len(read.names))
    heads = np.stack([read.switches(()), read.switches(question.off)])
    ids = read.read_ids
    (before, after), scored, guessed = _losses(read, heads, job)
    places = np.arange(read.starts[row], read.ends[row])
    known = np.isin(places, _places(read)).all()
    p, guess, guess_p = (np.nan, np.nan), ("", ""), (np.nan, np.nan)
    if known:
        logs = read.model.logprobs_with(ids, places, heads, job.check).sum(1)
        p = float(np.exp(logs[0])), float(np.exp(logs[1]))
    if len(places) == 1 and places[0] in read.model.guessed(ids):
        found = read.model.guess_with(ids, int(places[0]), heads)  # (2, rows)
        best = found.argmax(1)
        guess = read.answering.types[best[0]], read.answering.types[best[1]]
        guess_p = float(found[0, best[0]]), float(found[1, best[1]])
    return Effect(read.names[row], p, guess, guess_p, (before, after), scored, guessed)


def head_changes(
    asked: Asked, question: Question, layers: tuple[int, ...] | None = None, *, job: Job
) -> HeadChanges:  # fmt: skip
    """What is lost without each head of some layers (None: of all), and without whole layers.

    Heads in `question.off` are off all the time, and not looked at again.
    """
    read = read_text(asked, question, job=job)
    on = read.switches(question.off)
    numbers = range(len(on)) if layers is None else layers
    found: list[HeadChange] = []
    base, scored, guessed = 0.0, 0, 0
    for done, layer in enumerate(numbers):
        job.tick(done, len(numbers))
        check_head(layer, 0, *on.shape)
        names = [*np.flatnonzero(on[layer]).tolist(), ALL]
        heads = np.repeat(on[None], 1 + len(names), 0)
        for number, head in enumerate(names, 1):
            heads[number, layer, slice(None) if head == ALL else head] = False
        losses, scored, guessed = _losses(read, heads, job)
        base = losses[0]
        if not scored:
            break
        found += [HeadChange(layer, head, float(loss - base))
                  for head, loss in zip(names, losses[1:], strict=True)]  # fmt: skip
    return HeadChanges(base, found, scored, guessed)


_kept_losses: tuple[ReadText, dict[bytes, float]] | None = None


def _losses(read: ReadText, heads: np.ndarray, job: Job) -> tuple[list[float], int, int]:
    """The loss of a text for each of heads (N, L, H), how many guesses are in it, and of how many.

    NaN where there is nothing to guess. Losses of the last text are kept.
    """
    global _kept_losses
    every = _places(read)
    most = max(LEAST, READ // len(read.tokens))
    some = every
    if not read.causal and len(every) > most:
        some = every[np.linspace(0, len(every) - 1, most).round().astype(np.int64)]
    if not len(some):
        return [np.nan] * len(heads), 0, 0
    same = _kept_losses is not None and _kept_losses[0].answering is read.answering
    if _kept_losses is None or not (same and np.array_equal(_kept_losses[0].ids, read.ids)):
        _kept_losses = read, {}
    known = _kept_losses[1]
    new = list({one.tobytes(): one for one in heads if one.tobytes() not in known}.values())
    if new:
        logs = read.model.logprobs_with(read.read_ids, some, np.stack(new), job.check)
        keys = (one.tobytes() for one in new)
        known.update(zip(keys, (-logs.mean(1)).tolist(), strict=True))
    return [known[one.tobytes()] for one in heads], len(some), len(every)


def _places(read: ReadText) -> np.ndarray:
    """(E,) places after <s> that are guessed and where it is known what stands there."""
    ids = read.read_ids
    places = read.model.guessed(ids)
    if read.cut:
        places = places[places <= len(ids)]  # the text does not end there
    blank = np.append(read.blank[: len(ids)], False)  # and </s>
    return places[~blank[places - 1]]
