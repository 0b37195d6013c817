"""Texts cut into passages, and the words of texts and questions as they are searched."""

from __future__ import annotations

import sqlite3
from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from app.library.passages import SIZE, indexed, search_words, starts_of_passages

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


@given(st.text(max_size=300) | WORDS | RUNS)
@example('" OR NEAR(a b) * -x AND col:y ^z')
@example("2.1.5 and 10:30 or 1,000,000")
@example("\x00\x00a\x00")
def test_any_question_is_an_expression_that_fts5_takes(question: str) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE search USING fts5(words)")
    if words := search_words(question):
        connection.execute("SELECT * FROM search WHERE search MATCH ?", (words,)).fetchall()
    connection.close()


def test_stop_words_are_left_out_unless_there_are_no_others() -> None:
    assert search_words("What is the deposit?") == '"deposit"'
    assert search_words("to be or not to be") != ""
    assert search_words("?!") == ""


def test_a_number_is_searched_as_a_whole() -> None:
    assert '"2.1.5"' in search_words("What does section 2.1.5 say?")


def test_a_long_question_is_searched_by_its_longest_words() -> None:
    words = search_words(" ".join(f"word{'x' * at}" for at in range(100)))
    assert words.count(" OR ") == 31
    assert "x" * 99 in words and '"wordx"' not in words
