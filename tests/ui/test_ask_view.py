"""The Ask page, from a question to lit words, through the real lanes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.errors import EngineLost, SpanlightError
from app.core.models import Head, ModelCard, QaCalibration
from app.core.report import Progress, Report
from app.core.requests import ModelChoice, Question
from app.core.results import Answer, Reading
from app.core.text import Span
from app.ui.jobs import Lanes
from app.ui.theme import Theme
from app.ui.views.ask import AskView
from app.ui.views.sheet import Sheet
from tests.helpers.windows import FakeEngine, open_fake_workspace

CARD = ModelCard(
    "reader", "/models/reader", "bert", (Head.QUESTION_ANSWERING,), calibration=QaCalibration(threshold=0.4)
)
TEXT = (
    "Passwords are called secrets. 👩\u200d👩 They must be at least 12 characters in length.\n\n"
    "Passwords of at least 64 characters are permitted. More than 128 characters are denied.\n" * 2
)
WORDS = ("at least 12 characters in length", "64 characters", "More than 128 characters")


def answers(text: str, *words: str, likely: float = 0.94) -> tuple[Answer, ...]:
    shares = (likely, 0.04, 0.01)
    found = []
    for word, share in zip(words, shares, strict=False):
        at = text.index(word)
        found.append(Answer(0, Span(at, at + len(word)), word, share, 5.0, 1.0))
    return tuple(found)


class Reader:
    """What the fake model process does: the question's words say how the reading goes."""

    def __init__(self) -> None:
        self.go_on = threading.Event()

    def __call__(self, question: Question, choice: ModelChoice | None, report: Report) -> Reading:
        text = question.documents[0].text
        if "broken" in question.text:
            raise SpanlightError("The reader's file is damaged.", "Install it again.")
        if "lost" in question.text:
            raise EngineLost("The reader ended.", "Ask again.")
        if "bug" in question.text:
            raise ZeroDivisionError("a bug")
        if "slow" in question.text:
            report.progress(Progress(34, 100, "Reading", 12.0))
            report.partial(Reading(answers(text, WORDS[1]), True, 0.2, 0.4, 34, 100, 1.0, complete=False))
            while not self.go_on.wait(0.01):
                report.check()
        if "wrong" in question.text:
            right = answers(text, WORDS[0])[0]
            wrong = Answer(0, Span(right.span.start + 1, right.span.end + 1), right.text, 0.9, 5.0, 1.0)
            return Reading((wrong,), True, 0.1, 0.4, 1, 1, 0.1)
        if "boiling" in question.text:
            return Reading(answers(text, WORDS[1], likely=0.07), False, 0.93, 0.4, 1, 1, 0.1)
        return Reading(answers(text, *WORDS), True, 0.05, 0.4, 3, 3, 0.1)


@pytest.fixture
def reader() -> Iterator[Reader]:
    reader = Reader()
    yield reader
    reader.go_on.set()


@pytest.fixture
def engine(reader: Reader) -> FakeEngine:
    return FakeEngine(reader, CARD)


@pytest.fixture
def make(
    qapp: QApplication, qtbot: QtBot, engine: FakeEngine, spanlight_home: Path
) -> Iterator[Callable[[], AskView]]:
    made: list[Lanes] = []

    def view() -> AskView:
        workspace = open_fake_workspace(engine)
        lanes = Lanes()
        theme = Theme(workspace.paths.resources)
        theme.choose("light")
        view = AskView(workspace, theme, lanes)
        qtbot.addWidget(view)
        view.resize(1100, 700)
        view.show()
        qtbot.waitUntil(lambda: not view._first_job.running)
        made.append(lanes)
        return view

    yield view
    for lanes in made:
        lanes.close()


@pytest.fixture
def view(make: Callable[[], AskView]) -> AskView:
    return make()


def ask(view: AskView, qtbot: QtBot, question: str, text: str = TEXT) -> Sheet:
    """Ask from the keyboard, and wait for the end."""
    sheet = start(view, qtbot, question, text)
    qtbot.waitUntil(lambda: sheet.outcome is None or not sheet.outcome.running)
    return sheet


def start(view: AskView, qtbot: QtBot, question: str, text: str = TEXT) -> Sheet:
    sheet = view.sheets.current()
    if sheet.pane.text() != text:
        sheet.pane.set_text(text)
    view.panel.box.select()
    qtbot.keyClicks(view.panel.box.field, question)
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_Return)
    return sheet


def test_an_answer_lights_up_and_is_said_in_words_and_number(
    view: AskView, qtbot: QtBot, engine: FakeEngine
) -> None:
    notes: list[str] = []
    view.note.connect(notes.append)
    sheet = ask(view, qtbot, "How long must a password be?")
    assert sheet.pane.lit() == list(WORDS)
    assert sheet.pane.lights.chosen == 0
    assert view.panel.card.answer() == WORDS[0]
    assert "Very likely, 94 %" in view.panel.card.likely()
    assert "line 1" in view.panel.card.likely()
    assert [place.text for place in view.panel.list.places()] == list(WORDS[1:])
    assert not view.panel.strip.isVisible()
    assert notes == [f"{len(TEXT)} characters read whole in 0.1 seconds"]
    request = engine.requests[0]
    assert isinstance(request, Question)
    assert request.documents[0].text == sheet.pane.text() == TEXT
    assert request.threshold is None


def test_the_next_answer_and_the_previous_one_go_round(view: AskView, qtbot: QtBot) -> None:
    sheet = ask(view, qtbot, "How long?")
    for chosen in (1, 2, 0):
        qtbot.keyClick(view.panel.box.field, Qt.Key.Key_F3)
        assert sheet.pane.lights.chosen == chosen
        assert view.panel.list.row() == chosen - 1
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_F3, Qt.KeyboardModifier.ShiftModifier)
    assert sheet.pane.lights.chosen == 2


def test_a_place_is_chosen_by_a_click_in_the_list_and_by_the_arrow_keys(view: AskView, qtbot: QtBot) -> None:
    sheet = ask(view, qtbot, "How long?")
    rows = view.panel.list
    qtbot.mouseClick(
        rows.viewport(), Qt.MouseButton.LeftButton, pos=rows.visualRect(rows.model().index(1, 0)).center()
    )
    assert sheet.pane.lights.chosen == 2
    rows.setFocus()
    qtbot.keyClick(rows, Qt.Key.Key_Up)
    assert sheet.pane.lights.chosen == 1
    qtbot.mouseClick(view.panel.card, Qt.MouseButton.LeftButton)
    assert sheet.pane.lights.chosen == 0
    assert rows.row() == -1


def test_a_place_is_chosen_by_a_click_on_the_page_and_on_the_map(view: AskView, qtbot: QtBot) -> None:
    sheet = ask(view, qtbot, "How long?")
    pane = sheet.pane
    box = pane.light_boxes(1)[0]
    qtbot.mouseClick(pane.viewport(), Qt.MouseButton.LeftButton, pos=box.center().toPoint())
    assert pane.lights.chosen == 1
    qtbot.mouseClick(pane.map, Qt.MouseButton.LeftButton, pos=pane.map.mark_rect(0).center().toPoint())
    assert pane.lights.chosen == 0


def test_the_text_does_not_say_and_shows_the_nearest_words_when_asked(view: AskView, qtbot: QtBot) -> None:
    sheet = ask(view, qtbot, "What is the boiling point of lead?")
    card = view.panel.card
    assert card.answer() == "The text does not say"
    assert "Very likely not in the text, 93 %" in card.likely()
    assert sheet.pane.lit() == []
    assert not view.panel.list.isVisible() and not view.panel.notice.isVisible()
    qtbot.mouseClick(card._nearest, Qt.MouseButton.LeftButton)
    assert sheet.pane.lit() == [WORDS[1]]
    assert sheet.pane.lights.faint
    assert "nearest words" in card.note() and "7 %" in card.note()
    qtbot.mouseClick(card._nearest, Qt.MouseButton.LeftButton)
    assert sheet.pane.lit() == []


def test_the_threshold_counts_at_once_without_reading_again(
    view: AskView, qtbot: QtBot, engine: FakeEngine
) -> None:
    qtbot.waitUntil(lambda: "40 %" in view.panel.threshold.words())
    sheet = ask(view, qtbot, "What is the boiling point of lead?")
    view.panel.threshold.slider().setValue(5)
    assert view.panel.card.answer() == WORDS[1]
    assert sheet.pane.lit() == [WORDS[1]]
    assert "5 %" in view.panel.threshold.words()
    view.panel.threshold.slider().setValue(60)
    assert view.panel.card.answer() == "The text does not say"
    view.panel.threshold.own_asked.emit()
    assert "40 %" in view.panel.threshold.words()
    assert len(engine.requests) == 1
    view.panel.threshold.slider().setValue(70)
    ask(view, qtbot, "Once more?")
    assert engine.requests[1].threshold == 0.7  # type: ignore[attr-defined]


def test_the_best_so_far_is_shown_while_reading(view: AskView, qtbot: QtBot, reader: Reader) -> None:
    sheet = start(view, qtbot, "A slow one?")
    qtbot.waitUntil(lambda: view.panel.card.over() == "So far")
    assert view.panel.card.answer() == WORDS[1]
    assert sheet.pane.lit() == [WORDS[1]] and sheet.pane.lights.faint
    assert "34 %" in view.panel.strip.words() and "left" in view.panel.strip.words()
    reader.go_on.set()
    qtbot.waitUntil(lambda: view.panel.card.answer() == WORDS[0])
    assert view.panel.card.over() == "" and not sheet.pane.lights.faint


def test_esc_stops_and_keeps_the_best_so_far(view: AskView, qtbot: QtBot) -> None:
    sheet = start(view, qtbot, "A slow one?")
    qtbot.waitUntil(lambda: view.panel.card.over() == "So far")
    assert view.stop()
    assert view.panel.card.over() == "Stopped at 34 %: the best so far"
    assert view.panel.card.answer() == WORDS[1]
    assert sheet.pane.lit() == [WORDS[1]]
    assert not view.panel.strip.isVisible()
    assert not view.stop()


def test_a_stop_before_the_answer_does_not_say_that_the_text_does_not_say(
    view: AskView, qtbot: QtBot, engine: FakeEngine
) -> None:
    def nothing_yet(question: Question, choice: ModelChoice | None, report: Report) -> Reading:
        report.progress(Progress(13, 100, "windows", 30.0))
        report.partial(Reading((), False, 0.99, 0.4, 13, 100, 1.0, complete=False))
        while True:
            time.sleep(0.01)
            report.check()

    engine.answer = nothing_yet
    start(view, qtbot, "Where?")
    qtbot.waitUntil(lambda: view.panel.idle.text() == "So far: nothing that answers.")
    assert view.panel.strip.words().startswith("Reading, 13 %")
    view.stop()
    assert view.panel.card.over() == "Stopped at 13 %"
    assert view.panel.card.answer() == "No answer so far"
    assert "not in the part that was read" in view.panel.card.likely()


def test_a_stop_before_anything_was_found_says_so(view: AskView, qtbot: QtBot, reader: Reader) -> None:
    start(view, qtbot, "A slow one?")
    view.panel.strip.stop_asked.emit()
    assert view.panel.idle.text() == "Stopped at the start, before anything was found."


def test_a_new_question_takes_the_place_of_a_running_one(view: AskView, qtbot: QtBot) -> None:
    start(view, qtbot, "A slow one?")
    sheet = ask(view, qtbot, "How long?")
    assert view.panel.card.answer() == WORDS[0]
    qtbot.wait(80)
    assert sheet.outcome is not None and sheet.outcome.question == "How long?" and not sheet.outcome.ended


@pytest.mark.parametrize(
    ("question", "says", "hints"),
    [
        ("broken?", "The reader's file is damaged.", "Install it again."),
        ("lost?", "The reader ended.", "Ask again."),
    ],
)
def test_a_fault_is_said_in_the_panel_until_the_next_deed(
    view: AskView, qtbot: QtBot, question: str, says: str, hints: str
) -> None:
    lost: list[bool] = []
    view.lost.connect(lambda: lost.append(True))
    sheet = ask(view, qtbot, question)
    notice = view.panel.notice
    assert notice.isVisible() and notice.sentence() == says and notice._hint.text() == hints
    assert lost == ([True] if question == "lost?" else [])
    assert sheet.pane.text() == TEXT and view.panel.box.question() == question
    qtbot.keyClicks(view.panel.box.field, "x")
    assert not notice.isVisible()


def test_a_bug_can_be_copied(view: AskView, qtbot: QtBot) -> None:
    ask(view, qtbot, "bug?")
    assert view.panel.notice._copy.isVisible()
    assert "ZeroDivisionError" in view.panel.notice._report


def test_no_question_and_no_text_are_said_gently(view: AskView, qtbot: QtBot, engine: FakeEngine) -> None:
    start(view, qtbot, "", TEXT)
    assert "no question" in view.panel.notice.sentence()
    assert view.panel.box.field.hasFocus()
    view.sheets.new_up()
    start(view, qtbot, "Who?", "")
    assert "no text" in view.panel.notice.sentence()
    assert not engine.requests


def test_an_edit_after_the_answer_puts_the_lights_out_and_keeps_the_card(view: AskView, qtbot: QtBot) -> None:
    sheet = ask(view, qtbot, "How long?")
    sheet.pane.setFocus()
    qtbot.keyClicks(sheet.pane, "x")
    assert sheet.pane.lit() == [] and sheet.pane.map.marks() == ()
    assert view.panel.card.answer() == WORDS[0]
    assert "changed" in view.panel.card.note()
    qtbot.mouseClick(view.panel.card._again, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: sheet.pane.lit() == list(WORDS))
    assert view.panel.card.note() == ""


def test_a_place_that_does_not_hold_the_answer_is_not_lit(view: AskView, qtbot: QtBot) -> None:
    sheet = ask(view, qtbot, "wrong?")
    assert sheet.pane.lit() == [] and sheet.pane.light_boxes(0) == []
    assert view.panel.card.answer() == WORDS[0]
    assert "does not show these words" in view.panel.card.note()


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
    qtbot.keyClick(view.find_bar.field, Qt.Key.Key_Return)
    assert pane.textCursor().selectedText() == "permitted"
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
