"""Vectors on disk: cosines are nearly exact, only stored vectors have one, and deleted ones take no space."""

from __future__ import annotations

import os
import sys
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


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no limit on a file's size")
def test_a_write_that_is_broken_off_leaves_no_half_of_a_vector(vectors: Vectors) -> None:
    import resource

    put, row = unit(8), WIDTH + 4
    vectors.put(np.array([7]), put[7:])
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4 * row + row // 2, before[1]))
    try:
        with pytest.raises(OSError):
            vectors.put(np.arange(1, 7), put[1:7])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    for at in np.flatnonzero(vectors.have(8)).tolist():
        assert vectors.scores(put[at])[at] == pytest.approx(1, abs=0.01)
    vectors.put(np.arange(1, 7), put[1:7])
    assert vectors.have(8).tolist() == [False, *[True] * 7]


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


@pytest.mark.skipif(
    sys.platform == "win32", reason="holes take space there, and nothing that is mapped is replaced"
)
@pytest.mark.parametrize("kept", [range(1, 1001), range(4001, 5001), range(0)], ids=["first", "last", "none"])
def test_deleted_vectors_take_no_space_and_who_has_them_mapped_goes_on(
    vectors: Vectors, tmp_path: Path, kept: range
) -> None:
    file = tmp_path / "library" / f"vectors-some-{WIDTH}"
    others, put = Vectors(file, WIDTH), unit(5000)
    vectors.put(np.arange(1, 5001), put)
    mapped, whole = others._rows(), file.stat().st_blocks
    vectors.compact()
    assert file.stat().st_blocks == whole, "there was nothing to give back"
    vectors.clear(np.setdiff1d(np.arange(1, 5001), kept))
    vectors.compact()
    assert file.stat().st_blocks <= whole * len(kept) / 5000 + 32
    assert np.count_nonzero(mapped["scale"]) == len(kept), "the old file can still be read to its end"
    for each in (vectors, others):
        assert np.flatnonzero(each.have(6000)).tolist() == list(kept)
        scores = each.scores(put[kept[0] - 1] if kept else put[0])
        assert not kept or int(scores.argmax()) == kept[0]
    others.put(np.arange(2000, 2100), put[:100])
    assert int(vectors.scores(put[50]).argmax()) in (51, 2050)
    assert list(file.parent.iterdir()) == [file]


@given(st.sets(st.integers(0, 300), max_size=30))
def test_compacting_changes_no_vector(tmp_path_factory: pytest.TempPathFactory, kept: set[int]) -> None:
    file = tmp_path_factory.mktemp("vectors") / "v"
    vectors, put = Vectors(file, WIDTH), unit(301)
    put[:, 10:] = 0  # a row's end may be all zeros
    vectors.put(np.arange(301), put)
    vectors.clear(np.array(sorted(set(range(301)) - kept), dtype=np.int64))
    before = vectors.scores(put[0])
    vectors.compact()
    after = np.zeros_like(before)
    scores = Vectors(file, WIDTH).scores(put[0])
    after[: len(scores)] = scores[:301]
    assert after.tolist() == before.tolist()
    assert set(np.flatnonzero(vectors.have(400)).tolist()) == kept
