"""What a person said of an answer, held against what a reading shows."""

from __future__ import annotations

import pytest

from app.core.text import Span
from tests.helpers.corrections import absent, correction, right


@pytest.mark.parametrize("answered", [True, False])
def test_words_are_agreed_with_whether_they_were_given_or_only_the_nearest(answered: bool) -> None:
    said = right("How long is the notice?", answered=answered)
    assert said.is_agreed and said.agrees_with(said.shown_span, answered=answered)
    assert not said.agrees_with(Span(0, 4), answered=answered)
    other = correction(answered=answered)
    assert not other.is_agreed and not other.agrees_with(other.shown_span, answered=answered)


def test_nearest_words_are_no_answer_that_a_text_without_one_is_held_against() -> None:
    for answered in (True, False):
        said = absent("Is there a garden?", answered=answered)
        assert said.is_agreed == said.agrees_with(said.shown_span, answered=answered) == (not answered)
    assert absent("Is there a garden?").agrees_with(None, answered=False)
