"""The Ask page, from a question to lit words, through the real lanes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.core import wording
from app.core.report import Silent
from app.core.requests import Question
from app.core.results import Reading
from app.core.wording import percent
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
    assert f"Very likely, {percent(0.94)}" in view.panel.card.likely()
    assert "line 1" in view.panel.card.likely()
    assert [place.text for place in view.panel.list.places()] == list(WORDS[1:])
    assert not view.panel.strip.isVisible()
    assert notes == ["", f"{len(TEXT)} characters read whole in 0.1 seconds"], "nothing of a question before"
    request = engine.requests[0]
    assert isinstance(request, Question)
    assert request.documents[0].text == sheet.pane.text() == TEXT
    assert request.threshold is None


@pytest.mark.parametrize("question", ["How long?", "doubtful?"])
def test_the_next_answer_and_the_previous_one_go_round(view: AskView, qtbot: QtBot, question: str) -> None:
    sheet = ask(view, qtbot, question)
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


def test_after_the_best_passages_all_are_read_where_that_is_asked_for(
    view: AskView, qtbot: QtBot, engine: FakeEngine
) -> None:
    view.workspace.settings.ask_reading = "quick"
    ask(view, qtbot, "What is the boiling point of lead?")
    card = view.panel.card
    assert card.answer() == "No answer in the part that was read"
    qtbot.mouseClick(card._whole, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: card.answer() == "The text does not say")
    assert card.over() == ""
    history = view.workspace.history
    qtbot.waitUntil(lambda: history.count() == 2)
    assert [entry.quick for entry in history.entries()] == [False, True], "so it is kept"
    asked = [(each.quick, each.every) for each in engine.requests if isinstance(each, Question)]
    assert asked == [(True, False), (False, True)]


def test_a_cell_is_named_on_the_card_and_quoted_in_its_row(
    view: AskView, qtbot: QtBot, engine: FakeEngine
) -> None:
    text = "Town\tSize\nKiruna\t611\n<b>\t1204\n"
    engine.answer = lambda *_: Reading(answers(text, "1204", "611"), True, 0.05, 0.4, 1, 1, 0.1)
    ask(view, qtbot, "How large?", text)
    assert view.panel.card.likely().endswith("\nRow: <b> · Column: Size")
    view.controller.copy()
    assert "“Town: <b>. Size: 1204.”\nRow: <b> · Column: Size\n(" in QGuiApplication.clipboard().text()
    assert [place.cell for place in view.panel.list.places()] == ["Row: Kiruna · Column: Size"]


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
        ("How long?", WORDS[0], f"Very likely, {percent(0.94)}"),
        ("doubtful?", WORDS[0], f"Low confidence, {percent(0.31)}"),
        ("boiling?", "The text does not say", f"Very likely not in the text, {percent(0.93)}"),
    ],
)
def test_card_copy_history_and_export_say_the_same(
    view: AskView, qtbot: QtBot, question: str, answer: str, likely: str
) -> None:
    sheet = ask(view, qtbot, question)
    card = view.panel.card
    assert card.answer() == answer and card.likely().startswith(likely)
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: bool(sheet.session.entry) and view.lanes.files.idle)
    entry = entry_numbered(view.workspace, sheet.session.entry, Silent())
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
    assert panel.threshold.words() == f"Answers above {wording.percent(0.4)} confidence"
    sheet = ask(view, qtbot, "doubtful?")
    view.panel.threshold.slider().setValue(30)
    assert view.panel.card.likely().startswith(f"Unlikely, {percent(0.31)}") and not sheet.pane.lights.faint
    view.panel.threshold.slider().setValue(60)
    assert view.panel.card.likely().startswith(f"Low confidence, {percent(0.31)}") and sheet.pane.lights.faint
    ask(view, qtbot, "What is the boiling point of lead?")
    view.panel.threshold.slider().setValue(5)
    assert view.panel.card.answer() == "The text does not say", "the words themselves are next to never right"
    view.panel.threshold.changed.emit(None)
    assert panel.threshold.slider().value() == 40
    assert len(engine.requests) == 2
    view.panel.threshold.slider().setValue(70)
    ask(view, qtbot, "Once more?")
    assert engine.requests[2].threshold == 0.7  # type: ignore[attr-defined]


def test_esc_stops_and_keeps_the_best_so_far(view: AskView, qtbot: QtBot) -> None:
    sheet = start(view, qtbot, "A slow one?")
    qtbot.waitUntil(lambda: view.panel.card.over() == "Provisional: still reading")
    assert view.stop()
    assert view.panel.card.over() == f"Stopped after {percent(0.34)} of the text: the best so far"
    assert view.panel.card.answer() == WORDS[1]
    assert sheet.pane.lit() == [WORDS[1]]
    assert not view.panel.strip.isVisible()
    assert not view.stop()


def test_the_page_stays_where_a_person_went_meanwhile(view: AskView, qtbot: QtBot) -> None:
    sheet = start(view, qtbot, "A slow one?", TEXT + "And so on.\n" * 400)
    qtbot.waitUntil(lambda: view.panel.card.over() == "Provisional: still reading")
    bar = sheet.pane.verticalScrollBar()
    bar.setValue(bar.maximum())
    view.stop()
    assert bar.value() == bar.maximum() > 0
    view.controller.choose(0)
    assert bar.value() < bar.maximum(), "a click on the answer goes there"


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


def test_no_question_and_no_text_are_said_gently(view: AskView, qtbot: QtBot, engine: FakeEngine) -> None:
    start(view, qtbot, "", TEXT)
    assert "no question" in view.panel.notice.sentence()
    assert view.panel.box.field.hasFocus()
    view.sheets.show_new()
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


def test_long_lines_that_were_broken_are_told_of_as_it_was_done(view: AskView) -> None:
    editor, notice = view.sheets.current().editor, view.panel.notice
    editor.set_text("Blanks all over. " * 2_000)
    assert notice.sentence().startswith("Very long lines") and "not touched" in notice._hint.text()
    editor.set_text("x" * 30_000)
    assert "a line end was added" in notice._hint.text() and "not touched" not in notice._hint.text()
