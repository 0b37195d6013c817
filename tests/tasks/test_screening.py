"""Best scores of a batch at once, the margin that is learnt, and the windows that wait."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.tasks.screening import Margin, Piece, Waiting, best_scores
from app.tasks.spans import span_scores
from app.tasks.windows import Window


def window(scored: list[bool], *, context_at: int = 3, first: int = 0) -> Window:
    length = context_at + len(scored) + 1
    ids = np.zeros(length, dtype=np.int64)
    places = np.arange(len(scored), dtype=np.int32)
    return Window(ids, ids, context_at, first, places, places + 1, np.array(scored, dtype=bool))


MASKS = st.lists(st.lists(st.booleans(), min_size=1, max_size=120), min_size=1, max_size=4)


@given(MASKS, st.integers(0, 5), st.integers(0, 40), st.integers(0, 9))
def test_best_scores_are_those_of_the_exact_scoring(
    masks: list[list[bool]], context_at: int, padding: int, seed: int
) -> None:
    windows = [window(mask, context_at=context_at) for mask in masks]
    dice = np.random.default_rng(seed)
    shape = (2, len(windows), max(map(len, windows)) + padding)
    start, end = dice.normal(size=shape).astype(np.float32)
    for row, each in enumerate(windows):
        outside = np.ones(shape[-1], dtype=bool)
        outside[context_at : context_at + len(each.starts)] = False
        start[row, outside] = end[row, outside] = 99.0
    found = best_scores(windows, start, end)
    for row, each in enumerate(windows):
        context = slice(context_at, context_at + len(each.starts))
        expected = span_scores(start[row, context], end[row, context], each.scored).max()
        assert found[row] == expected


def test_the_margin_follows_what_was_seen() -> None:
    dice = np.random.default_rng(1)
    margin = Margin()
    unlearnt = margin.usual
    assert 0.5 < unlearnt < margin.wide
    margin.take(dice.normal(0.0, 0.2, 200), np.zeros(200))
    assert 0.5 < margin.usual < 0.9 < margin.wide < 1.5
    margin.take(np.array([4.0]), np.array([0.0]))
    assert margin.wide >= 5.0
    off = Margin()
    off.take(np.full(200, 3.0), np.zeros(200))
    assert 3.0 < off.usual < 5.0


def test_the_margin_never_vanishes() -> None:
    margin = Margin()
    margin.take(np.full(10_000, -1.0), np.zeros(10_000))
    margin.take(np.zeros(0), np.zeros(0))
    assert margin.wide >= margin.usual >= 0.25


@pytest.mark.parametrize("deviation", [0.05, 0.5, 2.0])
def test_hardly_any_difference_is_beyond_the_margin(deviation: float) -> None:
    """Learnt from 40 windows, the others of a thousand texts of 40 more: fewer than 1 in 200 lie above it."""
    dice = np.random.default_rng(3)
    usual = wide = 0
    for _ in range(1000):
        margin = Margin()
        margin.take(dice.normal(0.1, deviation, 40), np.zeros(40))
        others = dice.normal(0.1, deviation, 40)
        usual += np.count_nonzero(others > margin.usual)
        wide += np.count_nonzero(others > margin.wide)
    assert usual < 200
    assert wide <= 2


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 6))), st.integers(1, 5), st.integers(-6, 6))
def test_the_best_of_those_that_wait_come_first(given_: list[tuple[int, int]], most: int, least: int) -> None:
    waiting = Waiting(whole_groups=False)
    for score, group in given_:
        waiting.add(Piece(0, window([True]), group), float(score))
    assert len(waiting) == len(given_)
    got: list[float] = []
    while True:
        assert waiting.above(least) == sum(score >= least for score, _ in given_) - len(got)
        pieces, scores = waiting.pop(least, most)
        assert len(pieces) == len(scores) <= most
        if not pieces:
            break
        got += scores.tolist()
    assert got == sorted((score for score, _ in given_ if score >= least), reverse=True)
    assert len(waiting) == len(given_) - len(got)


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 4)), max_size=30), st.integers(-6, 6))
def test_groups_come_whole_and_in_the_order_of_the_text(given_: list[tuple[int, int]], least: int) -> None:
    waiting = Waiting(whole_groups=True)
    for at, (score, group) in enumerate(given_):
        waiting.add(Piece(0, window([True], first=1000 - at), group), float(score))
    seen: list[int] = []
    while (taken := waiting.pop(least, 1))[0]:
        pieces, scores = taken
        (group,) = {piece.group for piece in pieces}
        assert len(pieces) == sum(group == other for _, other in given_)
        assert [piece.window.first for piece in pieces] == sorted(piece.window.first for piece in pieces)
        assert max(scores) >= least
        seen.append(group)
    assert sorted(seen) == sorted({group for score, group in given_ if score >= least})
    assert len(waiting) == sum(group not in seen for _, group in given_)
