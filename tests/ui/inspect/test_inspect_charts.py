"""The sections "Start and end" and "Pooled output and [CLS]", over an engine that answers at once."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.core.errors import SpanlightError
from app.core.inside import Pooling
from app.core.inspection import LookAtPooling, LookAtSpans
from app.core.models import Head
from app.ui.inspect.charts.export import ChartBar
from app.ui.inspect.charts.numbers_table import NumbersTable
from app.ui.inspect.charts.span_matrix import SpanMatrix
from app.ui.inspect.charts.token_bars import TokenBars
from app.ui.inspect.charts.token_text import TokenText
from app.ui.inspect.charts.vector_strip import VectorStrip
from app.ui.inspect.pooling import PoolingSection, proof, verdict
from app.ui.inspect.section import Section
from app.ui.inspect.spans import SpansSection, describe_best_span, span_table
from app.ui.kit.chart import Chart
from app.ui.kit.jobs import Lanes
from app.ui.kit.theme import Theme
from tests.helpers import insides
from tests.helpers.windows import FakeEngine, open_fake_workspace

Kind = TypeVar("Kind", bound=Section)
Open = Callable[..., Any]


@pytest.fixture
def open_section(qtbot: QtBot) -> Iterator[Open]:
    """Opens a section over an engine and has it look into a visit."""
    lanes = Lanes()
    made: list[Section] = []

    def opened(kind: type[Kind], engine: FakeEngine, subject: Any = insides.ASKED) -> Kind:
        workspace = open_fake_workspace(engine)
        theme = Theme(workspace.paths.resources)
        theme.choose("light")
        section = kind(workspace, theme, lanes)
        qtbot.addWidget(section)
        section.resize(1000, 1400)
        section.show()
        card = next(card for card in insides.CARDS if subject.head in card.heads)
        section.show_visit(insides.visit(subject, card.name))
        qtbot.waitUntil(lambda: not section._query.running)  # type: ignore[attr-defined]
        made.append(section)
        return section

    yield opened
    lanes.close()


def engine() -> FakeEngine:
    return FakeEngine(insides.answer, *insides.CARDS)


def only(section: Section, kind: type[Chart] | type[NumbersTable]) -> Any:
    (found,) = section.findChildren(kind)
    return found


def said(section: Section) -> str:
    return "\n".join(label.text() for label in section.findChildren(QLabel) if label.isVisible())


def test_start_and_end_are_asked_and_shown(open_section: Open) -> None:
    over = engine()
    section = open_section(SpansSection, over)
    assert over.requests == [LookAtSpans(insides.ASKED)]
    scores = insides.span_scores(insides.ASKED)
    for kind in (TokenText, TokenBars, SpanMatrix):
        chart = only(section, kind)
        assert chart.isVisible() and chart.count() == len(scores.window.tokens)
    assert describe_best_span(scores) in said(section)
    rows = list(csv.reader(io.StringIO(section.numbers())))
    assert [float(row[4]) for row in rows[1:]] == pytest.approx(scores.start_logits)
    assert section.fits(Head.QUESTION_ANSWERING) and not section.fits(Head.CLASSIFICATION)


def test_text_bars_and_matrix_move_together(open_section: Open) -> None:
    section = open_section(SpansSection, engine())
    text, bars, matrix = (only(section, kind) for kind in (TokenText, TokenBars, SpanMatrix))
    QTest.keyClick(bars, Qt.Key.Key_Home)
    for _ in range(9):
        QTest.keyClick(bars, Qt.Key.Key_Right)
    assert text.current == bars.current == matrix.current == 9
    QTest.keyClick(matrix, Qt.Key.Key_Down)
    assert text.current == bars.current == matrix.current == 10
    assert text._marked == bars._marked == (matrix.current, matrix.column)


def test_the_list_shows_where_its_spans_stand(open_section: Open) -> None:
    section = open_section(SpansSection, engine())
    scores = insides.span_scores(insides.ASKED)
    table, text, matrix = (only(section, kind) for kind in (NumbersTable, TokenText, SpanMatrix))
    table.selectRow(0)
    QTest.keyClick(table, Qt.Key.Key_Down)
    second = scores.spans[1]
    assert text._marked == (second.first, second.last) == (matrix.current, matrix.column)
    table.selectRow(len(scores.spans))
    assert text._marked == (0, 0), "the null score stands at the first token"


def test_the_sentences_hold_the_numbers() -> None:
    scores = insides.span_scores(insides.ASKED)
    words = describe_best_span(scores)
    assert "“the pull of the Moon”: start and end are 7.25 + 6.50 = 13.75" in words
    assert "at [CLS], is 1.50 + 1.00 = 2.50" in words and "the answer lies 11.25 above it" in words
    silent = replace(scores, null_score=20.0, null_probability=0.99)
    assert "6.25 below it" in describe_best_span(silent)
    assert describe_best_span(replace(scores, spans=())).startswith("No span can be an answer.")
    late = replace(scores, window=replace(scores.window, number=1, windows=3))
    assert "in window 2 of 3" in describe_best_span(late)
    from_below = replace(scores, spans=(scores.spans[1], scores.spans[0]))
    assert describe_best_span(from_below).startswith("The span looked at is “")
    assert words.startswith("The best span is “")
    assert span_table(scores).rows[-1][1] == "[CLS]: the text does not say"


def test_both_vectors_are_shown_with_the_proof(open_section: Open) -> None:
    over = engine()
    section = open_section(PoolingSection, over, insides.REVIEW)
    assert over.requests == [LookAtPooling(insides.REVIEW)]
    found = insides.pooling(insides.REVIEW)
    strip = only(section, VectorStrip)
    assert strip.isVisible() and strip.count() == insides.WIDTH
    assert proof(found) in said(section)
    rows = list(csv.reader(io.StringIO(section.numbers())))
    assert rows[0] == ["dimension", "First token, [CLS]", "Pooled output", "Computed by hand"]
    assert [float(row[2]) for row in rows[1:]] == pytest.approx(found.pooled)
    assert "aside" not in said(section)


def test_a_head_that_leaves_the_pooled_output_aside_is_said_to(open_section: Open) -> None:
    section = open_section(PoolingSection, engine(), insides.ASKED)
    assert "Question answering takes every token’s state" in said(section)


def test_the_proof_is_said_for_every_kind_of_model() -> None:
    found = insides.pooling(insides.REVIEW)
    words = proof(found)
    assert words.startswith("tanh(W · h + b)") and "equals the pooled output" in words
    assert "bert.pooler.dense" in words and "The first vector itself does not." in words
    own = replace(found, is_pooler=False, path="classifier.dense")
    assert "This model has no pooler" in proof(own) and "classifier.dense" in proof(own)
    assert "no pooled output" in proof(Pooling(found.window, found.first))
    assert proof(replace(found, activation="")).startswith("W · h + b")
    assert "should equal" in proof(replace(found, error=0.5))


def test_the_proof_is_written_out_in_numbers(open_section: Open) -> None:
    found = insides.pooling(insides.REVIEW)
    section = open_section(PoolingSection, engine(), insides.REVIEW)
    heading, model, hand, first, verdicts = section._proved.lines()
    assert section._proved.isVisible() and heading[1:] == tuple("1234")
    assert [cell.replace("−", "-") for cell in model[1:]] == [f"{value:.7f}" for value in found.pooled[:4]]
    assert hand[0] == "tanh(W · h + b), by hand" and "is the same, to the last bits" in verdicts[0]
    assert first[0] == "First token, [CLS]" and "is not the same" in verdicts[1]
    assert not section._classes.isVisible()


@pytest.mark.parametrize(
    ("error", "said"),
    [(2e-8, "last bits"), (5e-5, "within what such numbers can hold"), (0.2, "not the same")],
)
def test_the_verdict_goes_by_the_difference(error: float, said: str) -> None:
    assert said in verdict(replace(insides.pooling(insides.REVIEW), error=error))


def test_a_question_s_text_can_be_looked_at_as_one_to_classify(open_section: Open, qtbot: QtBot) -> None:
    found = insides.pooling(insides.ASKED)
    none = Pooling(found.window, found.first)
    section = open_section(PoolingSection, FakeEngine(lambda *_: none, *insides.CARDS))
    assert not section._proved.isVisible()
    with qtbot.waitSignal(section.visit_asked) as asked:
        section._classes.click()
    (visit,) = asked.args
    assert visit.subject.head is Head.CLASSIFICATION and visit.model == ""
    assert insides.TEXT.startswith(visit.subject.text[:40]) and visit.subject.text


def test_a_model_without_a_pooler_shows_its_only_vector(open_section: Open) -> None:
    found = insides.pooling(insides.ASKED)

    def answer(request: Any, choice: Any, report: Any) -> Pooling:
        return Pooling(found.window, found.first)

    section = open_section(PoolingSection, FakeEngine(answer, *insides.CARDS))
    assert "no pooled output" in said(section)
    assert only(section, VectorStrip).table().columns == ("dimension", "First token, [CLS]")


@pytest.mark.parametrize("kind", [SpansSection, PoolingSection])
def test_a_fault_is_said_and_nothing_old_is_shown(
    open_section: Open, kind: type[Section], qtbot: QtBot
) -> None:
    over = engine()
    section = open_section(kind, over)

    def fail(request: Any, choice: Any, report: Any) -> None:
        raise SpanlightError("The model could not be opened.", "Try another one.")

    over.answer = fail
    section.show_visit(insides.visit(replace(insides.ASKED, pair="Why?"), "reader-quick"))
    qtbot.waitUntil(lambda: "could not be opened" in said(section))
    assert section.numbers() == ""
    assert not any(chart.isVisible() for chart in section.findChildren(Chart))


@pytest.mark.parametrize("kind", [SpansSection, PoolingSection])
def test_a_chart_is_handed_on_to_be_saved(open_section: Open, kind: type[Section]) -> None:
    section = open_section(kind, engine())
    asked: list[object] = []
    section.save_asked.connect(asked.append)
    for bar in section.findChildren(ChartBar):
        bar.save_asked.emit(bar._chart)
    assert asked and all(isinstance(one, Chart) for one in asked)
