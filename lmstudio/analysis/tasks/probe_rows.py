"""A task and the segmentation of a network -> the rows a probe learns from and is scored on.

Texts are cut as for fine-tuning: those that are tagged are read to their end, in windows where need
be; a token that stands in two counts where it has more context on its shorter side. The figure of
classes is accuracy, that of tags F1 of whole spans, strictly: those of fine-tuned runs.
"""

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from lmstudio.analysis.asked import Answering
from lmstudio.analysis.tasks.scores import classes, entities
from lmstudio.data.batches import IGNORE
from lmstudio.data.labelled.encoding import Cutting, Lost, Row, encode
from lmstudio.data.labelled.example import Example, Span
from lmstudio.data.labelled.tags import strict_spans
from lmstudio.data.labelled.task_folder import read_part
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.training.fit_task import cutting_of, labels_of, window_of
from lmstudio.training.task_config import TaskConfig

Figure = Literal["accuracy", "f1"]
_Places = list[tuple[int, int]]  # of the tokens of a text, in code points


@dataclass(frozen=True)
class ProbedTask:
    """A task as a worker needs to know it."""

    name: str
    kind: str
    folder: Path


@dataclass(frozen=True)
class ProbePart:
    """Examples of a task as rows. Of all vectors of the rows N are kept, by example."""

    examples: list[Example]
    rows: list[Row]
    kept: np.ndarray  # (N,) their numbers among all vectors of the rows
    targets: np.ndarray  # (N,) int64 class or tag of each; IGNORE where unknown
    sizes: list[int]  # of each example, how many; they sum to N
    places: list[_Places]  # of each example, where its tokens stand; of tags only


@dataclass(frozen=True)
class ProbeRows:
    """What a probe learns from, and what is held out."""

    kind: str
    part: str  # that is held out
    labels: tuple[str, ...]
    scheme: str
    train: ProbePart
    held_out: ProbePart
    notes: tuple[Message, ...]

    @property
    def figure(self) -> Figure:
        """What is scored."""
        return "f1" if self.kind == "tag" else "accuracy"

    def score(self, chosen: Sequence[int], guesses: Sequence[np.ndarray]) -> float:
        """Of examples held out, by number; of each, the classes its vectors are taken for."""
        examples = [self.held_out.examples[number] for number in chosen]
        if self.kind != "tag":
            said = [self.labels[int(one[0])] for one in guesses]
            return classes.score([one.label for one in examples], said, self.labels).accuracy
        found = [self._spans(self.held_out.places[number], one)
                 for number, one in zip(chosen, guesses, strict=True)]  # fmt: skip
        return entities.score([set(one.spans) for one in examples], found).all.f1

    def _spans(self, places: _Places, guesses: np.ndarray) -> set[Span]:
        written = strict_spans([self.labels[number] for number in guesses], self.scheme)
        return {Span(places[one.start][0], places[one.end - 1][1], one.type) for one in written}

    def majority(self) -> float:
        """The score of who always says what is commonest among what is learned from."""
        targets = self.train.targets
        commonest = np.bincount(targets[targets != IGNORE]).argmax()
        sizes = self.held_out.sizes
        return self.score(range(len(sizes)), [np.full(size, commonest) for size in sizes])


def sizes_of(rows: Sequence[Row], kind: str) -> list[int]:
    """How many vectors each row has: of tags one a token."""
    return [len(row.spans) if kind == "tag" else 1 for row in rows]


def read_rows(
    opened: Answering, task: ProbedTask, limit: int, room: int, *, job: Job
) -> ProbeRows:  # fmt: skip
    """At most `limit` labelled examples of train, and as many of test, or of valid without one.

    They are drawn, the same each time; fewer where their rows have more than `room` vectors.
    AppError where there is nothing to learn from or to score.
    """
    train = _drawn(task, "train", limit)
    part, held_out = "test", _drawn(task, "test", limit)
    if not held_out:
        part, held_out = "valid", _drawn(task, "valid", limit)
    if not train or not held_out:
        raise AppError("{name} needs labelled examples to learn from, and others to be scored on.",
                       name=task.name)  # fmt: skip
    head = TaskConfig(kind=task.kind)
    labels = labels_of(train, head)
    if len(labels) < 2:
        raise AppError("All examples to train with have the same label. At least two are needed.")
    cutting = cutting_of(head, labels, window_of(opened.asked.spec))
    job.tick(0, 0, Message("Cutting examples into tokens"))
    learned, lost = _part(opened, train, cutting, room, job)
    asked, lost_too = _part(opened, held_out, cutting, room, job)
    notes = Lost(*map(sum, zip(astuple(lost), astuple(lost_too), strict=True))).notes()
    if len(learned.examples) < len(train) or len(asked.examples) < len(held_out):
        notes.append(Message(
            "Only {train} examples are learned from, and {held_out} scored: the vectors of more do "
            "not fit into memory.",
            {"train": len(learned.examples), "held_out": len(asked.examples)},
        ))  # fmt: skip
    return ProbeRows(task.kind, part, labels, head.scheme, learned, asked, tuple(notes))


def _drawn(task: ProbedTask, part: str, limit: int) -> list[Example]:
    found = [one for one in read_part(task.folder, part) if one.labelled]
    if len(found) <= limit:
        return found
    chosen = np.random.default_rng(0).choice(len(found), limit, replace=False)
    return [found[number] for number in sorted(chosen.tolist())]


def _part(
    opened: Answering, examples: list[Example], cutting: Cutting, room: int, job: Job
) -> tuple[ProbePart, Lost]:
    """The first of the examples, one at least, whose rows have no more than `room` vectors."""
    found = encode(examples, cutting, opened.asked.plan, opened.vocabulary, job=job)
    sizes = sizes_of(found.rows, cutting.kind)
    needed = np.bincount([row.example for row in found.rows], sizes, len(examples)).cumsum()
    most = max(1, int((needed <= room).sum()))
    rows = [row for row in found.rows if row.example < most]
    made = _of_tokens if cutting.kind == "tag" else _of_texts
    return made(examples[:most], rows), found.lost


def _of_texts(examples: list[Example], rows: list[Row]) -> ProbePart:
    """A vector each."""
    targets = np.array([row.label for row in rows], np.int64)
    return ProbePart(examples, rows, np.arange(len(rows)), targets, [1] * len(rows), [])


def _of_tokens(examples: list[Example], rows: list[Row]) -> ProbePart:
    """A vector for each token of each text."""
    best: list[dict[int, tuple[int, int, int, tuple[int, int]]]] = [{} for _ in examples]
    place = 0
    for row in rows:
        assert row.tags is not None
        of_text = best[row.example]
        every = zip(row.numbers.tolist(), row.tags[1:-1].tolist(), row.spans, strict=True)
        for order, (number, tag, span) in enumerate(every):
            context = min(order, len(row.spans) - 1 - order)
            if number not in of_text or of_text[number][0] < context:
                of_text[number] = context, place, tag, span
            place += 1
    tokens = [[token for _, token in sorted(of_text.items())] for of_text in best]
    flat = [token for own in tokens for token in own]
    return ProbePart(
        examples, rows, np.array([token[1] for token in flat], np.int64),
        np.array([token[2] for token in flat], np.int64), list(map(len, tokens)),
        [[token[3] for token in own] for own in tokens],
    )  # fmt: skip
