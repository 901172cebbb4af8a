"""Excel files (.xlsx) to tables: each visible sheet with cells is one.

Cells become what the sheet shows, as far as that is text: a number kept in the form 0000 has its
zeros, a date is 2024-01-31. Formulas have the value that was saved with them.
"""

import datetime
import re
import warnings
import zipfile
from collections.abc import Iterable, Iterator
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from lmstudio.text.document import ReadOptions
from lmstudio.text.files.columns import Row
from lmstudio.text.files.container import container
from lmstudio.text.files.opened import Opened
from lmstudio.text.files.table import Table

if TYPE_CHECKING:
    from openpyxl.workbook import Workbook

_ZEROS = re.compile(r"0+")
_FORMULA = re.compile(rb"<(?:\w+:)?f[ />]")
_CHUNK = 1 << 20
_TICK = 64  # rows


def tables(file: Opened, options: ReadOptions) -> Iterator[Table]:
    """The sheets. Raises ReadError, also while their rows are taken."""
    del options  # the format knows its encoding
    with container(file, ".xlsx") as archive:
        values = _workbook(file, computed=True)
        formulas = _workbook(file, computed=False) if _has_formulas(archive) else None
        sheets = [sheet for sheet in values.worksheets if sheet.sheet_state == "visible"]
        for number, sheet in enumerate(sheets):
            twin = formulas[sheet.title] if formulas else None
            rows = _rows(sheet, twin, lambda share, n=number: file.tick((n + share) / len(sheets)))
            first = next(rows, None)
            if first is not None:
                name = file.name if len(sheets) == 1 else f"{file.name}, {sheet.title}"
                yield Table(name, "xlsx", chain([first], rows))


def _workbook(file: Opened, *, computed: bool) -> "Workbook":
    from openpyxl import load_workbook

    # about styles and extensions that are left out
    warnings.filterwarnings("ignore", category=UserWarning, module="openpyxl")
    return load_workbook(file.stream, read_only=True, data_only=computed, keep_links=False)


def _has_formulas(archive: zipfile.ZipFile) -> bool:
    for name in archive.namelist():
        if name.startswith("xl/worksheets/"):
            with archive.open(name) as sheet:
                before = b""
                while data := sheet.read(_CHUNK):
                    if _FORMULA.search(before + data):
                        return True
                    before = data[-8:]
    return False


def _rows(sheet: Any, twin: Any, tick: Any) -> Iterator[Row]:
    """The rows with cells; `twin` is the same sheet with the formulas themselves."""
    expected = max(sheet.max_row or 0, 1)
    for each in (sheet, twin):
        if each is not None:
            each.reset_dimensions()  # what a file says of its size may be wrong
    formulas: Iterable[Any] = repeat(()) if twin is None else twin.iter_rows()
    for number, (cells, written) in enumerate(zip(sheet.iter_rows(), formulas, strict=False)):
        if number % _TICK == 0:
            tick(min(1.0, number / expected))
        row: Row = [_text(cell) for cell in cells]
        for column, cell in enumerate(written):
            if cell.data_type == "f" and cells[column].value is None:
                row[column] = None
        while row and row[-1] == "":
            row.pop()
        if row:
            yield row


def _text(cell: Any) -> str:
    value = cell.value
    if value is None or cell.data_type == "e":  # an error such as #N/A
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int) and _ZEROS.fullmatch(cell.number_format or ""):
        return str(value).zfill(len(cell.number_format))
    if isinstance(value, float):
        return f"{value:.15g}"
    if isinstance(value, datetime.datetime):
        midnight = value.time() == datetime.time()
        return value.date().isoformat() if midnight else value.isoformat(" ")
    return str(value)
