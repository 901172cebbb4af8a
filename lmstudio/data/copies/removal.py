"""The bulk files of a corpus that is being made to the same without some of its lines.

What stays is copied, run by run of lines that follow one another, into new files, which then take
the place of the old ones.
"""

import os
from bisect import bisect_left
from collections.abc import Callable
from pathlib import Path

import numpy as np

from lmstudio.data.given import WORDS, has_given
from lmstudio.data.layout import GIVEN, IMPORT_AGAIN, LINE, SHIFT, mapped
from lmstudio.data.parts import Document
from lmstudio.data.writer import CHARACTERS, COUNT, writing
from lmstudio.jobs import Job
from lmstudio.messages import Message

_AT_ONCE = 1 << 18  # records, or bytes of text
_NOTE = Message("Leaving out lines")


def remove_lines(folder: Path, documents: list[Document], gone: np.ndarray, *, job: Job) -> None:
    """Remove the lines that are True in `gone` (L,), and documents of which nothing stays.

    Mends `documents` too. What else was counted of the lines is to be counted again.
    """
    firsts = [document.first_line for document in documents]
    kept = np.add.reduceat(~gone, firsts, dtype=np.int64)
    numbers = np.cumsum(kept > 0) - 1  # new by old
    for name in _copied(folder, gone, numbers, job):
        os.replace(folder / f"{name}.new", folder / name)
    begins = (np.cumsum(kept) - kept).tolist()
    for document, first, lines in zip(documents, begins, kept.tolist(), strict=True):
        document.first_line, document.lines = first, lines
    documents[:] = [document for document in documents if document.lines]


def _copied(folder: Path, gone: np.ndarray, numbers: np.ndarray, job: Job) -> list[str]:
    """Write name.new beside each file; their names. No old file stays open, as Windows asks."""
    runs = _runs(~gone)
    lines = mapped(folder / "lines.idx", LINE, IMPORT_AGAIN)
    last = lines[runs[:, 1] - 1]
    bytes_of = np.stack([lines["start"][runs[:, 0]], last["start"] + last["size"] + 1], axis=1)
    lines_before, bytes_before = _left_out(runs), _left_out(bytes_of)

    def mend_lines(records: np.ndarray, run: int) -> None:
        records["start"] -= bytes_before[run]
        records["document"] = numbers[records["document"]]

    def mend_line(records: np.ndarray, run: int) -> None:
        records["line"] -= lines_before[run]

    def keep(records: np.ndarray, run: int) -> None:
        """Text and counts are as they were."""

    _copy(folder / "text.utf8", np.dtype("u1"), bytes_of, keep, job)
    _copy(folder / "lines.idx", LINE, runs, mend_lines, job)
    _copy(folder / CHARACTERS, COUNT, runs, keep, job)
    by_line = [("shifts.idx", SHIFT)] + [(WORDS, GIVEN)] * has_given(folder)
    for name, dtype in by_line:
        column = mapped(folder / name, dtype, IMPORT_AGAIN)["line"]
        bounds = [[bisect_left(column, line) for line in run] for run in runs.tolist()]
        _copy(folder / name, dtype, np.array(bounds).reshape(-1, 2), mend_line, job)
    return ["text.utf8", "lines.idx", CHARACTERS, *(name for name, _ in by_line)]


def _runs(kept: np.ndarray) -> np.ndarray:
    """(R, 2): first line and end of each stretch that is True."""
    edges = np.flatnonzero(np.diff(kept, prepend=False, append=False))
    return edges.reshape(-1, 2)


def _left_out(bounds: np.ndarray) -> np.ndarray:
    """(R,): how much is left out before each of the bounds."""
    sizes = bounds[:, 1] - bounds[:, 0]
    return bounds[:, 0] - (np.cumsum(sizes) - sizes)


def _copy(
    path: Path, dtype: np.dtype, bounds: np.ndarray, mend: Callable[[np.ndarray, int], None],
    job: Job,
) -> None:  # fmt: skip
    """Write the records between bounds, mended, to path.new."""
    records = mapped(path, dtype, IMPORT_AGAIN)
    with writing(), path.with_name(f"{path.name}.new").open("wb") as file:
        for run, (first, end) in enumerate(bounds.tolist()):
            for start in range(first, end, _AT_ONCE):
                part = np.array(records[start : min(end, start + _AT_ONCE)])
                mend(part, run)
                file.write(part.tobytes())
            job.tick(end, len(records), _NOTE)
