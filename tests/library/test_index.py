"""The index: its ledger, its passages and vectors, several processes at once, and older schemas."""

from __future__ import annotations

import os
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
from app.core.library import FileState, Library, LibraryFile
from app.core.message import Message
from app.core.report import Silent, Stopped
from app.core.text import Span, View
from app.library.database import Database
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


def test_a_removed_library_is_reported(index: Index, library: Library) -> None:
    index.remove(library)
    for attempt in (index.current, index.save, lambda one: index.record_walk(one, [])):
        with pytest.raises(SpanlightError, match="“Manuals” was removed"):
            attempt(library)
    with pytest.raises(SpanlightError, match=r"no library “Manuals”.*Add a folder first"):
        index.library("Manuals")
    assert index.save(Library(0, "Manuals")).number != library.number


# The ledger


def test_a_walk_records_new_and_changed_files_and_returns_the_others(index: Index, library: Library) -> None:
    assert index.record_walk(library, [("/docs/a.txt", 5, 1), ("/docs/b.txt", 6, 1)]) == []
    assert index.status(library).files == {FileState.WAITING: 2}
    files = stored(index, library, {"/docs/a.txt": "Anna", "/docs/b.txt": "Berta"})
    assert {file.state for file in files.values()} == {FileState.READ}
    others = index.record_walk(library, [("/docs/a.txt", 4, 2), ("/docs/c.txt", 1, 1)])
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


def test_the_reason_of_a_failure_can_be_translated_later(index: Index, library: Library) -> None:
    index.record_walk(library, [("/docs/a.pdf", 5, 1)])
    (file,) = index.files(library)
    inner = Message("{n} byte", "{n} bytes", n=3)
    for reason in (Message("It is larger than {size}.", size=inner), "It is damaged."):
        index.fail(file, FileState.FAILED, reason, Content("", 5, 1))
        again = index.files(library)[0].reason
        assert again == reason and type(again) is type(reason)


def test_two_libraries_share_a_file(index: Index, library: Library) -> None:
    second = index.save(Library(0, "Second", ("/docs",)))
    stored(index, library, {"/docs/a.txt": "An apple.", "/docs/b.txt": "A banana."})
    index.record_walk(second, [("/docs/a.txt", 9, 1)])
    assert [file.state for file in index.files(second)] == [FileState.READ]
    assert found_in(index, second, "apple banana") == ["a.txt"]
    index.remove(library)
    assert found_in(index, second, "apple banana") == ["a.txt"]
    assert [words for _, words in index.without_vectors(NONE, 10)] == ["An apple."]
    index.leave(second, index.files(second))
    index.sweep()
    assert index.without_vectors(NONE, 10) == []
    assert index.file("/docs/a.txt") is None


# Texts


def test_equal_files_have_one_text_and_are_found_by_each_name(index: Index, library: Library) -> None:
    files = stored(
        index, library, {"/docs/lease.txt": "Three months.", "/docs/old/contract.txt": "Three months."}
    )
    assert len({file.text for file in files.values()}) == 1
    assert len(index.without_vectors(NONE, 10)) == 1
    assert found_in(index, library, "lease") == found_in(index, library, "contract") == ["lease.txt"]
    assert index.file_of(files["/docs/lease.txt"].text, library).path == "/docs/lease.txt"


@pytest.mark.parametrize("how", ["changed", "gone", "left", "library removed"])
def test_a_text_is_not_found_by_the_name_of_a_file_that_has_left_it(
    index: Index, library: Library, how: str
) -> None:
    second = index.save(Library(0, "Second", ("/docs",)))
    files = stored(index, library, {"/docs/lease.txt": "Three months.", "/docs/old.txt": "Three months."})
    index.enter(second, [files["/docs/old.txt"]])
    assert found_in(index, second, "lease") == ["old.txt"]
    match how:
        case "changed":
            stored(index, library, {"/docs/lease.txt": "Four weeks.", "/docs/old.txt": "Three months."})
        case "gone":
            index.set_state([files["/docs/lease.txt"]], FileState.GONE)
            index.sweep()
        case "left":
            stored(index, library, {"/docs/old.txt": "Three months."})
        case _:
            index.remove(library)
    assert found_in(index, second, "lease") == []
    assert found_in(index, second, "old") == ["old.txt"]


@pytest.mark.parametrize("has_copy", [False, True])
def test_a_file_with_other_bytes_and_the_same_words_keeps_its_vectors(
    index: Index, library: Library, has_copy: bool
) -> None:
    copy = {"/docs/b.txt": "Three months."} if has_copy else {}
    (before, *others) = stored(index, library, {"/docs/a.txt": "Three months."} | copy).values()
    give_vectors(index, VECTORS)
    again = replace(opened_text("Three months.", before.path), sha256="1" * 64, language="en")
    index.put(before, again, View())
    (after, *_) = index.files(library)
    assert (after.sha256, after.language, after.state) == ("1" * 64, "en", FileState.READ)
    assert (after.text == before.text) is not has_copy
    assert index.count_vectors(VECTORS) == ((1, 2) if has_copy else (1, 1))
    assert index.file_with("1" * 64) == after
    assert [index.file_with(file.sha256) for file in others] == others
    index.sweep()
    assert sorted(found_in(index, library, "months")) == (["a.txt", "b.txt"] if has_copy else ["a.txt"])


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("matresses", ["a.txt", "b.txt"]),  # the index has “mattress”
        ("what are matteresses", ["a.txt", "b.txt"]),
        ("orgnisation", ["a.txt"]),
        ("organzation", []),  # two slips
        ("matching", []),
        ("lenght", ["b.txt"]),
        ("mattresses", ["a.txt", "b.txt"]),  # what there is needs no other words
    ],
)
def test_a_word_that_no_file_has_is_searched_without_its_slip(
    index: Index, library: Library, question: str, names: list[str]
) -> None:
    other = index.save(Library(0, "Other", ("/other",)))
    stored(index, other, {"/other/c.txt": "Matresses are matched in lengths. " * 9})
    texts = {
        "/docs/a.txt": "Organisations buy mattresses. Mattresses last.",
        "/docs/b.txt": "Five mattresses, of this length. It is long.",
    }
    stored(index, library, texts)
    assert sorted(found_in(index, library, question)) == names


def test_a_text_to_be_read_again_is_searched_and_its_copies_follow(index: Index, library: Library) -> None:
    texts = {"/docs/a.txt": "Three months.", "/docs/b.txt": "Four weeks.", "/docs/copy.txt": "Three months."}
    files = stored(index, library, texts)
    read, other, copy = files.values()
    index.read_again([read.text])
    assert index.to_read_again(library) == [read], "once for all copies"
    assert found_in(index, library, "months") == ["a.txt"] and index.status(library).read == 3
    assert not index.holds(read, read.sha256) and not index.holds(copy, read.sha256)
    assert not index.link(copy, Content(read.sha256, 1, 1))
    new = LibraryFile(0, "/docs/new.txt", FileState.WAITING)
    assert index.holds(new, read.sha256) and not index.holds(replace(new, path="/docs/a.md"), read.sha256)
    longer = replace(opened_text("Three months and more.", read.path), sha256=read.sha256)
    index.put(read, longer, View())
    index.sweep()
    assert index.to_read_again(library) == [] and index.holds(copy, longer.sha256)
    assert [words for _, words in index.without_vectors(NONE, 9)] == ["Four weeks.", longer.document.text]
    assert len({file.text for file in index.files(library)}) == 2
    assert found_in(index, library, "copy") == ["a.txt"], "by the name of its copy"
    index.read_again([other.text])
    index.keep(other)
    assert index.to_read_again(library) == [] and index.holds(new, other.sha256)


def test_copies_of_what_is_to_be_read_again_share_its_text(index: Index, library: Library) -> None:
    opened = opened_text("Three months.", "/docs/a.pdf", Kind.PDF)
    index.record_walk(library, [(f"/docs/{name}.pdf", opened.size, 1) for name in "abc"])
    first, *copies = index.files(library)
    index.put(first, opened, View(), again=True)
    content = Content(opened.sha256, opened.size, 1)
    assert all(index.holds(copy, opened.sha256) and index.link(copy, content) for copy in copies)
    (again,) = index.to_read_again(library)
    assert {file.text for file in index.files(library)} == {again.text}
    index.put(again, replace(opened, language="en"), View())
    assert index.to_read_again(library) == [] and index.status(library).passages == 1
    assert {(file.text, file.language) for file in index.files(library)} == {(again.text, "en")}


def test_deleting_many_texts_may_be_stopped_and_goes_on(index: Index, library: Library) -> None:
    other = index.save(Library(0, "Other", ("/other",)))
    stored(index, library, {f"/docs/{at}.txt": f"Text {at}." for at in range(120)})
    stored(index, other, {"/other/a.txt": "Another text.", "/other/b.txt": "Text 7."})
    give_vectors(index, "some-32")
    left = [None] * 2

    def check() -> None:
        if not left:
            raise Stopped
        left.pop()

    with pytest.raises(Stopped):
        index.remove(library, check)
    assert index.libraries() == [other]
    assert 0 < index.sweep() < 119, "the first ones were deleted before the stop"
    assert {words for _, words in index.without_vectors(NONE, 200)} == {"Another text.", "Text 7."}
    assert index.sweep() == 0 and have_their_own(index, other, "some-32")
    stored(index, other, {"/other/c.txt": "A new text."})
    assert [words for _, words in index.without_vectors("some-32", 9)] == ["A new text."]


def test_nothing_stays_of_the_last_library_however_soon_it_is_stopped(index: Index, library: Library) -> None:
    def stop() -> None:
        raise Stopped

    stored(index, library, {f"/docs/{at}.txt": f"Text {at}." for at in range(60)})
    index.remove(library, stop)
    assert index.libraries() == [] and list(index.without_vectors(NONE, 99)) == []


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
    index.record_walk(library, [("/docs/a.md", given_one.size, 1)])
    index.put(index.files(library)[0], given_one, View(headings=((0, "Top"),)))
    (file,) = index.files(library)
    assert (file.state, file.kind, file.sha256) == (FileState.READ, Kind.MARKDOWN, given_one.sha256)
    assert file.words == len(text.split())
    again = index.opened(file)
    assert (again.document.text, again.document.name, again.blocks) == (text, "a.md", given_one.blocks)
    assert index.body(file.text)[1].heading_at(5) == "Top"
    assert found_in(index, library, "κείμενο") == ["a.md"]


def test_chinese_thai_and_accents_are_found(index: Index, library: Library) -> None:
    texts = {
        "/docs/cat.txt": "那只黑猫在厨房里睡觉。" * 40 + "狗在花园里挖了一个洞。",
        "/docs/thai.txt": "รถไฟออกจากสถานีตอนแปดโมงเช้า",
        "/docs/train.txt": "Le train part à huit heures de la gare d'Orléans.",
    }
    stored(index, library, texts)
    assert found_in(index, library, "狗在哪里挖洞?")[0] == "cat.txt"
    (best, *_) = index.passages(index.search("花园", library, 10), library)
    assert "花园" in best.span.of(index.body(best.text)[0])
    assert found_in(index, library, "รถไฟออกกี่โมง") == ["thai.txt"]
    assert found_in(index, library, "orleans") == ["train.txt"]
    assert found_in(index, library, "?") == []


def test_a_deleted_text_is_reported(index: Index, library: Library) -> None:
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
    """Whatever is added and removed, the index equals one made at once, in this and in another process."""
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


def test_vectors_of_a_text_that_was_deleted_meanwhile_are_not_stored(index: Index, library: Library) -> None:
    stored(index, library, {"/docs/a.txt": "An apple."})
    lacking = index.without_vectors(VECTORS, 10)
    stored(index, library, {})
    stored(index, library, {"/docs/b.txt": "A banana."})
    (now,) = index.without_vectors(VECTORS, 10)
    assert now[0].number == lacking[0][0].number  # the number was given again
    index.put_vectors(VECTORS, [lacking[0][0]], np.eye(1, 32, dtype=np.float32))
    assert index.status(library, VECTORS).embedded == 0


def test_vectors_of_a_lost_database_are_not_used(index: Index, library: Library, tmp_path: Path) -> None:
    stored(index, library, {"/docs/a.txt": "An apple."})
    give_vectors(index, VECTORS)
    index.close()
    (tmp_path / "library" / "index.sqlite3").unlink()
    (again,) = index.libraries()
    stored(index, again, {"/docs/b.txt": "A banana."})
    assert index.status(again, VECTORS).embedded == 0


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


def test_what_a_library_finds_does_not_depend_on_the_others(index: Index, library: Library) -> None:
    files = {
        "/docs/a.txt": "The rent is due.",
        "/docs/b.txt": "The deposit is due.",
        "/docs/c.txt": "Plants.",
    }
    stored(index, library, files | {f"/docs/{at}.txt": f"Rent of house {at}." for at in range(5)})
    before = index.search("rent or deposit", library, 100)
    assert found_in(index, library, "rent or deposit")[0] == "b.txt"  # the rarer word
    second = index.save(Library(0, "Second", ("/more",)))
    stored(index, second, {f"/more/{at}.txt": f"A deposit of {at}." for at in range(40)})
    assert index.search("rent or deposit", library, 100) == before


def test_compacting_shrinks_the_file(index: Index, library: Library, tmp_path: Path) -> None:
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
    texts = {
        "a": "rent and house and garden",
        "b": "rent, rent, rent and house",
        "c": "house deposit",
        "d": "house",
        "e": "garden",
        "f": "garden path",
        "g": "a cherry",
        "rent": "nothing else",
    }
    stored(index, library, {f"/docs/{name}.txt": text for name, text in texts.items()})
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
    for name in ("apple", "banana", "cherry"):
        assert found_in(older, library, name) == [f"{name}.txt"]
    assert older.count_vectors(VECTORS)[0] == older.status(library).passages > 3
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


def test_a_reader_is_not_blocked_by_a_writer(index: Index, other: Index, library: Library) -> None:
    stored(index, library, {"/docs/a.txt": "An apple."})

    def walking() -> Iterator[tuple[str, int, int]]:
        """Searches from another thread and another process while the transaction is open."""
        yield "/docs/a.txt", 9, 1
        found: list[list[str]] = []
        thread = threading.Thread(target=lambda: found.append(found_in(index, library, "apple")))
        thread.start()
        thread.join(5)
        assert found == [["a.txt"]]
        assert found_in(other, library, "apple") == ["a.txt"]
        assert other.status(library).total == 1
        yield "/docs/b.txt", 9, 1

    index.record_walk(library, walking())
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


def test_the_languages_of_files_are_counted(index: Index, library: Library) -> None:
    paths = {"/docs/a.txt": "de", "/docs/b.txt": "en", "/docs/c.txt": "de", "/docs/d.txt": ""}
    index.record_walk(library, ((path, 1, 1) for path in paths))
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
    index.record_walk(library, [("/docs/a.txt", 1, 1)])
    assert (
        index.holds(LibraryFile(0, "/a.txt", FileState.WAITING), "a")
        and index.status(library).languages == {}
    )
    index.close()
