from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.text import Span
from app.tasks.qa.spans import (
    Candidate,
    NBest,
    RangeMaxima,
    best_spans,
    span_scores,
    whole_span,
    window_candidates,
    without_overlaps,
)
from app.tasks.text.characters import TokenProperties
from app.tasks.text.tokens import tokenise
from app.tasks.text.windows import PairTemplate, Window
from app.tasks.text.windows import windows as windows_of
from tests.helpers.allowed_spans import allowed_spans
from tests.helpers.small_models import small_tokenizer

TOKENIZERS = {family: small_tokenizer(family) for family in ("bert", "roberta", "deberta-v2")}
# Few different values, so that ties are common.
LOGITS = st.integers(-4, 4).map(lambda n: n / 2)
# Words, numbers, brackets, items, and what no answer begins or ends with.
PIECES = (
    "the king", "Queen", "705.1", "1,000", "10:30", "(", ")", "[", "“", "”", ",", ". ", "\n", "\n3.1 ", "\n(a) ",
    "iv. ", " .gov", "$5", " %", "e\u0301", '"', '6"', "日本", "в Петербурге", " - ", " ", "2", "a)",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=16).map("".join)


@st.composite
def windows(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    size = draw(st.integers(1, 24))
    row = st.lists(LOGITS, min_size=size, max_size=size)
    start, end = (np.array(draw(row), dtype=np.float32) for _ in range(2))
    scored = np.array(draw(st.lists(st.booleans(), min_size=size, max_size=size)))
    return start, end, scored, draw(st.integers(1, 30))


def drawn_properties(size: int, data: st.DataObject) -> TokenProperties:
    drawn = st.lists(st.sampled_from([True, True, True, False]), min_size=size, max_size=size)
    inner, content, starts, ends, same_block = (np.array(data.draw(drawn)) for _ in range(5))
    return TokenProperties(inner, content, starts, ends, np.cumsum(~same_block, dtype=np.int32))


def free(size: int) -> TokenProperties:
    """Tokens of one block at each of which a span may begin and end."""
    return TokenProperties(np.zeros(size, bool), *(np.ones(size, bool),) * 3, np.zeros(size, np.int32))


def may_answer(properties: TokenProperties, i: int, j: int) -> bool:
    return bool(
        properties.can_start[i]
        and properties.can_end[j]
        and properties.has_content[i : j + 1].any()
        and properties.blocks[i] == properties.blocks[j]
    )


def brute_force(
    start: np.ndarray, end: np.ndarray, scored: np.ndarray, max_tokens: int, fits: Callable[[int, int], bool]
) -> list[tuple[float, int, int]]:
    """Every fitting span of the full matrix, best first, less those that share a token with a better one."""
    size = len(start)
    every = [
        (float(start[i] + end[j]), i, j)
        for i in range(size)
        for j in range(i, min(size, i + max_tokens))
        if scored[i] and fits(i, j)
    ]
    every.sort(key=lambda span: (-span[0], span[1], span[2]))
    kept: list[tuple[float, int, int]] = []
    for score, i, j in every:
        if all(j < a or i > b for _, a, b in kept):
            kept.append((score, i, j))
    return kept


@given(windows(), st.just(-np.inf) | st.integers(-6, 6), st.data())
def test_the_banded_search_finds_what_the_full_matrix_holds(
    window, floor: float, data: st.DataObject
) -> None:
    """A span that does not fit makes room for the next best; a floor only leaves out what lies below it."""
    start, end, scored, max_tokens = window
    starts = np.arange(len(start), dtype=np.int32) * 2
    properties = drawn_properties(len(start), data)
    unfit = data.draw(st.sets(st.tuples(st.integers(0, 23), st.integers(0, 6)).map(lambda p: (p[0], sum(p)))))
    looked_at: list[tuple[int, int]] = []

    def fits(first: int, last: int) -> bool:
        looked_at.append((first, last))
        return (first, last) not in unfit

    options = {"max_tokens": max_tokens, "floor": floor, "fits": fits}
    found = list(best_spans(start, end, scored, starts, starts + 1, properties, **options))
    every = brute_force(
        start, end, scored, max_tokens, lambda i, j: may_answer(properties, i, j) and (i, j) not in unfit
    )
    assert found == [span for span in every if span[0] >= floor]
    assert len(looked_at) == len(set(looked_at))


@given(windows(), st.data())
def test_the_scores_of_spans_are_those_of_what_may_be_the_answer(window, data: st.DataObject) -> None:
    start, end, scored, max_tokens = window
    properties = drawn_properties(len(start), data)
    band = span_scores(start, end, scored, properties, max_tokens)
    assert band.shape == (len(start), max_tokens)
    for i in range(len(start)):
        for k in range(max_tokens):
            may = i + k < len(end) and scored[i] and may_answer(properties, i, i + k)
            assert band[i, k] == (start[i] + end[i + k] if may else -np.inf)


def test_tokens_of_one_character_count_as_overlapping() -> None:
    # Byte-level tokens 1 and 2 are parts of one emoji; token 3 is the next letter.
    starts, ends = np.array([0, 1, 1, 2]), np.array([1, 2, 2, 3])
    for better, worse in ((5, 4), (4, 5)):
        start = np.array([0, better, worse, 3], dtype=np.float32)
        found = list(best_spans(start, start, np.ones(4, bool), starts, ends, free(4), max_tokens=1))
        assert [first for _, first, _ in found] == [1 if better > worse else 2, 3, 0]


@given(st.lists(st.floats(-9, 9, width=32), min_size=1, max_size=70), st.integers(1, 50), st.data())
def test_the_maxima_of_stretches_are_those_of_the_values(
    values: list[float], most: int, data: st.DataObject
) -> None:
    array = np.array(values, dtype=np.float32)
    low = np.array(data.draw(st.lists(st.integers(0, len(values)), min_size=1, max_size=9)))
    high = np.minimum(low + data.draw(st.integers(0, most)), len(values))
    found = RangeMaxima(array, most)(low, high)
    assert found.dtype == np.float32
    expected = [array[a:b].max(initial=-np.inf) for a, b in zip(low, high, strict=True)]
    assert found.tolist() == expected


CANDIDATES = st.builds(
    lambda score, null, document, start, size: Candidate(score, null, document, Span(start, start + size)),
    LOGITS,
    LOGITS,
    st.integers(0, 2),
    st.integers(0, 60),
    st.integers(1, 3),
)


@given(st.lists(CANDIDATES, max_size=60), st.integers(1, 8), st.randoms(use_true_random=False))
def test_the_n_best_do_not_depend_on_the_order_they_come_in(candidates, count: int, random) -> None:
    one, other = NBest(count), NBest(count)
    one.add(candidates)
    random.shuffle(candidates)
    for candidate in candidates:
        other.add([candidate])
    assert one.best() == other.best()


@given(
    st.lists(CANDIDATES, max_size=12), st.lists(CANDIDATES, max_size=12), st.randoms(use_true_random=False)
)
def test_candidates_taken_back_are_as_if_they_had_never_been_added(stays, goes, random) -> None:
    kept, whole = NBest(5), NBest(5)
    kept.add(stays)
    both = [*stays, *goes]
    random.shuffle(both)
    whole.add(both)
    whole.remove(goes)
    assert list(whole.all()) == list(kept.all())
    assert (whole.best(), whole.floor) == (kept.best(), kept.floor)
    whole.remove([Candidate(99.0, 0.0, 0, Span(0, 1))])
    assert list(whole.all()) == list(kept.all())


@given(st.lists(CANDIDATES, max_size=40, unique_by=lambda c: c.span.start // 4 + 100 * c.document))
def test_the_n_best_are_those_of_a_full_ranking(candidates) -> None:
    """With few overlaps, as windows that suppress their own leave them, bounded memory loses nothing."""
    nbest = NBest(5)
    nbest.add(candidates)
    ranked = sorted(candidates, key=lambda c: (-c.margin, c.document, c.span, -c.score))
    assert nbest.best() == without_overlaps(ranked, 5)


def test_a_window_that_seems_to_hold_no_answer_speaks_against_its_spans() -> None:
    nbest = NBest(2)
    doubtful, sound = Candidate(9.0, 8.0, 0, Span(0, 1)), Candidate(7.0, 2.0, 0, Span(5, 6))
    nbest.add([doubtful, sound])
    assert nbest.best() == [sound, doubtful]


def test_memory_stays_bounded_and_the_floor_rises() -> None:
    nbest = NBest(3)
    assert nbest.floor == -np.inf
    for n in range(10_000):
        nbest.add([Candidate(float(n % 977), 0.0, 0, Span(2 * n, 2 * n + 1))])
    assert len(nbest._heap) <= 15
    assert nbest.floor == 975.0
    assert [c.score for c in nbest.best()] == [976.0] * 3
    assert [c.span.start for c in nbest.best()] == [2 * 976, 2 * (976 + 977), 2 * (976 + 2 * 977)]


def test_equal_texts_at_different_places_stay_different_answers() -> None:
    nbest = NBest(5)
    nbest.add([Candidate(1.0, 0.0, d, Span(s, s + 4)) for d in (1, 0) for s in (20, 3, 5)])
    assert [(c.document, c.span.start) for c in nbest.best()] == [(0, 3), (0, 20), (1, 3), (1, 20)]


@given(st.text(alphabet=" \n\u00a0\u2003ab\u0301\u0308\u0e33\u093e👩\u200d\ufe0f", max_size=20), st.data())
def test_a_whole_span_has_no_blanks_at_its_ends_and_keeps_its_marks(text: str, data) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    span = whole_span(text, start, end)
    if not text[start:end].strip(" \n\u00a0\u2003\u200d"):
        assert span is None
        return
    assert span is not None
    words = span.of(text)
    assert words == words.strip()
    assert text[start:end].strip() in words
    assert text[span.end : span.end + 1] not in ("\u0301", "\u0308", "\u093e", "\ufe0f")


def test_a_word_cut_in_two_is_taken_whole_where_words_stand_apart() -> None:
    assert whole_span("Manuel de Cervantes", 3, 13) == Span(0, 19)
    assert whole_span("в Петербурге", 3, 6) == Span(2, 12)
    assert whole_span("cafe\u0301s", 2, 4) == Span(0, 6)
    assert whole_span("a cafe\u0301 here", 2, 6) == Span(2, 7)
    # Not in scripts written without blanks or with particles, and not where a number meets its unit.
    assert whole_span("東京都庁", 0, 2) == Span(0, 2)
    assert whole_span("서울에서", 0, 2) == Span(0, 2)
    assert whole_span("about 270pts", 6, 9) == Span(6, 9)
    assert whole_span("x" * 100, 50, 51) == Span(18, 83)


@pytest.mark.parametrize(
    "name", ["static.crates.io", "https://example.org/api/v2", "jo@example.org", "MAX_SIZE"]
)
def test_an_address_or_identifier_is_taken_whole(name: str) -> None:
    for text in (name, f"see ({name}), or"):
        begins = text.index(name)
        for at in range(begins, begins + len(name)):
            found = whole_span(text, at, at + 1)
            assert found is None or found == Span(begins, begins + len(name))


def test_a_sign_may_be_an_answer_and_punctuation_alone_is_none() -> None:
    for sign in ("£", "5", "🙂", "+", "東"):
        assert whole_span(f"a {sign} b", 2, 3) == Span(2, 3)
    for mark in (",", " … ", "(—)", "。", "\x00\u200b"):
        assert whole_span(mark, 0, len(mark)) is None


def read_at_once(text: str, family: str) -> Window | None:
    """A short text in one window; None where it has no tokens."""
    tokenizer = TOKENIZERS[family]
    made = windows_of(PairTemplate.of(tokenizer), [5], tokenise(tokenizer, text), text, length=2000)
    return next(made, None)


@given(TEXTS, st.sampled_from(sorted(TOKENIZERS)), st.integers(0, 1000))
def test_the_candidates_are_the_best_whole_spans_of_all(text: str, family: str, seed: int) -> None:
    window = read_at_once(text, family)
    if window is None:
        return
    dice = np.random.default_rng(seed)
    start, end = dice.integers(-8, 8, (2, len(window))).astype(np.float32)
    at = window.context_at
    places = list(zip(window.starts.tolist(), window.ends.tolist(), strict=True))
    every = sorted(
        (-float(start[at + i] + end[at + j]), i, j, span) for i, j, span in allowed_spans(text, places)
    )
    expected: list[tuple[float, Span]] = []
    for below, _, _, span in every:
        if not any(span.overlaps(better) for _, better in expected):
            expected.append((-below, span))
    found = list(window_candidates(window, start, end, text=text, document=0, count=1000))
    assert [(one.score, one.span) for one in found] == expected
    for one in found:
        words, behind = one.span.of(text), text[one.span.end :]
        assert words == words.strip() != ""
        for left, right in ((text[: one.span.start], words), (words, behind)):
            assert not (re.search(r"[a-zа-яA-ZА-Я]\Z", left) and re.match("[a-zа-яA-ZА-Я\u0301]", right))
            assert not (re.search(r"[0-9][.,:]?\Z", left) and re.match("[0-9]", right))
            assert not (re.search(r"[0-9]\Z", left) and re.match("[.,:][0-9]", right))


def chosen(text: str, words: str) -> str:
    """The best candidate's words where a model says that `words` are the answer."""
    window = read_at_once(text, "bert")
    begin = text.index(words)
    start, end = np.zeros((2, len(window)), dtype=np.float32)
    start[window.context_at + int(window.starts.searchsorted(begin))] = 5
    end[window.context_at + int(window.ends.searchsorted(begin + len(words)))] = 5
    return next(window_candidates(window, start, end, text=text, document=0, count=1)).span.of(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("the king\n3.1 The queen", "3.1"),
        ("3.1. The queen", "3.1"),
        ("  (a) the tarts", "(a)"),
        ("iv. the tarts", "iv"),
        ("A the tarts", "A"),
        ("the king (not the queen) stole", "king (not"),
        ("the king (not the queen) stole", "queen) stole"),
        ("the “king of hearts” stole", "king of hearts”"),
        ("a) king (b", "a) king (b"),
        ("the king, the queen", "king,"),
        ("the king,queen", ",queen"),
        ("river.city", ".city"),
        ("took £5", "took £"),
        ("10. E127\n11. E133", "11. E133"),
        ("1. Who it is for\n2. Scope of it", "2. Scope"),
        ("3.1 The tenant pays\nall.\n3.2 The owner", "3.1 The tenant"),
        ("(a) the king\n(b) the queen", "(b) the queen"),
        ('he said "no" to it', '"no'),
        ('he said "no" to it', 'no"'),
    ],
)
def test_what_is_cut_short_is_no_answer(text: str, words: str) -> None:
    assert chosen(text, words) != words


@pytest.mark.parametrize(
    ("text", "words", "whole"),
    [
        ("the king of 3.1 tarts", "3.1", "3.1"),
        ("the king\n3.1", "3.1", "3.1"),
        ("3.1\tThe queen", "3.1", "3.1"),
        ("1984 was the war", "1984", "1984"),
        ("the king\n5 tarts were stolen", "5", "5"),
        ("the king (not the queen) stole", "king (not the queen)", "king (not the queen)"),
        ("the king (not the queen) stole", "not the queen", "not the queen"),
        ("a .gov name", ".gov", ".gov"),
        ("took £5", "£5", "£5"),
        ("the king stole tarts.", "tarts.", "tarts."),
        ("in 705.1 of", "705", "705.1"),
        ("1,000 tarts", "000", "1,000"),
        ("3.1 million tarts", "3.1 million tarts", "3.1 million tarts"),
        ("A. Smith stole", "A. Smith", "A. Smith"),
        ("of 2. Scope", "2. Scope", "2. Scope"),
        ("on\n3. October 1990, or\n12.50 Dollars", "3. October 1990", "3. October 1990"),
        ("on\n3. October 1990, or\n12.50 Dollars", "12.50 Dollars", "12.50 Dollars"),
        ('the "Apollo 11" flew', '"Apollo 11"', '"Apollo 11"'),
        ('"1984" in Jura', '"1984" in Jura', '"1984" in Jura'),
        ('he said "no" to it', '"no"', '"no"'),
        ('a 6" pipe', '6"', '6"'),
    ],
)
def test_what_is_whole_may_be_the_answer(text: str, words: str, whole: str) -> None:
    assert chosen(text, words) == whole
