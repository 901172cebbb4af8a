"""Paths to what importing them would find, judged by the start of the first files."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lmstudio.text.document import ReadOptions, Refusal
from lmstudio.text.files.opened import Opened
from lmstudio.text.glance import Candidate as Candidate
from lmstudio.text.glance import Glance, glance
from lmstudio.text.glance import TablePreview as TablePreview
from lmstudio.text.read import OpenFile, ReadError, files_in, shown

LOOKED_AT = 8  # files whose encoding is shown; the others wait for the import
_DEFAULT = ReadOptions()


@dataclass(frozen=True)
class FoundFile:
    """A file that can be imported; `encoding` and `format` are empty where it was not looked at."""

    path: Path
    name: str
    bytes: int
    encoding: str = ""  # also empty for kinds that know theirs
    format: str = ""


@dataclass
class Preview(Glance):
    """What was found; what a Glance tells is that of the first file."""

    files: list[FoundFile] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)


def preview(paths: Sequence[Path], options: ReadOptions = _DEFAULT) -> Preview:
    """Look at the start of the first files. Nothing is raised for a file: it is refused."""
    paths, refused = files_in(paths)
    files: list[FoundFile] = []
    first: Glance | None = None
    for path in paths:
        seen = Glance()
        if len(files) < LOOKED_AT:
            try:
                seen = _seen(path, options)
            except ReadError as error:
                refused.append(Refusal(shown(path), error.message))
                continue
            first = first or seen
        size = path.stat().st_size
        files.append(FoundFile(path, shown(path), size, seen.encoding, seen.format))
    return Preview(**vars(first or Glance()), files=files, refused=refused)


def _seen(path: Path, options: ReadOptions) -> Glance:
    with OpenFile(path) as file:
        return glance(Opened(shown(path), file.stream, lambda share: None), options)
