"""Half-written files and folders of a process that died -> nothing."""

import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

CLAIM = "unfinished.lock"
"""A file in a folder that is being filled; who fills it holds the lock, which ends with him."""
_TEMPORARY = re.compile(r"(?P<target>.*)\.[0-9a-f]{8}\.tmp", re.DOTALL)  # of files.folder_beside


def sweep(folders: Iterable[Path]) -> None:
    """Remove what is called *.tmp in `folders` and in the folders in them."""
    for folder in folders:
        for pattern in ("*.tmp", "*/*.tmp"):
            for leftover in folder.glob(pattern):
                if leftover.is_dir():
                    shutil.rmtree(leftover, ignore_errors=True)
                else:
                    with suppress(OSError):
                        leftover.unlink()


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """The block fills a folder of `files.folder_beside`.

    Those that dead processes were filling for the same target, `claimed` too, are removed first.
    """
    with FileLock(folder / CLAIM):
        with suppress(OSError):  # not every folder can be listed
            for other in list(folder.parent.iterdir()):
                if other != folder and _target(other) == _target(folder):
                    _remove_dead(other)
        yield
    (folder / CLAIM).unlink(missing_ok=True)


def _target(folder: Path) -> str:
    found = _TEMPORARY.fullmatch(folder.name)
    return found["target"] if found else ""


def _remove_dead(folder: Path) -> None:
    """Remove a folder with a claim that nobody holds."""
    if folder.is_symlink() or not (folder / CLAIM).is_file():
        return
    with suppress(Timeout, OSError):
        with FileLock(folder / CLAIM, timeout=0):
            pass  # some systems remove no file that is open
        shutil.rmtree(folder, ignore_errors=True)
