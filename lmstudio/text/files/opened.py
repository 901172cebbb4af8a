"""A file, or a member of an archive, that readers of all kinds can read and rewind."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import BinaryIO

from lmstudio.errors import AppError, Cancelled
from lmstudio.text.document import ReadOptions
from lmstudio.text.encoding import WIDER, guesses
from lmstudio.text.read import SAMPLE, DecodeError, ReadError, detected, reading, text_chunks

_log = logging.getLogger(__name__)
_CHUNK = 64 * 1024


@dataclass
class Opened:
    """An open file. `stream` is seekable and stands at the start; nobody closes it but its owner.

    `tick` is called whenever something was read, with the share that is done where the reader
    knows better than the position in the file on disk does.
    """

    name: str  # as shown, an archive's members with their path in it
    stream: BinaryIO
    tick: Callable[[float | None], None]
    in_archive: bool = False

    @property
    def suffix(self) -> str:
        """The last suffix in small letters; of a packed file the one before .gz."""
        path = PurePosixPath(self.name.lower())
        if path.suffix == ".tgz":
            return ".tar"
        return PurePosixPath(path.stem).suffix if path.suffix == ".gz" else path.suffix

    def read(self, size: int) -> bytes:
        """The next bytes, empty at the end. Raises ReadError."""
        with reading():
            data = self.stream.read(size)
        self.tick(None)
        return data

    def rewind(self) -> None:
        """Stand at the start again."""
        with reading():
            self.stream.seek(0)

    def sample(self, size: int = SAMPLE) -> tuple[bytes, bool]:
        """The first bytes, and whether they are all; stands at the start before and after."""
        data = self.read(size + 1)
        self.rewind()
        return data[:size], len(data) <= size

    def text(self, options: ReadOptions) -> tuple[str, Iterator[str]]:
        """The encoding and the decoded chunks. Raises ReadError, also while they are taken."""
        encoding = encoding_of(self, options.encoding)
        return encoding, text_chunks(self, encoding)


def encoding_of(file: Opened, wanted: str) -> str:
    """The encoding of a whole file, "auto" for what is found. Raises ReadError if it is no text.

    The start tells, but where that is ASCII alone: then the first lines that are not do.
    """
    if wanted != "auto":
        return wanted
    data, whole = file.sample()
    found = detected(data, whole=whole)[0].encoding
    if not whole and found == "utf-8" and data.isascii():
        found = _beyond_ascii(file)
    elif not whole and found in WIDER:
        found = _wide_enough(file, found)
    file.rewind()
    return found


def _beyond_ascii(file: Opened) -> str:
    before = b""
    while data := file.read(_CHUNK):
        if data.isascii():
            before = data
            continue
        data = before + data + file.read(SAMPLE)
        first = next(i for i, byte in enumerate(data) if byte > 0x7F)  # noqa: PLR2004
        line = data.rfind(b"\n", 0, first) + 1
        found = guesses(data[line:], whole=len(data) < SAMPLE)
        return found[0].encoding if found else "utf-8"
    return "utf-8"


def _wide_enough(file: Opened, encoding: str) -> str:
    """The first of ever wider forms of an encoding that holds the whole file."""
    name = encoding
    while True:
        file.rewind()
        try:
            for _ in text_chunks(file, name):
                pass
        except DecodeError:
            if name not in WIDER:
                return encoding
            name = WIDER[name]
        else:
            return name


@contextmanager
def parsing(kind: str) -> Iterator[None]:
    """Whatever a parser raises in this block becomes a ReadError: the file is damaged.

    The one place outside jobs where every exception is caught: parsers of foreign files answer
    damage with KeyError, AttributeError, RecursionError and all others. The log has the details.
    """
    try:
        yield
    except (AppError, Cancelled):
        raise
    except Exception as error:  # noqa: BLE001
        _log.info("reading %s failed", kind, exc_info=True)
        raise ReadError(
            "This is not a {kind} file, or it is damaged or not complete.", kind=kind
        ) from error
