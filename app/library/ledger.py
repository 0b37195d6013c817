"""The ledger of the index: the libraries, and the state of each of their files."""

from __future__ import annotations

import json
import logging
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass, replace
from pathlib import Path

from app.core.atomic import replacing
from app.core.errors import SpanlightError
from app.core.layout import Kind, Opened
from app.core.library import RECOGNISED, FileState, Library, LibraryFile
from app.core.message import Message, joined, stored
from app.core.plain import json_of
from app.core.text import Document
from app.library.database import Database
from app.library.packing import unpack_layout
from app.library.schema import FILES, MIGRATIONS, file_of_row, suffix_of
from app.library.search import clean

_log = logging.getLogger(__name__)

# A file's reason if that tells of its text, which it keeps; empty if it tells why it has none.
_OF_ITS_TEXT = "CASE WHEN text IS NULL THEN '' ELSE reason END"
# How many gaps of a file are stored: a mailbox may have one for each attachment.
_MOST_GAPS = 20


@dataclass(frozen=True, slots=True)
class Content:
    """A file as it was read: SHA-256 of its bytes, empty if unknown, its size, and its modification time in ns."""

    sha256: str
    size: int
    modified: int


class Ledger:
    """The libraries and their files in one folder's database, which any thread and several processes may use.

    A backup of the libraries is kept in a file of their own: where the database was lost, they are restored from it,
    and the next update reads their files again.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        file = folder / "index.sqlite3"
        self._reader = Database(file, MIGRATIONS, Message("The library"), durable=False, let_go=self.close)
        self._writer = Database(file, MIGRATIONS, Message("The library"), durable=False, let_go=self.close)
        self._backup = folder / "libraries.json"

    def close(self) -> None:
        """Close the files; the next use opens them again."""
        self._reader.close()
        self._writer.close()

    # Libraries

    def libraries(self) -> list[Library]:
        """All libraries, by name."""
        with self._reading() as connection:
            found = _libraries(connection)
        if not found and self._read_backup():
            with self._writing() as connection:
                if not _libraries(connection):  # another process may have been first
                    for library in self._read_backup():
                        _insert(connection, library)
                found = _libraries(connection)
        return found

    def library(self, name: str) -> Library:
        """The library of this name, ignoring case; raises SpanlightError where there is none."""
        found = self.libraries()
        for library in found:
            if library.name.casefold() == name.strip().casefold():
                return library
        names = ", ".join(library.name for library in found)
        raise SpanlightError(
            Message("There is no library “{name}”.", name=name),
            Message("There are: {names}.", names=names)
            if found
            else Message("Add a folder first: it becomes one."),
        )

    def current(self, library: Library) -> Library:
        """A library as it is saved now; raises SpanlightError where it was removed."""
        for each in self.libraries():
            if each.number == library.number:
                return each
        raise _removed(library)

    def save(self, library: Library) -> Library:
        """Add a library (its number is 0), or change one; returns it as saved.

        Files that are in none of its roots any more leave it with the next update. Raises SpanlightError where
        another library has its name, or this one was removed.
        """
        name = clean(library.name).strip()
        if not name:
            raise SpanlightError(Message("A library needs a name."), Message("Type one."))
        self.libraries()  # restores them first where the database was lost
        with self._writing() as connection:
            present = _libraries(connection)
            for each in present:
                if each.name.casefold() == name.casefold() and each.number != library.number:
                    raise SpanlightError(
                        Message("There is a library “{name}” already.", name=each.name),
                        Message("Choose another name."),
                    )
            if library.number and library.number not in (each.number for each in present):
                raise _removed(library)
            number = _insert(connection, replace(library, name=name))
            self._write_backup(connection)
            present = _libraries(connection)
        return next(each for each in present if each.number == number)

    def _read_backup(self) -> list[Library]:
        """The libraries in the backup; none where it cannot be read."""
        try:
            return [
                Library(number, name, tuple(roots), tuple(suffixes), tuple(ignore))
                for number, name, roots, suffixes, ignore in json.loads(self._backup.read_bytes())
            ]
        except FileNotFoundError:
            return []
        except (OSError, ValueError, TypeError) as fault:
            _log.warning("%s was not read: %s", self._backup, fault)
            return []

    def _write_backup(self, connection: sqlite3.Connection) -> None:
        """Write the libraries, before the transaction ends: a removed one must not come back after a kill."""
        values = [
            (each.number, each.name, each.roots, each.suffixes, each.ignore)
            for each in _libraries(connection)
        ]
        try:
            with replacing(self._backup) as part:
                part.write_text(json_of(values, indent=1), encoding="utf-8")
        except OSError as fault:  # the database has them
            _log.warning("%s was not written: %s", self._backup, fault)

    # Files

    def files(
        self,
        library: Library,
        states: Iterable[FileState] = (),
        check: Callable[[], object] = lambda: None,
    ) -> list[LibraryFile]:
        """A library's files in the order of their paths; with `states` only those in one of these.

        `check` is called for each, and may raise.
        """
        wanted = tuple(states) or tuple(FileState)
        condition = f"files.state IN ({', '.join('?' * len(wanted))})"
        with self._reading() as connection:
            return _files(connection, library, condition, *wanted, check=check)

    def file(self, path: str) -> LibraryFile | None:
        """The file at a path, None if it is in no library."""
        with self._reading() as connection:
            row = connection.execute(f"{FILES} WHERE files.path = ?", (os.fsencode(path),)).fetchone()
            return file_of_row(row) if row else None

    def moved(self, library: Library) -> dict[str, str]:
        """The paths of a library's files that are gone, each with that of a file of it with the same content."""
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT gone.path, max(present.path) FROM members AS one JOIN files AS gone ON gone.number = one.file"
                " JOIN texts USING (sha256) JOIN files AS present ON present.text = texts.number"
                " JOIN members AS other ON other.file = present.number AND other.library = one.library"
                " WHERE one.library = ? AND gone.state = ? AND present.state = ? GROUP BY gone.path",
                (library.number, FileState.GONE, FileState.READ),
            )
            return {os.fsdecode(gone): os.fsdecode(present) for gone, present in rows}

    def file_with(self, sha256: str) -> LibraryFile | None:
        """A file of any library whose text was read from these bytes, the first by path; None without one."""
        with self._reading() as connection:
            row = connection.execute(
                f"{FILES} WHERE texts.sha256 = ? AND files.state <> ? ORDER BY files.path LIMIT 1",
                (sha256, FileState.GONE),
            ).fetchone()
            return file_of_row(row) if row else None

    def read_again(self, texts: Iterable[int]) -> None:
        """Have the next update read the files of these texts again; until then they are searched as they were read."""
        with self._writing() as connection:
            connection.executemany(
                # A text may have been removed meanwhile.
                "INSERT OR IGNORE INTO again SELECT number FROM texts WHERE number = ?",
                ((text,) for text in texts),
            )

    def to_read_again(self, library: Library) -> list[LibraryFile]:
        """A library's files that were read and are to be read again, one for each text, in the order of their paths."""
        with self._reading() as connection:
            condition = "files.state = ? AND files.text IN (SELECT text FROM again)"
            found = _files(connection, library, condition, FileState.READ)
        by_text: dict[int, LibraryFile] = {}
        for file in found:
            by_text.setdefault(file.text, file)
        return list(by_text.values())

    def texts_with_pictures(
        self, library: Library, check: Callable[[], object] = lambda: None
    ) -> Iterator[int]:
        """Yield the texts of a library that have pages without text, which may be pictures.

        `check` is called before each is looked at, and may raise.
        """
        for text in {file.text for file in self.files(library, [FileState.READ]) if file.pages}:
            check()
            with self._reading() as connection:
                row = connection.execute("SELECT layout FROM bodies WHERE text = ?", (text,)).fetchone()
            pages = unpack_layout(Document(""), Kind.PDF, row[0]).pages if row else ()
            if any(page.recognised is None and not len(page.span) for page in pages):
                yield text

    def keep(self, file: LibraryFile) -> None:
        """Leave a file that was to be read again as it was read."""
        with self._writing() as connection:
            connection.execute("DELETE FROM again WHERE text = ?", (file.text,))

    def drives_away(self, library: Library) -> list[str]:
        """The folders below a library's roots that were on drives of their own at its last update, and are not now."""
        with self._reading() as connection:
            paths = connection.execute(
                "SELECT path FROM drives WHERE library = ?", (library.number,)
            ).fetchall()
        return [folder for (path,) in paths if not is_on_own_drive(folder := os.fsdecode(path))]

    def record_walk(
        self,
        library: Library,
        found: Iterable[tuple[str, int, int]],
        refused: Iterable[str] = (),
        drives: Iterable[str] = (),
    ) -> list[LibraryFile]:
        """Record the files found in a library's roots: path, size in bytes, modification time in ns each.

        A new one, and one whose size or time differs, waits to be read; until then a changed one is searched as it
        was. `refused` are the folders that could not be opened, `drives` those on drives of their own. Returns the
        library's other files, which were not found. Raises SpanlightError where the library was removed.
        """
        with self._writing() as connection:
            if library.number not in (each.number for each in _libraries(connection)):
                raise _removed(library)
            connection.execute(
                "CREATE TEMP TABLE IF NOT EXISTS walk (path BLOB PRIMARY KEY, size, modified) WITHOUT ROWID"
            )
            connection.execute("DELETE FROM walk")
            connection.executemany(
                "INSERT OR IGNORE INTO walk VALUES (?, ?, ?)",
                ((os.fsencode(path), size, modified) for path, size, modified in found),
            )
            connection.execute(
                f"UPDATE files SET state = ?, reason = {_OF_ITS_TEXT} WHERE EXISTS"
                " (SELECT 1 FROM walk WHERE path = files.path"
                " AND (size <> files.size OR modified <> files.modified OR files.state = ?))",
                (FileState.WAITING, FileState.GONE),
            )
            connection.execute(
                "INSERT OR IGNORE INTO files (path, size, modified, state)"
                " SELECT path, size, modified, ? FROM walk",
                (FileState.WAITING,),
            )
            connection.execute(
                "INSERT OR IGNORE INTO members SELECT ?, files.number FROM walk JOIN files USING (path)",
                (library.number,),
            )
            for table, folders in ("refused", refused), ("drives", drives):
                connection.execute(f"DELETE FROM {table} WHERE library = ?", (library.number,))
                connection.executemany(
                    f"INSERT OR IGNORE INTO {table} VALUES (?, ?)",
                    [(library.number, os.fsencode(path)) for path in folders],
                )
            return _files(connection, library, "files.path NOT IN (SELECT path FROM walk)")

    def enter(self, library: Library, files: Iterable[LibraryFile]) -> None:
        """Add files to a library in the states that they have elsewhere; those known here keep theirs.

        Raises SpanlightError where the library was removed.
        """
        with self._writing() as connection:
            if library.number not in (each.number for each in _libraries(connection)):
                raise _removed(library)
            for file in files:
                path, reason = os.fsencode(file.path), clean(stored(file.reason))
                connection.execute(
                    "INSERT OR IGNORE INTO files (path, size, modified, sha256, state, reason)"
                    " VALUES (?, ?, ?, ?, ?, ?)",
                    (path, file.size, file.modified, file.sha256, file.state, reason),
                )
                connection.execute(
                    "INSERT OR IGNORE INTO members SELECT ?, number FROM files WHERE path = ?",
                    (library.number, path),
                )

    def set_state(self, files: Iterable[LibraryFile], state: FileState) -> None:
        """Set files to WAITING, to be read with the next update, or to GONE, for the next `sweep`."""
        with self._writing() as connection:
            connection.executemany(
                f"UPDATE files SET state = ?, reason = {_OF_ITS_TEXT} WHERE number = ?",
                [(state, file.number) for file in files],
            )

    def leave(self, library: Library, files: Iterable[LibraryFile]) -> None:
        """Take files out of a library; the next `sweep` deletes what no library has any more."""
        numbers = [(file.number,) for file in files]
        with self._writing() as connection:
            connection.executemany(
                "DELETE FROM members WHERE file = ? AND library = ?",
                [(*number, library.number) for number in numbers],
            )
            connection.executemany(
                "DELETE FROM files WHERE number = ? AND number NOT IN (SELECT file FROM members)", numbers
            )

    def fail(self, file: LibraryFile, state: FileState, reason: str, content: Content) -> None:
        """Note why a file has no text; it is read again once its size or its time differs from these."""
        with self._writing() as connection:
            self._note(connection, file, state, reason, content, None)

    def _note(
        self,
        connection: sqlite3.Connection,
        file: LibraryFile,
        state: FileState,
        reason: str,
        content: Content,
        text: int | None,
    ) -> None:
        """Store what a file was read as."""
        connection.execute(
            "UPDATE files SET state = ?, reason = ?, sha256 = ?, size = ?, modified = ?, text = ? WHERE number = ?",
            (state, clean(stored(reason)), *astuple(content), text, file.number),
        )

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection to read with, in one transaction: all that is read inside is of one moment."""
        with _with_fts(), self._reader.reading() as connection:
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                with suppress(sqlite3.Error):
                    connection.execute("COMMIT")

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with _with_fts(), self._writer.writing() as connection:
            yield connection


def file_reason(opened: Opened) -> str:
    """What of a document was not read, and that pages of it were recognised; empty for neither."""
    reasons = [*opened.gaps[:_MOST_GAPS]]
    if number := sum(page.recognised is not None and len(page.span) > 0 for page in opened.pages):
        reasons.append(RECOGNISED.filled(n=number))
    return reasons[0] if len(reasons) == 1 else joined(reasons, " ")


def exists(path: str) -> bool:
    """Whether there is a file or folder at a path, as far as can be told."""
    try:
        Path(path).stat()
    except (OSError, ValueError):
        return False
    return True


def is_empty(folder: str) -> bool:
    """Whether a path is an empty folder, as the mount point of a drive that was taken off is."""
    try:
        with os.scandir(folder) as entries:
            return next(entries, None) is None
    except (OSError, ValueError):
        return False


def is_on_own_drive(folder: str) -> bool:
    """Whether a folder is there, and on another drive than the folder that it is in."""
    try:
        return Path(folder).stat().st_dev != Path(folder).parent.stat().st_dev
    except (OSError, ValueError):
        return False


def has_files_below(connection: sqlite3.Connection, library: Library, root: str) -> bool:
    """Whether a library had files in a folder at its last update."""
    below = os.fsencode(root.rstrip(os.sep) + os.sep)
    found = connection.execute(
        "SELECT 1 FROM files JOIN members ON members.file = files.number"
        " WHERE library = ? AND path > ? AND path < ? AND state <> ? LIMIT 1",
        (library.number, below, below[:-1] + bytes([below[-1] + 1]), FileState.GONE),
    )
    return found.fetchone() is not None


def text_with(connection: sqlite3.Connection, file: LibraryFile, sha256: str) -> int | None:
    """The number of the text of a file with these bytes; None if it is to be read again from this one."""
    row = connection.execute(
        "SELECT number FROM texts WHERE sha256 = ? AND suffix = ? AND number NOT IN"
        " (SELECT text FROM again JOIN files USING (text) WHERE files.number = ?)",
        (sha256, suffix_of(file.path), file.number),
    ).fetchone()
    return row[0] if row is not None else None


def _files(
    connection: sqlite3.Connection,
    library: Library,
    condition: str,
    *values: str,
    check: Callable[[], object] = lambda: None,
) -> list[LibraryFile]:
    """A library's files that fulfil an SQL condition, in the order of their paths; `check` is called for each."""
    rows = connection.execute(
        f"{FILES} JOIN members ON members.file = files.number WHERE members.library = ? AND {condition}"
        " ORDER BY files.path",
        (library.number, *values),
    )
    files = []
    for row in rows:
        check()
        files.append(file_of_row(row))
    return files


def _libraries(connection: sqlite3.Connection) -> list[Library]:
    roots: dict[int, list[str]] = {}
    for number, path in connection.execute("SELECT library, path FROM roots ORDER BY path"):
        roots.setdefault(number, []).append(os.fsdecode(path))
    return [
        Library(
            number, name, tuple(roots.get(number, ())), tuple(json.loads(suffixes)), tuple(json.loads(ignore))
        )
        for number, name, suffixes, ignore in connection.execute(
            "SELECT number, name, suffixes, ignore FROM libraries ORDER BY name"
        )
    ]


def _insert(connection: sqlite3.Connection, library: Library) -> int:
    """Store a library in place of the one with its number, or as a new one; returns the number."""
    values = (library.name, json_of(library.suffixes), json_of(library.ignore))
    number: int | None = library.number
    if not connection.execute(
        "UPDATE libraries SET name = ?, suffixes = ?, ignore = ? WHERE number = ?", (*values, number)
    ).rowcount:
        number = connection.execute(
            "INSERT INTO libraries (number, name, suffixes, ignore) VALUES (?, ?, ?, ?)",
            (number or None, *values),
        ).lastrowid
    connection.execute("DELETE FROM roots WHERE library = ?", (number,))
    connection.executemany(
        "INSERT OR IGNORE INTO roots VALUES (?, ?)", [(number, os.fsencode(path)) for path in library.roots]
    )
    return number or 0


def _removed(library: Library) -> SpanlightError:
    return SpanlightError(
        Message("The library “{library}” was removed.", library=library.name),
        Message("Add its folder again to have it back."),
    )


@contextmanager
def _with_fts() -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as fault:
        if "fts5" not in str(fault):
            raise
        raise SpanlightError(
            Message("This computer's SQLite cannot search texts."),
            Message("Install a Python that brings SQLite with FTS5."),
        ) from fault
