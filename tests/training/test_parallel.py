"""Gradients of a batch: in float32 and in copies in bfloat16, alone and split over two workers."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from app.core.models import Head
from app.training.folder import load_base
from app.training.parallel import Workers
from app.training.tasks import answer_loss
from tests.helpers.small_models import small_checkpoint

LOSS = answer_loss


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> nn.Module:
    folder = small_checkpoint(tmp_path_factory.mktemp("base"), "bert", Head.QUESTION_ANSWERING)
    return load_base(folder, "qa", (), 0.0, 1)


@pytest.fixture
def model(base: nn.Module) -> nn.Module:
    return copy.deepcopy(base)


def batch_of(together: int = 0) -> dict[str, np.ndarray]:
    """Eight rows, all or every other one with an answer, of which a number in a row belong together."""
    rng = np.random.default_rng(3)
    targets = np.sort(rng.integers(1, 16, (8, 2)), axis=1)
    pairs = {}
    if together:
        targets[1::2] = 0
        pairs["pairs"] = np.arange(8) // together
        targets = np.column_stack([targets, pairs["pairs"]])
    return {
        "input_ids": rng.integers(5, 60, (8, 16)),
        "attention_mask": np.ones((8, 16), np.int64),
        "token_type_ids": np.repeat([[0] * 5 + [1] * 11], 8, axis=0),
        "targets": targets,
        **pairs,
    }


def workers_of(model: nn.Module, count: int = 1, bfloat16: bool = True) -> Workers:
    return Workers(model, "cpu", LOSS, count, bfloat16)


def gradient(model: nn.Module) -> torch.Tensor:
    return torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None])


def learnt(model: nn.Module, batch: dict[str, np.ndarray], *which: Any) -> tuple[float, torch.Tensor]:
    model = copy.deepcopy(model)
    with workers_of(model, *which) as workers:
        loss = workers.learn(batch)
    return loss, gradient(model)


def test_the_weights_and_their_gradients_stay_float32(model: nn.Module) -> None:
    before = copy.deepcopy(model.state_dict())
    with workers_of(model) as workers:
        workers.learn(batch_of())
    assert {p.dtype for p in model.parameters()} == {torch.float32}
    assert {p.grad.dtype for p in model.parameters() if p.grad is not None} == {torch.float32}
    assert all(torch.equal(each, before[name]) for name, each in model.state_dict().items())


def test_gradients_in_bfloat16_are_near_those_in_float32(model: nn.Module) -> None:
    exact, wanted = learnt(model, batch_of(), 1, False)
    loss, found = learnt(model, batch_of(), 1, True)
    assert loss == pytest.approx(exact, rel=0.01)
    assert float((found - wanted).norm() / wanted.norm()) < 0.05
    assert not torch.equal(found, wanted)  # it is computed in another precision


@pytest.mark.parametrize("bfloat16", [False, True])
@pytest.mark.parametrize("together", [0, 2, 3, 8])
def test_two_workers_give_the_result_of_one(model: nn.Module, bfloat16: bool, together: int) -> None:
    (one, wanted), (two, found) = (learnt(model, batch_of(together), count, bfloat16) for count in (1, 2))
    assert two == pytest.approx(one, rel=1e-3 if bfloat16 else 1e-5)
    assert float((found - wanted).norm() / wanted.norm()) < (0.02 if bfloat16 else 1e-5)


@pytest.mark.parametrize("count", [1, 2])
def test_the_copies_follow_the_optimizer(model: nn.Module, count: int) -> None:
    def losses(bfloat16: bool) -> list[float]:
        mine = copy.deepcopy(model)
        optimizer = torch.optim.SGD(mine.parameters(), lr=0.2)
        found = []
        with workers_of(mine, count, bfloat16) as workers:
            for _ in range(5):
                found.append(workers.learn(batch_of()))
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
        return found

    wanted = losses(False)
    assert wanted[-1] < 0.9 * wanted[0]
    assert losses(True) == pytest.approx(wanted, rel=0.03)


def test_steps_that_bfloat16_would_swallow_add_up(model: nn.Module) -> None:
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-5)
    before = copy.deepcopy(model).bfloat16().qa_outputs.weight.detach()
    model.load_state_dict(copy.deepcopy(model).bfloat16().float().state_dict())
    moved = []
    with workers_of(model) as workers:
        for _ in range(3):
            workers.learn(batch_of())
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            assert torch.equal(model.qa_outputs.weight.bfloat16(), before)
            moved.append(float((model.qa_outputs.weight.detach() - before.float()).norm()))
    assert moved[1:] == pytest.approx([2 * moved[0], 3 * moved[0]], rel=0.05)


def test_gradients_of_batches_add_up(model: nn.Module) -> None:
    _, once = learnt(model, batch_of())
    with workers_of(model) as workers:
        for _ in range(2):
            workers.learn(batch_of())
    torch.testing.assert_close(gradient(model), 2 * once)


@pytest.mark.parametrize("count", [1, 2])
def test_outputs_after_a_step_are_of_the_new_weights(model: nn.Module, count: int) -> None:
    def logits(workers: Workers) -> np.ndarray:
        return np.concatenate([part["start_logits"] for part in workers.outputs(batch_of())])

    with workers_of(model, count) as workers:
        before = logits(workers)
        workers.learn(batch_of())
        torch.optim.SGD(model.parameters(), lr=0.2).step()
        after = logits(workers)
    with workers_of(model, count) as anew:
        np.testing.assert_array_equal(after, logits(anew))
    assert np.abs(after - before).max() > 0.05
    with torch.inference_mode():
        inputs = {k: torch.from_numpy(v) for k, v in batch_of().items() if k != "targets"}
        exact = model.eval()(**inputs).start_logits.numpy()
    assert after.dtype == np.float32
    assert np.abs(after - exact).max() < 0.1 * np.abs(exact).max()
