"""The Look inside page: samples, a visit from another page, its sections, models, keys, saving, the next start."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from app.core.errors import EngineLost
from app.core.inside import Pooling
from app.core.inspection import LookAtModel, LookAtPooling, LookAtSpans, Subject, Visit
from app.core.message import Message
from app.core.models import SHOWN_HEADS, Head
from app.core.report import Report
from app.core.requests import ModelChoice
from app.core.text import Span
from app.ui.inspect.page import SECTIONS, InspectView
from app.ui.inspect.pooling import PoolingSection
from app.ui.inspect.section import Section
from app.ui.inspect.visit import MAX_VISIT_CHARACTERS, visit_from_json, visit_to_json
from app.ui.kit.chart import Chart
from tests.helpers import insides
from tests.helpers.windows import FakeEngine, until_stopped

Open = Callable[[type[InspectView], FakeEngine], InspectView]
Opened = Callable[[FakeEngine], InspectView]


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine(insides.answer, *insides.CARDS)


@pytest.fixture
def opened(open_page: Open, qtbot: QtBot) -> Opened:
    """Opens the page over an engine and waits until all that it begins with is there."""

    def of(engine: FakeEngine) -> InspectView:
        view = open_page(InspectView, engine)
        rested(view, qtbot)
        QApplication.processEvents()
        return view

    return of


@pytest.fixture
def view(opened: Opened, engine: FakeEngine) -> InspectView:
    return opened(engine)


def current(view: InspectView) -> Section:
    section = view.section()
    assert section is not None
    return section


def rested(view: InspectView, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: view.lanes.files.idle and view.lanes.work.idle)


def look(view: InspectView, qtbot: QtBot, subject: Subject = insides.ASKED, model: str = "") -> None:
    view.look_at(insides.visit(subject, model))
    rested(view, qtbot)


def names(view: InspectView) -> list[str]:
    return [SECTIONS[at].KEY for at in view.section_indices()]


def choose(view: InspectView, key: str) -> None:
    view.names.setCurrentIndex([kind.KEY for kind in SECTIONS].index(key))


def offers(view: InspectView) -> list[QPushButton]:
    found = view._empty.findChildren(QPushButton)
    return [one for one in found if one.accessibleName().startswith("Try the sample") and one.isVisible()]


def test_an_empty_page_offers_samples_for_the_installed_models(opened: Opened, qtbot: QtBot) -> None:
    view = opened(FakeEngine(insides.answer, insides.MOODS))
    said = [offer.text() for offer in offers(view)]
    assert said
    assert all(one.startswith("A text to classify") for one in said)
    assert not view._bar.isVisible()
    qtbot.mouseClick(offers(view)[0], Qt.MouseButton.LeftButton)
    rested(view, qtbot)
    assert view._bar.isVisible()
    assert view._bar._title.full_text() in said[0]
    assert not offers(view)
    without = opened(FakeEngine(insides.answer))
    assert not offers(without) and "no model" in without._empty._hint.text()


def test_every_sample_is_as_high_as_its_words_in_a_small_window(view: InspectView, qtbot: QtBot) -> None:
    view.resize(850, 420)
    QApplication.processEvents()
    rows = offers(view)
    assert len(rows) >= 8
    for row in rows:
        assert row.height() >= row.sizeHint().height()
    assert all(one.geometry().bottom() < two.geometry().top() for one, two in pairwise(rows))
    middle = view._empty._middle
    assert middle.height() >= middle.heightForWidth(middle.width())
    assert view._empty.verticalScrollBar().maximum() > 0


def test_a_visit_shows_the_picture_of_the_model_that_it_names(
    view: InspectView, engine: FakeEngine, qtbot: QtBot
) -> None:
    look(view, qtbot, model="other-qa")
    section = current(view)
    assert section.KEY == "picture" and section.visit.model == "/models/other-qa"
    assert engine.requests == [LookAtModel(insides.ASKED)]
    assert view._bar.models.currentText() == "other-qa"
    assert view._bar._title.full_text() == insides.QUESTION
    rows = list(csv.DictReader(io.StringIO(section.numbers())))
    assert [row["gives"] for row in rows][:2] == ["1 × 52 × 384", "1 × 52 × 384"]


def test_only_sections_that_apply_to_the_head_are_listed_and_shown(view: InspectView, qtbot: QtBot) -> None:
    for subject in insides.SUBJECTS:
        look(view, qtbot, subject)
        expected = ["picture", "spans", "pooling", "loss", "why", "compare"]
        if subject.head is not Head.QUESTION_ANSWERING:
            expected.remove("spans")
        assert names(view) == expected
        for key in expected:
            choose(view, key)
            rested(view, qtbot)
            section = current(view)
            assert section.KEY == key and section.isVisible()
            assert section.notice.sentence() == ""
            assert not section.strip.isVisible()


def test_keys_move_through_the_sections_without_repeating_queries(
    view: InspectView, engine: FakeEngine, qtbot: QtBot
) -> None:
    look(view, qtbot)
    view.activateWindow()
    qtbot.waitUntil(view.isActiveWindow)
    ctrl, alt = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
    for key, modifier, expected in (
        (Qt.Key.Key_Left, alt, "compare"), (Qt.Key.Key_Right, alt, "picture"), (Qt.Key.Key_Tab, ctrl, "spans"),
    ):  # fmt: skip
        qtbot.keyClick(view, key, modifier)
        rested(view, qtbot)
        assert current(view).KEY == expected
    asked = list(engine.requests)
    assert LookAtSpans(insides.ASKED) in asked
    choose(view, "picture")
    choose(view, "spans")
    rested(view, qtbot)
    assert engine.requests == asked


def test_choosing_another_model_repeats_the_queries(
    view: InspectView, engine: FakeEngine, qtbot: QtBot
) -> None:
    look(view, qtbot)
    box = view._bar.models
    assert [box.itemText(at) for at in range(box.count())] == ["Spanlight quick reader", "other-qa"]
    box.setCurrentIndex(1)
    box.activated.emit(1)
    rested(view, qtbot)
    assert engine.requests == [LookAtModel(insides.ASKED)] * 2
    assert [card.name for card in current(view).models] == ["other-qa", "reader-quick"]
    third = replace(insides.READER, name="third", folder="/models/third")
    view.workspace.shelf.models = (*engine.cards, third)  # type: ignore[attr-defined]
    view.settings_changed()
    rested(view, qtbot)
    assert box.findText("third") >= 0


def test_a_missing_model_is_reported_and_another_can_be_inspected(view: InspectView, qtbot: QtBot) -> None:
    look(view, qtbot, model="gone")
    assert view._notice.isVisible()
    assert "gone" in view._notice.sentence()
    look(view, qtbot)
    assert not view._notice.isVisible()
    assert view.section() is not None


def test_a_newer_visit_wins_over_one_that_still_runs(opened: Opened, qtbot: QtBot) -> None:
    def slow_first(request: Any, choice: ModelChoice | None, report: Report) -> Any:
        if request.subject == insides.ASKED:
            until_stopped(request, choice, report)
        return insides.answer(request, choice, report)

    view = opened(FakeEngine(slow_first, *insides.CARDS))
    view.look_at(insides.visit(insides.ASKED))
    qtbot.waitUntil(lambda: view.section() is not None and view.section().strip.isVisible())
    look(view, qtbot, insides.REVIEW)
    section = current(view)
    assert section.visit.subject == insides.REVIEW
    assert "21" in section.numbers()
    assert not section.strip.isVisible()


def test_esc_stops_a_query_that_can_then_be_repeated(opened: Opened, qtbot: QtBot) -> None:
    waiting = [True]

    def answer(request: Any, choice: ModelChoice | None, report: Report) -> Any:
        if waiting[0]:
            until_stopped(request, choice, report)
        return insides.answer(request, choice, report)

    view = opened(FakeEngine(answer, *insides.CARDS))
    assert not view.stop()
    view.look_at(insides.visit())
    qtbot.waitUntil(lambda: view.section() is not None and view.section().strip.isVisible())
    assert view.stop()
    section = current(view)
    assert section.notice.sentence() == "Stopped."
    assert not section.strip.isVisible()
    assert section.numbers() == ""
    waiting[0] = False
    section.notice.acted.emit()
    rested(view, qtbot)
    assert section.numbers()
    assert not section.notice.isVisible()


def test_a_lost_model_process_is_reported_in_the_section_and_to_the_window(
    opened: Opened, qtbot: QtBot
) -> None:
    def die(request: Any, choice: ModelChoice | None, report: Report) -> Any:
        raise EngineLost("The model process ended.", "Try again.")

    view = opened(FakeEngine(die, *insides.CARDS))
    with qtbot.waitSignal(view.lost):
        view.look_at(insides.visit())
    assert current(view).notice.sentence() == "The model process ended."


def test_a_chart_is_saved_by_its_files_suffix_and_a_failure_reported(
    view: InspectView, tmp_path: Path, qtbot: QtBot
) -> None:
    look(view, qtbot)
    section = current(view)
    notes: list[str] = []
    view.note.connect(notes.append)
    for ending, begins in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("csv", b"head,")):
        path = tmp_path / f"chart.{ending}"
        view.save_chart_as(path, section.main)
        rested(view, qtbot)
        assert path.read_bytes().startswith(begins)
        assert notes[-1] == f"chart.{ending} saved"
    assert path.read_text(encoding="utf-8") == section.numbers()
    (tmp_path / "file").write_text("in the way")
    view.save_chart_as(tmp_path / "file" / "numbers.csv", section.main)
    rested(view, qtbot)
    assert view._notice.isVisible()
    assert "could not be written" in view._notice.sentence()


def test_the_last_visit_or_the_samples_come_back_at_the_next_start(
    opened: Opened, engine: FakeEngine, qtbot: QtBot
) -> None:
    first = opened(engine)
    look(first, qtbot, insides.BLANKED)
    first.keep()
    view = opened(engine)
    rested(view, qtbot)
    assert current(view).visit.subject == insides.BLANKED
    view._start_with((visit_to_json(insides.visit(insides.ASKED)), ()))
    assert view._visit is not None and view._visit.subject == insides.BLANKED, "the kept one comes too late"
    button = next(b for b in view._bar.findChildren(QPushButton) if b.accessibleName() == "Other examples")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    rested(view, qtbot)
    qtbot.waitUntil(lambda: bool(offers(view)))  # buttons are shown as the layout takes them
    assert not view._bar.isVisible()
    assert view.section() is None
    view.keep()
    again = opened(engine)
    rested(again, qtbot)
    qtbot.waitUntil(lambda: bool(offers(again)))


# What is kept

_texts = st.text(max_size=60)


@given(
    head=st.sampled_from(SHOWN_HEADS), text=_texts, pair=_texts, title=_texts, model=_texts, data=st.data()
)
def test_a_saved_visit_is_read_back_unchanged(
    head: Head, text: str, pair: str, title: str, model: str, data: st.DataObject
) -> None:
    def span() -> Span:
        start = data.draw(st.integers(0, len(text)))
        return Span(start, data.draw(st.integers(start, len(text))))

    focus = span() if data.draw(st.booleans()) else None
    blanks = tuple(span() for _ in range(data.draw(st.integers(0, 3))))
    visit = Visit(Subject(head, text, pair, focus, blanks), model, title)
    assert visit_from_json(visit_to_json(visit)) == visit


def test_a_translatable_title_is_saved_as_one_and_a_large_visit_is_not_saved() -> None:
    visit = Visit(Subject(Head.CLASSIFICATION, "Lovely."), title=Message("A happy customer"))
    read = visit_from_json(visit_to_json(visit))
    assert read == visit and isinstance(read.title, Message)
    assert visit_to_json(Visit(Subject(Head.CLASSIFICATION, "x" * MAX_VISIT_CHARACTERS))) == ""
    assert visit_to_json(None) == ""


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "[]",
        "{}",
        json.dumps({"head": "none"}),
        visit_to_json(insides.visit()).replace('"head"', '"h"'),
        visit_to_json(insides.visit(insides.BLANKED)).replace('"start": ', '"start": -'),
    ],
)
def test_an_unreadable_visit_is_ignored(text: str) -> None:
    assert visit_from_json(text) is None


def test_without_a_pooled_output_the_text_can_be_inspected_as_one_to_classify(
    opened: Opened, qtbot: QtBot
) -> None:
    def answer(request: Any, choice: ModelChoice | None, report: Report) -> Any:
        found = insides.answer(request, choice, report)
        if isinstance(request, LookAtPooling) and request.subject.head is Head.QUESTION_ANSWERING:
            return Pooling(found.window, found.first)
        return found

    view = opened(FakeEngine(answer, *insides.CARDS))
    look(view, qtbot)
    choose(view, "pooling")
    rested(view, qtbot)
    section = view.section()
    assert isinstance(section, PoolingSection)
    assert section._strips.table().columns == ("dimension", "First token, [CLS]")
    assert not section._proof_card.isVisible()
    section._classes.click()
    rested(view, qtbot)
    assert view._visit is not None and view._visit.subject.head is Head.CLASSIFICATION
    assert view.section() is section and section._proof_card.isVisible()


def test_every_chart_gets_the_height_that_it_needs(view: InspectView, qtbot: QtBot) -> None:
    """Wrapped words that end before the page does take more lines than at its full width."""
    look(view, qtbot)
    section = current(view)

    def whole() -> bool:
        charts = [chart for chart in section.findChildren(Chart) if chart.isVisible()]
        return bool(charts) and all(chart.height() >= chart.sizeHint().height() for chart in charts)

    for width in (1000, 1320, 1170):
        view.resize(width, 700)
        qtbot.waitUntil(whole)
