from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.sentences import sentence_around
from app.core.text import Span

TEXT = (
    "CHAPTER XI.\n\nThe King and Queen of Hearts were seated on their\nthrone when they arrived. “Herald, read the "
    "accusation!” said the King. Dr. J. R. Smith of the U.S. Navy stole 3.5 tarts, e.g. Two of them!\n\n"
    "Things to do:\n- Wash up. Then dry.\n- Go home"
)


def around(words: str, text: str = TEXT, **options: int) -> str:
    start = text.index(words)
    return sentence_around(text, Span(start, start + len(words)), **options).of(text)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("CHAPTER", "CHAPTER XI."),
        ("seated", "The King and Queen of Hearts were seated on their\nthrone when they arrived."),
        ("arrived.", "The King and Queen of Hearts were seated on their\nthrone when they arrived."),
        ("accusation", "“Herald, read the accusation!” said the King."),
        ("Smith", "Dr. J. R. Smith of the U.S. Navy stole 3.5 tarts, e.g. Two of them!"),
        ("Two of them", "Dr. J. R. Smith of the U.S. Navy stole 3.5 tarts, e.g. Two of them!"),
        ("to do", "Things to do:"),
        ("dry", "Then dry."),
        ("home", "- Go home"),
    ],
)
def test_sentence(words: str, sentence: str) -> None:
    assert around(words) == sentence


def test_span_over_several_sentences() -> None:
    text = "One. Two is here. Three is there. Four."
    assert around("is here. Three", text) == "Two is here. Three is there."


def test_no_blank_after_the_stop() -> None:
    assert around("二", "一。二二。三。") == "二二。"


def test_year_ends_a_sentence_but_a_list_number_does_not() -> None:
    assert around("It", "It was in 987. It was") == "It was in 987."
    assert around("Wash", "Do:\n1. Wash up\n2. Dry") == "1. Wash up"


def test_huge_paragraph_is_cut_between_words() -> None:
    text = "word " * 200_000
    span = Span(500_000, 500_004)
    found = sentence_around(text, span, reach=100)
    assert len(found) <= 204
    assert found.start % 5 == 0
    assert text[found.start : found.end].split() == ["word"] * ((len(found) + 1) // 5)


def test_a_cut_does_not_part_an_emoji() -> None:
    family = "👩‍👩‍👧"
    text = family * 400
    at = 200 * len(family)
    for reach in range(90, 100):
        words = sentence_around(text, Span(at, at + len(family)), reach=reach).of(text)
        assert len(words) % len(family) == 0
        assert words.startswith(family)


PIECES = st.lists(
    st.sampled_from(
        [
            "a",
            "Bc ",
            ". ",
            "\n\n",
            "\n",
            "Dr. ",
            "!”",
            "。",
            "e\u0301",
            "👩‍👩‍👧",
            "\x00",
            " ",
            "1. ",
            "…",
            "שלום ",
        ]
    ),
    max_size=60,
).map("".join)


@given(PIECES, st.data(), st.integers(1, 40))
def test_always_holds_the_span(text: str, data: st.DataObject, reach: int) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    found = sentence_around(text, Span(start, end), reach=reach)
    assert found.start <= start <= end <= found.end <= len(text)
    assert start - found.start <= reach + 1
    assert found.end - end <= reach


def test_a_cell_of_a_table_is_a_sentence_of_its_own() -> None:
    rows = "#\tDescription\tCWE\n2.1.1\tVerify that passwords have 12 characters\t521\n2.1.2\tOthers\t522\n\nMore text"
    for words in ("12", "passwords have 12"):
        at = rows.index(words)
        assert (
            sentence_around(rows, Span(at, at + len(words))).of(rows)
            == "Verify that passwords have 12 characters"
        )
    at = rows.index("521")
    assert sentence_around(rows, Span(at, at + 3)).of(rows) == "521"
    whole = Span(rows.index("2.1.1"), rows.index("521") + 3)
    assert sentence_around(rows, whole).of(rows) == whole.of(rows)
    indented = "\tIt was the best of times,\nit was the worst of times."
    assert sentence_around(indented, Span(30, 40)).of(indented) == indented.strip()
