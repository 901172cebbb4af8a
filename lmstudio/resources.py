"""Where the files of resources/ are: in a checkout, in an installed wheel, in a frozen program."""

import sys
from pathlib import Path


def path(*parts: str) -> Path:
    """The path of a resource, such as `path("icons", "home.svg")`."""
    return _root().joinpath(*parts)


def _root() -> Path:
    if frozen := getattr(sys, "_MEIPASS", None):
        return Path(frozen) / "resources"
    package = Path(__file__).resolve().parent
    installed = package / "_resources"
    return installed if installed.is_dir() else package.parent / "resources"
