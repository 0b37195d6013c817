"""The picture of a model and its pooling, put together for a subject's window."""

from __future__ import annotations

import numpy as np
import pytest

from app.core.inspection import LookAtModel, LookAtPooling, Subject
from app.core.models import SHOWN_HEADS, Head
from app.core.report import Silent
from app.models.compute.loader import load
from app.models.disk.card import read_card
from app.tasks.inspect.inputs import input_of
from app.tasks.inspect.model import look_at_model, look_at_pooling
from tests.conftest import ROOT
from tests.helpers.fake_models import CPU
from tests.helpers.opened_models import CLASSIFY, NEXT, QA, SUBJECTS, TOKENS, WORDS, opened_model


@pytest.mark.parametrize("head", SHOWN_HEADS)
def test_every_head_is_pictured_at_work_on_its_subject_s_window(head: Head) -> None:
    subject, model = SUBJECTS[head], opened_model("bert", head)
    found = look_at_model(LookAtModel(subject), model, Silent())
    assert found.window == input_of(subject, model, Silent()).window
    assert (found.model, found.family, found.device) == (model.card.name, "bert", "CPU")
    length, used = len(found.window.tokens), found.heads[0]
    assert found.trunk[0].output == (1, length)
    assert used.head is head and used.in_use and len(found.heads) == 5
    counted = sum(stage.parameters for stage in (*found.trunk, *used.stages))
    assert counted == found.parameters == found.modules[0].parameters
    assert f"{used.kind}(" in found.printed
    shapes = {
        QA: (1, length),
        CLASSIFY: (1, len(model.card.labels)),
        WORDS: (1, 2, model.tokenizer.get_vocab_size()),
        NEXT: (1, 2),
        TOKENS: (1, length, len(model.card.labels)),
    }
    assert used.stages[-1].output == shapes[head]


def test_the_pooler_identity_on_the_starter_that_classifies() -> None:
    card = read_card(ROOT / "resources" / "models" / "starter-sentiment")
    model = load(card, CLASSIFY, CPU, opened=True)
    film = Subject(CLASSIFY, "A wonderful film, and the best of the year.")
    found = look_at_pooling(LookAtPooling(film), model, Silent())
    assert (found.path, found.activation, found.model) == ("bert.pooler.dense", "tanh", card.name)
    assert found.is_pooler and found.used
    assert found.window == input_of(film, model, Silent()).window
    first, pooled = np.array(found.first), np.array(found.pooled)
    assert found.error == pytest.approx(np.abs(pooled - found.recomputed).max(), abs=1e-9)
    assert found.error < 1e-6
    assert found.difference == pytest.approx(np.abs(first - pooled).max()) and found.difference > 0.5
    assert found.cosine == pytest.approx(first @ pooled / np.linalg.norm(first) / np.linalg.norm(pooled))
