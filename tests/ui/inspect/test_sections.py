"""Every section of the Look inside page over an engine that answers at once, through the real lanes."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from app.core.errors import SpanlightError
from app.core.inside import Losses, LossTerm, Pooling, Removals
from app.core.inspection import (
    Example,
    LookAtAttention,
    LookAtLoss,
    LookAtPooling,
    LookAtReasons,
    LookAtSpans,
    LookWithout,
    Method,
    Subject,
    Target,
)
from app.core.models import Head, ModelCard, ProblemType
from app.core.results import (
    Answer,
    Classification,
    Classifications,
    ClassScore,
    Entity,
    Reading,
    Tagged,
    TaggedTexts,
)
from app.core.text import Span
from app.ui.inspect.charts.export import ChartBar, NumbersTable
from app.ui.inspect.charts.span_matrix import SpanMatrix
from app.ui.inspect.charts.token_bars import TokenBars
from app.ui.inspect.charts.token_text import TokenText
from app.ui.inspect.charts.vector_strip import VectorStrip
from app.ui.inspect.compare import CompareSection, Side, side_of
from app.ui.inspect.loss import GoldText, LossSection, golds, selected_golds
from app.ui.inspect.picture import PictureSection
from app.ui.inspect.pooling import PoolingSection, agreement, conclusion
from app.ui.inspect.section import Section
from app.ui.inspect.spans import SpansSection, describe_best_span, span_table
from app.ui.inspect.visit import window_words
from app.ui.inspect.why import WhySection, targets
from app.ui.kit.chart import Chart
from app.ui.kit.jobs import Lanes
from app.ui.kit.theme import Theme
from tests.conftest import ROOT
from tests.helpers import insides
from tests.helpers.windows import FakeEngine, open_fake_workspace

Kind = TypeVar("Kind", bound=Section)
Show = Callable[..., Any]


@pytest.fixture(scope="module")
def theme(qapp: QApplication) -> Theme:
    theme = Theme(ROOT / "resources")
    theme.choose("light")
    return theme


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine(insides.answer, *insides.CARDS)


@pytest.fixture(scope="module")
def lanes(qapp: QApplication) -> Iterator[Lanes]:
    lanes = Lanes()
    yield lanes
    lanes.close()


@pytest.fixture
def show(theme: Theme, lanes: Lanes, qtbot: QtBot, engine: FakeEngine) -> Show:
    """Makes a section of a kind, has it look at a subject with models, and waits for the end."""
    workspace = open_fake_workspace(engine)

    def of(kind: type[Kind], subject: Subject = insides.ASKED, *models: ModelCard) -> Kind:
        section = kind(workspace, theme, lanes)
        qtbot.addWidget(section)
        section.resize(1000, 700)
        section.show()
        workspace.shelf.models = (*engine.cards, *models)  # type: ignore[attr-defined]
        cards = models or tuple(card for card in engine.cards if subject.head in card.heads)
        section.show_visit(insides.visit(subject, cards[0].folder), cards)
        rested(section, qtbot)
        return section

    return of


def rested(section: Section, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: section.lanes.work.idle)


def button(section: Section, words: str) -> QPushButton:
    return next(one for one in section.findChildren(QPushButton) if one.text() == words)


def rows(section: Section) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(section.numbers())))


def only(section: Section, kind: type[Chart] | type[NumbersTable]) -> Any:
    (found,) = section.findChildren(kind)
    return found


def said(section: Section) -> str:
    return "\n".join(label.text() for label in section.findChildren(QLabel) if label.isVisible())


# What happens here


def test_the_module_tree_is_one_click_away_and_print_model_can_be_copied(show: Show, qtbot: QtBot) -> None:
    assert "only the first token" in show(PictureSection, insides.REVIEW).about.text()
    section = show(PictureSection, insides.ASKED)
    assert "every token’s state" in section.about.text()
    assert not section._tree.isVisible()
    qtbot.mouseClick(button(section, "Show every module"), Qt.MouseButton.LeftButton)
    assert section._tree.isVisible()
    top = section._tree.topLevelItem(0)
    assert top.text(0) == "BertForQuestionAnswering"
    assert top.text(3) == "22,566,146"
    bert = top.child(0)
    assert (bert.text(0), bert.child(1).childCount()) == ("bert", insides.LAYERS)
    section._tree.setCurrentItem(bert.child(1).child(3))
    QTest.keyClick(section._tree, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "bert.encoder.layer.3"
    qtbot.mouseClick(button(section, "Copy the tree as text"), Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == insides.picture(insides.ASKED).printed


# The loss


def chosen(section: LossSection) -> list[str]:
    return [section._choice.itemText(at) for at in range(section._choice.count())]


def choose(section: LossSection, title: str, qtbot: QtBot) -> None:
    section._choice.setCurrentText(title)
    section._choice.activated.emit(section._choice.currentIndex())
    rested(section, qtbot)


def test_the_highlighted_answer_is_gold_and_selected_words_replace_it(
    show: Show, engine: FakeEngine, qtbot: QtBot
) -> None:
    section = show(LossSection)
    assert engine.requests == [LookAtLoss(insides.ASKED, Example(answer=insides.ANSWER))]
    lit = [each.cursor.selectedText() for each in section._text.extraSelections()]
    assert lit == [insides.ANSWER.of(insides.TEXT)]
    beach = Span(insides.TEXT.index("the beach"), insides.TEXT.index("the beach") + 9)
    with qtbot.waitSignal(section._text.selected):
        around = Span(beach.start - 1, beach.end + 1)  # with the blanks
        section._text.setTextCursor(section._text.cursor_of(around))
    rested(section, qtbot)
    assert engine.requests[-1] == LookAtLoss(insides.ASKED, Example(answer=beach))
    assert section._choice.currentText() == "“the beach”"
    shown = rows(section)
    assert [row["term"] for row in shown] == ["Start", "End", "total", "transformers", "training"]
    assert shown[0]["right"] == "“the beach”"
    total = (float(shown[0]["loss"]) + float(shown[1]["loss"])) / 2
    assert float(shown[2]["loss"]) == pytest.approx(total)


def test_an_answer_outside_the_window_is_ignored_with_an_explanation(
    show: Show, engine: FakeEngine, qtbot: QtBot
) -> None:
    section = show(LossSection)
    choose(section, "The text does not say", qtbot)
    assert engine.requests[-1] == LookAtLoss(insides.ASKED, Example())
    assert "[CLS]" in rows(section)[0]["right"]
    choose(section, "An answer beyond what is read", qtbot)
    outside = Span(len(insides.TEXT), len(insides.TEXT) + 1)
    assert engine.requests[-1] == LookAtLoss(insides.ASKED, Example(answer=outside))
    assert section._text.extraSelections() == []
    shown = {row["term"]: row for row in rows(section)}
    assert shown["Start"]["counted"] == "no"
    assert math.isnan(float(shown["transformers"]["loss"]))
    assert float(shown["training"]["loss"]) == 0
    assert "0 divided by 0" in section._words.text()
    assert "training adds nothing" in section._words.text()


@pytest.mark.parametrize(
    ("subject", "examples"),
    [
        (replace(insides.ASKED, focus=None), [Example(answer=insides.ANSWER), Example()]),
        (insides.REVIEW, [Example(labels=("positive",)), Example(labels=("negative",))]),
        (insides.BLANKED, [Example(words=("France",))]),
        (Subject(Head.MASKED_WORDS, "Paris is lovely.", blanks=(Span(0, 5),)), [Example(words=("Paris",))]),
        (insides.FOLLOWED, [Example(follows=True), Example(follows=False)]),
        (insides.NAMED, [Example(entities=((Span(0, 12), "PER"),)), Example()]),
    ],
)
def test_each_head_has_its_likeliest_gold_first(
    show: Show, engine: FakeEngine, subject: Subject, examples: list[Example], qtbot: QtBot
) -> None:
    section = show(LossSection, subject)
    if subject == replace(insides.ASKED, focus=None):
        subject = insides.ASKED  # the window of the model's own answer
    assert engine.requests[-1] == LookAtLoss(subject, examples[0])
    for title, example in list(zip(chosen(section), examples, strict=False))[1:]:
        choose(section, title, qtbot)
        assert engine.requests[-1] == LookAtLoss(subject, example)


def test_selected_words_can_be_a_name_of_each_type_that_the_model_knows(
    show: Show, engine: FakeEngine, qtbot: QtBot
) -> None:
    def answer(*asked: Any) -> Any:
        found = insides.answer(*asked)
        return replace(found, labels=("PER", "work-of-art")) if isinstance(found, TaggedTexts) else found

    engine.answer = answer
    section = show(LossSection, insides.NAMED)
    text, found = insides.NAMED.text, (Span(0, 12), "PER")
    other = Span(text.index("Charles"), text.index("Babbage") + 7)
    with qtbot.waitSignal(section._text.selected):
        section._text.setTextCursor(section._text.cursor_of(other))
    rested(section, qtbot)
    assert chosen(section)[:2] == ["“Charles Babbage”: People", "“Charles Babbage”: Works"]
    offered = [section._choice.itemData(at) for at in range(2)]
    assert offered == [Example(entities=(found, (other, each))) for each in ("PER", "work-of-art")]
    (over,) = selected_golds(Span(4, 12), insides.NAMED, ("PER",), Example(entities=(found,)))
    assert over.example == Example(entities=((Span(4, 12), "PER"),))


@pytest.mark.parametrize(
    ("problem", "examples"),
    [
        (ProblemType.MULTI_LABEL, [Example(labels=("b", "c")), *(Example(labels=(name,)) for name in "bca")]),
        (ProblemType.SINGLE_LABEL, [Example(labels=(name,)) for name in "bca"]),
        (ProblemType.REGRESSION, [Example(value=0.2)]),
    ],
)
def test_gold_follows_the_problem_type_of_a_classifier(problem: ProblemType, examples: list[Example]) -> None:
    scores = (ClassScore("a", 0.2468), ClassScore("b", 0.9), ClassScore("c", 0.8))
    found = Classifications((Classification(scores, "b", 1, 9, problem),), 0.1)
    card = replace(insides.MOODS, problem=problem)
    assert [gold.example for gold in golds(insides.REVIEW, card, found)] == examples


def test_a_single_label_that_transformers_treats_as_a_value_is_noted(show: Show) -> None:
    spam = replace(insides.MOODS, problem=ProblemType.MULTI_LABEL, labels=("spam",))
    section = show(LossSection, insides.REVIEW, spam)
    assert "squared error" not in section._words.text()
    losses = insides.losses(LookAtLoss(insides.REVIEW, Example(labels=("spam",))))
    section._show(replace(losses, by_model=losses.total + 0.2))
    assert "transformers takes it for a value: squared error" in section._words.text()


def test_a_regression_value_is_not_shown_as_a_probability(
    show: Show, engine: FakeEngine, qtbot: QtBot
) -> None:
    stars = replace(insides.MOODS, problem=ProblemType.REGRESSION, labels=("stars",))

    def answer(request: Any, *rest: Any) -> Any:
        if isinstance(request, LookAtLoss):
            terms = (LossTerm("Value", f"{request.example.value}", -0.25, 14.06),)
            return Losses(insides.window_of(insides.REVIEW), terms, "", 14.06, 14.06, 14.06, squared=True)
        return insides.answer(request, *rest)

    engine.answer = answer
    section = show(LossSection, insides.REVIEW, stars)
    section._value.setValue(3.5)
    rested(section, qtbot)
    assert engine.requests[-1] == LookAtLoss(insides.REVIEW, Example(value=3.5))
    assert "squared" in section.about.text() and "logarithm" not in section.about.text()
    assert "the model gives −0.25" in section._chart.describe(0)
    assert rows(section)[0]["value"] == "-0.25"
    change = show(WhySection, insides.REVIEW, stars)._change
    assert change.count() and "%" not in change.describe(0)
    assert "%" in show(WhySection, insides.REVIEW)._change.describe(0)


_characters = st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\u2028\u2029\ufdd0\ufdd1")


@pytest.fixture(scope="module")
def gold_text(theme: Theme) -> GoldText:
    return GoldText(theme)


@settings(deadline=None)
@given(
    text=st.text(st.one_of(_characters, st.sampled_from("👩‍👩‍👧 שלום é \n")), min_size=1, max_size=40),
    data=st.data(),
)
def test_selections_and_highlights_are_spans_of_code_points(
    gold_text: GoldText, text: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    gold_text.show_text(text)
    gold_text.setTextCursor(gold_text.cursor_of(Span(start, end)))
    selection = gold_text.selection()
    assert (selection.of(text) if selection else "") == text[start:end].strip()
    gold_text.highlight(Span(start, end), Span(len(text), len(text) + 1))
    lit = [each.cursor.selectedText() for each in gold_text.extraSelections()]
    assert [words.replace("\u2029", "\n") for words in lit] == [text[start:end]]


# Why this answer


def test_all_three_explanations_are_shown_with_their_numbers(show: Show, engine: FakeEngine) -> None:
    section = show(WhySection)
    kinds = {type(request) for request in engine.requests}
    assert kinds == {LookAtReasons, LookWithout, LookAtAttention}
    assert "a difference of" in section._facts.text() and "off by" in section._facts.text()
    assert "window" not in section._facts.text()
    assert "it falls to 2.00" in section._summary.text()
    assert len(rows(section)) == 52
    assert section._attention._lines.isVisible()
    first = section._attention._lines.current
    span = insides.window_of(insides.ASKED).tokens[first].span
    assert span is not None
    assert span.start == insides.ANSWER.start


def test_a_text_without_removable_sentences_shows_no_empty_chart(show: Show, engine: FakeEngine) -> None:
    def answer(*asked: Any) -> Any:
        found = insides.answer(*asked)
        return replace(found, sentences=()) if isinstance(found, Removals) else found

    engine.answer = answer
    section = show(WhySection)
    assert "no sentence" in section._summary.text()
    assert not section._change.isVisible()
    assert section._text.isVisible()


def test_the_method_and_the_target_can_be_changed(show: Show, engine: FakeEngine, qtbot: QtBot) -> None:
    section = show(WhySection)
    section._method._buttons[str(Method.GRADIENT_INPUT)].click()
    rested(section, qtbot)
    assert engine.requests[-1] == LookAtReasons(insides.ASKED, Target(), Method.GRADIENT_INPUT)
    assert "need not add up" in section._facts.text()
    assert "gradient × input" in section._method_term.text()
    section._targets.setCurrentIndex(1)
    section._targets.activated.emit(1)
    rested(section, qtbot)
    assert engine.requests[-2:] == [
        LookAtReasons(insides.ASKED, Target(null=True), Method.GRADIENT_INPUT),
        LookWithout(insides.ASKED, Target(null=True)),
    ]


def test_each_class_can_be_explained() -> None:
    found = targets(Head.CLASSIFICATION, insides.MOODS)
    assert [title for title, _ in found] == ["For the likeliest class", "For Negative", "For Positive"]
    assert found[2][1] == Target(label="positive")
    stars = replace(insides.MOODS, problem=ProblemType.REGRESSION)
    assert targets(Head.CLASSIFICATION, stars) == [("The result itself", Target())]


def test_another_layer_is_queried_and_another_head_is_only_shown(
    show: Show, engine: FakeEngine, qtbot: QtBot
) -> None:
    part = show(WhySection)._attention
    part._layer.setCurrentIndex(3)
    part._layer.activated.emit(3)
    rested(part._section, qtbot)
    assert engine.requests[-1] == LookAtAttention(insides.ASKED, 3)
    before = len(engine.requests)
    part._heads.chosen.emit(5)
    assert part._grid._head == part._head.currentIndex() == 5
    assert len(engine.requests) == before
    part._drawing._buttons["grid"].click()
    assert part._grid.isVisible()
    assert not part._lines.isVisible()


# Compare


def test_two_models_stand_side_by_side(show: Show) -> None:
    section = show(CompareSection)
    one, other = section._compared._sides
    assert (one.name, other.name) == ("Spanlight quick reader", "other-qa")
    assert one.headline == other.headline == "the pull of the Moon"
    assert "Both come to the same." in section._summary.text()
    assert "times as fast" in section._summary.text()
    shown = rows(section)
    assert {row["model"] for row in shown} == {"Spanlight quick reader", "other-qa"}
    assert section._compared.isVisible()


@pytest.mark.parametrize("subject", insides.SUBJECTS[1:], ids=lambda subject: subject.head)
def test_every_heads_results_can_be_compared(show: Show, engine: FakeEngine, subject: Subject) -> None:
    card = next(card for card in engine.cards if subject.head in card.heads)
    twin = replace(card, name="a twin", folder=f"{card.folder}-twin")
    section = show(CompareSection, subject, card, twin)
    assert section.notice.sentence() == ""
    sides = section._compared._sides
    assert [side.name for side in sides] == [card.title, "a twin"]
    for side in sides:
        assert side.headline
        assert all(0 <= value <= 1 for _, value, _ in side.rows)
    assert len(rows(section)) == sum(len(side.rows) for side in sides)


def test_equally_many_other_names_are_a_different_result() -> None:
    def found(text: str, kind: str) -> Side:
        names = (Entity(Span(0, len(text)), text, kind, 0.9),)
        tagged = TaggedTexts((Tagged(names, (), 1),), (kind,), 0.1)
        return side_of(tagged, insides.NAMER)

    one, other = found("Ada", "PER"), found("London", "LOC")
    assert one.headline == other.headline == "1 name"
    assert one.outcome != other.outcome
    assert one.outcome == found("Ada", "PER").outcome


def test_the_only_model_says_what_to_do(show: Show, engine: FakeEngine) -> None:
    section = show(CompareSection, insides.REVIEW)
    assert "Spanlight sentiment is the only model" in section._summary.text()
    assert engine.requests == []
    assert not section._compared.isVisible()
    assert section.numbers() == ""


def test_readers_are_compared_by_their_answers() -> None:
    def outcome(no_answer: float, text: str = "Paris") -> tuple[str, ...]:
        answer = Answer(0, Span(0, len(text)), text, 1 - no_answer, 1.0, 0.0)
        reading = Reading((answer,), no_answer < 0.35, no_answer, 0.65, 1, 1, 0.1, model="one", device="cpu")
        return side_of(reading, insides.READER).outcome

    assert outcome(0.6) == outcome(0.8), "however sure each is that the text does not say"
    assert len({outcome(0.8), outcome(0.1), outcome(0.1, "Rome")}) == 3


def test_words_that_stand_in_several_places_are_compared_once() -> None:
    found = (("noon", 0.6), ("Noon", 0.2), ("dawn", 0.1))
    answers = tuple(
        Answer(0, Span(5 * at, 5 * at + 4), text, p, 1.0, 0.0) for at, (text, p) in enumerate(found)
    )
    reading = Reading(answers, True, 0.3, 0.65, 1, 1, 0.1, model="one", device="cpu")
    rows = side_of(reading, insides.READER).rows
    assert [(name, value) for name, value, _ in rows] == [
        ("noon", 0.6), ("dawn", 0.1), ("The text does not say", 0.3)
    ]  # fmt: skip


# Start and end, pooled output


def test_start_and_end_logits_are_queried_and_shown(show: Show, engine: FakeEngine) -> None:
    section = show(SpansSection)
    assert engine.requests == [LookAtSpans(insides.ASKED)]
    scores = insides.span_scores(insides.ASKED)
    for kind in (TokenText, TokenBars, SpanMatrix):
        chart = only(section, kind)
        assert chart.isVisible() and chart.count() == len(scores.window.tokens)
    assert describe_best_span(scores) in said(section)
    rows = list(csv.reader(io.StringIO(section.numbers())))
    assert [float(row[4]) for row in rows[1:]] == pytest.approx(scores.start_logits)
    asked: list[object] = []
    section.save_requested.connect(asked.append)
    for bar in section.findChildren(ChartBar):
        bar.save_requested.emit(bar._chart)
    assert [type(chart) for chart in asked] == [TokenBars, SpanMatrix]


def test_text_bars_matrix_and_list_move_together(show: Show) -> None:
    section = show(SpansSection)
    text, bars, matrix = (only(section, kind) for kind in (TokenText, TokenBars, SpanMatrix))
    QTest.keyClick(bars, Qt.Key.Key_Home)
    for _ in range(9):
        QTest.keyClick(bars, Qt.Key.Key_Right)
    assert text.current == bars.current == matrix.current == 9
    QTest.keyClick(matrix, Qt.Key.Key_Down)
    assert text.current == bars.current == matrix.current == 10
    assert text._marked == bars._marked == (matrix.current, matrix.column)
    scores, table = insides.span_scores(insides.ASKED), only(section, NumbersTable)
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
    assert window_words(late.window).startswith("This is window 2 of 3 of the text")
    assert window_words(scores.window) == ""
    from_below = replace(scores, spans=(scores.spans[1], scores.spans[0]))
    assert describe_best_span(from_below).startswith("The span looked at is “")
    assert words.startswith("The best span is “")
    assert span_table(scores).rows[-1][1] == "[CLS]: the text does not say"


def test_both_vectors_are_shown_with_the_proof_in_numbers(show: Show, engine: FakeEngine) -> None:
    section = show(PoolingSection, insides.REVIEW)
    assert engine.requests == [LookAtPooling(insides.REVIEW)]
    found = insides.pooling(insides.REVIEW)
    strip = only(section, VectorStrip)
    assert strip.isVisible() and strip.count() == insides.WIDTH
    assert conclusion(found) in said(section)
    rows = list(csv.reader(io.StringIO(section.numbers())))
    assert rows[0] == ["dimension", "First token, [CLS]", "Pooled output", "Computed by hand"]
    assert [float(row[2]) for row in rows[1:]] == pytest.approx(found.pooled)
    assert "aside" not in said(section)
    part = section._proof_card
    heading, model, hand, first = ([label.text() for label in row] for row in part._cells)
    comparisons = [label.text() for label in part._comparisons]
    assert part.isVisible() and heading[1:] == list("1234")
    assert [cell.replace("−", "-") for cell in model[1:]] == [f"{value:.7f}" for value in found.pooled[:4]]
    assert hand[0] == "tanh(W · h + b), by hand" and "is the same, to the last bits" in comparisons[0]
    assert first[0] == "First token, [CLS]" and "is not the same" in comparisons[1]
    assert not section._classes.isVisible()
    asked = show(PoolingSection, insides.ASKED)
    assert "Question answering takes every token’s state" in said(asked)


def test_the_conclusion_fits_every_kind_of_model() -> None:
    found = insides.pooling(insides.REVIEW)
    words = conclusion(found)
    assert words.startswith("tanh(W · h + b)") and "equals the pooled output" in words
    assert "bert.pooler.dense" in words and "The first vector itself does not." in words
    own = replace(found, is_pooler=False, path="classifier.dense")
    assert "This model has no pooler" in conclusion(own) and "classifier.dense" in conclusion(own)
    assert "no pooled output" in conclusion(Pooling(found.window, found.first))
    assert conclusion(replace(found, activation="")).startswith("W · h + b")
    assert "should equal" in conclusion(replace(found, error=0.5))


@pytest.mark.parametrize(
    ("error", "said"),
    [(2e-8, "last bits"), (5e-5, "within what such numbers can hold"), (0.2, "not the same")],
)
def test_the_agreement_depends_on_the_difference(error: float, said: str) -> None:
    assert said in agreement(replace(insides.pooling(insides.REVIEW), error=error))


def test_a_failed_query_is_reported_and_old_results_are_hidden(
    show: Show, engine: FakeEngine, qtbot: QtBot
) -> None:
    section = show(SpansSection)

    def fail(request: Any, choice: Any, report: Any) -> None:
        raise SpanlightError("The model could not be opened.", "Try another one.")

    engine.answer = fail
    section.show_visit(insides.visit(replace(insides.ASKED, pair="Why?"), "reader-quick"), section.models)
    qtbot.waitUntil(lambda: "could not be opened" in said(section))
    assert section.numbers() == ""
    assert not any(chart.isVisible() for chart in section.findChildren(Chart))
