"""Adding libraries: they are named after their folders, and keep their earlier folders."""

from __future__ import annotations

import os
import sys
from array import array
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.errors import SpanlightError
from app.core.layout import Kind, PageText, Recognised
from app.core.library import FileState, Library
from app.core.report import Silent
from app.core.text import Span, View
from app.flows.library.folders import walk
from app.flows.library.libraries import (
    change_library,
    has_scans,
    ledger,
    libraries,
    plan,
    plan_library,
    remove_library,
    rename_library,
    save_library,
    save_planned,
)
from app.flows.workspace import Workspace
from app.library.ledger import Content
from tests.flows.fake_engine import fake_workspace
from tests.helpers.libraries import linked, opened_text, stored, written


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    workspace = fake_workspace(tmp_path / "home")
    yield workspace
    workspace.close()


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return written(tmp_path / "docs", {"a.txt": "a", "b.md": "b"})


def test_a_folder_becomes_a_library_of_its_name(workspace: Workspace, docs: Path, tmp_path: Path) -> None:
    new = plan_library(workspace, [docs / ".." / "docs"])
    assert (new.number, new.name, new.roots) == (0, "docs", (str(docs),))
    assert libraries(workspace, Silent()) == ()
    assert len(walk(new, Silent()).files) == 2
    saved = save_library(workspace, new, Silent())
    assert plan_library(workspace, [docs]) == saved
    # Another folder of the same name is another library.
    other = written(tmp_path / "more" / "Docs", {"c.txt": "c"})
    assert plan_library(workspace, [other]).name == "Docs 2"


def test_a_library_takes_more_folders_by_its_name(workspace: Workspace, docs: Path, tmp_path: Path) -> None:
    saved = linked(workspace, docs, suffixes=(".TXT",))
    other = written(tmp_path / "other", {"c.txt": "c"})
    more = plan_library(workspace, [other, docs], name=" DOCS ", suffixes=("md",), ignore=("old",))
    assert (more.number, more.roots) == (saved.number, (str(docs), str(other)))
    assert (more.suffixes, more.ignore) == (("txt", "md"), ("old",))
    both = linked(workspace, other, docs)
    assert plan_library(workspace, [other, docs]) == both == plan_library(workspace, [docs, other])
    with pytest.raises(SpanlightError, match="takes files of every kind"):
        plan_library(workspace, [docs], name=both.name, suffixes=("pdf",))


def test_folders_planned_at_once_are_all_added(workspace: Workspace, docs: Path, tmp_path: Path) -> None:
    one, two = (written(tmp_path / name, {"c.txt": "c"}) for name in ("one", "two"))
    linked(workspace, docs)
    plans = [plan(workspace, [folder], "docs", Silent()) for folder in (one, two)]
    rename_library(workspace, plans[0].library, "Documents", Silent())
    with pytest.raises(SpanlightError, match="removed"):
        change_library(workspace, Library(99, "Gone"), plans[0].library, Silent())
    (renamed, _), *_ = libraries(workspace, Silent())
    changed = change_library(workspace, plans[0].library, replace(plans[0].library, ignore=("x",)), Silent())
    assert changed == replace(renamed, ignore=("x",))
    rename_library(workspace, changed, "docs", Silent())
    for each in plans:
        saved, is_new = save_planned(workspace, each, Silent())
        assert not is_new
    assert set(saved.roots) == {str(docs), str(one), str(two)}
    without = change_library(workspace, saved, replace(saved, roots=(str(one),)), Silent())
    assert without.roots == (str(one),)


def test_a_root_that_nobody_may_look_at_does_not_hide_the_libraries(
    workspace: Workspace, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = linked(workspace, docs)
    real = Path.stat

    def stat(path: Path, **how: bool) -> os.stat_result:
        if path == docs:
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, **how)

    monkeypatch.setattr(Path, "stat", stat)
    assert [(found, status.missing) for found, status in libraries(workspace, Silent())] == [
        (library, (str(docs),))
    ]


def test_libraries_are_listed_though_their_index_is_lost(workspace: Workspace, docs: Path) -> None:
    library = linked(workspace, docs)
    workspace.library.close()
    for part in ("", "-wal", "-shm"):
        (workspace.paths.library / f"index.sqlite3{part}").unlink(missing_ok=True)
    assert [found.name for found, _ in libraries(workspace, Silent())] == [library.name]


@pytest.mark.skipif(os.name != "posix", reason="links need rights on Windows")
def test_a_folder_under_another_name_is_not_added_twice(
    workspace: Workspace, docs: Path, tmp_path: Path
) -> None:
    linked(workspace, docs)
    (tmp_path / "link").symlink_to(docs)
    assert plan_library(workspace, [tmp_path / "link"], name="docs").roots == (str(docs),)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_folder_whose_name_is_no_utf_8(workspace: Workspace, tmp_path: Path) -> None:
    folder = written(tmp_path / os.fsdecode(b"caf\xe9"), {"a.txt": "a"})
    saved = linked(workspace, folder)
    assert (saved.name, saved.roots) == ("caf?", (str(folder),))
    assert plan_library(workspace, [folder]) == saved


@pytest.mark.parametrize("path", ["nowhere", "docs/a.txt/b", "nul\0"])
def test_a_path_that_is_not_there_is_said(
    workspace: Workspace, docs: Path, tmp_path: Path, path: str
) -> None:
    with pytest.raises(SpanlightError, match="There is nothing at"):
        plan_library(workspace, [tmp_path / path])


def test_listing_and_removing(workspace: Workspace, docs: Path) -> None:
    library = linked(workspace, docs)
    stored(workspace.library, library, {str(docs / "a.txt"): "a", str(docs / "b.md"): "b"})
    ((listed, status),) = libraries(workspace, Silent())
    assert (listed, status.in_words, status.words) == (library, "2 files read", 2)
    assert [(Path(file.path).name, file.state) for file in ledger(workspace, library, Silent())] == [
        ("a.txt", FileState.READ),
        ("b.md", FileState.READ),
    ]
    remove_library(workspace, library, Silent())
    assert libraries(workspace, Silent()) == ()
    assert sorted(path.name for path in docs.iterdir()) == ["a.txt", "b.md"]
    assert not (workspace.library.without_vectors("none-4", 10))


def test_a_new_name_leaves_the_folders_that_were_added_meanwhile(workspace: Workspace, docs: Path) -> None:
    stale = save_library(workspace, plan_library(workspace, [docs]), Silent())
    more = docs.parent / "more"
    more.mkdir()
    save_library(workspace, plan_library(workspace, [more], name=stale.name), Silent())
    renamed = rename_library(workspace, stale, "Other", Silent())
    assert (renamed.name, renamed.roots) == ("Other", (str(docs), str(more)))


@pytest.mark.parametrize(
    ("second", "is_scan"),
    [
        (PageText(100.0, 100.0, Span(5, 11)), False),
        (PageText(100.0, 100.0, Span(11, 11), recognised=Recognised("en", array("B"))), False),
        (PageText(100.0, 100.0, Span(11, 11)), True),
    ],
)
def test_a_library_has_scans_where_a_page_of_a_file_has_no_text(
    workspace: Workspace, docs: Path, second: PageText, is_scan: bool
) -> None:
    library, index = linked(workspace, docs), workspace.library
    path = str(docs / "report.pdf")
    read = replace(
        opened_text("First second", path, Kind.PDF), pages=(PageText(100.0, 100.0, Span(0, 5)), second)
    )
    index.record_walk(library, [(path, read.size, read.modified)])
    index.put(index.files(library)[0], read, View())
    assert has_scans(workspace, library, Silent()) == is_scan


@pytest.mark.parametrize(
    ("name", "size", "is_scan"),
    [("a.pdf", 9, True), ("a.tif", 9, True), ("a", 9, True), ("a.docx", 9, False), ("a.txt", 0, False)],
)
def test_a_library_has_scans_where_a_file_without_text_may_be_one(
    workspace: Workspace, docs: Path, name: str, size: int, is_scan: bool
) -> None:
    library, index = linked(workspace, docs), workspace.library
    index.record_walk(library, [(str(docs / name), size, 1)])
    index.fail(index.files(library)[0], FileState.NO_TEXT, "It holds no text.", Content("", size, 1))
    assert has_scans(workspace, library, Silent()) == is_scan
