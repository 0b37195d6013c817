import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from app.training.losses import IGNORED, imitation_loss, mean_loss, shared_loss, span_loss


@given(places=st.lists(st.integers(-5, 30), min_size=4, max_size=4))
def test_positions_are_clamped_then_ignored(places: list[int]) -> None:
    logits = torch.randn(2, 8, generator=torch.Generator().manual_seed(2)).requires_grad_()
    starts, ends = torch.tensor(places[:2]), torch.tensor(places[2:])

    def by_hand(wanted: list[int]) -> float:
        counted = [(row, max(p, 0)) for row, p in enumerate(wanted) if p < 8]
        return sum(-logits[r].log_softmax(0)[p].item() for r, p in counted) / max(1, len(counted))

    loss = span_loss(logits, logits, starts, ends)
    wanted = (by_hand(places[:2]) + by_hand(places[2:])) / 2
    assert loss.item() == pytest.approx(wanted, rel=1e-5, abs=1e-6)
    loss.backward()
    assert logits.grad is not None and logits.grad.isfinite().all(), "also where all are ignored"


def test_only_targets_that_are_not_ignored_count() -> None:
    logits, targets = torch.randn(6, 5), torch.tensor([IGNORED, 1, 2, 3, IGNORED, IGNORED])
    own = torch.nn.functional.cross_entropy(logits[1:4], targets[1:4])
    assert float(mean_loss(logits, targets)) == pytest.approx(float(own))
    assert float(mean_loss(logits, torch.full_like(targets, IGNORED))) == 0.0


def shared_by_hand(logits: np.ndarray, places: np.ndarray, pairs: list[int]) -> float:
    """For one kind of logits (batch × length): the answers' cross-entropy over their pair's windows."""
    found = 0.0
    for row, place in enumerate(places):
        windows = [other for other, pair in enumerate(pairs) if pair == pairs[row]]
        if len(windows) > 1 and 0 < place < logits.shape[1]:
            total = sum(math.exp(score) for other in windows for score in logits[other, 1:])
            found -= math.log(math.exp(logits[row, place]) / total)
    return found / len(pairs)


SCORES = np.random.default_rng(5).normal(size=(2, 5, 8)).astype(np.float32) * 2


@pytest.mark.parametrize(
    ("answers", "pairs"),
    [
        ([(3, 4), (0, 0), (7, 7), (0, 0), (2, 5)], [0, 0, 1, 1, 2]),
        ([(3, 4), (0, 0), (7, 7), (1, 2), (0, 0)], [0, 1, 1, 2, 2]),
        ([(3, 4), (0, 0), (0, 0), (8, 8), (0, 0)], [0, 0, 0, 1, 1]),
        ([(1, 1), (2, 2), (0, 0), (0, 0), (0, 0)], [0, 0, 1, 1, 2]),
    ],
)
def test_the_windows_of_a_question_share_one_softmax(
    answers: list[tuple[int, int]], pairs: list[int]
) -> None:
    starts, ends = np.array(answers).T
    logits = [torch.tensor(each, requires_grad=True) for each in SCORES]
    loss = shared_loss(*logits, torch.tensor(starts), torch.tensor(ends), torch.tensor(pairs))
    by_hand = (shared_by_hand(SCORES[0], starts, pairs) + shared_by_hand(SCORES[1], ends, pairs)) / 2
    assert by_hand > 0
    assert loss.item() == pytest.approx(by_hand, rel=1e-5)
    loss.backward()
    # [CLS] has its own loss, and windows without an answer beside them do not count.
    counted = {
        pair
        for pair, (start, _) in zip(pairs, answers, strict=True)
        if 0 < start < 8 and pairs.count(pair) > 1
    }
    for each in logits:
        assert each.grad is not None and not each.grad[:, 0].any()
        assert [bool(row.any()) for row in each.grad] == [pair in counted for pair in pairs]


@pytest.mark.parametrize(
    ("answers", "pairs"),
    [
        ([(3, 4), (0, 0), (7, 7), (1, 1), (2, 5)], [0, 1, 2, 3, 4]),
        ([(0, 0), (0, 0), (0, 0), (0, 0), (2, 5)], [0, 0, 1, 1, 2]),
        ([(8, 8), (0, 0), (3, 8), (0, 0), (2, 5)], [0, 0, 1, 1, 2]),
    ],
    ids=["alone", "unanswerable", "ignored"],
)
def test_without_a_pair_that_answers_the_shared_loss_is_zero(
    answers: list[tuple[int, int]], pairs: list[int]
) -> None:
    starts, ends = torch.tensor(answers).T
    logits = [torch.tensor(each, requires_grad=True) for each in SCORES]
    loss = shared_loss(*logits, starts, ends, torch.tensor(pairs))
    loss.backward()
    assert loss.item() == 0.0
    assert not any(each.grad.any() for each in logits if each.grad is not None)


# Three rows of eight positions, of which a teacher with ten has the first and some others, one place further on.
PLACES = torch.tensor([[0, -1, 3, 4, 5, 6, -1, -1], [0, -1, -1, 4, -1, -1, -1, -1], [0, 2, 3, 4, 5, 6, 7, 8]])


def shown_like(logits: torch.Tensor) -> torch.Tensor:
    """A teacher's logits that are those given at `PLACES`, and high where neither may choose."""
    shown = torch.full((3, 10), 50.0)
    for row, place in (PLACES >= 0).nonzero().tolist():
        shown[row, PLACES[row, place]] = logits[row, place]
    return shown


@pytest.mark.parametrize("temperature", [1.0, 2.0])
def test_the_imitation_loss_is_the_divergence_over_the_positions(temperature: float) -> None:
    logits, other = (torch.tensor(each[:3], requires_grad=True) for each in SCORES)
    assert imitation_loss(logits, shown_like(logits), PLACES, temperature).item() == pytest.approx(
        0, abs=1e-6
    )
    loss = imitation_loss(logits, shown_like(other), PLACES, temperature)
    by_hand = 0.0
    for own, its, places in zip(logits.tolist(), other.tolist(), PLACES.tolist(), strict=True):
        p, q = (
            np.exp([score / temperature for score, place in zip(each, places, strict=True) if place >= 0])
            for each in (its, own)
        )
        p, q = p / p.sum(), q / q.sum()
        by_hand += float((p * np.log(p / q)).sum()) * temperature**2 / 3
    assert loss.item() == pytest.approx(by_hand, rel=1e-5) and by_hand > 0.1
    loss.backward()
    assert logits.grad is not None and logits.grad.isfinite().all()
    assert torch.equal(logits.grad != 0, PLACES >= 0)


def test_logits_far_apart_or_in_bfloat16_give_numbers() -> None:
    logits = torch.tensor([[0.0, 3e4, -3e4], [0.0, 1e4, 2e4]], dtype=torch.bfloat16, requires_grad=True)
    places = torch.tensor([2, 0])
    loss = shared_loss(logits, logits, places, places, torch.tensor([0, 0]))
    loss.backward()
    assert loss.item() == pytest.approx(3e4, rel=0.01)
    assert logits.grad is not None and logits.grad.isfinite().all()
