"""What is deleted can be had back: rows and folders of a workspace -> trash/NUMBER, and back.

trash/NUMBER/rows.db   the rows, a table each, with the columns that it had
             runs/7    the folders, renamed from where they were

The table `trash` says what is deleted. To delete is to write rows.db, then to let the rows go in
one transaction, then to rename the folders; to restore, to rename them back and then to bring the
rows. `settle` makes the folders agree with the table again, wherever a kill came in between.
"""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from lmstudio.errors import AppError
from lmstudio.files import unwritten
from lmstudio.store import names
from lmstudio.store.db import Database

if TYPE_CHECKING:
    from lmstudio.store.workspace import Workspace

FOLDER = "trash"
BULK = {"corpus": "corpora", "segmentation": "segmentations", "run": "runs", "task": "tasks"}
"""Nouns that have folders of files beside the database, and where."""
NOUNS = (*BULK, "finding")
"""What can be deleted, each after what it stands on."""
TABLES = {
    "corpus": ("corpus", "id"), "document": ("corpus", "corpus_id"),
    "source": ("corpus", "corpus_id"), "segmentation": ("segmentation", "id"),
    "task": ("task", "id"), "run": ("run", "id"), "metric": ("run", "run_id"),
    "evaluation": ("run", "run_id"), "finding": ("finding", "id"),
}  # fmt: skip
"""The tables of rows that go with something deleted: whose id a column holds. In this order rows
come back; tags come last."""
_STANDS_ON = (("segmentation", "corpus_id", "corpus"), ("run", "segmentation_id", "segmentation"),
              ("run", "task", "task"))  # fmt: skip
Ids = dict[str, list[int]]  # by noun


@dataclass(frozen=True)
class Deleted:
    """Something in the trash: a row with what stood on it, deleted together."""

    id: int
    noun: str
    name: str
    deleted: str  # when: ISO, UTC
    ids: Ids = field(default_factory=dict)  # of all its rows, by noun


def deleted(db: Database) -> list[Deleted]:
    """All that is in the trash, newest first."""
    ids: dict[int, Ids] = {}
    for row in db.rows("select * from trashed order by row_id"):
        ids.setdefault(row["trash_id"], {}).setdefault(row["noun"], []).append(row["row_id"])
    rows = db.rows("select * from trash order by id desc")
    return [Deleted(row["id"], row["noun"], row["name"], row["deleted"], ids.get(row["id"], {}))
            for row in rows]  # fmt: skip


def find(db: Database, number: int) -> Deleted:
    """One of them. AppError if there is none of that number."""
    found = next((one for one in deleted(db) if one.id == number), None)
    if found is None:
        raise AppError("There is nothing with the number {number} in the trash.", number=number)
    return found


def put(ws: "Workspace", noun: str, row_id: int) -> int:
    """Delete a row with all that stands on it; the number that it has in the trash."""
    ids = belonging(ws.db, noun, row_id)
    label = "title" if noun == "finding" else "name"
    name = ws.db.rows(f"select {label} from {noun} where id = ?", row_id)[0][0]
    number = _free_number(ws)
    folder = _folder(ws, number)
    with unwritten(folder, own=True):
        folder.mkdir(parents=True)
    try:
        with _attached(ws.db, folder / "rows.db") as db:
            _copy(db, ids)
        with ws.db.transaction() as db:
            now = datetime.now(UTC).isoformat(timespec="seconds")
            db.execute("insert into trash values (?, ?, ?, ?)", (number, noun, name, now))
            _remember(db, number, ids)
            db.execute(f"delete from {noun} where id = ?", (row_id,))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    with suppress(OSError):  # open in another program: it is moved when the workspace is opened
        _move(ws, number, ids, back=False)
    return number


def restore(ws: "Workspace", number: int) -> Deleted:
    """Bring back what has this number; a name that was taken meanwhile gets a number.

    AppError where it stood on something that is deleted too, or a file is in use.
    """
    one = find(ws.db, number)
    with _attached(ws.db, _folder(ws, number) / "rows.db", there=True) as db:
        _refuse_baseless(ws.db, db)
        with unwritten(ws.folder, own=True):
            try:
                _move(ws, number, one.ids, back=True)
                with ws.db.transaction() as db:
                    _bring(ws, db, number)
            except BaseException:
                _move(ws, number, one.ids, back=False)
                raise
    shutil.rmtree(_folder(ws, number), ignore_errors=True)
    return one


def empty(ws: "Workspace", numbers: list[int] | None = None) -> None:
    """Delete for good what has these numbers, or everything in the trash."""
    chosen = deleted(ws.db) if numbers is None else [find(ws.db, number) for number in numbers]
    ws.reserve_ids()
    with ws.db.transaction() as db:
        db.executemany("delete from trash where id = ?", [(one.id,) for one in chosen])
    for one in chosen:
        for live, kept in _places(ws, one.id, one.ids):
            for folder in (live, kept):
                shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(_folder(ws, one.id), ignore_errors=True)


def settle(ws: "Workspace") -> None:
    """Finish what a kill interrupted: folders of what is in the trash are there, no others."""
    known = {one.id: one.ids for one in deleted(ws.db)}
    for number, ids in known.items():
        with suppress(OSError):
            _move(ws, number, ids, back=False)
    for folder in (ws.folder / FOLDER).glob("*"):
        if not folder.name.isdigit() or int(folder.name) not in known:
            _take_out_living(ws, folder)
            shutil.rmtree(folder, ignore_errors=True)


def belonging(db: Database, noun: str, row_id: int) -> Ids:
    """The ids of a row and of those that stand on it, by noun."""
    ids: Ids = {noun: [row_id]}
    if noun == "corpus":
        ids["segmentation"] = _ids(db, "segmentation", "corpus_id", ids["corpus"])
    if noun in ("corpus", "segmentation"):
        ids["run"] = _ids(db, "run", "segmentation_id", ids["segmentation"])
    if noun == "task":
        ids["run"] = _ids(db, "run", "task", ids["task"])
    return ids


def is_known(db: Database, noun: str, row_id: int) -> bool:
    """Whether there is a row of this id, in the trash or not."""
    sql = f"select 1 from {noun} where id = ?1 union select 1 from trashed where noun = ?2 and "
    return db.row(f"{sql}row_id = ?1", row_id, noun) is not None


def newest(db: Database, noun: str) -> int:
    """The highest id of this noun in the trash, 0 if there is none."""
    rows = db.rows("select coalesce(max(row_id), 0) from trashed where noun = ?", noun)
    return int(rows[0][0])


def _ids(db: Database, table: str, column: str, values: list[int]) -> list[int]:
    sql = f"select id from {table} where {column} in ({_list(values)}) order by id"
    return [row[0] for row in db.rows(sql)]


def _list(ids: list[int]) -> str:
    """For SQL; there may be more of them than it takes values."""
    return ", ".join(map(str, ids))


def _folder(ws: "Workspace", number: int) -> Path:
    return ws.folder / FOLDER / str(number)


def _free_number(ws: "Workspace") -> int:
    row = ws.db.row("select seq from sqlite_sequence where name = 'trash'")
    number = (row[0] if row else 0) + 1
    while _folder(ws, number).exists():
        number += 1
    return int(number)


# rows


@contextmanager
def _attached(db: Database, path: Path, *, there: bool = False) -> Iterator[sqlite3.Connection]:
    """The file of rows as the database `kept`, beside `main`. AppError if it is not `there`."""
    lost = AppError("{path} is missing or damaged: this cannot be restored.", path=path)
    if there and not path.exists():
        raise lost
    with db.attached(path, "kept") as connection:
        if there and not _whole(connection):
            raise lost
        yield connection


def _whole(db: sqlite3.Connection) -> bool:
    """Whether `kept` has all tables, undamaged."""
    try:
        for table in (*TABLES, "tag"):
            db.execute(f"select count(*) from kept.{table}").fetchone()
        return bool(db.execute("pragma kept.quick_check(1)").fetchone()[0] == "ok")
    except sqlite3.DatabaseError:
        return False


def _copy(db: sqlite3.Connection, ids: Ids) -> None:
    """All rows of `ids` into `kept`; of runs also the parents that are in the trash."""
    db.execute("begin")
    for table, (noun, column) in TABLES.items():
        db.execute(f"create table kept.{table} as select * from main.{table} "
                   f"where {column} in ({_list(ids.get(noun, []))})")  # fmt: skip
    tagged = " or ".join(f"(noun = '{noun}' and row_id in ({_list(rows)}))"
                         for noun, rows in ids.items())  # fmt: skip
    db.execute(f"create table kept.tag as select * from main.tag where {tagged}")
    db.execute("update kept.run set parent = (select p.parent from main.trashed_parent p "
               "where p.run_id = run.id) where parent is null")  # fmt: skip
    db.execute("commit")


def _remember(db: sqlite3.Connection, number: int, ids: Ids) -> None:
    """What the trash holds under a number, and the runs that began with a run of it."""
    for noun, rows in ids.items():
        label = "title" if noun == "finding" else "name"
        db.execute(f"insert into trashed select ?, ?, id, {label} from {noun} "
                   f"where id in ({_list(rows)})", (number, noun))  # fmt: skip
    runs = _list(ids.get("run", []))
    db.execute("insert or replace into trashed_parent select ?, id, parent from run "
               f"where parent in ({runs}) and id not in ({runs})", (number,))  # fmt: skip


def _refuse_baseless(main: Database, db: sqlite3.Connection) -> None:
    """AppError where a row stood on something that is no longer there."""
    for table, column, noun in _STANDS_ON:
        lost = db.execute(
            f"select name, {column} from kept.{table} where {column} is not null and {column} not "
            f"in (select id from main.{noun}) and {column} not in (select id from kept.{noun})"
        ).fetchone()
        if lost is None:
            continue
        on = main.row("select name from trashed where noun = ? and row_id = ?", noun, lost[1])
        if on is None:
            raise AppError(
                "What {name} stood on is deleted for good, so it cannot be restored.", name=lost[0]
            )
        raise AppError("{name} stood on {other}, which is deleted too. Restore that first.",
                       name=lost[0], other=on[0])  # fmt: skip


def _bring(ws: "Workspace", db: sqlite3.Connection, number: int) -> None:
    """The rows of `kept` back into `main`; what refers to them refers to them again."""
    for noun in BULK:
        for row_id, name in db.execute(f"select id, name from kept.{noun}").fetchall():
            taken = {row[0] for row in db.execute(f"select name from main.{noun}")}
            db.execute(f"update kept.{noun} set name = ? where id = ?",
                       (names.free(name, taken), row_id))  # fmt: skip
    db.execute("insert or replace into trashed_parent select t.trash_id, r.id, r.parent "
               "from kept.run r join trashed t on t.noun = 'run' and t.row_id = r.parent "
               "where t.trash_id != ?", (number,))  # fmt: skip
    db.execute("update kept.run set parent = null where parent not in (select id from main.run) "
               "and parent not in (select id from kept.run)")  # fmt: skip
    db.execute("update kept.run set state = 'interrupted' where state in ('running', 'queued')")
    for table in (*TABLES, "tag"):
        columns = _shared_columns(db, table)
        db.execute(f"insert into main.{table} ({columns}) select {columns} from kept.{table}")
    for run_id, parent in db.execute("select run_id, parent from main.trashed_parent "
                                     "where trash_id = ?", (number,)).fetchall():  # fmt: skip
        db.execute("update main.run set parent = ? where id = ? and parent is null",
                   (parent, run_id))  # fmt: skip
    db.execute("delete from trash where id = ?", (number,))


def _shared_columns(db: sqlite3.Connection, table: str) -> str:
    """Those that the table had when its rows were deleted and still has; new ones take defaults."""
    before, now = ({row[1] for row in db.execute(f"pragma {where}.table_info({table})")}
                   for where in ("kept", "main"))  # fmt: skip
    return ", ".join(sorted(before & now))


# folders


def _places(ws: "Workspace", number: int, ids: Ids) -> Iterator[tuple[Path, Path]]:
    """Where the folders of rows are while they live, and where when they are in the trash."""
    for noun, home in BULK.items():
        for row_id in ids.get(noun, []):
            yield ws.folder / home / str(row_id), _folder(ws, number) / home / str(row_id)


def _move(ws: "Workspace", number: int, ids: Ids, *, back: bool) -> None:
    """Rename the folders of rows into the trash, or back; those that are there already stay."""
    for live, kept in _places(ws, number, ids):
        source, target = (kept, live) if back else (live, kept)
        if not source.exists():
            continue
        if kept.exists() and live.exists():  # a process that still worked made it anew
            shutil.rmtree(live, ignore_errors=True)
            if not back:
                continue
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(source, target)


def _take_out_living(ws: "Workspace", folder: Path) -> None:
    """Put folders of rows that are not deleted back: a computer that lost power forgot that."""
    for noun, home in BULK.items():
        for kept in (folder / home).glob("*"):
            live = ws.folder / home / kept.name
            known = ws.db.row(f"select 1 from {noun} where id = ?", kept.name)
            if known and not live.exists():
                live.parent.mkdir(parents=True, exist_ok=True)
                os.replace(kept, live)
