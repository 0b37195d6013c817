"""Start and end scores of a window against the reading they belong to."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.inside import Part, SpanScores
from app.core.inspection import LookAtSpans, Subject
from app.core.models import Head
from app.core.report import Silent, Stopped
from app.core.requests import Question
from app.core.text import Document, Span
from app.tasks.inspect.spans import look_at_spans
from app.tasks.qa.question_answering import read
from app.tasks.task import ReadyModel
from tests.helpers.fake_models import Noted, span_reader
from tests.helpers.opened_models import FAMILIES, QA, SUBJECTS, TEXT, opened_model
from tests.tasks.inspect.test_inputs import TEXTS


def scores_of(subject: Subject, model: ReadyModel) -> SpanScores:
    return look_at_spans(LookAtSpans(subject), model, Silent())


def agrees(found: SpanScores, text: str) -> None:
    tokens = found.window.tokens
    columns = (
        found.start_logits, found.end_logits, found.start_probabilities, found.end_probabilities, found.candidates,
    )  # fmt: skip
    assert {len(column) for column in columns} == {len(tokens)}
    assert sum(found.start_probabilities) == pytest.approx(1)
    assert sum(found.end_probabilities) == pytest.approx(1)
    assert found.candidates == tuple(token.part is Part.TEXT for token in tokens)
    assert found.null_score == pytest.approx(found.start_logits[0] + found.end_logits[0])
    for span in found.spans:
        assert span.text == span.span.of(text)
        assert span.score == pytest.approx(found.start_logits[span.first] + found.end_logits[span.last])
        assert found.candidates[span.first] and found.candidates[span.last]
        first, last = tokens[span.first].span, tokens[span.last].span
        assert first is not None and last is not None
        assert first.start < span.span.end and last.end > span.span.start
    assert 0 < sum(span.probability for span in found.spans) + found.null_probability <= 1 + 1e-9


@given(TEXTS, st.integers(0, 3))
def test_every_answer_has_the_numbers_that_reading_gave_it(text: str, seed: int) -> None:
    model = span_reader(seed=seed)
    for answer in read(Question("who", (Document(text),), top_k=3), model, Silent()).answers:
        found = scores_of(Subject(QA, text, "who", focus=answer.span), model)
        agrees(found, text)
        assert (found.spans[0].span, found.spans[0].score) == (answer.span, answer.score)
        assert found.null_score == pytest.approx(answer.null_score)
        others = found.spans[1:]
        assert [span.score for span in others] == sorted((s.score for s in others), reverse=True)
        assert not any(span.span.overlaps(answer.span) for span in others)


@pytest.mark.parametrize("family", FAMILIES)
def test_without_a_focus_the_best_answer_is_the_chosen_one(family: str) -> None:
    model = opened_model(family)
    found = scores_of(SUBJECTS[QA], model)
    agrees(found, TEXT)
    best = read(Question(SUBJECTS[QA].pair, (Document(TEXT),)), model, Silent()).answers[0]
    assert (found.spans[0].span, found.spans[0].score) == (best.span, pytest.approx(best.score, abs=1e-5))
    assert found.spans[0].probability == max(span.probability for span in found.spans)


def test_shares_are_a_softmax_over_every_span_and_the_null_score() -> None:
    model = span_reader(null=1.5)
    text = "the queen"
    found = scores_of(Subject(QA, text, "who"), model)
    start, end = np.array(found.start_logits), np.array(found.end_logits)
    own = [at for at, may in enumerate(found.candidates) if may]
    scores = [start[i] + end[j] for i in own for j in own if i <= j]
    whole = np.exp([*scores, found.null_score]).sum()
    assert found.null_probability == pytest.approx(np.exp(found.null_score) / whole)
    assert found.spans[0].probability == pytest.approx(np.exp(found.spans[0].score) / whole)


def test_a_place_that_is_no_candidate_is_scored_all_the_same() -> None:
    model = span_reader()
    text = "the queen of hearts was in the city."
    for place in (Span(4, 9), Span(5, 7), Span(35, 36)):
        found = scores_of(Subject(QA, text, "who", focus=place), model)
        agrees(found, text)
        assert found.spans[0].span == place


def test_only_a_question_has_a_start_and_an_end() -> None:
    with pytest.raises(SpanlightError, match="start and an end"):
        scores_of(SUBJECTS[Head.CLASSIFICATION], opened_model("bert", Head.CLASSIFICATION))


def test_it_stops_when_it_is_to() -> None:
    with pytest.raises(Stopped):
        look_at_spans(LookAtSpans(SUBJECTS[QA]), opened_model(), Noted(stop_at=1))
