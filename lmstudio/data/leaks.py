"""The parts of a corpus to what of the held-out text stands in the training part as well.

Figures on such text flatter every model, and most the one that remembers most. Counted are lines
that stand in train word for word, white space left out, if they have LONG characters or more
(shorter ones, like "第一条", stand everywhere), and stretches that are nearly the same as one of
train, see `data.neighbours`.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from lmstudio.data.layout import PART_NAMES, CorpusText
from lmstudio.data.neighbours import Neighbours
from lmstudio.data.shingles import batches
from lmstudio.jobs import Job
from lmstudio.messages import Message

LONG = 8
EXAMPLES = 20
_TRAIN = PART_NAMES.index("train")
_COMPARED = np.dtype([("line", "i8"), ("hash", "i8"), ("characters", "i8"), ("train", "i8")])
"""A line, its text as a hash, its size, and the first line of train with that text or -1."""


@dataclass
class PartLeaks:
    """What of a held-out part stands in train. Characters are those that are not white space."""

    lines: int = 0
    leaked_lines: int = 0  # LONG or longer, and word for word in train
    characters: int = 0
    leaked_characters: int = 0  # of the leaked lines
    stretches: int = 0  # documents, or what of one is in this part without a break
    near_stretches: int = 0  # the same as a stretch of train, or nearly
    examples: list[tuple[int, int]] = field(default_factory=list)  # (leaked line, line of train)

    @property
    def share(self) -> float:
        """Of the characters, those in a leaked line; 0 to 1."""
        return self.leaked_characters / max(self.characters, 1)


@dataclass
class LeakReport:
    """The leaks of each held-out part that has lines, by name."""

    parts: dict[str, PartLeaks] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """By part, its fields and "share"."""
        return {name: asdict(part) | {"share": part.share} for name, part in self.parts.items()}


def leaks(corpus_folder: Path, *, job: Job) -> LeakReport:
    """Compare the held-out parts of a corpus with its training part.

    Memory grows with the number of held-out lines and of documents, not with the length of texts.
    """
    text = CorpusText(corpus_folder)
    part = np.array(text.lines["part"])
    lines = _compared_lines(text, part, job)
    stretches, near = _compared_stretches(text, part, job)
    report = LeakReport()
    for number in np.unique(part[part != _TRAIN]).tolist():
        own = lines[part[lines["line"]] == number]
        found = own[own["train"] >= 0]
        of_part = part[stretches[:, 0]] == number
        report.parts[PART_NAMES[number]] = PartLeaks(
            lines=len(own),
            leaked_lines=len(found),
            characters=int(own["characters"].sum()),
            leaked_characters=int(found["characters"].sum()),
            stretches=int(of_part.sum()),
            near_stretches=int(near[of_part].sum()),
            examples=found[["line", "train"]][:EXAMPLES].tolist(),
        )
    return report


def leaking_lines(corpus_folder: Path, *, job: Job) -> np.ndarray:
    """Numbers, ascending, of all held-out lines that leak: by themselves or with their stretch."""
    text = CorpusText(corpus_folder)
    part = np.array(text.lines["part"])
    lines = _compared_lines(text, part, job)
    stretches, near = _compared_stretches(text, part, job)
    leaking = np.zeros(len(part), bool)
    leaking[lines["line"][lines["train"] >= 0]] = True
    for first, count in stretches[near].tolist():
        leaking[first : first + count] = True
    return np.flatnonzero(leaking)


def _compared_lines(text: CorpusText, part: np.ndarray, job: Job) -> np.ndarray:
    """_COMPARED records of all held-out lines, in order."""
    held_out = [_compared(*lines) for lines in _lines(text, part != _TRAIN, job)]
    found = np.concatenate([np.empty(0, _COMPARED), *held_out])
    wanted = np.sort(found["hash"][found["characters"] >= LONG])
    train = np.full(len(wanted) + 1, -1)  # the first line of train with each hash; the last: none
    for lines in _lines(text, part == _TRAIN, job) if len(wanted) else ():
        own = _compared(*lines)
        places = np.searchsorted(wanted, own["hash"])
        hits = np.flatnonzero(wanted[np.minimum(places, len(wanted) - 1)] == own["hash"])[::-1]
        new = hits[train[places[hits]] < 0]
        train[places[new]] = own["line"][new]  # of equal ones the first, which is written last
    long = np.flatnonzero(found["characters"] >= LONG)
    found["train"] = -1
    found["train"][long] = train[np.searchsorted(wanted, found["hash"][long])]
    return found


def _lines(
    text: CorpusText, chosen: np.ndarray, job: Job
) -> Iterator[tuple[np.ndarray, list[str]]]:
    """Numbers and texts without white space of the chosen lines, some at a time."""
    starts = np.array(text.lines["start"])
    end = text.lines["size"][-1:] + starts[-1:] + 1
    for first, end_line in batches(np.append(starts, end)):
        numbers = first + np.flatnonzero(chosen[first:end_line])
        if len(numbers):
            found = text.span(first, end_line - first).split("\n")
            yield numbers, ["".join(found[number].split()) for number in (numbers - first).tolist()]
        job.tick(end_line, len(starts), Message("Comparing the parts line by line"))


def _compared(numbers: np.ndarray, texts: list[str]) -> np.ndarray:
    """_COMPARED records of lines; two texts have the same hash once in 10^19."""
    records = np.empty(len(texts), _COMPARED)
    records["line"] = numbers
    records["hash"] = [hash(text) for text in texts]
    records["characters"] = [len(text) for text in texts]
    return records


def _compared_stretches(
    text: CorpusText, part: np.ndarray, job: Job
) -> tuple[np.ndarray, np.ndarray]:
    """(N, 2) first line and lines of every run of lines of one document and part; which are near.

    Only those that are held out can be near, to one of train.
    """
    document = text.lines["document"]
    new = np.flatnonzero((np.diff(document) != 0) | (np.diff(part) != 0)) + 1
    firsts = np.append(0, new) if len(part) else new
    stretches = np.stack([firsts, np.diff(firsts, append=len(part))], axis=1)
    near = np.zeros(len(stretches), bool)
    in_train = part[firsts] == _TRAIN
    if in_train.all() or not in_train.any():
        return stretches, near
    neighbours = Neighbours(text, [(a, b) for a, b in stretches.tolist()], job=job)
    company = neighbours.in_company()
    for number in company[in_train[company]].tolist():
        neighbours.add(number)
    for number in company[~in_train[company]].tolist():
        job.check()
        near[number] = neighbours.find(number) is not None
    return stretches, near
