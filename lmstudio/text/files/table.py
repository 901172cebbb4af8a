"""Tables to documents: each row one, its text in one column, what else is known in others."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice

from lmstudio.messages import Message, msg
from lmstudio.text.document import RawDocument, ReadOptions, Refusal
from lmstudio.text.files.columns import PARTS, Columns, Row, judge
from lmstudio.text.lines import is_blank

SAMPLE_ROWS = 100  # that columns are judged by

_NO_TEXT = msg("Rows without text: {count}.")
_WIDE = msg("Rows with more cells than columns, so that their text is uncertain: {count}.")
_NO_VALUE = msg(
    "Rows with a formula whose value is not in the file: {count}. Open it in a spreadsheet program "
    "and save it there."
)
_NO_PART = msg('Rows that say neither train, valid nor test, but for example "{value}": {count}.')
_HALF = msg("Rows with half a character: {count}.")
_BROKEN = msg("Rows whose quotes or brackets do not match: {count}.")
_SHOWN = 60  # characters of a strange cell

BROKEN: Row = []
"""Stands for a row that cannot be read."""


@dataclass
class Table:
    """Rows as a file gives them, read while they are iterated. `names` where it gives them too."""

    name: str  # of the file, and of the sheet if there are several
    format: str
    rows: Iterator[Row]
    encoding: str = ""
    names: list[str] | None = None


def table_documents(table: Table, options: ReadOptions) -> Iterator[RawDocument | Refusal]:
    """One document a row; rows that cannot be taken are counted, and told in the end."""
    sample = list(islice(table.rows, SAMPLE_ROWS))
    columns = judge([row for row in sample if row], options, table.names or ())
    rows: Iterable[Row] = chain(sample, table.rows)
    if columns.header:
        rows = islice(rows, 1, None)
    left_out: Counter[str] = Counter()
    strange = ""
    for number, row in enumerate(rows, 1):
        fault = _fault(row, columns, table.format)
        if fault:
            left_out[fault] += 1
            strange = strange or (_cell(row, columns, "part") if fault == _NO_PART else "")
        else:
            yield _document(table, number, row, columns)
    for sentence, count in left_out.items():
        values: dict[str, object] = {"count": count}
        if sentence == _NO_PART:
            values["value"] = strange[:_SHOWN]
        yield Refusal(table.name, Message(sentence, values))


def _document(table: Table, number: int, row: Row, columns: Columns) -> RawDocument:
    return RawDocument(
        f"{table.name} #{number}",
        table.encoding,
        title=_cell(row, columns, "title"),
        label=_cell(row, columns, "label"),
        part=PARTS.get(_cell(row, columns, "part").lower(), ""),
        format=table.format,
        chunks=[row[columns.used["text"]] or ""],
        lines="paragraph",
    )


def _fault(row: Row, columns: Columns, kind: str) -> str:
    """Why a row cannot be taken, or an empty string."""
    number = columns.used["text"]
    if not row:
        return _BROKEN
    if kind == "csv" and len(row) > len(columns.names):  # a delimiter inside the text, perhaps
        return _WIDE
    text = row[number] if number < len(row) else ""
    if text is None:
        return _NO_VALUE
    if is_blank(text):
        return _NO_TEXT
    if any(is_half(cell or "") for cell in row):
        return _HALF
    part = _cell(row, columns, "part").lower()
    return _NO_PART if part and part not in PARTS else ""


def is_half(cell: str) -> bool:
    """With a lone surrogate, as JSON can write it; nothing can store such text."""
    try:
        cell.encode()
    except UnicodeEncodeError:
        return True
    return False


def _cell(row: Row, columns: Columns, role: str) -> str:
    number = columns.used.get(role)
    if number is None or number >= len(row):
        return ""
    return " ".join((row[number] or "").split())
