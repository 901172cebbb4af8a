"""A header and rows into a CSV file that spreadsheets read at once, Chinese included."""

import csv
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

from lmstudio.files import unwritten, written
from lmstudio.jobs import Job

_AT_ONCE = 1000  # rows


def save_table(
    path: Path, header: Sequence[str], rows: Iterable[Sequence[object]], *, total: int = 0, job: Job
) -> None:
    """Write a CSV file: UTF-8 with a mark, cells quoted where need be. Whole or not there.

    `total` rows are expected, for the progress. Raises AppError if it cannot be written.
    """
    remaining = iter(rows)
    done = 0
    with (
        unwritten(path),
        written(path) as file,
        file.open("w", encoding="utf-8-sig", newline="") as out,
    ):
        writer = csv.writer(out)
        writer.writerow(header)
        while some := list(islice(remaining, _AT_ONCE)):
            job.tick(done, total)
            writer.writerows(some)
            done += len(some)
