"""A SQLite file opened our one way: WAL, foreign keys, migrated, a connection a thread."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lmstudio.errors import WorkspaceError
from lmstudio.messages import msg
from lmstudio.store.migrations import MIGRATIONS

_NO_ROOM = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN,
            sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM)  # fmt: skip
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


class Database:
    """Connections to one file. Rows come back by column name."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path, self._read_only = path, read_only
        self._local = threading.local()
        self._open: list[sqlite3.Connection] = []
        self._lock = threading.Lock()
        try:
            self._migrate()
        except BaseException:
            self.close()
            raise

    @property
    def connection(self) -> sqlite3.Connection:
        """The calling thread's connection."""
        if not hasattr(self._local, "connection"):
            with self._told():
                self._local.connection = self._connect()
        connection: sqlite3.Connection = self._local.connection
        return connection

    def rows(self, sql: str, *values: object) -> list[sqlite3.Row]:
        """All rows of a query."""
        with self._told():
            return self.connection.execute(sql, values).fetchall()

    def row(self, sql: str, *values: object) -> sqlite3.Row | None:
        """The first row of a query, if there is one."""
        with self._told():
            found: sqlite3.Row | None = self.connection.execute(sql, values).fetchone()
        return found

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All of it or nothing of it; one inside another is a part of that."""
        db = self.connection
        if db.in_transaction:
            yield db
            return
        with self._told():
            db.execute("begin immediate")
            try:
                yield db
                db.execute("commit")
            except BaseException:
                if db.in_transaction:  # a full disk ends it by itself
                    db.execute("rollback")
                raise

    @contextmanager
    def attached(self, path: Path, name: str) -> Iterator[sqlite3.Connection]:
        """The calling thread's connection, with the database of another file in it as `name`."""
        db = self.connection
        with self._told(path):
            db.execute(f"attach database ? as {name}", (str(path),))
            try:
                yield db
            finally:
                if db.in_transaction:
                    db.execute("rollback")
                db.execute(f"detach database {name}")

    def copy_to(self, path: Path, sql: str) -> None:
        """Write the database as it is now to another file, where `sql` is carried out on it."""
        with self._told(path):
            copy = sqlite3.connect(path, isolation_level=None)
            try:
                self.connection.backup(copy)
                copy.execute("pragma foreign_keys = on")
                copy.execute(sql)
                copy.execute("pragma journal_mode = delete")
                copy.execute("vacuum")  # nothing of what was deleted stays in the file
            finally:
                copy.close()

    def close(self) -> None:
        """Close the connections of all threads."""
        with self._lock:
            for db in self._open:
                db.close()
            self._open.clear()
        self._local = threading.local()

    def _connect(self) -> sqlite3.Connection:
        if self._read_only:
            return self._reader()
        db = self._opened("")
        db.execute("pragma journal_mode = wal")
        db.execute("pragma synchronous = normal")
        return db

    def _reader(self) -> sqlite3.Connection:
        """A connection that changes nothing, and needs no room on the disk either.

        Readers and a writer share a file of what is locked, beside the database. Where it cannot
        be made, as on a full or read-only disk, nobody writes, and one can do without it.
        """
        db = self._opened("?mode=ro")
        try:
            db.execute("pragma user_version").fetchone()
        except sqlite3.OperationalError as error:
            log = self.path.with_name(self.path.name + "-wal")
            unwritten = log.exists() and log.stat().st_size > 0  # it would not be read
            if _code(error) not in _NO_ROOM or unwritten:
                raise
            return self._opened("?mode=ro&immutable=1")
        return db

    def _opened(self, how: str) -> sqlite3.Connection:
        db = sqlite3.connect(
            self.path.absolute().as_uri() + how,
            uri=True, timeout=10, isolation_level=None, check_same_thread=False,
        )  # fmt: skip
        with self._lock:
            self._open.append(db)
        db.row_factory = sqlite3.Row
        db.execute("pragma foreign_keys = on")
        return db

    @contextmanager
    def _told(self, path: Path | None = None) -> Iterator[None]:
        """What the disk or another program is to blame for becomes a sentence, a bug stays one."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            sentence = _sentence(error)
            if sentence is None:
                raise
            raise WorkspaceError(sentence, path=path or self.path, error=str(error)) from error

    def _migrate(self) -> None:
        with self._told():
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


def _code(error: sqlite3.DatabaseError) -> int:
    """SQLite's number of an error; the rest of it tells what kind of that."""
    code: int = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code


def _sentence(error: sqlite3.DatabaseError) -> str | None:
    code = _code(error)
    if code in _NO_ROOM:
        return msg("{path} cannot be read or written ({error}). Is the disk full or read-only?")
    if code in _BUSY:
        return msg("{path} is open in another window or command. Close that first.")
    if code in _DAMAGED or str(error).startswith("no such table"):
        return msg("{path} is not a workspace of this program, or it is damaged ({error}).")
    return None
