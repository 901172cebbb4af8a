"""Half-written files and folders of a process that died -> nothing."""

import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


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
