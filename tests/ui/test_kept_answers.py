"""Answers of the history, found again in the document as it is now."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.core.history import Entry, KeptAnswer
from app.core.layout import Kind
from app.core.text import Span
from app.ui.views.kept_answers import answers_in, reading_of

TEXT = "The tide is high at noon. The tide is low at six."


def kept(text: str, start: int, end: int) -> KeptAnswer:
    return KeptAnswer(
        Span(start, end), text[start:end], 0.9, "", text[max(0, start - 8) : start], text[end : end + 8]
    )


def entry(*answers: KeptAnswer) -> Entry:
    return Entry("When?", "tides.txt", "", "", Kind.TEXT, answers, True, 0.1, 0.5, "m", "CPU", 0.2, 0.0)


def test_an_answer_in_its_place_is_taken_as_it_is() -> None:
    found, moved = answers_in(TEXT, entry(kept(TEXT, 20, 24)))
    assert not moved
    assert [(one.span, one.text) for one in found] == [(Span(20, 24), "noon")]
    reading = reading_of(entry(kept(TEXT, 20, 24)), found)
    assert reading.best is not None and reading.best.text == "noon"


def test_an_answer_that_moved_is_found_by_what_stands_around_it() -> None:
    now = "A new line.\n" + TEXT + " The tide is high at noon. " + TEXT
    found, moved = answers_in(now, entry(kept(TEXT, 42, 45)))
    assert moved
    assert [one.span.of(now) for one in found] == ["low"] or found[0].text == TEXT[42:45]


def test_an_answer_that_is_gone_or_stands_in_many_places_is_not_guessed() -> None:
    words = KeptAnswer(Span(0, 8), "The tide", 0.9, "", "before ", " after")
    assert answers_in(TEXT + " " + TEXT.lower(), entry(KeptAnswer(Span(3, 9), "absent", 0.9)))[0] == ()
    found, moved = answers_in("x" + TEXT, entry(words))
    assert moved and found == ()
    assert not reading_of(entry(words), found).answered


@given(st.text(max_size=20), st.text(min_size=3, max_size=60), st.data())
def test_what_is_found_says_the_words(before: str, text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    now = before + text
    for one in answers_in(now, entry(kept(text, start, end)))[0]:
        assert one.span.of(now) == one.text == text[start:end]
