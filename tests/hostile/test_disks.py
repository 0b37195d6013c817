"""What a disk can do to the stores: break a file, refuse it, be full, or be held by another; each is one sentence."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import SpanlightError
from app.core.library import FileState, Library
from app.core.report import Silent
from app.flows.teach.reader import teach_reader, unfinished
from app.library.database import Damaged, Database
from app.library.index import Index
from tests.flows.teach.test_reader import NUMBER
from tests.helpers.libraries import NONE, found_in, stored
from tests.helpers.teaching import corrections, reader_workspace
from tests.library.test_database import FIRST, Open, file, names, open_one, put
from tests.library.test_index import index, library

__all__ = ["file", "index", "library", "open_one"]  # fixtures


@pytest.mark.parametrize(
    "content", [b"this is no database at all, it only has its name" * 100, b"\x00" * 5000]
)
def test_a_broken_file_is_set_aside_and_said_once(open_one: Open, file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(Damaged, match="The list was damaged and has been set aside"):
        names(open_one())
    assert file.with_name("things.sqlite3.broken").read_bytes() == content
    database = open_one()
    put(database, "chair")
    assert names(database) == ["chair"]


def test_a_new_file_of_another_process_is_not_set_aside(open_one: Open, file: Path) -> None:
    mine, others = open_one(), open_one()
    put(others, "chair")  # begun after the other process set the broken one aside
    fault = mine._set_aside(sqlite3.DatabaseError("database disk image is malformed"))
    assert isinstance(fault, Damaged)
    assert names(mine) == names(others) == ["chair"]
    assert not file.with_name("things.sqlite3.broken").exists()


def test_a_full_disk_is_said_and_nothing_is_half_written(open_one: Open) -> None:
    database = open_one()
    put(database, "chair")
    with database.reading() as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(SpanlightError, match=r"the disk is full.*Free some space"), database.writing() as one:
        one.execute("INSERT INTO things VALUES ('table')")
        one.execute("INSERT INTO things VALUES (?)", ("x" * 100_000,))
    assert names(database) == ["chair"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_refuses_is_said(open_one: Open, file: Path) -> None:
    file.parent.chmod(0o500)
    try:
        with pytest.raises(SpanlightError, match=r"could not be used.*permissions"):
            put(open_one(), "chair")
    finally:
        file.parent.chmod(0o700)


@pytest.mark.parametrize("what", ["a file where the folder should be", "a folder where the file should be"])
def test_a_place_that_cannot_be_is_said(tmp_path: Path, what: str) -> None:
    place = tmp_path / "place"
    if "file where" in what:
        place.write_bytes(b"")
        database = Database(place / "things.sqlite3", (FIRST,), "The list")
    else:
        place.mkdir()
        database = Database(place, (FIRST,), "The list")
    with pytest.raises(SpanlightError, match=r"The list in .* could not be used"):
        put(database, "chair")


def test_read_only_is_said_and_can_be_mended(open_one: Open) -> None:
    database = open_one()
    put(database, "chair")
    with database.reading() as connection:
        connection.execute("PRAGMA query_only = ON")
    with pytest.raises(SpanlightError, match="could not be used"):
        put(database, "table")
    put(database, "table")  # opened afresh
    assert names(database) == ["chair", "table"]


def test_a_lock_held_too_long_is_said(open_one: Open, file: Path) -> None:
    database = open_one()
    put(database, "chair")
    with database.reading() as connection:
        connection.execute("PRAGMA busy_timeout = 20")
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        with pytest.raises(SpanlightError, match="The list is in use by another program"):
            put(database, "table")
    finally:
        other.execute("ROLLBACK")
        other.close()
    put(database, "table")


@pytest.mark.parametrize("free", [0, 10**12])
def test_an_error_of_the_disk_names_space_where_that_is_it(
    open_one: Open, monkeypatch: pytest.MonkeyPatch, free: int
) -> None:
    database = open_one()
    put(database, "one")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10**12, 10**12 - free, free))
    fault = sqlite3.OperationalError("disk I/O error")
    fault.sqlite_errorcode = sqlite3.SQLITE_IOERR
    with pytest.raises(SpanlightError) as caught, database.writing():
        raise fault
    words = "disk I/O error" if free else "could not be written: the disk is full"
    assert words in caught.value.message
    assert names(database) == ["one"]


def break_database(folder: Path) -> None:
    file = folder / "index.sqlite3"
    whole = bytearray(file.read_bytes())
    whole[4096:] = b"\xff" * (len(whole) - 4096)
    file.write_bytes(whole)
    for suffix in ("-wal", "-shm"):
        Path(f"{file}{suffix}").unlink(missing_ok=True)


@pytest.mark.parametrize("open_before", [False, True], ids=["closed", "open"])
def test_a_broken_database_is_set_aside_and_its_libraries_are_kept(
    index: Index, library: Library, tmp_path: Path, open_before: bool
) -> None:
    files = stored(index, library, {"/docs/a.txt": "An apple."})
    index.body(files["/docs/a.txt"].text)
    index.close()
    break_database(tmp_path / "library")
    if not open_before:
        index = Index(tmp_path / "library")
    with pytest.raises(Damaged, match="The library was damaged and has been set aside"):
        index.libraries()
    assert (tmp_path / "library" / "index.sqlite3.broken").exists()
    assert index.libraries() == [library]
    assert index.status(library).total == 0
    stored(index, library, {"/docs/b.txt": "A banana."})
    assert found_in(index, library, "banana") == ["b.txt"]
    index.close()


def test_a_writer_that_meets_a_broken_page_lets_the_reader_go_too(
    index: Index, library: Library, tmp_path: Path
) -> None:
    stored(index, library, {f"/docs/{at}.txt": f"Apple {at}. " * 500 for at in range(20)})
    index.close()
    index.libraries()  # the reader has it open
    break_database(tmp_path / "library")
    with pytest.raises(Damaged):
        for _ in range(3):
            index.save(Library(0, "Another"))
            index.record_walk(library, [("/docs/0.txt", 1, 1)])
            index.sweep()
    assert index.current(library) == library
    stored(index, library, {"/docs/b.txt": "A banana."})
    assert found_in(index, library, "banana") == ["b.txt"]
    assert (tmp_path / "library" / "index.sqlite3.broken").exists()


def test_a_removed_library_does_not_come_back_with_a_new_database(
    index: Index, library: Library, tmp_path: Path
) -> None:
    index.remove(library)
    index.close()
    (tmp_path / "library" / "index.sqlite3").unlink()
    assert index.libraries() == []
    (tmp_path / "library" / "libraries.json").write_text("[[1, 2")
    assert index.libraries() == []


FULL = """
import resource, signal, sys
from pathlib import Path
from app.core.errors import SpanlightError
from app.core.library import Library
from app.library.index import Index
from app.library.ledger import Content
from app.library.schema import MIGRATIONS
from tests.helpers.libraries import stored
index = Index(Path(sys.argv[1]))
library = index.library("Manuals")
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, resource.RLIM_INFINITY))
import random
texts = {f"/docs/{at}.txt": " ".join(str(random.random()) for _ in range(9000)) for at in range(30)}
try:
    stored(index, library, texts)
except SpanlightError as fault:
    print(fault.message)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="files are limited on Linux")
def test_a_disk_that_takes_no_more_breaks_off_one_file(
    index: Index, library: Library, tmp_path: Path
) -> None:
    stored(index, library, {"/docs/a.txt": "An apple."})
    said = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path / "library")], capture_output=True, text=True, timeout=60
    )
    assert "could not be" in said.stdout, said.stderr
    # Each file is whole or waits.
    for each in index.files(library):
        if each.state is FileState.READ and each.path != "/docs/a.txt":
            assert len(index.opened(each).document.text.split()) == each.words == 9000
        else:
            assert each.path == "/docs/a.txt" or (each.state, each.text) == (FileState.WAITING, 0)
    files = stored(index, library, {"/docs/b.txt": "A banana."})
    assert found_in(index, library, "banana") == ["b.txt"]
    assert len(files) == len(index.without_vectors(NONE, 1000)) == 1


def test_a_reader_that_finds_no_room_says_so_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = reader_workspace(tmp_path / "home")
    with monkeypatch.context() as patched:
        patched.setattr("app.models.disk.copying.free_space", lambda folder: 1000)
        with pytest.raises(SpanlightError, match="are needed"):
            teach_reader(workspace, Silent(), corrections=corrections(NUMBER))
    assert unfinished(workspace, Silent()) is None

    def full(*_: Any) -> None:
        raise OSError(28, "the disk is full on device")

    monkeypatch.setattr("app.training.folder.flush", full)
    with pytest.raises(SpanlightError, match="the disk is full") as refused:
        teach_reader(workspace, Silent(), corrections=corrections(NUMBER))
    assert refused.value.hint == "Free some space."
    workspace.close()
