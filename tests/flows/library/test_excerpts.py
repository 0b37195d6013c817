"""Rankings made one, and passages with what is around them as excerpts."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.library import Library
from app.core.text import Span
from app.flows.library.search import AROUND, excerpts_of, fuse
from app.library.index import Index, Passage
from app.library.passages import SIZE
from tests.helpers.libraries import NONE, stored

RANKING = st.lists(st.integers(0, 40), unique=True, max_size=30)
TEXT = st.lists(
    st.text("abcé猫狗\U0001f600 ", min_size=1, max_size=900) | st.just("One word after another. " * 90),
    min_size=1,
    max_size=4,
).map("\n\n".join)


@given(st.lists(RANKING, max_size=4))
def test_fusing_keeps_each_once_and_never_turns_round_what_all_agree_on(rankings: list[list[int]]) -> None:
    fused = fuse(*rankings)
    assert sorted(fused) == sorted(set().union(*rankings))
    place = {number: at for at, number in enumerate(fused)}
    for one in fused:
        for other in fused:
            better = [
                one in ranking and (other not in ranking or ranking.index(one) < ranking.index(other))
                for ranking in rankings
                if one in ranking or other in ranking
            ]
            assert not (better and all(better) and place[one] > place[other])


def test_what_two_rankings_have_comes_before_what_one_has() -> None:
    assert fuse([1, 2, 3], [4, 3, 5])[0] == 3
    assert fuse([1, 2]) == [1, 2]
    assert fuse([1], [2]) == [1, 2]
    assert fuse() == []


@settings(max_examples=40)
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
    excerpts = excerpts_of(index, asked)
    for excerpt in excerpts:
        text = index.body(excerpt.text)[0]
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
        (excerpt,) = excerpts_of(index, [passage])
        assert set(excerpt.document.text.split()) <= set(text.split())
    index.close()
