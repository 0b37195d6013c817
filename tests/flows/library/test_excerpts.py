"""Combining the scores of words and meaning, and cutting excerpts around passages."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.library import Library
from app.core.text import Span
from app.flows.library.search import AROUND, combine_scores, cut_excerpts, rank_with_evidence
from app.library.index import Index, Passage
from app.library.passages import SIZE
from tests.helpers.libraries import NONE, stored

SCORES = st.dictionaries(st.integers(0, 40), st.floats(0.01, 50), max_size=30)
TEXT = st.lists(
    st.text("abcé猫狗\U0001f600 ", min_size=1, max_size=900) | st.just("One word after another. " * 90),
    min_size=1,
    max_size=4,
).map("\n\n".join)


@given(SCORES, SCORES, st.floats(0, 1))
def test_joined_scores_are_of_each_once_and_agree_where_both_ways_do(
    words: dict[int, float], meaning: dict[int, float], weight: float
) -> None:
    found = combine_scores(words, meaning, weight)
    assert found.keys() == words.keys() | meaning.keys()
    assert all(0 <= score <= 1 + weight for score in found.values())
    for one in words.keys() & meaning.keys():
        for other in words.keys() & meaning.keys():
            if words[one] >= words[other] and meaning[one] >= meaning[other]:
                assert found[one] >= found[other] - 1e-9


def test_scores_of_both_ways_count_by_their_weights() -> None:
    joined = combine_scores({1: 30.0, 2: 20.0, 3: 10.0}, {3: 0.9, 4: 0.5}, 0.5)
    assert joined == {1: 1.0, 2: 0.5, 3: 0.5, 4: 0.0}
    assert combine_scores({1: 3.0, 2: 3.0}, {}, 0.5) == {1: 1.0, 2: 1.0}
    assert combine_scores({}, {}, 0.5) == {}


@given(SCORES, st.lists(st.integers(0, 3), min_size=41, max_size=41))
def test_evidence_ranks_every_passage_and_keeps_the_order_within_a_text(
    scores: dict[int, float], texts: list[int]
) -> None:
    ranked = rank_with_evidence(scores, dict(enumerate(texts)))
    assert sorted(ranked) == sorted(scores)
    for text in set(texts):
        some = [scores[number] for number in ranked if texts[number] == text]
        assert some == sorted(some, reverse=True)


def test_a_text_with_more_that_fits_comes_before_one_with_a_single_place() -> None:
    scores = {1: 1.0, 2: 0.95, 3: 0.8, 4: 0.8, 5: 0.8}
    assert rank_with_evidence(scores, dict.fromkeys(scores, 7)) == [1, 2, 3, 4, 5]
    assert rank_with_evidence(scores, {1: 7, 2: 8, 3: 8, 4: 8, 5: 8}) == [2, 1, 3, 4, 5]
    assert rank_with_evidence(scores, {2: 8, 3: 7}) == [2, 3], "the others are gone"


@given(st.lists(TEXT, min_size=1, max_size=3), st.randoms(use_true_random=False))
def test_excerpts_hold_their_passages_and_stand_in_their_texts(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], chance: random.Random
) -> None:
    index = Index(tmp_path_factory.mktemp("index"))
    library = index.save(Library(0, "All", ("/docs",)))
    stored(index, library, {f"/docs/{at}.txt": text for at, text in enumerate(texts)})
    passages: list[Passage] = [passage for passage, _ in index.without_vectors(NONE, 1000)]
    chance.shuffle(passages)
    asked = passages[: len(passages) // 2 + 1]
    excerpts = cut_excerpts(index, asked)
    for excerpt in excerpts:
        text, view = index.body(excerpt.text)
        assert excerpt.document.view == view.of_parts([excerpt.span])
        assert 0 <= excerpt.span.start < excerpt.span.end <= len(text)
        assert excerpt.document.text == excerpt.span.of(text)
        held = [each for each in asked if each.text == excerpt.text and _holds(excerpt.span, each.span)]
        assert held and len(excerpt.span) <= len(held) * (SIZE + 2 * AROUND)
    for passage in asked:
        assert sum(each.text == passage.text and _holds(each.span, passage.span) for each in excerpts) == 1
    # The best passage's excerpt is the first, and no two share a word.
    assert _holds(excerpts[0].span, asked[0].span) and excerpts[0].text == asked[0].text
    for at, one in enumerate(excerpts):
        assert not any(one.text == each.text and one.span.overlaps(each.span) for each in excerpts[:at])
    index.close()


def _holds(span: Span, other: Span) -> bool:
    return span.start <= other.start and other.end <= span.end


def test_an_excerpt_cuts_no_word(tmp_path: Path) -> None:
    index = Index(tmp_path / "index")
    library = index.save(Library(0, "All", ("/docs",)))
    text = " ".join(f"word{at}" for at in range(2000))
    stored(index, library, {"/docs/a.txt": text})
    passages = [passage for passage, _ in index.without_vectors(NONE, 1000)]
    for passage in passages:
        (excerpt,) = cut_excerpts(index, [passage])
        assert set(excerpt.document.text.split()) <= set(text.split())
    index.close()
