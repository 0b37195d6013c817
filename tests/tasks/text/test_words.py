"""Words as rows of CoNLL files have them, in any script."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.tasks.text.words import words

ODD = st.text(
    st.one_of(
        st.sampled_from("aSs'.’-&@#_/:, \n\t\0\r\xad\u200d\u200f\u0301\ufe0fé北こไ่👩👧🏽🇫🇷שׁם״٣5"),
        st.characters(),
    ),
    max_size=60,
)


def said(text: str) -> list[str]:
    starts, ends = words(text)
    return [text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Knave, of Hearts.", "The|Knave|,|of|Hearts|."),
        ("Alice's cats' tail isn't O’Brien's", "Alice|'s|cats|'|tail|isn't|O’Brien|'s"),
        ("Mr. J. R. Smith of Acme Inc. met U.S. men. Now", "Mr.|J.|R.|Smith|of|Acme|Inc.|met|U.S.|men|.|Now"),
        ("plan B. It works", "plan|B.|It|works"),
        ("Aix-en-Provence -- AT&T, R&D (1990–2000)", "Aix-en-Provence|--|AT&T|,|R&D|(|1990|–|2000|)"),
        (
            "3.14 at 10:30, 1,000 or 1/2; in Paris.The end",
            "3.14|at|10:30|,|1,000|or|1/2|;|in|Paris|.|The|end",
        ),
        (
            "@queen of #hearts... see https://a.b/c?d, me@x.org.",
            "@queen|of|#hearts|...|see|https://a.b/c?d|,|me@x.org|.",
        ),
        ("Lon\xaddon e\u0301te\u0301 x\0y \u200fשם\u200f", "Lon\xaddon|e\u0301te\u0301|x|y|שם"),
        ("👩\u200d👩\u200d👧👍🏽🇫🇷🇩🇪 1\ufe0f\u20e3", "👩\u200d👩\u200d👧|👍🏽|🇫🇷|🇩🇪|1\ufe0f\u20e3"),
        ("北京は ไทย่", "北|京|は|ไ|ท|ย่"),
        ("", ""),
        (" \n\0\u200b", ""),
    ],
)
def test_words_look_like_rows_of_conll(text: str, expected: str) -> None:
    assert said(text) == [word for word in expected.split("|") if word]


@given(ODD)
def test_words_are_places_in_order_that_hold_every_letter(text: str) -> None:
    starts, ends = (places.tolist() for places in words(text))
    assert all(start < end for start, end in zip(starts, ends, strict=True))
    assert all(end <= start for end, start in zip(ends, starts[1:], strict=False))
    covered = {at for start, end in zip(starts, ends, strict=True) for at in range(start, end)}
    for at, character in enumerate(text):
        if character.isalnum():
            assert at in covered
        if character.isspace():
            assert at not in covered


def test_a_long_line_of_invisible_characters_takes_no_time() -> None:
    assert said("a" + "\xad" * 200_000 + " b") == ["a", "b"]
