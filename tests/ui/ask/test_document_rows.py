"""The rows of the list of documents."""

from __future__ import annotations

from typing import Any

from app.core.layout import Kind
from app.core.library import RECOGNISED, FileState, Library, LibraryFile, LibraryStatus
from app.core.report import Progress
from app.ui.ask.document_rows import Files, Part, Row, all_rows, row_of_file, row_of_library, row_of_reading

REPORTS, MANUALS = Library(1, "Reports", ("/r",)), Library(2, "Manuals", ("/m",))
READ = LibraryStatus({FileState.READ: 2})
OPEN = (
    Row(Part.OPEN, "q1.pdf", "12 p", key="a", path="/r/q1.pdf", is_current=True),
    Row(Part.OPEN, "Notes", key="b"),
)


def file(path: str, state: FileState = FileState.READ, **values: object) -> LibraryFile:
    return LibraryFile(1, path, state, **values)  # type: ignore[arg-type]


def rows_of(*given: Any) -> list[Row]:
    return [row if isinstance(row, Row) else row_of_file(row, "/r/q1.pdf") for row in all_rows(*given)]


def shown(rows: list[Row]) -> list[tuple[str, str]]:
    return [(row.name, row.note) for row in rows]


def test_a_files_note_says_its_pages_or_why_it_cannot_be_asked() -> None:
    for given, note in (
        (file("/a.pdf", pages=38, words=9000, kind=Kind.PDF), "38 p"),
        (file("/a.txt", words=812), ""),
        (file("/a.pdf", pages=3, reason=RECOGNISED.filled(n=2)), "3 p, recognised"),
        (file("/a.pdf", pages=3, reason="1 of 3 pages is a picture."), "in part"),
        (file("/a.PDF", FileState.NO_TEXT), "scan"),
        (file("/a.txt", FileState.NO_TEXT), "empty"),
        (file("/a.pdf", FileState.LOCKED, reason="It needs its password."), "password"),
        (file("/a.pdf", FileState.FAILED), "not read"),
        (file("/a.pdf", FileState.WAITING), ""),
    ):
        row = row_of_file(given)
        assert (row.note, row.path) == (note, given.path)
    _, spoken, tip = row_of_file(file("/r/a.pdf", FileState.LOCKED, reason="It needs its password.")).words
    assert spoken == "a.pdf, password, It needs its password."
    assert tip == "/r/a.pdf\nIt needs its password."


def test_a_librarys_header_counts_what_was_read_or_shows_the_progress() -> None:
    part = LibraryStatus({FileState.READ: 41, FileState.LOCKED: 1, FileState.GONE: 3})
    assert row_of_library(REPORTS, part, None, expanded=False).note == "41 of 42 read"
    assert row_of_library(REPORTS, READ, None, expanded=False).note == "2"
    assert row_of_library(REPORTS, READ, Progress(0, 0), expanded=True).note == "2 read"
    running = row_of_library(REPORTS, part, Progress(10, 40), expanded=True)
    assert (running.note, running.fraction) == ("25%", 0.25)
    away = LibraryStatus({FileState.READ: 2}, missing=("/r",), refused=("/s/x", "/s/y"))
    tip = row_of_library(REPORTS, away, None, expanded=True).words[2]
    assert "“/r” is not there now" in tip and "“/s/x” and 1 other folder could not be opened." in tip
    assert row_of_reading(REPORTS, Progress(10, 40, "files", 118.0)).name == "About 2 minutes left"


def test_only_the_files_of_the_expanded_library_are_listed() -> None:
    files = {
        1: Files(
            [file("/r/q1.pdf", pages=12), file("/r/gone.pdf", FileState.GONE), file("/r/q2.pdf", pages=9)]
        )
    }
    libraries = [(MANUALS, READ), (REPORTS, READ)]
    rows = rows_of(OPEN, libraries, {}, files, 1, ["/r/q1.pdf", "/x/old.md"])
    assert shown(rows) == [
        ("Open documents", ""), ("q1.pdf", "12 p"), ("Notes", ""),
        ("Manuals", "2"), ("Reports", "2 read"), ("q1.pdf", "12 p"), ("q2.pdf", "9 p"),
        ("Opened before", ""), ("old.md", ""),
    ]  # fmt: skip
    assert [row.name for row in rows if row.is_current] == ["q1.pdf", "q1.pdf"], "wherever it is listed"
    collapsed = rows_of(OPEN, libraries, {1: Progress(1, 2, "files", 3.0)}, files, 0, [])
    assert shown(collapsed)[3:] == [("Manuals", "2"), ("Reports", "50%"), ("A few seconds left", "Stop")]


def test_a_search_finds_all_its_words_in_names_of_every_library() -> None:
    files = {
        1: Files([file("/r/q1 2025.pdf", pages=12)]),
        2: Files([file("/m/Pump 2025.pdf"), file("/m/2025.md")]),
    }
    libraries = [(MANUALS, READ), (REPORTS, READ)]
    rows = rows_of(OPEN, libraries, {}, files, 0, ["/x/old 2025.PDF", "/x/a.md"], " PDF 2025 ")
    assert [row.name for row in rows] == [
        "Manuals", "Pump 2025.pdf", "Reports", "q1 2025.pdf", "Opened before", "old 2025.PDF",
    ]  # fmt: skip
    assert rows[0].note == "1 found"
    assert [row.part for row in rows_of(OPEN, libraries, {}, files, 1, [], "zzz")] == [Part.NOTHING]


def test_files_of_equal_names_show_their_folders() -> None:
    files = Files([file("/r/2024/Lease.pdf"), file("/r/2025/lease.pdf"), file("/r/2025/other.pdf")])
    names = [row_of_file(one, equal=files.equal).name for one in files.all]
    assert names == ["Lease.pdf · 2024", "lease.pdf · 2025", "other.pdf"]


def test_a_file_that_is_read_replaces_its_row() -> None:
    files = Files([file("/r/a.pdf", FileState.WAITING), file("/r/b.pdf", FileState.WAITING)])
    assert files.put(file("/r/b.pdf", pages=3)) == 1
    assert [row_of_file(one).note for one in files.all] == ["", "3 p"]
    assert files.put(file("/r/other.pdf", pages=3)) == -1
