"""Sizes in, arrays out that are files of a folder, for what does not fit into memory."""

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np

from lmstudio.errors import DISK_FULL, AppError
from lmstudio.figures import size as spoken
from lmstudio.files import unwritten

_LEFT = "counting.*.tmp"
_PIECE = bytes(1 << 24)
_CANNOT = (errno.EINVAL, errno.EOPNOTSUPP, errno.ENOSYS)  # what file systems that do not know say


class DiskRoom:
    """Makes arrays that are mapped files, whose place on the disk is taken at once.

    A mapped file that has only a length finds out that the disk is full when it is written to, and
    then the system ends the process without a word.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._files = folder, 0

    def __call__(self, size: int, kind: np.dtype) -> np.ndarray:
        """(size,) zeros. AppError that names the disk if it is full."""
        self._files += 1
        path = self._folder / str(self._files)
        octets = max(1, size) * np.dtype(kind).itemsize  # no file may be empty
        try:
            with unwritten(path, own=True), path.open("wb") as file:
                _take(file, octets)
        except AppError as error:
            if getattr(error.__cause__, "errno", None) not in DISK_FULL:
                raise
            raise AppError(
                "The disk of {path} is full: counting a text this long in parts needs {size} more "
                "there. Free some space and start again.",
                path=self._folder.parent, size=spoken(octets),
            ) from error  # fmt: skip
        return np.memmap(path, kind, "r+", shape=max(1, size))[:size]


@contextmanager
def room_in(folder: Path) -> Iterator[DiskRoom]:
    """Room in a folder of its own in `folder`; what a process that was killed left goes first."""
    for leftover in folder.glob(_LEFT):
        shutil.rmtree(leftover, ignore_errors=True)
    prefix, suffix = _LEFT.split("*")
    with tempfile.TemporaryDirectory(
        dir=folder, prefix=prefix, suffix=suffix, ignore_cleanup_errors=True
    ) as parts:
        yield DiskRoom(Path(parts))


def _take(file: BinaryIO, octets: int) -> None:
    """Make a file so long that all of it has its place on the disk."""
    if hasattr(os, "posix_fallocate"):  # not on macOS, not on Windows
        try:
            return os.posix_fallocate(file.fileno(), 0, octets)
        except OSError as error:
            if error.errno not in _CANNOT:
                raise
    for start in range(0, octets, len(_PIECE)):
        file.write(_PIECE[: octets - start])
    return None
