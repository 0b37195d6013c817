"""Each term of the loss against transformers' and training's own, what is ignored included."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import cross_entropy

from app.core.errors import SpanlightError
from app.core.inside import Losses
from app.core.inspection import Example, LookAtLoss, Subject
from app.core.models import Head, ProblemType
from app.core.report import Silent
from app.core.text import Span
from app.tasks.inspect.inputs import input_of
from app.tasks.inspect.loss import answer_positions, clamped, look_at_loss, right_tags
from app.tasks.task import ReadyModel
from app.training.losses import span_loss
from tests.helpers.opened_models import (
    CLASSIFY,
    EVERY,
    FAMILIES,
    LABELS,
    NEXT,
    QA,
    SUBJECTS,
    TAGS,
    TEXT,
    TOKENS,
    WORDS,
    opened_model,
)

EXAMPLES = {
    QA: Example(answer=Span(29, 38)),
    CLASSIFY: Example(labels=("fine",)),
    WORDS: Example(words=("queen", "river")),
    NEXT: Example(follows=False),
    TOKENS: Example(entities=((Span(4, 18), "PER"), (Span(101, 106), "LOC"))),
}


def loss_of(
    subject: Subject, example: Example, family: str = "bert", model: ReadyModel | None = None
) -> Losses:
    return look_at_loss(LookAtLoss(subject, example), model or opened_model(family, subject.head), Silent())


@pytest.mark.parametrize(("family", "head"), EVERY)
def test_the_terms_come_to_the_loss_of_transformers(family: str, head: Head) -> None:
    found = loss_of(SUBJECTS[head], EXAMPLES[head], family)
    assert found.total == pytest.approx(found.by_model, abs=1e-5)
    assert found.in_training == found.total > 0
    assert all(
        term.counted and term.value == pytest.approx(-math.log(term.probability)) for term in found.terms
    )
    assert found.formula


@pytest.mark.parametrize("family", FAMILIES)
def test_no_answer_is_the_first_token(family: str) -> None:
    found = loss_of(SUBJECTS[QA], Example(answer=None), family)
    assert [term.target for term in found.terms] == [f"“{found.window.tokens[0].piece}”, position 0"] * 2
    assert found.total == pytest.approx(found.by_model, abs=1e-5)


def test_an_answer_outside_is_ignored_and_the_loss_undefined() -> None:
    found = loss_of(SUBJECTS[QA], Example(answer=Span(len(TEXT), len(TEXT) + 1)))
    length = len(found.window.tokens)
    assert all(not term.counted and term.value == 0 for term in found.terms)
    assert all(f"512 becomes {length}," in term.target for term in found.terms)
    assert math.isnan(found.by_model) and math.isnan(found.total) and found.in_training == 0.0


def long_reader() -> ReadyModel:
    model = opened_model("bert", QA)
    return replace(model, card=replace(model.card, window=24, stride=6))


def test_an_answer_over_a_window_s_end_is_half_ignored() -> None:
    model = long_reader()
    window = input_of(replace(SUBJECTS[QA], focus=Span(0, 3)), model, Silent())
    end = int(window.task_window.ends[-1])
    subject = replace(SUBJECTS[QA], focus=Span(0, 3))
    found = loss_of(subject, Example(answer=Span(end - 1, end + 8)), model=model)
    assert found.window.windows > 1
    assert [term.counted for term in found.terms] == [True, False]
    assert math.isnan(found.total) and math.isnan(found.by_model)
    assert found.in_training == pytest.approx(found.terms[0].value / 2)


@given(st.integers(-600, 600), st.integers(1, 512))
def test_a_position_is_clamped_as_transformers_clamps_it(position: int, length: int) -> None:
    held, counted = clamped(position, length)
    assert held == int(torch.tensor(position).clamp(0, length))
    assert counted == (held != length)


@given(st.lists(st.floats(-20, 20), min_size=3, max_size=9), st.integers(-4, 12), st.integers(-4, 12))
def test_what_is_counted_is_what_training_counts(logits: list[float], start: int, end: int) -> None:
    """The terms by hand, with what is ignored as 0, against the loss that training takes."""
    values = torch.tensor([logits, logits[::-1]], dtype=torch.float32)
    terms = []
    for row, position in zip(values, (start, end), strict=True):
        at, counted = clamped(position, len(logits))
        terms.append(float(cross_entropy(row[None], torch.tensor([at]))) if counted else 0.0)
    wanted = span_loss(values[:1], values[1:], torch.tensor([start]), torch.tensor([end]))
    assert sum(terms) / 2 == pytest.approx(float(wanted), abs=1e-4)


@given(st.data())
def test_an_answer_s_tokens_hold_it_or_are_outside(data: st.DataObject) -> None:
    model = long_reader()
    start = data.draw(st.integers(0, len(TEXT) - 1))
    answer = Span(start, data.draw(st.integers(start + 1, len(TEXT) + 5)))
    focus = data.draw(st.sampled_from([Span(0, 3), Span(100, 106)]))
    found = input_of(replace(SUBJECTS[QA], focus=focus), model, Silent())
    first, last = answer_positions(found, answer, 512)
    tokens, cut = found.window.tokens, found.task_window
    for at, inside in ((first, answer.start >= cut.starts[0]), (last, answer.end <= cut.ends[-1])):
        if at == 512:
            assert not inside or not found.tokens_at(answer)
        else:
            span = tokens[at].span
            assert inside
            assert span is not None
            assert span.overlaps(answer)
    if first != 512 and last != 512:
        assert first <= last
        held = TEXT[tokens[first].span.start : tokens[last].span.end]  # type: ignore[union-attr]
        assert answer.of(TEXT).strip() in held


def test_several_classes_at_once() -> None:
    model = opened_model("bert", CLASSIFY, LABELS, ProblemType.MULTI_LABEL)
    found = loss_of(SUBJECTS[CLASSIFY], Example(labels=("bad", "good")), model=model)
    assert [(term.name, term.target) for term in found.terms] == [
        ("bad", "holds"), ("fine", "does not hold"), ("good", "holds"),
    ]  # fmt: skip
    assert found.total == pytest.approx(found.by_model, abs=1e-6)
    with pytest.raises(SpanlightError, match="ugly"):
        loss_of(SUBJECTS[CLASSIFY], Example(labels=("ugly",)), model=model)


def test_a_value() -> None:
    model = opened_model("bert", CLASSIFY, ("stars",), ProblemType.REGRESSION)
    found = loss_of(SUBJECTS[CLASSIFY], Example(value=3.7), model=model)
    (term,) = found.terms
    assert term.value == pytest.approx((term.probability - 3.7) ** 2, rel=1e-5)
    assert found.total == pytest.approx(found.by_model, rel=1e-5)


@pytest.mark.parametrize(
    ("head", "example", "words"),
    [
        (CLASSIFY, Example(), "one class"),
        (CLASSIFY, Example(labels=("bad", "good")), "one class"),
        (WORDS, Example(words=("queen",)), "2 blanks"),
        (WORDS, Example(words=("queen", "antidisestablishment")), "pieces"),
        (TOKENS, Example(entities=((Span(0, 3), "ORG"),)), "ORG"),
    ],
)
def test_an_example_that_does_not_fit_is_refused(head: Head, example: Example, words: str) -> None:
    with pytest.raises(SpanlightError, match=words) as caught:
        loss_of(SUBJECTS[head], example)
    assert caught.value.hint


@pytest.mark.parametrize("labels", [(), ("nothing",)])
def test_of_very_many_classes_a_few_are_listed(labels: tuple[str, ...]) -> None:
    model = opened_model("bert", CLASSIFY, tuple(f"class {number}" for number in range(400)))
    with pytest.raises(SpanlightError) as caught:
        look_at_loss(LookAtLoss(SUBJECTS[CLASSIFY], Example(labels=labels)), model, Silent())
    assert "class 0, class 1" in caught.value.hint
    assert len(caught.value.hint) < 200


def test_names_have_their_tags_and_only_first_pieces_count() -> None:
    found = loss_of(SUBJECTS[TOKENS], EXAMPLES[TOKENS])
    tags = {term.name: term.target for term in found.terms}
    assert (tags["King"], tags["of"]) == ("People, first word (B-PER)", "People, next word (I-PER)")
    assert (tags["Hearts"], tags["Paris"]) == ("People, next word (I-PER)", "Places, first word (B-LOC)")
    assert tags["Alice"] == tags["."] == "no name (O)"
    pieces = [token for token in found.window.tokens if token.piece.startswith("##")]
    assert pieces
    assert len(found.terms) == len(found.window.tokens) - 2 - len(pieces)


WORD_PLACES = [(0, 3), (4, 8), (9, 11), (12, 18), (20, 25)]
KINDS = st.sampled_from(["PER", "LOC"])


@given(st.lists(st.tuples(st.integers(0, 26), st.integers(1, 12), KINDS), max_size=4))
def test_right_tags_mark_the_words_of_names(drawn: list[tuple[int, int, str]]) -> None:
    entities = [(Span(start, start + size), kind) for start, size, kind in drawn]
    starts, ends = (np.array(places) for places in zip(*WORD_PLACES, strict=True))
    tags = [TAGS[at] for at in right_tags(entities, TAGS, starts, ends)]
    for tag, place in zip(tags, WORD_PLACES, strict=True):
        over = [kind for span, kind in sorted(entities, key=lambda e: e[0]) if span.overlaps(Span(*place))]
        assert tag.partition("-")[2] == (over[0] if over else "")
    for before, tag in zip(["O", *tags], tags, strict=False):
        if tag.startswith("I-"):
            assert before[2:] == tag[2:]
