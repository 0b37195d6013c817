"""A library brought up to date: every state of its files, whatever happens to them and to the update meanwhile."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import EngineLost, NotStarted, PasswordNeeded, SpanlightError
from app.core.library import FileState, Library
from app.core.report import Silent, Stopped
from app.engine.child import ChildBug
from app.flows.ask import document_process
from app.flows.library import folders
from app.flows.library import update as update_module
from app.flows.library.libraries import planned, save_library
from app.flows.library.update import Update, read_locked, update
from app.flows.workspace import Workspace
from app.library.index import Index
from tests.flows.fake_engine import fake_workspace
from tests.helpers.children import POSIX, Listener
from tests.helpers.documents_here import documents_here
from tests.helpers.libraries import (
    DEADLY,
    NONE,
    everything_of,
    found_in,
    linked,
    make_older,
    start_dying,
    written,
)
from tests.helpers.small_pdfs import Page, Words, locked_pdf, small_pdf

FRUIT = {"apple.txt": "An apple.", "banana.md": "# A banana", "more/cherry.html": "<p>A cherry.</p>"}


class Reader:
    """Reads in this process; `read` remembers the names, `instead` does something else for some of them."""

    def __init__(self, instead: dict[str, Callable[[], object]]) -> None:
        self.names: list[str] = []
        self._instead = instead

    def __call__(self, logs: Path) -> Reader:
        self._documents = documents_here()
        return self

    def read(self, order: Any, report: Any) -> Any:
        self.names.append(order.name)
        if order.name in self._instead:
            self._instead[order.name]()
        return self._documents.read(order, report)

    def close(self) -> None: ...


@pytest.fixture
def instead() -> dict[str, Callable[[], object]]:
    return {}


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch, instead: dict[str, Callable[[], object]]) -> Reader:
    reader = Reader(instead)
    monkeypatch.setattr(update_module, "Documents", reader)
    monkeypatch.setattr(update_module, "_MOST_READERS", 1)
    return reader


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    workspace = fake_workspace(tmp_path / "home")
    yield workspace
    workspace.close()


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return written(tmp_path / "docs", FRUIT)


@pytest.fixture
def library(workspace: Workspace, docs: Path) -> Library:
    return linked(workspace, docs)


@pytest.fixture
def index(workspace: Workspace) -> Index:
    return workspace.library


def raising(fault: BaseException) -> Callable[[], None]:
    def act() -> None:
        raise fault

    return act


def counts(done: Update) -> tuple[int, int, int, int]:
    return done.read, done.known, done.failed, done.gone


def states(index: Index, library: Library) -> dict[str, FileState]:
    return {Path(file.path).name: file.state for file in index.files(library)}


def later(path: Path) -> None:
    """Give a file a time of its own."""
    now = path.stat().st_mtime_ns + 1_000_000_000
    os.utime(path, ns=(now, now))


def changed(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")
    later(path)


def test_files_are_read_and_found(
    workspace: Workspace, library: Library, index: Index, reader: Reader
) -> None:
    report = Listener()
    done = update(workspace, library, report)
    assert (counts(done), done.words) == ((3, 0, 0, 0), 6)
    assert sorted(Path(each.path).name for each in report.partials) == [
        "apple.txt",
        "banana.md",
        "cherry.html",
    ]
    assert {each.state for each in report.partials} == {FileState.READ}
    assert (report.told[-1].done, report.told[-1].total) == (3, 3)
    assert found_in(index, library, "cherry") == ["cherry.html"]
    assert index.status(library).in_words == "3 files read"


def test_a_file_without_anything_to_read_has_no_text(
    workspace: Workspace, library: Library, docs: Path, index: Index
) -> None:
    (docs / "empty.txt").write_text(" \n")
    assert counts(update(workspace, library, Silent())) == (3, 0, 1, 0)
    assert states(index, library)["empty.txt"] is FileState.NO_TEXT


def test_files_stay_where_their_folder_lets_nobody_look_at_them(
    workspace: Workspace, library: Library, docs: Path, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(docs, {"closed/one.txt": "one", "closed/two.txt": "two"})
    assert update(workspace, library, Silent()).read == 5
    real = os.scandir

    class Entry:
        def __init__(self, entry: os.DirEntry[str]) -> None:
            self.name, self.path, self.is_symlink = entry.name, entry.path, entry.is_symlink
            self._entry = entry

        def stat(self) -> os.stat_result:
            if "closed/" in self.path:
                raise PermissionError(13, "Permission denied", self.path)
            return self._entry.stat()

    @contextmanager
    def scandir(path: str) -> Iterator[Iterator[Entry]]:
        with real(path) as found:
            yield map(Entry, found)

    monkeypatch.setattr(os, "scandir", scandir)
    done = update(workspace, library, Silent())
    assert counts(done) == (0, 0, 0, 0) and done.walk.refused == [str(docs / "closed")]
    assert states(index, library)["one.txt"] is FileState.READ
    assert "closed" in index.status(library).unreachable_in_words


def test_what_has_not_changed_is_not_read_again(
    workspace: Workspace, library: Library, docs: Path, index: Index, reader: Reader
) -> None:
    update(workspace, library, Silent())
    before = everything_of(index, library, "apple")
    reader.names.clear()
    assert counts(update(workspace, library, Silent())) == (0, 0, 0, 0)
    later(docs / "apple.txt")  # its time alone is another
    assert counts(update(workspace, library, Silent())) == (0, 1, 0, 0)
    assert reader.names == []
    assert everything_of(index, library, "apple")["passages"] == before["passages"]


def test_a_changed_file_is_read_again(
    workspace: Workspace, library: Library, docs: Path, index: Index, reader: Reader
) -> None:
    update(workspace, library, Silent())
    changed(docs / "apple.txt", "A date.")
    assert counts(update(workspace, library, Silent())) == (1, 0, 0, 0)
    assert found_in(index, library, "date") == ["apple.txt"]
    assert len(index.without_vectors(NONE, 100)) == 3


def test_new_gone_and_returned_files(
    workspace: Workspace, library: Library, docs: Path, index: Index, reader: Reader
) -> None:
    update(workspace, library, Silent())
    (docs / "apple.txt").unlink()
    written(docs, {"elder/berry.txt": "An elderberry."})
    assert counts(update(workspace, library, Silent())) == (1, 0, 0, 1)
    assert states(index, library)["apple.txt"] is FileState.GONE
    assert found_in(index, library, "apple") == []
    assert counts(update(workspace, library, Silent())) == (0, 0, 0, 0)
    written(docs, {"apple.txt": "An apple."})
    assert counts(update(workspace, library, Silent())) == (1, 0, 0, 0)
    assert found_in(index, library, "apple") == ["apple.txt"]


def test_a_moved_file_is_found_by_its_new_name_without_being_read(
    workspace: Workspace, library: Library, docs: Path, index: Index, reader: Reader
) -> None:
    update(workspace, library, Silent())
    reader.names.clear()
    (docs / "apple.txt").rename(docs / "more" / "Golden_Delicious.txt")
    (docs / "more").rename(docs / "fruit")
    assert counts(update(workspace, library, Silent())) == (0, 2, 0, 0)
    assert reader.names == []
    assert found_in(index, library, "golden delicious") == ["Golden_Delicious.txt"]
    assert sorted(states(index, library)) == ["Golden_Delicious.txt", "banana.md", "cherry.html"]


def test_a_copy_is_not_read(
    workspace: Workspace, library: Library, docs: Path, index: Index, reader: Reader
) -> None:
    written(docs, {"more/second.txt": FRUIT["apple.txt"]})
    done = update(workspace, library, Silent())
    assert done.read + done.known == 4
    written(docs, {"more/third.txt": FRUIT["apple.txt"]})
    assert counts(update(workspace, library, Silent())) == (0, 1, 0, 0)
    assert len(index.without_vectors(NONE, 100)) == 3
    assert set(states(index, library).values()) == {FileState.READ}


def test_check_everything_finds_a_change_that_the_time_hides(
    workspace: Workspace, library: Library, docs: Path, index: Index, reader: Reader
) -> None:
    update(workspace, library, Silent())
    before = (docs / "apple.txt").stat()
    (docs / "apple.txt").write_text("An olive.")
    os.utime(docs / "apple.txt", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert counts(update(workspace, library, Silent())) == (0, 0, 0, 0)
    assert counts(update(workspace, library, Silent(), everything=True)) == (1, 0, 0, 0)
    assert found_in(index, library, "olive") == ["apple.txt"]


# What cannot be read


def test_each_fault_has_its_state_and_its_reason(
    workspace: Workspace, library: Library, docs: Path, index: Index, reader: Reader
) -> None:
    (docs / "locked.pdf").write_bytes(locked_pdf("The deposit is due.", "secret"))
    (docs / "scan.pdf").write_bytes(small_pdf([Page()]))
    (docs / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    (docs / "empty.txt").touch()
    report = Listener()
    assert counts(update(workspace, library, report)) == (3, 0, 4, 0)
    found = {Path(file.path).name: file for file in index.files(library)}
    assert {name: found[name].state for name in ("locked.pdf", "scan.pdf", "broken.pdf", "empty.txt")} == {
        "locked.pdf": FileState.LOCKED,
        "scan.pdf": FileState.NO_TEXT,
        "broken.pdf": FileState.FAILED,
        "empty.txt": FileState.FAILED,
    }
    assert all(file.reason for file in found.values() if file.state is not FileState.READ)
    assert "empty" in found["empty.txt"].reason and "password" in found["locked.pdf"].reason
    assert index.status(library).in_words == "3 of 7 files read"
    assert len(report.partials) == 7
    # None is tried again before it changes, or everything is checked.
    reader.names.clear()
    assert counts(update(workspace, library, Silent())) == (0, 0, 0, 0)
    changed(docs / "empty.txt", "Filled.")
    assert counts(update(workspace, library, Silent())) == (1, 0, 0, 0)
    assert reader.names == ["empty.txt"]
    assert counts(update(workspace, library, Silent(), everything=True)) == (0, 0, 3, 0)


def test_a_locked_file_is_read_with_the_password_that_is_not_kept(
    workspace: Workspace, library: Library, docs: Path, index: Index, reader: Reader, tmp_path: Path
) -> None:
    path = docs / "lease.pdf"
    path.write_bytes(locked_pdf("The deposit is due.", "sesame-xyzzy"))
    update(workspace, library, Silent())
    (file,) = index.files(library, [FileState.LOCKED])
    with pytest.raises(PasswordNeeded) as refused:
        read_locked(workspace, file.path, "wrong", Silent())
    assert refused.value.wrong
    assert states(index, library)["lease.pdf"] is FileState.LOCKED
    now = read_locked(workspace, file.path, "sesame-xyzzy", Silent())
    assert now is not None and (now.state, now.reason, now.words) == (FileState.READ, "", 4)
    assert found_in(index, library, "deposit") == ["lease.pdf"]
    later(path)
    path.rename(docs / "moved.pdf")  # its content is known
    assert counts(update(workspace, library, Silent())) == (0, 1, 0, 0)
    workspace.close()
    for stored in (tmp_path / "home").rglob("*"):
        assert stored.is_dir() or b"xyzzy" not in stored.read_bytes()


def test_a_locked_file_of_no_library_is_not_read(workspace: Workspace, library: Library, docs: Path) -> None:
    path = docs / "lease.pdf"
    path.write_bytes(locked_pdf("The deposit", "sesame-xyzzy"))
    assert read_locked(workspace, str(path), "sesame-xyzzy", Silent()) is None


def test_a_file_that_may_not_be_opened_is_tried_each_time(
    workspace: Workspace,
    library: Library,
    docs: Path,
    index: Index,
    reader: Reader,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = Path.open
    refusal = PermissionError(13, "Permission denied")

    def refusing(path: Path, *rest: Any, **others: Any) -> Any:
        if path.name == "apple.txt":
            raise refusal
        return real(path, *rest, **others)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", refusing)
        reader._instead["apple.txt"] = raising(SpanlightError("“apple.txt” may not be read."))
        assert counts(update(workspace, library, Silent())) == (2, 0, 1, 0)
        assert index.files(library, [FileState.FAILED])[0].reason == "“apple.txt” may not be read."
        assert counts(update(workspace, library, Silent())) == (0, 0, 1, 0)
    del reader._instead["apple.txt"]
    assert counts(update(workspace, library, Silent())) == (1, 0, 0, 0)


def test_a_file_that_changes_while_it_is_read_is_read_again_next_time(
    workspace: Workspace, library: Library, docs: Path, index: Index, reader: Reader
) -> None:
    text = "An apple. " * 1000
    changed(docs / "apple.txt", text)
    reader._instead["apple.txt"] = lambda: changed(docs / "apple.txt", "Half of")
    update(workspace, library, Silent())
    reader._instead.clear()
    changed(docs / "apple.txt", text)
    assert update(workspace, library, Silent()).read == 1
    assert index.opened(index.file(str(docs / "apple.txt"))).document.text == text  # type: ignore[arg-type]


def test_a_file_that_goes_while_it_waits_is_no_failure(
    workspace: Workspace, library: Library, docs: Path, index: Index, reader: Reader
) -> None:
    reader._instead["apple.txt"] = lambda: (docs / "more" / "cherry.html").unlink()
    done = update(workspace, library, Silent())
    assert (done.read, done.failed) == (2, 0)
    assert states(index, library)["cherry.html"] is FileState.WAITING
    assert update(workspace, library, Silent()).gone == 1


def test_a_mistake_of_ours_costs_that_file_only(
    workspace: Workspace, library: Library, index: Index, reader: Reader, caplog: pytest.LogCaptureFixture
) -> None:
    reader._instead["apple.txt"] = raising(ChildBug("Traceback: deep inside"))
    reader._instead["banana.md"] = raising(EngineLost("The documents process crashed."))
    assert counts(update(workspace, library, Silent())) == (1, 0, 2, 0)
    assert "deep inside" in caplog.text
    assert "It crashes Spanlight" in index.file(str(Path(library.roots[0]) / "apple.txt")).reason  # type: ignore[union-attr]
    assert counts(update(workspace, library, Silent())) == (0, 0, 0, 0)


def test_where_no_process_can_be_started_no_file_is_blamed(
    workspace: Workspace, library: Library, index: Index, reader: Reader
) -> None:
    for name in ("apple.txt", "banana.md", "cherry.html"):
        reader._instead[name] = raising(
            NotStarted("The documents process could not be started.", "Close others.")
        )
    with pytest.raises(SpanlightError, match="could not be started"):
        update(workspace, library, Silent())
    assert set(states(index, library).values()) == {FileState.WAITING}
    reader._instead.clear()
    assert update(workspace, library, Silent()).read == 3


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_names_that_are_no_utf_8_are_read_and_refused(
    workspace: Workspace, library: Library, docs: Path, index: Index, reader: Reader
) -> None:
    (docs / os.fsdecode(b"ol\xe9.txt")).write_text("An olive.")
    (docs / os.fsdecode(b"\xff.txt")).touch()
    (docs / os.fsdecode(b"single.\xff")).write_text("A single one.")
    library = save_library(
        workspace, planned(workspace, [docs / os.fsdecode(b"single.\xff")], name="docs"), Silent()
    )
    assert counts(update(workspace, library, Silent())) == (5, 0, 1, 0)
    assert found_in(index, library, "olive") == ["ol\udce9.txt"]
    assert found_in(index, library, "single") == ["single.\udcff"]
    assert "“?.txt” is empty" in index.files(library, [FileState.FAILED])[0].reason


@POSIX
def test_single_files_of_unknown_kinds(
    workspace: Workspace, index: Index, reader: Reader, tmp_path: Path
) -> None:
    written(tmp_path, {"notes.xyz": "Plain words.", "Makefile": "all: fruit"})
    (tmp_path / "photo.zzz").write_bytes(b"GIF89a" + bytes(100))
    os.mkfifo(tmp_path / "pipe")
    library = linked(workspace, *(tmp_path / name for name in ("notes.xyz", "Makefile", "photo.zzz", "pipe")))
    assert counts(update(workspace, library, Silent())) == (2, 0, 2, 0)
    reasons = {Path(file.path).name: file.reason for file in index.files(library, [FileState.FAILED])}
    assert "a picture" in reasons["photo.zzz"] and "a pipe" in reasons["pipe"]


# Roots


def test_files_on_a_drive_that_went_away_are_kept_and_searched(
    workspace: Workspace, library: Library, docs: Path, index: Index, reader: Reader, tmp_path: Path
) -> None:
    update(workspace, library, Silent())
    written(docs, {"new.txt": "A new one."})
    index.take_walk(library, [(str(docs / "new.txt"), 10, (docs / "new.txt").stat().st_mtime_ns)])
    docs.rename(tmp_path / "elsewhere")
    for _ in range(2):
        assert counts(update(workspace, library, Silent())) == (0, 0, 0, 0)
        assert found_in(index, library, "apple") == ["apple.txt"]
        assert index.status(library).missing == (str(docs),)
        docs.mkdir(exist_ok=True)  # the second time it is the empty place where the drive was
    docs.rmdir()
    (tmp_path / "elsewhere").rename(docs)
    assert counts(update(workspace, library, Silent())) == (1, 0, 0, 0)
    assert index.status(library).missing == ()


def test_a_single_file_is_gone_only_if_its_folder_is_there(
    workspace: Workspace, index: Index, reader: Reader, tmp_path: Path
) -> None:
    written(tmp_path / "drive", {"a.txt": "An apple.", "b.txt": "A banana."})
    library = linked(workspace, tmp_path / "drive" / "a.txt", tmp_path / "drive" / "b.txt")
    update(workspace, library, Silent())
    (tmp_path / "drive").rename(tmp_path / "off")
    assert update(workspace, library, Silent()).gone == 0
    (tmp_path / "off").rename(tmp_path / "drive")
    (tmp_path / "drive" / "a.txt").unlink()
    assert update(workspace, library, Silent()).gone == 1
    assert states(index, library) == {"a.txt": FileState.GONE, "b.txt": FileState.READ}


def test_a_folder_that_refuses_keeps_its_files_and_is_told(
    workspace: Workspace,
    library: Library,
    docs: Path,
    index: Index,
    reader: Reader,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    update(workspace, library, Silent())
    real = os.scandir

    def refusing(path: Any) -> Any:
        if path == str(docs / "more"):
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    with monkeypatch.context() as patch:
        patch.setattr(folders.os, "scandir", refusing)
        assert counts(update(workspace, library, Silent())) == (0, 0, 0, 0)
    assert index.status(library).refused == (str(docs / "more"),)
    assert found_in(index, library, "cherry") == ["cherry.html"]
    update(workspace, library, Silent())
    assert index.status(library).refused == ()


def test_what_is_no_longer_a_librarys_leaves_it(
    workspace: Workspace, library: Library, docs: Path, index: Index, reader: Reader, tmp_path: Path
) -> None:
    written(tmp_path / "second", {"date.txt": "A date."})
    both = save_library(workspace, planned(workspace, [tmp_path / "second"], name="docs"), Silent())
    # A window may still know the library as it was.
    assert update(workspace, library, Silent()).read == 4
    less = Library(both.number, both.name, both.roots[1:] if "second" in both.roots[1] else both.roots[:1])
    save_library(workspace, less, Silent())
    assert counts(update(workspace, both, Silent())) == (0, 0, 0, 0)
    assert list(states(index, library)) == ["date.txt"]
    save_library(workspace, Library(both.number, both.name, (str(docs),), ignore=("more",)), Silent())
    assert update(workspace, both, Silent()).read == 2
    assert sorted(states(index, library)) == ["apple.txt", "banana.md"]
    assert len(index.without_vectors(NONE, 100)) == 2


# Stops, kills, other processes


def test_stopped_at_any_moment_the_next_update_goes_on(
    workspace: Workspace, docs: Path, index: Index, reader: Reader
) -> None:
    whole = linked(workspace, docs, name="whole")
    update(workspace, whole, Silent())
    expected = everything_of(index, whole, "apple", "banana cherry")
    index.remove(whole)
    library = linked(workspace, docs, name="broken off")
    stops = 0
    for calls in range(200):
        heard = iter(range(calls))
        try:
            update(
                workspace,
                library,
                Listener(lambda _, heard=heard: next(heard, None) is None),
                everything=True,
            )
            break
        except Stopped:
            stops += 1
    assert stops >= 3
    update(workspace, library, Silent())
    assert everything_of(index, library, "apple", "banana cherry") == expected


def test_two_updates_at_once(
    workspace: Workspace, library: Library, index: Index, reader: Reader, tmp_path: Path
) -> None:
    other = fake_workspace(tmp_path / "home")
    said: list[str] = []

    def update_too() -> None:
        with pytest.raises(SpanlightError) as refused:
            update(other, library, Silent())
        said.append(str(refused.value))
        assert other.library.status(library).total == 3

    reader._instead["apple.txt"] = update_too
    assert update(workspace, library, Silent()).read == 3
    assert said == [
        "Another Spanlight is updating the libraries just now. What was read can be asked; try again later."
    ]
    assert counts(update(other, library, Silent())) == (0, 0, 0, 0)
    other.close()


def test_a_library_removed_while_it_is_read_leaves_nothing(
    workspace: Workspace, library: Library, index: Index, reader: Reader
) -> None:
    reader._instead["banana.md"] = lambda: index.remove(library)
    update(workspace, library, Silent())
    assert index.without_vectors(NONE, 10) == []
    with pytest.raises(SpanlightError, match="was removed"):
        update(workspace, library, Silent())


def test_a_place_that_cannot_be_written_is_said(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir(exist_ok=True)
    workspace.paths.library.parent.mkdir(parents=True)
    workspace.paths.library.write_text("a file where the folder should be")
    with pytest.raises(SpanlightError, match="could not be used"):
        update(workspace, Library(1, "All"), Silent())


@pytest.mark.parametrize("stopped", [True, False], ids=["stopped", "to the end"])
def test_real_processes_read_and_one_that_dies_costs_its_file_only(
    workspace: Workspace, index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stopped: bool
) -> None:
    monkeypatch.setattr(document_process, "start_limited", start_dying)
    docs = written(tmp_path / "docs", {f"{at}.txt": f"Number {at}. " * 50 for at in range(8)})
    (docs / DEADLY).write_text("This ends who reads it.")
    (docs / "paper.pdf").write_bytes(small_pdf([Page([Words("The knave stole the tarts.")])]))
    library = linked(workspace, docs)
    threads = threading.active_count()
    if stopped:
        began: list[float] = []

        def once_some_are_read(listener: Listener) -> bool:
            began.extend([time.monotonic()] if len(listener.partials) >= 2 else [])
            return bool(began)

        with pytest.raises(Stopped):
            update(workspace, library, Listener(once_some_are_read))
        assert time.monotonic() - began[0] < 3
    else:
        assert counts(update(workspace, library, Silent())) == (9, 0, 1, 0)
        (deadly,) = index.files(library, [FileState.FAILED])
        assert (Path(deadly.path).name, "more than 2 GB of memory" in deadly.reason) == (DEADLY, True)
        assert found_in(index, library, "knave") == ["paper.pdf"]
        assert index.status(library).in_words == "9 of 10 files read"
        assert counts(update(workspace, library, Silent())) == (0, 0, 0, 0)
    assert threading.active_count() == threads
    assert not [one for one in multiprocessing.active_children() if one.name == "documents process"]


def test_an_older_index_is_made_anew_without_its_files(
    workspace: Workspace, reader: Reader, tmp_path: Path
) -> None:
    library = linked(workspace, written(tmp_path / "docs", FRUIT))
    update(workspace, library, Silent())
    before = everything_of(workspace.library, library, "apple", "cherry")
    workspace.library.close()
    make_older(workspace.paths.library)
    (tmp_path / "docs").rename(tmp_path / "away")
    reader.names.clear()
    update(workspace, library, Silent())
    assert everything_of(workspace.library, library, "apple", "cherry") == before
    assert reader.names == []
