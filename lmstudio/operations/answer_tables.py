"""An answer of any shape, or of none that is known, into a table and single facts.

finding_tables knows the answers to each kind of question; this serves what it does not know. They
are JSON of dataclasses, which hold columns side by side (`words`, `probabilities`) or a
list of rows. So the longest lists become the table, and what is said once becomes the facts.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lmstudio import figures
from lmstudio.messages import listed, tr

Scalar = str | int | float | bool | None


@dataclass(frozen=True)
class AnswerTable:
    """One answer: facts by name, and rows of `columns`."""

    facts: dict[str, Scalar]
    columns: list[str]
    rows: list[list[Scalar]]

    def holds_numbers(self, column: int) -> bool:
        """Whether a column has nothing else in it."""
        cells = [row[column] for row in self.rows]
        return all(isinstance(cell, int | float | None) for cell in cells)


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


def shown(value: Scalar) -> str:
    """A number as people read it, text as it is."""
    if isinstance(value, bool) or value is None:
        return {True: tr("yes"), False: tr("no"), None: figures.DASH}[value]
    if isinstance(value, float):
        return figures.decimal(value, 3 if abs(value) < 10 else 2)
    return figures.count(value) if isinstance(value, int) else value


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
        return listed((f"{key}: {entry}" for key, entry in value.items()), clauses=True)
    return value  # type: ignore[return-value]  # JSON has no others
