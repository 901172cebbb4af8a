"""Paths that a user names to the sources that are read: files, or the three of an ATIS folder."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.text.files.opened import Opened
from lmstudio.text.read import OpenFile, files_in, shown

WORDS, TAGS, LABELS = "seq.in", "seq.out", "label"
"""The files of ATIS (Goo et al. 2018): line by line the words, their tags and the intent."""


@dataclass(frozen=True)
class Source:
    """A file, or several that belong together line by line."""

    paths: tuple[Path, ...]

    @property
    def name(self) -> str:
        """What it is called where places are told."""
        path = self.paths[0]
        return f"{shown(path.parent)}/{shown(path)}" if self.aligned else shown(path)

    @property
    def aligned(self) -> bool:
        """The words, tags and labels of sentences in files of their own."""
        return self.paths[0].name == WORDS

    def beside(self, name: str) -> Path | None:
        """The file of that name that belongs to it."""
        return next((path for path in self.paths if path.name == name), None)


def sources(paths: Sequence[Path]) -> list[Source]:
    """What files and folders hold, in their order. AppError if there is nothing to read."""
    found, given = list[Source](), list[Path]()
    for path in paths:
        whole = path.parent if path.name in (WORDS, TAGS, LABELS) else path
        if (whole / WORDS).is_file():
            files = [whole / name for name in (WORDS, TAGS, LABELS)]
            found.append(Source(tuple(file for file in files if file.is_file())))
        else:
            given.append(path)
    files, refused = files_in(given)
    if refused:
        first = refused[0]
        raise AppError("{name}: {reason}", name=first.name, reason=first.reason)
    return [*dict.fromkeys(found), *(Source((file,)) for file in files)]


@contextmanager
def opened(path: Path, job: Job) -> Iterator[Opened]:
    """A file, unpacked where it is packed. Raises AppError with its name in it."""
    try:
        with OpenFile(path) as file:
            yield Opened(shown(path), file.stream, lambda _: job.check())
    except AppError as error:
        raise AppError("{name}: {reason}", name=shown(path), reason=error.message) from error
