"""The Ask page, from a question to lit words, through the real lanes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.core import wording
from app.core.report import Progress, Report, Silent
from app.core.requests import ModelChoice, Question
from app.core.results import Reading
from app.flows.history.export_text import page
from app.flows.history.history import entry_numbered
from app.ui.ask.ask import AskView
from app.ui.history.history_model import row_of
from tests.helpers.ask_page import CARD, TEXT, WORDS, Reader, answers, ask, start
from tests.helpers.windows import FakeEngine


@pytest.fixture
def engine(reader: Reader) -> FakeEngine:
    return FakeEngine(reader, CARD)


@pytest.fixture
def view(open_page: Callable[[type[AskView], FakeEngine], AskView], engine: FakeEngine) -> AskView:
    return open_page(AskView, engine)


def test_an_answer_lights_up_and_is_said_in_words_and_number(
    view: AskView, qtbot: QtBot, engine: FakeEngine
) -> None:
    notes: list[str] = []
    view.note.connect(notes.append)
    sheet = ask(view, qtbot, "How long must a password be?")
    assert sheet.pane.lit() == list(WORDS)
    assert sheet.pane.lights.chosen == 0
    assert view.panel.card.answer() == WORDS[0]
    assert "Very likely, 94%" in view.panel.card.likely()
    assert "line 1" in view.panel.card.likely()
    assert [place.text for place in view.panel.list.places()] == list(WORDS[1:])
    assert not view.panel.strip.isVisible()
    assert notes == ["", f"{len(TEXT)} characters read whole in 0.1 seconds"], "nothing of a question before"
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
    assert "Very likely not in the text, 93%" in card.likely()
    assert sheet.pane.lit() == []
    assert not view.panel.list.isVisible() and not view.panel.notice.isVisible()
    qtbot.mouseClick(card._nearest, Qt.MouseButton.LeftButton)
    assert sheet.pane.lit() == [WORDS[1]]
    assert sheet.pane.lights.faint
    assert "nearest words" in card.note() and "7%" in card.note()
    qtbot.mouseClick(card._nearest, Qt.MouseButton.LeftButton)
    assert sheet.pane.lit() == []


def test_where_no_answer_is_given_none_is_marked_along_the_page(
    view: AskView, qtbot: QtBot, engine: FakeEngine, reader: Reader
) -> None:
    weak = Reading(
        answers(TEXT, WORDS[1], likely=0.3), False, 0.75, 0.4, 1, 2, 0.1, heat=((0.3,) * 8,), complete=False,
        absent=0.3,
    )  # fmt: skip

    def read(question: Question, choice: ModelChoice | None, report: Report) -> Reading:
        report.partial(weak)
        while not reader.go_on.wait(0.01):
            report.check()
        return replace(weak, windows=2, complete=True)

    engine.answer = read
    sheet = start(view, qtbot, "Is it so?")
    qtbot.waitUntil(lambda: view.panel.idle.text() == "Nothing sure so far.")
    assert not any(sheet.pane.map.heat()) and sheet.pane.lit() == []
    reader.go_on.set()
    qtbot.waitUntil(lambda: view.panel.card.answer() == "The text does not say")
    assert not any(sheet.pane.map.heat())
    for _ in range(2):
        qtbot.mouseClick(view.panel.card._nearest, Qt.MouseButton.LeftButton)
        assert any(sheet.pane.map.heat()) == bool(sheet.pane.lit()) == view.panel.card._nearest.isChecked()
    view.panel.threshold.slider().setValue(25)
    assert any(sheet.pane.map.heat()) and sheet.pane.lit() == [WORDS[1]]


def test_of_the_best_passages_alone_nothing_is_said_of_the_rest(view: AskView, qtbot: QtBot) -> None:
    view.workspace.settings.ask_reading = "quick"
    ask(view, qtbot, "What is the boiling point of lead?")
    card = view.panel.card
    assert card.over() == "Only the best passages were read, 5% of the text"
    assert card.answer() == "No answer in the part that was read"
    assert "Very likely not in the part that was read, 93%" in card.likely()
    qtbot.mouseClick(card._whole, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: card.answer() == "The text does not say")
    assert card.over() == ""
    history = view.workspace.history
    qtbot.waitUntil(lambda: history.count() == 2)
    assert [entry.quick for entry in history.entries()] == [False, True], "so it is kept"


def test_a_cell_is_named_on_the_card_and_quoted_in_its_row(
    view: AskView, qtbot: QtBot, engine: FakeEngine
) -> None:
    text = "Town\tSize\nKiruna\t611\n<b>\t1204\n"
    engine.answer = lambda *_: Reading(answers(text, "1204", "611"), True, 0.05, 0.4, 1, 1, 0.1)
    ask(view, qtbot, "How large?", text)
    assert view.panel.card.likely().endswith("\nRow: <b> · Column: Size")
    view.answers.copy()
    assert "“Town: <b>. Size: 1204.”\nRow: <b> · Column: Size\n(" in QGuiApplication.clipboard().text()
    assert [place.cell for place in view.panel.list.places()] == ["Row: Kiruna · Column: Size"]


def test_less_than_one_per_cent_is_said(view: AskView, qtbot: QtBot, engine: FakeEngine) -> None:
    engine.answer = lambda *_: Reading(answers(TEXT, WORDS[0], likely=0.004), True, 0.05, 0.4, 1, 1, 0.1)
    ask(view, qtbot, "How long?")
    assert view.panel.card.likely().startswith("Low confidence, < 1% · line 1")


def test_every_passage_is_read_where_that_was_chosen_or_is_asked_for(
    view: AskView, qtbot: QtBot, engine: FakeEngine
) -> None:
    settings = view.workspace.settings
    settings.ask_reading = "quick"
    ask(view, qtbot, "boiling?")
    qtbot.mouseClick(view.panel.card._whole, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(engine.requests) == 2)
    settings.ask_reading = "every"
    ask(view, qtbot, "How long?")
    asked = [(each.quick, each.every) for each in engine.requests if isinstance(each, Question)]
    assert asked == [(True, False), (False, True), (False, True)]


def test_the_nearest_words_are_shown_at_once_with_low_confidence(
    view: AskView, qtbot: QtBot, engine: FakeEngine
) -> None:
    sheet = ask(view, qtbot, "doubtful?")
    card, panel = view.panel.card, view.panel
    assert card.answer() == WORDS[0] and card.likely().startswith("Low confidence, 31%")
    assert card.note() == wording.NEAREST_WORDS and not card.why_not().isVisible()
    assert sheet.pane.lit() == list(WORDS) and sheet.pane.lights.faint
    assert [place.text for place in panel.list.places()] == list(WORDS[1:])
    for chosen in (1, 2, 0):
        qtbot.keyClick(panel.box.field, Qt.Key.Key_F3)
        assert sheet.pane.lights.chosen == chosen and panel.list.row() == chosen - 1
    panel.threshold.slider().setValue(35)
    assert card.likely().startswith("Unlikely, 31%")
    assert not sheet.pane.lights.faint and not card.note()
    panel.threshold.slider().setValue(36)
    assert card.likely().startswith("Low confidence, 31%") and sheet.pane.lights.faint
    assert len(engine.requests) == 1, "nothing is read again"


def test_words_with_low_confidence_are_shown_as_provisional_while_the_text_is_read(
    view: AskView, qtbot: QtBot, engine: FakeEngine, reader: Reader
) -> None:
    weak = Reading(
        answers(TEXT, *WORDS, likely=0.31), False, 0.65, 0.4, 1, 2, 0.1, complete=False, absent=0.13
    )

    def read(question: Question, choice: ModelChoice | None, report: Report) -> Reading:
        report.partial(weak)
        while not reader.go_on.wait(0.01):
            report.check()
        return replace(weak, windows=2, complete=True)

    engine.answer = read
    sheet = start(view, qtbot, "How long?")
    card = view.panel.card
    qtbot.waitUntil(lambda: card.over() == "Provisional: still reading")
    assert card.answer() == WORDS[0] and card.likely().startswith("Low confidence, 31%")
    assert sheet.pane.lit() == list(WORDS) and sheet.pane.lights.faint
    assert not card._copy.isVisible() and not view.panel.offered_reader()
    reader.go_on.set()
    qtbot.waitUntil(card._copy.isVisible)
    assert not card.over() and card.likely().startswith("Low confidence, 31%")
    qtbot.waitUntil(lambda: view.panel.offered_reader() != "")


def test_a_stronger_reader_is_recommended_after_low_confidence_only(view: AskView, qtbot: QtBot) -> None:
    shown: list[str] = []
    view.open_models.connect(shown.append)
    panel = view.panel
    ask(view, qtbot, "doubtful?")
    view.settings_changed()  # what was being found out is given up, and found out anew
    qtbot.waitUntil(lambda: panel.offered_reader() != "")
    said = panel.offered_reader()
    assert "Recommended: " in said and "as its authors report" in said and panel._readers.isVisible()
    assert "RoBERTa base reader, F1 82.9 on SQuAD 2.0" in said + panel._readers.toolTip()
    assert "RoBERTa base reader" in said, "all are named"
    qtbot.mouseClick(panel._readers, Qt.MouseButton.LeftButton)
    assert shown == ["offered"]
    view.workspace.settings.reading_speed = 1.0  # it was measured anew
    ask(view, qtbot, "doubtful?")
    assert "All are large or slow" in panel.offered_reader() and "Recommended" not in panel.offered_reader()
    for question in ("boiling?", "How long?"):
        ask(view, qtbot, question)
        assert not panel.offered_reader() and not panel._readers.isVisible()


@pytest.mark.parametrize(
    ("question", "answer", "likely"),
    [
        ("How long?", WORDS[0], "Very likely, 94%"),
        ("doubtful?", WORDS[0], "Low confidence, 31%"),
        ("boiling?", "The text does not say", "Very likely not in the text, 93%"),
    ],
)
def test_card_copy_history_and_export_say_the_same(
    view: AskView, qtbot: QtBot, question: str, answer: str, likely: str
) -> None:
    sheet = ask(view, qtbot, question)
    card = view.panel.card
    assert card.answer() == answer and card.likely().startswith(likely)
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: bool(sheet.entry) and view.lanes.files.idle)
    entry = entry_numbered(view.workspace, sheet.entry, Silent())
    row = row_of(entry)
    for said in (QGuiApplication.clipboard().text(), row.answer, page([entry])):
        assert answer in said
    assert row.likely == likely and likely in page([entry])
    assert (wording.NEAREST_WORDS in page([entry])) == (card.note() == wording.NEAREST_WORDS)


def test_the_threshold_counts_at_once_without_reading_again(
    view: AskView, qtbot: QtBot, engine: FakeEngine
) -> None:
    panel = view.panel
    qtbot.waitUntil(lambda: panel.threshold.slider().value() == 40)
    assert panel.threshold.words() == "Answers when fairly sure", "the number on the card is another one"
    panel.threshold.open(True)
    assert panel.threshold.words() == "Answers when fairly sure: 40% that the text answers"
    sheet = ask(view, qtbot, "doubtful?")
    view.panel.threshold.slider().setValue(30)
    assert view.panel.card.likely().startswith("Unlikely, 31%") and not sheet.pane.lights.faint
    view.panel.threshold.slider().setValue(60)
    assert view.panel.card.likely().startswith("Low confidence, 31%") and sheet.pane.lights.faint
    ask(view, qtbot, "What is the boiling point of lead?")
    view.panel.threshold.slider().setValue(5)
    assert view.panel.card.answer() == "The text does not say", "the words themselves are next to never right"
    view.panel.threshold.own_asked.emit()
    assert "40%" in view.panel.threshold.words()
    view.panel.threshold.open(True)
    told = {label.text() for label in view.panel.threshold.findChildren(QLabel) if label.isVisible()}
    assert "Fewer wrong answers, more left unanswered" in told
    assert "Fewer left unanswered, more wrong answers" in told
    assert len(engine.requests) == 2
    view.panel.threshold.slider().setValue(70)
    ask(view, qtbot, "Once more?")
    assert engine.requests[2].threshold == 0.7  # type: ignore[attr-defined]


def test_the_best_so_far_is_shown_while_reading(view: AskView, qtbot: QtBot, reader: Reader) -> None:
    sheet = start(view, qtbot, "A slow one?")
    qtbot.waitUntil(lambda: view.panel.card.over() == "Provisional: still reading")
    assert view.panel.card.answer() == WORDS[1]
    assert sheet.pane.lit() == [WORDS[1]] and sheet.pane.lights.faint
    assert "34%" in view.panel.strip.words() and "left" in view.panel.strip.words()
    reader.go_on.set()
    qtbot.waitUntil(lambda: view.panel.card.answer() == WORDS[0])
    assert view.panel.card.over() == "" and not sheet.pane.lights.faint


def test_esc_stops_and_keeps_the_best_so_far(view: AskView, qtbot: QtBot) -> None:
    sheet = start(view, qtbot, "A slow one?")
    qtbot.waitUntil(lambda: view.panel.card.over() == "Provisional: still reading")
    assert view.stop()
    assert view.panel.card.over() == "Stopped after 34% of the text: the best so far"
    assert view.panel.card.answer() == WORDS[1]
    assert sheet.pane.lit() == [WORDS[1]]
    assert not view.panel.strip.isVisible()
    assert not view.stop()


def test_a_stopped_reading_took_as_long_as_it_was_read(view: AskView, qtbot: QtBot) -> None:
    start(view, qtbot, "A slow one?")
    qtbot.waitUntil(lambda: view.panel.card.over() == "Provisional: still reading")
    qtbot.wait(250)
    view.stop()
    outcome = view.sheets.current().outcome
    assert outcome is not None and outcome.reading is not None
    assert 0.2 <= outcome.reading.seconds < 10 and outcome.reading.seconds != 1.0, "not as of its last answer"
    assert f"{wording.duration(outcome.reading.seconds)}, read in part" in view.panel.card.facts()


def test_the_page_stays_where_a_person_went_meanwhile(view: AskView, qtbot: QtBot) -> None:
    sheet = start(view, qtbot, "A slow one?", TEXT + "And so on.\n" * 400)
    qtbot.waitUntil(lambda: view.panel.card.over() == "Provisional: still reading")
    bar = sheet.pane.verticalScrollBar()
    bar.setValue(bar.maximum())
    view.stop()
    assert bar.value() == bar.maximum() > 0
    view.answers.choose_first()
    assert bar.value() < bar.maximum(), "a click on the answer goes there"


def test_how_a_text_was_read_is_said(view: AskView, qtbot: QtBot, engine: FakeEngine) -> None:
    found = answers(TEXT, WORDS[0])
    engine.answer = lambda *_: Reading(found, True, 0.05, 0.4, 2210, 2210, 44.0)
    notes: list[str] = []
    view.note.connect(notes.append)
    ask(view, qtbot, "How long?")
    assert notes == ["", f"{len(TEXT)} characters read whole in 44 seconds"]
    assert "44 seconds, read whole" in view.panel.card.facts()


def test_which_reader_found_and_which_read_is_said(
    view: AskView, qtbot: QtBot, engine: FakeEngine, reader: Reader
) -> None:
    first = Reading(
        answers(TEXT, WORDS[1], likely=0.6), True, 0.2, 0.4, 30, 60, 0.1, complete=False, model="quick one",
        quick=True, finder="quick one",
    )  # fmt: skip
    last = replace(
        first,
        answers=answers(TEXT, WORDS[0]),
        complete=True,
        model="careful one",
        windows=12,
        windows_total=12,
    )

    def read(question: Question, choice: ModelChoice | None, report: Report) -> Reading:
        report.progress(Progress(30, 60, "windows"))
        report.partial(first)
        while not reader.go_on.wait(0.01):
            report.check()
        return last

    engine.answer = read
    start(view, qtbot, "How long?")
    card = view.panel.card
    qtbot.waitUntil(lambda: card.over() == "Provisional: still reading")
    assert card.answer() == WORDS[1]
    view.stop()
    assert card.over() == "Stopped after 50% of the best passages: the best so far"
    assert card.facts().endswith("read in part by quick one")
    reader.go_on.set()
    ask(view, qtbot, "How long is it?")
    assert card.answer() == WORDS[0] and not card.over()
    assert card.facts() == "0.1 seconds, the best passages found by quick one, read by careful one"
    engine.answer = lambda *_: replace(last, model="quick one")
    ask(view, qtbot, "How long, quickly?")
    assert card.facts() == "0.1 seconds, the best passages read by quick one"


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
    qtbot.waitUntil(lambda: view.panel.idle.text() == "Nothing sure so far.")
    assert view.panel.strip.words().startswith("Reading, 13%")
    view.stop()
    assert view.panel.card.over() == "Stopped after 13% of the text"
    assert view.panel.card.answer() == "No answer in the part that was read"
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
    assert view.panel.card.note().startswith("Not marked on the page.")


def test_long_lines_that_were_broken_are_told_of_as_it_was_done(view: AskView) -> None:
    editor, notice = view.sheets.current().editor, view.panel.notice
    editor.set_text("Blanks all over. " * 2_000)
    assert notice.sentence().startswith("Very long lines") and "not touched" in notice._hint.text()
    editor.set_text("x" * 30_000)
    assert "a line end was added" in notice._hint.text() and "not touched" not in notice._hint.text()
