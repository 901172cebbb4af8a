"""CSV and TSV files to the rows of a table: which delimiter, and whether quotes are quotes.

Fields in quotes may hold delimiters and line ends, which stay as they are (RFC 4180). Many TSV
files hold quotes that are nothing but text; there one stray quote would swallow rows up to the
next, so the whole file is looked at before its first row is given.
"""

import csv
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from lmstudio.text.document import ReadOptions
from lmstudio.text.encoding import decoded
from lmstudio.text.files.columns import Row
from lmstudio.text.files.opened import Opened, encoding_of
from lmstudio.text.files.table import BROKEN, Table
from lmstudio.text.lines import END, whole_ends
from lmstudio.text.read import text_chunks

_LONGEST = 1 << 24  # characters of a field; a novel has a million
_START = 1 << 17  # characters that show what delimits
_ALIKE = 0.9  # share of the rows that must have as many cells as most
_ALL_BUT_A_FEW = 0.999


def tables(file: Opened, options: ReadOptions) -> Iterator[Table]:
    """The one table of the file. Raises ReadError, also while its rows are taken."""
    encoding = encoding_of(file, options.encoding)
    data, whole = file.sample()
    start = decoded(data, encoding, whole=whole) or ""
    delimiter = delimiter_of(start, whole=whole, tabs=file.suffix == ".tsv")

    def chunks() -> Iterator[str]:
        file.rewind()
        return text_chunks(file, encoding)

    quoted = _are_quotes(chunks, delimiter)
    yield Table(file.name, "csv", _rows(chunks(), delimiter, quoted), encoding)


def delimiter_of(start: str, *, whole: bool, tabs: bool = False) -> str:
    """What delimits the cells of a table, as its start shows; a comma if nothing does.

    `tabs`: the name says that tabs delimit, so they win if they can.
    """
    order = "\t,;|" if tabs else ",\t;|"
    for quoted in (True, False):
        found = [(_likeness(start, delimiter, quoted, whole), delimiter) for delimiter in order]
        if tabs and found[0][0] > 0:
            return "\t"
        alike, delimiter = max(found, key=lambda each: each[0])  # the first of the best
        if alike > 0:
            return delimiter
    return order[0]


def _likeness(start: str, delimiter: str, quoted: bool, whole: bool) -> float:
    """Share of the rows with the commonest number of cells; 0 if that is one or few have it."""
    rows = list(_rows([start], delimiter, quoted))
    if not whole and len(rows) > 1:
        rows.pop()  # may be cut
    width, alike = _commonest_width(rows)
    return alike if width > 1 and alike >= _ALIKE else 0.0


def _are_quotes(chunks: Callable[[], Iterator[str]], delimiter: str) -> bool:
    """Quotes are quotes unless the rows come out better without."""
    if not any('"' in chunk for chunk in chunks()):
        return True
    width, alike = _commonest_width(_rows(chunks(), delimiter, quoted=True))
    if width and alike == 1:
        return True
    plain_width, plainly_alike = _commonest_width(_rows(chunks(), delimiter, quoted=False))
    return not (plain_width >= width and plainly_alike > min(alike, _ALL_BUT_A_FEW))


def _commonest_width(rows: Iterable[Row]) -> tuple[int, float]:
    """The commonest number of cells, 0 for broken rows, and the share of rows that have it."""
    counts = Counter(map(len, rows))
    (width, count), *_ = counts.most_common(1) or [(0, 0)]
    return width, count / max(1, counts.total())


def _rows(chunks: Iterable[str], delimiter: str, quoted: bool) -> Iterator[Row]:
    """The rows that are not empty; BROKEN for one whose quotes do not match."""
    for _, row in _numbered(chunks, delimiter, quoted):
        if row is BROKEN or any(row):
            yield row


def numbered_rows(text: str, *, tabs: bool) -> Iterator[tuple[int, Row]]:
    """All rows of a text, the empty ones too, and the lines, from 1, in which they begin."""
    delimiter = delimiter_of(text[:_START], whole=len(text) <= _START, tabs=tabs)
    quoted = _are_quotes(lambda: iter([text]), delimiter)
    return _numbered([text], delimiter, quoted)


def _numbered(chunks: Iterable[str], delimiter: str, quoted: bool) -> Iterator[tuple[int, Row]]:
    """The lines of rows, and the rows; BROKEN for one whose quotes do not match."""
    csv.field_size_limit(_LONGEST)
    lines = kept_lines(chunks)
    if quoted:
        reader = csv.reader(lines, delimiter=delimiter, strict=True)
    else:
        reader = csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error:  # the reader goes on with the next line
            yield line, BROKEN
        else:
            yield line, list(row)


def kept_lines(chunks: Iterable[str]) -> Iterator[str]:
    """Lines with their ends, \\r\\n, \\r or \\n, from text in chunks, each looked at once."""
    held: list[str] = []  # pieces of a line whose end has not come
    size = 0
    for chunk in whole_ends(chunks):
        done = 0
        for end in END.finditer(chunk):
            yield "".join([*held, chunk[done : end.end()]])
            held, size, done = [], 0, end.end()
        if done < len(chunk):
            held.append(chunk[done:])
            size += len(held[-1])
        if size > _LONGEST:  # no table; memory stays bounded
            yield "".join(held)
            held, size = [], 0
    if held:
        yield "".join(held)
