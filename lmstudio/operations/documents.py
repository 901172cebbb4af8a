"""Documents: the table of a corpus's documents as a CSV file."""

import csv
from pathlib import Path

from lmstudio.errors import AppError
from lmstudio.files import written
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.store.workspace import Workspace

_AT_ONCE = 1000


def save_csv(ws: Workspace, corpus_id: int, path: Path, *, job: Job) -> None:
    """Write name, encoding, bytes, lines, characters and part of every document.

    UTF-8 with a mark, as spreadsheets want it. Raises AppError if it cannot be written.
    """
    total = ws.corpus(corpus_id).documents
    try:
        with written(path) as file, file.open("w", encoding="utf-8-sig", newline="") as out:
            writer = csv.writer(out)
            writer.writerow([tr("Document"), tr("Encoding"), tr("Bytes"), tr("Lines"),
                             tr("Characters"), tr("Part")])  # fmt: skip
            for start in range(0, total, _AT_ONCE):
                job.tick(start, total)
                rows = ws.documents(corpus_id, start, _AT_ONCE)
                writer.writerows(
                    (d.name, d.encoding, d.bytes, d.lines, d.characters, d.part) for d in rows
                )
    except OSError as error:
        raise AppError(
            "{path} cannot be written ({error}).", path=path, error=error.strerror or str(error)
        ) from error
