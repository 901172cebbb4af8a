"""Documents: the table of a corpus's documents as a CSV file."""

from collections.abc import Iterator
from pathlib import Path

from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.store.workspace import Workspace

_AT_ONCE = 1000  # rows asked of the workspace


def save_csv(ws: Workspace, corpus_id: int, path: Path, *, job: Job) -> None:
    """Write name, encoding, bytes, lines, characters and part of every document.

    Raises AppError if it cannot be written.
    """
    total = ws.corpus(corpus_id).documents
    header = (tr("Document"), tr("Encoding"), tr("Bytes"), tr("Lines"), tr("Characters"),
              tr("Part"))  # fmt: skip
    save_table(path, header, _rows(ws, corpus_id, total), total=total, job=job)


def _rows(ws: Workspace, corpus_id: int, total: int) -> Iterator[tuple[str | int, ...]]:
    for start in range(0, total, _AT_ONCE):
        for row in ws.documents(corpus_id, start, _AT_ONCE):
            yield row.name, row.encoding, row.bytes, row.lines, row.characters, row.part
