"""An open file to what its start shows: encoding, first lines, first rows of a table."""

import io
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TypeVar

from lmstudio.text.document import RawDocument, ReadOptions, Refusal
from lmstudio.text.encoding import Guess
from lmstudio.text.files import ARCHIVES, READERS, TABLES
from lmstudio.text.files.columns import Row, judge
from lmstudio.text.files.kinds import kind_of
from lmstudio.text.files.opened import Opened, parsing
from lmstudio.text.files.table import SAMPLE_ROWS, Table
from lmstudio.text.lines import Lines
from lmstudio.text.marked import marked_format
from lmstudio.text.read import SAMPLE, ReadError, detected, text_chunks
from lmstudio.text.wrapping import layout

STREAMED = ("text", "csv", "json", "html")
"""Kinds of which the start can be read alone."""

_Item = TypeVar("_Item")
_LINES = 12
_ROWS = 20
_JUDGED = 2000  # lines that a rule is judged by
_WIDTH = 300  # characters of a line
_CELL = 200  # characters of a cell
_JSON = 4 << 20  # bytes of JSON, whose only object may hold all records
_MEMBER = 8 << 20  # bytes of a member of an archive
_MEMBERS = 20  # of an archive, among which one to show is looked for


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
class Glance:
    """What the start of a file shows."""

    format: str = ""  # a RawDocument's
    encoding: str = ""  # empty for kinds that know theirs, such as docx
    confidence: float = 0.0
    candidates: list[Candidate] = field(default_factory=list)  # likeliest first, up to three
    lines: list[str] = field(default_factory=list)  # the first ones, long ones cut
    unended: float = 0.0  # share of the lines seen that end inside a sentence
    lines_rule: str = ""  # what "auto" would choose
    table: TablePreview | None = None


def glance(file: Opened, options: ReadOptions) -> Glance:
    """Look at the start of a file. Raises ReadError if it cannot be read."""
    kind = kind_of(file)
    if kind in ARCHIVES:
        return _inside(file, kind, options)
    seen, whole = Glance(kind), True
    if kind in STREAMED:
        file, whole = _start(file, options, seen)
        options = replace(options, encoding="utf-8")
    if kind in TABLES:
        _show_table(file, options, seen, whole=whole)
    elif kind != "text":
        with parsing(f".{kind}"), closing(_each(READERS[kind](file, options))) as documents:
            _show_document(next(documents), seen)
    return seen


def _inside(file: Opened, kind: str, options: ReadOptions) -> Glance:
    """What the first member shows that can be read."""
    if file.in_archive:
        raise ReadError("An archive inside an archive is not opened. Unpack it first.")
    with closing(_each(ARCHIVES[kind](file, _MEMBER))) as members:
        for member in islice(members, _MEMBERS):
            if isinstance(member, Opened):
                try:
                    return glance(member, options)
                except ReadError:
                    continue  # is told when it is imported
    return Glance(kind)


def _each(items: Iterator[_Item]) -> Generator[_Item, None, None]:
    """The same, in a form that can be closed before its end."""
    yield from items


def _start(file: Opened, options: ReadOptions, seen: Glance) -> tuple[Opened, bool]:
    """The start of a file as one of its own, in UTF-8, and whether it is the whole file.

    `seen` is told what encodings it may be in and what its lines are.
    """
    data, whole = file.sample(_JSON if seen.format == "json" else SAMPLE)
    if options.encoding == "auto":
        found = detected(data, whole=whole)
    else:
        start = next(text_chunks(file, options.encoding), "")
        found = [Guess(options.encoding, 1.0, start)]
    text = found[0].text
    if not text.strip():
        raise ReadError("There is no usable text in it.")
    seen.encoding, seen.confidence = found[0].encoding, found[0].confidence
    seen.candidates = [
        Candidate(guess.encoding, guess.confidence, _first_lines(guess.text)) for guess in found[:3]
    ]
    lines = [line for _, line in Lines([text])]
    if not whole and len(lines) > 1:
        lines.pop()  # may be cut
        text = text[: text.rindex(lines[-1]) + len(lines[-1])]
    _show_lines(lines, options.lines, seen)
    if seen.format == "text":
        seen.format = marked_format(lines) if options.format == "auto" else options.format
    if seen.format == "conllu":
        seen.lines_rule = "sentence"
    return Opened(file.name, io.BytesIO(text.encode()), file.tick), whole


def _show_lines(lines: list[str], rule: str, seen: Glance) -> None:
    judged = layout(lines[:_JUDGED], rule)
    seen.unended, seen.lines_rule = judged.unended, judged.rule
    seen.lines = [line[:_WIDTH] for line in lines[:_LINES]]


def _first_lines(text: str) -> list[str]:
    return [line[:_WIDTH] for _, line in Lines([text[: _LINES * 2000]])][:_LINES]


def _show_table(file: Opened, options: ReadOptions, seen: Glance, *, whole: bool) -> None:
    """The first rows of the first table; only lines if the start of a file cannot tell."""
    kind = seen.format
    try:
        with parsing(f".{kind}"), closing(_each(TABLES[kind](file, options))) as tables:
            table = next(tables, None)
            rows = _first_rows(table) if table else []
    except ReadError:
        if whole:
            raise
        return  # as one JSON object that is longer than its start
    if not table:
        raise ReadError("There is no usable text in it.")
    columns = judge(rows, options, table.names or ())
    shown = [[(cell or "")[:_CELL] for cell in row] for row in rows[columns.header :]]
    text = columns.used["text"]
    cells = [row[text] or "" for row in rows[columns.header :] if text < len(row)]
    _show_lines([line for cell in cells for _, line in Lines([cell])], "paragraph", seen)
    seen.table = TablePreview(columns.names, shown[:_ROWS], columns.guess(), columns.header)


def _first_rows(table: Table) -> list[Row]:
    rows: list[Row] = []
    try:
        rows.extend(row for row in islice(table.rows, SAMPLE_ROWS) if row)
    except ReadError:  # the start of a file may end inside a value
        if not rows:
            raise
    return rows


def _show_document(document: RawDocument | Refusal, seen: Glance) -> None:
    """The first lines of a document of a kind that is not text itself."""
    if isinstance(document, Refusal):
        raise ReadError(document.reason.sentence, **document.reason.values)
    chunk = next((chunk for chunk in document.chunks or () if chunk.strip()), "")
    if not chunk:
        raise ReadError("There is no usable text in it.")
    _show_lines([line for _, line in Lines([chunk])], document.lines, seen)
