import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.training import linear
from app.training.linear import (
    Pool,
    at_temperature,
    fit,
    folds,
    gain,
    learning_curve,
    pack,
    targets_of,
    unpack,
)


def two_clouds(count: int, seed: int = 0, width: int = 8) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    labels = np.arange(count) % 2
    vectors = rng.normal(size=(count, width)).astype(np.float32)
    vectors[:, 0] += np.where(labels == 1, 3.0, -3.0)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True), targets_of(
        [(int(one),) for one in labels], 2
    )


def test_linearly_separable_labels_are_learnt() -> None:
    vectors, targets = two_clouds(60)
    new, wanted = two_clouds(200, seed=1)
    found = fit(vectors, targets).probabilities(new)
    assert np.allclose(found.sum(1), 1.0, atol=1e-5)
    assert (found.argmax(1) == wanted.argmax(1)).mean() > 0.97


def test_the_fit_is_the_minimum_of_its_loss() -> None:
    vectors, targets = two_clouds(40)

    def loss(head: linear.LinearHead) -> float:
        found = head.probabilities(vectors)
        weights = head.weights / 3.0  # the penalty is on the weights over vectors of length 3
        return float(-(targets * np.log(found)).sum() + 0.5 * (weights**2).sum())

    found = fit(vectors, targets, steps=600)
    rng = np.random.default_rng(3)
    for _ in range(20):
        moved = linear.LinearHead(
            found.weights + 0.05 * rng.normal(size=found.weights.shape).astype(np.float32),
            found.bias + 0.05 * rng.normal(size=2).astype(np.float32),
        )
        assert loss(moved) >= loss(found) - 1e-3


def test_labels_that_may_both_apply_have_probabilities_of_their_own() -> None:
    vectors, targets = two_clouds(40)
    both = np.concatenate([targets, np.ones((40, 1), dtype=np.float32)], axis=1)
    found = fit(vectors, both, multi=True).probabilities(vectors)
    assert (found[:, 2] > 0.9).all()
    assert ((found[:, :2] > 0.5) == (targets > 0.5)).mean() > 0.95


def test_the_words_of_labels_alone_are_a_first_guess() -> None:
    vectors, targets = two_clouds(100)
    words = np.array([[-1.0] + [0.0] * 7, [1.0] + [0.0] * 7], dtype=np.float32)
    pool = Pool.of(vectors, words)
    found = pool.head([], targets_of([], 2)).probabilities(pool.texts)
    assert (found.argmax(1) == targets.argmax(1)).mean() > 0.95


def test_the_most_useful_texts_are_uncertain_diverse_and_unlabelled() -> None:
    vectors, _ = two_clouds(50)
    pool = Pool.of(vectors, vectors[:2])
    probabilities = np.full((50, 2), (0.95, 0.05), dtype=np.float32)
    probabilities[7] = probabilities[9] = (0.5, 0.5)
    found = pool.most_useful(probabilities, [0, 1], range(2, 50), 10)
    assert set(found[:2]) == {7, 9}
    assert len(set(found)) == 10 and not {0, 1} & set(found)
    assert pool.most_useful(probabilities, range(50), [], 5) == []
    assert sorted(pool.most_useful(probabilities, [], [3, 4], 5)) == [3, 4]


@given(st.lists(st.integers(0, 3), min_size=2, max_size=60), st.integers(0, 5))
def test_folds_hold_every_row_once(labels: list[int], seed: int) -> None:
    parts = folds(targets_of([(label,) for label in labels], 4), seed)
    assert sorted(row for part in parts for row in part) == list(range(len(labels)))
    for label in set(labels):
        counts = [sum(labels[row] == label for row in part) for part in parts]
        assert max(counts) - min(counts) <= 2


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from("abcdefgh")), min_size=2, max_size=40))
def test_equal_texts_fall_into_the_same_fold(rows: list[tuple[int, str]]) -> None:
    texts = [text for _, text in rows]
    parts = folds(targets_of([(label,) for label, _ in rows], 3), texts=texts)
    assert sorted(row for part in parts for row in part) == list(range(len(rows)))
    found = [{texts[row] for row in part} for part in parts]
    assert sum(map(len, found)) == len(set(texts))


def test_duplicate_texts_do_not_flatter_the_curve() -> None:
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(40, 64)).astype(np.float32)
    vectors = np.repeat(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), 2, 0)
    labels = np.repeat(rng.integers(0, 2, 40), 2)  # by chance: nothing can be learnt
    targets = targets_of([(int(label),) for label in labels], 2)
    texts = [str(at // 2) for at in range(80)]
    assert learning_curve(vectors, targets)[-1][1] < 0.25
    assert learning_curve(vectors, targets, texts=texts)[-1][1] > 0.35


def test_more_examples_are_expected_to_help_as_they_did() -> None:
    assert gain([(10, 0.4), (20, 0.3), (40, 0.225)], 40) == pytest.approx(0.225 - 0.16875, abs=1e-3)
    assert gain([(10, 0.2), (20, 0.3), (40, 0.4)], 40) == 0.0
    assert gain([(1, 0.2)], 40) == 0.0
    vectors, targets = two_clouds(40)
    curve = learning_curve(vectors, targets)
    assert [count for count, _ in curve] == [8, 15, 30]
    assert all(0 <= error <= 1 for _, error in curve)


def test_a_temperature_changes_confidence_but_not_the_best_label() -> None:
    found = np.array([[0.7, 0.2, 0.1]], dtype=np.float32)
    calm = at_temperature(found, 2.0)
    assert calm.argmax() == 0 and calm[0, 0] < 0.7 and calm.sum() == pytest.approx(1.0)
    assert np.allclose(at_temperature(found, 1.0), found)


def test_numbers_are_stored_and_read_again() -> None:
    values = np.random.default_rng(0).random((5, 3)).astype(np.float32)
    assert np.allclose(unpack(pack(values), 3), values, atol=1e-3)
