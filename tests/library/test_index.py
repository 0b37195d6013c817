"""The index: its ledger, passages and vectors that stay their texts' own, and what a disk can do to it."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.layout import Block, BlockKind, Kind
from app.core.library import FileState, Library
from app.core.message import Message
from app.core.report import Silent, Stopped
from app.core.text import Span, View
from app.library.database import Damaged, Database
from app.library.index import Index
from app.library.ledger import Content
from app.library.schema import MIGRATIONS
from tests.helpers.children import Listener
from tests.helpers.libraries import (
    NONE,
    everything_of,
    found_in,
    give_vectors,
    have_their_own,
    make_older,
    opened_text,
    stored,
    vector_of,
)

VECTORS = "some-32"


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    index = Index(tmp_path / "library")
    yield index
    index.close()


@pytest.fixture
def other(index: Index, tmp_path: Path) -> Iterator[Index]:
    """The same index as another process has it."""
    other = Index(tmp_path / "library")
    yield other
    other.close()


@pytest.fixture
def library(index: Index) -> Library:
    return index.save(Library(0, "Manuals", ("/docs",)))


# Libraries


def test_libraries_are_listed_as_they_were_saved(index: Index) -> None:
    saved = index.save(Library(0, " Papers ", ("/b", "/a"), ("pdf",), ("drafts/*", "*.tmp")))
    assert saved == Library(saved.number, "Papers", ("/a", "/b"), ("pdf",), ("drafts/*", "*.tmp"))
    assert index.library("papers") == index.current(saved) == saved
    renamed = index.save(replace(saved, name="Articles", roots=("/c",)))
    assert index.libraries() == [renamed]
    assert renamed.number == saved.number


def test_a_name_is_taken_in_any_case_and_script(index: Index) -> None:
    first = index.save(Library(0, "Ökologie"))
    with pytest.raises(SpanlightError, match="There is a library “Ökologie” already"):
        index.save(Library(0, "öKOLOGIE"))
    assert index.save(replace(first, name="ÖKOLOGIE")).name == "ÖKOLOGIE"
    with pytest.raises(SpanlightError, match="needs a name"):
        index.save(Library(0, "  "))


def test_names_that_are_no_utf_8_are_kept(index: Index) -> None:
    root = os.fsdecode(b"/docs/caf\xe9")
    library = index.save(Library(0, "caf\udce9\0", (root,), (), ("\udcff*",)))
    assert (library.name, library.roots, library.ignore) == ("caf?", (root,), ("\udcff*",))
    files = stored(index, library, {f"{root}/ol\udce9.txt": "An olive branch."})
    index.fail(
        files[f"{root}/ol\udce9.txt"], FileState.FAILED, "“ol\udce9.txt” is damaged.\0", Content("", 1, 1)
    )
    assert index.files(library)[0].reason == "“ol?.txt” is damaged. "


def test_a_library_that_was_removed_is_said(index: Index, library: Library) -> None:
    index.remove(library)
    for attempt in (index.current, index.save, lambda one: index.take_walk(one, [])):
        with pytest.raises(SpanlightError, match="“Manuals” was removed"):
            attempt(library)
    with pytest.raises(SpanlightError, match=r"no library “Manuals”.*Add a folder first"):
        index.library("Manuals")
    assert index.save(Library(0, "Manuals")).number != library.number


# The ledger


def test_a_walk_tells_new_changed_and_other_files(index: Index, library: Library) -> None:
    assert index.take_walk(library, [("/docs/a.txt", 5, 1), ("/docs/b.txt", 6, 1)]) == []
    assert index.status(library).files == {FileState.WAITING: 2}
    files = stored(index, library, {"/docs/a.txt": "Anna", "/docs/b.txt": "Berta"})
    assert {file.state for file in files.values()} == {FileState.READ}
    others = index.take_walk(library, [("/docs/a.txt", 4, 2), ("/docs/c.txt", 1, 1)])
    assert [file.path for file in others] == ["/docs/b.txt"]
    states = {file.path: file.state for file in index.files(library)}
    assert states == {
        "/docs/a.txt": FileState.WAITING,
        "/docs/b.txt": FileState.READ,
        "/docs/c.txt": FileState.WAITING,
    }
    # Until it is read again a changed file is searched as it was.
    assert found_in(index, library, "Anna") == ["a.txt"]
    assert index.status(library).in_words == "1 of 3 files read"


def test_a_failure_lasts_until_the_file_changes(index: Index, library: Library) -> None:
    index.take_walk(library, [("/docs/a.pdf", 5, 1)])
    (file,) = index.files(library)
    index.fail(file, FileState.FAILED, "It is damaged.", Content("", 5, 1))
    index.take_walk(library, [("/docs/a.pdf", 5, 1)])
    assert [(each.state, each.reason) for each in index.files(library)] == [
        (FileState.FAILED, "It is damaged.")
    ]
    index.take_walk(library, [("/docs/a.pdf", 5, 2)])
    assert [(each.state, each.reason) for each in index.files(library)] == [(FileState.WAITING, "")]
    assert index.files(library, [FileState.READ, FileState.GONE]) == []


def test_the_reason_of_a_failure_can_be_translated_later(index: Index, library: Library) -> None:
    index.take_walk(library, [("/docs/a.pdf", 5, 1)])
    (file,) = index.files(library)
    inner = Message("{n} byte", "{n} bytes", n=3)
    for reason in (Message("It is larger than {size}.", size=inner), "It is damaged."):
        index.fail(file, FileState.FAILED, reason, Content("", 5, 1))
        again = index.files(library)[0].reason
        assert again == reason and type(again) is type(reason)


def test_a_file_that_is_gone_can_no_longer_be_found_and_may_come_back(index: Index, library: Library) -> None:
    files = stored(index, library, {"/docs/a.txt": "An apple."})
    index.set_state(files.values(), FileState.GONE)
    assert found_in(index, library, "apple") == []
    assert index.status(library).total == 0
    index.sweep()
    assert index.without_vectors(NONE, 10) == []
    assert [(file.state, file.text) for file in index.files(library)] == [(FileState.GONE, 0)]
    index.take_walk(library, [("/docs/a.txt", 9, 1)])
    assert index.files(library)[0].state is FileState.WAITING


def test_two_libraries_share_a_file(index: Index, library: Library) -> None:
    second = index.save(Library(0, "Second", ("/docs",)))
    stored(index, library, {"/docs/a.txt": "An apple.", "/docs/b.txt": "A banana."})
    index.take_walk(second, [("/docs/a.txt", 9, 1)])
    assert [file.state for file in index.files(second)] == [FileState.READ]
    assert found_in(index, second, "apple banana") == ["a.txt"]
    index.remove(library)
    assert found_in(index, second, "apple banana") == ["a.txt"]
    assert [words for _, words in index.without_vectors(NONE, 10)] == ["An apple."]
    index.leave(second, index.files(second))
    index.sweep()
    assert index.without_vectors(NONE, 10) == []
    assert index.file("/docs/a.txt") is None


def test_refused_folders_are_told_until_they_are_not(index: Index, library: Library) -> None:
    index.take_walk(library, [], ["/docs/secret", "/docs/\udcff"])
    assert index.status(library).refused == ("/docs/secret", "/docs/\udcff")
    index.take_walk(library, [])
    assert index.status(library).refused == ()


def test_roots_that_are_not_there_are_told(index: Index, tmp_path: Path) -> None:
    there, bare, away = tmp_path / "there", tmp_path / "bare", tmp_path / "away"
    for folder in (there, bare):
        folder.mkdir()
    (there / "a.txt").write_text("An apple.")
    library = index.save(Library(0, "Drives", (str(there), str(bare), str(away))))
    assert index.status(library).missing == (str(away),)
    # Where a drive was taken off, its folder may be left, with nothing in it.
    stored(index, library, {str(there / "a.txt"): "An apple.", str(bare / "b.txt"): "A banana."})
    assert set(index.status(library).missing) == {str(bare), str(away)}
    assert found_in(index, library, "banana") == ["b.txt"]


# Texts


def test_equal_files_have_one_text_and_are_found_by_each_name(index: Index, library: Library) -> None:
    files = stored(
        index, library, {"/docs/lease.txt": "Three months.", "/docs/old/contract.txt": "Three months."}
    )
    assert len({file.text for file in files.values()}) == 1
    assert len(index.without_vectors(NONE, 10)) == 1
    assert found_in(index, library, "lease") == found_in(index, library, "contract") == ["lease.txt"]
    assert index.file_of(files["/docs/lease.txt"].text, library).path == "/docs/lease.txt"


def test_a_file_is_found_by_its_bytes_until_it_is_gone(index: Index, library: Library) -> None:
    files = stored(index, library, {"/docs/lease.txt": "Three months.", "/docs/b.txt": "Three months."})
    sha256 = files["/docs/b.txt"].sha256
    assert index.file_with(sha256) == files["/docs/b.txt"]
    index.set_state([files["/docs/b.txt"]], FileState.GONE)
    assert index.file_with(sha256) == files["/docs/lease.txt"]
    assert index.file_with("0" * 64) is None


def test_the_same_bytes_under_another_extension_are_another_text(index: Index, library: Library) -> None:
    files = stored(index, library, {"/docs/a.txt": "# Title", "/docs/a.md": "# Title"})
    assert len({file.text for file in files.values()}) == 2


def test_what_is_read_comes_back_whole(index: Index, library: Library) -> None:
    text = "Τὸ κείμενο\n\nmit 👩‍👩‍👧 und \ud800 und \x00.\n"
    given_one = replace(
        opened_text(text, "/docs/a.md", Kind.MARKDOWN), blocks=(Block(BlockKind.PARAGRAPH, Span(0, 10)),)
    )
    index.take_walk(library, [("/docs/a.md", given_one.size, 1)])
    index.put(index.files(library)[0], given_one, View(headings=((0, "Top"),)))
    (file,) = index.files(library)
    assert (file.state, file.kind, file.words, file.sha256) == (
        FileState.READ,
        Kind.MARKDOWN,
        len(text.split()),
        given_one.sha256,
    )
    again = index.opened(file)
    assert (again.document.text, again.document.name, again.blocks) == (text, "a.md", given_one.blocks)
    assert index.body(file.text)[1].heading_at(5) == "Top"
    assert found_in(index, library, "κείμενο") == ["a.md"]


def test_chinese_thai_and_accents_are_found(index: Index, library: Library) -> None:
    stored(
        index,
        library,
        {
            "/docs/cat.txt": "那只黑猫在厨房里睡觉。" * 40 + "狗在花园里挖了一个洞。",
            "/docs/thai.txt": "รถไฟออกจากสถานีตอนแปดโมงเช้า",
            "/docs/train.txt": "Le train part à huit heures de la gare d'Orléans.",
        },
    )
    assert found_in(index, library, "狗在哪里挖洞?")[0] == "cat.txt"
    (best, *_) = index.passages(index.search("花园", library, 10), library)
    assert "花园" in best.span.of(index.body(best.text)[0])
    assert found_in(index, library, "รถไฟออกกี่โมง") == ["thai.txt"]
    assert found_in(index, library, "orleans") == ["train.txt"]
    assert found_in(index, library, "?") == []


def test_a_moved_file_is_found_by_its_new_name_only(index: Index, library: Library) -> None:
    files = stored(index, library, {"/docs/lease.txt": "Three months."})
    index.take_walk(library, [("/docs/tenancy_2024.txt", 13, 1)])
    index.set_state(files.values(), FileState.GONE)
    (moved,) = index.files(library, [FileState.WAITING])
    sha256 = files["/docs/lease.txt"].sha256
    assert index.holds("/a.txt", sha256) and not index.holds("/a.pdf", sha256)
    assert index.link(moved, Content(sha256, 13, 1))
    index.sweep()
    assert found_in(index, library, "tenancy") == found_in(index, library, "2024") == ["tenancy_2024.txt"]
    assert found_in(index, library, "lease") == []
    assert [file.path for file in index.files(library)] == ["/docs/tenancy_2024.txt"]
    assert not index.link(moved, Content("0" * 64, 13, 1))


def test_a_text_that_was_dropped_is_said(index: Index, library: Library) -> None:
    files = stored(index, library, {"/docs/a.txt": "An apple."})
    number = files["/docs/a.txt"].text
    index.body(number)
    stored(index, library, {"/docs/b.txt": "A banana."})
    for attempt in (lambda: index.file_of(number, library), lambda: index.opened(files["/docs/a.txt"])):
        with pytest.raises(SpanlightError, match="changed or is gone"):
            attempt()


TEXTS = st.dictionaries(
    st.sampled_from([f"/docs/{name}.txt" for name in "abcdef"]),
    st.integers(1, 4000).map(lambda size: f"{size} apples " * (size // 8 + 1)),
)


@settings(max_examples=15)
@given(st.lists(TEXTS, min_size=1, max_size=6))
def test_passages_numbers_and_vectors_stay_their_texts_own(
    tmp_path_factory: pytest.TempPathFactory, states: list[dict[str, str]]
) -> None:
    """Whatever comes and goes, the index is as one made at once, for this process and for another one."""
    folder = tmp_path_factory.mktemp("index")
    index, other, fresh = Index(folder / "one"), Index(folder / "one"), Index(folder / "fresh")
    library = index.save(Library(0, "All", ("/docs",)))
    for texts in states:
        stored(index, library, texts)
        # A number that was another passage's has not its vector.
        for passage, words in other.without_vectors(NONE, 1000):
            assert passage.span.of(other.body(passage.text)[0]) == words
        give_vectors(index, VECTORS)
        assert have_their_own(other, library, VECTORS)
    again = fresh.save(Library(0, "All", ("/docs",)))
    stored(fresh, again, states[-1])
    expected = everything_of(fresh, again, "apples", "17 apples")
    assert everything_of(index, library, "apples", "17 apples") == expected
    assert everything_of(other, library, "apples", "17 apples") == expected
    passages = expected["passages"]
    assert index.status(library, VECTORS).embedded == index.status(library).passages == len(passages)
    # Numbers are given again: there are never more than the largest state had, and one gap beside each text.
    largest = max(sum(len(text) // 300 + 1 for text in texts.values()) for texts in states)
    numbers = [passage.number for passage, _ in index.without_vectors(NONE, 1000)]
    assert max(numbers, default=0) <= 3 * largest + 1
    for each in (index, other, fresh):
        each.close()


def test_vectors_of_a_text_that_was_dropped_meanwhile_are_not_stored(index: Index, library: Library) -> None:
    stored(index, library, {"/docs/a.txt": "An apple."})
    lacking = index.without_vectors(VECTORS, 10)
    stored(index, library, {})
    stored(index, library, {"/docs/b.txt": "A banana."})
    (now,) = index.without_vectors(VECTORS, 10)
    assert now[0].number == lacking[0][0].number  # the number was given again
    index.put_vectors(VECTORS, [lacking[0][0]], np.eye(1, 32, dtype=np.float32))
    assert index.status(library, VECTORS).embedded == 0


def test_vectors_of_a_lost_database_are_nobodys(index: Index, library: Library, tmp_path: Path) -> None:
    stored(index, library, {"/docs/a.txt": "An apple."})
    give_vectors(index, VECTORS)
    index.close()
    (tmp_path / "library" / "index.sqlite3").unlink()
    (again,) = index.libraries()
    stored(index, again, {"/docs/b.txt": "A banana."})
    assert index.status(again, VECTORS).embedded == 0


def test_vectors_of_other_models_are_deleted(index: Index, library: Library) -> None:
    stored(index, library, {"/docs/a.txt": "An apple."})
    (passage,) = (each for each, _ in index.without_vectors(VECTORS, 10))
    for name in (VECTORS, "new-32"):
        index.put_vectors(name, [passage], np.eye(1, 32, dtype=np.float32))
    index.drop_other_vectors("new-32")
    assert index.status(library, "new-32").embedded == 1
    assert index.status(library, VECTORS).embedded == 0


def test_nearest_are_of_the_library_only(index: Index, library: Library) -> None:
    second = index.save(Library(0, "Second", ("/more",)))
    stored(index, library, {"/docs/a.txt": "An apple."})
    stored(index, second, {"/more/b.txt": "A banana."})
    give_vectors(index, VECTORS)
    for one, words in ((library, "An apple."), (second, "A banana.")):
        query = vector_of("An apple.")
        numbers = index.nearest(query if one is library else -query, VECTORS, one, 10)
        assert all(p.span.of(index.body(p.text)[0]) == words for p in index.passages(numbers, one))
    assert index.passages([1, 2, 3, 99, 0, -1], second)[0].span.of("A banana.") == "A banana."
    assert len(index.passages([1, 2, 3, 99, 0, -1], second)) == 1


def test_compacting_gives_the_disk_back(index: Index, library: Library, tmp_path: Path) -> None:
    texts = {f"/docs/{at}.txt": " ".join(f"w{at}x{each}" for each in range(4000)) for at in range(20)}
    stored(index, library, texts)
    index.compact()
    large = (tmp_path / "library" / "index.sqlite3").stat().st_size
    kept = dict(list(texts.items())[:2])
    stored(index, library, kept)
    index.compact()
    assert (tmp_path / "library" / "index.sqlite3").stat().st_size < large / 3
    assert found_in(index, library, "w1x7 w5x7") == ["1.txt"]
    with pytest.raises(Stopped):
        index.compact(Listener(lambda _: True).check)


def test_a_passage_with_a_word_more_often_is_better_and_a_rare_word_counts_more(
    index: Index, library: Library
) -> None:
    stored(
        index,
        library,
        {
            f"/docs/{name}.txt": text
            for name, text in {
                "a": "rent and house and garden",
                "b": "rent, rent, rent and house",
                "c": "house deposit",
                "d": "house",
                "e": "garden",
                "f": "garden path",
                "g": "a cherry",
                "rent": "nothing else",
            }.items()
        },
    )
    assert found_in(index, library, "rent")[0] == "b.txt"
    assert sorted(found_in(index, library, "rent")) == ["a.txt", "b.txt", "rent.txt"]
    assert found_in(index, library, "house deposit")[0] == "c.txt"
    assert len(index.search("house garden", library, 2)) == 2


# An index of before


OLDER = {
    f"/docs/{name}.txt": f"{name.title()} {name} and more. " * 300 for name in ("apple", "banana", "cherry")
}


@pytest.fixture
def older(index: Index, library: Library, tmp_path: Path) -> Index:
    """An index of three texts with vectors, as an older Spanlight left it."""
    stored(index, library, OLDER)
    give_vectors(index, VECTORS)
    index.close()
    make_older(tmp_path / "library")
    return index


def test_an_older_index_waits_until_it_is_renewed(older: Index, library: Library) -> None:
    assert older.status(library).files == {FileState.WAITING: 3}
    assert found_in(older, library, "apple") == []
    assert [older.opened(file).document.text for file in older.files(library)] == list(OLDER.values())
    steps: list[object] = []
    told = dict.fromkeys(OLDER.values(), "de")
    with pytest.raises(Stopped):
        older.renew(Listener(lambda event: steps.append(event) or len(steps) > 1), told.pop)
    assert older.status(library).files == {FileState.WAITING: 2, FileState.READ: 1}
    older.renew(Silent(), told.pop)
    assert not told and older.status(library).languages == {"de": 3}
    assert older.status(library).files == {FileState.READ: 3}
    assert [found_in(older, library, name) for name in ("apple", "banana", "cherry")] == [
        ["apple.txt"],
        ["banana.txt"],
        ["cherry.txt"],
    ]
    assert older.with_vectors(VECTORS)[0] == older.status(library).passages > 3
    assert have_their_own(older, library, VECTORS)


def test_files_of_an_older_index_may_be_renamed_and_removed_first(older: Index, library: Library) -> None:
    kept = {"/docs/pear.txt": OLDER["/docs/banana.txt"], "/docs/cherry.txt": OLDER["/docs/cherry.txt"]}
    stored(older, library, kept)
    older.renew(Silent(), lambda text: "en")
    older.compact()
    assert found_in(older, library, "apple") == []
    assert found_in(older, library, "pear") == found_in(older, library, "banana") == ["pear.txt"]
    older.remove(library)
    assert older.without_vectors(NONE, 10) == []


# Several at once


def test_another_process_is_seen_at_once(index: Index, other: Index, library: Library) -> None:
    assert other.status(library).passages == 0
    stored(index, library, {"/docs/a.txt": "An apple."})
    assert other.status(library).passages == 1
    assert found_in(other, library, "apple") == ["a.txt"]
    stored(index, library, {"/docs/b.txt": "A banana. " * 200})
    assert found_in(other, library, "banana") == ["b.txt"]
    assert found_in(other, library, "apple") == []
    other.close()
    stored(index, library, {"/docs/c.txt": "A cherry."})
    assert found_in(other, library, "cherry") == ["c.txt"]
    assert other.status(library).passages == 1


def test_a_reader_is_not_blocked_by_a_writer(index: Index, other: Index, library: Library) -> None:
    stored(index, library, {"/docs/a.txt": "An apple."})

    def walking() -> Iterator[tuple[str, int, int]]:
        """Asks from another thread and another process while the transaction is open."""
        yield "/docs/a.txt", 9, 1
        found: list[list[str]] = []
        thread = threading.Thread(target=lambda: found.append(found_in(index, library, "apple")))
        thread.start()
        thread.join(5)
        assert found == [["a.txt"]]
        assert found_in(other, library, "apple") == ["a.txt"]
        assert other.status(library).total == 1
        yield "/docs/b.txt", 9, 1

    index.take_walk(library, walking())
    assert other.status(library).total == 2


WRITER = """
import sys
from pathlib import Path
from app.core.library import Library
from app.library.index import Index
from app.library.ledger import Content
from app.library.schema import MIGRATIONS
from tests.helpers.libraries import found_in, stored
index = Index(Path(sys.argv[1]))
who = sys.argv[2]
sys.stdin.read(1)
library = index.save(Library(0, who, (f"/{who}",)))
for at in range(6):
    stored(index, library, {f"/{who}/{each}.txt": f"{who} says word{each} {at} " * 99 for each in range(at % 3 + 1)})
    assert found_in(index, library, who) and found_in(index, library, "word0") == ["0.txt"]
"""


def test_several_processes_write_at_once(index: Index, tmp_path: Path) -> None:
    names = ("ada", "bob")
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path / "library"), name],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for name in names
    ]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write(b"x")
        writer.stdin.close()
        writer.stdin = None
    said = [writer.communicate(timeout=100)[1].decode() for writer in writers]
    assert not any(writer.returncode for writer in writers), said
    passages = index.without_vectors(NONE, 1000)
    assert len({passage.number for passage, _ in passages}) == len(passages)
    for name in names:
        files = index.files(index.library(name))
        assert [index.opened(file).document.text for file in files] == [
            f"{name} says word{each} 5 " * 99 for each in range(3)
        ]


# What a disk can do


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
            index.take_walk(library, [("/docs/0.txt", 1, 1)])
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


def test_a_newer_database_is_let_be(index: Index, library: Library, tmp_path: Path) -> None:
    index.close()
    connection = sqlite3.connect(tmp_path / "library" / "index.sqlite3")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    for attempt in (index.libraries, lambda: index.save(library), lambda: index.status(library)):
        with pytest.raises(SpanlightError, match=r"newer Spanlight.*Update") as raised:
            attempt()
        assert not isinstance(raised.value, Damaged)


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
    for file in index.files(library):
        if file.state is FileState.READ and file.path != "/docs/a.txt":
            assert len(index.opened(file).document.text.split()) == file.words == 9000
        else:
            assert file.path == "/docs/a.txt" or (file.state, file.text) == (FileState.WAITING, 0)
    files = stored(index, library, {"/docs/b.txt": "A banana."})
    assert found_in(index, library, "banana") == ["b.txt"]
    assert len(files) == len(index.without_vectors(NONE, 1000)) == 1


def test_the_languages_of_files_are_counted(index: Index, library: Library) -> None:
    paths = {"/docs/a.txt": "de", "/docs/b.txt": "en", "/docs/c.txt": "de", "/docs/d.txt": ""}
    index.take_walk(library, ((path, 1, 1) for path in paths))
    for file in index.files(library):
        index.put(file, replace(opened_text(file.path, file.path), language=paths[file.path]), View())
    assert index.status(library).languages == {"": 1, "de": 2, "en": 1}
    assert {file.path: file.language for file in index.files(library)} == paths
    assert index.opened(index.files(library)[0]).language == "de"


def test_an_index_from_before_languages_is_taken_over(tmp_path: Path) -> None:
    before = Database(tmp_path / "library" / "index.sqlite3", MIGRATIONS[:2], "the library", durable=False)
    with before.writing() as connection:
        connection.execute(
            "INSERT INTO texts (sha256, suffix, name, kind, pages, words, first, passages)"
            " VALUES ('a', '.txt', 'a', 'text', 0, 1, 1, 1)"
        )
    before.close()
    index = Index(tmp_path / "library")
    library = index.save(Library(0, "Manuals", ("/docs",)))
    index.take_walk(library, [("/docs/a.txt", 1, 1)])
    assert index.holds("/a.txt", "a") and index.status(library).languages == {}
    index.close()
