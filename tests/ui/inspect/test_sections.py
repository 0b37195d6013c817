"""The sections What happens here, The loss, Why this answer and Compare, through the real lanes."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.core.inside import Losses, LossTerm, Removals
from app.core.inspection import (
    Example,
    LookAtAttention,
    LookAtLoss,
    LookAtReasons,
    LookAtSpans,
    LookWithout,
    Method,
    Subject,
    Target,
)
from app.core.models import Head, ModelCard, ProblemType
from app.core.report import Report
from app.core.requests import ModelChoice, TextsToClassify
from app.core.results import Classification, ClassScore, Entity, Tagged, TaggedTexts
from app.core.text import Span
from app.ui.inspect.compare import CompareSection, side_of
from app.ui.inspect.compared import Side
from app.ui.inspect.example_forms import NO, ClassForm, FollowForm, WordsForm
from app.ui.inspect.example_marking import OUTSIDE, SILENT, AnswerForm, NamesForm
from app.ui.inspect.loss import LossSection
from app.ui.inspect.picture import PictureSection
from app.ui.inspect.section import Section
from app.ui.inspect.why import WhySection
from app.ui.inspect.words import window_words
from app.ui.kit.jobs import Lanes
from app.ui.kit.theme import Theme
from tests.helpers import insides
from tests.helpers.tabbing import tab_order
from tests.helpers.windows import FakeEngine, open_fake_workspace

Kind = TypeVar("Kind", bound=Section)
Show = Callable[..., Any]


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine(insides.answer, *insides.CARDS)


@pytest.fixture
def show(qapp: QApplication, qtbot: QtBot, engine: FakeEngine, spanlight_home: object) -> Iterator[Show]:
    """Makes a section of a kind, has it look at a subject, and waits for the end."""
    workspace, lanes = open_fake_workspace(engine), Lanes()
    theme = Theme(workspace.paths.resources)
    theme.choose("light")
    made: list[Section] = []

    def of(kind: type[Kind], subject: Subject, *models: ModelCard) -> Kind:
        section = kind(workspace, theme, lanes)
        made.append(section)
        qtbot.addWidget(section)
        section.resize(1000, 700)
        section.show()
        workspace.shelf.models = (*engine.cards, *models)  # type: ignore[attr-defined]
        cards = models or tuple(card for card in engine.cards if subject.head in card.heads)
        section.show_visit(insides.visit(subject, cards[0].folder), cards)
        rested(section, qtbot)
        return section

    yield of
    lanes.close()


def rested(section: Section, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: section.lanes.work.idle)


def button(section: Section, words: str) -> QPushButton:
    return next(one for one in section.findChildren(QPushButton) if one.text() == words)


def rows(section: Section) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(section.numbers())))


# What happens here


def test_the_module_tree_is_one_click_away_and_print_model_can_be_copied(show: Show, qtbot: QtBot) -> None:
    section = show(PictureSection, insides.ASKED)
    assert not section._tree.isVisible()
    qtbot.mouseClick(button(section, "Show every module"), Qt.MouseButton.LeftButton)
    assert section._tree.isVisible()
    top = section._tree.topLevelItem(0)
    assert top.text(0) == "BertForQuestionAnswering"
    assert top.text(3) == "22,566,146"
    bert = top.child(0)
    assert (bert.text(0), bert.child(1).childCount()) == ("bert", insides.LAYERS)
    qtbot.mouseClick(button(section, "Copy the tree as text"), Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == insides.picture(insides.ASKED).printed
    assert "path,name,class" in section._tree.csv()


def test_why_the_head_takes_what_it_takes_is_said(show: Show) -> None:
    assert "every token’s state" in show(PictureSection, insides.ASKED).about.text()
    assert "only the first token" in show(PictureSection, insides.REVIEW).about.text()


# The loss


def test_the_given_answer_is_held_to_be_right_and_others_can_be_marked(
    show: Show, engine: FakeEngine, qtbot: QtBot
) -> None:
    section = show(LossSection, insides.ASKED)
    assert engine.requests == [LookAtLoss(insides.ASKED, Example(answer=insides.ANSWER))]
    form = section._form
    assert isinstance(form, AnswerForm)
    assert not form.button.isEnabled()
    beach = Span(insides.TEXT.index("the beach"), insides.TEXT.index("the beach") + 9)
    form.text.choose(Span(beach.start - 1, beach.end + 1))  # with the blanks around it
    qtbot.mouseClick(form.button, Qt.MouseButton.LeftButton)
    rested(section, qtbot)
    assert engine.requests[-1] == LookAtLoss(insides.ASKED, Example(answer=beach))
    shown = rows(section)
    assert [row["term"] for row in shown] == ["Start", "End", "total", "transformers", "training"]
    assert shown[0]["right"] == "“the beach”"
    total = (float(shown[0]["loss"]) + float(shown[1]["loss"])) / 2
    assert float(shown[2]["loss"]) == pytest.approx(total)


def test_a_text_that_does_not_say_is_an_example_too(show: Show, engine: FakeEngine, qtbot: QtBot) -> None:
    section = show(LossSection, insides.ASKED)
    section._form.ways._buttons[SILENT].click()
    rested(section, qtbot)
    assert engine.requests[-1] == LookAtLoss(insides.ASKED, Example())
    assert "[CLS]" in rows(section)[0]["right"]


def test_an_answer_outside_the_window_is_ignored_and_why_is_said(
    show: Show, engine: FakeEngine, qtbot: QtBot
) -> None:
    section = show(LossSection, insides.ASKED)
    section._form.ways._buttons[OUTSIDE].click()
    rested(section, qtbot)
    asked = engine.requests[-1]
    assert isinstance(asked, LookAtLoss)
    assert asked.example.answer == Span(len(insides.TEXT), len(insides.TEXT) + 1)
    shown = {row["term"]: row for row in rows(section)}
    assert shown["Start"]["counted"] == "no"
    assert math.isnan(float(shown["transformers"]["loss"]))
    assert float(shown["training"]["loss"]) == 0
    said = section._words.text()
    assert "0 divided by 0" in said
    assert "training adds nothing" in said
    places = [section._chart.describe(at) for at in range(section._chart.count())]
    assert "What transformers computes: undefined." in places
    assert "What training adds up: 0." in places


def test_a_question_without_an_answer_begins_with_the_models_own(
    show: Show, engine: FakeEngine, qtbot: QtBot
) -> None:
    subject = replace(insides.ASKED, focus=None)
    show(LossSection, subject)
    assert isinstance(engine.requests[0], LookAtSpans)
    best = insides.span_scores(subject).spans[0].span
    assert engine.requests[1:] == [LookAtLoss(subject, Example(answer=best))]


def test_any_class_can_be_the_right_one(show: Show, engine: FakeEngine, qtbot: QtBot) -> None:
    section = show(LossSection, insides.REVIEW)
    likeliest = (
        TextsToClassify((insides.REVIEW.text,)),
        LookAtLoss(insides.REVIEW, Example(labels=("positive",))),
    )
    assert tuple(engine.requests) == likeliest
    form = section._form
    assert isinstance(form, ClassForm)
    form.one.setCurrentIndex(0)
    form.one.activated.emit(0)
    rested(section, qtbot)
    assert engine.requests[-1] == LookAtLoss(insides.REVIEW, Example(labels=("negative",)))


@pytest.mark.parametrize("subject", insides.SUBJECTS, ids=lambda subject: subject.head)
def test_tab_comes_to_what_is_right_before_the_loss(show: Show, qtbot: QtBot, subject: Subject) -> None:
    section = show(LossSection, subject)
    section.activateWindow()
    qtbot.waitUntil(section.isActiveWindow)
    chain = tab_order(section)
    first = min(chain.index(one) for one in section._form.findChildren(QWidget) if one in chain)
    assert first < chain.index(section._chart) < chain.index(section._tools.numbers)


def test_what_fits_is_held_to_be_right_of_several_classes_and_of_a_value(show: Show) -> None:
    scores = (ClassScore("negative", 0.2), ClassScore("positive", 0.9))
    many = replace(insides.MOODS, problem=ProblemType.MULTI_LABEL)
    form = show(LossSection, insides.REVIEW, many)._form
    assert isinstance(form, ClassForm)
    form.suggest(Classification(scores, "positive", 1, 9, ProblemType.MULTI_LABEL))
    assert form.example() == Example(labels=("positive",))
    form.begin(insides.REVIEW, replace(insides.MOODS, problem=ProblemType.REGRESSION, labels=("stars",)))
    form.suggest(Classification((ClassScore("stars", 3.4567),), "", 1, 9, ProblemType.REGRESSION))
    assert form.example() == Example(value=3.5)


def test_one_label_that_transformers_takes_for_a_value_is_said_to_be(show: Show) -> None:
    spam = replace(insides.MOODS, problem=ProblemType.MULTI_LABEL, labels=("spam",))
    section = show(LossSection, insides.REVIEW, spam)
    assert "squared error" not in section._words.text()
    losses = insides.losses(LookAtLoss(insides.REVIEW, Example(labels=("spam",))))
    section._show(replace(losses, by_model=losses.total + 0.2))
    assert "transformers takes it for a value: squared error" in section._words.text()


def test_a_value_is_no_probability(show: Show) -> None:
    stars = replace(insides.MOODS, problem=ProblemType.REGRESSION, labels=("stars",))
    section = show(LossSection, insides.REVIEW, stars)
    assert "squared" in section.about.text() and "logarithm" not in section.about.text()
    terms = (LossTerm("Value", "3.5", -0.25, 14.06),)
    section._show(Losses(insides.window_of(insides.REVIEW), terms, "", 14.06, 14.06, 14.06, squared=True))
    assert "the model gives −0.25" in section._chart.describe(0)
    assert rows(section)[0]["value"] == "-0.25"
    change = show(WhySection, insides.REVIEW, stars)._change
    assert change.count() and "%" not in change.describe(0)
    assert "%" in show(WhySection, insides.REVIEW)._change.describe(0)


def test_several_classes_and_a_value_can_be_right(show: Show, engine: FakeEngine, qtbot: QtBot) -> None:
    many = replace(insides.MOODS, problem=ProblemType.MULTI_LABEL)
    section = show(LossSection, insides.REVIEW, many)
    form = section._form
    assert isinstance(form, ClassForm)
    assert not form.one.isVisible()
    for box in form.boxes:
        box.setChecked(True)
    assert form.example() == Example(labels=insides.LABELS)
    value = replace(insides.MOODS, problem=ProblemType.REGRESSION, labels=("stars",))
    form.begin(insides.REVIEW, value)
    form.value.setValue(3.5)
    assert form.example() == Example(value=3.5)


def test_a_typed_blank_begins_with_the_likeliest_word_and_takes_another(
    show: Show, engine: FakeEngine, qtbot: QtBot
) -> None:
    section = show(LossSection, insides.BLANKED)
    assert engine.requests[1:] == [LookAtLoss(insides.BLANKED, Example(words=("France",)))]
    form = section._form
    assert isinstance(form, WordsForm)
    for word in ("Italy", ""):
        form.fields[0].setText(word)
        form.fields[0].editingFinished.emit()
        rested(section, qtbot)
    assert engine.requests[2:] == [LookAtLoss(insides.BLANKED, Example(words=("Italy",)))]
    assert section._wanting.isVisible()
    assert section.numbers() == ""


def test_a_blank_over_a_word_knows_it(show: Show, engine: FakeEngine) -> None:
    subject = Subject(Head.MASKED_WORDS, "Paris is lovely.", blanks=(Span(0, 5),))
    show(LossSection, subject)
    assert engine.requests == [LookAtLoss(subject, Example(words=("Paris",)))]


def test_whether_it_follows_can_be_said(show: Show, engine: FakeEngine, qtbot: QtBot) -> None:
    section = show(LossSection, insides.FOLLOWED)
    form = section._form
    assert isinstance(form, FollowForm)
    form.ways._buttons[NO].click()
    rested(section, qtbot)
    assert [request.example.follows for request in engine.requests] == [True, False]  # type: ignore[attr-defined]


def test_names_begin_with_those_that_were_found_and_can_be_marked(
    show: Show, engine: FakeEngine, qtbot: QtBot
) -> None:
    section = show(LossSection, insides.NAMED)
    found = (Span(0, 12), "PER")
    assert engine.requests[-1] == LookAtLoss(insides.NAMED, Example(entities=(found,)))
    form = section._form
    assert isinstance(form, NamesForm)
    text = insides.NAMED.text
    other = Span(text.index("Charles"), text.index("Babbage") + 7)
    form.text.choose(other)
    qtbot.mouseClick(form.button, Qt.MouseButton.LeftButton)
    rested(section, qtbot)
    assert engine.requests[-1] == LookAtLoss(insides.NAMED, Example(entities=(found, (other, "PER"))))


# Why this answer


def test_all_three_ways_are_shown_with_their_numbers(show: Show, engine: FakeEngine) -> None:
    section = show(WhySection, insides.ASKED)
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


def test_a_text_without_sentences_to_take_out_shows_no_empty_chart(show: Show, engine: FakeEngine) -> None:
    def answer(request: Any, choice: ModelChoice | None, report: Report) -> Any:
        found = insides.answer(request, choice, report)
        return replace(found, sentences=()) if isinstance(found, Removals) else found

    engine.answer = answer
    section = show(WhySection, insides.ASKED)
    assert "no sentence" in section._summary.text()
    assert not section._change.isVisible()
    assert section._text.isVisible()


def test_the_method_and_the_target_can_be_changed(show: Show, engine: FakeEngine, qtbot: QtBot) -> None:
    section = show(WhySection, insides.ASKED)
    section._method._buttons[str(Method.GRADIENT_INPUT)].click()
    rested(section, qtbot)
    assert engine.requests[-1] == LookAtReasons(insides.ASKED, Target(), Method.GRADIENT_INPUT)
    assert "need not add up" in section._facts.text()
    assert "gradient × input" in section._term.text()
    section._targets.setCurrentIndex(1)
    section._targets.activated.emit(1)
    rested(section, qtbot)
    assert engine.requests[-2:] == [
        LookAtReasons(insides.ASKED, Target(null=True), Method.GRADIENT_INPUT),
        LookWithout(insides.ASKED, Target(null=True)),
    ]


def test_each_class_can_be_explained(show: Show, engine: FakeEngine, qtbot: QtBot) -> None:
    section = show(WhySection, insides.REVIEW)
    said = [section._targets.itemText(at) for at in range(section._targets.count())]
    assert said == ["For the likeliest class", "For Negative", "For Positive"]
    section._targets.setCurrentIndex(2)
    assert section.target() == Target(label="positive")


def test_another_layer_is_looked_at_and_another_head_is_only_shown(
    show: Show, engine: FakeEngine, qtbot: QtBot
) -> None:
    part = show(WhySection, insides.ASKED)._attention
    part._layer.setCurrentIndex(3)
    part._layer.activated.emit(3)
    rested(part._section, qtbot)
    assert engine.requests[-1] == LookAtAttention(insides.ASKED, 3)
    before = len(engine.requests)
    part._heads.head_chosen.emit(5)
    assert part._head.currentIndex() == 5
    assert len(engine.requests) == before
    part._way._buttons["grid"].click()
    assert part._grid.isVisible()
    assert not part._lines.isVisible()


# Compare


def test_two_models_stand_side_by_side(show: Show) -> None:
    section = show(CompareSection, insides.ASKED)
    one, other = section._compared.sides()
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
    assert [side.name for side in section._compared.sides()] == [card.title, "a twin"]
    for side in section._compared.sides():
        assert side.headline
        assert all(0 <= value <= 1 for _, value, _ in side.rows)
    assert len(rows(section)) == sum(len(side.rows) for side in section._compared.sides())


def test_as_many_other_names_are_not_the_same_result() -> None:
    def found(text: str, kind: str) -> Side:
        names = (Entity(Span(0, len(text)), text, kind, 0.9),)
        tagged = TaggedTexts((Tagged(names, (), 1, 3),), (kind,), 0.1)
        return side_of(tagged, insides.NAMER, insides.NAMED)

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


def test_of_a_longer_text_the_window_looked_at_is_named() -> None:
    whole = insides.window_of(insides.ASKED)
    assert window_words(whole) == ""
    assert window_words(replace(whole, number=1, windows=3)).startswith("This is window 2 of 3 of the text")
