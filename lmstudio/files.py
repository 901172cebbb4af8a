"""Files that are whole or not there: written beside their place, then renamed onto it.

One rule for all that is written: a file takes the place of one that is there, which is left as it
was until the new one is whole; a folder must be new or empty; folders above that lack are made.
What was left of an attempt that was killed goes with the next one. In a workspace only the program
itself writes.
"""

import errno
import json
import math
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from lmstudio import claims
from lmstudio.errors import AppError

DATABASE = "workspace.db"
"""The file by which a folder is known to be a workspace."""
_DATABASES = tuple(f"{DATABASE}{ending}" for ending in ("", "-wal", "-shm", "-journal"))
_STEM = 100  # bytes of a name that a temporary one repeats; few systems let any be above 143
_DAMAGE: tuple[type[Exception], ...] = (
    OSError,
    EOFError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
)


@contextmanager
def written(path: Path) -> Iterator[Path]:
    """A new empty file "NAME.*.tmp"; it becomes `path` when the block ends well.

    OSError at once where `path` is a folder, or a device or the like, or the database of a
    workspace, which are not to be replaced. A link stays one: what it leads to is replaced.
    """
    path = _led_to(path)
    if not path.name or path.is_dir():  # no name: "." or "/"
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if path.exists() and (path.name.casefold() in _DATABASES or not path.is_file()):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    with claims.half(_stem(path), partial(Path.touch, exist_ok=False)) as temporary:
        yield temporary
        os.replace(temporary, path)


@contextmanager
def written_folder(path: Path) -> Iterator[Path]:
    """A temporary folder; it becomes `path`, which is new or empty, when the block ends well.

    A link stays one, as with `written`.
    """
    path = _led_to(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with folder_beside(path) as temporary:
        yield temporary
        if path.is_dir():
            path.rmdir()  # it is empty
        os.replace(temporary, path)


def _led_to(path: Path) -> Path:
    """What a link leads to, which may not be there yet; else `path`. OSError for a circle."""
    if not path.is_symlink():
        return path
    with suppress(FileNotFoundError):
        path.stat()  # only this tells of circles in every Python
    return Path(os.path.realpath(path))


def refuse_inside(path: Path) -> None:
    """AppError where `path` is in a workspace: it may be what that needs, or is swept away."""
    for folder in Path(os.path.realpath(path)).parents:
        if os.path.exists(folder / DATABASE):  # False too where one may not look
            raise AppError("{path} is in the workspace {workspace}. Choose a folder outside it.",
                           path=path, workspace=folder)  # fmt: skip


def refuse_full(path: Path) -> None:
    """AppError where no folder can be written as `path`: there is a file, or something in it."""
    if path.exists() and not (path.is_dir() and not any(path.iterdir())):
        raise AppError("{path} is there already. Choose a folder that is new or empty.", path=path)


@contextmanager
def folder_beside(path: Path) -> Iterator[Path]:
    """A new empty folder "NAME.*.tmp" beside `path`, with the rights that any new folder has.

    It is removed at the end of the block, unless it was renamed. What tempfile makes is for its
    maker's eyes only, and stays so under its final name. AppError where none can be made.
    """

    def make(folder: Path) -> None:
        with unwritten(path, own=True):
            folder.mkdir()

    with claims.half(_stem(path), make) as folder:
        yield folder


def _stem(path: Path) -> Path:
    """`path` under as much of its name as a longer one can begin with."""
    stem = path.name
    while len(os.fsencode(stem)) > _STEM:
        stem = stem[:-1]
    return path.with_name(stem)


@contextmanager
def usual_rights(path: Path) -> Iterator[None]:
    """What the block writes as `path` may be read by whom any new file may be read by."""
    path.touch()
    mode = stat.S_IMODE(path.stat().st_mode)
    yield
    path.chmod(mode)


@contextmanager
def unwritten(path: Path, *, own: bool = False) -> Iterator[None]:
    """An OSError in the block means that `path` cannot be written: AppError with the reason.

    AppError at once where it is in a workspace, unless it is a file of the program's `own`.
    """
    if not own:
        refuse_inside(path)
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise AppError("{path} cannot be written ({error}).", path=path, error=reason) from error


@contextmanager
def reading(path: Path, sentence: str, *damage: type[Exception]) -> Iterator[None]:
    """What goes wrong in the block means that `path` is missing or damaged: AppError `sentence`.

    `sentence` holds {path} and says how to get a new one; `damage` are errors of the file's format.
    """
    try:
        yield
    except _DAMAGE + damage as error:
        raise AppError(sentence, path=path) from error


def refuse_special(path: Path) -> None:
    """AppError for a device, a pipe and the like: reading one may never end. Before any reading."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise AppError("{path} is not a plain file.", path=path)


def folder_bytes(path: Path) -> int:
    """What a file, or a folder with all in it, takes; 0 where it is not there. Follows no link."""
    try:
        if path.is_symlink() or not path.is_dir():
            return path.lstat().st_size
        with os.scandir(path) as entries:
            return sum(folder_bytes(Path(entry)) for entry in entries)
    except OSError:  # gone, or not to be read
        return 0


def write_json(path: Path, value: Any) -> None:
    """`value` as UTF-8 JSON."""
    with written(path) as temporary:
        temporary.write_text(json.dumps(value, ensure_ascii=False, indent=1), encoding="utf-8")


def read_json(path: Path, *, largest: float = math.inf) -> Any:
    """The value in a UTF-8 JSON file. AppError where that is a device or the like.

    ValueError where it holds none, or has more than `largest` bytes.
    """
    refuse_special(path)
    if path.stat().st_size > largest:
        raise ValueError("too long")
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


class FreeNames:
    """Names for files that go into one folder, on any system: "a.txt", "a 2.txt", "a 3.txt"."""

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}  # and how often a name was asked for

    def take(self, name: str) -> str:
        """`name`, with a number before its suffixes if it is taken; case does not tell apart."""
        name = first = name.replace("\\", "_").replace("/", "_")
        stem, dot, suffixes = name.partition(".")
        while name.casefold() in self._taken:
            self._taken[first.casefold()] += 1
            name = f"{stem} {self._taken[first.casefold()]}{dot}{suffixes}"
        self._taken[name.casefold()] = 1
        return name
