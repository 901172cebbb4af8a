"""Findings as rows: a question, what models answered to it, kept until it is deleted."""

import json
from datetime import UTC, datetime

from lmstudio.errors import AppError
from lmstudio.store.db import Database
from lmstudio.store.rows import Facts, FindingRow, read


def findings(db: Database) -> list[FindingRow]:
    """All of them, newest first."""
    return [read(FindingRow, row) for row in db.rows("select * from finding order by id desc")]


def finding(db: Database, number: int) -> FindingRow:
    """One of them. AppError if there is none of that number."""
    row = db.row("select * from finding where id = ?", number)
    if row is None:
        raise AppError("There is no finding {number}.", number=number)
    return read(FindingRow, row)


def add(db: Database, kind: str, title: str, question: Facts, answers: Facts) -> int:
    """Keep one; its number."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    with db.transaction() as connection:
        cursor = connection.execute(
            "insert into finding (kind, title, created, question, answers) values (?, ?, ?, ?, ?)",
            (kind, title, now, _json(question), _json(answers)),
        )
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def set_title(db: Database, number: int, title: str) -> None:
    """Call one otherwise."""
    with db.transaction() as connection:
        connection.execute("update finding set title = ? where id = ?", (title, number))


def set_answers(db: Database, number: int, answers: Facts) -> None:
    """Replace what was answered to one."""
    with db.transaction() as connection:
        connection.execute("update finding set answers = ? where id = ?", (_json(answers), number))


def delete(db: Database, number: int) -> None:
    """Forget one, and its tags."""
    with db.transaction() as connection:
        connection.execute("delete from finding where id = ?", (number,))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
