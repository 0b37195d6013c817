"""Languages and confidence of recognised words, and which of them are uncertain."""

from __future__ import annotations

from array import array

from hypothesis import given
from hypothesis import strategies as st

from app.core.layout import Kind, Opened, PageText, Recognised
from app.core.recognition import recognition_of
from app.core.text import Document, Span


def opened(*pages: tuple[str, list[int] | None]) -> Opened:
    text, made = "", []
    for words, sure in pages:
        span = Span(len(text), len(text) + len(words))
        recognised = None if sure is None else Recognised("en", array("B", sure))
        made.append(PageText(100, 100, span, recognised=recognised))
        text += words
    return Opened(Document(text), Kind.PDF, pages=tuple(made))


def test_it_is_said_how_sure_and_in_which_language() -> None:
    document = opened(("ship ", [90] * 5), ("gull", [98] * 4))
    found = recognition_of(document, Span(0, 9))
    assert found is not None and found.in_words == "Text recognised, English, 94% sure"
    assert found.unsure == ()


def test_a_page_with_its_own_text_is_not_told_of() -> None:
    document = opened(("own ", None), ("seen", [40] * 4))
    assert recognition_of(document, Span(0, 3)) is None
    found = recognition_of(document, Span(0, 8))
    assert found is not None and found.unsure == (Span(4, 8),)
    assert recognition_of(Opened(Document("plain")), Span(0, 5)) is None


def test_unsure_words_are_without_the_blanks_around_them() -> None:
    document = opened(("a bad one", [90, 90, 30, 30, 30, 30, 90, 90, 90]))
    found = recognition_of(document, Span(0, 9))
    assert found is not None and [span.of(document.document.text) for span in found.unsure] == ["bad"]


@given(st.lists(st.lists(st.integers(0, 100), max_size=9), min_size=1, max_size=5), st.data())
def test_every_unsure_code_point_is_told_and_no_other(pages: list[list[int]], data: st.DataObject) -> None:
    document = opened(*(("x" * len(sure), sure) for sure in pages))
    every = [each for sure in pages for each in sure]
    start = data.draw(st.integers(0, len(every)))
    end = data.draw(st.integers(start, len(every)))
    found = recognition_of(document, Span(start, end))
    assert (found is None) is (start == end)
    if found is not None:
        told = {at for span in found.unsure for at in range(span.start, span.end)}
        assert told == {at for at in range(start, end) if every[at] < 65}
        assert abs(found.sure - sum(every[start:end]) / (end - start) / 100) < 1e-9
