from __future__ import annotations

import pytest

from app.core.report import Silent
from app.core.requests import Question, QuestionBatch
from app.core.text import Document
from app.tasks.qa.question_answering import read, read_batch
from app.tasks.qa.spelling import respelt
from app.tasks.text.sections import CachedText
from tests.helpers.fake_models import span_reader
from tests.helpers.small_models import small_tokenizer

TEXT = "Old mattresses are stuffed with straw. Hansen paid for lengths of it; lengths were sold in Zwolle."


def corrected(question: str, *texts: str) -> str:
    return respelt(question, [CachedText(text) for text in texts], small_tokenizer("bert"))


@pytest.mark.parametrize(
    ("typed", "read_as"),
    [
        ("what do they stuff matresses with", "what do they stuff mattresses with"),
        ("matresses with zzzzz?", "mattresses with zzzzz?"),
        ("which lenghts, and matttresses", "which lengths, and mattresses"),
        ("Are Matresses or MATRESSES stuffed?", "Are Matresses or MATRESSES stuffed?"),  # perhaps names
        ("was it hanson", "was it hanson"),  # the text has that as a name only
        ("strww, lenggths", "straw, lengths"),
        ("stuffs, straws", "stuffs, straws"),  # other endings
        ("stuff “matresses”", "stuff “matresses”"),
        ('stuff "matresses" with', 'stuff "matresses" with'),
        ("re-matresses matresses's", "re-matresses matresses's"),
        ("mitresses cost", "mitresses cost"),  # two slips
        ("attresses cost", "attresses cost"),
        ("is it old, or stufed", "is it old, or stuffed"),
        ("strw, straww, sold, soldd", "straw, straw, sold, soldd"),  # short words are too alike
        ("mattresses sold", "mattresses sold"),
    ],
)
def test_slips_are_corrected_by_the_words_of_the_text(typed: str, read_as: str) -> None:
    assert corrected(typed, TEXT) == read_as


@pytest.mark.parametrize(
    ("text", "read_as"),
    [
        ("| Cake | Price |\n|---|---|\n| Banana bread | 3.20 |\n", "banana"),
        ("Cake\tPrice\nBanana bread\t3.20\n", "banana"),
        ("- Apple pie\n- Banana bread\n", "banana"),
        ("| Banana Brown | 3 |\n", "bananna"),  # a name, perhaps
        ("Banana bread is sold here.", "bananna"),
        ("| Banana |\n", "bananna"),
    ],
)
def test_a_cell_begins_with_a_capital_that_names_nobody(text: str, read_as: str) -> None:
    assert corrected("how much is a bananna", text) == f"how much is a {read_as}"


def test_a_word_of_any_text_is_right_as_it_is() -> None:
    assert corrected("about matresses", TEXT, "A shop called Matresses.") == "about matresses"


def test_a_word_that_the_tokenizer_knows_is_right_as_it_is() -> None:
    known = next(
        w for w in small_tokenizer("bert").get_vocab() if len(w) >= 5 and w.isalpha() and w.islower()
    )
    assert corrected(f"the {known}", f"A {known[:2]}{known[1:]} here") == f"the {known}"


def test_the_more_frequent_word_is_taken() -> None:
    assert corrected("many sprongs", "A sprungs, two springs, more springs.") == "many springs"


def test_the_reading_says_how_the_question_was_read() -> None:
    model = span_reader()
    question = Question("what do they stuff matresses with", (Document(TEXT),))
    right = read(Question("what do they stuff mattresses with", (Document(TEXT),)), model, Silent())
    reading = read(question, model, Silent())
    assert (reading.read_as, right.read_as) == ("what do they stuff mattresses with", "")
    assert reading.answers == right.answers
    (batched,) = read_batch(QuestionBatch((question,)), model, Silent())
    assert (batched.read_as, batched.answers) == (reading.read_as, reading.answers)
