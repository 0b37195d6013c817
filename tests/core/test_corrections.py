"""A person's verdict on an answer, compared with what a reading shows."""

from __future__ import annotations

import pytest

from app.core.text import Span
from tests.helpers.corrections import absent, correction, right


@pytest.mark.parametrize("answered", [True, False])
def test_words_are_agreed_with_whether_they_were_given_or_only_the_nearest(answered: bool) -> None:
    said = right("How long is the notice?", answered=answered)
    assert said.is_agreed and said.agrees_with(said.shown_span)
    assert not said.agrees_with(Span(0, 4))
    other = correction(answered=answered)
    assert not other.is_agreed and not other.agrees_with(other.shown_span)


def test_a_text_without_an_answer_agrees_only_with_a_reader_that_shows_none() -> None:
    question = "Is there a garden?"
    assert not absent(question, answered=True).is_agreed
    assert not absent(question, answered=False, low_confidence=True).is_agreed
    assert right(question, answered=False, low_confidence=True).is_agreed
    said = absent(question, answered=False)
    assert said.is_agreed and said.agrees_with(None) and not said.agrees_with(said.shown_span)
