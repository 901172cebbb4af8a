"""The documents of a corpus, divided into parts and counted."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lmstudio.data.layout import LINE, PART_NAMES
from lmstudio.data.split import SplitRule, split
from lmstudio.data.writer import CHARACTERS, COUNT
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import listed

_AT_ONCE = 1 << 20  # lines counted at once

PartFacts = dict[str, dict[str, int]]
"""For each part "documents" (with a line in it), "lines" and "characters"."""


@dataclass(slots=True)
class Document:
    """What became of one document. `part` is "mixed" where its blocks of lines were split."""

    name: str
    encoding: str
    rule: str  # of its lines, see text.wrapping
    bytes: int  # of its file if that holds no other document, else of its lines
    first_line: int
    lines: int = 0
    characters: int = 0  # that are not white space
    part: str = ""  # given, or empty for one that is to be split
    source: int = 0  # number of the file it stands in
    title: str = ""
    label: str = ""


def divide(
    folder: Path, documents: Sequence[Document], rule: SplitRule, copy_of: np.ndarray, *,
    by_files: bool = False, job: Job,
) -> tuple[str, PartFacts]:  # fmt: skip
    """Give every line its part in lines.idx, and count each document and each part.

    `copy_of` (D,): for each document the first one with the same text. Fills in `part` and
    `characters` of the documents; returns the rule in words and the counts.
    """
    lines = np.memmap(folder / "lines.idx", LINE, mode="r+")
    if by_files or _by_column(documents, rule):
        how = "files" if by_files else "column"
        parts = [PART_NAMES.index(document.part or "train") for document in documents]
        lines["part"] = np.repeat(np.array(parts, "u1"), [d.lines for d in documents])
    else:
        characters = np.memmap(folder / CHARACTERS, COUNT, mode="r")
        firsts = [document.first_line for document in documents]
        how = split(lines, firsts, rule, copy_of=copy_of, characters=characters)
    lines.flush()
    return how, count(folder, documents, job=job)


def _by_column(documents: Sequence[Document], rule: SplitRule) -> bool:
    """A column names the parts; where that is not asked for, only if it names a held-out one.

    A row that names none is for training, of which there must be some.
    """
    named = {document.part for document in documents}
    held_out, training = named - {"", "train"}, named & {"", "train"}
    if rule.by == "column" and named == {""}:
        raise AppError(
            "No column says train, valid or test. Name the column of the part, or choose another "
            "way to split."
        )
    if rule.by == "column" and not training:
        raise AppError(
            "There is no training part: every row is for {parts}. Add rows to train on, or choose "
            "another way to split.",
            parts=listed(sorted(held_out)),
        )
    return rule.by == "column" or (rule.by == "auto" and bool(held_out and training))


def count(folder: Path, documents: Sequence[Document], *, job: Job) -> PartFacts:
    """Count each part, and fill in `part` and `characters` of the documents."""
    lines = np.memmap(folder / "lines.idx", LINE, mode="r")
    characters = np.memmap(folder / CHARACTERS, COUNT, mode="r")
    kinds = len(PART_NAMES)
    totals = np.zeros((2, len(documents) * kinds), np.int64)  # lines and characters
    for start in range(0, len(lines), _AT_ONCE):
        job.check()
        some = lines[start : start + _AT_ONCE]
        places = some["document"].astype(np.int64) * kinds + some["part"]
        first = int(places.min())
        weights = characters[start : start + _AT_ONCE]
        for row, found in enumerate((np.bincount(places - first),
                                     np.bincount(places - first, weights))):  # fmt: skip
            totals[row, first : first + len(found)] += found.astype(np.int64)
    by_part = totals.reshape(2, len(documents), kinds)
    _fill_in(documents, by_part)
    inside = (by_part[0] > 0).sum(0)
    return {
        name: {
            "documents": int(inside[part]),
            "lines": int(by_part[0, :, part].sum()),
            "characters": int(by_part[1, :, part].sum()),
        }
        for part, name in enumerate(PART_NAMES)
    }


def _fill_in(documents: Sequence[Document], by_part: np.ndarray) -> None:
    """`part` and `characters` from (2, D, parts) lines and characters."""
    parts = by_part[0].argmax(1).tolist()
    mixed = ((by_part[0] > 0).sum(1) > 1).tolist()
    characters = by_part[1].sum(1).tolist()
    for document, part, several, size in zip(documents, parts, mixed, characters, strict=True):
        document.part = "mixed" if several else PART_NAMES[part]
        document.characters = size
