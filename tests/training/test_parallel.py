"""Gradients of a batch: with dropout, in float32 and in copies in bfloat16, alone and split over two workers."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from app.core.models import Head
from app.training.folder import load_base
from app.training.parallel import Draws, Dropout, Workers, draws_of, replace_dropouts
from app.training.tasks import answer_loss
from tests.helpers.opened_models import daily
from tests.helpers.small_models import FAMILIES, small_checkpoint

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


@given(rate=st.floats(0.0001, 0.99), seed=st.integers(0, 2**32 - 1))
def test_as_many_as_the_rate_says_are_dropped_and_the_mean_stays(rate: float, seed: int) -> None:
    draws = Draws()
    draws.begin(seed, 7)
    kept = draws.mask(torch.Size((100, 1003)), rate)
    share = float((kept == 0).float().mean())
    assert abs(share - rate) < 6 * (rate * (1 - rate) / kept.numel()) ** 0.5 + 2**-16
    others = kept[kept > 0]
    if len(others):
        assert torch.allclose(others, torch.tensor(1 / (1 - rate)), rtol=2e-3)


@pytest.mark.parametrize("shape", [(0,), (1,), (3,), (2, 3), (4, 8)])
def test_draws_have_the_shape_and_repeat_with_their_seed(shape: tuple[int, ...]) -> None:
    draws = Draws()
    draws.begin(1, 2)
    first = [draws.mask(torch.Size(shape), 0.5) for _ in range(2)]
    assert first[0].shape == shape and first[0].dtype == torch.float32
    draws.begin(1, 2)
    again = [draws.mask(torch.Size(shape), 0.5) for _ in range(2)]
    assert all(torch.equal(one, other) for one, other in zip(first, again, strict=True))


def test_each_draw_and_each_seed_differ() -> None:
    size, draws = torch.Size((64, 64)), Draws()
    seen = []
    for seed in ((1, 2), (1, 3), (2, 2), (1, 2, 1)):
        draws.begin(*seed)
        seen += [draws.mask(size, 0.5), draws.mask(size, 0.5)]
    assert not any(torch.equal(seen[i], seen[j]) for i in range(len(seen)) for j in range(i))
    flat = torch.stack([one.flatten() for one in seen])
    assert (torch.corrcoef(flat) - torch.eye(len(seen))).abs().max() < 0.08


def test_gradients_flow_only_through_kept_numbers() -> None:
    hidden = torch.ones(50, 50, requires_grad=True)
    dropout = Dropout(0.25, Draws())
    assert torch.isfinite(dropout.draws.mask(torch.Size((1000,)), 0.999999)).all()
    seen = dropout(hidden)
    seen.sum().backward()
    assert torch.equal(hidden.grad, seen.detach())
    assert 0 < int((hidden.grad == 0).sum()) < hidden.numel()
    assert dropout.eval()(hidden) is hidden, "nothing is dropped while reading"


def test_a_copy_draws_for_itself(tmp_path: Path) -> None:
    small_checkpoint(tmp_path, "bert", Head.QUESTION_ANSWERING)
    model = load_base(tmp_path, "qa", (), 0.1, 1)
    replace_dropouts(model)
    twin = copy.deepcopy(model)
    for one in (model, twin):
        kept = {id(m.draws) for m in one.modules() if isinstance(m, Dropout)}
        assert kept == {id(draws_of(one))}
    assert draws_of(model) is not draws_of(twin)


@pytest.mark.parametrize("family", [daily(family) for family in FAMILIES])
def test_dropout_in_two_threads_is_the_same_each_time(tmp_path: Path, family: str) -> None:
    small_checkpoint(tmp_path, family, Head.QUESTION_ANSWERING)
    rng = np.random.default_rng(1)
    batch = {
        "input_ids": rng.integers(5, 60, (6, 16)),
        "attention_mask": np.ones((6, 16), np.int64),
        "token_type_ids": np.zeros((6, 16), np.int64),
        "targets": rng.integers(0, 16, (6, 2)),
    }

    def gradients(*seed: int) -> list[torch.Tensor]:
        model = load_base(tmp_path, "qa", (), 0.3, 1)
        with Workers(model, "cpu", answer_loss, 2, bfloat16=False) as workers:
            torch.manual_seed(int(rng.integers(1000)))  # what torch itself would draw from
            workers.learn(batch, *seed)
        return [p.grad for p in model.parameters() if p.grad is not None]

    first = gradients(3, 4)
    assert all(torch.equal(one, other) for one, other in zip(first, gradients(3, 4), strict=True))
    assert not all(torch.equal(one, other) for one, other in zip(first, gradients(3, 5), strict=True))
