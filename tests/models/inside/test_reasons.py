"""Attention, gradients and losses of small models, against transformers' own and against autograd by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from app.core.models import Head
from app.core.report import Silent, Stopped
from app.models.compute.forward import Room
from app.models.inside.gradients import Attributor
from app.tasks.inspect.inputs import input_of
from app.tasks.task import Arrays, opened
from tests.helpers.opened_models import (
    EVERY,
    FAMILIES,
    NEXT,
    QA,
    SUBJECTS,
    WORDS,
    opened_model,
    own_class,
    own_inputs,
)


def row(family: str, head: Head) -> Arrays:
    found = input_of(SUBJECTS[head], opened_model(family, head), Silent())
    stays = np.zeros_like(found.arrays["input_ids"])
    stays[0, [0, -1]] = 1
    return {**found.arrays, "special_tokens_mask": stays}


def score_of(head: Head) -> list[tuple[str, tuple[int, ...], float]]:
    match head:
        case Head.QUESTION_ANSWERING:
            return [("start_logits", (9,), 1.0), ("end_logits", (12,), 1.0)]
        case Head.MASKED_WORDS:
            return [("logits", (1, 120), 1.0)]
        case Head.TOKEN_CLASSIFICATION:
            return [("logits", (4, 2), 1.0)]
    return [("logits", (1,), 1.0)]


def value(outputs: Arrays, head: Head) -> float:
    return sum(float(outputs[name][(0, *at)]) * weight for name, at, weight in score_of(head))


@pytest.mark.parametrize(("family", "head"), EVERY)
def test_attention_is_that_of_transformers(family: str, head: Head) -> None:
    model, arrays = opened_model(family, head), row(family, head)
    own = own_class(model.card.folder, head)
    with torch.no_grad():
        wanted = own(**own_inputs(own, arrays), output_attentions=True).attentions
    inside = opened(model)
    assert inside.layers == len(wanted)
    length = arrays["input_ids"].shape[1]
    seen = [inside.attention(arrays, layer) for layer in range(inside.layers)]
    for found, expected in zip(seen, wanted, strict=True):
        assert found.shape == (4, length, length)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found.sum(-1), 1.0, atol=1e-5)
        np.testing.assert_allclose(found, expected[0].numpy(), atol=1e-6)
    assert np.abs(seen[0] - seen[1]).max() > 1e-3, "layers that all are the same compare nothing"
    with pytest.raises(ValueError, match="layer 2"):
        inside.attention(arrays, 2)


@pytest.mark.parametrize(("family", "head"), EVERY)
def test_integrated_gradients_are_complete(family: str, head: Head) -> None:
    model, arrays = opened_model(family, head), row(family, head)
    shares, score, baseline, taken = opened(model).shares(arrays, score_of(head), 50, lambda *_: None)
    assert score == pytest.approx(value(model.forward(arrays), head), abs=1e-5)
    assert baseline == pytest.approx(_of_padding(family, head, arrays), abs=1e-5)
    assert abs(score - baseline) > 1e-3 and taken >= 50
    # DistilBERT's classifier has a ReLU, whose gradient jumps: no quadrature gets over that as fast.
    jumps = (family, head) == ("distilbert", Head.CLASSIFICATION)
    assert shares.sum() == pytest.approx(
        score - baseline, abs=0.05 * abs(score - baseline) if jumps else 1e-4
    )
    assert shares[[0, -1]].tolist() == [0.0, 0.0]
    assert np.count_nonzero(shares) > 5


def _of_padding(family: str, head: Head, arrays: Arrays) -> float:
    """The score with padding's embedding in place of all but the special tokens'."""
    own = own_class(opened_model(family, head).card.folder, head)
    inputs = own_inputs(own, arrays)
    ids = inputs.pop("input_ids")
    padded = torch.where(torch.from_numpy(arrays["special_tokens_mask"]) > 0, ids, own.config.pad_token_id)
    with torch.no_grad():
        found = own(**inputs, inputs_embeds=own.get_input_embeddings()(padded))
    if head is QA:
        return value({name: found[name].numpy() for name in ("start_logits", "end_logits")}, head)
    logits = found.logits[:, arrays["positions"][0]] if head is WORDS else found.logits
    return value({"logits": logits.numpy()}, head)


@pytest.mark.parametrize("head", [QA, WORDS])
@pytest.mark.parametrize("family", FAMILIES)
def test_gradient_times_input_is_autograd_s(family: str, head: Head) -> None:
    model, arrays = opened_model(family, head), row(family, head)
    own = own_class(model.card.folder, head)
    inputs = own_inputs(own, arrays)
    words = own.get_input_embeddings()(inputs.pop("input_ids")).detach().requires_grad_()
    found = own(**inputs, inputs_embeds=words)
    if head is QA:
        score = found.start_logits[0, 9] + found.end_logits[0, 12]
    else:
        score = found.logits[0, arrays["positions"][0, 1], 120]
    score.backward()
    assert words.grad is not None
    wanted = (words.grad * words).sum(-1)[0].detach().numpy()
    shares, told, baseline, steps = opened(model).shares(arrays, score_of(head), 0, lambda *_: None)
    np.testing.assert_allclose(shares, wanted, atol=1e-5)
    assert np.abs(wanted).max() > 1e-3
    assert steps == 1
    assert (told, baseline) == (pytest.approx(float(score.detach()), abs=1e-5), 0.0)


def shares_of(
    table: torch.nn.Embedding,
    ids: list[int],
    outputs: Callable[[dict[str, torch.Tensor]], dict[str, torch.Tensor]],
    on_step: Callable[[int, int], None],
) -> Attributor:
    """The shares of a model that is one table of embeddings and a function."""
    config = SimpleNamespace(
        pad_token_id=0, num_hidden_layers=1, num_attention_heads=1, hidden_size=table.embedding_dim
    )
    model = SimpleNamespace(config=config, get_input_embeddings=lambda: table)
    unchanged = np.zeros(len(ids), dtype=bool)
    score = [("logits", (0,), 1.0)]
    return Attributor(
        model, {"input_ids": torch.tensor([ids])}, outputs, score, unchanged, on_step, Room("cpu")
    )


def test_a_linear_score_is_attributed_exactly() -> None:
    """Gradient × input of the smallest case: one embedding row times one weight."""
    table = torch.nn.Embedding.from_pretrained(torch.tensor([[0.0, 0.0], [1.0, 2.0], [3.0, -1.0]]))

    def outputs(tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        states = table(tensors["input_ids"])
        return {"logits": (states * states @ torch.tensor([1.0, 2.0])).sum(1, keepdim=True)}

    made = shares_of(table, [1, 2], outputs, lambda *_: None)
    # The score is x² + 2 y² of each row, so x · gradient is 2 x² + 4 y², and its integral from 0 half of that.
    assert made.gradient_input()[0].tolist() == [18.0, 22.0]
    shares, score, baseline, steps = made.integrated(3)
    assert shares.tolist() == pytest.approx([9.0, 11.0])
    assert (score, baseline, steps) == (20.0, 0.0, 3)


def test_more_steps_are_taken_where_the_score_bends_sharply() -> None:
    """A score that jumps within a thousandth of the path: a few steps miss it, halved segments do not."""
    table = torch.nn.Embedding.from_pretrained(torch.tensor([[0.0], [1.0]]))

    def outputs(tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        return {"logits": 5 * torch.tanh((table(tensors["input_ids"])[:, 0] - 0.3) * 500)}

    told: list[tuple[int, int]] = []
    made = shares_of(table, [1], outputs, lambda done, total: told.append((done, total)))
    shares, score, baseline, steps = made.integrated(20)
    assert (score, baseline) == (pytest.approx(5.0), pytest.approx(-5.0))
    assert steps > 20 and steps <= 240
    assert shares.sum() == pytest.approx(10.0, abs=0.1)
    assert told[-1] == (steps, steps)


def test_a_stop_between_batches_of_steps_leaves_the_model_as_it_was() -> None:
    model, arrays, asked = opened_model("bert", QA), row("bert", QA), []

    def tell(done: int, total: int) -> None:
        asked.append((done, total))
        if len(asked) == 3:
            raise Stopped

    before = model.forward(arrays)["start_logits"]
    with pytest.raises(Stopped):
        opened(model).shares(arrays, score_of(QA), 200, tell)
    assert asked[0] == (0, 200) and 0 < asked[1][0] < asked[2][0] < 200
    assert np.array_equal(model.forward(arrays)["start_logits"], before)
    inner = opened(model)._model  # type: ignore[attr-defined]
    assert all(not one.requires_grad and one.grad is None for one in inner.parameters())


@pytest.mark.parametrize("positions", [(9, 12), (9, 512), (-3, 12)])
@pytest.mark.parametrize("family", FAMILIES)
def test_the_loss_of_positions_is_that_of_transformers(family: str, positions: tuple[int, int]) -> None:
    model, arrays = opened_model(family, QA), row(family, QA)
    labels = {
        name: np.array([at]) for name, at in zip(("start_positions", "end_positions"), positions, strict=True)
    }
    own = own_class(model.card.folder, QA)
    with torch.no_grad():
        targets = {name: torch.from_numpy(one) for name, one in labels.items()}
        wanted = float(own(**own_inputs(own, arrays), **targets).loss)
    found = opened(model).loss(arrays, labels)
    assert found == pytest.approx(wanted, abs=1e-5, nan_ok=True)
    assert math.isnan(found) == (512 in positions)


def test_a_loss_does_not_change_what_labels_are_taken_for() -> None:
    model, arrays = opened_model("bert", NEXT), row("bert", NEXT)
    assert opened(model).loss(arrays, {"labels": np.array([1])}) > 0
    model, arrays = opened_model("bert", Head.CLASSIFICATION), row("bert", Head.CLASSIFICATION)
    config = opened(model)._model.config  # type: ignore[attr-defined]
    config.problem_type = None
    several = opened(model).loss(arrays, {"labels": np.array([[1.0, 0.0, 0.0]])})
    one = opened(model).loss(arrays, {"labels": np.array([0])})
    assert config.problem_type is None
    assert several != pytest.approx(one, abs=1e-3)
