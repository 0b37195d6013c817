"""The pooled output against what transformers' own modules give, and against the same by hand."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from app.core.inside import InputWindow, Pooling
from app.core.models import Head
from app.models.families import FAMILIES
from tests.helpers.opened_models import EVERY_KNOWN, held, made, row

QA, CLASSIFY, NEXT = Head.QUESTION_ANSWERING, Head.CLASSIFICATION, Head.NEXT_SENTENCE

OWN_LAYER = {
    "bert": ("bert.pooler.dense", "tanh", True),
    "albert": ("albert.pooler", "tanh", True),
    "mobilebert": ("mobilebert.pooler.dense", "tanh", True),
    "deberta": ("pooler.dense", "GELU", True),
    "deberta-v2": ("pooler.dense", "GELU", True),
    "distilbert": ("pre_classifier", "ReLU", False),
    "roberta": ("classifier.dense", "tanh", False),
    "xlm-roberta": ("classifier.dense", "tanh", False),
    "mpnet": ("classifier.dense", "tanh", False),
    "electra": ("classifier.dense", "GELU", False),
}


@pytest.mark.parametrize("family", list(FAMILIES))
def test_the_layer_that_takes_the_first_token(family: str) -> None:
    found = held(family, CLASSIFY).pooling(row(CLASSIFY))
    assert (found.path, found.activation, found.is_pooler) == OWN_LAYER[family]
    assert found.used
    assert found.error < 1e-6 and found.difference > 0.01
    assert len(found.first) == len(found.pooled) == len(found.recomputed) == 32


@pytest.mark.parametrize(("family", "head"), EVERY_KNOWN)
def test_no_layer_takes_it_where_every_token_counts(family: str, head: Head) -> None:
    found = held(family, head).pooling(row(head))
    if head in (CLASSIFY, NEXT):
        assert found.used and found.pooled
    else:
        assert len(found.first) == 32 and found == Pooling(InputWindow(()), found.first)


def test_the_vectors_are_transformers_own() -> None:
    inside, arrays = held("bert", CLASSIFY), row(CLASSIFY)
    with torch.no_grad():
        own = inside._model.bert(**{name: torch.from_numpy(one) for name, one in arrays.items()})
    found = inside.pooling(arrays)
    assert found.first == pytest.approx(own.last_hidden_state[0, 0].numpy(), abs=1e-6)
    assert found.pooled == pytest.approx(own.pooler_output[0].numpy(), abs=1e-6)


def test_computing_by_hand_does_not_copy_the_pooled_output() -> None:
    """A pooler that adds something to its layer's output is noticed."""
    inside = made("bert", CLASSIFY)

    class Wrong(nn.Linear):
        def forward(self, states: torch.Tensor) -> torch.Tensor:
            return super().forward(states) + 0.25

    pooler = inside._model.bert.pooler
    wrong = Wrong(32, 32)
    wrong.load_state_dict(pooler.dense.state_dict())
    pooler.dense = wrong
    found = inside.pooling(row(CLASSIFY))
    assert found.error > 1e-3


def test_a_pooler_without_use_is_recognised() -> None:
    from transformers.models.bert.modeling_bert import BertPooler

    inside = made("bert", QA)
    model = inside._model
    model.bert.pooler = BertPooler(model.config).eval()
    found = inside.pooling(row(QA))
    assert found.path == "bert.pooler.dense" and found.is_pooler and not found.used
    assert found.error < 1e-6
    inside = made("distilbert", CLASSIFY)
    inside._model.pre_classifier = nn.Identity()
    assert inside.pooling(row(CLASSIFY)).path == "", "scores are no pooled output"
