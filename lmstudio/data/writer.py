"""Lines, where they come from, and words that were given, to the bulk files of a corpus; streaming.

Beside the files of `data.layout` it writes characters.tmp, for each line its characters that are
not white space, which whoever divides the corpus reads and removes.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from lmstudio.data.given import TAGS, WORDS
from lmstudio.data.layout import GIVEN, LINE, SHIFT
from lmstudio.errors import AppError
from lmstudio.files import write_json
from lmstudio.text.read import ReadError

CHARACTERS = "characters.tmp"
COUNT = np.dtype("<i4")

_FULL = 1 << 20  # bytes of text held before they are written
_MANY = 50_000  # records of a file held before they are written
_MOST_TAGS = np.iinfo(GIVEN["tag"]).max
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


class _Records:
    """The records of one file: held, written when they are many, cut back to a count at will."""

    def __init__(self, path: Path, packed: Callable[[list[Any]], bytes]) -> None:
        self._file = path.open("wb")
        self._packed = packed
        self._held: list[Any] = []
        self._written = 0
        self.add, self.extend = self._held.append, self._held.extend

    @property
    def count(self) -> int:
        return self._written + len(self._held)

    @property
    def held(self) -> list[Any]:
        return self._held

    def flush(self) -> None:
        if self._held:
            with writing():
                self._file.write(self._packed(self._held))
            self._written += len(self._held)
            self._held.clear()

    def cut(self, count: int, position: int) -> None:
        """Forget all but the first `count`, which end at a byte of the file if it is written."""
        if count >= self._written:
            del self._held[count - self._written :]
            return
        self._held.clear()
        self._written = count
        self._file.seek(position)
        self._file.truncate()

    def close(self) -> None:
        self._file.close()


@dataclass(frozen=True)
class Place:
    """How far a corpus is written: what `CorpusWriter.cut_back` goes back to."""

    document: int = -1
    lines: int = 0
    marks: int = 0
    bytes: int = 0
    shifts: int = 0
    words: int = 0
    tags: int = 1


class CorpusWriter:
    """Writes the bulk files of a corpus. `lines`, `marks` and `bytes` count what was added."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._text = _Records(folder / "text.utf8", lambda held: b"".join(held))
        self._lines = _Records(folder / "lines.idx", self._packed_lines)
        self._shifts = _Records(folder / "shifts.idx", _packing(SHIFT))
        self._words = _Records(folder / WORDS, _packing(GIVEN))
        self._characters = _Records(folder / CHARACTERS, _packing(COUNT))
        self._all = (self._lines, self._text, self._shifts, self._words, self._characters)
        self._tags = {"": 0}
        self._document = -1
        self._flushed = 0  # bytes of text
        self._held = 0  # records
        self.lines = self.marks = self.bytes = 0

    @property
    def given_words(self) -> int:
        """Words that were given with their lines."""
        return self._words.count

    @property
    def tags(self) -> int:
        """Kinds of tags of those words."""
        return len(self._tags) - 1

    def begin_document(self) -> None:
        """Begin the next document."""
        self._document += 1

    def add(
        self, text: str, shifts: Sequence[tuple[int, int]],
        words: Sequence[tuple[int, int]] = (), tags: Sequence[str] = (),
    ) -> None:  # fmt: skip
        """Add a line to the document; `shifts` as SHIFT, (character, shift); tags by word."""
        data = text.encode() + b"\n"
        line = self.lines
        self._text.add(data)
        self._lines.add(self._document)
        self._characters.add(sum(map(len, text.split())))
        self._shifts.extend([(line, *shift) for shift in shifts])
        if words:
            numbers = map(self._tag, tags) if tags else [0] * len(words)
            self._words.extend(
                (line, start, end, tag) for (start, end), tag in zip(words, numbers, strict=True)
            )
        self.bytes += len(data)
        self.lines += 1
        if "<" in text and _MARK.search(text):
            self.marks += 1
        self._held += 1 + len(shifts) + len(words)
        if self._held >= _MANY or self.bytes - self._flushed >= _FULL:
            self._flush()

    def _tag(self, name: str) -> int:
        number = self._tags.setdefault(name, len(self._tags))
        if number > _MOST_TAGS:
            raise ReadError("It has more than {most} different tags.", most=_MOST_TAGS)
        return number

    def place(self) -> Place:
        """Where the corpus ends now."""
        return Place(self._document, self.lines, self.marks, self.bytes, self._shifts.count,
                     self._words.count, len(self._tags))  # fmt: skip

    def cut_back(self, place: Place) -> None:
        """Undo all that was added since `place` was the end."""
        self._document, self.lines, self.marks = place.document, place.lines, place.marks
        self.bytes = place.bytes
        self._text.cut(place.lines, place.bytes)
        self._lines.cut(place.lines, place.lines * LINE.itemsize)
        self._characters.cut(place.lines, place.lines * COUNT.itemsize)
        self._shifts.cut(place.shifts, place.shifts * SHIFT.itemsize)
        self._words.cut(place.words, place.words * GIVEN.itemsize)
        self._tags = dict(list(self._tags.items())[: place.tags])
        self._flushed = min(self._flushed, place.bytes)

    def _packed_lines(self, documents: list[int]) -> bytes:
        """LINE records of the lines whose text is held, from their documents."""
        records = np.zeros(len(documents), LINE)
        sizes = np.fromiter(map(len, self._text.held), np.int64, len(documents))
        records["size"] = sizes - 1
        records["start"] = self._flushed + np.cumsum(sizes) - sizes
        records["document"] = documents
        return records.tobytes()

    def _flush(self) -> None:
        for records in self._all:
            records.flush()
        self._flushed, self._held = self.bytes, 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                self._flush()
        finally:
            for records in self._all:
                records.close()
        if kind is None and self.given_words:
            write_json(self._folder / TAGS, list(self._tags))
        elif kind is None:
            (self._folder / WORDS).unlink()


def _packing(dtype: np.dtype) -> Callable[[list[Any]], bytes]:
    return lambda held: np.array(held, dtype).tobytes()
