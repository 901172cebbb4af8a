"""Findings as rows: a question, what models answered to it, kept until it is deleted."""

import json
from datetime import UTC, datetime

from lmstudio.errors import AppError
from lmstudio.store import trash
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
            "insert into finding values (?, ?, ?, ?, ?, ?)",
            (_free_number(db), kind, title, now, _json(question), _json(answers)),
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


def _free_number(db: Database) -> int:
    """One that none has, nor one in the trash."""
    newest = db.rows("select coalesce(max(id), 0) from finding")[0][0]
    return int(max(newest, trash.newest(db, "finding"))) + 1


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
