"""The fill-in page, from a blank to the word in its place, through the real lanes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot

from app.core.inspection import Subject, Visit
from app.core.models import Head, ModelCard
from app.core.report import Report
from app.core.requests import ModelChoice, TextToFill
from app.core.results import FilledBlank, FilledText, Guess
from app.core.text import Span, utf16_units
from app.ui.heads.fill.fill import FillView
from tests.helpers.windows import FakeEngine, button

CARD = ModelCard("gaps", "/models/gaps", "bert", (Head.MASKED_WORDS,))
TWO = "A ___ cup of hot [MASK]."
Ctrl = Qt.KeyboardModifier.ControlModifier


def by_place(request: TextToFill, choice: ModelChoice | None, report: Report) -> FilledText:
    """The words of blank n are a-n, b-n, c-n; a word asked about has as many per mille as letters."""
    blanks = []
    for number, span in enumerate(request.blanks):
        guesses = tuple(Guess(f"{letter}-{number}", 0.5 / (n + 1), n + 1) for n, letter in enumerate("abc"))
        word = request.asked[number] if request.asked else ""
        asked = Guess(word, len(word) / 1000, 9) if word else None
        blanks.append(FilledBlank(span, guesses, asked))
    return FilledText(tuple(blanks), 0.5, model="gaps", device="CPU")


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine(by_place, CARD)


@pytest.fixture
def view(open_page: Callable[[type[FillView], FakeEngine], FillView], engine: FakeEngine) -> FillView:
    return open_page(FillView, engine)


def edit(view: FillView) -> QPlainTextEdit:
    return view._editor._blank_edit


def words(view: FillView) -> list[str]:
    return [row.word for row in view._panel.card.words.rows()]


def lit(view: FillView) -> list[str]:
    text = edit(view).toPlainText()
    return [text[light.start : light.end] for light in view._editor._blank_edit.lights.places if light.shown]


def type_in(view: FillView, text: str) -> None:
    edit(view).setFocus()
    QTest.keyClicks(edit(view), text)


def fill(view: FillView, qtbot: QtBot, text: str) -> None:
    edit(view).setPlainText(text)
    view.run()
    qtbot.waitUntil(lambda: not view.working() and bool(words(view)))


def select(view: FillView, word: str) -> None:
    cursor = edit(view).textCursor()
    before, _, _ = edit(view).toPlainText().partition(word)
    at = utf16_units(before)
    cursor.setPosition(at)
    cursor.setPosition(at + len(word), QTextCursor.MoveMode.KeepAnchor)
    edit(view).setTextCursor(cursor)


def test_blanks_are_highlighted_while_typing_and_the_one_at_the_cursor_is_chosen(view: FillView) -> None:
    type_in(view, "A _")
    assert lit(view) == []
    type_in(view, "__ cup of [MASK]")
    assert lit(view) == ["___", "[MASK]"]
    assert view._editor.index == 1
    for _ in range(14):
        QTest.keyClick(edit(view), Qt.Key.Key_Left)
    assert view._editor.index == 0
    assert view._panel.card._heading.text() == "Blank 1 of 2"
    QTest.keyClick(edit(view), Qt.Key.Key_Backspace)
    QTest.keyClick(edit(view), Qt.Key.Key_Backspace)
    assert lit(view) == ["[MASK]"]
    assert view._panel.card._heading.text() == "The blank"


def test_ctrl_enter_fills_and_each_blank_shows_its_words(
    view: FillView, qtbot: QtBot, engine: FakeEngine
) -> None:
    notes: list[str] = []
    view.note.connect(notes.append)
    edit(view).setPlainText(TWO)
    QTest.keyClick(edit(view), Qt.Key.Key_Return, Ctrl)
    qtbot.waitUntil(lambda: words(view) == ["a-0", "b-0", "c-0"])
    assert engine.requests == [TextToFill(TWO, (Span(2, 5), Span(17, 23)))]
    assert notes == ["", "Words for 2 blanks found in 0.5 seconds"]
    assert "gaps" in view._panel.card.foot.source.text()
    QTest.keyClick(view, Qt.Key.Key_F3)
    assert words(view) == ["a-1", "b-1", "c-1"]
    QTest.keyClick(view, Qt.Key.Key_F3)
    assert words(view) == ["a-0", "b-0", "c-0"]
    QTest.keyClick(view, Qt.Key.Key_F3, Qt.KeyboardModifier.ShiftModifier)
    assert words(view) == ["a-1", "b-1", "c-1"]
    assert view._editor._blank_edit.lights.chosen == 1
    assert edit(view).toPlainText() == TWO
    rows = view._panel.card.words
    QTest.keyClick(rows, Qt.Key.Key_C, Ctrl)
    assert QGuiApplication.clipboard().text().splitlines()[:2] == ["a-1\t0.5", "b-1\t0.25"]
    assert rows.model().index(1, 0).data(Qt.ItemDataRole.AccessibleTextRole) == "b-1, 25%"
    assert "a-1 50%" in rows.accessibleDescription()


def test_a_click_fills_in_the_word_as_one_undo_step(view: FillView, qtbot: QtBot) -> None:
    fill(view, qtbot, "A cup of hot ___.")
    notes: list[str] = []
    view.note.connect(notes.append)
    rows = view._panel.card.words
    place = rows.visualRect(rows.model().index(1, 0)).center()
    QTest.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert edit(view).toPlainText() == "A cup of hot b-0."
    assert "Ctrl+Z" in notes[-1]
    assert not view._panel.card.isVisible()
    assert edit(view).hasFocus()
    QTest.keyClick(edit(view), Qt.Key.Key_Z, Ctrl)
    assert edit(view).toPlainText() == "A cup of hot ___."
    # What was found before is there again, and not said to be old.
    assert words(view) == ["a-0", "b-0", "c-0"]
    assert not view._panel.outdated()


@pytest.mark.parametrize(("key", "word"), [(Qt.Key.Key_3, "c-0"), (Qt.Key.Key_Return, "b-0")])
def test_digits_and_enter_pick_a_word_and_the_other_blanks_are_computed_again(
    view: FillView, qtbot: QtBot, engine: FakeEngine, key: Qt.Key, word: str
) -> None:
    fill(view, qtbot, TWO)
    rows = view._panel.card.words
    rows.setFocus()
    QTest.keyClick(rows, Qt.Key.Key_Down)
    QTest.keyClick(rows, key)
    assert edit(view).toPlainText() == f"A {word} cup of hot [MASK]."
    qtbot.waitUntil(lambda: len(engine.requests) == 2 and not view.working())
    assert not view._panel.outdated()
    assert rows.hasFocus()
    QTest.keyClick(rows, Qt.Key.Key_9)  # there are but three
    QTest.keyClick(rows, Qt.Key.Key_Z, Ctrl)
    assert edit(view).toPlainText() == TWO
    assert words(view)[0] == "a-0"


def test_alt_and_a_digit_pick_a_word_from_within_the_text(
    view: FillView, qtbot: QtBot, engine: FakeEngine
) -> None:
    fill(view, qtbot, TWO)
    edit(view).setFocus()
    alt = Qt.KeyboardModifier.AltModifier
    QTest.keyClick(edit(view), Qt.Key.Key_9, alt)  # there are but three
    assert edit(view).toPlainText() == TWO
    QTest.keyClick(edit(view), Qt.Key.Key_2, alt)
    assert edit(view).toPlainText() == "A b-0 cup of hot [MASK]."
    qtbot.waitUntil(lambda: len(engine.requests) == 2 and not view.working())
    edit(view).insertPlainText("more ")
    assert view._panel.outdated()
    before = edit(view).toPlainText()
    QTest.keyClick(edit(view), Qt.Key.Key_1, alt)
    assert edit(view).toPlainText() == before, "these words are of an earlier text"


def test_a_word_becomes_a_blank_is_asked_about_and_restored(
    view: FillView, qtbot: QtBot, engine: FakeEngine
) -> None:
    edit(view).setPlainText("👩‍👩‍👧 A cup of hot coffee here.")
    select(view, " coffee ")
    QTest.keyClick(edit(view), Qt.Key.Key_B, Ctrl)
    assert view._editor.text() == "👩‍👩‍👧 A cup of hot ___ here."
    assert view._panel.card.question.word() == "coffee"
    view.run()
    qtbot.waitUntil(lambda: bool(words(view)))
    (request,) = engine.requests
    assert isinstance(request, TextToFill) and request.asked == ("coffee",)
    assert view._panel.card.question.answer.text() == "0.60%, number 9 in the model's vocabulary"
    # What is typed behind it does not take the word over.
    edit(view).moveCursor(QTextCursor.MoveOperation.End)
    view._editor.choose(0)
    type_in(view, " and ___")
    assert [view._editor.word_of(n) for n in range(2)] == ["coffee", ""]
    QTest.keyClick(edit(view), Qt.Key.Key_Left, Qt.KeyboardModifier.ControlModifier)
    view._editor.choose(0)
    QTest.mouseClick(button(view, "Put “coffee” back"), Qt.MouseButton.LeftButton)
    assert view._editor.text() == "👩‍👩‍👧 A cup of hot coffee and ___ here."
    edit(view).undo()
    assert view._editor.word_of(0) == "coffee"


def test_a_hidden_word_that_was_asked_about_is_not_asked_about_in_another_text(
    view: FillView, qtbot: QtBot, engine: FakeEngine
) -> None:
    edit(view).setPlainText("A cup of coffee")
    select(view, "coffee")
    view._make_blank()
    view.run()
    qtbot.waitUntil(lambda: not view.working() and bool(words(view)))
    edit(view).setPlainText("A pot of ___")
    assert view._panel.card.question.word() == ""


def test_without_a_selection_the_word_at_the_cursor_becomes_the_blank(view: FillView) -> None:
    edit(view).setPlainText("hot coffee")
    edit(view).moveCursor(QTextCursor.MoveOperation.End)
    QTest.mouseClick(button(view, "Make a blank"), Qt.MouseButton.LeftButton)
    assert edit(view).toPlainText() == "hot ___"
    assert view._editor.word_of(0) == "coffee"
    edit(view).undo()
    assert edit(view).toPlainText() == "hot coffee"
    edit(view).redo()
    assert view._editor.word_of(0) == "coffee"
    type_in(view, " ")
    view._make_blank()
    assert edit(view).toPlainText().endswith("___")
    assert view._editor.word_of(1) == ""


def test_more_than_a_few_words_cannot_become_a_blank(view: FillView) -> None:
    for text in ("one\ntwo", "word " * 20, "a ___ b"):
        edit(view).setPlainText(text)
        edit(view).selectAll()
        view._make_blank()
        assert edit(view).toPlainText() == text
        assert view._panel.notice.sentence()


def test_any_word_can_be_asked_about(view: FillView, qtbot: QtBot, engine: FakeEngine) -> None:
    fill(view, qtbot, TWO)
    field = view._panel.card.question.field
    QTest.keyClicks(field, "teapot")
    assert view._panel.card.question.answer.text() == ""
    QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: view._panel.card.question.answer.text().startswith("0.60%"))
    assert engine.requests[-1] == TextToFill(TWO, (Span(2, 5), Span(17, 23)), ("teapot", ""))
    view._editor.step(1)
    assert (field.text(), view._panel.card.question.answer.text()) == ("", "")
    view._editor.step(-1)
    assert field.text() == "teapot"


def test_a_changed_text_greys_the_words(view: FillView, qtbot: QtBot) -> None:
    fill(view, qtbot, "A cup of hot ___.")
    type_in(view, "Once ")
    assert view._panel.outdated()
    assert not view._panel.card._hint.isVisible()
    rows = view._panel.card.words
    rows.setFocus()
    QTest.keyClick(rows, Qt.Key.Key_1)
    assert edit(view).toPlainText() == "Once A cup of hot ___."
    edit(view).undo()
    assert not view._panel.outdated()
    edit(view).setPlainText("A ___ cup of ___ and ___")
    assert words(view) == []


def test_look_inside_gets_the_chosen_blank(view: FillView, qtbot: QtBot) -> None:
    fill(view, qtbot, TWO)
    view._editor.step(1)
    visits: list[Visit] = []
    view.go.connect(lambda _, visit: visits.append(visit))
    QTest.mouseClick(button(view, "Look inside"), Qt.MouseButton.LeftButton)
    blanks = (Span(2, 5), Span(17, 23))
    assert visits == [Visit(Subject(Head.MASKED_WORDS, TWO, focus=blanks[1], blanks=blanks), "gaps", TWO)]


def test_typing_stays_quick_in_a_long_text_with_many_blanks(view: FillView, qtbot: QtBot) -> None:
    import time

    long = "\n".join(
        f"Line {number}, “as long as a line is”, holds a ___ of words 👩‍👧." for number in range(9000)
    )
    view._editor.replace(long)
    assert len(view._editor.blanks()) == 9000
    type_in(view, "x")
    took = []
    for _ in range(5):
        started = time.perf_counter()
        QTest.keyClick(edit(view), Qt.Key.Key_X)
        edit(view).viewport().repaint()
        took.append(time.perf_counter() - started)
    # Some 40 ms; it was more than a second when every blank was read back and drawn wherever it stands.
    assert min(took) < 0.4
    assert len(lit(view)) == 9000
