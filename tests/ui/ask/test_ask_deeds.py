"""The Ask page by hand: copying, earlier questions, samples, the keyboard, a large paste."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.inspection import Visit
from app.core.models import Head
from app.core.results import Reading
from app.ui.ask.ask import AskView
from tests.helpers.ask_page import CARD, TEXT, WORDS, Reader, answers, ask
from tests.helpers.windows import FakeEngine


@pytest.fixture
def engine(reader: Reader) -> FakeEngine:
    return FakeEngine(reader, CARD)


@pytest.fixture
def view(open_page: Callable[[type[AskView], FakeEngine], AskView], engine: FakeEngine) -> AskView:
    return open_page(AskView, engine)


def test_copying_takes_the_sentence_along(view: AskView, qtbot: QtBot) -> None:
    ask(view, qtbot, "How long?")
    view.panel.card.setFocus()
    qtbot.keyClick(view.panel.card, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    copied = QGuiApplication.clipboard().text()
    assert (
        copied.startswith(WORDS[0] + "\n\n“") and "They must be at least 12 characters in length." in copied
    )
    assert view.panel.card._copy.text() == "Copied"
    for field in (view.panel.box.field, view.sheets.current().pane):
        QGuiApplication.clipboard().clear()
        field.moveCursor(QTextCursor.MoveOperation.End)
        qtbot.keyClick(field, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
        assert QGuiApplication.clipboard().text() == copied
    qtbot.keyClick(view.panel.card, Qt.Key.Key_F3)
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().startswith("64 characters\n\n“Passwords of at least 64")
    QGuiApplication.clipboard().clear()
    view.panel.list.setFocus()
    qtbot.keyClick(view.panel.list, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().startswith("64 characters\n\n“Passwords of at least 64")


def test_earlier_questions_come_back_with_the_arrow_keys(view: AskView, qtbot: QtBot) -> None:
    for question in ("How long?", "What else?"):
        ask(view, qtbot, question)
    field = view.panel.box.field
    view.panel.box.select()
    qtbot.keyClicks(field, "Not asked yet")
    for question in ("What else?", "How long?", "How long?"):
        qtbot.keyClick(field, Qt.Key.Key_Up)
        assert view.panel.box.question() == question
    for question in ("What else?", "Not asked yet"):
        qtbot.keyClick(field, Qt.Key.Key_Down)
        assert view.panel.box.question() == question


def test_ctrl_y_does_again_what_was_undone(view: AskView, qtbot: QtBot) -> None:
    control, shifted = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    for field in (view.panel.box.field, view.sheets.current().editor):
        field.setFocus()
        qtbot.keyClicks(field, "Tides")
        for again in (control, control | shifted):
            qtbot.keyClick(field, Qt.Key.Key_Z, control)
            assert field.toPlainText() == ""
            qtbot.keyClick(field, Qt.Key.Key_Y if again == control else Qt.Key.Key_Z, again)
            assert field.toPlainText() == "Tides"
        qtbot.keyClick(field, Qt.Key.Key_Y, control)
        assert field.toPlainText() == "Tides"


def test_a_sample_fills_the_page_and_asks(view: AskView, qtbot: QtBot, engine: FakeEngine) -> None:
    engine.answer = lambda question, choice, report: Reading(
        answers(question.documents[0].text, "the"), True, 0.1, 0.4, 1, 1, 0.1
    )
    sheet = view.sheets.current()
    assert sheet.empty.isVisible() and len(sheet.empty.buttons()) >= 3
    qtbot.mouseClick(sheet.empty.buttons()[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: sheet.pane.lit() == ["the"])
    assert not sheet.empty.isVisible()
    assert view.tabs.title(0) == sheet.title == view._samples[0].title
    assert view.panel.box.question() == view._samples[0].questions[0]


def test_every_control_has_a_name_and_tab_reaches_them_in_order(view: AskView, qtbot: QtBot) -> None:
    ask(view, qtbot, "How long?")
    view.panel.box.field.setFocus()
    reached = []
    for _ in range(12):
        focused = QApplication.focusWidget()
        assert focused is not None and focused.accessibleName(), focused
        reached.append(focused)
        QTest.keyClick(focused, Qt.Key.Key_Tab)
    panel = view.panel
    order = [
        reached.index(each)
        for each in (panel.box.field, panel.box.button, panel.card, panel.card._copy, panel.list)
    ]
    assert order == sorted(order)
    assert view.sheets.current().pane in reached


def test_all_of_it_from_the_keyboard(view: AskView, qtbot: QtBot) -> None:
    pane = view.sheets.current().pane
    view.shown()
    assert pane.hasFocus()
    QGuiApplication.clipboard().setText(TEXT)
    qtbot.keyClick(pane, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert pane.text() == TEXT
    qtbot.keyClick(pane, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    assert view.panel.box.field.hasFocus()
    qtbot.keyClicks(view.panel.box.field, "How long?")
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_Enter)
    qtbot.waitUntil(lambda: pane.lit() == list(WORDS))
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert view.find_bar.field.hasFocus()
    qtbot.keyClicks(view.find_bar.field, "permitted")
    qtbot.waitUntil(lambda: pane.textCursor().selectedText() == "permitted")
    first = pane.textCursor().position()
    qtbot.keyClick(view.find_bar.field, Qt.Key.Key_Return)
    assert pane.textCursor().position() > first
    qtbot.keyClick(view.find_bar.field, Qt.Key.Key_Return)
    assert pane.textCursor().position() == first
    qtbot.keyClicks(view.find_bar.field, "zzz")
    qtbot.keyClick(view.find_bar.field, Qt.Key.Key_Return)
    assert view.find_bar.news() == "Not found"
    qtbot.keyClick(view.find_bar.field, Qt.Key.Key_Escape)
    assert pane.hasFocus() and not view.find_bar.isVisible()
    assert pane.lit() == list(WORDS)


def test_how_long_a_large_paste_stalls_the_window(
    view: AskView, qtbot: QtBot, record_property: Callable[[str, object], None]
) -> None:
    beats: list[float] = []
    timer = QTimer()
    timer.timeout.connect(lambda: beats.append(time.perf_counter()))
    timer.start(1)
    text = (
        "Passwords are kept in a safe place that nobody knows of, it is said. " * 8 + "\n\n"
    ) * 5400 + TEXT
    sheet = view.sheets.current()
    QGuiApplication.clipboard().setText(text)
    qtbot.wait(50)
    sheet.pane.paste()
    qtbot.wait(200)
    ask(view, qtbot, "How long?", text)
    qtbot.wait(200)
    timer.stop()
    assert sheet.pane.lit() == list(WORDS)
    assert sheet.pane.light_boxes(0), "scrolled into view"
    longest = max(after - before for before, after in pairwise(beats))
    record_property("longest_gap_ms", round(longest * 1000))
    print(
        f"longest gap of the event loop, {len(text):,} characters pasted and asked: {longest * 1000:.0f} ms"
    )


def test_look_inside_carries_the_question_and_the_place_that_is_lit_up(view: AskView, qtbot: QtBot) -> None:
    visits: list[Visit] = []
    view.look_inside.connect(visits.append)
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
    assert not visits, "nothing was asked yet"
    ask(view, qtbot, "How long?")
    qtbot.mouseClick(view.panel.card._look, Qt.MouseButton.LeftButton)
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_F3)
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
    assert [visit.title for visit in visits] == ["How long?"] * 2
    first, second = (visit.subject for visit in visits)
    assert (first.head, first.text, first.pair) == (Head.QUESTION_ANSWERING, TEXT, "How long?")
    assert [one.focus.of(TEXT) for one in (first, second) if one.focus] == list(WORDS[:2])
    view.sheets.current().pane.appendPlainText("More.")
    assert not view.panel.card._look.isVisible()
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
    assert len(visits) == 2, "the text says something else by now"
