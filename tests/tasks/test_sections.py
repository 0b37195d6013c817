from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.text import Document
from app.tasks.sections import section_windows, sections
from app.tasks.spans import MAX_TOKENS
from app.tasks.tokens import join, tokenise
from app.tasks.windows import PairTemplate, Window, windows
from tests.helpers.small_models import small_tokenizer

FAMILIES = ("bert", "roberta", "deberta-v2")
TOKENIZERS = {family: small_tokenizer(family) for family in FAMILIES}
QUESTION = [5, 6, 7]
LENGTH, STRIDE = 64, 16

PIECES = (
    "the king", "Queen", " ", "  ", "\n", "\n\n", "\n \n", "stole tarts.", "👩\u200d👩\u200d👧", "e\u0301", "שלום",
    "日本語", "a.b,c!", "\ud83d", "ﬁ", "x" * 30,
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=400).map("".join)


def of_sections(
    family: str, text: str, size: int, *, length: int = LENGTH, stride: int = STRIDE
) -> list[tuple[range, list[Window]]]:
    """Each section's code points and windows."""
    tokenizer = TOKENIZERS[family]
    template = PairTemplate.of(tokenizer)
    return [
        (
            range(each.start, each.end),
            section_windows(template, QUESTION, tokenizer, text, each, length=length, stride=stride),
        )
        for each in sections([Document(text)], size=size)
    ]


@given(st.lists(TEXTS, max_size=3), st.integers(2, 300))
def test_every_code_point_is_in_one_section(texts: list[str], size: int) -> None:
    found = list(sections([Document(text) for text in texts], size=size))
    for number, text in enumerate(texts):
        own = [each for each in found if each.document == number]
        assert [at for each in own for at in range(each.start, each.end)] == list(range(len(text)))
        assert all(0 < len(each) <= size for each in own)
    assert [each.document for each in found] == sorted(each.document for each in found)


@settings(max_examples=60)
@given(TEXTS, st.sampled_from(FAMILIES), st.integers(60, 600))
def test_every_token_is_scored_once_by_the_section_it_begins_in(text: str, family: str, size: int) -> None:
    scored = []
    for own, found in of_sections(family, text, size):
        for window in found:
            assert len(window) <= LENGTH
            starts = window.starts[window.scored].tolist()
            assert starts and all(start in own for start in starts)
            scored += list(zip(starts, window.ends[window.scored].tolist(), strict=True))
    assert scored == sorted(scored)
    if (
        family == "bert"
    ):  # whose tokens do not depend on what stands before them, where a blank allowed the cuts
        whole = join(tokenise(TOKENIZERS[family], text))
        if max(map(len, text.split()), default=0) < size // 2:
            assert scored == list(zip(whole.starts.tolist(), whole.ends.tolist(), strict=True))


def test_a_text_of_one_section_has_the_windows_of_the_text() -> None:
    tokenizer = TOKENIZERS["bert"]
    template = PairTemplate.of(tokenizer)
    text = "the king of hearts \n\n stole tarts. " * 60
    ((_, found),) = of_sections("bert", text, 20_000)
    expected = list(
        windows(template, QUESTION, tokenise(tokenizer, text), text, length=LENGTH, stride=STRIDE)
    )
    assert len(found) == len(expected) > 5
    for one, other in zip(found, expected, strict=True):
        for name in ("input_ids", "token_type_ids", "starts", "ends", "scored"):
            assert np.array_equal(getattr(one, name), getattr(other, name)), name


@pytest.mark.parametrize("blanks", [" ", " " * 300])
def test_the_longest_answer_has_room_before_and_behind_every_token_that_is_scored(blanks: str) -> None:
    text = blanks.join(["king"] * 3000)
    found = of_sections("bert", text, 700 * (len(blanks) + 4), length=384, stride=128)
    assert len(found) > 3
    for _, made in found:
        for window in made:
            scored = np.flatnonzero(window.scored)
            assert window.starts[0] == 0 or scored[0] >= MAX_TOKENS
            assert window.ends[-1] == len(text) or len(window.starts) - 1 - scored[-1] >= MAX_TOKENS
            assert all(text.startswith("king", start) for start in window.starts.tolist())


def test_a_section_without_words_has_no_windows() -> None:
    assert [made for _, made in of_sections("bert", "\n" * 500, 100)] == [[]] * 5
    assert of_sections("bert", "", 100) == []
