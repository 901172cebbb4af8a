"""The answer that a finding keeps into a table with names that people read, and into CSV."""

from pathlib import Path
from typing import Any

from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations import answer_tables, finding_answers, finding_layers
from lmstudio.operations.answer_tables import AnswerTable
from lmstudio.store.rows import FindingRow

ANSWERS = finding_answers.ANSWERS | finding_layers.ANSWERS
"""What makes a table of an answer, by the kind of the question."""


def table_of(kind: str, answer: Any) -> AnswerTable:  # noqa: ANN401 - JSON of any shape
    """An answer to a question of a kind; one of another shape than today's is told as it is."""
    if kind in ANSWERS:
        try:
            return ANSWERS[kind](answer)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            pass  # kept by another version of the program
    return answer_tables.table_of(answer)


def save_finding(row: FindingRow, path: Path, *, job: Job) -> None:
    """Write all answers of a finding as one table: each row with its run and the facts."""
    tables = {run: table_of(row.kind, answer) for run, answer in row.answers.items()}
    names = list(dict.fromkeys(
        name for table in tables.values() for name in (*table.facts, *table.columns)
    ))  # fmt: skip
    written = []
    for run, table in tables.items():
        for cells in table.rows or [[]]:
            found = table.facts | dict(zip(table.columns, cells, strict=False))
            written.append([run, *(found.get(name, "") for name in names)])
    save_table(path, [tr("Run"), *names], written, total=len(written), job=job)
