"""A file of another program in; its bytes, unpacked if it is a .gz, or why it is not what it seems.

What a download leaves in the place of a large file, and files that only their own program reads,
are told by their first bytes.
"""

import gzip
import hashlib
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from lmstudio.errors import AppError
from lmstudio.files import refuse_special
from lmstudio.jobs import Job

GZ = b"\x1f\x8b"
_POINTER = b"version https://git-lfs"
_LONGEST_POINTER = 1024  # bytes


def refuse_pointer(path: Path) -> None:
    """AppError for a Git LFS pointer, a device or a pipe; OSError where it cannot be read."""
    refuse_special(path)
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(len(_POINTER))
    if head == _POINTER and size < _LONGEST_POINTER:
        raise AppError(
            "{path} is a Git LFS pointer, {size} bytes, in place of the file itself. Download the "
            "file (git lfs pull), then import again.", path=path, size=size,
        )  # fmt: skip


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked if it begins like a .gz, whatever it is called.

    AppError for a Git LFS pointer, a folder, a device, and where it cannot be read or unpacked.
    """
    try:
        refuse_pointer(path)
        with path.open("rb") as file:
            packed = file.read(len(GZ)) == GZ
        with cast(BinaryIO, gzip.open(path, "rb")) if packed else path.open("rb") as file:
            yield file
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise AppError(
            "{name} is damaged or incomplete: it cannot be unpacked.", name=path.name
        ) from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise AppError("{path} cannot be read: {error}.", path=path, error=reason) from error


def finish(file: BinaryIO, *, job: Job) -> None:
    """Read what is left of a file that is `opened`: only at its end the sum of a .gz is checked."""
    while file.read(1 << 20):
        job.check()


def digest(path: Path, *, job: Job) -> str:
    """The SHA-256 of a file as it is."""
    found = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            found.update(block)
            job.check()
    return found.hexdigest()
