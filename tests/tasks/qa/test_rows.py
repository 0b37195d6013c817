from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.core.report import Silent
from app.core.requests import Question
from app.core.text import Document
from app.core.view import view_of_text
from app.tasks.qa.question_answering import read
from app.tasks.qa.rows import NAME_WEIGHT, ROW_WEIGHT, RowScores
from app.tasks.text.sections import CachedText
from tests.helpers.fake_models import reader_of

RULES = "| # | Rule | CWE |\n|---|---|---|\n| 2.2.1 | Locks | 307 |\n| 2.2.2 | Keys | 304 |\n| 2.2.3 | Mails | 620 |\n"
PEOPLE = "Name\tBorn\tTown\nAda\t1815\tLondon\nAlan\t1912\tLondon\nGrace\t1906\tNew York\n"
WORDS = st.sampled_from(
    ["Ada", "Locks", "2.2.1", "London", "\t", "\t", "\n", "\n", " ", "| ", "x1", "日本", "İ"]
)


def scores(question: str, text: str) -> RowScores:
    return RowScores(question, [CachedText(text, view_of_text(text))])


def score_at(question: str, text: str, words: str) -> float:
    found = scores(question, text).at(0, np.array([text.index(words)]))
    assert found is not None
    return float(found[0])


def test_the_row_of_the_question_scores_most() -> None:
    question = "Which CWE has 2.2.2?"
    assert score_at(question, RULES, "304") == 0.0
    assert score_at(question, RULES, "307") == score_at(question, RULES, "620") < -ROW_WEIGHT / 2


def test_words_of_few_rows_count_more() -> None:
    question = "When was Alan of London born?"
    assert score_at(question, PEOPLE, "1912") == 0.0
    assert score_at(question, PEOPLE, "1906") < score_at(question, PEOPLE, "1815") < 0.0


def test_each_table_has_a_best_row_of_its_own_and_other_text_none() -> None:
    text = f"{RULES}\nAlan was told of keys in 1950.\n\n{PEOPLE}"
    question = "What of Alan and keys?"
    for words in ("304", "1912", "1950"):
        assert score_at(question, text, words) == 0.0
    assert score_at(question, text, "1815") < 0.0


def test_a_row_that_is_named_comes_before_those_of_every_table() -> None:
    other = RULES.replace("2.2.", "2.3.")
    text = f"Of 2.2.2 more below.\n\n{RULES}\nAnd:\n\n{other}"
    for question in ("Which CWE has 2.2.2?", "the cwe of **2.2.2**, please"):
        assert score_at(question, text, "304") == score_at(question, text, "more") == 0.0
        assert score_at(question, text, "307") <= -NAME_WEIGHT
        found = scores(question, text).at(0, np.array([text.rindex("304")]))
        assert found is not None and found[0] == -NAME_WEIGHT
    # A mere number is no name.
    assert score_at("Who was born in 1912?", PEOPLE.replace("Alan", "1912"), "1815") >= -ROW_WEIGHT


def test_no_row_is_preferred_where_none_has_a_word_of_the_question() -> None:
    assert score_at("Who bakes?", PEOPLE, "1815") == score_at("Who bakes?", PEOPLE, "1906") == 0.0
    assert scores("Who bakes?", "A plain text.").at(0, np.array([0])) is None


@given(st.lists(WORDS, max_size=60).map("".join), st.lists(WORDS, max_size=8).map(" ".join))
def test_scores_are_never_above_zero_and_some_row_of_a_table_has_that(text: str, question: str) -> None:
    found = scores(question, text).at(0, np.arange(len(text)))
    if found is not None:
        assert ((found <= 0.0) & (found >= -ROW_WEIGHT - NAME_WEIGHT)).all() and (found == 0.0).any()


def test_of_two_cells_that_look_alike_the_one_in_the_named_row_is_the_answer() -> None:
    text = "Name\tBorn\tTown\nAda\t1815\tparis\nAlan\t1912\tking\nGrace\t1906\tNew York\n"
    document = Document(text, view=view_of_text(text))
    model = reader_of({"paris": 6.0, "king": 5.9}, window=128)
    first = read(Question("Where is Alan from?", (document,)), model, Silent())
    other = read(Question("Where is Ada from?", (document,)), model, Silent())
    assert (first.answers[0].text, other.answers[0].text) == ("king", "paris")
    # What the rows add is no score of the model's.
    assert first.answers[1].score > first.answers[0].score
