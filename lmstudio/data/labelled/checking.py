"""The examples of all parts to a report: labels by part, and what should be known before training.

Nothing is changed here; what was left out or mended in reading is in the report as well.
"""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from lmstudio.data.labelled.example import PARTS, Example
from lmstudio.data.labelled.problems import Problem, Problems
from lmstudio.data.labelled.splitting import key_of
from lmstudio.data.watched import watched
from lmstudio.jobs import Job
from lmstudio.messages import Message, listed, msg

UNSEEN = msg("Labels that the training part does not have, in the {part} part: {count}.")
ALIKE = msg("Labels that differ from another in width, case or invisible characters only: {count}.")
LEAKED = msg(
    "Examples of the {part} part whose text is in the training part as well: {count} of {all}."
)
TWICE = msg("Examples whose text came before in the {part} part: {count}.")
CONFLICTS = msg("Texts with conflicting labels: {count}.")
UNLABELLED = msg("Examples of the {part} part without labels, to be predicted only: {count}.")
UNSPANNED = msg("Examples of the {part} part with nothing tagged: {count}.")
LOPSIDED = msg(
    "The commonest label is {times} times as frequent as the rarest; accuracy says little."
)
SMALL = msg("The {part} part has only {count} examples; its scores will jump about.")

HELD_OUT = msg("The {part} part is {share} of the training part, drawn with the seed {seed}.")

Parts = Mapping[str, Sequence[Example]]
_SMALL = 30  # examples, below which a score of a part says little
_LOPSIDED = 10  # times
_SHOWN = 40  # characters of a text


@dataclass(frozen=True)
class Report:
    """What a task's files hold. `labels`: of a part, how often each label or type of span is."""

    kind: str
    read: dict[str, int]  # examples by part, those left out too
    used: dict[str, int]
    labels: dict[str, dict[str, int]]
    longest: dict[str, int]  # characters of the longest text, by part
    characters: dict[str, float]  # of a text in the mean, by part
    problems: list[Problem] = field(default_factory=list)  # what was left out comes first
    held_out: dict[str, float] = field(default_factory=dict)  # parts that are shares of training
    seed: int = 0  # that they were drawn with

    @property
    def dropped(self) -> int:
        """Examples that were left out, of all parts."""
        return sum(self.read.values()) - sum(self.used.values())

    def split(self, part: str) -> Message | None:
        """Where a part comes from, if the program drew it."""
        if part not in self.held_out:
            return None
        values = {"share": f"{self.held_out[part]:.0%}", "part": Message(part), "seed": self.seed}
        return Message(HELD_OUT, values)

    def to_json(self) -> dict[str, Any]:
        """Plain data that `from_json` reads back."""
        return dict(self.__dict__) | {"problems": [problem.to_json() for problem in self.problems]}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Report":
        """The report in `data`."""
        problems = [Problem.from_json(problem) for problem in data["problems"]]
        return cls(**(data | {"problems": problems}))


def check(kind: str, parts: Parts, problems: Problems, *, job: Job) -> Report:
    """The report on the parts of a task; `problems` are those of reading, others are added."""
    labels = {part: dict(label_counts(kind, rows)) for part, rows in parts.items()}
    _check_labels(kind, labels, problems)
    _check_copies(parts, problems, job)
    if kind != "qa":
        _check_conflicts(parts, problems, job)
    for part, rows in parts.items():
        _check_part(kind, part, rows, problems)
    problems.part = ""
    order = {"dropped": 0, "repaired": 1, "noticed": 2}
    return Report(
        kind,
        {part: len(rows) + problems.dropped(part) for part, rows in parts.items()},
        {part: len(rows) for part, rows in parts.items()},
        labels,
        {part: max((len(row.text) for row in rows), default=0) for part, rows in parts.items()},
        {part: sum(len(row.text) for row in rows) / max(1, len(rows))
         for part, rows in parts.items()},
        sorted(problems, key=lambda p: (order[p.level], ("", *PARTS).index(p.part))),
    )  # fmt: skip


def label_counts(kind: str, rows: Iterable[Example]) -> Counter[str]:
    """How often each class, or type of span, is; of questions, those with and without an answer."""
    if kind == "tag":
        return Counter(span.type for row in rows for span in row.spans)
    if kind == "qa":
        return Counter("answer" if row.spans else "no answer" for row in rows if row.labelled)
    return Counter(row.label for row in rows if row.labelled)


def _check_labels(kind: str, labels: dict[str, dict[str, int]], problems: Problems) -> None:
    known = labels.get("train", {})
    for part in ("valid", "test"):
        problems.part = part
        for label, count in labels.get(part, {}).items():
            if label not in known and kind != "qa":
                problems.add(UNSEEN, "noticed", label, f"train 0, {part} {count}")
    problems.part = ""
    if kind != "qa":
        _check_names(list(dict.fromkeys(chain(*labels.values()))), problems)
    if kind in ("classify", "pair") and len(known) > 1:
        times = max(known.values()) / min(known.values())
        if times >= _LOPSIDED:
            problems.add(LOPSIDED, "noticed", times=round(times))


def _check_names(labels: Iterable[str], problems: Problems) -> None:
    """Labels that a reader may take for the same."""
    seen = dict[str, str]()
    for label in labels:
        first = seen.setdefault(_folded(label), label)
        if first != label:
            problems.add(ALIKE, "noticed", label, f"{label} / {first}")


def _folded(label: str) -> str:
    """Without what the eye does not tell apart."""
    narrow = unicodedata.normalize("NFKC", label).casefold()
    return "".join(one for one in narrow if unicodedata.category(one)[0] not in "CZ")


def _check_copies(parts: Parts, problems: Problems, job: Job) -> None:
    trained = {key_of(row): row.place for row in watched(parts.get("train", ()), job)}
    for part, rows in parts.items():
        problems.part = part
        seen = dict[tuple[str, str], str]()
        for row in watched(rows, job):
            key = key_of(row)
            if part != "train" and key in trained:
                problems.add(LEAKED, "noticed", row.place, f"{row.text[:_SHOWN]} = {trained[key]}",
                             all=len(rows))  # fmt: skip
            if key in seen:
                problems.add(TWICE, "noticed", row.place, f"{row.text[:_SHOWN]} = {seen[key]}")
            seen.setdefault(key, row.place)
    problems.part = ""


def _check_conflicts(parts: Parts, problems: Problems, job: Job) -> None:
    """The same text with two labels, or tagged in two ways, in one part or in two."""
    found = defaultdict[tuple[str, str], dict[object, Example]](dict)
    for rows in parts.values():
        for row in watched(rows, job):
            if row.labelled:
                found[key_of(row)].setdefault(row.label or row.spans, row)
    for rivals in found.values():
        if len(rivals) > 1:
            first, *others = rivals.values()
            where = listed(f"{other.label} {other.place}".strip() for other in others)
            detail = f"{first.text[:_SHOWN]}: {first.label}, {where}"
            problems.add(CONFLICTS, "noticed", first.place, detail)


def _check_part(kind: str, part: str, rows: Sequence[Example], problems: Problems) -> None:
    problems.part = part
    for row in rows:
        if not row.labelled:
            problems.add(UNLABELLED, "noticed", row.place, row.text[:_SHOWN])
        elif kind == "tag" and not row.spans:
            problems.add(UNSPANNED, "noticed", row.place, row.text[:_SHOWN])
    if part != "train" and 0 < len(rows) < _SMALL:
        problems.add(SMALL, "noticed", count=len(rows))
