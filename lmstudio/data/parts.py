"""The documents of a corpus, divided into parts and counted."""

import codecs
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lmstudio.data.layout import LINE, PART_NAMES
from lmstudio.data.split import SplitRule, split
from lmstudio.jobs import Job

_CHUNK = 1 << 18  # bytes between two looks at the stop flag

PartFacts = dict[str, dict[str, int]]
"""For each part "documents" (with a line in it), "lines" and "characters"."""


@dataclass
class Document:
    """What became of one file. `part` is "mixed" where its blocks of lines were split."""

    name: str
    encoding: str
    rule: str  # of its lines, see text.wrapping
    bytes: int
    first_line: int
    lines: int = 0
    characters: int = 0  # that are not white space
    part: str = ""  # given, or empty for one that is to be split


def divide(
    folder: Path, documents: Sequence[Document], rule: SplitRule, *, job: Job
) -> tuple[str, PartFacts]:
    """Give every line its part in lines.idx, and count each document and each part.

    Fills in `part` and `characters` of the documents; returns the rule in words and the counts.
    """
    lines = np.memmap(folder / "lines.idx", LINE, mode="r+")
    how = "files"
    if all(document.part for document in documents):
        for document in documents:
            _own(lines, document)["part"] = PART_NAMES.index(document.part)
    else:
        how = split(lines, [document.first_line for document in documents], rule)
    facts = {name: {"documents": 0, "lines": 0, "characters": 0} for name in PART_NAMES}
    for document in documents:
        _count(folder / "text.utf8", lines, document, facts, job)
    lines.flush()
    return how, facts


def _own(lines: np.ndarray, document: Document) -> np.ndarray:
    return lines[document.first_line : document.first_line + document.lines]


def _count(text: Path, lines: np.ndarray, document: Document, facts: PartFacts, job: Job) -> None:
    """Count a document's lines and characters by part, run by run of lines in one part."""
    own = _own(lines, document)
    firsts = [0, *(np.flatnonzero(np.diff(own["part"])) + 1).tolist()]
    parts = [PART_NAMES[number] for number in own["part"][firsts]]
    for part, first, end in zip(parts, firsts, [*firsts[1:], len(own)], strict=True):
        start, last = int(own["start"][first]), own[end - 1]
        characters = _characters(text, start, int(last["start"]) + int(last["size"]) - start, job)
        document.characters += characters
        facts[part]["characters"] += characters
        facts[part]["lines"] += end - first
    for part in set(parts):
        facts[part]["documents"] += 1
    document.part = parts[0] if len(set(parts)) == 1 else "mixed"


def _characters(text: Path, start: int, size: int, job: Job) -> int:
    """Code points that are not white space in a stretch of text.utf8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    count = done = 0
    with text.open("rb") as file:
        file.seek(start)
        while done < size:
            data = file.read(min(_CHUNK, size - done))
            done += len(data)
            count += sum(map(len, decoder.decode(data).split()))
            job.check()
    return count
