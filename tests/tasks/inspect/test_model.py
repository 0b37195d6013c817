"""The picture of a model and its pooling, put together for a subject's window."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app.core.errors import SpanlightError
from app.core.inside import Attribution
from app.core.inspection import (
    LookAtAttention,
    LookAtModel,
    LookAtPooling,
    LookAtReasons,
    Method,
    Subject,
    Target,
)
from app.core.models import SHOWN_HEADS, Head
from app.core.report import Silent, Stopped
from app.core.text import Span, blanks_in
from app.models.compute.forward import Forward
from app.models.compute.loader import load
from app.models.disk.card import read_card
from app.tasks.inspect.inputs import input_of
from app.tasks.inspect.model import look_at_attention, look_at_model, look_at_pooling, look_at_reasons
from app.tasks.task import opened
from tests.conftest import ROOT
from tests.helpers.fake_models import CPU, Noted, span_reader
from tests.helpers.opened_models import CLASSIFY, NEXT, QA, SUBJECTS, TAGS, TOKENS, WORDS, opened_model

TARGETS = {
    QA: (Target(), Target(null=True)),
    CLASSIFY: (Target("good"), Target("bad")),
    WORDS: (Target(), Target("queen")),
    NEXT: (Target("follows"), Target("other")),
    TOKENS: (Target("O"), Target("I-LOC")),
}


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


def reasons(subject: Subject, target: Target, method: Method = Method.INTEGRATED_GRADIENTS) -> Attribution:
    model = opened_model("bert", subject.head)
    return look_at_reasons(LookAtReasons(subject, target, method), model, Silent())


@pytest.mark.parametrize("head", TARGETS)
def test_shares_add_up_to_what_the_text_changes_and_differ_by_the_method(head: Head) -> None:
    first, second = (reasons(SUBJECTS[head], target) for target in TARGETS[head])
    assert first.target != second.target
    assert first.shares != second.shares
    for found in (first, second):
        assert len(found.shares) == len(found.window.tokens)
        assert found.gap == pytest.approx(found.score - found.baseline - sum(found.shares), abs=1e-6)
        assert abs(found.gap) < 1e-3 and found.steps >= 50
        special = [at for at, token in enumerate(found.window.tokens) if token.span is None]
        assert special
        assert all(found.shares[at] == 0 for at in special)
    other = reasons(SUBJECTS[head], TARGETS[head][1], Method.GRADIENT_INPUT)
    assert (other.baseline, other.gap, other.steps) == (0.0, 0.0, 1)
    assert other.score == pytest.approx(second.score, abs=1e-5)
    assert other.target == second.target
    assert any(abs(a - b) > 1e-4 for a, b in zip(other.shares, second.shares, strict=True))


def test_a_mask_stays_in_the_baseline() -> None:
    found = reasons(SUBJECTS[WORDS], Target("queen"))
    masks = [at for at, token in enumerate(found.window.tokens) if token.piece == "[MASK]"]
    assert len(masks) == 2
    assert all(found.shares[at] == 0 for at in masks)


def test_only_the_blank_that_is_asked_about_costs_a_vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "the ___ king " * 20
    subject = Subject(WORDS, text, blanks=blanks_in(text), focus=blanks_in(text)[7])
    seen: list[tuple[int, ...]] = []
    compute = Forward.outputs

    def outputs(self: Forward, tensors: Any, positions: Any = None) -> Any:
        seen.append(positions.shape)
        return compute(self, tensors, positions)

    monkeypatch.setattr(Forward, "outputs", outputs)
    found = reasons(subject, Target("queen"))
    model = opened_model("bert", WORDS)
    given = input_of(subject, model, Silent()).arrays
    logits = model.forward(given)["logits"][0, 7]
    assert found.score == pytest.approx(float(logits[model.tokenizer.token_to_id("queen")]), abs=1e-5)
    assert given["positions"].shape == (1, 20)
    assert {places for rows, places in seen if rows > 1} == {1}


@pytest.mark.parametrize("outside", ["OUT", "o", "[PAD]"])
def test_without_a_focus_the_first_name_is_the_target_whatever_outside_is_called(outside: str) -> None:
    model = opened_model("bert", TOKENS, (outside, *TAGS[1:]))
    found = look_at_reasons(LookAtReasons(SUBJECTS[TOKENS]), model, Silent())
    wanted = look_at_reasons(LookAtReasons(SUBJECTS[TOKENS]), opened_model("bert", TOKENS), Silent())
    assert not wanted.target.startswith("O "), "or this tests nothing"
    assert found.target == wanted.target


def test_the_target_is_the_focus_s() -> None:
    text = SUBJECTS[TOKENS].text
    second = replace(SUBJECTS[WORDS], focus=SUBJECTS[WORDS].blanks[1])
    assert reasons(second, Target("queen")).score != reasons(SUBJECTS[WORDS], Target("queen")).score
    place = Span(text.index("sat") + 1, text.index("sat") + 2)
    found = reasons(replace(SUBJECTS[TOKENS], focus=place), Target("B-LOC"))
    assert found.target == "Places, first word (B-LOC) for “sat”"
    model = opened_model("bert", TOKENS)
    at = next(at for at, token in enumerate(found.window.tokens) if token.piece == "s")
    logits = model.forward(input_of(SUBJECTS[TOKENS], model, Silent()).arrays)["logits"]
    assert found.score == pytest.approx(logits[0, at, TAGS.index("B-LOC")], abs=1e-5)
    king = replace(SUBJECTS[QA], focus=Span(4, 8))
    assert reasons(king, Target()).target == "“King”"


@pytest.mark.parametrize(
    ("head", "target", "words"),
    [
        (CLASSIFY, Target("ugly"), "ugly"),
        (TOKENS, Target("B-ORG"), "B-ORG"),
        (NEXT, Target("before"), "before"),
        (WORDS, Target("antidisestablishment"), "pieces"),
        (CLASSIFY, Target(null=True), "without an answer"),
    ],
)
def test_a_target_that_there_is_not_is_refused(head: Head, target: Target, words: str) -> None:
    with pytest.raises(SpanlightError, match=words) as caught:
        reasons(SUBJECTS[head], target)
    assert caught.value.hint


def test_attention_in_rows() -> None:
    model = opened_model()
    found = look_at_attention(LookAtAttention(SUBJECTS[QA], 1), model, Silent())
    length = len(found.window.tokens)
    assert (found.layer, found.layers, found.heads) == (1, 2, 4)
    assert len(found.weights) == 4 * length * length
    wanted = opened(model).attention(input_of(SUBJECTS[QA], model, Silent()).arrays, 1)
    for one in range(4):
        for token in range(length):
            assert found.row(one, token) == pytest.approx(wanted[one, token], abs=1e-6)


def test_a_layer_that_there_is_not_is_refused() -> None:
    for layer in (-1, 2):
        with pytest.raises(SpanlightError, match=f"no layer {layer}") as caught:
            look_at_attention(LookAtAttention(SUBJECTS[QA], layer), opened_model(), Silent())
        assert "0 to 1" in caught.value.hint


def test_it_stops_when_it_is_to() -> None:
    report = Noted()
    look_at_reasons(LookAtReasons(SUBJECTS[CLASSIFY]), opened_model("bert", CLASSIFY), report)
    assert report.checks > 3
    told = [(one.done, one.total) for one in report.told if one.what == "Following the gradients"]
    assert (told[0], told[-1]) == ((0, 50), (50, 50))
    for at in range(1, report.checks + 1):
        with pytest.raises(Stopped):
            look_at_reasons(LookAtReasons(SUBJECTS[CLASSIFY]), opened_model("bert", CLASSIFY), Noted(at))


def test_a_model_that_was_not_opened_is_a_bug() -> None:
    with pytest.raises(ValueError, match="not opened"):
        look_at_attention(LookAtAttention(SUBJECTS[QA]), span_reader(), Silent())
