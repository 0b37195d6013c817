import math
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoModelForQuestionAnswering, AutoModelForSequenceClassification

from app.core.models import Head
from app.training.losses import class_loss, span_loss
from tests.helpers.small_models import small_checkpoint

IDS = torch.randint(5, 90, (3, 16), generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize(
    ("starts", "ends"),
    [([1, 2, 3], [4, 5, 6]), ([0, 0, 0], [0, 0, 0]), ([1, 16, 40], [3, 17, 99]), ([-2, 4, 5], [1, 16, 8])],
)
def test_the_span_loss_is_transformers_own(tmp_path: Path, starts: list[int], ends: list[int]) -> None:
    folder = small_checkpoint(tmp_path, "bert", Head.QUESTION_ANSWERING)
    model = AutoModelForQuestionAnswering.from_pretrained(folder, dtype=torch.float32).eval()
    places = torch.tensor(starts), torch.tensor(ends)
    output = model(input_ids=IDS, start_positions=places[0].clone(), end_positions=places[1].clone())
    assert torch.allclose(span_loss(output.start_logits, output.end_logits, *places), output.loss)


def test_the_class_loss_is_transformers_own(tmp_path: Path) -> None:
    folder = small_checkpoint(tmp_path, "bert", Head.CLASSIFICATION, ("a", "b", "c"))
    model = AutoModelForSequenceClassification.from_pretrained(folder, dtype=torch.float32).eval()
    classes = torch.tensor([2, 0, 1])
    output = model(input_ids=IDS, labels=classes)
    assert torch.allclose(class_loss(output.logits, classes), output.loss)


def test_nothing_to_learn_is_no_nan() -> None:
    logits = torch.randn(2, 8, requires_grad=True)
    loss = span_loss(logits, logits, torch.tensor([8, 20]), torch.tensor([9, 8]))
    loss.backward()
    assert loss.item() == 0.0
    assert logits.grad is not None and (logits.grad == 0).all()


@given(places=st.lists(st.integers(-5, 30), min_size=4, max_size=4))
def test_positions_are_clamped_then_ignored(places: list[int]) -> None:
    logits = torch.randn(2, 8, generator=torch.Generator().manual_seed(2))
    starts, ends = torch.tensor(places[:2]), torch.tensor(places[2:])

    def by_hand(wanted: list[int]) -> float:
        counted = [(row, max(p, 0)) for row, p in enumerate(wanted) if p < 8]
        return sum(-logits[r].log_softmax(0)[p].item() for r, p in counted) / max(1, len(counted))

    found = span_loss(logits, logits, starts, ends).item()
    assert math.isclose(found, (by_hand(places[:2]) + by_hand(places[2:])) / 2, rel_tol=1e-5, abs_tol=1e-6)
