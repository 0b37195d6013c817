from __future__ import annotations

import unicodedata

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.tasks.characters import ALNUM, ALPHA, ASCII, IN_WORD, MARK, SAYS, SPACE, code_points, kinds
from app.tasks.pieces import pieces, word_bounds

TEXTS = st.text(
    st.one_of(
        st.sampled_from("ab1 .,\n\u00a0\u0301\u0308é漢字שлЖ\u200d👩\ufe0f£_\x00\u0e33\u093e\ud800…"),
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


@st.composite
def cut_texts(draw: st.DrawFn) -> tuple[str, np.ndarray, np.ndarray]:
    text = draw(TEXTS)
    starts = sorted(draw(st.lists(st.integers(0, len(text) - 1), min_size=1, max_size=12)))
    ends = [min(len(text), start + draw(st.integers(0, 4))) for start in starts]
    return text, np.array(starts, dtype=np.int32), np.maximum.accumulate(np.array(ends, dtype=np.int32))


@given(cut_texts())
def test_pieces_are_what_the_characters_one_by_one_say(cut: tuple[str, np.ndarray, np.ndarray]) -> None:
    text, starts, ends = cut
    inner, says = pieces(text, starts, ends)
    assert inner.tolist() == [0 < s and together(text[s - 1], text[s]) for s in starts.tolist()]
    assert says.tolist() == [
        any(unicodedata.category(c)[0] not in "PZC" for c in text[s:e])
        for s, e in zip(starts.tolist(), ends.tolist(), strict=True)
    ]


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
    asked |= {MARK: is_mark, IN_WORD: in_word, SAYS: lambda c: unicodedata.category(c)[0] not in "PZC"}
    for character, kind in zip(text, kinds(code_points(text)).tolist(), strict=True):
        assert kind == sum(bit for bit, test in asked.items() if test(character))


def test_no_tokens_have_no_pieces() -> None:
    none = np.zeros(0, dtype=np.int32)
    assert [found.tolist() for found in pieces("", none, none)] == [[], []]
