"""One SQLite file: opened at first use, its schema migrated, its errors put into words for the user."""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from app.core.errors import SpanlightError
from app.core.files import is_disk_full, reason_of
from app.core.message import Message

_log = logging.getLogger(__name__)

_BUSY_MS = 5000
_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
# SQLite may report a full disk by these, where it creates its files and where it maps them into memory.
_PERHAPS_FULL = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
_LEAST_SPACE = 1_000_000
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


class Damaged(SpanlightError):
    """The file was no longer a database and has been renamed; the next use creates a new one."""


class Database:
    """A database in write-ahead mode, used by one thread at a time, and by several processes at once.

    `migrations` are the schema's versions from the first on, each as the statements that lead to it from the one
    before; `user_version` counts those applied. `what` is its name at the beginning of messages ("The history"), the
    value of their `{file}`. Where the data can be restored from elsewhere, `durable` may be False: a power failure, but
    no crash, may then undo the last transactions. Using a broken file raises Damaged once; a schema of a newer
    Spanlight, a full disk and the like raise SpanlightError. `let_go` is called before a broken file is renamed, and
    closes whatever else has it open in this process.
    """

    def __init__(
        self,
        file: Path,
        migrations: Sequence[Sequence[str]],
        what: str,
        *,
        durable: bool = True,
        let_go: Callable[[], None] = lambda: None,
    ) -> None:
        self.file = file
        self._durable = durable
        self._migrations = migrations
        self._what = what
        self._let_go = let_go
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection, for statements that change nothing."""
        with self._readable_errors(), self._lock:
            yield self._open()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection inside a transaction, which is rolled back on any exception."""
        with self._readable_errors(), self._lock:
            connection = self._open()
            connection.execute("BEGIN IMMEDIATE")
            with connection:
                yield connection

    def select(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """The rows that a statement selects."""
        with self.reading() as connection:
            return connection.execute(statement, values).fetchall()

    def change(self, statement: str, values: Sequence[Any] = ()) -> None:
        """Run one statement that changes something."""
        with self.writing() as connection:
            connection.execute(statement, values)

    def wipe(self, *, everywhere: bool = False) -> None:
        """Remove deleted data from the disk: from the journal, and with `everywhere` from the file's free pages too.

        If another process is reading, the journal stays for a while; that is no error.
        """
        with self._readable_errors(), self._lock:
            connection = self._open()
            if everywhere:
                connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            if self._connection is not None:
                connection, self._connection = self._connection, None
                with suppress(sqlite3.Error):
                    connection.close()

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            # Created here, because SQLite would make it readable by the computer's other users; never opened where it
            # is there: closing it would release the locks of this process's other connections (POSIX).
            with suppress(FileExistsError):
                os.close(os.open(self.file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
            connection = sqlite3.connect(
                self.file, timeout=_BUSY_MS / 1000, isolation_level=None, check_same_thread=False
            )
            try:
                self._set_up(connection)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _set_up(self, connection: sqlite3.Connection) -> None:
        connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")
        _write_ahead(connection)
        if not self._durable:
            connection.execute("PRAGMA synchronous = NORMAL")
        self._refuse_newer(connection)
        if _version(connection) == len(self._migrations):
            return
        connection.execute("BEGIN IMMEDIATE")
        with connection:
            version = self._refuse_newer(connection)  # another process may have migrated it
            for statements in self._migrations[version:]:
                for statement in statements:
                    connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {len(self._migrations)}")

    def _refuse_newer(self, connection: sqlite3.Connection) -> int:
        version = _version(connection)
        if version > len(self._migrations):
            raise SpanlightError(
                Message("{file} was written by a newer Spanlight.", file=self._what),
                Message("Update this one to use it."),
            )
        return version

    @contextmanager
    def _readable_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as fault:
            code = getattr(fault, "sqlite_errorcode", 0) & 0xFF
            if code in _BROKEN:
                raise self._set_aside(fault) from fault
            if code in _BUSY:
                raise SpanlightError(
                    Message("{file} is in use by another program just now.", file=self._what),
                    Message("Try again in a moment."),
                ) from fault
            if code == sqlite3.SQLITE_FULL or (code in _PERHAPS_FULL and self._is_disk_full()):
                raise self._full() from fault
            if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR):
                raise self._refused(str(fault)) from fault
            raise
        except OSError as fault:
            if is_disk_full(fault):
                raise self._full() from fault
            raise self._refused(reason_of(fault)) from fault

    def _is_disk_full(self) -> bool:
        with suppress(OSError):
            return shutil.disk_usage(self.file.parent).free < _LEAST_SPACE
        return False

    def _full(self) -> SpanlightError:
        return SpanlightError(
            Message("{file} could not be written: the disk is full.", file=self._what),
            Message("Free some space."),
        )

    def _refused(self, reason: str) -> SpanlightError:
        self.close()
        return SpanlightError(
            Message(
                "{file} in {folder} could not be used: {reason}.",
                file=self._what,
                folder=str(self.file.parent),
                reason=reason,
            ),
            Message("Check the folder's permissions."),
        )

    def _set_aside(self, fault: sqlite3.Error) -> SpanlightError:
        """Rename the broken file and its journal; returns the error to show."""
        _log.warning("%s set aside as broken: %s", self.file, fault)
        self.close()
        self._let_go()
        aside = self.file.with_name(self.file.name + ".broken")
        if not _is_sound(self.file):  # another process may have put a new one there
            try:
                for suffix in ("", "-wal", "-shm"):
                    with suppress(FileNotFoundError):
                        os.replace(f"{self.file}{suffix}", f"{aside}{suffix}")
            except OSError as refusal:
                return self._refused(reason_of(refusal))
        return Damaged(
            Message("{file} was damaged and has been set aside.", file=self._what),
            Message(
                "A new one is begun; the old file is {name} in {folder}.",
                name=aside.name,
                folder=str(aside.parent),
            ),
        )


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switch to write-ahead mode, waiting for other connections: SQLite does not do so for this statement."""
    until = time.monotonic() + _BUSY_MS / 1000
    while True:
        try:
            if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                connection.execute("PRAGMA journal_mode = WAL").fetchone()
            return
        except sqlite3.OperationalError as fault:
            if fault.sqlite_errorcode & 0xFF not in _BUSY or time.monotonic() > until:
                raise
            time.sleep(0.02)


def _is_sound(file: Path) -> bool:
    try:
        connection = sqlite3.connect(file, timeout=_BUSY_MS / 1000)
    except sqlite3.Error:
        return False
    try:
        return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
    except sqlite3.Error:
        return False
    finally:
        connection.close()


def sqlite_version() -> str:
    """The version of SQLite in use."""
    return sqlite3.sqlite_version
