"""Spans of a text, normalised newlines, and conversion between code points and UTF-16 units."""

from __future__ import annotations

import pickle
from array import array
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.text import (
    BLANK,
    Document,
    Offsets,
    Replacement,
    Span,
    View,
    blanks_in,
    is_one_slip,
    normalise_newlines,
    utf16_units,
    whole_words,
)

places = st.tuples(st.integers(0, 40), st.integers(0, 40)).map(lambda ends: Span(min(ends), max(ends)))


@pytest.mark.parametrize("ends", [(-1, 2), (3, 2), (-2, -1)])
def test_what_is_no_place_is_no_span(ends: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="not a span"):
        Span(*ends)


@given(places, places)
def test_spans_overlap_where_they_share_a_character(one: Span, other: Span) -> None:
    shared = set(range(one.start, one.end)) & set(range(other.start, other.end))
    assert one.overlaps(other) == other.overlaps(one) == bool(shared)


@given(st.text(alphabet="ab 1.-\u0301\u4e00\U0001f469\u200d", max_size=20), st.data())
def test_whole_words_hold_what_was_selected_and_end_between_words(text: str, data: st.DataObject) -> None:
    ends = sorted(data.draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=2)))
    span = Span(*ends)
    found = whole_words(text, span)
    assert found.start <= span.start and span.end <= found.end
    assert whole_words(text, found) == found
    before, after = text[found.start - 1 : found.start + 1], text[found.end - 1 : found.end + 1]
    if len(span):
        assert not (found.start and before.isascii() and before.isalnum() and len(before) == 2)
        assert not (found.end < len(text) and after.isascii() and after.isalnum())


@pytest.mark.parametrize(
    ("text", "selected", "whole"),
    [
        ("Ada Mueller summed it up", "ler summ", "Mueller summed"),
        ("caf\u00e9s open at 10", "af\u00e9", "caf\u00e9s"),
        ("cafe\u0301s open", "cafe", "cafe\u0301s"),
        ("\u6771\u4eac\u306f\u6674\u308c", "\u4eac", "\u4eac"),
        ("from 9.30 on", "30", "30"),
    ],
)
def test_half_words_are_made_whole(text: str, selected: str, whole: str) -> None:
    start = text.index(selected)
    assert whole_words(text, Span(start, start + len(selected))).of(text) == whole


@given(st.text(alphabet="a\r\n\u2028\x85", max_size=20))
def test_newlines_become_line_feeds_and_nothing_else_changes(text: str) -> None:
    found = normalise_newlines(text)
    assert "\r" not in found
    assert found == normalise_newlines(found)
    assert found.split("\n") == text.replace("\r\n", "\r").replace("\n", "\r").split("\r")


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.sampled_from(["", ". ", "City: "]))))
def test_a_view_crosses_processes_whole(said: list[tuple[int, int, str]]) -> None:
    view = View(tuple(Replacement(*each) for each in said), array("i", [0, 4]), ((0, "A > B"),))
    document = pickle.loads(pickle.dumps(Document("text", view=view)))
    assert document.view == view and all(isinstance(each, Replacement) for each in document.view.replacements)


def test_a_view_tells_what_stands_over_a_place_and_is_said_in_a_stretch() -> None:
    view = View((Replacement(2, 4, ". "), Replacement(6, 6, "x")), headings=((3, "A"), (8, "B")))
    assert [view.heading_at(point) for point in (2, 3, 8, 99)] == ["", "A", "B", "B"]
    assert view.replacements_in(1, 7) == [Replacement(1, 3, ". "), Replacement(5, 5, "x")]
    assert view.replacements_in(2, 3) == view.replacements_in(4, 6) == []


def test_the_view_of_parts_is_said_where_these_now_stand() -> None:
    view = View(
        (Replacement(2, 3, "x"), Replacement(8, 8, "y"), Replacement(12, 14, "z")),
        array("i", [0, 5, 9, 12]),
        ((1, "A"), (9, "B")),
    )
    left = view.of_parts((Span(2, 6), Span(8, 14)))
    assert left.replacements == (Replacement(0, 1, "x"), Replacement(4, 4, "y"), Replacement(8, 10, "z"))
    assert left.bounds.tolist() == [3, 5, 8]
    assert [left.heading_at(at) for at in range(7)] == ["A"] * 5 + ["B"] * 2


def test_words_that_are_said_often_cross_once() -> None:
    words = "A header of a column: "
    view = View(tuple(Replacement(at, at, f"{words[:-1]} ") for at in range(1000)))
    assert len(pickle.dumps(view)) < 1000 * (12 + len(words) / 4)


@pytest.mark.parametrize(
    ("text", "blanks"),
    [
        ("a ___ b", ["___"]),
        ("__, [mask] and <MASK>!", ["__", "[mask]", "<MASK>"]),
        ("snake_case [MAS] < mask >", []),
        ("_____[MASK]", ["_____", "[MASK]"]),
        ("", []),
    ],
)
def test_what_counts_as_a_blank(text: str, blanks: list[str]) -> None:
    assert [blank.of(text) for blank in blanks_in(text)] == blanks


@given(st.lists(st.text(alphabet="ab .\n👩", max_size=6), min_size=1, max_size=8))
def test_blanks_stand_where_they_were_put(parts: list[str]) -> None:
    text = BLANK.join(parts)
    found = blanks_in(text)
    # Blanks without anything between them are one.
    assert len(found) == sum(bool(part) for part in parts[1:-1]) + (len(parts) > 1)
    assert "".join(blank.of(text) for blank in found) == "_" * text.count("_")
    assert all(a.end <= b.start for a, b in pairwise(found))


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


LETTERS = "abcdefghijklmnopqrstuvwxyz"
WORDS = st.text(LETTERS, min_size=5, max_size=8)


@given(WORDS, st.data())
def test_one_slip_is_found(word: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(1, len(word) - 2))
    letter = data.draw(st.sampled_from(LETTERS))
    exchanged = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    for other in (
        word[:at] + word[at + 1 :],
        word[:at] + letter + word[at:],
        word[:at] + letter + word[at + 1 :],
        exchanged,
    ):
        assert is_one_slip(word, other) is is_one_slip(other, word) is (word != other)


@pytest.mark.parametrize(
    ("word", "other", "is_slip"),
    [
        ("tartss", "tarts", True),
        ("activ", "active", True),
        ("tart", "tarts", False),
        ("assignee", "assigned", False),
        ("walke", "walked", False),
        ("tarts", "tarts", False),
    ],
)
def test_an_ending_alone_is_no_slip(word: str, other: str, is_slip: bool) -> None:
    assert is_one_slip(word, other) is is_one_slip(other, word) is is_slip


@given(WORDS, WORDS)
def test_two_slips_are_too_many(word: str, other: str) -> None:
    far = len(word) == len(other) and sum(a != b for a, b in zip(word, other, strict=True)) > 2
    if far or abs(len(word) - len(other)) > 1:
        assert not is_one_slip(word, other)
