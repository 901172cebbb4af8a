"""Paths to what importing them would find, judged by the first 128 kB of a file."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lmstudio.text.encoding import Guess
from lmstudio.text.lines import Lines
from lmstudio.text.read import (
    OpenFile,
    ReadError,
    Refusal,
    detected,
    files_in,
    sample,
    sample_lines,
    shown,
    text_chunks,
)
from lmstudio.text.wrapping import layout

LOOKED_AT = 8  # files whose encoding is shown; the others wait for the import
_LINES = 12
_WIDTH = 300  # characters of a line


@dataclass(frozen=True)
class FoundFile:
    """A file that can be imported; `encoding` is empty where it was not looked at."""

    path: Path
    name: str
    bytes: int
    encoding: str = ""


@dataclass(frozen=True)
class Candidate:
    """An encoding and how the first lines read in it."""

    encoding: str
    confidence: float  # 0 to 1
    lines: list[str]


@dataclass(frozen=True)
class TablePreview:
    """The start of a table. Without a header row its columns are called 1, 2, 3 ..."""

    columns: list[str]
    rows: list[list[str]]  # the first ones, cells cut
    guess: dict[str, str]  # text, title, label, part: the column that is taken for it, if any
    header: bool


@dataclass
class Preview:
    """What was found. Encoding, lines, rule, format and table are those of the first file."""

    files: list[FoundFile] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    encoding: str = ""  # empty if no file can be read
    confidence: float = 0.0
    candidates: list[Candidate] = field(default_factory=list)  # likeliest first, up to three
    lines: list[str] = field(default_factory=list)  # the first ones, long ones cut
    unended: float = 0.0  # share of the lines seen that end inside a sentence
    lines_rule: str = ""  # what "auto" would choose
    format: str = ""  # a RawDocument's
    table: TablePreview | None = None


def preview(paths: Sequence[Path], encoding: str = "auto") -> Preview:
    """Look at the first bytes of the first files. Nothing is raised for a file: it is refused."""
    files, refused = files_in(paths)
    seen = Preview(refused=refused)
    for file in files:
        try:
            _look(file, encoding, seen)
        except ReadError as error:
            seen.refused.append(Refusal(shown(file), error.message))
    return seen


def _look(file: Path, encoding: str, seen: Preview) -> None:
    size = file.stat().st_size
    if len(seen.files) >= LOOKED_AT:
        seen.files.append(FoundFile(file, shown(file), size))
        return
    data, whole = sample(file)
    found = detected(data, whole=whole) if encoding == "auto" else [_forced(file, encoding)]
    if not found[0].text.strip():
        raise ReadError("There is no usable text in it.")
    seen.files.append(FoundFile(file, shown(file), size, found[0].encoding))
    if not seen.encoding:
        seen.encoding, seen.confidence = found[0].encoding, found[0].confidence
        seen.candidates = [
            Candidate(guess.encoding, guess.confidence, _first_lines(guess.text))
            for guess in found[:3]
        ]
        seen.lines = seen.candidates[0].lines
        judged = layout(sample_lines(data, seen.encoding, whole=whole))
        seen.unended, seen.lines_rule = judged.unended, judged.rule


def _forced(file: Path, encoding: str) -> Guess:
    """The start of a file in a chosen encoding; raises DecodeError at the byte where it fails."""
    with OpenFile(file) as opened:
        return Guess(encoding, 1.0, next(text_chunks(opened, encoding), ""))


def _first_lines(text: str) -> list[str]:
    start = text[: _LINES * 2000]
    return [line[:_WIDTH] for _, line in Lines([start])][:_LINES]
