"""The index of the libraries' files: a ledger, the texts that were read, and their passages to search in."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from array import array
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.core.errors import SpanlightError
from app.core.layout import Opened
from app.core.library import FileState, Library, LibraryFile, LibraryStatus
from app.core.text import Document, Span, View
from app.library.database import Database
from app.library.passages import SIZE, search_words, starts_of_passages
from app.library.schema import (
    FILES,
    MIGRATIONS,
    TEXTS_OF,
    Ranges,
    delete_entries,
    entries,
    file_of_row,
    free_numbers,
    title_of,
)
from app.library.stored import deflate, inflate, pack_layout, pack_view, unpack_layout, unpack_view
from app.library.vectors import Vectors

# How much a word in a file's name counts, measured against one in the passage.
_TITLE_WEIGHT = 0.5
# Code points of the texts that stay in memory for the next question.
_MOST_CACHED = 4_000_000
_VECTORS = "vectors-"


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage by its number, and its place in a text of the index."""

    number: int
    text: int
    span: Span


class Index:
    """The index in one folder; any thread may use it, and several processes, of which one at a time may write.

    Reading never waits for writing. Everything raises SpanlightError on a disk error, and Damaged once if the
    database was broken; the index is then made anew with the next update.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        file = folder / "index.sqlite3"
        self._reader = Database(file, MIGRATIONS, "the library", durable=False)
        self._writer = Database(file, MIGRATIONS, "the library", durable=False)
        self._lock = threading.Lock()
        self._bodies: OrderedDict[int, tuple[str, View]] = OrderedDict()
        self._ranges: dict[int, tuple[int, Ranges]] = {}
        self._vectors: dict[str, Vectors] = {}

    # Libraries

    def libraries(self) -> list[Library]:
        """All libraries, by name."""
        with self._reading() as connection:
            roots: dict[int, list[str]] = {}
            for number, path in connection.execute("SELECT library, path FROM roots ORDER BY path"):
                roots.setdefault(number, []).append(os.fsdecode(path))
            return [
                Library(
                    number,
                    name,
                    tuple(roots.get(number, ())),
                    tuple(json.loads(suffixes)),
                    tuple(json.loads(ignore)),
                )
                for number, name, suffixes, ignore in connection.execute(
                    "SELECT number, name, suffixes, ignore FROM libraries ORDER BY name"
                )
            ]

    def library(self, name: str) -> Library:
        """The library of this name, in any case; raises SpanlightError where there is none."""
        found = self.libraries()
        for library in found:
            if library.name.casefold() == name.casefold():
                return library
        names = ", ".join(library.name for library in found)
        raise SpanlightError(
            f"There is no library “{name}”.",
            f"There are: {names}." if found else "Add a folder first: it becomes one.",
        )

    def save(self, library: Library) -> Library:
        """Add a library (its number is 0), or change one; returns it as saved.

        Files that are in none of its roots any more leave it with the next `take_walk`. Raises SpanlightError where
        another one has its name.
        """
        values = (library.name.strip(), json.dumps(library.suffixes), json.dumps(library.ignore))
        if not values[0]:
            raise SpanlightError("A library needs a name.", "Type one.")
        with self._writing() as connection:
            try:
                if library.number:
                    connection.execute(
                        "UPDATE libraries SET name = ?, suffixes = ?, ignore = ? WHERE number = ?",
                        (*values, library.number),
                    )
                    number = library.number
                else:
                    number = int(
                        connection.execute(
                            "INSERT INTO libraries (name, suffixes, ignore) VALUES (?, ?, ?)", values
                        ).lastrowid
                        or 0
                    )
            except sqlite3.IntegrityError as fault:
                raise SpanlightError(
                    f"There is a library “{values[0]}” already.", "Choose another name."
                ) from fault
            connection.execute("DELETE FROM roots WHERE library = ?", (number,))
            connection.executemany(
                "INSERT OR IGNORE INTO roots VALUES (?, ?)",
                [(number, os.fsencode(path)) for path in library.roots],
            )
        return self.library(values[0])

    def remove(self, library: Library) -> None:
        """Remove a library, and what no other one has of its files from the index. No document is touched."""
        with self._writing() as connection:
            connection.execute("DELETE FROM libraries WHERE number = ?", (library.number,))
            connection.execute("DELETE FROM files WHERE number NOT IN (SELECT file FROM members)")
            self._sweep(connection)

    # The ledger

    def files(self, library: Library, states: Iterable[FileState] = ()) -> list[LibraryFile]:
        """A library's files in the order of their paths, or those in one of these states."""
        wanted = tuple(states)
        condition = f" AND files.state IN ({', '.join('?' * len(wanted))})" if wanted else ""
        with self._reading() as connection:
            return [
                file_of_row(row)
                for row in connection.execute(
                    f"{FILES} JOIN members ON members.file = files.number"
                    f" WHERE members.library = ?{condition} ORDER BY files.path",
                    (library.number, *wanted),
                )
            ]

    def file(self, path: str) -> LibraryFile | None:
        """The file at a path, if it is in any library."""
        with self._reading() as connection:
            row = connection.execute(f"{FILES} WHERE files.path = ?", (os.fsencode(path),)).fetchone()
            return file_of_row(row) if row else None

    def status(self, library: Library, vectors: str = "") -> LibraryStatus:
        """How much of a library is indexed; `vectors` names those of the passages that are counted."""
        with self._reading() as connection:
            states = dict(
                connection.execute(
                    "SELECT state, count(*) FROM files JOIN members ON members.file = files.number"
                    " WHERE library = ? GROUP BY state",
                    (library.number,),
                )
            )
            words = connection.execute(
                f"SELECT coalesce(sum(words), 0) FROM texts WHERE number IN ({TEXTS_OF})", (library.number,)
            ).fetchone()[0]
            ranges = self._ranges_of(connection, library.number)
        stored = self._vectors_of(vectors) if vectors else None
        embedded = sum(
            int(stored.have(first, count).sum())
            for first, count in zip(ranges.firsts, ranges.counts, strict=True)
            if stored is not None
        )
        return LibraryStatus(
            {FileState(state): number for state, number in states.items()},
            passages=sum(ranges.counts),
            embedded=embedded,
            words=int(words),
            missing=tuple(root for root in library.roots if not os.path.lexists(root)),
        )

    def take_walk(self, library: Library, found: Iterable[tuple[str, int, int]]) -> list[LibraryFile]:
        """Enter the files found in a library's roots: path, bytes, modification time in nanoseconds each.

        A new one, and one whose size or time differs, waits to be read; until then a changed one is searched as it
        was. Returns the library's other files, which were not found.
        """
        with self._writing() as connection:
            connection.execute(
                "CREATE TEMP TABLE IF NOT EXISTS walk (path BLOB PRIMARY KEY, size, modified) WITHOUT ROWID"
            )
            connection.execute("DELETE FROM walk")
            connection.executemany(
                "INSERT OR IGNORE INTO walk VALUES (?, ?, ?)",
                ((os.fsencode(path), size, modified) for path, size, modified in found),
            )
            connection.execute(
                "UPDATE files SET state = ?, reason = '' FROM walk WHERE walk.path = files.path"
                " AND (walk.size <> files.size OR walk.modified <> files.modified OR files.state = ?)",
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
            return [
                file_of_row(row)
                for row in connection.execute(
                    f"{FILES} JOIN members ON members.file = files.number WHERE members.library = ?"
                    " AND files.path NOT IN (SELECT path FROM walk) ORDER BY files.path",
                    (library.number,),
                )
            ]

    def set_waiting(self, files: Iterable[LibraryFile]) -> None:
        """Have files read again with the next update."""
        self._set_state(files, FileState.WAITING)

    def set_gone(self, files: Iterable[LibraryFile]) -> None:
        """Note that files are gone; what was read of them is dropped with the next `sweep`."""
        self._set_state(files, FileState.GONE)

    def _set_state(self, files: Iterable[LibraryFile], state: FileState) -> None:
        with self._writing() as connection:
            connection.executemany(
                "UPDATE files SET state = ?, reason = '' WHERE number = ?",
                [(state, file.number) for file in files],
            )

    def leave(self, library: Library, files: Iterable[LibraryFile]) -> None:
        """Take files out of a library, and out of the index where they are in no other one."""
        numbers = [(file.number,) for file in files]
        with self._writing() as connection:
            connection.executemany(
                "DELETE FROM members WHERE file = ? AND library = ?",
                [(*number, library.number) for number in numbers],
            )
            connection.executemany(
                "DELETE FROM files WHERE number = ? AND number NOT IN (SELECT file FROM members)", numbers
            )
            self._sweep(connection)

    # Reading in

    def link(self, file: LibraryFile, sha256: str, suffix: str, size: int, modified: int) -> bool:
        """Take the text of an equal file that was read before; returns whether there is one."""
        with self._writing() as connection:
            row = connection.execute(
                "SELECT number, name FROM texts WHERE sha256 = ? AND suffix = ?", (sha256, suffix)
            ).fetchone()
            if row is None:
                return False
            name = title_of(file.path)
            if row[1] != name:  # it was moved: it is found by its new name from now on
                self._rename(connection, row[0], name)
            self._read_as(connection, file, row[0], sha256, size, modified)
            return True

    def holds(self, sha256: str, suffix: str) -> bool:
        """Whether a file of these bytes and this extension was read before."""
        with self._reading() as connection:
            return bool(
                connection.execute(
                    "SELECT 1 FROM texts WHERE sha256 = ? AND suffix = ?", (sha256, suffix)
                ).fetchone()
            )

    def put(self, file: LibraryFile, opened: Opened, view: View, suffix: str) -> None:
        """Store what was read from a file, and index its passages: all of it, or nothing if this is broken off."""
        text = opened.document.text
        with self._writing() as connection:
            row = connection.execute(
                "SELECT number FROM texts WHERE sha256 = ? AND suffix = ?", (opened.sha256, suffix)
            ).fetchone()
            if row is None:
                starts = starts_of_passages(text)
                first = free_numbers(connection, len(starts))
                number: int | None = connection.execute(
                    "INSERT INTO texts (sha256, suffix, name, kind, pages, words, first, passages)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        opened.sha256,
                        suffix,
                        title_of(file.path),
                        opened.kind,
                        len(opened.pages),
                        len(text.split()),
                        first,
                        len(starts),
                    ),
                ).lastrowid
                connection.execute(
                    "INSERT INTO bodies VALUES (?, ?, ?, ?, ?)",
                    (number, deflate(text), pack_view(view), pack_layout(opened), starts.tobytes()),
                )
                connection.executemany(
                    "INSERT INTO search (rowid, words, title) VALUES (?, ?, ?)",
                    entries(first, text, starts, title_of(file.path)),
                )
            else:
                number = row[0]
            self._read_as(connection, file, number or 0, opened.sha256, opened.size, opened.modified)

    def fail(
        self, file: LibraryFile, state: FileState, reason: str, *, size: int, modified: int, sha256: str = ""
    ) -> None:
        """Note why a file has no text; it is tried again once its size or its time differs from these."""
        with self._writing() as connection:
            connection.execute(
                "UPDATE files SET state = ?, reason = ?, size = ?, modified = ?, sha256 = ?, text = NULL"
                " WHERE number = ?",
                (state, reason, size, modified, sha256, file.number),
            )

    def sweep(self) -> None:
        """Drop the texts that no file has any more, with their passages and vectors."""
        with self._writing() as connection:
            connection.execute("UPDATE files SET text = NULL WHERE state = ?", (FileState.GONE,))
            self._sweep(connection)

    def compact(self) -> None:
        """Give the disk back what deleted texts took, and merge the parts of the index."""
        with self._writing() as connection:
            connection.execute("INSERT INTO search (search) VALUES ('optimize')")
        self._writer.wipe(everywhere=True)

    def _read_as(
        self,
        connection: sqlite3.Connection,
        file: LibraryFile,
        text: int,
        sha256: str,
        size: int,
        modified: int,
    ) -> None:
        connection.execute(
            "UPDATE files SET state = ?, reason = '', text = ?, sha256 = ?, size = ?, modified = ?"
            " WHERE number = ?",
            (FileState.READ, text, sha256, size, modified, file.number),
        )

    def _rename(self, connection: sqlite3.Connection, text: int, name: str) -> None:
        first, before, words, starts = self._indexed(connection, text)
        delete_entries(connection, first, words, starts, before)
        connection.executemany(
            "INSERT INTO search (rowid, words, title) VALUES (?, ?, ?)", entries(first, words, starts, name)
        )
        connection.execute("UPDATE texts SET name = ? WHERE number = ?", (name, text))

    def _sweep(self, connection: sqlite3.Connection) -> None:
        unused = (
            "SELECT number FROM texts WHERE number NOT IN (SELECT text FROM files WHERE text IS NOT NULL)"
        )
        for (text,) in connection.execute(unused).fetchall():
            first, name, words, starts = self._indexed(connection, text)
            # Before the passages' numbers may be used again; where this is rolled back, vectors are made anew.
            for stored in self._all_vectors():
                stored.clear(first, len(starts))
            delete_entries(connection, first, words, starts, name)
            connection.execute("DELETE FROM texts WHERE number = ?", (text,))
            connection.execute("INSERT INTO gaps VALUES (?, ?)", (first, len(starts)))

    def _indexed(self, connection: sqlite3.Connection, text: int) -> tuple[int, str, str, array[int]]:
        """A text's first passage, name, words and where its passages begin."""
        first, name, deflated, starts = connection.execute(
            'SELECT "first", name, deflated, starts FROM texts JOIN bodies ON text = number WHERE number = ?',
            (text,),
        ).fetchone()
        return first, name, inflate(deflated), array("i", starts)

    # Searching

    def characters(self, library: Library) -> int:
        """About how many code points a library's texts have."""
        with self._reading() as connection:
            return SIZE * sum(self._ranges_of(connection, library.number).counts)

    def search(self, question: str, library: Library, most: int) -> list[int]:
        """The numbers of the passages that share most with a question by BM25, the best first."""
        words = search_words(question)
        if not words:
            return []
        found: list[int] = []
        with self._reading() as connection:
            ranges = self._ranges_of(connection, library.number)
            for (passage,) in connection.execute(
                f"SELECT rowid FROM search WHERE search MATCH ? AND rank MATCH 'bm25(1.0, {_TITLE_WEIGHT})'"
                " ORDER BY rank",
                (words,),
            ):
                if ranges.text_of(passage) is not None:
                    found.append(passage)
                    if len(found) == most:
                        break
        return found

    def nearest(self, vector: np.ndarray, vectors: str, library: Library, most: int) -> list[int]:
        """The numbers of the passages whose vectors have the largest cosine with this one, the largest first."""
        with self._reading() as connection:
            ranges = self._ranges_of(connection, library.number)
        scores = self._vectors_of(vectors).scores(vector)
        own = np.zeros(len(scores), dtype=bool)
        for first, count in zip(ranges.firsts, ranges.counts, strict=True):
            own[first : first + count] = True
        scores[~own] = 0.0
        best = np.argsort(-scores, kind="stable")[:most]
        return [int(number) for number in best if scores[number] > 0]

    def passages(self, numbers: Sequence[int], library: Library) -> list[Passage]:
        """The passages of these numbers that are a library's, in this order."""
        found: list[Passage] = []
        starts: dict[int, array[int]] = {}
        with self._reading() as connection:
            ranges = self._ranges_of(connection, library.number)
            for number in numbers:
                at = ranges.text_of(number)
                if at is None:
                    continue
                text = ranges.texts[at]
                if text not in starts:
                    row = connection.execute("SELECT starts FROM bodies WHERE text = ?", (text,)).fetchone()
                    starts[text] = array("i", row[0] if row else b"")
                place = number - ranges.firsts[at]
                if place < len(starts[text]):
                    begin = starts[text][place]
                    last = place + 1 == len(starts[text])
                    end = len(self._body(connection, text)[0]) if last else starts[text][place + 1]
                    found.append(Passage(number, text, Span(begin, end)))
        return found

    def body(self, text: int) -> tuple[str, View]:
        """A text's words and view; raises SpanlightError where it was dropped meanwhile."""
        with self._reading() as connection:
            return self._body(connection, text)

    def file_of(self, text: int, library: Library) -> LibraryFile:
        """The library's file that a text was read from, the first by its path where several are equal."""
        with self._reading() as connection:
            row = connection.execute(
                f"{FILES} JOIN members ON members.file = files.number"
                " WHERE members.library = ? AND files.text = ? ORDER BY files.path LIMIT 1",
                (library.number, text),
            ).fetchone()
        if row is None:
            raise _dropped()
        return file_of_row(row)

    def opened(self, file: LibraryFile) -> Opened:
        """A file as it was read last, without what only drawing needs: characters on pages, styles, markers.

        Raises SpanlightError where nothing of it is stored.
        """
        with self._reading() as connection:
            words, view = self._body(connection, file.text)
            layout = connection.execute("SELECT layout FROM bodies WHERE text = ?", (file.text,)).fetchone()[
                0
            ]
        document = Document(words, Path(file.path).name, file.path, view)
        return unpack_layout(document, file.kind, layout)

    def without_vectors(self, vectors: str, most: int) -> list[tuple[int, str]]:
        """Up to `most` passages of any library that have no vector yet: their numbers and words."""
        stored = self._vectors_of(vectors)
        found: list[tuple[int, str]] = []
        with self._reading() as connection:
            ranges = self._ranges_of(connection, 0)
            for text, first, count in zip(ranges.texts, ranges.firsts, ranges.counts, strict=True):
                lacking = np.flatnonzero(~stored.have(first, count)).tolist()
                if not lacking:
                    continue
                row = connection.execute("SELECT starts FROM bodies WHERE text = ?", (text,)).fetchone()
                if row is None:
                    continue
                words = self._body(connection, text)[0]
                starts = array("i", row[0])
                ends = [*starts[1:], len(words)]
                for place in lacking[: most - len(found)]:
                    found.append((first + place, words[starts[place] : ends[place]]))
                if len(found) == most:
                    break
        return found

    def put_vectors(self, vectors: str, numbers: Sequence[int], values: np.ndarray) -> None:
        """Store passages' unit vectors, float32[n, width]; those whose passage was dropped meanwhile are not."""
        with self._writing() as connection:  # so that no other process deletes a text just now
            ranges = self._ranges_of(connection, 0)
            there = [at for at, number in enumerate(numbers) if ranges.text_of(number) is not None]
            if there:
                self._vectors_of(vectors).put(np.array(numbers)[there], values[there])

    def drop_other_vectors(self, vectors: str) -> None:
        """Delete the vectors of all models but this one's."""
        for file in self._folder.glob(f"{_VECTORS}*"):
            if file.name != f"{_VECTORS}{vectors}":
                try:
                    file.unlink(missing_ok=True)
                except OSError:  # another process has it open, on Windows: the next one deletes it
                    continue
                self._vectors.pop(file.name.removeprefix(_VECTORS), None)

    def close(self) -> None:
        """Close the files; the next use opens them again."""
        self._reader.close()
        self._writer.close()
        with self._lock:
            self._bodies.clear()
            self._vectors.clear()

    def _body(self, connection: sqlite3.Connection, text: int) -> tuple[str, View]:
        with self._lock:
            if text in self._bodies:
                self._bodies.move_to_end(text)
                return self._bodies[text]
        row = connection.execute("SELECT deflated, view FROM bodies WHERE text = ?", (text,)).fetchone()
        if row is None:
            raise _dropped()
        found = inflate(row[0]), unpack_view(row[1])
        with self._lock:
            self._bodies[text] = found
            while (
                len(self._bodies) > 1 and sum(len(words) for words, _ in self._bodies.values()) > _MOST_CACHED
            ):
                self._bodies.popitem(last=False)
        return found

    def _ranges_of(self, connection: sqlite3.Connection, library: int) -> Ranges:
        """The texts of a library, of all for 0; kept until the database changes."""
        now = int(connection.execute("PRAGMA data_version").fetchone()[0])
        with self._lock:
            kept = self._ranges.get(library)
        if kept is not None and kept[0] == now and not connection.in_transaction:
            return kept[1]
        condition = f"WHERE number IN ({TEXTS_OF})" if library else ""
        rows = connection.execute(
            f'SELECT number, "first", passages FROM texts {condition} ORDER BY "first"',
            (library,) if library else (),
        ).fetchall()
        ranges = Ranges([row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows])
        if not connection.in_transaction:
            with self._lock:
                self._ranges[library] = now, ranges
        return ranges

    def _vectors_of(self, name: str) -> Vectors:
        """The vectors of a name, which ends with their width: "minilm-384"."""
        with self._lock:
            if name not in self._vectors:
                width = int(name.rpartition("-")[2])
                self._vectors[name] = Vectors(self._folder / f"{_VECTORS}{name}", width)
            return self._vectors[name]

    def _all_vectors(self) -> Iterator[Vectors]:
        for file in self._folder.glob(f"{_VECTORS}*"):
            yield self._vectors_of(file.name.removeprefix(_VECTORS))

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with _with_fts(), self._reader.reading() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with _with_fts(), self._writer.writing() as connection:
            yield connection


@contextmanager
def _with_fts() -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as fault:
        if "fts5" not in str(fault):
            raise
        raise SpanlightError(
            "This computer's SQLite cannot search texts.", "Install a Python that brings SQLite with FTS5."
        ) from fault


def _dropped() -> SpanlightError:
    return SpanlightError("The file has changed or is gone since it was found.", "Ask again.")
