"""Updating a library: every state of its files, and changes and faults during the update."""

from __future__ import annotations

import multiprocessing
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from app.core.answer_table import AnswerTable
from app.core.errors import EngineLost, NotStarted, PasswordNeeded, SpanlightError
from app.core.library import FileState, Library
from app.core.report import Report, Silent, Stopped
from app.engine.child import ChildBug
from app.flows.answer_table.tables import files_of, save_table, tables
from app.flows.ask import document_process
from app.flows.library import update as update_module
from app.flows.library.folders import Walk
from app.flows.library.libraries import plan_library, remove_library, save_library
from app.flows.library.update import Update, read_again, update
from app.flows.workspace import Workspace
from app.library.index import Index
from app.library.ledger import Content
from tests.flows.fake_engine import fake_workspace
from tests.helpers.children import POSIX, Listener
from tests.helpers.documents_here import documents_here
from tests.helpers.libraries import (
    DEADLY,
    NONE,
    everything_of,
    found_in,
    give_vectors,
    have_their_own,
    linked,
    make_older,
    refuse,
    start_dying,
    without_findings,
    written,
)
from tests.helpers.small_pdfs import Page, Words, locked_pdf, small_pdf

VECTORS = "some-32"
Counts = tuple[int, int, int, int]  # read, known, failed, gone
SILENT = Silent()
NAMES = ["apple.txt", "banana.md", "cherry.html"]
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


def counts(done: Update) -> Counts:
    return done.read, done.known, done.failed, done.gone


def states(index: Index, library: Library) -> dict[str, FileState]:
    return {Path(file.path).name: file.state for file in index.files(library)}


@dataclass
class Here:
    """A library of `docs`, read by `reader`."""

    workspace: Workspace
    library: Library
    docs: Path
    reader: Reader

    @property
    def index(self) -> Index:
        return self.workspace.library

    def update(self, library: Library | None = None, report: Report = SILENT, **how: Any) -> Counts:
        return counts(update(self.workspace, library or self.library, report, **how))

    def found(self, question: str) -> list[str]:
        return found_in(self.index, self.library, question)

    def states(self) -> dict[str, FileState]:
        return states(self.index, self.library)

    def passages(self) -> int:
        return len(self.index.without_vectors(NONE, 100))


@pytest.fixture
def here(workspace: Workspace, library: Library, docs: Path, reader: Reader) -> Here:
    return Here(workspace, library, docs, reader)


def raising(fault: BaseException) -> Callable[[], None]:
    def act() -> None:
        raise fault

    return act


def later(path: Path) -> None:
    """Give a file a modification time."""
    now = path.stat().st_mtime_ns + 1_000_000_000
    os.utime(path, ns=(now, now))


def changed(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")
    later(path)


def test_files_are_read_and_found(here: Here) -> None:
    report = Listener()
    done = update(here.workspace, here.library, report)
    assert (counts(done), done.words) == ((3, 0, 0, 0), 6)
    assert sorted(Path(each.path).name for each in report.partials) == NAMES
    assert {each.state for each in report.partials} == {FileState.READ}
    assert (report.told[-1].done, report.told[-1].total) == (3, 3)
    assert here.found("cherry") == ["cherry.html"]
    assert here.index.status(here.library).in_words == "3 files read"


def test_what_has_not_changed_is_not_read_again(here: Here) -> None:
    here.update()
    before = everything_of(here.index, here.library, "apple")
    here.reader.names.clear()
    assert here.update() == (0, 0, 0, 0)
    later(here.docs / "apple.txt")  # its time alone is another
    assert here.update() == (0, 1, 0, 0)
    assert here.reader.names == []
    assert everything_of(here.index, here.library, "apple")["passages"] == before["passages"]


def test_changed_new_gone_and_returned_files(here: Here) -> None:
    here.update()
    changed(here.docs / "apple.txt", "A date.")
    assert here.update() == (1, 0, 0, 0)
    assert here.found("date") == ["apple.txt"]
    assert here.passages() == 3
    (here.docs / "apple.txt").unlink()
    written(here.docs, {"elder/berry.txt": "An elderberry."})
    assert here.update() == (1, 0, 0, 1)
    assert here.states()["apple.txt"] is FileState.GONE
    assert here.found("apple") == []
    assert here.update() == (0, 0, 0, 0)
    written(here.docs, {"apple.txt": "An apple."})
    assert here.update() == (1, 0, 0, 0)
    assert here.found("apple") == ["apple.txt"]


def test_a_moved_file_is_found_by_its_new_name_without_being_read(here: Here) -> None:
    here.update()
    here.reader.names.clear()
    (here.docs / "apple.txt").rename(here.docs / "more" / "Golden_Delicious.txt")
    (here.docs / "more").rename(here.docs / "fruit")
    assert here.update() == (0, 2, 0, 0)
    assert here.reader.names == []
    assert here.found("golden delicious") == ["Golden_Delicious.txt"]
    assert sorted(here.states()) == ["Golden_Delicious.txt", "banana.md", "cherry.html"]


def test_a_document_chosen_for_a_table_may_move(here: Here) -> None:
    here.update()
    apple, fruit = here.docs / "apple.txt", here.docs / "fruit.txt"
    chosen = (str(apple), str(here.docs / "banana.md"))
    save_table(here.workspace, AnswerTable(0, "A", here.library.number, documents=chosen), SILENT)
    here.update()
    apple.rename(fruit)
    here.update()
    (table,) = tables(here.workspace, SILENT)
    assert table.documents == (str(fruit), chosen[1])
    assert {Path(file.path).name for file in files_of(here.workspace, table)} == {"banana.md", "fruit.txt"}
    fruit.unlink()
    here.update()
    assert tables(here.workspace, SILENT) == (table,)


def test_a_file_that_failed_is_read_again_when_asked(here: Here) -> None:
    here.update()
    (file,) = (each for each in here.index.files(here.library) if each.path.endswith("apple.txt"))
    content = Content(file.sha256, file.size, file.modified)
    here.index.fail(file, FileState.FAILED, "The process died.", content)
    assert here.update() == (0, 0, 0, 0) and here.states()["apple.txt"] is FileState.FAILED
    now = read_again(here.workspace, file.path, "", SILENT)
    assert now is not None and now.state is FileState.READ and here.found("apple") == ["apple.txt"]
    assert read_again(here.workspace, file.path, "", SILENT) is None


def test_no_document_is_looked_for_unless_it_was_chosen_for_a_table(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    here.update()
    save_table(here.workspace, AnswerTable(0, "Whole", here.library.number), SILENT)
    elsewhere = here.index.save(Library(0, "Elsewhere", (str(here.docs.parent / "elsewhere"),)))
    banana = str(here.docs / "banana.md")
    save_table(here.workspace, AnswerTable(0, "Other", elsewhere.number, documents=(banana,)), SILENT)
    (here.docs / "apple.txt").rename(here.docs / "fruit.txt")
    (here.docs / "banana.md").rename(here.docs / "yellow.md")
    monkeypatch.setattr(type(here.workspace.tables), "move", lambda *_: pytest.fail("nothing was chosen"))
    assert here.update() == (0, 2, 0, 0)


def test_moved_files_are_not_told_as_read() -> None:
    done = Update(2, 3, 0, 1, 10, 0.5, Walk())
    assert done.in_words == "2 files read, 3 moved or copied, 1 gone"


def test_a_copy_is_not_read(here: Here) -> None:
    written(here.docs, {"more/second.txt": FRUIT["apple.txt"]})
    done = here.update()
    assert sum(done[:2]) == 4
    written(here.docs, {"more/third.txt": FRUIT["apple.txt"]})
    assert here.update() == (0, 1, 0, 0)
    assert here.passages() == 3
    assert set(here.states().values()) == {FileState.READ}


def test_check_everything_finds_a_change_that_the_time_hides(here: Here) -> None:
    here.update()
    before = (here.docs / "apple.txt").stat()
    (here.docs / "apple.txt").write_text("An olive.")
    os.utime(here.docs / "apple.txt", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert here.update() == (0, 0, 0, 0)
    assert here.update(everything=True) == (1, 0, 0, 0)
    assert here.found("olive") == ["apple.txt"]


@POSIX
def test_the_space_of_much_text_comes_back_with_its_file_and_with_its_library(
    here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def taken() -> int:
        return sum(file.stat().st_blocks for file in here.workspace.paths.library.iterdir())

    monkeypatch.setattr(update_module, "_MANY_PASSAGES", 100)
    here.update()
    small = taken()
    long = " ".join(map(str, range(30_000)))
    written(here.docs, {"long.txt": long})
    others = linked(here.workspace, written(tmp_path / "others", {"other.txt": long[:-1]}))
    for library in here.library, others:
        here.update(library)
        give_vectors(here.index, VECTORS)
    large = taken()
    (here.docs / "long.txt").unlink()
    assert here.update() == (0, 0, 0, 1)
    half = taken()
    assert half - small < 0.6 * (large - small)
    assert have_their_own(here.index, others, VECTORS)
    remove_library(here.workspace, others, SILENT)
    assert taken() - small < 0.2 * (half - small)
    assert have_their_own(here.index, here.library, VECTORS)


# What cannot be read


def test_a_file_that_is_read_in_part_says_so_and_its_copies_do_too(here: Here) -> None:
    page = small_pdf([Page([Words("The deposit is due.")])])
    (here.docs / "cut.pdf").write_bytes(page[: page.index(b"xref")])
    (here.docs / "called.docx").write_bytes(page)
    assert here.update() == (5, 0, 0, 0)

    def in_part() -> list[str]:
        files = here.index.files(here.library, [FileState.READ])
        return [Path(file.path).name for file in files if "damaged" in file.why_unread]

    status = here.index.status(here.library)
    assert in_part() == ["cut.pdf"], "a file with another kind's name is read whole"
    assert (status.in_words, status.without_answer) == ("5 files read, 1 in part", "Not in 4 of 5 files.")
    (here.docs / "copy.pdf").write_bytes((here.docs / "cut.pdf").read_bytes())
    os.utime(here.docs / "cut.pdf", ns=(1, 1))
    assert here.update()[:2] == (0, 2)
    assert in_part() == ["copy.pdf", "cut.pdf"]
    (here.docs / "copy.pdf").unlink()
    (here.docs / "cut.pdf").rename(here.docs / "moved.pdf")
    assert here.update()[:2] == (0, 1)
    assert in_part() == ["moved.pdf"]


def test_each_fault_has_its_state_and_its_reason(here: Here) -> None:
    (here.docs / "locked.pdf").write_bytes(locked_pdf("The deposit is due.", "secret"))
    (here.docs / "scan.pdf").write_bytes(small_pdf([Page()]))
    (here.docs / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    (here.docs / "empty.txt").touch()
    (here.docs / "blank.txt").write_text(" \n")
    report = Listener()
    assert here.update(report=report) == (3, 0, 5, 0)
    found = {Path(file.path).name: file for file in here.index.files(here.library)}
    refused = {name: file for name, file in found.items() if file.state is not FileState.READ}
    assert {name: file.state for name, file in refused.items()} == {
        "locked.pdf": FileState.LOCKED,
        "scan.pdf": FileState.NO_TEXT,
        "broken.pdf": FileState.FAILED,
        "empty.txt": FileState.FAILED,
        "blank.txt": FileState.NO_TEXT,
    }
    assert all(file.reason for file in refused.values())
    assert "empty" in found["empty.txt"].reason and "password" in found["locked.pdf"].reason
    assert here.index.status(here.library).in_words == "3 of 8 files read"
    assert len(report.partials) == 8
    # None is tried again before it changes, or everything is checked.
    here.reader.names.clear()
    assert here.update() == (0, 0, 0, 0)
    changed(here.docs / "empty.txt", "Filled.")
    assert here.update() == (1, 0, 0, 0)
    assert here.reader.names == ["empty.txt"]
    assert here.update(everything=True) == (0, 0, 4, 0)


def test_a_locked_file_is_read_with_the_password_that_is_not_kept(here: Here, tmp_path: Path) -> None:
    path = here.docs / "lease.pdf"
    path.write_bytes(locked_pdf("The deposit is due.", "sesame-xyzzy"))
    assert read_again(here.workspace, str(path), "sesame-xyzzy", SILENT) is None, "it is in no library yet"
    here.update()
    (file,) = here.index.files(here.library, [FileState.LOCKED])
    with pytest.raises(PasswordNeeded) as refused:
        read_again(here.workspace, file.path, "wrong", SILENT)
    assert refused.value.wrong
    assert here.states()["lease.pdf"] is FileState.LOCKED
    now = read_again(here.workspace, file.path, "sesame-xyzzy", SILENT)
    assert now is not None and (now.state, now.reason, now.words) == (FileState.READ, "", 4)
    assert here.found("deposit") == ["lease.pdf"]
    later(path)
    path.rename(here.docs / "moved.pdf")  # its content is known
    assert here.update() == (0, 1, 0, 0)
    here.workspace.close()
    for stored in (tmp_path / "home").rglob("*"):
        assert stored.is_dir() or b"xyzzy" not in stored.read_bytes()


def test_a_file_that_may_not_be_opened_is_tried_each_time(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.open
    refusal = PermissionError(13, "Permission denied")

    def refusing(path: Any, *rest: Any, **others: Any) -> Any:
        if str(path).endswith("apple.txt"):
            raise refusal
        return real(path, *rest, **others)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refusing)
        here.reader._instead["apple.txt"] = raising(SpanlightError("“apple.txt” may not be read."))
        assert here.update() == (2, 0, 1, 0)
        assert here.index.files(here.library, [FileState.FAILED])[0].reason == "“apple.txt” may not be read."
        assert here.update() == (0, 0, 1, 0)
    del here.reader._instead["apple.txt"]
    assert here.update() == (1, 0, 0, 0)


def test_a_file_that_changes_while_it_is_read_is_read_again_next_time(here: Here) -> None:
    text = "An apple. " * 1000
    changed(here.docs / "apple.txt", text)
    here.reader._instead["apple.txt"] = lambda: changed(here.docs / "apple.txt", "Half of")
    here.update()
    here.reader._instead.clear()
    changed(here.docs / "apple.txt", text)
    assert here.update()[0] == 1
    assert here.index.opened(here.index.file(str(here.docs / "apple.txt"))).document.text == text  # type: ignore[arg-type]


def test_a_file_that_goes_while_it_waits_is_no_failure(here: Here) -> None:
    here.reader._instead["apple.txt"] = lambda: (here.docs / "more" / "cherry.html").unlink()
    assert here.update()[:3] == (2, 0, 0)
    assert here.states()["cherry.html"] is FileState.WAITING
    assert here.update()[3] == 1


def test_a_mistake_of_ours_costs_that_file_only(here: Here, caplog: pytest.LogCaptureFixture) -> None:
    here.reader._instead["apple.txt"] = raising(ChildBug("Traceback: deep inside"))
    here.reader._instead["banana.md"] = raising(EngineLost("The documents process crashed."))
    assert here.update() == (1, 0, 2, 0)
    assert "deep inside" in caplog.text
    assert "It crashes Spanlight" in here.index.file(str(Path(here.library.roots[0]) / "apple.txt")).reason  # type: ignore[union-attr]
    assert here.update() == (0, 0, 0, 0)


def test_where_no_process_can_be_started_no_file_is_blamed(here: Here) -> None:
    for name in NAMES:
        here.reader._instead[name] = raising(
            NotStarted("The documents process could not be started.", "Close others.")
        )
    with pytest.raises(SpanlightError, match="could not be started"):
        here.update()
    assert set(here.states().values()) == {FileState.WAITING}
    here.reader._instead.clear()
    assert here.update()[0] == 3


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_names_that_are_no_utf_8_are_read_and_refused(here: Here) -> None:
    (here.docs / os.fsdecode(b"ol\xe9.txt")).write_text("An olive.")
    (here.docs / os.fsdecode(b"\xff.txt")).touch()
    (here.docs / os.fsdecode(b"single.\xff")).write_text("A single one.")
    more = plan_library(here.workspace, [here.docs / os.fsdecode(b"single.\xff")], name="docs")
    save_library(here.workspace, more, SILENT)
    assert here.update() == (5, 0, 1, 0)
    assert here.found("olive") == ["ol\udce9.txt"]
    assert here.found("single") == ["single.\udcff"]
    assert "“?.txt” is empty" in here.index.files(here.library, [FileState.FAILED])[0].reason


@POSIX
def test_single_files_of_unknown_kinds(
    workspace: Workspace, index: Index, reader: Reader, tmp_path: Path
) -> None:
    written(tmp_path, {"notes.xyz": "Plain words.", "Makefile": "all: fruit"})
    (tmp_path / "photo.zzz").write_bytes(b"GIF89a" + bytes(100))
    os.mkfifo(tmp_path / "pipe")
    library = linked(workspace, *(tmp_path / name for name in ("notes.xyz", "Makefile", "photo.zzz", "pipe")))
    assert counts(update(workspace, library, SILENT)) == (2, 0, 2, 0)
    reasons = {Path(file.path).name: file.reason for file in index.files(library, [FileState.FAILED])}
    assert "a picture" in reasons["photo.zzz"] and "a pipe" in reasons["pipe"]


# Roots


def test_files_on_a_drive_that_went_away_are_kept_and_searched(here: Here, tmp_path: Path) -> None:
    here.update()
    written(here.docs, {"new.txt": "A new one."})
    here.index.record_walk(
        here.library, [(str(here.docs / "new.txt"), 10, (here.docs / "new.txt").stat().st_mtime_ns)]
    )
    here.docs.rename(tmp_path / "elsewhere")
    for _ in range(2):
        assert here.update() == (0, 0, 0, 0)
        assert here.found("apple") == ["apple.txt"]
        assert here.index.status(here.library).missing == (str(here.docs),)
        here.docs.mkdir(exist_ok=True)  # the second time it is the empty place where the drive was
    here.docs.rmdir()
    (tmp_path / "elsewhere").rename(here.docs)
    assert here.update() == (1, 0, 0, 0)
    assert here.index.status(here.library).missing == ()


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="there is no second drive")
def test_files_on_a_drive_below_a_root_that_went_away_are_kept_and_not_read_again(
    here: Here, tmp_path: Path
) -> None:
    with TemporaryDirectory(dir="/dev/shm") as drive:
        written(Path(drive), {"deep/date.txt": "A date.", "fig.txt": "A fig."})
        place = here.docs / "drive"
        place.symlink_to(drive)
        assert here.update() == (5, 0, 0, 0)
        place.unlink()
        for _ in range(2):
            assert here.update() == (0, 0, 0, 0)
            assert here.found("date") == ["date.txt"]
            assert here.index.status(here.library).missing == (str(place),)
            place.mkdir(exist_ok=True)  # the second time it is the empty place where the drive was
        place.rmdir()
        place.symlink_to(drive)
        (Path(drive) / "fig.txt").unlink()
        written(here.docs, {"more/elder.txt": "An elderberry."})
        assert here.update() == (1, 0, 0, 1), "what is gone on a drive that is there is gone"
        assert here.index.status(here.library).missing == ()
    assert here.update() == (0, 0, 0, 0)
    assert here.index.status(here.library).missing == (str(place),)
    without = Library(here.library.number, "docs", (str(here.docs),), ignore=("drive",))
    here.update(save_library(here.workspace, without, SILENT))
    assert here.index.status(without).missing == () and here.found("date") == []


def test_a_single_file_is_gone_only_if_its_folder_is_there(
    workspace: Workspace, index: Index, reader: Reader, tmp_path: Path
) -> None:
    written(tmp_path / "drive", {"a.txt": "An apple.", "b.txt": "A banana."})
    library = linked(workspace, tmp_path / "drive" / "a.txt", tmp_path / "drive" / "b.txt")
    update(workspace, library, SILENT)
    (tmp_path / "drive").rename(tmp_path / "off")
    assert update(workspace, library, SILENT).gone == 0
    (tmp_path / "off").rename(tmp_path / "drive")
    (tmp_path / "drive" / "a.txt").unlink()
    assert update(workspace, library, SILENT).gone == 1
    assert states(index, library) == {"a.txt": FileState.GONE, "b.txt": FileState.READ}


def test_a_folder_that_refuses_keeps_its_files_and_is_told(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    here.update()
    with monkeypatch.context() as patch:
        refuse(patch, here.docs / "more")
        assert here.update() == (0, 0, 0, 0)
    status = here.index.status(here.library)
    assert status.refused == (str(here.docs / "more"),) and "more" in status.unreachable_in_words
    assert here.found("cherry") == ["cherry.html"]
    here.update()
    assert here.index.status(here.library).refused == ()


def test_what_is_no_longer_a_librarys_leaves_it(here: Here, tmp_path: Path) -> None:
    written(tmp_path / "second", {"date.txt": "A date."})
    both = save_library(
        here.workspace, plan_library(here.workspace, [tmp_path / "second"], name="docs"), SILENT
    )
    # A window may still know the here.library as it was.
    assert here.update()[0] == 4
    less = Library(both.number, both.name, both.roots[1:] if "second" in both.roots[1] else both.roots[:1])
    save_library(here.workspace, less, SILENT)
    assert here.update(both) == (0, 0, 0, 0)
    assert list(here.states()) == ["date.txt"]
    save_library(here.workspace, Library(both.number, both.name, (str(here.docs),), ignore=("more",)), SILENT)
    assert update(here.workspace, both, SILENT).read == 2
    assert sorted(here.states()) == ["apple.txt", "banana.md"]
    assert here.passages() == 2


# Stops, kills, other processes


def _is_over(left: list[None], _: Listener) -> bool:
    """Whether none is left; takes one away."""
    return not left or bool(left.pop())


def test_stopped_at_any_moment_the_next_update_goes_on(
    workspace: Workspace, docs: Path, index: Index, reader: Reader
) -> None:
    whole = linked(workspace, docs, name="whole")
    update(workspace, whole, SILENT)
    expected = everything_of(index, whole, "apple", "banana cherry")
    index.remove(whole)
    library = linked(workspace, docs, name="broken off")
    stops = 0
    for calls in range(200):
        left = [None] * calls
        try:
            update(workspace, library, Listener(partial(_is_over, left)), everything=True)
            break
        except Stopped:
            stops += 1
    assert stops >= 3
    update(workspace, library, SILENT)
    assert everything_of(index, library, "apple", "banana cherry") == expected


def test_two_updates_at_once(here: Here, tmp_path: Path) -> None:
    other = fake_workspace(tmp_path / "home")
    said: list[str] = []

    def update_too() -> None:
        with pytest.raises(SpanlightError) as refused:
            update(other, here.library, SILENT)
        said.append(str(refused.value))
        assert other.library.status(here.library).total == 3

    here.reader._instead["apple.txt"] = update_too
    assert here.update()[0] == 3
    assert re.fullmatch(
        rf"Another Spanlight is updating the libraries just now \(process {os.getpid()}, since .*\)\."
        r" What was read can be asked; try again later\.",
        said[0],
    )
    assert counts(update(other, here.library, SILENT)) == (0, 0, 0, 0)
    other.close()


def test_a_library_removed_while_it_is_read_leaves_nothing(here: Here) -> None:
    here.reader._instead["banana.md"] = lambda: here.index.remove(here.library)
    here.update()
    assert here.index.without_vectors(NONE, 10) == []
    with pytest.raises(SpanlightError, match="was removed"):
        here.update()


def test_a_place_that_cannot_be_written_is_said(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir(exist_ok=True)
    workspace.paths.library.parent.mkdir(parents=True)
    workspace.paths.library.write_text("a file where the folder should be")
    with pytest.raises(SpanlightError, match="could not be written"):
        update(workspace, Library(1, "All"), SILENT)


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
        assert counts(update(workspace, library, SILENT)) == (9, 0, 1, 0)
        (deadly,) = index.files(library, [FileState.FAILED])
        assert (Path(deadly.path).name, "more than 2 GB of memory" in deadly.reason) == (DEADLY, True)
        assert found_in(index, library, "knave") == ["paper.pdf"]
        assert index.status(library).in_words == "9 of 10 files read"
        assert counts(update(workspace, library, SILENT)) == (0, 0, 0, 0)
    assert threading.active_count() == threads
    assert not [one for one in multiprocessing.active_children() if one.name == "documents process"]


def test_an_older_index_is_made_anew_without_its_files(
    workspace: Workspace, reader: Reader, tmp_path: Path
) -> None:
    library = linked(workspace, written(tmp_path / "docs", FRUIT))
    update(workspace, library, SILENT)
    before = everything_of(workspace.library, library, "apple", "cherry")
    workspace.library.close()
    make_older(workspace.paths.library)
    (tmp_path / "docs").rename(tmp_path / "away")
    reader.names.clear()
    update(workspace, library, SILENT)
    assert everything_of(workspace.library, library, "apple", "cherry") == before
    assert reader.names == []


@pytest.mark.parametrize("fails", [False, True])
def test_files_whose_gaps_an_older_spanlight_did_not_tell_are_read_once_more(here: Here, fails: bool) -> None:
    page = small_pdf([Page([Words("The deposit is due.")])])
    (here.docs / "cut.pdf").write_bytes(page[: page.index(b"xref")])
    here.update()
    give_vectors(here.index, VECTORS)
    here.index.close()
    without_findings(here.workspace.paths.library)
    assert here.index.status(here.library).in_words == "4 files read"
    here.reader.names.clear()
    if fails:
        here.reader._instead["cut.pdf"] = raising(SpanlightError("It takes more than 2 GB of memory."))
    for _ in range(2):
        here.update()
        assert here.reader.names == ["cut.pdf"]
    assert here.index.status(here.library).in_words == (
        "4 files read" if fails else "4 files read, 1 in part"
    )
    assert here.found("deposit") == ["cut.pdf"]
    assert here.index.without_vectors(VECTORS, 9) == []
