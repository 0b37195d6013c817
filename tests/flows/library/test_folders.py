"""Walking a library's folders: each file is found once, whatever the links, names and permissions."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from app.core.library import Library
from app.core.report import Silent, Stopped
from app.flows.library import folders
from app.flows.library.folders import MANY_FILES, SUFFIXES, FoundFile, Walk, suffixes_of, takes_folder, walk
from tests.helpers.children import Listener
from tests.helpers.libraries import refuse, written

LINKS = pytest.mark.skipif(os.name != "posix", reason="links need rights on Windows")


def names(root: Path, *roots: Path, **how: tuple[str, ...]) -> list[str]:
    found = walk(Library(1, "All", (str(root), *map(str, roots)), **how), Silent())
    return [os.path.relpath(file.path, root) for file in found.files]


def test_documents_are_found_and_others_counted(tmp_path: Path) -> None:
    written(
        tmp_path,
        {"b.TXT": "b", "a/c.md": "cc", "a/b/d.pdf": "d", "e.mp3": "e", "f.mp3": "f", "Makefile": "g"},
    )
    found = walk(Library(1, "All", (str(tmp_path),)), Silent())
    assert [os.path.relpath(file.path, tmp_path) for file in found.files] == ["a/b/d.pdf", "a/c.md", "b.TXT"]
    assert (found.left_out, found.size, found.is_large) == ({"mp3": 2, "": 1}, 4, False)
    assert found.files[1].modified == (tmp_path / "a" / "c.md").stat().st_mtime_ns
    assert not (found.missing or found.refused or found.empty)
    assert names(tmp_path, suffixes=("mp3",)) == ["e.mp3", "f.mp3"]


def test_what_was_left_out_is_counted_by_kind() -> None:
    assert Walk().other_kinds == ""
    assert Walk(left_out=Counter({"jpg": 1200, "": 1})).other_kinds == "1,200 jpg, 1 without an extension"
    left_out = Counter({"jpg": 40, "mp4": 3, "png": 2, "mov": 1, "exe": 1})
    assert Walk(left_out=left_out).other_kinds == "40 jpg, 3 mp4, 2 png and 2 others"


def test_a_file_that_is_named_in_its_folder_is_not_left_out(tmp_path: Path) -> None:
    written(tmp_path, dict.fromkeys(("a.png", "b.PNG", "c.jpg", "d.mp3", "e.txt"), "x"))
    found = walk(Library(1, "All", (str(tmp_path), str(tmp_path / "a.png"))), Silent())
    assert (found.left_out, found.pictures_left_out) == ({"png": 1, "jpg": 1, "mp3": 1}, 2)
    assert [Path(file.path).name for file in found.files] == ["a.png", "e.txt"]


def test_code_logs_and_data_are_taken_but_not_what_programs_fill(tmp_path: Path) -> None:
    own = ("a.py", "b/c.yaml", "d.log", "e.tex")
    written(tmp_path, dict.fromkeys((*own, "node_modules/f/g.js", "b/__pycache__/h.py"), "x"))
    assert names(tmp_path) == [*own]


def test_extensions_are_named_in_many_ways() -> None:
    assert suffixes_of(["PDF", ".docx", "*.md", "", " pdf "]) == ("pdf", "docx", "md")
    more = suffixes_of(["+csv"])
    assert set(more) == SUFFIXES | {"csv"}


def test_hidden_files_locks_and_what_is_ignored_are_left_out(tmp_path: Path) -> None:
    written(
        tmp_path,
        dict.fromkeys((".git/a.txt", ".b.txt", "~$c.docx", "c.docx", "d/old/e.txt", "d/f.txt"), "x"),
    )
    assert names(tmp_path) == ["c.docx", "d/f.txt", "d/old/e.txt"]
    assert names(tmp_path, ignore=("old",)) == ["c.docx", "d/f.txt"]
    assert names(tmp_path, ignore=("d/*",)) == ["c.docx"]
    assert names(tmp_path, ignore=("*.txt", "[c]*")) == []


def told_by_entries(monkeypatch: pytest.MonkeyPatch, status: Callable[[os.DirEntry[str]], object]) -> None:
    """Have `status` tell what the system knows of what is in a folder."""
    real = os.scandir

    class Entry:
        def __init__(self, entry: os.DirEntry[str]) -> None:
            self.name, self.path, self.is_symlink = entry.name, entry.path, entry.is_symlink
            self.stat = lambda: status(entry)

    @contextmanager
    def scandir(folder: str) -> Iterator[Iterator[Entry]]:
        with real(folder) as found:
            yield map(Entry, found)

    monkeypatch.setattr(folders.os, "scandir", scandir)


@pytest.mark.parametrize(
    "attribute", [{"st_file_attributes": 2}, {"st_flags": 0x8000}], ids=["windows", "macos"]
)
def test_what_the_system_hides_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attribute: dict[str, int]
) -> None:
    def status(entry: os.DirEntry[str]) -> object:
        known = entry.stat()
        fields = {name: getattr(known, name) for name in dir(known) if name.startswith("st_")}
        return SimpleNamespace(**fields | (attribute if entry.name == "desktop.txt" else {}))

    written(tmp_path, {"a.txt": "a", "desktop.txt": "b"})
    told_by_entries(monkeypatch, status)
    assert names(tmp_path) == ["a.txt"]


def test_a_folder_that_lets_nobody_look_at_its_files_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def status(entry: os.DirEntry[str]) -> object:
        if "closed/" in entry.path:
            raise PermissionError(13, "Permission denied", entry.path)
        return entry.stat()

    written(tmp_path, {"a.txt": "a", "closed/one.txt": "one", "closed/two.txt": "two"})
    told_by_entries(monkeypatch, status)
    found = walk(Library(1, "All", (str(tmp_path),)), Silent())
    assert found.refused == [str(tmp_path / "closed")] and len(found.files) == 1


def test_single_files_may_be_of_any_kind_and_hidden(tmp_path: Path) -> None:
    written(tmp_path, {"notes.xyz": "x", ".secret": "s", "folder/a.txt": "a"})
    single = tmp_path / "notes.xyz"
    assert names(tmp_path / "folder", single, tmp_path / ".secret") == ["../.secret", "a.txt", "../notes.xyz"]


@LINKS
@pytest.mark.parametrize(
    ("folder", "taken"),
    [
        ("a", True),
        ("a/b/drive", True),
        ("a/old", False),
        ("a/old/drive", False),
        ("ab/c", False),
        ("c", False),
    ],
)
def test_a_library_takes_folders_below_its_roots_that_it_does_not_ignore(
    tmp_path: Path, folder: str, taken: bool
) -> None:
    library = Library(0, "A", (str(tmp_path / "a"), str(tmp_path / "d")), ignore=("old", "b/c/*"))
    assert takes_folder(library, str(tmp_path / folder)) is taken
    # The root itself is taken whatever its name is.
    everywhere = Library(0, "A", library.roots, ignore=(".*",))
    assert takes_folder(everywhere, str(tmp_path / "a" / "drive"))


def test_loops_of_links_end(tmp_path: Path) -> None:
    root = written(tmp_path / "root", {"a/b/c.txt": "c"})
    (root / "a" / "b" / "up").symlink_to(root)
    (root / "a" / "b" / "far-up").symlink_to("/")
    (root / "a" / "self").symlink_to(root / "a" / "self")
    (root / "a" / "nowhere.txt").symlink_to(root / "gone.txt")
    (root / "Z-link").symlink_to(root / "a")
    (root / "0-link").symlink_to(root / "a")
    assert names(root) == ["a/b/c.txt"]


@LINKS
def test_links_are_followed_but_the_real_place_is_preferred(tmp_path: Path) -> None:
    other = written(tmp_path / "other", {"b.txt": "b"})
    root = written(tmp_path / "root", {"z/real/a.txt": "a"})
    (root / "aa").symlink_to(root / "z" / "real")
    (root / "other").symlink_to(other)
    (root / "b.txt").symlink_to(other / "b.txt")
    assert names(root) == ["b.txt", "other/b.txt", "z/real/a.txt"]
    # Of a root inside another one each file is found once, too.
    assert len(names(root, root / "z")) == len(names(root / "z", root)) == 3


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_names_that_are_no_utf_8(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9")).mkdir()
    (tmp_path / os.fsdecode(b"caf\xe9") / os.fsdecode(b"ol\xe9.txt")).write_text("An olive.")
    assert names(tmp_path, ignore=("x",)) == ["caf\udce9/ol\udce9.txt"]


@LINKS
def test_what_is_no_file_is_let_be(tmp_path: Path) -> None:
    written(tmp_path, {"a.txt": "a"})
    os.mkfifo(tmp_path / "pipe.txt")
    assert names(tmp_path) == ["a.txt"]


def test_folders_that_refuse_and_roots_that_are_away_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, {"a.txt": "a", "secret/b.txt": "b"})
    (tmp_path / "bare").mkdir()
    refuse(monkeypatch, tmp_path / "secret")
    away = str(tmp_path / "away")
    found = walk(Library(1, "All", (str(tmp_path), away, str(tmp_path / "bare"), "nul\0")), Silent())
    assert [Path(file.path).name for file in found.files] == ["a.txt"]
    assert (found.refused, found.missing, found.empty) == (
        [str(tmp_path / "secret")],
        [away, "nul\0"],
        [str(tmp_path / "bare")],
    )
    assert str(tmp_path / "secret") in str(found.refusal())


def test_many_files_are_told_before_they_are_added() -> None:
    files = [FoundFile(f"/{at}", 1, 1) for at in range(MANY_FILES + 1)]
    assert Walk(files).is_large and not Walk(files[1:]).is_large
    assert Walk([FoundFile("/a", 2_000_000_001, 1)]).is_large


@pytest.mark.parametrize("suffix", ["txt", "jpg"])
def test_a_walk_stops_at_once(tmp_path: Path, suffix: str) -> None:
    """Also where nothing is found that counts."""
    written(tmp_path, {f"{at % 3}/{at}.{suffix}": "x" for at in range(60)})
    for calls in range(5):
        heard = iter(range(calls))
        with pytest.raises(Stopped):
            walk(
                Library(1, "All", (str(tmp_path),)),
                Listener(lambda _, heard=heard: next(heard, None) is None),
            )


def test_thousands_of_files_are_walked_fast(tmp_path: Path) -> None:
    for folder in range(10):
        (tmp_path / str(folder)).mkdir()
        for file in range(200):
            (tmp_path / str(folder) / f"{file}.txt").touch()
    report = Listener()
    began = time.perf_counter()
    found = walk(Library(1, "All", (str(tmp_path),)), report)
    assert len(found.files) == 2000
    assert [each.done for each in report.told] == [500, 1000, 1500, 2000]
    assert time.perf_counter() - began < 2  # it takes some hundredths
