"""What is said of an answer beside the page: its sentence and where it stands."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.core.results import Answer
from app.core.text import Span
from app.ui.widgets.places import place_of, where

POEM = "He read:\n\n  “The Queen made tarts,\n     All on a day:\n   The Knave of\n Hearts stole them!”\n\nConsider."


def answer(text: str, start: int, end: int) -> Answer:
    return Answer(0, Span(start, end), text[start:end], 0.94, 5.0, 1.0)


def test_the_sentence_is_shown_without_runs_of_blanks() -> None:
    start = POEM.index("The Knave")
    place = place_of(POEM, answer(POEM, start, POEM.index(" stole")), "poem.txt")
    assert place.sentence[place.start : place.end] == "The Knave of Hearts"
    assert "  " not in place.sentence and "\n" not in place.sentence
    assert place.where == "line 5, at 56 % of the text"
    assert place.likely == "Very likely, 94 %"
    assert place.copied().startswith("The Knave of\n Hearts\n\n“") and place.copied().endswith(
        "(poem.txt, line 5, at 56 % of the text)"
    )


def test_the_start_of_the_text_is_called_so() -> None:
    assert where("abc", 0) == "line 1, at the start"


@given(st.text(min_size=1, max_size=80), st.data())
def test_the_words_stand_in_their_sentence(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    place = place_of(text, answer(text, start, end))
    assert "".join(place.sentence[place.start : place.end].split()) == "".join(text[start:end].split())
