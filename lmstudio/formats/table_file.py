"""A header and rows into a file: CSV that spreadsheets read at once, the same with tabs, or LaTeX.

The ending of its name says which: .tsv, .tex, and CSV with any other.
"""

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from lmstudio.files import unwritten, written
from lmstudio.formats.latex_table import latex_table
from lmstudio.jobs import Job

Rows = Iterable[Sequence[object]]

_AT_ONCE = 1000  # rows


def save_table(
    path: Path, header: Sequence[str], rows: Rows, *, total: int = 0, job: Job
) -> None:  # fmt: skip
    """Write a table. Whole or not there.

    `total` rows are expected, for the progress. Raises AppError if it cannot be written.
    """
    remaining = iter(rows)
    done = 0
    with table_file(path, header) as add:
        while some := list(islice(remaining, _AT_ONCE)):
            job.tick(done, total)
            add(some)
            done += len(some)


@contextmanager
def table_file(path: Path, header: Sequence[str]) -> Iterator[Callable[[Rows], None]]:
    """What is given rows and writes them; they are at `path` when the block ends well.

    CSV and tabs: UTF-8 with a mark, cells quoted where need be, row by row. LaTeX is written at
    the end. Raises AppError if it cannot be written.
    """
    kind = path.suffix.lower()
    with unwritten(path), written(path) as file:
        if kind == ".tex":
            kept: list[Sequence[object]] = []
            yield kept.extend
            file.write_text(latex_table(header, kept), encoding="utf-8", newline="\n")
            return
        with file.open("w", encoding="utf-8-sig", newline="") as out:
            writer = csv.writer(out, delimiter="\t" if kind == ".tsv" else ",")
            writer.writerow(header)
            yield writer.writerows
