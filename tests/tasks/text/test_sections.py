from __future__ import annotations

from array import array

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.text import Document, Replacement, Span, View
from app.core.view import view_of_text
from app.tasks.qa.spans import MAX_TOKENS, window_candidates
from app.tasks.text.characters import token_properties
from app.tasks.text.sections import CachedText, section_windows, sections
from app.tasks.text.tokens import join, tokenise, tokenise_view
from app.tasks.text.windows import TITLE_TOKENS, PairTemplate, Window, windows
from tests.helpers.allowed_spans import allowed
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
    family: str, text: str, size: int, view: View | None = None, *, length: int = LENGTH, stride: int = STRIDE
) -> list[tuple[range, list[Window]]]:
    """Each section's code points and windows."""
    tokenizer = TOKENIZERS[family]
    template, kept = PairTemplate.of(tokenizer), CachedText(text, view)
    return [
        (
            range(each.start, each.end),
            section_windows(template, QUESTION, tokenizer, each, kept, length=length, stride=stride),
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


@given(TEXTS, st.sampled_from(FAMILIES), st.integers(60, 600))
def test_every_token_is_scored_once_by_the_section_it_begins_in(text: str, family: str, size: int) -> None:
    scored = []
    for own, found in of_sections(family, text, size):
        for window in found:
            assert len(window) <= LENGTH
            starts = window.starts[window.scored].tolist()
            assert starts and all(start in own for start in starts)
            told = token_properties(text, window.starts, window.ends)
            for name in ("inner", "has_content", "can_start", "can_end", "end_limits"):
                assert getattr(window.properties, name).tolist() == getattr(told, name).tolist(), name
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


CELLS = st.sampled_from(
    ["the king", "Queen", "705.1", "1,000", "(a)", "tarts.", "日本語", "5 %", "a, b", "-"]
)
TABLES = st.integers(2, 4).flatmap(
    lambda columns: st.lists(st.lists(CELLS, min_size=columns, max_size=columns), min_size=2, max_size=20)
)


@given(
    TABLES,
    st.sampled_from([" | ", "\t"]),
    st.sampled_from(FAMILIES),
    st.sampled_from([300, 20_000]),
    st.integers(0, 99),
)
def test_every_candidate_lies_in_one_cell_or_paragraph(
    rows: list[list[str]], separator: str, family: str, size: int, seed: int
) -> None:
    text, blocks = "The king stole.\n\n", [Span(0, 15)]
    for row in rows:
        for cell in row:
            blocks.append(Span(len(text), len(text) + len(cell)))
            text += cell + separator
        text = text[: -len(separator)] + "\n"
    text += "\nA queen, of hearts."
    blocks.append(Span(text.rindex("A "), len(text)))
    view = view_of_text(text)
    dice, count = np.random.default_rng(seed), 0
    for _, made in of_sections(family, text, size, view):
        for window in made:
            start, end = dice.normal(size=(2, len(window))).astype(np.float32)
            for one in window_candidates(window, start, end, text=text, document=0, count=1000):
                assert any(block.start <= one.span.start and one.span.end <= block.end for block in blocks)
                count += 1
    assert count


@given(
    st.lists(
        st.tuples(st.sampled_from(PIECES), st.sampled_from(["", "Header: ", ". "]), st.booleans()),
        max_size=15,
    ),
    st.sampled_from(FAMILIES),
    st.integers(0, 99),
)
def test_the_best_candidate_is_the_best_of_all_spans_in_their_blocks(
    parts: list[tuple[str, str, bool]], family: str, seed: int
) -> None:
    """What is said between the parts of a text is read, and no answer begins or ends there."""
    text, said, bounds = "", [], []
    for words, opening, is_bound in parts:
        if opening:
            said.append(Replacement(len(text), len(text) + 1, f" {opening}"))
            text += "|"
        if is_bound:
            bounds.append(len(text))
        text += f"{words}\n"
    view = View(tuple(said), array("i", bounds))
    tokenizer = TOKENIZERS[family]
    read, own = tokenise_view(tokenizer, text, said)
    found = [window for _, made in of_sections(family, text, 20_000, view, length=4000) for window in made]
    assert len(found) == min(1, len(read))
    for window in found:
        assert window.input_ids[window.context_at : -1].tolist() == read.ids.tolist()
        start, end = np.random.default_rng(seed).integers(-9, 9, (2, len(window))).astype(np.float32)
        at, places = window.context_at, list(zip(read.starts.tolist(), read.ends.tolist(), strict=True))
        every = [
            (float(start[at + i] + end[at + j]), -i, -j, span)
            for i in range(len(places))
            for j in range(i, min(len(places), i + MAX_TOKENS))
            if not own[i] and not own[j] and (span := allowed(text, places[i], places[j], bounds))
        ]
        best = window_candidates(window, start, end, text=text, document=0, count=1)
        expected = [(score, span) for score, *_, span in sorted(every, reverse=True)[:1]]
        assert [(one.score, one.span) for one in best] == expected


def test_what_is_said_is_read_at_every_end_of_a_section() -> None:
    text = "king\nqueen\ntarts"
    view = View(tuple(Replacement(at, at, ". the ") for at in (0, 4, 10, 16)))
    tokenizer = TOKENIZERS["bert"]
    whole, _ = tokenise_view(tokenizer, text, view.replacements)
    scored = [
        token
        for _, made in of_sections("bert", text, 6, view)
        for window in made
        for token in window.input_ids[window.context_at : -1][window.scored].tolist()
    ]
    (window,) = (window for _, made in of_sections("bert", text, 100, view) for window in made)
    assert window.input_ids[window.context_at : -1].tolist() == whole.ids.tolist()
    # No answer begins behind the last section's end.
    assert scored == whole.ids.tolist()[: -len(join(tokenise(tokenizer, ". the")))]


@given(
    st.lists(st.sampled_from(["the king.", "stole tarts", "Queen"]), min_size=1, max_size=80),
    st.sampled_from(FAMILIES),
)
def test_headings_are_read_before_windows_and_are_no_answer(lines: list[str], family: str) -> None:
    text = "\n".join(lines)
    view = View(headings=tuple((at, "river city " * (at // 50)) for at in range(0, len(text), 100)))
    tokenizer = TOKENIZERS[family]
    asked = PairTemplate.of(tokenizer).context_at(len(QUESTION))
    colon = join(tokenise(tokenizer, ":")).ids.tolist()
    dice = np.random.default_rng(len(text))
    for _, made in of_sections(family, text, 20_000, view):
        for window in made:
            words = join(tokenise(tokenizer, view.heading_at(int(window.starts[0])))).ids.tolist()
            expected = [*words[-(TITLE_TOKENS - len(colon)) :], *colon] if words else []
            assert window.input_ids[asked : window.context_at].tolist() == expected
            assert len(window) <= LENGTH
            start, end = dice.normal(size=(2, len(window))).astype(np.float32)
            start[1 : window.context_at] = end[1 : window.context_at] = 99.0
            for one in window_candidates(window, start, end, text=text, document=0, count=50):
                assert one.score < 90
