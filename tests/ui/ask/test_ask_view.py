"""The Ask page in use: from a question to highlights through the real lanes, copying, samples, the keyboard."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from pytestqt.qtbot import QtBot

from app.core import wording
from app.core.inspection import Visit
from app.core.models import Head
from app.core.requests import Question
from app.core.results import Outcome, Reading
from app.core.wording import percent
from app.flows.history.export_text import answers_markdown
from app.ui.ask.ask import AskView
from app.ui.history.history_model import row_of
from tests.flows.fake_engine import READER
from tests.helpers.ask_page import CARD, TEXT, WORDS, Reader, answers, ask, likelihood, start
from tests.helpers.windows import FakeEngine, button


@pytest.fixture
def engine(reader: Reader) -> FakeEngine:
    return FakeEngine(reader, CARD)


def test_an_answer_lights_up_and_is_said_in_words_and_number(
    view: AskView, qtbot: QtBot, engine: FakeEngine
) -> None:
    notes: list[str] = []
    view.note.connect(notes.append)
    sheet = ask(view, qtbot, "How long must a password be?")
    assert sheet.pane.lit() == list(WORDS)
    assert sheet.pane.lights.chosen == 0
    assert view.panel.card.answer.text() == WORDS[0]
    assert f"Very likely, {percent(0.94)}" in likelihood(view.panel.card)
    assert "line 1" in likelihood(view.panel.card)
    assert [place.text for place in view.panel.list.places()] == list(WORDS[1:])
    assert not view.panel.strip.isVisible()
    assert notes == ["", f"{len(TEXT)} characters read whole in 0.1 seconds"], "nothing of a question before"
    request = engine.requests[0]
    assert isinstance(request, Question)
    assert request.documents[0].text == sheet.pane.text() == TEXT
    assert request.threshold is None


def test_a_place_is_chosen_by_a_click_and_by_the_arrow_keys(view: AskView, qtbot: QtBot) -> None:
    pane, rows, left = ask(view, qtbot, "How long?").pane, view.panel.list, Qt.MouseButton.LeftButton
    qtbot.mouseClick(rows.viewport(), left, pos=rows.visualRect(rows.model().index(1, 0)).center())
    assert pane.lights.chosen == 2
    rows.setFocus()
    qtbot.keyClick(rows, Qt.Key.Key_Up)
    assert pane.lights.chosen == 1
    qtbot.mouseClick(view.panel.card, left)
    assert pane.lights.chosen == 0 and rows.row() == -1
    qtbot.mouseClick(pane.viewport(), left, pos=pane.light_boxes(1)[0].center().toPoint())
    assert pane.lights.chosen == 1
    view.resize(view.width(), 300)  # all of the text was seen, without a map
    qtbot.waitUntil(lambda: pane.map.maximum() > 0)
    qtbot.mouseClick(pane.map, left, pos=pane.map.mark_rect(0).center().toPoint())
    assert pane.lights.chosen == 0


def test_after_the_best_passages_all_are_read_where_that_is_asked_for(
    view: AskView, qtbot: QtBot, engine: FakeEngine
) -> None:
    view.workspace.settings.ask_reading = "quick"
    ask(view, qtbot, "What is the boiling point of lead?")
    card = view.panel.card
    assert card.answer.text() == "No answer in the part that was read"
    qtbot.mouseClick(card.whole, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: card.answer.text() == "The text does not say")
    assert card.over.text() == ""
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
    assert likelihood(view.panel.card).endswith("\nRow: <b> · Column: Size")
    view.controller.copy_on_page()
    assert "“Town: <b>. Size: 1204.”\nRow: <b> · Column: Size\n(" in QGuiApplication.clipboard().text()
    assert [place.cell for place in view.panel.list.places()] == ["Row: Kiruna · Column: Size"]


def test_a_stronger_reader_is_recommended_after_low_confidence_only(view: AskView, qtbot: QtBot) -> None:
    shown: list[object] = []
    view.go.connect(lambda *where: shown.append(where))
    panel = view.panel
    ask(view, qtbot, "doubtful?")
    view.settings_changed()  # what was being found out is given up, and found out anew
    qtbot.waitUntil(lambda: panel.stronger.text() != "")
    said = panel.stronger.text()
    assert "Recommended: " in said and "as its authors report" in said and panel.readers.isVisible()
    assert "RoBERTa base reader, F1 82.9 on SQuAD 2.0" in said + panel.readers.toolTip()
    assert "RoBERTa base reader" in said, "all are named"
    qtbot.mouseClick(panel.readers, Qt.MouseButton.LeftButton)
    assert shown == [("models", ("offered",))]
    view.workspace.settings.reading_speed = 1.0  # it was measured anew
    ask(view, qtbot, "doubtful?")
    assert "All are large or slow" in panel.stronger.text() and "Recommended" not in panel.stronger.text()
    for question in ("boiling?", "How long?"):
        ask(view, qtbot, question)
        assert not panel.stronger.text() and not panel.readers.isVisible()


def test_a_stronger_reader_that_is_installed_is_used_with_one_click(
    view: AskView, qtbot: QtBot, engine: FakeEngine
) -> None:
    quick, careful = (
        replace(READER, name=name, folder=f"/models/{name}", measured={"qa_dev-squad2": {"f1": f1}})
        for name, f1 in (("reader-quick", 62.0), ("reader-careful", 69.0))
    )
    view.workspace.shelf.models = (quick, careful)  # type: ignore[attr-defined]
    changed: list[str] = []
    view.changed.connect(changed.append)
    panel = view.panel
    ask(view, qtbot, "doubtful?")
    qtbot.waitUntil(panel.use.isVisible)
    assert "Spanlight reader" in panel.use.text() and panel.readers.isHidden(), "no download is recommended"
    assert panel.stronger.text() == "A stronger reader is installed: Spanlight reader.", "no figure of ours"
    before = len(engine.requests)
    panel.use.setFocus()
    qtbot.mouseClick(panel.use, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(engine.requests) > before)
    assert panel.box.field.hasFocus()
    assert view.workspace.find_model(Head.QUESTION_ANSWERING) == careful
    assert changed == [Head.QUESTION_ANSWERING.value] and panel.use.isHidden()
    qtbot.waitUntil(panel.readers.isVisible)


@pytest.mark.parametrize(
    ("question", "answer", "likely"),
    [
        ("How long?", WORDS[0], f"Very likely, {percent(0.94)}"),
        ("doubtful?", WORDS[0], f"Low confidence, {percent(0.31)}"),
        ("boiling?", "The text does not say", f"{percent(0.93)} sure"),
    ],
)
def test_card_copy_history_and_export_say_the_same(
    view: AskView, qtbot: QtBot, question: str, answer: str, likely: str
) -> None:
    sheet = ask(view, qtbot, question)
    card = view.panel.card
    assert card.answer.text() == answer and likelihood(card).startswith(likely)
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: bool(sheet.session.entry) and view.lanes.files.idle)
    entry = view.workspace.history.get(sheet.session.entry)
    row = row_of(entry)
    for said in (QGuiApplication.clipboard().text(), row.answer, answers_markdown([entry], {})):
        assert answer in said
    assert row.likely == likely and likely in answers_markdown([entry], {})
    assert (wording.NEAREST_WORDS in answers_markdown([entry], {})) == (
        card.note.text() == wording.NEAREST_WORDS
    )


def test_the_threshold_counts_at_once_without_reading_again(
    view: AskView, qtbot: QtBot, engine: FakeEngine
) -> None:
    panel = view.panel
    qtbot.waitUntil(lambda: panel.threshold.slider.value() == 40)
    usual = f"Answers if it is at least {percent(0.4)} likely that the text answers"
    assert (
        panel.threshold.words.text() == "Answers if sure enough" and usual in panel.threshold.words.toolTip()
    )
    panel.threshold.change.click()
    assert panel.threshold.words.text() == usual, "the number is there where it is looked for"
    panel.threshold.change.click()
    sheet = ask(view, qtbot, "doubtful?")
    view.panel.threshold.slider.setValue(30)
    assert (
        likelihood(view.panel.card).startswith(f"Unlikely, {percent(0.31)}") and not sheet.pane.lights.faint
    )
    assert (
        panel.threshold.words.text()
        == f"Answers if it is at least {percent(0.3)} likely that the text answers"
    )
    view.panel.threshold.slider.setValue(60)
    assert (
        likelihood(view.panel.card).startswith(f"Low confidence, {percent(0.31)}") and sheet.pane.lights.faint
    )
    ask(view, qtbot, "What is the boiling point of lead?")
    view.panel.threshold.slider.setValue(5)
    assert likelihood(view.panel.card).startswith(f"Low confidence, {percent(0.07)}"), (
        "the words themselves are next to never right"
    )
    view.panel.threshold.changed.emit(None)
    assert panel.threshold.slider.value() == 40
    assert len(engine.requests) == 2


def test_the_usual_threshold_counts_for_what_was_asked_at_another(
    view: AskView, qtbot: QtBot, engine: FakeEngine
) -> None:
    panel = view.panel
    panel.threshold.slider.setValue(97)
    sheet = ask(view, qtbot, "How long?")
    assert engine.requests[0].threshold is None  # type: ignore[attr-defined]
    assert likelihood(panel.card).startswith(f"Low confidence, {percent(0.94)}")
    qtbot.waitUntil(lambda: bool(sheet.session.entry) and view.lanes.files.idle)
    entry = view.workspace.history.get(sheet.session.entry)
    assert (entry.threshold, entry.outcome) == (0.97, Outcome.LOW_CONFIDENCE), "it is kept as it was shown"
    panel.threshold.change.click()
    button(panel.threshold, "Usual confidence threshold").click()
    assert likelihood(panel.card).startswith(f"Very likely, {percent(0.94)}")
    assert panel.threshold.slider.value() == 40


def test_a_fault_is_said_in_the_panel_until_the_next_deed(view: AskView, qtbot: QtBot) -> None:
    lost: list[bool] = []
    view.lost.connect(lambda: lost.append(True))
    sheet = ask(view, qtbot, "broken?")
    notice = view.panel.notice
    assert notice.isVisible() and notice.sentence() == "The reader's file is damaged."
    assert notice._hint.text() == "Install it again." and not lost
    assert sheet.pane.text() == TEXT and view.panel.box.question() == "broken?"
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


def test_a_text_that_was_edited_is_asked_again_by_a_click(view: AskView, qtbot: QtBot) -> None:
    sheet = ask(view, qtbot, "How long?")
    sheet.editor.textCursor().insertText("x")
    qtbot.mouseClick(view.panel.card.again, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: sheet.pane.lit() == list(WORDS))
    assert view.panel.card.note.text() == ""


def test_long_lines_that_were_broken_are_told_of_as_it_was_done(view: AskView) -> None:
    editor, notice = view.sheets.current().editor, view.panel.notice
    editor.set_text("Blanks all over. " * 2_000)
    assert notice.sentence().startswith("Very long lines") and "not touched" in notice._hint.text()
    editor.set_text("x" * 30_000)
    assert "a line end was added" in notice._hint.text() and "not touched" not in notice._hint.text()


def test_copying_takes_the_sentence_along(view: AskView, qtbot: QtBot) -> None:
    ask(view, qtbot, "How long?")
    view.panel.card.setFocus()
    qtbot.keyClick(view.panel.card, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    copied = QGuiApplication.clipboard().text()
    assert (
        copied.startswith(WORDS[0] + "\n\n“") and "They must be at least 12 characters in length." in copied
    )
    assert view.panel.card.copy.text() == "Copied"
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
    assert sheet.empty.isVisible() and len(sheet.empty.samples.buttons) >= 3
    view.resize(760, 460)  # where titles wrap, and not every sample has room
    qtbot.waitUntil(lambda: sheet.empty.samples.buttons[-1].isHidden())
    shown = [button for button in sheet.empty.samples.buttons if not button.isHidden()]
    qtbot.waitUntil(lambda: all(one.height() >= one.heightForWidth(one.width()) for one in shown))
    qtbot.mouseClick(sheet.empty.samples.buttons[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: sheet.pane.lit() == ["the"])
    assert not sheet.empty.isVisible()
    assert view.tabs.strip.tabText(0) == sheet.title == view._samples[0].title
    assert view.panel.box.question() == view._samples[0].questions[0]


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
    qtbot.keyClick(view.find_bar.field, Qt.Key.Key_Escape)
    assert pane.hasFocus() and not view.find_bar.isVisible()
    assert pane.lit() == list(WORDS)


def test_look_inside_carries_the_question_and_the_place_that_is_lit_up(view: AskView, qtbot: QtBot) -> None:
    visits: list[Visit] = []
    view.go.connect(lambda _, visit: visits.append(visit))
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
    assert not visits, "nothing was asked yet"
    ask(view, qtbot, "How long?")
    qtbot.mouseClick(view.panel.card.look, Qt.MouseButton.LeftButton)
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_F3)
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
    assert [visit.title for visit in visits] == ["How long?"] * 2
    first, second = (visit.subject for visit in visits)
    assert (first.head, first.text, first.pair) == (Head.QUESTION_ANSWERING, TEXT, "How long?")
    assert [one.focus.of(TEXT) for one in (first, second) if one.focus] == list(WORDS[:2])
    view.sheets.current().pane.appendPlainText("More.")
    assert not view.panel.card.look.isVisible()
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
    assert len(visits) == 2, "the text says something else by now"
