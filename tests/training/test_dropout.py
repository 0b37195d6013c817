import copy
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from app.core.models import Head
from app.training.folder import load_base
from app.training.parallel import Draws, Dropout, Workers, draws_of, replace_dropouts
from app.training.tasks import answer_loss
from tests.helpers.opened_models import daily
from tests.helpers.small_models import FAMILIES, small_checkpoint


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
