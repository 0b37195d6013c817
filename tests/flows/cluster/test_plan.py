"""The documents of a run, and an estimate of what it would take."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from app.core.answer_table import Column
from app.core.errors import SpanlightError
from app.core.layout import Opened
from app.core.library import FileState, Library, LibraryFile
from app.core.report import Silent, Stopped
from app.core.text import Document
from app.flows.answer_table.questions import columns_of
from app.flows.cluster.plan import estimate, find_documents, sample_by_size
from app.flows.cluster.rows import SourceFile
from app.flows.workspace import Workspace
from tests.flows.fake_engine import FakeEngine, fake_workspace

QUIET = Silent()


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    workspace = fake_workspace(tmp_path / "home", FakeEngine())
    yield workspace
    workspace.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "Leases"
    (folder / "more").mkdir(parents=True)
    for name in ("b.txt", "a.md", "more/c.txt", "more/.hidden.txt", "picture.png"):
        (folder / name).write_text("The landlord is Anna.")
    return folder


def names(items: list[SourceFile], folder: Path) -> list[str]:
    return [str(Path(item.path).relative_to(folder)) for item in items]


def test_of_a_folder_and_a_library_those_are_taken_that_a_library_takes(
    workspace: Workspace, folder: Path
) -> None:
    found = find_documents(workspace, str(folder), QUIET)
    assert names(found, folder) == ["a.md", "b.txt", "more/c.txt"]
    assert all(item.size == 21 and item.modified for item in found)
    workspace.library.save(Library(0, "Rented", (str(folder),)))
    assert find_documents(workspace, "rented", QUIET) == found


@pytest.mark.parametrize("over", ["Rented", ""])
def test_what_a_library_leaves_out_is_not_asked(workspace: Workspace, folder: Path, over: str) -> None:
    workspace.library.save(Library(0, "Rented", (str(folder),), ("txt",), ("b*",)))
    assert names(find_documents(workspace, over or str(folder), QUIET), folder) == ["more/c.txt"]


def test_a_list_may_hold_what_cannot_be_reached_and_is_read_until_a_stop(
    workspace: Workspace, folder: Path
) -> None:
    pytest.importorskip("pyarrow")
    listed = folder / "list.txt"
    listed.write_text(f"nosuch://x/a.txt\nfile://{folder}/a.md\nfile://{folder}/gone.txt\n")
    found = {item.path.rpartition("/")[2]: item for item in find_documents(workspace, str(listed), QUIET)}
    assert (found["a.txt"].size, found["a.md"].size, found["gone.txt"].size) == (0, 21, 0)
    assert all(item.modified for item in found.values())

    class Stop(Silent):
        def check(self) -> None:
            raise Stopped

    with pytest.raises(Stopped):
        find_documents(workspace, str(listed), Stop())


def test_a_file_of_1970_has_a_time(workspace: Workspace, folder: Path) -> None:
    """A time of 0 would have the file read again."""
    (folder / "list.txt").write_text(f"{folder}/a.md")
    os.utime(folder / "a.md", ns=(0, 0))
    for over in (folder, folder / "list.txt"):
        assert find_documents(workspace, str(over), QUIET)[0].modified == 1


def test_of_a_list_all_are_taken(workspace: Workspace, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    Path("list.txt").write_text(f"picture.png\n\n{folder}/a.md\r\nmore/../a.md\ngone.txt\n")
    found = find_documents(workspace, "list.txt", QUIET)
    assert names(found, folder) == ["a.md", "gone.txt", "picture.png"]
    assert found[1].size == 0 and found[1].modified


@pytest.mark.parametrize("over", ["nothing", "no/such/folder", "empty"])
def test_where_there_is_nothing_one_sentence_says_so(workspace: Workspace, tmp_path: Path, over: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(SpanlightError):
        find_documents(workspace, over if over != "empty" else str(tmp_path / "empty"), QUIET)


def test_the_sample_goes_from_the_smallest_to_the_largest() -> None:
    items = [SourceFile(str(size), size, 1) for size in (90, 10, 50, 30, 70)]
    assert [item.size for item in sample_by_size(items, 2)] == [30, 70]
    assert [item.size for item in sample_by_size(items, 12)] == [10, 30, 50, 70, 90]
    assert sample_by_size([], 12) == []


class Clock:
    """A clock, and a node that takes a document's size in seconds to read it, and half a second a question."""

    def __init__(self) -> None:
        self.now = 0.0
        self.asked = 0

    def perf_counter(self) -> float:
        return self.now

    def read(self, source: SourceFile) -> tuple[LibraryFile, Opened | None]:
        self.now += source.size
        opened = Opened(Document("text")) if source.size > 1 else None
        return LibraryFile(0, source.path, FileState.READ, pages=source.size), opened

    def answers(self, file: LibraryFile, opened: Opened, columns: Sequence[Column]) -> None:
        self.now += 0.5 * len(columns)
        self.asked += len(columns)


@pytest.mark.parametrize(
    ("sizes", "questions", "pages", "seconds", "asked"),
    [
        ([2] * 600, 40, 1200, 600 * (2 + 40 * 0.5), 12 * 3),
        ([1, 3], 2, 4, (1 + 3) + 2 * 0.5, 2),  # the first cannot be read, so it is not asked
        ([], 40, 0, 0, 0),
    ],
)
def test_an_estimate_is_the_samples_times_the_documents(
    workspace: Workspace,
    monkeypatch: pytest.MonkeyPatch,
    sizes: list[int],
    questions: int,
    pages: int,
    seconds: float,
    asked: int,
) -> None:
    clock = Clock()
    monkeypatch.setattr("app.flows.cluster.plan.time", clock)
    monkeypatch.setattr("app.flows.cluster.plan.Node", lambda *given: clock)
    sources = [SourceFile(str(at), size, 1) for at, size in enumerate(sizes)]
    columns = columns_of(f"Who is {at}?" for at in range(questions))
    found = estimate(workspace, sources, columns, QUIET)
    assert (found.documents, found.size, found.pages) == (len(sizes), sum(sizes), pages)
    assert found.hours == pytest.approx(seconds / 3600) and clock.asked == asked


def test_an_estimate_asks_each_document_a_few_questions_here(workspace: Workspace, folder: Path) -> None:
    engine = workspace.engine
    assert isinstance(engine, FakeEngine)
    columns = columns_of(f"Who is Anna {at}?" for at in range(40))
    found = estimate(workspace, find_documents(workspace, str(folder), QUIET), columns, QUIET, model="reader")
    assert (found.documents, found.measured, found.pages) == (3, 3, 0) and found.hours > 0
    assert len(engine.requests) == 9
