"""A SQLite file opened our one way: WAL, foreign keys, migrated, a connection a thread."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lmstudio.errors import WorkspaceError
from lmstudio.store.migrations import MIGRATIONS


class Database:
    """Connections to one file. Rows come back by column name."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path, self._read_only = path, read_only
        self._local = threading.local()
        self._open: list[sqlite3.Connection] = []
        self._lock = threading.Lock()
        try:
            self._migrate()
        except sqlite3.DatabaseError as error:
            self.close()
            raise WorkspaceError(
                "{path} is not a workspace of this program, or it is damaged ({error}).",
                path=path, error=str(error),
            ) from error  # fmt: skip

    @property
    def connection(self) -> sqlite3.Connection:
        """The calling thread's connection."""
        if not hasattr(self._local, "connection"):
            db = sqlite3.connect(
                self.path, timeout=10, isolation_level=None, check_same_thread=False
            )
            db.row_factory = sqlite3.Row
            db.execute("pragma foreign_keys = on")
            if self._read_only:
                db.execute("pragma query_only = on")
            else:
                db.execute("pragma journal_mode = wal")
                db.execute("pragma synchronous = normal")
            self._local.connection = db
            with self._lock:
                self._open.append(db)
        connection: sqlite3.Connection = self._local.connection
        return connection

    def rows(self, sql: str, *values: object) -> list[sqlite3.Row]:
        """All rows of a query."""
        return self.connection.execute(sql, values).fetchall()

    def row(self, sql: str, *values: object) -> sqlite3.Row | None:
        """The first row of a query, if there is one."""
        found: sqlite3.Row | None = self.connection.execute(sql, values).fetchone()
        return found

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All of it or nothing of it."""
        db = self.connection
        db.execute("begin immediate")
        try:
            yield db
        except BaseException:
            db.execute("rollback")
            raise
        db.execute("commit")

    def close(self) -> None:
        """Close the connections of all threads."""
        with self._lock:
            for db in self._open:
                db.close()
            self._open.clear()
        self._local = threading.local()

    def _migrate(self) -> None:
        version = self.connection.execute("pragma user_version").fetchone()[0]
        if version > len(MIGRATIONS):
            raise WorkspaceError(
                "{path} was made by a newer version of this program. Update the program first.",
                path=self.path.parent,
            )
        if self._read_only:
            if version < len(MIGRATIONS):
                raise WorkspaceError(
                    "{path} was made by an older version. Open it once for writing to update it.",
                    path=self.path.parent,
                )
            return
        for number, migrate in enumerate(MIGRATIONS[version:], version + 1):
            with self.transaction() as db:
                migrate(db)
                db.execute(f"pragma user_version = {number}")
