"""Files of every kind to documents.

documents(path)   what a file holds: kind by content, one reader a kind
kinds             which kind it is
plain, table, ..  the readers; each imports its library only when it reads
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from lmstudio.text.document import RawDocument, ReadOptions, Refusal
from lmstudio.text.files import (
    archive,
    book,
    delimited,
    markup,
    office,
    pages,
    plain,
    records,
    spreadsheet,
)
from lmstudio.text.files.kinds import kind_of
from lmstudio.text.files.opened import Opened, parsing
from lmstudio.text.files.table import Table, table_documents
from lmstudio.text.read import OpenFile, ReadError, shown

Items = Iterator[RawDocument | Refusal]

READERS: dict[str, Callable[[Opened, ReadOptions], Items]] = {
    "text": plain.read,
    "html": markup.read,
    "docx": office.read,
    "epub": book.read,
    "pdf": pages.read,
}
TABLES: dict[str, Callable[[Opened, ReadOptions], Iterator[Table]]] = {
    "csv": delimited.tables,
    "json": records.tables,
    "xlsx": spreadsheet.tables,
}
ARCHIVES: dict[str, Callable[..., Iterator[Opened | Refusal]]] = {
    "zip": archive.zip_members,
    "tar": archive.tar_members,
}


def documents(
    path: Path, options: ReadOptions | None = None, *, tick: Callable[[float], None] | None = None
) -> Items:
    """The documents of a file, one after the other, and what of it cannot be read.

    Raises ReadError before the first one if the whole file cannot be read; later failures are
    Refusals, for what came before stays. The text of a document is read while it is iterated (see
    RawDocument). `tick` is called often with the share of the file that is done; what it raises
    goes through.
    """
    begun = False
    with OpenFile(path) as file:
        progress = _Progress(file, tick)
        opened = Opened(shown(path), file.stream, progress)
        try:
            for item in _items(opened, options or ReadOptions()):
                begun = True
                yield item
        except ReadError as error:
            if not begun:
                raise
            yield Refusal(opened.name, error.message)
        if not begun:
            raise ReadError("There is no usable text in it.")


def _items(file: Opened, options: ReadOptions) -> Items:
    kind = kind_of(file)
    if kind in ARCHIVES:
        yield from _members(file, kind, options)
        return
    with parsing(f".{kind}"):
        if kind in TABLES:
            for table in TABLES[kind](file, options):
                yield from table_documents(table, options)
        else:
            yield from READERS[kind](file, options)


def _members(file: Opened, kind: str, options: ReadOptions) -> Items:
    if file.in_archive:
        raise ReadError("An archive inside an archive is not opened. Unpack it first.")
    for member in ARCHIVES[kind](file):
        if isinstance(member, Refusal):
            yield member
            continue
        try:
            yield from _items(member, options)
        except ReadError as error:
            yield Refusal(member.name, error.message)


class _Progress:
    """The share of a file that is done, never less than before."""

    def __init__(self, file: OpenFile, tick: Callable[[float], None] | None) -> None:
        self._file, self._tick = file, tick
        self._done = 0.0

    def __call__(self, share: float | None = None) -> None:
        if self._tick is None:
            return
        if share is None:
            share = self._file.position() / max(1, self._file.size())
        self._done = min(1.0, max(self._done, share))
        self._tick(self._done)
