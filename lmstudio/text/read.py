"""Paths to files that can be read, and a file to its decoded text, chunk by chunk.

Positions are bytes of the file as it is read, after unpacking where it is a .gz.
"""

import codecs
import gzip
import os
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol, Self, cast

from lmstudio.errors import AppError
from lmstudio.messages import Message, listed
from lmstudio.text.document import Refusal as Refusal
from lmstudio.text.encoding import Guess, decoded, guesses, utf8_fault
from lmstudio.text.lines import Lines

SUFFIXES = (
    ".txt", ".md", ".csv", ".tsv", ".xlsx", ".json", ".jsonl", ".html", ".htm", ".docx", ".epub",
    ".pdf", ".conllu", ".zip", ".gz", ".tgz", ".tar",
)  # fmt: skip
SAMPLE = 128 * 1024  # bytes that an encoding and a lines rule are judged by
_CHUNK = 64 * 1024
_TOLD_BY = 4096  # bytes that tell whether a file of unknown kind is text
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_PACKED = b"\x1f\x8b"  # how a .gz begins
_SAFE = 256 << 20  # bytes that may be unpacked from however little
_DENSEST = 300  # bytes of text from one packed byte; text has 3 to 10, long repetitions 100


class ReadError(AppError):
    """A file that cannot be read; others may be."""


class DecodeError(ReadError):
    """A byte that the encoding does not have. `position` is where it stands, from 0."""

    def __init__(self, position: int, encoding: str) -> None:
        super().__init__(
            "Byte {position} is not {encoding}. Choose another encoding, or save the file as "
            "UTF-8 with an editor.",
            position=position,
            encoding=encoding,
        )
        self.position = position


def shown(path: Path) -> str:
    """A file's name as it can be shown and stored, also when its bytes are no text.

    What would move a terminal's cursor or change its colours becomes `_`.
    """
    return _CONTROL.sub("_", os.fsencode(path.name or path).decode("utf-8", "backslashreplace"))


def files_in(paths: Iterable[Path]) -> tuple[list[Path], list[Refusal]]:
    """The files to read, folders searched in sorted order, and what was refused and why.

    Hidden files in folders are left out, and a file or folder that is reached twice counts once.
    In folders names tell what can be read; a file that is given itself may have any name if it is
    text, as pku_test_gold.utf8 has.
    """
    found = _Found([], [], set())
    for path in paths:
        _walk(path, found, given=True)
    return found.taken, found.refused


@dataclass
class _Found:
    taken: list[Path]
    refused: list[Refusal]
    seen: set[str]  # real paths


def _walk(path: Path, found: _Found, *, given: bool = False) -> None:
    try:
        real = os.path.realpath(path)
        if real in found.seen:
            return
        found.seen.add(real)
        if path.is_dir():
            for name in sorted(os.listdir(path)):
                if not name.startswith("."):
                    _walk(path / name, found)
            return
        path.stat()
        reason = _refusal(path, given=given)
    except (OSError, ValueError) as error:  # ValueError: a name with a zero byte
        reason = _unreadable(error)
    if reason:
        found.refused.append(Refusal(shown(path), reason))
    else:
        found.taken.append(path)


def _refusal(file: Path, *, given: bool) -> Message | None:
    if not file.is_file():
        return Message("This is not a file.")
    reason = unknown_kind(file.name)
    if reason and given:
        with file.open("rb") as opened:
            start = opened.read(_TOLD_BY)
        return None if guesses(start, whole=len(start) < _TOLD_BY) else reason
    return reason


def unknown_kind(name: str) -> Message | None:
    """Why a file of that name is left out, if it is."""
    if Path(name).suffix.lower() in SUFFIXES:
        return None
    return Message(
        "Files of this kind cannot be read, only {suffixes}.", {"suffixes": listed(SUFFIXES)}
    )


def _unreadable(error: Exception) -> Message:
    detail = getattr(error, "strerror", None) or str(error)
    return Message("It cannot be opened ({error}).", {"error": detail})


class Readable(Protocol):
    """What bytes come from: a file, or a member of an archive."""

    def read(self, size: int) -> bytes:
        """The next bytes, empty at the end. Raises ReadError."""
        ...


@contextmanager
def reading() -> Iterator[None]:
    """What the system or a damaged .gz refuses in this block becomes a ReadError."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ReadError(
            "The .gz file is damaged or is not one ({error}).", error=str(error)
        ) from error
    except OSError as error:
        message = _unreadable(error)
        raise ReadError(message.sentence, **message.values) from error


def check_density(unpacked: int, packed: int) -> None:
    """Raises ReadError for a "zip bomb": a file made to fill the disk."""
    if unpacked > _SAFE and unpacked > _DENSEST * packed:
        raise ReadError("It unpacks to more than {times} times its size.", times=_DENSEST)


class _Unpacked(gzip.GzipFile):
    """The text of a .gz; raises ReadError where it grows without end."""

    def __init__(self, packed: BinaryIO) -> None:
        super().__init__(fileobj=packed)
        self._packed = packed

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        check_density(self.tell(), self._packed.tell())
        return data


class OpenFile:
    """A file being read; `read` gives the bytes of its text, unpacked. Raises ReadError."""

    def __init__(self, path: Path, *, raw: bool = False) -> None:
        """`raw`: the bytes as they are in the file, even if it is packed."""
        with reading():
            if path.exists() and not path.is_file() and not path.is_dir():  # it may have no end
                raise ReadError("This is not a file.")
            self._file = path.open("rb")
            packed = path.suffix.lower() in (".gz", ".tgz") or self._file.peek(2)[:2] == _PACKED
        unpacked = packed and not raw
        self.stream = cast(BinaryIO, _Unpacked(self._file) if unpacked else self._file)

    def read(self, size: int) -> bytes:
        """The next bytes, empty at the end."""
        with reading():
            return self.stream.read(size)

    def position(self) -> int:
        """How many bytes of the file itself were read."""
        return self._file.tell()

    def size(self) -> int:
        """Bytes of the file itself."""
        return os.fstat(self._file.fileno()).st_size

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stream.close()
        self._file.close()


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Say of which file it is where it cannot be read."""
    try:
        yield
    except ReadError as error:
        raise ReadError("{name}: {reason}", name=shown(path), reason=error.message) from error


def whole_text(path: Path) -> str:
    """The text of a file, in the encoding that it seems to have. ReadError that names the file."""
    with naming(path):
        data, whole = sample(path)
        encoding = detected(data, whole=whole)[0].encoding
        with OpenFile(path) as file:
            return "".join(text_chunks(file, encoding))


def sample(path: Path, size: int = SAMPLE) -> tuple[bytes, bool]:
    """The first bytes of a file's text, and whether they are all of it."""
    with OpenFile(path) as file:
        data = file.read(size + 1)
    return data[:size], len(data) <= size


def detected(data: bytes, *, whole: bool) -> list[Guess]:
    """The encodings a sample may be in; ReadError if it is not text, DecodeError if damaged."""
    found = guesses(data, whole=whole)
    fault = None if found and found[0].text else utf8_fault(data)  # found by its mark, or not
    if fault is not None:
        raise DecodeError(fault, "utf-8")
    if not found:
        raise ReadError("This is not text, or not in an encoding that can be recognised.")
    return found


def sample_lines(data: bytes, encoding: str, *, whole: bool) -> list[str]:
    """The lines of a sample, without one that may be cut; none if it is not in the encoding."""
    text = decoded(data, encoding, whole=whole)
    lines = [line for _, line in Lines([text or ""])]
    return lines if whole or len(lines) < 2 else lines[:-1]


def text_chunks(file: Readable, encoding: str) -> Iterator[str]:
    """The decoded text, without a byte-order mark. Raises DecodeError; nothing is replaced."""
    decoder = codecs.getincrementaldecoder(encoding)()
    count, first = 0, True
    while True:
        data = file.read(_CHUNK)
        count += len(data)
        try:
            text = decoder.decode(data, not data)
        except UnicodeDecodeError as error:  # its object begins with bytes kept from before
            raise DecodeError(count - len(error.object) + error.start, encoding) from None
        if text and first:
            text, first = text.removeprefix("\ufeff"), False
        if text:
            yield text
        if not data:
            return
