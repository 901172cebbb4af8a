"""Rows of CSV, TSV, Excel and JSON to examples of classes, pairs and questions."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lmstudio.data.labelled.example import Example
from lmstudio.data.labelled.label_options import LabelOptions
from lmstudio.data.labelled.problems import Problems
from lmstudio.data.labelled.reading import questions
from lmstudio.data.labelled.reading.label_names import Names
from lmstudio.data.labelled.reading.questions import Asked
from lmstudio.data.labelled.reading.roles import NAMES, Roles, cell, is_header, roles
from lmstudio.data.labelled.tags import OUTSIDE, are_of_tokens, is_tag
from lmstudio.data.watched import watched
from lmstudio.jobs import Job
from lmstudio.messages import msg
from lmstudio.text.document import ReadOptions
from lmstudio.text.files.columns import Row, judge
from lmstudio.text.files.delimited import numbered_rows
from lmstudio.text.files.opened import Opened
from lmstudio.text.files.spreadsheet import tables as sheets
from lmstudio.text.files.table import BROKEN, is_half
from lmstudio.text.lines import is_blank
from lmstudio.text.read import ReadError

SAMPLE = 1000  # rows that columns are judged by

NO_TEXT = msg("Rows without text, left out: {count}.")
NO_LABEL = msg("Rows without a label, left out: {count}.")
NO_SECOND = msg("Rows without a second text, left out: {count}.")
DASH = msg('Rows labelled "-", on which annotators did not agree, left out: {count}.')
WIDE = msg("Rows with more cells than columns, left out: {count}.")
UNREAD = msg("Rows that cannot be read, left out: {count}.")
HALF = msg("Rows with half a character, left out: {count}.")
EMPTY = msg("Empty lines: {count}.")
SEVERAL = msg("Rows with several labels, left out: {count}.")
UNNAMED = msg("Rows whose label the file of names lacks, left out: {count}.")
NO_PART = msg("Rows of a part that is none of train, valid and test, left out: {count}.")
_NEARLY_ALL = 0.9  # of the cells of a column of tags
_UNDECIDED = "-"
_NONE = "-1"  # the number of no label, where labels are numbers with names
_MANY: Row = []  # stands for a row with several labels


@dataclass
class Sheet:
    """A table in memory: rows with the lines in which they begin, without the header."""

    name: str
    names: list[str]
    header: bool  # the names are those of the file
    rows: list[tuple[int, Row]]
    fixed: bool  # a row with more cells is wrong


def delimited(name: str, text: str, options: LabelOptions, *, tabs: bool, job: Job) -> Sheet:
    """The table of a CSV or TSV text. Raises ReadError if it is empty."""
    rows = list(watched(numbered_rows(text, tabs=tabs), job))
    return _sheet(name, rows, options, fixed=True)


def spreadsheet(file: Opened, options: LabelOptions) -> Sheet:
    """The first visible sheet with cells. Raises ReadError if it is empty."""
    table = next(sheets(file, ReadOptions()), None)
    return _sheet(file.name, list(enumerate(table.rows if table else (), 1)), options, fixed=False)


def objects(name: str, values: Sequence[tuple[int, Any]], *, job: Job) -> Sheet:
    """JSON objects as a table; a name for each text or number that some of them have.

    A list of labels, as doccano writes it, stands for the one label in it.
    """
    names: Counter[str] = Counter()
    for _, value in values[:SAMPLE]:
        if isinstance(value, dict):
            names.update(
                key for key, item in value.items()
                if not is_half(key)
                and (not isinstance(item, dict | list) or _are_classes(key, item))
            )  # fmt: skip
    if not names:
        raise ReadError("There are no labelled examples in it.")
    rows = [(line, _row(value, list(names))) for line, value in watched(values, job)]
    return Sheet(name, list(names), True, rows, fixed=False)


def _are_classes(key: str, item: object) -> bool:
    return (isinstance(item, list) and key.casefold() in NAMES["label"]
            and all(isinstance(one, str) for one in item))  # fmt: skip


def _row(value: object, names: Sequence[str]) -> Row:
    if not isinstance(value, dict):
        return BROKEN
    if any(_are_classes(key, value.get(key)) and len(value[key]) > 1 for key in names):
        return _MANY
    return [_text(key, value.get(key)) for key in names]


def _text(key: str, value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list) and value and _are_classes(key, value):
        return str(value[0])
    return "" if value is None or isinstance(value, dict | list) else str(value)


def _sheet(name: str, rows: list[tuple[int, Row]], options: LabelOptions, *, fixed: bool) -> Sheet:
    full = [row for _, row in rows if any(row)]
    if not full:
        raise ReadError("There is no usable text in it.")
    wanted = options.header
    if wanted == "auto" and is_header(full[0]):
        wanted = "yes"
    columns = judge(full[:SAMPLE], ReadOptions(header=wanted))
    header = columns.header and not (wanted == "auto" and _comes_again(full))
    if not header:
        columns = judge(full[:SAMPLE], ReadOptions(header="no"))
    if header:
        first = next(n for n, (_, row) in enumerate(rows) if any(row))
        rows = rows[:first] + rows[first + 1 :]
        if len(full) == 1:
            raise ReadError("There is no usable text in it.")
    return Sheet(name, columns.names, header, rows, fixed)


def _comes_again(rows: Sequence[Row]) -> bool:
    """A cell of the first row stands below it in the same column too: it is a label, no name."""
    below = rows[1:SAMPLE]
    return any(value and any(cell(row, n) == value.strip() for row in below)
               for n, value in enumerate(rows[0]))  # fmt: skip


def has_tags(sheet: Sheet, used: Roles) -> bool:
    """Its labels are tags such as B-PER and O, row by row: its rows are tokens, no examples."""
    rows = [row for _, row in sheet.rows[:SAMPLE]]
    labels = [label for row in rows if (label := cell(row, used.label))]
    placed = [label for label in labels if len(label) > 1 and is_tag(label)]
    outside = labels.count(OUTSIDE)
    if not placed or not outside or len(placed) + outside < _NEARLY_ALL * len(labels):
        return False
    return not all(map(any, rows[:-1])) or are_of_tokens(labels)


def roles_of(sheet: Sheet, options: LabelOptions, kind: str, labels: Names) -> Roles:
    """What the columns of a table are; AppError if a chosen one is not there."""
    chosen = {"text": options.text_column, "other": options.other_column,
              "label": options.label_column, "part": options.part_column}  # fmt: skip
    sample = [row for _, row in sheet.rows[:SAMPLE] if any(row)]
    return roles(sheet.names, sample, chosen, kind, named=sheet.header, labels=labels)


def examples(
    sheet: Sheet, used: Roles, kind: str, problems: Problems, names: Names
) -> Iterator[Example]:
    """An example a row; what is left out is counted. `kind`: classify, pair or qa.

    Where a column says so, `problems.part` is the part of the example that is given.
    """
    of_file = problems.part
    labels = {line: _label(row, used, names) for line, row in sheet.rows}
    labelled = any(labels.values())
    for line, row in sheet.rows:
        place, label = f"{sheet.name}:{line}", labels[line]
        problems.part = used.part_of(row) or of_file
        if row is not BROKEN and row is not _MANY and not any(row):
            problems.add(EMPTY, "noticed", place)
        elif fault := _fault(sheet, row, used, kind, label=label if labelled else None):
            problems.add(fault, "dropped", place, _detail(fault, row, used))
        elif labelled and names and kind != "qa" and label not in names.values():
            problems.add(UNNAMED, "dropped", place, label)
        elif kind == "qa":
            question = Asked(place, cell(row, used.text), cell(row, used.other),
                             [(label, -1)] if labelled else None)  # fmt: skip
            found = questions.example(question, place, problems, told=False)
            if found:
                yield found
        else:
            other = cell(row, used.other) if kind == "pair" else ""
            yield Example(cell(row, used.text), other, label, place=place, labelled=labelled)
    problems.part = of_file


def _label(row: Row, used: Roles, names: Names) -> str:
    """The label of a row, by its name where it is a number that has one; "" for none."""
    label = cell(row, used.label)
    if names and label == _NONE:
        return ""
    return names.get(label, label)


def _detail(fault: str, row: Row, used: Roles) -> str:
    return cell(row, used.part if fault == NO_PART else used.text)[:40]


def _fault(sheet: Sheet, row: Row, used: Roles, kind: str, *, label: str | None) -> str:
    """Why a row cannot be taken, or an empty string. `label`: None where no row has one."""
    if row is BROKEN or row is _MANY:
        return UNREAD if row is BROKEN else SEVERAL
    if sheet.fixed and len(row) > len(sheet.names):
        return WIDE
    if any(is_half(value or "") for value in row):
        return HALF
    if used.part is not None and not used.part_of(row):
        return NO_PART
    if is_blank(cell(row, used.text)):
        return NO_TEXT
    if kind in ("pair", "qa") and is_blank(cell(row, used.other)):
        return NO_SECOND
    if label == "":
        return NO_LABEL
    return DASH if kind == "pair" and label == _UNDECIDED else ""
