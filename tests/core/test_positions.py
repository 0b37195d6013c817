"""Code points and UTF-16 units: the two ways of counting agree on every text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.core.positions import Offsets, utf16_units
from app.core.text import Span

AWKWARD = "👩\u200d🏳\ufe0f🌈e\u0301שא\u202e𝔘漢\0\u00ad\ufeff\r\n a"


@given(st.text(st.one_of(st.sampled_from(AWKWARD), st.characters(exclude_categories=["Cs"])), max_size=40))
def test_both_ways_agree_with_utf_16(text: str) -> None:
    offsets = Offsets(text)
    assert offsets.units == len(text.encode("utf-16-le")) // 2
    for point in range(len(text) + 1):
        unit = len(text[:point].encode("utf-16-le")) // 2
        assert offsets.to_qt(point) == unit
        assert offsets.to_point(unit) == point


@given(st.text(st.sampled_from("a𝔘"), max_size=8))
def test_a_place_inside_a_pair_is_taken_back_to_its_start(text: str) -> None:
    offsets = Offsets(text)
    for point, character in enumerate(text):
        if character == "𝔘":
            assert offsets.to_point(offsets.to_qt(point) + 1) == point


@given(st.text(st.sampled_from(AWKWARD), max_size=30), st.data())
def test_a_span_holds_the_same_words_in_both(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    first, last = Offsets(text).span_to_qt(Span(start, end))
    units = text.encode("utf-16-le")
    assert units[2 * first : 2 * last].decode("utf-16-le") == text[start:end]
    assert utf16_units(text) * 2 == len(units)
