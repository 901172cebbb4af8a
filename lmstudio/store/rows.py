"""The facts of a workspace as values: a dataclass for each noun, read from its row."""

import json
import sqlite3
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypedDict, TypeVar

Part = Literal["train", "valid", "test"]
PARTS: tuple[Part, ...] = ("train", "valid", "test")
HELD_OUT = PARTS[1:]
RunState = Literal["queued", "running", "done", "stopped", "interrupted", "failed"]
Facts = dict[str, Any]  # measured by the layer that made the thing; JSON in the database

_Row = TypeVar("_Row", "CorpusRow", "SourceRow", "DocumentRow", "SegmentationRow", "RunRow",
               "FindingRow", "TaskRow")  # fmt: skip


@dataclass(frozen=True)
class CorpusRow:
    """A corpus. `facts`: see `operations.corpora`."""

    id: int
    name: str
    created: str  # ISO, UTC
    encoding: str  # of its files: "gb18030", "utf-8", or "mixed"
    lines_rule: str  # "sentence", "paragraph" or "wrapped"
    split_rule: str  # in words: "blocks 90/5/5 seed 1", "files"
    documents: int
    lines: int
    characters: int
    bytes: int
    facts: Facts = field(default_factory=dict)

    @property
    def holds_text(self) -> bool:
        """False of one made of the words of an imported model: no model is trained on a list."""
        return "pieces_of" not in self.facts

    @property
    def by_product(self) -> bool:
        """It was made of the texts of a task, or came with a model: no one imported it."""
        return not {"pieces_of", "texts_of", "absent"}.isdisjoint(self.facts)


def with_text(corpora: list[CorpusRow]) -> list[CorpusRow]:
    """Those that hold text; all of them where none does."""
    return [row for row in corpora if row.holds_text] or corpora


@dataclass(frozen=True)
class SourceRow:
    """A file of a corpus; a copy of it stands in the corpus' folder as source/`name`."""

    corpus_id: int
    number: int
    name: str
    sha256: str  # of its bytes, in hexadecimal; empty where it was not yet kept
    bytes: int
    encoding: str  # of its text; empty where the format knows it
    format: str  # "text", "words", "tagged", "conllu", or the kind of file: "csv", "docx", ...


@dataclass(frozen=True)
class DocumentRow:
    """One document of a corpus."""

    corpus_id: int
    number: int
    name: str
    encoding: str
    bytes: int
    lines: int
    characters: int
    first_line: int
    part: str  # a Part, or "mixed" where blocks of lines are split
    source: int = 0  # number of the SourceRow it stands in
    title: str = ""
    label: str = ""


@dataclass(frozen=True)
class SegmentationRow:
    """A segmentation. `facts`: see `operations.segmentations`."""

    id: int
    corpus_id: int
    name: str
    created: str
    segmenter: str  # what SegmentOptions.by may be
    vocabulary: int  # types the models predict, with <unk> and </s>, without <s>
    facts: Facts = field(default_factory=dict)


@dataclass(frozen=True)
class RunRow:
    """A run. `spec` is the RunSpec's JSON, `message` why it failed or stopped (as text)."""

    id: int
    segmentation_id: int
    name: str
    created: str
    model: str
    spec: Facts
    state: RunState
    message: str
    parameters: int | None
    seconds: float
    step: int
    facts: Facts = field(default_factory=dict)
    note: str = ""  # what the user wrote of it
    parent: int | None = None  # the run whose weights it began with
    sweep: str = ""  # the name that runs over one setting share
    task: int | None = None  # the task it was fine-tuned for; `parent` is its encoder


@dataclass(frozen=True)
class FindingRow:
    """A question that was put to models, with what they answered; see `operations.findings`."""

    id: int
    kind: str  # of the question: a key of operations.findings.KINDS
    title: str
    created: str
    question: Facts
    answers: Facts  # by the name of the run that gave it


@dataclass(frozen=True)
class TaskRow:
    """Labelled examples to fine-tune with; see `data.labelled`. `facts`: `operations.tasks`."""

    id: int
    name: str
    created: str
    kind: str  # of training.task_config.KINDS
    facts: Facts = field(default_factory=dict)


class RunChanges(TypedDict, total=False):
    """What may be changed of a run."""

    state: RunState
    message: str
    parameters: int | None
    seconds: float
    step: int
    facts: Facts | None
    name: str
    note: str
    spec: Facts


def read(kind: type[_Row], row: sqlite3.Row) -> _Row:
    """A dataclass of `kind` from its row; JSON that is damaged is as if nothing were there."""
    values = {f.name: row[f.name] for f in fields(kind)}
    for name in ("facts", "spec", "question", "answers"):
        if name in values:
            values[name] = _facts(values[name])
    return kind(**values)


def _facts(text: str) -> Facts:
    try:
        facts = json.loads(text)
    except ValueError:
        return {}
    return facts if isinstance(facts, dict) else {}
