"""Files to import to their copies in source/, each known by its digest."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lmstudio.data.parts import Document
from lmstudio.data.writer import writing
from lmstudio.files import FreeNames
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.text.read import OpenFile, ReadError, shown

_COPY = 1 << 20  # bytes between two ticks


@dataclass(frozen=True)
class Source:
    """A file to import; `part` is given, or empty for one that is to be split."""

    path: Path
    part: str = ""


@dataclass(frozen=True)
class SourceFile:
    """What is kept of a file that was taken: the fields of `store.rows.SourceRow`."""

    name: str
    sha256: str
    bytes: int
    encoding: str
    format: str


@dataclass(frozen=True)
class Copy:
    """A file that was copied."""

    path: Path
    part: str
    sha256: str
    bytes: int


class SourceCopies:
    """Copies one file after the other, and tells how far the import has come.

    A file is copied and then read, so its bytes count twice.
    """

    def __init__(self, folder: Path, sources: Sequence[Source], job: Job) -> None:
        self._folder, self._job = folder, job
        self._names = FreeNames()
        self._known: dict[tuple[str, str], str] = {}  # name of a file, by part and digest
        self._total = 2 * sum(_size(source.path) for source in sources)
        self._before = self._size = 0
        self._note = Message("")
        folder.mkdir()

    def add(self, source: Source) -> Copy:
        """Copy a file. ReadError if it cannot be read, or is the same as one that was kept."""
        self._before += 2 * self._size
        self._size = _size(source.path)
        self._note = Message("Reading {name}", {"name": shown(source.path)})
        self._tell(0)
        target = self._folder / self._names.take(shown(source.path))
        try:
            digest = self._copied(source.path, target)
            known = self._known.get((source.part, digest))
            if known is not None:
                raise ReadError("It is the same as {name}.", name=known)
        except ReadError:
            target.unlink(missing_ok=True)
            self.tick(1)
            raise
        return Copy(target, source.part, digest, _size(target))

    def _copied(self, path: Path, target: Path) -> str:
        digest = hashlib.sha256()
        with OpenFile(path, raw=True) as file, target.open("wb") as copy:
            while data := file.read(_COPY):
                digest.update(data)
                with writing():
                    copy.write(data)
                self._tell(file.position())
        return digest.hexdigest()

    def tick(self, share: float) -> None:
        """So much, 0 to 1, of the file that was copied last is read."""
        self._tell((1 + share) * self._size)

    def _tell(self, done: float) -> None:
        self._job.tick(self._before + done, self._total, self._note)

    def keep(self, copy: Copy, documents: Sequence[Document], formats: set[str]) -> SourceFile:
        """These documents were taken from a copy."""
        self._known[copy.part, copy.sha256] = copy.path.name
        self.tick(1)
        if len(documents) == 1:
            documents[0].bytes = copy.bytes
        encodings = {document.encoding for document in documents}
        return SourceFile(copy.path.name, copy.sha256, copy.bytes, _only(encodings),
                          _only(formats))  # fmt: skip

    def drop(self, copy: Copy) -> None:
        """Nothing was taken from a copy."""
        copy.path.unlink(missing_ok=True)
        self.tick(1)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _only(values: set[str]) -> str:
    return values.pop() if len(values) == 1 else "mixed"
