"""The Ask page while a long text is read: stopping, asking another question, choosing answers before the end."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.core.errors import SpanlightError
from app.core.results import Answer, Reading
from app.core.text import Span
from app.core.wording import percent
from app.ui.ask.ask import AskView
from app.ui.ask.run import TextState
from app.ui.ask.sheet import Sheet
from app.ui.history.history_model import row_of
from tests.helpers.ask_page import CARD, TEXT, WORDS, Reader, ask, start
from tests.helpers.scripted_reader import ScriptedReader
from tests.helpers.windows import FakeEngine


@pytest.fixture
def engine(reader: Reader) -> FakeEngine:
    return FakeEngine(reader, CARD)


ASKED = "Long: how long?"
LONG = TEXT + "Nothing is said here.\n" * 100 + "Blanks are allowed.\n"


def part(*answers: Answer) -> Reading:
    """A reading of a hundredth of the text."""
    return Reading(answers, True, 0.1, 0.4, 1, 100, 0.1, complete=False)


def whole(*answers: Answer) -> Reading:
    return replace(part(*answers), windows=100, complete=True)


def found(words: str, probability: float, *, nth: int = 0, text: str = TEXT) -> Answer:
    at = -1
    for _ in range(nth + 1):
        at = text.index(words, at + 1)
    return Answer(0, Span(at, at + len(words)), words, probability, 9 + 2 * math.log(probability), 1.0)


@pytest.fixture
def scripted() -> Iterator[ScriptedReader]:
    scripted = ScriptedReader()
    yield scripted
    scripted.closed.set()


@pytest.fixture
def read(open_page: Callable[[type[AskView], FakeEngine], AskView], scripted: ScriptedReader) -> AskView:
    page = open_page(AskView, FakeEngine(scripted, CARD))
    page.resize(900, 320)  # not all of the text can be seen at once
    return page


def begun(view: AskView, qtbot: QtBot, scripted: ScriptedReader, text: str = TEXT) -> Sheet:
    sheet = start(view, qtbot, ASKED, text)
    qtbot.waitUntil(lambda: scripted.asked == [ASKED])
    return sheet


FIRST, SECOND, THIRD = found("12", 0.5), found("64 characters", 0.2), found("More than 128", 0.1)


def lit(view: AskView) -> str:
    """Return the words that are highlighted strongly; empty where none are."""
    lights = view.sheets.current().pane.lights
    return "" if lights.faint else view.sheets.current().pane.lit()[lights.chosen]


def listed(view: AskView) -> list[str]:
    return [place.text for place in view.panel.list.places()]


def test_the_answers_that_are_there_can_be_gone_through_while_reading(
    read: AskView, qtbot: QtBot, scripted: ScriptedReader
) -> None:
    sheet = begun(read, qtbot, scripted)
    field = read.panel.box.field
    qtbot.keyClick(field, Qt.Key.Key_F3)
    scripted.tell(ASKED, part(FIRST, SECOND, THIRD))
    qtbot.waitUntil(lambda: read.panel.card.over.text() == "Provisional: still reading")
    assert sheet.pane.lit() == [FIRST.text, SECOND.text, THIRD.text] and sheet.pane.lights.faint
    assert listed(read) == [SECOND.text, THIRD.text]
    gone = []
    for key in (Qt.Key.Key_F3, Qt.Key.Key_F3, Qt.Key.Key_F3):
        qtbot.keyClick(field, key)
        gone.append(lit(read))
    qtbot.keyClick(field, Qt.Key.Key_F3, Qt.KeyboardModifier.ShiftModifier)
    assert [*gone, lit(read)] == [SECOND.text, THIRD.text, FIRST.text, THIRD.text]
    assert read.panel.list.row() == 1
    assert (
        read.panel.card.answer.text() == FIRST.text
        and read.panel.card.over.text() == "Provisional: still reading"
    )


def test_an_answer_that_a_person_went_to_stays_while_better_ones_come(
    read: AskView, qtbot: QtBot, scripted: ScriptedReader
) -> None:
    sheet = begun(read, qtbot, scripted, LONG)
    scripted.tell(ASKED, part(FIRST, SECOND, THIRD))
    qtbot.waitUntil(lambda: listed(read) == [SECOND.text, THIRD.text])
    rect = read.panel.list.visualRect(read.panel.list.model().index(1, 0))
    qtbot.mouseClick(read.panel.list.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())
    assert lit(read) == THIRD.text
    bar = sheet.pane.verticalScrollBar()
    top = bar.value()
    assert bar.maximum() > top, "the better answer cannot be seen from here"
    others = (found("allowed", 0.5, text=LONG), found("denied", 0.16), found("secrets", 0.12))
    scripted.tell(ASKED, part(*others))
    qtbot.waitUntil(lambda: read.panel.card.answer.text() == "allowed")
    assert listed(read) == ["denied", "secrets", THIRD.text] and lit(read) == THIRD.text
    assert bar.value() == top, "the page stays with it"
    scripted.end(ASKED, whole(*others, found("denied", 0.01, nth=1)))
    qtbot.waitUntil(lambda: sheet.session.run is not None and not sheet.session.run.is_running)
    assert listed(read) == ["denied", "secrets", THIRD.text] and lit(read) == THIRD.text
    qtbot.keyClick(read.panel.box.field, Qt.Key.Key_F3)
    assert lit(read) == "allowed" and listed(read) == ["denied", "secrets", THIRD.text]


CONTROL = Qt.KeyboardModifier.ControlModifier


def cut_all(sheet: Sheet, qtbot: QtBot) -> None:
    qtbot.keyClick(sheet.editor, Qt.Key.Key_A, CONTROL)
    qtbot.keyClick(sheet.editor, Qt.Key.Key_X, CONTROL)
    assert sheet.pane.is_empty()


def test_undoing_brings_the_answer_back_with_its_text(view: AskView, qtbot: QtBot) -> None:
    sheet = ask(view, qtbot, "How long?")
    run, card = sheet.session.run, view.panel.card
    assert run is not None
    sheet.editor.textCursor().insertText("👩")
    assert sheet.pane.lit() == [] and sheet.pane.map.marks == ()
    assert card.answer.text() == WORDS[0] and "changed" in card.note.text() and card.again.isVisible()
    sheet.editor.undo()
    assert sheet.pane.lit() == list(WORDS) and "changed" not in card.note.text()
    cut_all(sheet, qtbot)
    assert card.isHidden()
    qtbot.keyClicks(sheet.editor, "Another text.")
    assert card.isHidden() and sheet.pane.lit() == [], "nothing of the answer under another text"
    for _ in range(20):
        if sheet.pane.text() != TEXT:
            qtbot.keyClick(sheet.editor, Qt.Key.Key_Z, CONTROL)
    assert sheet.session.run is run and run.text is TextState.SAME
    assert card.answer.text() == WORDS[0] and sheet.pane.lit() == list(WORDS)
    cut_all(sheet, qtbot)
    ask(view, qtbot, "How long?", "It is said that at least 12 characters in length will do.")
    assert sheet.session.run is not run, "another question"


def test_a_reading_goes_on_while_its_text_is_off_the_page_or_scrolled(
    read: AskView, qtbot: QtBot, scripted: ScriptedReader
) -> None:
    sheet = begun(read, qtbot, scripted)
    scripted.tell(ASKED, part(FIRST))
    qtbot.waitUntil(lambda: read.panel.card.over.text() == "Provisional: still reading")
    cut_all(sheet, qtbot)
    assert read.panel.card.isHidden() and not read.panel.strip.isVisible()
    qtbot.keyClick(sheet.editor, Qt.Key.Key_Z, CONTROL)
    qtbot.keyClick(read.panel.box.field, Qt.Key.Key_F3)
    bar = sheet.pane.verticalScrollBar()
    bar.setValue(bar.maximum())
    assert sheet.pane.moved_by_user()
    scripted.end(ASKED, whole(SECOND, FIRST))
    qtbot.waitUntil(lambda: sheet.session.run is not None and not sheet.session.run.is_running)
    assert bar.value() == bar.maximum(), "the page stays where it was scrolled to"
    assert read.panel.card.answer.text() == SECOND.text and sheet.pane.lit() == [SECOND.text, FIRST.text]


def test_a_stopped_reading_says_after_a_restart_how_far_it_came(
    make: Callable[[], AskView], qtbot: QtBot
) -> None:
    first = make()
    sheet = start(first, qtbot, "A slow one?")
    qtbot.waitUntil(lambda: first.panel.card.over.text() == "Provisional: still reading")
    assert first.stop() and not first.stop()
    assert sheet.pane.lit() == [WORDS[1]] and sheet.pane.lights.faint and not first.panel.strip.isVisible()
    qtbot.waitUntil(lambda: sheet.session.entry > 0)
    first.keep()
    view = make()
    qtbot.waitUntil(lambda: view.sheets.current().session.run is not None)
    assert view.panel.card.over.text() == f"Stopped after {percent(0.34)} of the text: the best so far"
    assert view.panel.card.answer.text() == WORDS[1] and "read in part" in view.panel.card.facts.text()
    pane = view.sheets.current().pane
    assert pane.lit() == [WORDS[1]] and pane.lights.faint, "as when it was stopped"
    (entry,) = view.workspace.history.entries()
    assert row_of(entry).where.endswith(f"  ·  Stopped after {percent(0.34)} of the text")


def test_where_the_disk_refuses_the_window_goes_all_the_same(
    view: AskView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise SpanlightError("The disk is full.", "Free some space.")

    start(view, qtbot, "A slow one?")
    qtbot.waitUntil(lambda: view.panel.card.over.text() == "Provisional: still reading")
    monkeypatch.setattr(view.workspace.history, "add", refuse)
    view.keep()
    assert view.sheets.current().session.entry == 0


@pytest.mark.parametrize("scrolled", ["end", "top"])
def test_the_invitation_stands_in_its_place_however_a_long_text_was_taken_away(
    view: AskView, qtbot: QtBot, scrolled: str
) -> None:
    sheet = view.sheets.current()
    sheet.editor.selectAll()
    sheet.editor.textCursor().removeSelectedText()
    place = sheet.empty.pos()
    for _ in range(2):
        sheet.editor.insertPlainText("The tide is high at noon.\n" * 3000)
        bar = sheet.editor.verticalScrollBar()
        bar.setValue(bar.maximum() if scrolled == "end" else 0)
        qtbot.wait(50)
        sheet.editor.selectAll()
        sheet.editor.textCursor().removeSelectedText()
        assert not sheet.empty.isHidden()
        qtbot.waitUntil(lambda: sheet.empty.pos() == place)
        qtbot.wait(50)
        assert sheet.empty.pos() == place
        sheet.editor.undo()
        qtbot.wait(50)
        sheet.editor.redo()
        qtbot.wait(50)
        assert sheet.empty.pos() == place
