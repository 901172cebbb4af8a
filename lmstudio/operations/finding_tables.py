"""The answer that a finding keeps, of whatever kind, into a table and single facts.

Answers are JSON of dataclasses, which hold columns side by side (`words`, `probabilities`) or a
list of rows. So the longest lists become the table, and what is said once becomes the facts.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.store.rows import FindingRow

Scalar = str | int | float | bool | None


@dataclass(frozen=True)
class AnswerTable:
    """One answer: facts by name, and rows of `columns`."""

    facts: dict[str, Scalar]
    columns: list[str]
    rows: list[list[Scalar]]


def table_of(answer: object) -> AnswerTable:
    """Any JSON value as a table. What is neither a fact nor a row is told by its size."""
    facts: dict[str, Scalar] = {}
    lists: dict[str, list[Scalar]] = {}
    rows: list[Mapping[str, Any]] = []
    _sort("", answer, facts, lists, rows)
    if rows:
        columns = list(dict.fromkeys(name for row in rows for name in row))
        told = [[_cell(row.get(name)) for name in columns] for row in rows]
        return AnswerTable(_with_sizes(facts, lists), columns, told)
    length = _usual_length(lists)
    columns = [name for name, values in lists.items() if len(values) == length]
    others = {name: values for name, values in lists.items() if name not in columns}
    told = list(map(list, zip(*(lists[name] for name in columns), strict=True)))
    return AnswerTable(_with_sizes(facts, others), columns, told)


def save_finding(row: FindingRow, path: Path, *, job: Job) -> None:
    """Write all answers of a finding as one table: each row with its run and the facts."""
    tables = {run: table_of(answer) for run, answer in row.answers.items()}
    names = list(dict.fromkeys(
        name for table in tables.values() for name in (*table.facts, *table.columns)
    ))  # fmt: skip
    written = []
    for run, table in tables.items():
        for cells in table.rows or [[]]:
            found = table.facts | dict(zip(table.columns, cells, strict=False))
            written.append([run, *(found.get(name, "") for name in names)])
    save_table(path, [tr("Run"), *names], written, total=len(written), job=job)


def _sort(
    name: str, value: object, facts: dict[str, Scalar], lists: dict[str, list[Scalar]],
    rows: list[Mapping[str, Any]],
) -> None:  # fmt: skip
    """Put a value and what stands in it where it belongs; only the first list of rows is one."""
    if isinstance(value, Mapping):
        for key, entry in value.items():
            _sort(f"{name}.{key}" if name else str(key), entry, facts, lists, rows)
    elif not isinstance(value, list):
        facts[name or tr("Answer")] = value  # type: ignore[assignment]  # JSON has no others
    elif value and not rows and all(isinstance(entry, Mapping) for entry in value):
        rows += value
    elif value and not any(isinstance(entry, Mapping | list) for entry in value):
        lists[name or tr("Answer")] = value
    elif value:
        facts[name or tr("Answer")] = _size(value)


def _size(values: Sequence[object]) -> str:
    """ "3 × 5", of nested lists."""
    sizes, inner = [len(values)], values[0]
    while isinstance(inner, list) and inner:
        sizes.append(len(inner))
        inner = inner[0]
    return " × ".join(map(str, sizes))


def _usual_length(lists: Mapping[str, Sequence[object]]) -> int:
    """What most lists are long, the longer if there are several."""
    counts = Counter(map(len, lists.values()))
    return max(counts, key=lambda length: (counts[length], length), default=0)


def _with_sizes(facts: dict[str, Scalar], lists: Mapping[str, list[Scalar]]) -> dict[str, Scalar]:
    """Facts, with short lists in words and the size of long ones."""
    for name, values in lists.items():
        facts[name] = " ".join(map(str, values)) if len(values) <= 12 else str(len(values))
    return facts


def _cell(value: object) -> Scalar:
    if isinstance(value, list):
        flat = not any(isinstance(entry, Mapping | list) for entry in value)
        return " ".join(map(str, value)) if flat and len(value) <= 12 else _size(value or [""])
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {entry}" for key, entry in value.items())
    return value  # type: ignore[return-value]  # JSON has no others
