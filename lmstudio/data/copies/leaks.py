"""The parts of a corpus to what of the held-out text stands in the training part as well.

Figures on such text flatter every model, and most the one that remembers most. Counted are lines
that stand in train word for word, white space left out, if they have SHORT characters or more
(lesser ones, like "第一条", stand everywhere), and stretches that are nearly the same as one of
train, see `data.neighbours`.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from lmstudio.data.copies.neighbours import SHORT, Neighbours
from lmstudio.data.copies.shingles import Stretch, batches
from lmstudio.data.layout import PART_NAMES, CorpusText
from lmstudio.jobs import Job
from lmstudio.messages import Message

EXAMPLES = 20
LINES = np.dtype([("line", "i8"), ("hash", "i8"), ("characters", "i8"), ("train", "i8")])
"""A line, its text as a hash, its size, and the first line of train with that text or -1."""
_AT_ONCE = 1 << 14  # lines that are read together, at most


@dataclass
class PartLeaks:
    """What of a held-out part stands in train. Characters are those that are not white space."""

    lines: int = 0
    leaked_lines: int = 0  # not too short, and word for word in train
    characters: int = 0
    leaked_characters: int = 0  # of the leaked lines and of near stretches
    stretches: int = 0  # documents, or what of one is in this part without a break
    near_stretches: int = 0  # the same as a stretch of train, or nearly
    examples: list[tuple[int, int]] = field(default_factory=list)  # (leaked line, line of train)

    @property
    def share(self) -> float:
        """Of the characters, those that stand in train, word for word or nearly; 0 to 1."""
        return self.leaked_characters / max(self.characters, 1)


@dataclass
class LeakReport:
    """The leaks of each held-out part that has lines, by name."""

    parts: dict[str, PartLeaks] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """By part, its fields and "share"."""
        return {
            name: asdict(part) | {"examples": list(map(list, part.examples)), "share": part.share}
            for name, part in self.parts.items()
        }


def leaks(corpus_folder: Path, *, job: Job) -> LeakReport:
    """Compare the held-out parts of a corpus with its training part.

    Memory grows with the number of held-out lines and of documents, not with the length of texts.
    """
    compared = _Compared(corpus_folder, job)
    return LeakReport({name: compared.part(name) for name in PART_NAMES if compared.holds(name)})


def leaking_lines(corpus_folder: Path, *, job: Job) -> np.ndarray:
    """Numbers, ascending, of all held-out lines that leak: by themselves or with their stretch."""
    return np.flatnonzero(_Compared(corpus_folder, job).leaking)


class _Compared:
    """The held-out lines and stretches of a corpus, and which of them stand in train."""

    def __init__(self, corpus_folder: Path, job: Job) -> None:
        self._text, self._job = CorpusText(corpus_folder), job
        self._part = np.array(self._text.lines["part"])
        self._in_train = self._part == PART_NAMES.index("train")
        self._lines = self._compared_lines()  # LINES records of all held-out lines
        self._stretches = self._runs()  # (N, 2) first line, number of lines
        self._near = self._compared_stretches()  # (N,) bool; never for one of train
        self.leaking = self._leaking()  # (L,) bool

    def holds(self, name: str) -> bool:
        """The part is held out and has lines."""
        return name != "train" and bool((self._part == PART_NAMES.index(name)).any())

    def part(self, name: str) -> PartLeaks:
        """What was found in a held-out part."""
        number = PART_NAMES.index(name)
        lines = self._lines[self._part[self._lines["line"]] == number]
        leaked = lines[lines["train"] >= 0]
        own = self._part[self._stretches[:, 0]] == number
        return PartLeaks(
            lines=len(lines),
            leaked_lines=len(leaked),
            characters=int(lines["characters"].sum()),
            leaked_characters=int(lines["characters"][self.leaking[lines["line"]]].sum()),
            stretches=int(own.sum()),
            near_stretches=int(self._near[own].sum()),
            examples=leaked[["line", "train"]][:EXAMPLES].tolist(),
        )

    def _leaking(self) -> np.ndarray:
        leaking = np.zeros(len(self._part), bool)
        leaking[self._lines["line"][self._lines["train"] >= 0]] = True
        for first, count in self._stretches[self._near].tolist():
            leaking[first : first + count] = True
        return leaking

    def _compared_lines(self) -> np.ndarray:
        pieces = [_records(*piece) for piece in self._read(~self._in_train)]
        found = np.concatenate([np.empty(0, LINES), *pieces])
        long = found["characters"] >= SHORT
        wanted = np.sort(found["hash"][long])
        train = np.full(len(wanted), -1)  # the first line of train with that hash
        for piece in self._read(self._in_train) if len(wanted) else ():
            own = _records(*piece)
            places = np.minimum(np.searchsorted(wanted, own["hash"]), len(wanted) - 1)
            hits = np.flatnonzero((wanted[places] == own["hash"]) & (train[places] < 0))
            train[places[hits[::-1]]] = own["line"][hits[::-1]]  # of equal ones the first stays
        found["train"][long] = train[np.searchsorted(wanted, found["hash"][long])]
        return found

    def _read(self, chosen: np.ndarray) -> Iterator[tuple[np.ndarray, list[str]]]:
        """Numbers of the chosen lines and their texts without white space, some at a time."""
        for first, count in self._pieces():
            self._job.tick(first, len(chosen), Message("Comparing the parts line by line"))
            numbers = np.flatnonzero(chosen[first : first + count])
            if len(numbers):
                lines = self._text.span(first, count).split("\n")
                yield first + numbers, ["".join(lines[n].split()) for n in numbers.tolist()]

    def _pieces(self) -> Iterator[Stretch]:
        """All lines, in pieces that are neither large nor of many lines."""
        records = self._text.lines
        for begin in range(0, len(records), _AT_ONCE):
            some = records[begin : begin + _AT_ONCE]
            starts = np.append(some["start"], some["start"][-1] + some["size"][-1] + 1)
            yield from ((begin + first, end - first) for first, end in batches(starts))

    def _runs(self) -> np.ndarray:
        """Lines of one document and one part that follow one another."""
        document = self._text.lines["document"]
        changes = (np.diff(document) != 0) | (np.diff(self._part) != 0)
        firsts = np.flatnonzero(np.append(True, changes)[: len(document)])
        return np.stack([firsts, np.diff(firsts, append=len(document))], axis=1)

    def _compared_stretches(self) -> np.ndarray:
        near = np.zeros(len(self._stretches), bool)
        if self._in_train.all() or not self._in_train.any():
            return near
        stretches = [(first, lines) for first, lines in self._stretches.tolist()]
        neighbours = Neighbours(self._text, stretches, job=self._job)
        company = neighbours.in_company()
        in_train = self._in_train[self._stretches[company, 0]]
        for number in company[in_train].tolist():
            neighbours.add(number)
        for done, number in enumerate(company[~in_train].tolist()):
            self._job.tick(done, len(company), Message("Comparing texts that look alike"))
            near[number] = neighbours.find(number) is not None
        return near


def _records(numbers: np.ndarray, texts: list[str]) -> np.ndarray:
    """LINES records of lines that are not found in train yet."""
    records = np.empty(len(texts), LINES)
    records["line"], records["train"] = numbers, -1
    records["hash"] = [hash(text) for text in texts]  # two texts have the same once in 10^19
    records["characters"] = [len(text) for text in texts]
    return records
