"""A task and the segmentation of a network -> the rows a probe learns from and is scored on.

The figure of classes is accuracy, that of tags F1 of whole spans, strictly: those of fine-tuning.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Literal

import numpy as np

from lmstudio.analysis.asked import Answering
from lmstudio.analysis.tasks.scores import classes, entities
from lmstudio.data.batches import IGNORE
from lmstudio.data.labelled.encoding import Row, encode
from lmstudio.data.labelled.example import Example, Span
from lmstudio.data.labelled.tags import strict_spans
from lmstudio.data.labelled.task_folder import read_part
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.training.fit_task import cutting_of, labels_of, window_of
from lmstudio.training.task_config import TaskConfig

Figure = Literal["accuracy", "f1"]


@dataclass(frozen=True)
class ProbedTask:
    """A task as a worker needs to know it."""

    name: str
    kind: str
    folder: Path


@dataclass(frozen=True)
class ProbeRows:
    """Examples of a task as rows, one each: those to learn from, and those held out."""

    kind: str
    part: str  # that is held out
    labels: tuple[str, ...]
    scheme: str
    train: list[Row]
    held_out: list[Row]
    examples: list[Example]  # of `held_out`
    notes: tuple[Message, ...]

    @property
    def figure(self) -> Figure:
        """What is scored."""
        return "f1" if self.kind == "tag" else "accuracy"

    def targets(self) -> list[np.ndarray]:
        """Of each row of `train`, the class of each of its vectors, int64; IGNORE: not known."""
        if self.kind == "tag":
            return [row.tags[1:-1] for row in self.train if row.tags is not None]
        return [np.array([row.label]) for row in self.train]

    def score(self, rows: Sequence[int], guesses: Sequence[np.ndarray]) -> float:
        """Of rows held out, by number; of each, the classes that its vectors are taken for."""
        examples = [self.examples[row] for row in rows]
        if self.kind != "tag":
            said = [self.labels[int(one[0])] for one in guesses]
            return classes.score([one.label for one in examples], said, self.labels).accuracy
        found = [self._spans(self.held_out[row], one)
                 for row, one in zip(rows, guesses, strict=True)]  # fmt: skip
        return entities.score([set(one.spans) for one in examples], found).all.f1

    def _spans(self, row: Row, guesses: np.ndarray) -> set[Span]:
        written = strict_spans([self.labels[number] for number in guesses], self.scheme)
        return {Span(row.spans[one.start][0], row.spans[one.end - 1][1], one.type)
                for one in written}  # fmt: skip

    def majority(self) -> float:
        """The score of who always says what is commonest among what is learned from."""
        targets = np.concatenate(self.targets())
        commonest = np.bincount(targets[targets != IGNORE]).argmax()
        sizes = sizes_of(self.held_out, self.kind)
        return self.score(range(len(sizes)), [np.full(size, commonest) for size in sizes])


def sizes_of(rows: Sequence[Row], kind: str) -> list[int]:
    """How many vectors each row has: of tags one a token."""
    return [len(row.spans) if kind == "tag" else 1 for row in rows]


def read_rows(opened: Answering, task: ProbedTask, limit: int, room: int, *, job: Job) -> ProbeRows:
    """At most `limit` labelled examples of train, and as many of test, or of valid without one.

    They are drawn, the same each time; fewer where they have more than `room` vectors. AppError
    where there is nothing to learn from or to score.
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
    learned, asked = (encode(some, cutting, opened.asked.plan, opened.vocabulary, job=job)
                      for some in (train, held_out))  # fmt: skip
    notes = [*learned.lost.notes(), *asked.lost.notes()]
    rows = [_fitting(found.rows, task.kind, room) for found in (learned, asked)]
    if len(rows[0]) < len(train) or len(rows[1]) < len(held_out):
        notes.append(Message(
            "Only {train} examples are learned from, and {held_out} scored: the vectors of more do "
            "not fit into memory.", {"train": len(rows[0]), "held_out": len(rows[1])},
        ))  # fmt: skip
    return ProbeRows(task.kind, part, labels, head.scheme, rows[0], rows[1],
                     held_out[: len(rows[1])], tuple(notes))  # fmt: skip


def _fitting(rows: list[Row], kind: str, room: int) -> list[Row]:
    """The first of some rows, one at least, that have no more than `room` vectors."""
    before = accumulate(sizes_of(rows, kind))
    return rows[: max(1, sum(vectors <= room for vectors in before))]


def _drawn(task: ProbedTask, part: str, limit: int) -> list[Example]:
    found = [one for one in read_part(task.folder, part) if one.labelled]
    if len(found) <= limit:
        return found
    chosen = np.random.default_rng(0).choice(len(found), limit, replace=False)
    return [found[number] for number in sorted(chosen.tolist())]
