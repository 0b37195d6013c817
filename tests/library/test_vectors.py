"""Vectors on disk: cosines are nearly exact, and only stored vectors have one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.library.vectors import Vectors

WIDTH = 48


def unit(count: int, seed: int = 0) -> np.ndarray:
    found = np.random.default_rng(seed).standard_normal((count, WIDTH)).astype(np.float32)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


@pytest.fixture
def vectors(tmp_path: Path) -> Vectors:
    return Vectors(tmp_path / "library" / f"vectors-some-{WIDTH}", WIDTH)


def test_without_a_file_there_are_none(vectors: Vectors) -> None:
    assert not vectors.have(5).any()
    assert len(vectors.scores(unit(1)[0])) == 0
    vectors.clear(np.arange(1, 6))


def test_cosines_are_within_a_hundredth_of_the_exact_ones(vectors: Vectors) -> None:
    put, asked = unit(5000), unit(3, 1)
    vectors.put(np.arange(1, 5001), put)
    for query in asked:
        scores = vectors.scores(query)
        assert scores.dtype == np.float32 and scores[0] == 0
        assert np.abs(scores[1:] - put @ query).max() < 0.01
    # Each is nearest to itself.
    assert [int(vectors.scores(put[at]).argmax()) for at in (0, 17, 4999)] == [1, 18, 5000]
    assert vectors.scores(put[0])[1] == pytest.approx(1, abs=0.01)


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 60), st.integers(1, 20)), max_size=12))
def test_have_tells_what_was_put_and_not_cleared(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[bool, int, int]]
) -> None:
    vectors = Vectors(tmp_path_factory.mktemp("vectors") / "v", WIDTH)
    there: set[int] = set()
    for puts, first, count in steps:
        numbers = np.arange(first, first + count)
        if puts:
            vectors.put(numbers, unit(count))
            there.update(numbers.tolist())
        else:
            vectors.clear(numbers)
            there.difference_update(numbers.tolist())
    assert set(np.flatnonzero(vectors.have(100)).tolist()) == there
    assert set(np.flatnonzero(vectors.scores(unit(1, 9)[0])).tolist()) <= there


def test_numbers_in_any_order_and_with_gaps(vectors: Vectors) -> None:
    put = unit(4)
    vectors.put(np.array([90, 3, 4, 50]), put)
    assert np.flatnonzero(vectors.have(100)).tolist() == [3, 4, 50, 90]
    assert int(vectors.scores(put[3]).argmax()) == 50


def test_another_process_sees_what_is_put(tmp_path: Path) -> None:
    mine, others = Vectors(tmp_path / "v", WIDTH), Vectors(tmp_path / "v", WIDTH)
    mine.put(np.array([0]), unit(1))
    assert others.have(2).tolist() == [True, False]
    mine.put(np.array([1]), unit(1))
    assert others.have(2).tolist() == [True, True]
    mine.clear(np.array([0]))
    assert others.have(2).tolist() == [False, True]
