"""Entries of the history: read back as they were, found by their words, and gone once deleted."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.history import Entry
from app.library import history as history_module
from app.library.database import Database
from app.library.history import History
from tests.helpers.history_entries import ENTRIES, entry, unanswered


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data" / "history.sqlite3"


@pytest.fixture
def history(file: Path) -> Iterator[History]:
    history = History(file)
    yield history
    history.close()


@pytest.fixture(scope="module")
def roomy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[History]:
    history = History(tmp_path_factory.mktemp("history") / "history.sqlite3")
    yield history
    history.close()


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@given(ENTRIES)
def test_an_entry_comes_back_as_it_went_in(roomy: History, given_entry: Entry) -> None:
    number = roomy.add(given_entry)
    assert roomy.get(number) == replace(given_entry, number=number)
    assert [one.entry for one in roomy.delete([number])] == [replace(given_entry, number=number)]


@given(st.text(st.characters(), min_size=1, max_size=300))
def test_a_typed_text_comes_back_as_it_went_in(roomy: History, text: str) -> None:
    number = roomy.add(entry(path="", sha256=sha256(text)), text)
    assert roomy.text_of(roomy.get(number)) == text
    assert [one.text for one in roomy.delete([number])] == [text]
    assert roomy.text_of(entry(path="", sha256=sha256(text))) == ""


@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=30))
def test_every_word_of_a_question_finds_it(roomy: History, question: str) -> None:
    number = roomy.add(entry(question=question))
    try:
        for word in question.replace("\0", " ").split():
            assert number in [found.number for found in roomy.entries(word, limit=1000)], word
    finally:
        roomy.delete([number])


def test_the_file_is_created_at_first_use_for_its_owner_only(history: History, file: Path) -> None:
    assert not file.exists()
    assert history.entries() == []
    assert file.stat().st_mode & 0o077 == 0
    history.add(entry())
    wal = file.with_name(file.name + "-wal")
    assert wal.stat().st_mode & 0o077 == 0


def test_entries_are_counted_by_the_model_that_read(history: History) -> None:
    for model in ("reader-quick", "other", "other", "OTHER", "other'; DROP TABLE entries"):
        history.add(replace(entry(), model=model))
    assert history.count_of_model("other") == 2
    assert history.count_of_model("other'; DROP TABLE entries") == 1
    assert history.count_of_model("") == 0
    assert history.count() == 5


def test_the_newest_come_first_and_page_by_page(history: History) -> None:
    numbers = [history.add(entry(at)) for at in (3, 1, 2, 2, 5)]
    whole = [one.number for one in history.entries()]
    assert whole == [numbers[4], numbers[0], numbers[3], numbers[2], numbers[1]]
    first = history.entries(limit=2)
    second = history.entries(limit=2, before=first[-1])
    third = history.entries(limit=2, before=second[-1])
    assert [one.number for one in (*first, *second, *third)] == whole
    assert history.entries(before=third[-1]) == []


@pytest.fixture(scope="module", params=[True, False], ids=["indexed", "by LIKE"])
def searched(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[History, dict[int, str]]]:
    """Entries to search, by their names, with FTS5 and without it."""
    with pytest.MonkeyPatch.context() as patched:
        if not request.param:
            patched.setattr(history_module, "has_fts5", lambda connection: False)
        history = History(tmp_path_factory.mktemp("searched") / "history.sqlite3")
        yield (
            history,
            {
                history.add(entry(1)): "lease",
                history.add(unanswered(2, question="À quelle heure le café ouvre-t-il ?", name="b")): "cafe",
                history.add(unanswered(3, question="每月的租金是多少?", name="c")): "chinese",
                history.add(unanswered(4, question="מה גובה שכר הדירה?", name="d")): "hebrew",
                history.add(unanswered(5, question='Is "50%" said?', name="e")): "quotes",
            },
        )
        history.close()


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("depos", ["lease"]),
        ("DEPOSIT much", ["lease"]),
        ("months", ["lease"]),  # its answer
        ("lease.pdf", ["lease"]),  # its name
        ("cafe ouvre", ["cafe"]),
        ("CAFÉ", ["cafe"]),
        ("ouvre deposit", []),
        ("租金", ["chinese"]),  # inside a run of characters
        ("שכר", ["hebrew"]),
        ('"', ["quotes"]),
        ("%", ["quotes"]),
        ("_x_", []),
        ("NOT OR ( * :", []),
        ("   ", ["quotes", "hebrew", "chinese", "cafe", "lease"]),
    ],
)
def test_words_find_entries(searched: tuple[History, dict[int, str]], words: str, found: list[str]) -> None:
    history, names = searched
    assert [names[one.number] for one in history.entries(words)] == found
    assert history.count(words) == len(found)


def test_answers_that_were_not_shown_are_not_searched(history: History) -> None:
    history.add(unanswered())
    assert not history.entries("months")
    assert history.entries("deposit")
    low = history.add(unanswered(no_answer_probability=0.6))
    assert [one.number for one in history.entries("months")] == [low]


def test_entries_written_without_fts5_are_indexed_later(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_index = History(file)
    with_index.add(entry(1))
    with_index.close()
    with monkeypatch.context() as patched:
        patched.setattr(history_module, "has_fts5", lambda connection: False)
        without = History(file)
        late = without.add(unanswered(2, question="Who signs the contract?"))
        without.delete([1])
        without.close()
    again = History(file)
    assert [one.number for one in again.entries("contract")] == [late]
    assert again.entries("deposit") == []
    again.close()


def test_a_text_goes_with_its_last_entry(history: History) -> None:
    text = "The deposit is three months' rent. " * 400
    same = {"path": "", "name": "Pasted text", "sha256": sha256(text)}
    first, second = history.add(entry(1, **same), text), history.add(entry(2, **same), text)
    other = history.add(entry(3, path="", sha256=sha256("other")), "other")
    of_file = history.add(entry(), "the text of a file")
    assert history.text_of(history.get(of_file)) == ""
    history.delete([first])
    assert history.text_of(history.get(second)) == text
    assert [one.text for one in history.delete([second])] == [text]
    assert history.text_of(entry(**same)) == ""
    assert history.text_of(history.get(other)) == "other"


def test_deleted_entries_leave_the_disk(history: History, file: Path) -> None:
    secret = "Xylophonist4711"
    number = history.add(entry(1, question=f"Who is {secret}?"))
    history.add(entry(2))
    assert any(secret.encode() in part.read_bytes() for part in file.parent.iterdir())
    history.delete([number])
    parts = b"".join(part.read_bytes() for part in file.parent.iterdir())
    assert secret.encode() not in parts
    assert secret.lower().encode() not in parts


def test_everything_can_be_deleted(history: History, file: Path) -> None:
    for at in range(50):
        history.add(entry(at, path="", sha256=sha256(f"text {at}")), f"a very private text {at} " * 100)
    before = file.stat().st_size + file.with_name(file.name + "-wal").stat().st_size
    assert history.delete_all() == 50
    assert history.entries() == [] and history.entries("deposit") == [] and history.count() == 0
    parts = b"".join(part.read_bytes() for part in file.parent.iterdir())
    assert b"deposit" not in parts
    assert len(parts) < before / 2
    history.add(entry())
    assert history.count("deposit") == 1


def test_a_deleted_entry_can_be_restored(history: History) -> None:
    text = "typed here"
    number = history.add(entry(1, path="", sha256=sha256(text)), text)
    newer = history.add(entry(2))
    (gone,) = history.delete([number])
    assert [one.number for one in history.entries()] == [newer]
    assert history.add(gone.entry, gone.text) == number
    assert [one.number for one in history.entries("deposit")] == [newer, number]
    assert history.text_of(history.get(number)) == text


def test_several_are_deleted_together_or_none(history: History) -> None:
    first, second, third = (history.add(entry(at)) for at in range(3))
    with pytest.raises(SpanlightError, match="no entry 99"):
        history.delete([first, 99])
    assert history.count() == 3
    assert [one.entry.number for one in history.delete([third, first, third])] == [third, first]
    assert [one.number for one in history.entries()] == [second]


def test_a_missing_entry_is_reported(history: History) -> None:
    with pytest.raises(SpanlightError, match="no entry 7"):
        history.get(7)


def test_several_threads_use_one_history(history: History) -> None:
    faults: list[BaseException] = []

    def work(who: int) -> None:
        try:
            for at in range(20):
                history.add(entry(at, question=f"Question {who}-{at}"))
                history.entries("question", limit=5)
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=work, args=(who,)) for who in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
    assert history.count() == 80


def test_an_older_history_does_not_know_how_far_a_stopped_reading_came(file: Path) -> None:
    old = Database(file, history_module._MIGRATIONS[:1], "the history")
    with old.writing() as connection:
        for number, complete in ((1, 0), (2, 1)):
            connection.execute(
                "INSERT INTO entries VALUES (?, 'Who?', 'a.txt', '', 'ab', 'text', 0, 0.9, 0.5, 'm', '', 1, 2, 0, ?)",
                (number, complete),
            )
        connection.execute("INSERT INTO answers VALUES (2, 0, 3, 5, 'ab', 0.9, 'ab', '', '', 7, 'One')")
    old.close()
    history = History(file)
    (kept,) = history.get(2).answers
    assert (kept.where, kept.page_label, kept.line, kept.heading) == ("page 7", "", None, "One")
    assert (history.get(1).share_read, history.get(1).stopped) == (None, "Stopped before the end")
    assert (history.get(2).share_read, history.get(2).stopped) == (1.0, "")
    assert history.get(2).absent == pytest.approx(0.5 / 3), "a third of the threshold"
    number = history.add(entry(complete=False, windows=152, windows_total=2547))
    assert history.get(number).stopped == "Stopped after 6% of the text"
    history.close()
