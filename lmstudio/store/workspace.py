"""A workspace folder: workspace.db and, beside it, corpora/, segmentations/, runs/ and tasks/."""

import json
import shutil
import sqlite3
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Self, Unpack

from filelock import FileLock, Timeout

from lmstudio.errors import AppError, WorkspaceError
from lmstudio.files import DATABASE
from lmstudio.messages import msg
from lmstudio.store import leftovers, names, trash, unfinished
from lmstudio.store.db import Database
from lmstudio.store.rows import (
    CorpusRow,
    DocumentRow,
    Facts,
    Part,
    RunChanges,
    RunRow,
    SegmentationRow,
    SourceRow,
    TaskRow,
    read,
)  # fmt: skip
from lmstudio.store.trash import BULK


class Workspace:
    """Facts by row, bulk by folder. Used from any thread of the process that opened it.

    Paths of bulk files follow from ids, so a workspace folder can be moved or copied.
    """

    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        """Open `folder`, making it if need be. Raises WorkspaceError when it cannot be had."""
        self.folder = Path(folder).absolute()
        self.read_only = read_only
        database = self.folder / DATABASE
        self._refuse_lost(database)
        if read_only and not database.exists():
            raise WorkspaceError("{path} holds no workspace.", path=self.folder)
        self._lock = FileLock(self.folder / "workspace.lock")
        if not read_only:
            self._take(database)
        self.db = Database(database, read_only=read_only)
        self._deleted: dict[str, int] = {}  # noun -> an id that is not given again
        if not read_only:
            self._mark_interrupted()
            trash.settle(self)
            unfinished.sweep(self)
            leftovers.sweep(self.folder / name for name in BULK.values())

    def _refuse_lost(self, database: Path) -> None:
        """Bulk files without a database are no new workspace: opening it would forget them."""
        kept = any(any(self.folder.glob(f"{name}/*")) for name in BULK.values())
        if kept and not (database.exists() and database.stat().st_size):
            raise WorkspaceError(
                "{path} is missing or empty, though there are files of a workspace beside it. Put "
                "a copy of it back, or choose another folder.", path=database,
            )  # fmt: skip

    def _take(self, database: Path) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            strangers = [p for p in self.folder.iterdir() if p.name != "workspace.lock"]
            if strangers and not database.exists():
                raise WorkspaceError(
                    "{path} is not empty and holds no workspace. Choose another folder.",
                    path=self.folder,
                )
            self._lock.acquire(timeout=0)
        except Timeout:
            raise WorkspaceError(
                "{path} is open in another window or command. Close that first.", path=self.folder
            ) from None
        except OSError as error:
            raise WorkspaceError(
                "{path} cannot be written ({error}). Choose another folder.",
                path=self.folder, error=error.strerror or str(error),
            ) from error  # fmt: skip

    def close(self) -> None:
        """Let others have it."""
        self.db.close()
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # folders of bulk files

    def corpus_folder(self, corpus_id: int) -> Path:
        """Where a corpus keeps its text; see `data.layout`."""
        return self.folder / "corpora" / str(corpus_id)

    def segmentation_folder(self, segmentation_id: int) -> Path:
        """Where a segmentation keeps its tokens; see `data.layout`."""
        return self.folder / "segmentations" / str(segmentation_id)

    def run_folder(self, run_id: int) -> Path:
        """Where a run keeps its spec, model, checkpoints and log."""
        return self.folder / "runs" / str(run_id)

    def task_folder(self, task_id: int) -> Path:
        """Where a task keeps its examples; see `data.labelled`."""
        return self.folder / "tasks" / str(task_id)

    # corpora

    def corpora(self) -> list[CorpusRow]:
        """All corpora, oldest first."""
        rows = self.db.rows("select * from corpus order by id")
        return unfinished.listed(read(CorpusRow, row) for row in rows)

    def corpus(self, key: int | str) -> CorpusRow:
        """One corpus, by id or name."""
        return read(
            CorpusRow,
            self._find("corpus", key, msg("There is no corpus named {name}. There are: {known}.")),
        )

    def add_corpus(
        self, row: CorpusRow, documents: Iterable[DocumentRow], sources: Iterable[SourceRow] = ()
    ) -> CorpusRow:
        """Add a corpus, its documents and its files; `row.id` as `next_id` gave it."""
        with self.db.transaction() as db:
            db.execute(
                "insert into corpus values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (row.id, row.name, _now(), row.encoding, row.lines_rule, row.split_rule,
                 row.documents, row.lines, row.characters, row.bytes, _json(row.facts)),
            )  # fmt: skip
            db.executemany(
                "insert into document values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                ((row.id, d.number, d.name, d.encoding, d.bytes, d.lines, d.characters,
                  d.first_line, d.part, d.source, d.title, d.label) for d in documents),
            )  # fmt: skip
            db.executemany(
                "insert into source values (?, ?, ?, ?, ?, ?, ?)",
                ((row.id, s.number, s.name, s.sha256, s.bytes, s.encoding, s.format)
                 for s in sources),
            )  # fmt: skip
        return self.corpus(row.id)

    def set_facts(self, noun: str, row_id: int, facts: Facts) -> None:
        """Replace what was measured of a corpus or a segmentation."""
        with self.db.transaction() as db:
            db.execute(f"update {noun} set facts = ? where id = ?", (_json(facts), row_id))

    def documents(self, corpus_id: int, start: int = 0, count: int = -1) -> list[DocumentRow]:
        """Documents of a corpus in order; `count` -1 is all."""
        sql = "select * from document where corpus_id = ? order by number limit ? offset ?"
        return [read(DocumentRow, row) for row in self.db.rows(sql, corpus_id, count, start)]

    def documents_named(self, corpus_id: int, words: str) -> list[int]:
        """Numbers of the documents whose name, title or label holds `words`, whatever its case."""
        sql = (
            "select number from document where corpus_id = ? and "
            "instr(lower(name || char(10) || title || char(10) || label), lower(?)) order by number"
        )
        return [row["number"] for row in self.db.rows(sql, corpus_id, words)]

    def document_columns(self, corpus_id: int) -> set[str]:
        """Which of "title" and "label" some of the first 20,000 documents of a corpus has."""
        sql = (
            "select max(title != '') as title, max(label != '') as label from "
            "(select title, label from document where corpus_id = ? order by number limit 20000)"
        )
        row = self.db.rows(sql, corpus_id)[0]
        return {name for name in ("title", "label") if row[name]}

    def sources(self, corpus_id: int) -> list[SourceRow]:
        """The files of a corpus, in order."""
        sql = "select * from source where corpus_id = ? order by number"
        return [read(SourceRow, row) for row in self.db.rows(sql, corpus_id)]

    def documents_by_source(self, corpus_id: int) -> dict[int, int]:
        """How many documents each file of a corpus holds, by the file's number."""
        sql = "select source, count(*) as n from document where corpus_id = ? group by source"
        return {row["source"]: row["n"] for row in self.db.rows(sql, corpus_id)}

    def corpora_with(self, sha256: str) -> list[str]:
        """The names of the corpora that hold a file of this digest, oldest first."""
        sql = (
            "select name from corpus where id in (select corpus_id from source where sha256 = ?) "
            "order by id"
        )
        return [row["name"] for row in self.db.rows(sql, sha256)]

    # segmentations

    def segmentations(self, corpus_id: int | None = None) -> list[SegmentationRow]:
        """All segmentations, or those of one corpus, oldest first."""
        sql = "select * from segmentation where ? is null or corpus_id = ? order by id"
        rows = self.db.rows(sql, corpus_id, corpus_id)
        return unfinished.listed(read(SegmentationRow, row) for row in rows)

    def segmentation(self, key: int | str) -> SegmentationRow:
        """One segmentation, by id or name."""
        missing = msg("There is no segmentation named {name}. There are: {known}.")
        return read(SegmentationRow, self._find("segmentation", key, missing))

    def add_segmentation(self, row: SegmentationRow) -> SegmentationRow:
        """Add a segmentation; `row.id` as `next_id` gave it."""
        with self.db.transaction() as db:
            db.execute(
                "insert into segmentation values (?, ?, ?, ?, ?, ?, ?)",
                (row.id, row.corpus_id, row.name, _now(), row.segmenter, row.vocabulary,
                 _json(row.facts)),
            )  # fmt: skip
        return self.segmentation(row.id)

    # runs

    def runs(self, segmentation_id: int | None = None, *, tuned: bool = False) -> list[RunRow]:
        """All language models, or those on one segmentation, oldest first.

        With `tuned`, those that are fine-tuned for a task too.
        """
        sql = (
            "select * from run where (? or task is null) and "
            "(? is null or segmentation_id = ?) order by id"
        )
        rows = self.db.rows(sql, tuned, segmentation_id, segmentation_id)
        return [read(RunRow, row) for row in rows]

    def tuned_runs(self, task_id: int | None = None) -> list[RunRow]:
        """All runs that are fine-tuned for a task, or those for one task, oldest first."""
        sql = "select * from run where task is not null and (? is null or task = ?) order by id"
        return [read(RunRow, row) for row in self.db.rows(sql, task_id, task_id)]

    def run(self, key: int | str) -> RunRow:
        """One run, by id or name, fine-tuned or not."""
        missing = msg("There is no run named {name}. There are: {known}.")
        return read(RunRow, self._find("run", key, missing))

    def add_run(
        self, segmentation_id: int, name: str, model: str, spec: Facts, *,
        parent: int | None = None, sweep: str = "", task: int | None = None,
    ) -> RunRow:  # fmt: skip
        """Add a run in the state "queued"."""
        run_id = self.next_id("run")
        with self.db.transaction() as db:
            db.execute(
                "insert into run values (?, ?, ?, ?, ?, ?, 'queued', '', null, 0, 0, '{}', '', "
                "?, ?, ?)",
                (run_id, segmentation_id, name, _now(), model, _json(spec), parent, sweep, task),
            )
        return self.run(run_id)

    def update_run(self, run_id: int, **changes: Unpack[RunChanges]) -> None:
        """Change what is given and not None, keep the rest."""
        given = {column: _json(value) if isinstance(value, dict) else value
                 for column, value in changes.items() if value is not None}  # fmt: skip
        if given:
            sets = ", ".join(f"{column} = ?" for column in given)
            with self.db.transaction() as db:
                db.execute(f"update run set {sets} where id = ?", (*given.values(), run_id))

    def add_metrics(self, run_id: int, points: Iterable[tuple[int, float, str, float]]) -> None:
        """Add (step, seconds, name, value) points; a point said again replaces the first."""
        with self.db.transaction() as db:
            db.executemany(
                "insert or replace into metric values (?, ?, ?, ?, ?)",
                ((run_id, *point) for point in points),
            )

    def metrics(self, run_id: int, name: str) -> list[tuple[int, float, float]]:
        """The curve `name` of a run as (step, seconds, value); NaN was stored as null."""
        sql = "select step, seconds, value from metric where run_id = ? and name = ? order by step"
        nan, rows = float("nan"), self.db.rows(sql, run_id, name)
        return [(r[0], r[1], nan if r[2] is None else r[2]) for r in rows]

    def metric_names(self, run_id: int) -> list[str]:
        """What a run has curves of, in alphabetical order."""
        sql = "select distinct name from metric where run_id = ? order by name"
        return [row[0] for row in self.db.rows(sql, run_id)]

    def drop_metrics_after(self, run_id: int, step: int) -> None:
        """Forget the points after the checkpoint that a run goes on from."""
        with self.db.transaction() as db:
            db.execute("delete from metric where run_id = ? and step > ?", (run_id, step))

    def set_evaluation(self, run_id: int, part: Part, figures: Facts) -> None:
        """Keep the figures of a run on a part."""
        with self.db.transaction() as db:
            db.execute(
                "insert or replace into evaluation values (?, ?, ?)", (run_id, part, _json(figures))
            )

    def evaluation(self, run_id: int, part: Part) -> Facts | None:
        """The figures of a run on a part, if they were ever computed."""
        sql = "select figures from evaluation where run_id = ? and part = ?"
        row = self.db.row(sql, run_id, part)
        return json.loads(row[0]) if row else None

    def drop_evaluations(self, run_id: int) -> None:
        """Forget the figures of a run."""
        with self.db.transaction() as db:
            db.execute("delete from evaluation where run_id = ?", (run_id,))

    # tasks

    def tasks(self) -> list[TaskRow]:
        """All tasks, oldest first."""
        return [read(TaskRow, row) for row in self.db.rows("select * from task order by id")]

    def task(self, key: int | str) -> TaskRow:
        """One task, by id or name; a sample also by what it is called in every language."""
        missing = msg("There is no task named {name}. There are: {known}.")
        if isinstance(key, str) and all(row.name != key for row in self.tasks()):
            key = next((row.id for row in self.tasks() if row.facts.get("sample") == key), key)
        return read(TaskRow, self._find("task", key, missing))

    def add_task(self, row: TaskRow) -> TaskRow:
        """Add a task; `row.id` as `next_id` gave it."""
        values = (row.id, row.name, _now(), row.kind, _json(row.facts))
        with self.db.transaction() as db:
            db.execute("insert into task values (?, ?, ?, ?, ?)", values)
        return self.task(row.id)

    # all nouns

    def next_id(self, table: str) -> int:
        """An id for a new row: none that a row had since this was opened, has in the trash, or
        left a folder of.

        Others keep what they know of a row by its id.
        """
        number = self._newest(table) + 1
        while table in BULK and (self.folder / BULK[table] / str(number)).exists():
            number += 1
        return number

    def reserve_ids(self) -> None:
        """Give no id again that a row has now, also when it is gone."""
        self._deleted = {noun: self._newest(noun) for noun in trash.NOUNS}

    def _newest(self, table: str) -> int:
        row = self.db.row(f"select coalesce(max(id), 0) from {table}")
        known = self._deleted.get(table, 0), trash.newest(self.db, table)
        return max(row[0] if row else 0, *known)

    def rename(self, table: str, row_id: int, name: str) -> None:
        """Give a corpus, segmentation, run or task another name that is still free."""
        self.check_name(table, name)
        with self.db.transaction() as db:
            db.execute(f"update {table} set name = ? where id = ?", (name, row_id))

    def check_name(self, table: str, name: str) -> None:
        """Raise AppError if `name` is empty, taken, too long or cannot be shown."""
        names.check(name)
        if self.db.row(f"select 1 from {table} where name = ?", name):
            raise AppError("The name {name} is taken. Choose another.", name=name)

    def free_name(self, table: str, name: str, by: str = " ") -> str:
        """`name`, or `name 2`, `name 3`... if it is taken; shortened to the allowed length."""
        return names.free(name, {row[0] for row in self.db.rows(f"select name from {table}")}, by)

    def delete(self, table: str, row_id: int) -> None:
        """Delete a row for good, all rows that belong to it, and their folders; see `trash.put`."""
        ids = trash.belonging(self.db, table, row_id)
        self.reserve_ids()
        with self.db.transaction() as db:
            db.execute(f"delete from {table} where id = ?", (row_id,))
        for noun, numbers in ids.items():
            for number in numbers:
                shutil.rmtree(self.folder / BULK[noun] / str(number), ignore_errors=True)

    def _find(self, table: str, key: int | str, missing: str) -> sqlite3.Row:
        column = "id" if isinstance(key, int) else "name"
        row = None
        if not names.HALF_CHARACTERS.search(str(key)):  # or nothing can have this name
            row = self.db.row(f"select * from {table} where {column} = ?", key)
        if row is None:
            known = [found[0] for found in self.db.rows(f"select name from {table} order by id")]
            raise names.unknown(missing, str(key), known)
        return row

    def _mark_interrupted(self) -> None:
        """We hold the lock, so whoever left a run "running" is dead."""
        with self.db.transaction() as db:
            db.execute("update run set state = 'interrupted' where state in ('running', 'queued')")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
