from __future__ import annotations

import re
import unicodedata
from array import array

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.text import View
from app.tasks.text.characters import (
    ALNUM,
    ALPHA,
    ASCII,
    CONTENT,
    IN_WORD,
    MARK,
    NAME,
    SPACE,
    code_points,
    kinds,
    token_properties,
    word_bounds,
)
from tests.helpers.allowed_spans import begins_well, ends_well, says

TEXTS = st.text(
    st.one_of(
        st.sampled_from("ab12 .,:;(“$\n\u00a0\u0301\u0308é漢字שлЖ\u200d👩\ufe0f£_\x00\u0e33\u093e\ud800…"),
        st.characters(),
    ),
    min_size=1,
    max_size=40,
)  # fmt: skip


def together(one: str, other: str) -> bool:
    """Whether two neighbouring characters belong together, one by one."""
    if one.isascii() and other.isascii():
        return one.isalpha() and other.isalpha()
    if is_mark(other):
        return not one.isspace()
    return in_word(one) and in_word(other)


def is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("M")


def in_word(character: str) -> bool:
    known = character < "\u0530" or "\u1e00" <= character < "\u2000"
    return known and (character.isalpha() or is_mark(character))


def in_number(text: str, at: int) -> bool:
    """Whether the place before a character lies between the first and the last digit of a number."""
    return any(match.start() < at < match.end() for match in re.finditer("[0-9]+(?:[.,:][0-9]+)*", text))


@st.composite
def cut_texts(draw: st.DrawFn) -> tuple[str, np.ndarray, np.ndarray]:
    text = draw(TEXTS)
    starts = sorted(draw(st.lists(st.integers(0, len(text)), min_size=1, max_size=12)))
    ends = [min(len(text), start + draw(st.integers(0, 4))) for start in starts]
    return text, np.array(starts, dtype=np.int32), np.maximum.accumulate(np.array(ends, dtype=np.int32))


@given(cut_texts())
def test_token_properties_are_what_the_characters_one_by_one_say(
    cut: tuple[str, np.ndarray, np.ndarray],
) -> None:
    text, starts, ends = cut
    found = token_properties(text, starts, ends)
    places = list(zip(starts.tolist(), ends.tolist(), strict=True))
    assert found.inner.tolist() == [
        0 < s < len(text)
        and (
            together(text[s - 1], text[s])
            or in_number(text, s)
            or any(name.start() < s < name.end() for name in NAME.finditer(text))
        )
        for s, _ in places
    ]
    assert found.has_content.tolist() == [says(text[s:e]) for s, e in places]
    assert found.can_start.tolist() == [s < e and begins_well(text, s) for s, e in places]
    assert found.can_end.tolist() == [s < e and ends_well(text, e) for s, e in places]
    assert not found.blocks.any()


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("in 705.1 of", "705.1"),
        ("1,000.5,", "1,000.5"),
        ("at 10:30.", "10:30"),
        ("2, 3", "2"),
        ("v1.2", "1.2"),
        ("see https://example.org/a/b?c=d-e#f.", "https://example.org/a/b?c=d-e#f"),
        ("(docs.example.org/api/v2/spans)", "docs.example.org/api/v2/spans"),
        ("to jo.doe+x@mail.example.org.", "jo.doe+x@mail.example.org"),
        ("static.crates.io, down", "static.crates.io"),
        ("set OTEL_SDK_DISABLED to", "OTEL_SDK_DISABLED"),
        ("the README.md", "README.md"),
        ("a _slanted_ word", "slanted"),
        ("It is dry.The end", "dry"),
        ("ten-year", "ten"),
        ("and/or", "and"),
    ],
)
def test_a_number_an_address_and_a_name_are_one_word(text: str, whole: str) -> None:
    places = np.arange(len(text), dtype=np.int32)
    inner = token_properties(text, places, places + 1).inner
    begins = text.index(whole)
    assert inner[begins + 1 : begins + len(whole)].all()
    assert not inner[begins]
    assert not inner[begins + len(whole) : begins + len(whole) + 1].any()


@pytest.mark.parametrize("unit", ["A.", "a-", "a+", "é."])
def test_a_long_run_that_is_no_name_is_searched_in_linear_time(unit: str) -> None:
    assert NAME.search(unit * 250_000) is None  # minutes, if searched to its end from each letter


@given(cut_texts(), st.lists(st.integers(0, 40), max_size=5))
def test_a_span_stops_before_the_next_block(
    cut: tuple[str, np.ndarray, np.ndarray], bounds: list[int]
) -> None:
    text, starts, ends = cut
    found = token_properties(text, starts, ends, View(bounds=array("i", sorted(bounds))))
    for at, start in enumerate(starts.tolist()):
        same = [
            other for other in starts.tolist()[at:] if not any(start < bound <= other for bound in bounds)
        ]
        assert found.end_limits[at] == at + len(same)
    part = found.part(1, 3)
    assert part.blocks.tolist() == found.blocks[1:3].tolist()
    assert part.nbytes <= found.nbytes


@given(st.lists(st.booleans(), min_size=1, max_size=20))
def test_the_pieces_of_a_word_share_its_bounds(inner: list[bool]) -> None:
    first, last = word_bounds(np.array(inner))
    for at in range(len(inner)):
        begin = max(i for i in range(at + 1) if i == 0 or not inner[i])
        end = next((i for i in range(at + 1, len(inner)) if not inner[i]), len(inner)) - 1
        assert (first[at], last[at]) == (begin, end)


@given(st.text(st.characters(), max_size=30))
def test_kinds_are_unicodes_own(text: str) -> None:
    asked = {ASCII: str.isascii, ALPHA: str.isalpha, ALNUM: str.isalnum, SPACE: str.isspace}
    asked |= {MARK: is_mark, IN_WORD: in_word, CONTENT: says}
    for character, kind in zip(text, kinds(code_points(text)).tolist(), strict=True):
        assert kind == sum(bit for bit, test in asked.items() if test(character))


def test_no_tokens_have_no_properties() -> None:
    none = np.zeros(0, dtype=np.int32)
    found = token_properties("", none, none)
    assert found.nbytes == 0
    assert found.end_limits.tolist() == []
