"""Lines and where they come from to text.utf8, lines.idx and shifts.idx, streaming."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

import numpy as np

from lmstudio.data.layout import LINE, SHIFT
from lmstudio.errors import AppError

_FULL = 1 << 20  # bytes of text held before they are written
_MANY = 20_000  # lines held before they are written
_MARK = re.compile(r"</?s>|<unk>")


@contextmanager
def writing() -> Iterator[None]:
    """What the system refuses in this block becomes an AppError."""
    try:
        yield
    except OSError as error:
        raise AppError(
            "The corpus cannot be written ({error}). Is the disk full?",
            error=error.strerror or str(error),
        ) from error


class CorpusWriter:
    """Writes the bulk files of a corpus. `lines` and `marks` count what was added."""

    def __init__(self, folder: Path) -> None:
        names = ("text.utf8", "lines.idx", "shifts.idx")
        self._files = [(folder / name).open("wb") for name in names]
        self.lines = self.marks = 0
        self._document = -1
        self._bytes = 0  # of text, written and held
        self._begin = (0, 0, 0, 0, 0, 0)  # counts and file sizes when the document began
        self._forget()

    def begin_document(self) -> int:
        """Begin the next document and give its number."""
        self._flush()
        self._document += 1
        sizes = (file.tell() for file in self._files)
        self._begin = (self.lines, self.marks, self._bytes, *sizes)  # type: ignore[assignment]
        return self._document

    def add(self, text: str, shifts: Iterable[tuple[int, int]]) -> None:
        """Add a line to the document; `shifts` as SHIFT, (character, shift)."""
        data = text.encode()
        self._held.append(data)
        self._held_bytes += len(data) + 1
        self._shifts += [(self.lines, *shift) for shift in shifts]
        self.lines += 1
        if "<" in text and _MARK.search(text):
            self.marks += 1
        if self._held_bytes >= _FULL or len(self._held) >= _MANY:
            self._flush()

    def drop_document(self) -> None:
        """Undo all since `begin_document`, that too."""
        self._forget()
        self.lines, self.marks, self._bytes, *sizes = self._begin
        self._document -= 1
        for file, size in zip(self._files, sizes, strict=True):
            file.seek(size)
            file.truncate()

    def _flush(self) -> None:
        if not self._held:
            return
        records = np.zeros(len(self._held), LINE)
        records["size"] = [len(data) for data in self._held]
        ends = np.cumsum(records["size"].astype(np.int64) + 1)
        records["start"] = self._bytes + np.concatenate([[0], ends[:-1]])
        records["document"] = self._document
        self._bytes += int(ends[-1])
        self._held.append(b"")  # so that the last line is ended too
        for file, data in zip(
            self._files,
            (b"\n".join(self._held), records.tobytes(), np.array(self._shifts, SHIFT).tobytes()),
            strict=True,
        ):
            with writing():
                file.write(data)
        self._forget()

    def _forget(self) -> None:
        self._held: list[bytes] = []
        self._held_bytes = 0
        self._shifts: list[tuple[int, int, int]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                self._flush()
        finally:
            for file in self._files:
                file.close()
