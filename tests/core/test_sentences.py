from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.sentences import ITEMS_APART, item_starts, sentence_around
from app.core.text import Span

TEXT = (
    "CHAPTER XI.\n\nThe King and Queen of Hearts were seated on their\nthrone when they arrived. “Herald, read the "
    "accusation!” said the King. Dr. J. R. Smith of the U.S. Navy stole 3.5 tarts, e.g. Two of them!\n\n"
    "Things to do:\n- Wash up. Then dry.\n- Go home"
)


TABLE = "#\tDescription\tCWE\n2.1.1\tVerify that passwords have 12 characters\t521\n2.1.2\tOthers\t522\n\nMore text"
INDENTED = "\tIt was the best of times,\nit was the worst of times."


@pytest.mark.parametrize(
    ("text", "words", "sentence"),
    [
        (TEXT, "CHAPTER", "CHAPTER XI."),
        (TEXT, "seated", "The King and Queen of Hearts were seated on their\nthrone when they arrived."),
        (TEXT, "arrived.", "The King and Queen of Hearts were seated on their\nthrone when they arrived."),
        (TEXT, "accusation", "“Herald, read the accusation!” said the King."),
        (TEXT, "Smith", "Dr. J. R. Smith of the U.S. Navy stole 3.5 tarts, e.g. Two of them!"),
        (TEXT, "Two of them", "Dr. J. R. Smith of the U.S. Navy stole 3.5 tarts, e.g. Two of them!"),
        (TEXT, "to do", "Things to do:"),
        (TEXT, "dry", "Then dry."),
        (TEXT, "home", "- Go home"),
        ("One. Two is here. Three is there. Four.", "is here. Three", "Two is here. Three is there."),
        ("一。二二。三。", "二", "二二。"),
        ("It was in 987. It was", "It", "It was in 987."),
        ("As they say (p. 20). It was", "say", "As they say (p. 20)."),
        ("Under Art. 3 and No. 5 it holds. Not else", "it", "Under Art. 3 and No. 5 it holds."),
        ("They said no. Five left.", "They", "They said no."),
        ("Do:\n1. Wash up\n2. Dry", "Wash", "1. Wash up"),
        (TABLE, "12", "Verify that passwords have 12 characters"),
        (TABLE, "passwords have 12", "Verify that passwords have 12 characters"),
        (TABLE, "521", "521"),
        (TABLE, TABLE[TABLE.index("2.1.1") : TABLE.index("521") + 3], TABLE[18:68]),
        (INDENTED, "worst of", INDENTED.strip()),
    ],
)
def test_the_sentence_around_words(text: str, words: str, sentence: str) -> None:
    start = text.index(words)
    assert sentence_around(text, Span(start, start + len(words))).of(text) == sentence


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


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("- tarts, and\n  a cake\n- ale\nand more - at 3", ["- tarts, and", "- ale"]),
        ("The rules:\n3.1 The tenant\npays\n3.2 The owner", ["3.1 The tenant", "3.2 The owner"]),
        ("(a) one\n(b) two\n\n  2) four\n 3) five", ["(a) one", "(b) two", "  2) four", " 3) five"]),
        ("i. one\nii. two", ["i. one", "ii. two"]),
        ("ix. one\nx. two", ["ix. one", "x. two"]),
        ("born on\n3. October 1990 for\n12.50 Dollars\np. 45 says", []),
        ("A. Smith\nB. Jones", []),
        ("5 tarts\n6 cakes", []),
        ("1. one\n3. three", []),
        (f"1. one\n{'word ' * (ITEMS_APART // 5)}\n2. two", []),
        ("", []),
    ],
)
def test_items_of_a_list_count_on(text: str, items: list[str]) -> None:
    assert [text[start:].split("\n")[0] for start in item_starts(text)] == items
