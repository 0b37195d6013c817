"""The index of the libraries: the texts read from their files, and the passages that are searched."""

from __future__ import annotations

import os
import sqlite3
import threading
from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import log
from pathlib import Path
from shutil import disk_usage

import numpy as np

from app.core.errors import SpanlightError
from app.core.layout import Opened
from app.core.library import FileState, Library, LibraryFile, LibraryStatus, is_gap
from app.core.message import Message, restored
from app.core.report import Progress, Report
from app.core.text import Document, Span, View
from app.core.wording import INDEXED_ANEW
from app.library.ledger import Content, Ledger, exists, file_reason, has_files_below, is_empty, text_with
from app.library.packing import (
    deflate,
    inflate,
    pack_layout,
    pack_starts,
    pack_view,
    unpack_layout,
    unpack_starts,
    unpack_view,
)
from app.library.passages import MOST_RESPELT, ROWS, rows_with, search_words, starts_of_passages
from app.library.schema import (
    FILES,
    STRIDE,
    TEXTS_OF,
    Ranges,
    add_rows,
    allocate_numbers,
    delete_rows,
    file_of_row,
    name_row,
    passage_rows,
    release_numbers,
    suffix_of,
    title_of,
)
from app.library.vectors import VectorFiles

# How much a word in a file's name counts, relative to one in the passage. Of docqa's questions with the document's name
# added, 95% have their answer in the first 20 of 100,000 passages where names are not searched, and all from 0.5 on; in
# the first passage 26% have it, with 0.5 39%, with 1 53% and with 2 66%, which loses 5 points in the first 100 for
# questions without a name (80 questions of each kind, `python3 -m app bench library`).
_TITLE_WEIGHT = 1.0
# BM25's k1: the larger, the more a word's repetitions in a passage count. Its b is left out, as passages are nearly of
# one length: of 1,418 questions no more are found with it.
_K1 = 1.2
# Code points of texts that are cached in memory for the next question.
_MOST_CACHED = 4_000_000
# How many of a text's equal files it is found by the names of.
_MOST_NAMES = 8
# Texts that are deleted in one transaction.
_TEXTS_A_SWEEP = 50
# The condition of texts that no file has.
_UNUSED = "NOT EXISTS (SELECT 1 FROM files WHERE text = texts.number)"
# Pages of the search index that are merged in one transaction.
_PAGES_A_MERGE = 500


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage's number, the number of its text, and its span in that."""

    number: int
    text: int
    span: Span


class Index(Ledger):
    """The index in one folder; any thread may use it, and several processes, of which one at a time may write.

    Reading never waits for writing. Every method raises SpanlightError on a disk error, and Damaged once if the
    database was broken; the next update then makes the index anew.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._lock = threading.Lock()
        self._bodies: OrderedDict[int, tuple[str, View]] = OrderedDict()
        self._cached = 0  # code points of these
        # By library, each with the connection that read it and the version of the database that it saw.
        self._ranges: dict[int, tuple[sqlite3.Connection, int, Ranges]] = {}
        self._vectors = VectorFiles(folder)

    def status(self, library: Library, vectors: str = "") -> LibraryStatus:
        """How much of a library is indexed; passages with a vector are counted in the vectors of the name `vectors`."""
        # Before the database is locked: a network drive may take its time.
        absent = {root for root in library.roots if not exists(root)}
        doubtful = [*filter(is_empty, library.roots), *self.drives_away(library)]
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
            languages = connection.execute(
                "SELECT language, count(*) FROM files JOIN members ON members.file = files.number"
                " JOIN texts ON texts.number = files.text WHERE library = ? AND state = ? GROUP BY language",
                (library.number, FileState.READ),
            ).fetchall()
            reasons = connection.execute(
                "SELECT reason, count(*) FROM files JOIN members ON members.file = files.number"
                " WHERE library = ? AND state = ? GROUP BY reason",
                (library.number, FileState.READ),
            ).fetchall()
            ranges = self._ranges_of(connection, library.number)
            absent |= {folder for folder in doubtful if has_files_below(connection, library, folder)}
            refused = connection.execute(
                "SELECT path FROM refused WHERE library = ? ORDER BY path", (library.number,)
            ).fetchall()
        return LibraryStatus(
            {FileState(state): number for state, number in states.items()},
            passages=sum(ranges.counts),
            embedded=int(self._have(vectors, ranges).sum()) if vectors else 0,
            words=int(words),
            missing=tuple(sorted(absent)),
            refused=tuple(os.fsdecode(path) for (path,) in refused),
            languages=dict(languages),
            in_part=sum(number for reason, number in reasons if is_gap(restored(reason))),
        )

    # Indexing

    def link(self, file: LibraryFile, content: Content) -> bool:
        """Give a file the text of an equal one that was read before; returns whether there is one.

        The file's own text, if it is to be read again, is none.
        """
        with self._writing() as connection:
            return self._link(connection, file, content)

    def holds(self, file: LibraryFile, sha256: str) -> bool:
        """Whether `link` finds a text for a file with these bytes."""
        with self._reading() as connection:
            return text_with(connection, file, sha256) is not None

    def put(self, file: LibraryFile, opened: Opened, view: View, *, again: bool = False) -> None:
        """Store what was read from a file and index its passages, in one transaction. The text is not empty.

        A file that has the same words as before keeps its passages, and so their vectors; its copies follow it. With
        `again` the next update reads it once more.
        """
        text, title, suffix = opened.document.text, title_of(file.path), suffix_of(file.path)
        starts = starts_of_passages(text)
        body = (deflate(text), pack_view(view), pack_starts(starts))
        layout, words = pack_layout(opened), len(text.split())
        about = (opened.sha256, opened.kind, len(opened.pages), words, opened.language)
        content = Content(opened.sha256, opened.size, opened.modified)
        with self._writing() as connection:
            if self._link(connection, file, content):
                return
            same = connection.execute(
                "SELECT text FROM files JOIN bodies USING (text)"
                " WHERE number = ? AND deflated = ? AND view = ? AND starts = ? AND NOT EXISTS"
                " (SELECT 1 FROM files AS others WHERE text = bodies.text AND number <> ? AND sha256 <> ?)",
                (file.number, *body, file.number, opened.sha256),
            ).fetchone()
            if same:
                (number,) = same
                connection.execute(
                    "UPDATE texts SET sha256 = ?, kind = ?, pages = ?, words = ?, language = ? WHERE number = ?",
                    (*about, number),
                )
                connection.execute("UPDATE bodies SET layout = ? WHERE text = ?", (layout, number))
                connection.execute("DELETE FROM again WHERE text = ?", (number,))
            else:
                # The file's own text may be of the same bytes; the next `sweep` deletes it.
                is_reread = connection.execute(
                    "UPDATE texts SET sha256 = 'older ' || number WHERE sha256 = ? AND suffix = ?",
                    (opened.sha256, suffix),
                ).rowcount
                first = allocate_numbers(connection, len(starts))
                self._vectors.clear(np.arange(first, first + len(starts)))
                number = connection.execute(
                    "INSERT INTO texts (sha256, kind, pages, words, language, suffix, name, first, passages)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (*about, suffix, title, first, len(starts)),
                ).lastrowid
                assert number is not None
                connection.execute(
                    "INSERT INTO bodies (text, deflated, view, starts, layout) VALUES (?, ?, ?, ?, ?)",
                    (number, *body, layout),
                )
                add_rows(connection, [*passage_rows(first, text, starts), name_row(number, title)])
                if is_reread:
                    copies = (
                        "UPDATE files SET text = ? WHERE text = (SELECT text FROM files WHERE number = ?)"
                    )
                    connection.execute(copies, (number, file.number))
                    self._rename(connection, number)
            if again:
                connection.execute("INSERT INTO again VALUES (?)", (number,))
            self._note(connection, file, FileState.READ, file_reason(opened), content, number)
            # The reason is that of its copies too.
            connection.execute(
                "UPDATE files SET reason = (SELECT reason FROM files WHERE number = ?) WHERE text = ?",
                (file.number, number),
            )

    def needs_renewal(self) -> bool:
        """Whether an older Spanlight stored texts that `renew` has not indexed yet."""
        with self._reading() as connection:
            return connection.execute("SELECT 1 FROM due").fetchone() is not None

    def renew(self, report: Report, language_of: Callable[[str], str]) -> None:
        """Index the texts that an older Spanlight stored, now that the search index has another format.

        Each text takes one transaction: after a stop or a kill the next call goes on from there. Passages keep their
        numbers, and so their vectors; `language_of` detects a text's language. Reports progress in texts; raises
        Stopped when cancelled.
        """
        done = 0
        while True:
            report.check()
            with self._writing() as connection:
                left, text = connection.execute("SELECT count(*), min(text) FROM due").fetchone()
                if not left:
                    break
                first, name, words, starts = self._indexed(connection, text)
                add_rows(connection, [*passage_rows(first, words, starts), name_row(text, name)])
                connection.execute(
                    "UPDATE bodies SET deflated = ?, starts = ? WHERE text = ?",
                    (deflate(words), pack_starts(starts), text),
                )
                connection.execute(
                    "UPDATE files SET state = ? WHERE text = ? AND state = ?",
                    (FileState.READ, text, FileState.WAITING),
                )
                connection.execute(
                    "UPDATE texts SET language = ? WHERE number = ?", (language_of(words), text)
                )
                connection.execute("DELETE FROM due WHERE text = ?", (text,))
            done += 1
            report.progress(Progress(done, done + left - 1, INDEXED_ANEW))
        if done:
            self.compact(report.check)

    def remove(self, library: Library, check: Callable[[], object] = lambda: None) -> None:
        """Remove a library, and from the index the files that no other library has. No document is touched.

        `check` is called as in `sweep`, before which the library is removed; the last one goes with its texts at once,
        as no update would go on.
        """
        with self._writing() as connection:
            connection.execute("DELETE FROM libraries WHERE number = ?", (library.number,))
            connection.execute("DELETE FROM files WHERE number NOT IN (SELECT file FROM members)")
            is_swept = self._delete_all(connection) > 0
            self._write_backup(connection)
        if not is_swept:
            self._sweep(check)

    def sweep(self, check: Callable[[], object] = lambda: None) -> int:
        """Delete the texts and passages that no file has any more, and the names of files that have left their text.

        A file that is gone stays in the ledger without its text, unless another file has the same content. Returns how
        many passages were deleted. `check` is called before each transaction, and may raise: the next call goes on.
        """
        with self._writing() as connection:
            connection.execute(
                "DELETE FROM files WHERE state = ? AND sha256 <> '' AND sha256 IN"
                " (SELECT sha256 FROM files WHERE state = ?)",
                (FileState.GONE, FileState.READ),
            )
            connection.execute("UPDATE files SET text = NULL, reason = '' WHERE state = ?", (FileState.GONE,))
        return self._sweep(check)

    def compact(self, check: Callable[[], object] = lambda: None) -> None:
        """Merge the segments of the search index, and shrink each file of which more than 5% is free.

        `check` is called before each transaction, and may raise.
        """
        pages = -_PAGES_A_MERGE
        while True:
            check()
            with self._writing() as connection:
                before = connection.total_changes
                connection.execute("INSERT INTO search (search, rank) VALUES ('merge', ?)", (pages,))
                if connection.total_changes - before < 2:  # FTS5's sign that all is merged
                    break
            pages = _PAGES_A_MERGE
        with self._reading() as connection:
            free, used = (
                int(connection.execute(f"PRAGMA {name}").fetchone()[0])
                for name in ("freelist_count", "page_count")
            )
            size = used * int(connection.execute("PRAGMA page_size").fetchone()[0])
        # VACUUM copies the database, and the copy goes through the journal.
        self._writer.wipe(everywhere=20 * free > used and disk_usage(self._folder).free > 3 * size)
        check()
        with self._writing():
            self._vectors.compact()

    def _link(self, connection: sqlite3.Connection, file: LibraryFile, content: Content) -> bool:
        text = text_with(connection, file, content.sha256)
        if text is not None:
            (reason,) = connection.execute(
                "SELECT coalesce(max(reason), '') FROM files WHERE text = ?", (text,)
            ).fetchone()
            self._note(connection, file, FileState.READ, restored(reason), content, text)
            self._rename(connection, text)
        return text is not None

    def _rename(self, connection: sqlite3.Connection, text: int) -> None:
        """Index a text under the names that its files have now."""
        paths = connection.execute(
            "SELECT path FROM files WHERE text = ? AND state <> ? ORDER BY path LIMIT ?",
            (text, FileState.GONE, _MOST_NAMES),
        )
        name = "\n".join(dict.fromkeys(title_of(os.fsdecode(path)) for (path,) in paths))
        (before,) = connection.execute("SELECT name FROM texts WHERE number = ?", (text,)).fetchone()
        if name != before:
            if not connection.execute("SELECT 1 FROM due WHERE text = ?", (text,)).fetchone():
                delete_rows(connection, [name_row(text, before)])
                add_rows(connection, [name_row(text, name)])
            connection.execute("UPDATE texts SET name = ? WHERE number = ?", (name, text))

    def _sweep(self, check: Callable[[], object]) -> int:
        check()
        with self._writing() as connection:
            if deleted := self._delete_all(connection):
                return deleted
            unused = connection.execute(f"SELECT number FROM texts WHERE {_UNUSED}").fetchall()
        for at in range(0, len(unused), _TEXTS_A_SWEEP):
            check()
            with self._writing() as connection:
                some = [self._delete(connection, text) for (text,) in unused[at : at + _TEXTS_A_SWEEP]]
                self._vectors.clear(np.concatenate(some))
            deleted += sum(map(len, some))
        # Equal files share their text, and one of them may have left it.
        with self._writing() as connection:
            shared = connection.execute("SELECT number FROM texts WHERE instr(name, char(10))").fetchall()
            for (text,) in shared:
                check()
                self._rename(connection, text)
        return deleted

    def _delete_all(self, connection: sqlite3.Connection) -> int:
        """Delete all texts at once, which is faster, if no file has one; returns how many passages they had at most."""
        is_used = connection.execute("SELECT 1 FROM files WHERE text IS NOT NULL").fetchone()
        (end,) = connection.execute("""SELECT max("first" + passages) FROM texts""").fetchone()
        if is_used or end is None:
            return 0
        connection.execute("INSERT INTO search (search) VALUES ('delete-all')")
        connection.execute("DELETE FROM texts")
        connection.execute("DELETE FROM gaps")
        # If the transaction is rolled back, the vectors are computed again.
        self._vectors.clear(np.arange(end))
        return int(end)

    def _delete(self, connection: sqlite3.Connection, text: int) -> np.ndarray:
        """Delete a text, unless it has a file meanwhile; returns the numbers of its passages that were deleted."""
        if not connection.execute(f"SELECT 1 FROM texts WHERE number = ? AND {_UNUSED}", (text,)).fetchone():
            return np.zeros(0, dtype=np.int64)
        first, name, words, starts = self._indexed(connection, text)
        if not connection.execute("DELETE FROM due WHERE text = ?", (text,)).rowcount:
            delete_rows(connection, [*passage_rows(first, words, starts), name_row(text, name)])
        connection.execute("DELETE FROM texts WHERE number = ?", (text,))
        release_numbers(connection, first, len(starts))
        return np.arange(first, first + len(starts))

    def _indexed(self, connection: sqlite3.Connection, text: int) -> tuple[int, str, str, array[int]]:
        """A text's first passage number, its name, its characters, and the starts of its passages in these."""
        first, name, deflated, starts = connection.execute(
            'SELECT "first", name, deflated, starts FROM texts JOIN bodies ON text = number WHERE number = ?',
            (text,),
        ).fetchone()
        return first, name, inflate(deflated), unpack_starts(starts)

    # Searching

    def search(self, question: str, library: Library, most: int) -> dict[int, float]:
        """The numbers of the passages with the best BM25 scores for a question, each with its score, the best first."""
        words = search_words(question)
        with self._reading() as connection:
            ranges = self._ranges_of(connection, library.number)
            own, total = _mask(ranges), sum(ranges.counts)
            scores = np.zeros(len(own), dtype=np.float32)
            for number, word in enumerate(words):
                candidates = rows_with(connection, word, respell=number < MOST_RESPELT)
                counted = (_frequencies(rows, ranges, len(own)) * own for rows in candidates)
                frequency = next((each for each in counted if each.any()), np.zeros_like(scores))
                found = np.count_nonzero(frequency)
                rarity = max(log((total - found + 0.5) / (found + 0.5)), 1e-6)
                scores += rarity * frequency * (_K1 + 1) / (frequency + _K1)
        return _best(scores, most)

    def nearest(self, vector: np.ndarray, vectors: str, library: Library, most: int) -> dict[int, float]:
        """The numbers of the passages whose vectors have the largest cosine with `vector`, each with that.

        The largest first; only cosines above 0.
        """
        with self._reading() as connection:
            ranges = self._ranges_of(connection, library.number)
        own = _mask(ranges)
        scores = self._vectors.of(vectors).scores(vector)[: len(own)]
        return _best(scores * own[: len(scores)], most)

    def texts_of(self, numbers: Iterable[int], library: Library) -> dict[int, int]:
        """The number of each passage's text, by the passage's number; passages of other libraries are left out."""
        with self._reading() as connection:
            ranges = self._ranges_of(connection, library.number)
        found = ((number, ranges.text_of(number)) for number in numbers)
        return {number: ranges.texts[at] for number, at in found if at is not None}

    def passages(self, numbers: Iterable[int], library: Library) -> list[Passage]:
        """The passages with these numbers, in this order; those of other libraries are left out."""
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
                    starts[text] = unpack_starts(row[0]) if row else array("i")
                index = number - ranges.firsts[at]
                if index < len(starts[text]):
                    begin = starts[text][index]
                    last = index + 1 == len(starts[text])
                    end = len(self._body(connection, text)[0]) if last else starts[text][index + 1]
                    found.append(Passage(number, text, Span(begin, end)))
        return found

    def body(self, text: int) -> tuple[str, View]:
        """A text's characters and view; raises SpanlightError where it was deleted meanwhile."""
        with self._reading() as connection:
            return self._body(connection, text)

    def file_of(self, text: int, library: Library) -> LibraryFile:
        """The library's file that a text was read from, the first by path where several are equal."""
        with self._reading() as connection:
            row = connection.execute(
                f"{FILES} JOIN members ON members.file = files.number"
                " WHERE members.library = ? AND files.text = ? AND files.state <> ? ORDER BY files.path"
                " LIMIT 1",
                (library.number, text, FileState.GONE),
            ).fetchone()
        if row is None:
            raise _dropped()
        return file_of_row(row)

    def opened(self, file: LibraryFile) -> Opened:
        """A file as it was last read, without what only drawing needs: characters on pages, styles, markers.

        Raises SpanlightError where nothing of it is stored.
        """
        with self._reading() as connection:
            words, view = self._body(connection, file.text)
            row = connection.execute(
                "SELECT layout, language FROM bodies JOIN texts ON number = text WHERE text = ?", (file.text,)
            ).fetchone()
        if row is None:  # its text was still cached
            raise _dropped()
        document = Document(words, Path(file.path).name, file.path, view)
        layout, language = row
        return replace(unpack_layout(document, file.kind, layout), language=language, sha256=file.sha256)

    def count_vectors(self, vectors: str, library: Library | None = None) -> tuple[int, int]:
        """The number of passages with a vector, and of all passages, of one library or of all."""
        with self._reading() as connection:
            ranges = self._ranges_of(connection, library.number if library is not None else 0)
        return int(self._have(vectors, ranges).sum()), sum(ranges.counts)

    def without_vectors(self, vectors: str, most: int) -> list[tuple[Passage, str]]:
        """Up to `most` passages of any library that have no vector yet, each with its text."""
        found: list[tuple[Passage, str]] = []
        with self._reading() as connection:
            ranges = self._ranges_of(connection, 0)
            lacking = np.flatnonzero(_mask(ranges) & ~self._have(vectors, ranges))[:most].tolist()
            for at, numbers in groupby(lacking, ranges.text_of):
                assert at is not None
                text, first = ranges.texts[at], ranges.firsts[at]
                _, _, words, starts = self._indexed(connection, text)
                ends = [*starts[1:], len(words)]
                for number in numbers:
                    span = Span(starts[number - first], ends[number - first])
                    found.append((Passage(number, text, span), span.of(words)))
        return found

    def _have(self, vectors: str, ranges: Ranges) -> np.ndarray:
        """Whether the passage of each number is in these ranges and has a vector."""
        there = _mask(ranges)
        return there & self._vectors.of(vectors).have(len(there))

    def put_vectors(self, vectors: str, passages: Sequence[Passage], values: np.ndarray) -> None:
        """Store passages' unit vectors, float32[n, width], except of a text that was deleted meanwhile."""
        with self._writing() as connection:  # so that no other process deletes a text meanwhile
            texts = {
                text: connection.execute("SELECT 1 FROM texts WHERE number = ?", (text,)).fetchone()
                for text in {passage.text for passage in passages}
            }
            there = [at for at, passage in enumerate(passages) if texts[passage.text]]
            if there:
                numbers = np.array([passages[at].number for at in there])
                self._vectors.of(vectors).put(numbers, values[there])

    def drop_other_vectors(self, vectors: str) -> None:
        """Delete all vectors but those of this name."""
        self._vectors.drop_others(vectors)

    def close(self) -> None:
        """Close the files; the next use opens them again."""
        super().close()
        with self._lock:
            self._bodies.clear()
            self._cached = 0
            self._ranges.clear()
        self._vectors.close()

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
            if text not in self._bodies:  # another thread may have been first
                self._bodies[text] = found
                self._cached += len(found[0])
            while len(self._bodies) > 1 and self._cached > _MOST_CACHED:
                _, (words, _) = self._bodies.popitem(last=False)
                self._cached -= len(words)
        return found

    def _ranges_of(self, connection: sqlite3.Connection, library: int) -> Ranges:
        """The ranges of a library's texts, of all texts for 0, as this read sees them; cached until the next write."""
        now = int(connection.execute("PRAGMA data_version").fetchone()[0])
        with self._lock:
            kept = self._ranges.get(library)
        if kept is not None and kept[0] is connection and kept[1] == now:
            return kept[2]
        condition = f"WHERE number IN ({TEXTS_OF})" if library else ""
        rows = connection.execute(
            f'SELECT number, "first", passages FROM texts {condition} ORDER BY "first"',
            (library,) if library else (),
        ).fetchall()
        ranges = Ranges([row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows])
        with self._lock:
            self._ranges[library] = connection, now, ranges
        return ranges


def _mask(ranges: Ranges) -> np.ndarray:
    """Whether the passage of each number is in these ranges, up to the last of them."""
    there = np.zeros(ranges.firsts[-1] + ranges.counts[-1] if ranges.texts else 0, dtype=bool)
    for first, count in zip(ranges.firsts, ranges.counts, strict=True):
        there[first : first + count] = True
    return there


def _frequencies(rows: Iterable[int], ranges: Ranges, length: int) -> np.ndarray:
    """The frequency of a word of these rows in the passage of each number below `length` and in its text's name,
    float32[length].
    """
    places, numbers = np.divmod(np.fromiter(rows, dtype=np.int64), STRIDE)
    found = np.bincount(numbers[places < ROWS], minlength=length)[:length].astype(np.float32)
    for at in np.flatnonzero(np.isin(ranges.texts, numbers[places == ROWS])).tolist():
        found[ranges.firsts[at] : ranges.firsts[at] + ranges.counts[at]] += _TITLE_WEIGHT
    return found


def _best(scores: np.ndarray, most: int) -> dict[int, float]:
    """The indices of up to `most` of the largest scores above 0, the largest first, each with its score."""
    least = np.partition(scores, -most)[-most] if 0 < most < len(scores) else 0.0
    # Only these are sorted: sorting all takes longer than comparing them.
    best = np.flatnonzero((scores >= least) & (scores > 0))
    order = best[np.argsort(-scores[best], kind="stable")][:most]
    return dict(zip(order.tolist(), scores[order].tolist(), strict=True))


def _dropped() -> SpanlightError:
    return SpanlightError(
        Message("The file has changed or is gone since it was found."), Message("Ask again.")
    )
