"""Texts are cut into passages, and passages are found by the words of questions."""

from __future__ import annotations

import sqlite3
from array import array
from contextlib import closing
from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from app.core.stop_words import ENGLISH
from app.library.passages import ROWS, SIZE, indexed, search_words, starts_of_passages
from app.library.schema import MIGRATIONS, STRIDE, add_rows, delete_rows, passage_rows

WORDS = st.lists(st.text("abcé\u0301ñ\U0001f600-", min_size=1, max_size=60), max_size=400).map(" ".join)
RUNS = st.text("猫狗在哪里。รถไฟ้ a", max_size=2000)


@given(WORDS | RUNS | st.text(max_size=3000))
@example("")
@example("x" * 5000)
@example(" " * 5000)
def test_passages_cover_the_text_in_order(text: str) -> None:
    starts = list(starts_of_passages(text))
    ends = [*starts[1:], len(text)][: len(starts)]
    assert "".join(text[start:end] for start, end in zip(starts, ends, strict=True)) == text
    assert not text or starts[0] == 0
    assert all(0 < end - start <= SIZE for start, end in zip(starts, ends, strict=True))


@given(WORDS)
def test_no_word_is_cut_where_there_is_a_blank(text: str) -> None:
    starts = list(starts_of_passages(text))
    for before, start in pairwise(starts):
        cut_within = not text[start - 1].isspace()
        assert not (cut_within and " " in text[before + SIZE // 2 : start])


def test_scripts_without_blanks_have_shorter_passages() -> None:
    chinese = starts_of_passages("猫在哪里" * 500)
    english = starts_of_passages("Where is the cat? " * 111)
    assert len(chinese) > 2 * len(english)


def test_pairs_of_letters_stand_for_words() -> None:
    assert indexed("Where is 猫狗鸟?").split() == ["Where", "is", "猫狗", "狗鸟", "?"]
    assert indexed("鸟").split() == ["鸟"]
    # Thai writes vowels and tones above and below its letters.
    assert indexed("ที่นี่").split() == ["ทน"]
    assert indexed("No such letters.") == "No such letters."


# Also what stands for a letter with an accent, a number or a whole phrase.
QUESTIONS = st.text(max_size=300) | st.text("İißﷺﬁé\u0301½⑴1.:, aA", max_size=80) | WORDS | RUNS


def searched(*texts: str) -> sqlite3.Connection:
    """The search of an index as it is made now, with these texts as passages from number 1 on."""
    connection = sqlite3.connect(":memory:")
    for statements in MIGRATIONS:
        for statement in statements:
            connection.execute(statement)
    for number, text in enumerate(texts, start=1):
        add_rows(connection, passage_rows(number, text, array("i", [0])))
    return connection


def rows_with(connection: sqlite3.Connection, word: str) -> list[int]:
    """The passages of the rows with a word, one for each row."""
    rows = connection.execute("SELECT rowid FROM search WHERE search MATCH ?", (f'"{word}"',))
    return sorted(row % STRIDE for (row,) in rows)


@given(QUESTIONS)
@example('" OR NEAR(a b) * -x AND col:y ^z')
@example("2.1.5 and 10:30 or 1,000,000 or 1.2.3.4.5.6")
@example("\x00\x00a\x00")
def test_a_text_is_found_by_all_of_its_words(text: str) -> None:
    with closing(searched(text)) as connection:
        for word in search_words(text):
            assert set(rows_with(connection, word)) == {1} or word in ENGLISH


@given(QUESTIONS)
def test_added_rows_can_be_deleted(text: str) -> None:
    with closing(searched(text)) as connection:
        delete_rows(connection, passage_rows(1, text, array("i", [0])))
        assert not any(rows_with(connection, word) for word in search_words(text))


def test_as_many_rows_have_a_word_as_it_occurs() -> None:
    with closing(searched("The deposit; deposits. A depot!", "Deposit " * 9, "Rent")) as connection:
        assert rows_with(connection, "deposit") == [1, 1, *[2] * ROWS]
        assert rows_with(connection, "depot") == rows_with(connection, "depots") == [1]


def test_accents_case_and_ligatures_do_not_matter() -> None:
    with closing(searched("Cafe\u0301 İstanbul", "THÉ", "the ﬁle", "Straße")) as connection:
        for question, passage in {
            "café": 1,
            "CAFE": 1,
            "istanbul": 1,
            "thé": 2,
            "file": 3,
            "STRASSE": 4,
        }.items():
            (word,) = search_words(question)
            assert rows_with(connection, word) == [passage], question


def test_a_number_is_found_as_a_whole_and_by_its_parts() -> None:
    with closing(searched("See 2.1.5.", "See 5.1.2.", "It costs 1,000.50 by 05/01/2024.")) as connection:
        found = {number: rows_with(connection, search_words(number)[0]) for number in ("2.1.5", "2.1", "1.2")}
        assert found == {"2.1.5": [1], "2.1": [1], "1.2": [2]}
        assert rows_with(connection, "5") == [1, 2]
        for number in ("2024", "05.01.2024", "1.000", "1.000,50"):
            assert rows_with(connection, search_words(number)[0]) == [3], number


def test_stop_words_are_left_out_unless_there_are_no_others() -> None:
    assert search_words("What is the deposit?") == ["deposit"]
    assert search_words("When did the war end?") == ["war", "end"]
    assert search_words("Wann war der Krieg zu Ende?") == ["krieg", "ende"]
    assert search_words("to be or not to be") != []
    assert search_words("?!") == []
    with closing(searched("To be, or not to be", "Who is it?")) as connection:
        assert rows_with(connection, "the") == []
        assert rows_with(connection, "not") == [1]
        assert rows_with(connection, "who") == [2]


def test_a_long_question_is_searched_by_its_longest_words() -> None:
    words = search_words(" ".join(f"word{'x' * at}" for at in range(100)))
    assert len(words) == 32
    assert f"word{'x' * 99}" in words and "wordx" not in words
