"""Half-written files and folders of a process that died, in a workspace -> nothing."""

from collections.abc import Iterable
from pathlib import Path

from lmstudio import claims


def sweep(folders: Iterable[Path]) -> None:
    """Remove what is called *.tmp in `folders` and in the folders in them."""
    for folder in folders:
        for pattern in ("*.tmp", "*/*.tmp"):
            for leftover in folder.glob(pattern):
                claims.remove(leftover)
