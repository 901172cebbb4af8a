"""What is half written beside its place -> gone, once whoever wrote it is dead.

Beside "NAME.xxxxxxxx.tmp", the temporary file or folder of NAME, lies "NAME.xxxxxxxx.lock.tmp"
while it is filled; who fills it holds that lock, which ends with him. A lock that nobody holds
proves whose the half is that lies beside it, and that it is dead; what has none is left alone.
"""

import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

_LOCK = re.compile(r"(?P<half>(?P<target>.*)\.[0-9a-f]{8})\.lock\.tmp", re.DOTALL)


@contextmanager
def half(stem: Path, make: Callable[[Path], None]) -> Iterator[Path]:
    """What `make` makes as "NAME.*.tmp", `stem` being NAME with its folder; removed at the end.

    Links count as names that are taken. Dead halves of the same name are removed first.
    """
    with _claimed(stem) as made:
        make(made)
        try:
            yield made
        finally:
            remove(made)


def remove(path: Path) -> None:
    """Remove a file, or a folder with all in it, where that goes; what a link leads to stays."""
    with suppress(OSError):  # it became what it was for, or is in use
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


@contextmanager
def _claimed(stem: Path) -> Iterator[Path]:
    """A name that nothing has, its lock held; some disks have no locks: then without."""
    _sweep(stem)
    while True:
        made = stem.with_name(f"{stem.name}.{secrets.token_hex(4)}.tmp")
        path = made.with_suffix(".lock.tmp")
        if any(one.exists() or one.is_symlink() for one in (made, path)):
            continue
        lock = FileLock(path)
        with suppress(Timeout, OSError, NotImplementedError):
            lock.acquire(timeout=0)
        if not lock.is_locked or path.exists():  # else it was swept away before it was held
            break
        lock.release()
    try:
        yield made
    finally:
        lock.release()
        remove(path)


def _sweep(stem: Path) -> None:
    """Remove the halves of a name whose locks nobody holds."""
    with suppress(OSError):  # not every folder can be listed
        for path in list(stem.parent.iterdir()):
            found = _LOCK.fullmatch(path.name)
            if found and found["target"] == stem.name and path.is_file() and not path.is_symlink():
                _remove_dead(path, path.with_name(f"{found['half']}.tmp"))


def _remove_dead(path: Path, made: Path) -> None:
    with suppress(Timeout, OSError, NotImplementedError):
        with FileLock(path, timeout=0):
            remove(made)
        path.unlink(missing_ok=True)
