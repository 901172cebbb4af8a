"""A fine-tuned run and a part of its task -> scores, and which examples are taken for what.

Of classes a cell of the confusion is (gold, guess). Of tags it is made of spans: each gold span is
paired with the found one that it shares most with; NONE stands for what has no partner, BOUNDS for
a guess of the right type that begins or ends elsewhere. Of questions it is whether there is an
answer. What was cut off and never read counts as missed.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from lmstudio.analysis.tasks.asked_task import AskedTask
from lmstudio.analysis.tasks.predicting import predict
from lmstudio.analysis.tasks.prediction import Prediction
from lmstudio.analysis.tasks.scores import answers, classes, entities
from lmstudio.analysis.tasks.scores.counts import Counts
from lmstudio.data.labelled.example import Example, Span
from lmstudio.data.labelled.task_folder import read_part
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.training.fit_task import Way

NONE = "O"
BOUNDS = "bounds"
ANSWER = "answer"

_Cell = tuple[str, str]


@dataclass(frozen=True)
class PartScores:
    """How well a run does on a part; the numbers of its examples are those of `examples`."""

    task: str  # its kind
    part: str
    figures: dict[str, float]  # of the whole
    labels: tuple[str, ...]  # of the rows and columns of the confusion
    rows: dict[str, Counts]  # of each class, or of each type of span
    lenient: dict[str, Counts]  # of each type of span, as conlleval reads the tags
    cells: tuple[frozenset[_Cell], ...]  # of each example: the cells that it stands in
    confusion: np.ndarray  # (C, C) int64: gold down, guess across
    each: tuple[float, ...]  # of each example, from 0 to 1: right, F1 of its spans, of its answer
    examples: list[Example]
    predictions: list[Prediction]
    sure: tuple[float, ...]  # of each prediction: its confidence
    exact: tuple[float, ...] = ()  # of each answer: 1 where it is the right one, else 0

    def lean(self) -> "PartScores":
        """The same with less than most of it: no tags of tokens, and only the best answers."""
        best = [replace(one, tokens=(), answers=one.answers[:1]) for one in self.predictions]
        return replace(self, predictions=best)

    def cell(self, gold: str, guess: str) -> list[int]:
        """The examples of a cell, what the run was surest of first."""
        return self._surest(n for n, mine in enumerate(self.cells) if (gold, guess) in mine)

    @cached_property
    def wrong(self) -> list[int]:
        """The examples that are not all right, what the run was surest of first."""
        return self._surest(n for n, score in enumerate(self.each) if score < 1)

    def _surest(self, numbers: Iterator[int]) -> list[int]:
        return sorted(numbers, key=lambda n: -self.sure[n])


def score_part(asked: AskedTask, part: str, *, lean: bool = False, job: Job) -> PartScores:
    """The scores of a run on a part of its task. AppError where that has no labelled examples."""
    examples = [one for one in read_part(asked.task_folder, part) if one.labelled]
    if not examples:
        raise AppError("The task of {name} has no labelled examples in {part}.",
                       name=asked.name, part=Message(part))  # fmt: skip
    found = scored(asked, part, examples, predict(asked, examples, job=job))
    return found.lean() if lean else found


def scored(
    asked: AskedTask | Way, part: str, examples: list[Example], predictions: list[Prediction]
) -> PartScores:
    """The scores of predictions, beside the examples that they are of."""
    if asked.task == "tag":
        return _tags(asked, part, examples, predictions)
    if asked.task == "qa":
        return _answers(part, examples, predictions)
    gold = [example.label for example in examples]
    guess = [prediction.label for prediction in predictions]
    found = classes.score(gold, guess, asked.labels)
    pairs = tuple(zip(gold, guess, strict=True))
    each = tuple(float(right == said) for right, said in pairs)
    return PartScores(asked.task, part, found.figures, found.labels, found.classes, {},
                      tuple(frozenset([pair]) for pair in pairs), found.confusion, each, examples,
                      predictions, _sure(predictions))  # fmt: skip


def _sure(predictions: list[Prediction]) -> tuple[float, ...]:
    return tuple(prediction.confidence for prediction in predictions)


# --- spans --------------------------------------------------------------------------------------


def _tags(
    asked: AskedTask | Way, part: str, examples: list[Example], predictions: list[Prediction]
) -> PartScores:
    gold = [set(example.spans) for example in examples]
    strict = [_strict(one, asked.config.scheme) for one in predictions]
    lenient = [{Span(s.start, s.end, s.type) for s in one.spans} for one in predictions]
    found = entities.TagScores(entities.score(gold, strict), entities.score(gold, lenient))
    counts, cells = Counter[_Cell](), list[frozenset[_Cell]]()
    for right, said in zip(gold, strict, strict=True):
        mine = list(_paired(right, said))
        counts.update(mine)
        cells.append(frozenset(mine))
    ends = [name for name in (BOUNDS, NONE) if any(name in cell for cell in counts)]
    labels = (*found.strict.types, *ends)
    each = tuple(entities.score([g], [f]).all.f1 if g | f else 1.0
                 for g, f in zip(gold, strict, strict=True))  # fmt: skip
    return PartScores("tag", part, found.figures | {"examples": len(examples)}, labels,
                      found.strict.types, found.lenient.types, tuple(cells),
                      _table(counts, labels), each, examples, predictions,
                      _sure(predictions))  # fmt: skip


def _strict(prediction: Prediction, scheme: str) -> set[Span]:
    """The spans that the tags of a prediction write as the scheme wants it."""
    tokens = prediction.tokens
    written = entities.strict_spans([token.tag for token in tokens], scheme)
    return {Span(tokens[one.start].start, tokens[one.end - 1].end, one.type) for one in written}


def _paired(gold: set[Span], found: set[Span]) -> Iterator[_Cell]:
    """The cells of the spans of an example; of partners that share as much it is the first."""
    left = set(found)
    for span in sorted(gold):
        partner = max(sorted(left), key=lambda other: (_shared(span, other), other == span),
                      default=None)  # fmt: skip
        if partner is None or not _shared(span, partner):
            yield span.type, NONE
            continue
        left.remove(partner)
        same = partner == span or partner.type != span.type
        yield span.type, partner.type if same else BOUNDS
    for span in sorted(left):
        yield NONE, span.type


def _shared(one: Span, other: Span) -> int:
    return max(0, min(one.end, other.end) - max(one.start, other.start))


# --- answers ------------------------------------------------------------------------------------


def _answers(part: str, examples: list[Example], predictions: list[Prediction]) -> PartScores:
    gold = [[one.text[span.start : span.end] for span in one.spans] for one in examples]
    found = answers.score(gold, [prediction.answer for prediction in predictions])
    pairs = [(ANSWER if right else NONE, ANSWER if prediction.answer else NONE)
             for right, prediction in zip(gold, predictions, strict=True)]  # fmt: skip
    labels = (ANSWER, NONE) if any(NONE in pair for pair in pairs) else (ANSWER,)
    return PartScores("qa", part, found.figures, labels, {}, {},
                      tuple(frozenset([pair]) for pair in pairs), _table(Counter(pairs), labels),
                      tuple(f1 for _, f1 in found.each), examples, predictions,
                      _sure(predictions), tuple(exact for exact, _ in found.each))  # fmt: skip


def _table(counts: Counter[_Cell], labels: Sequence[str]) -> np.ndarray:
    """(C, C): the counts of cells by their labels."""
    return np.array([[counts[gold, guess] for guess in labels] for gold in labels], np.int64)
