"""The Ask page while a long text is read: stopped, asked something else, gone through before the end."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.core.report import Progress, Report
from app.core.requests import ModelChoice, Question
from app.core.results import Answer, Reading
from app.core.text import Span
from app.ui.ask.ask import AskView
from app.ui.ask.outcome import Outcome
from app.ui.ask.sheet import Sheet
from app.ui.history.history_model import row_of
from tests.helpers.ask_page import CARD, TEXT, WORDS, Reader, ask, start
from tests.helpers.windows import FakeEngine


@pytest.fixture
def view(open_page: Callable[[type[AskView], FakeEngine], AskView], reader: Reader) -> AskView:
    return open_page(AskView, FakeEngine(reader, CARD))


def test_an_answer_never_stands_under_another_question_unnamed(view: AskView, qtbot: QtBot) -> None:
    panel = view.panel
    start(view, qtbot, "A slow one?")
    qtbot.waitUntil(lambda: panel.card.over() == "Provisional: still reading")
    assert panel.named_question() == ""
    panel.box.select()
    qtbot.keyClicks(panel.box.field, "Who?")
    assert panel.named_question() == "Asked: “A slow one?”", "while it is read"
    view.stop()
    assert panel.card.answer() == WORDS[1] and panel.named_question() == "Asked: “A slow one?”"
    panel.box.set_question("", [])
    assert panel.named_question() == "Asked: “A slow one?”"
    panel.box.set_question(" A slow one? ", [])
    assert panel.named_question() == "", "it stands in the box again"
    ask(view, qtbot, "How long?")
    assert panel.card.answer() == WORDS[0] and panel.named_question() == ""


def test_a_second_stop_leaves_nothing_of_the_first_question(view: AskView, qtbot: QtBot) -> None:
    panel = view.panel
    start(view, qtbot, "A slow one?")
    qtbot.waitUntil(lambda: panel.card.over() == "Provisional: still reading")
    view.stop()
    start(view, qtbot, "Another slow one?")
    assert panel.card.isHidden(), "nothing was found yet"
    view.stop()
    assert panel.card.isHidden() and panel.named_question() == ""
    assert panel.idle.text().startswith("Stopped a")
    panel.box.select()
    qtbot.keyClick(panel.box.field, Qt.Key.Key_X)
    assert panel.named_question() == "Asked: “Another slow one?”"


def test_another_sheet_names_the_question_of_its_own_answer(view: AskView, qtbot: QtBot) -> None:
    ask(view, qtbot, "How long?")
    qtbot.keyClicks(view.panel.box.field, " Or not?")
    assert view.panel.named_question() == "Asked: “How long?”"
    view.sheets.new_up()
    assert view.panel.named_question() == ""
    view.sheets.previous()
    assert view.panel.box.question() == "How long? Or not?"
    assert view.panel.named_question() == "Asked: “How long?”"


def test_no_two_numbers_stand_beside_each_other_unnamed(view: AskView, qtbot: QtBot) -> None:
    panel = view.panel
    start(view, qtbot, "A slow one?")
    qtbot.waitUntil(lambda: panel.card.over() == "Provisional: still reading")
    view.stop()
    assert panel.card.over() == "Stopped after 34% of the text: the best so far"
    assert panel.card.likely().startswith("Very likely, 94%") and "sure" not in panel.card.facts()
    ask(view, qtbot, "several?")
    assert panel.card.likely().startswith("Best of several, 17%")
    said = "95% sure that the text answers, 17% that these words do"
    assert said in panel.card._likely.toolTip() and said not in panel.card.likely() + panel.card.facts()


class Scripted:
    """A reader that finds what it is handed, one list of answers after the other, when it is told to."""

    def __init__(self) -> None:
        self.found: list[tuple[Answer, ...]] = []
        self.turn = threading.Semaphore(0)

    def tell(self, *answers: Answer) -> None:
        self.found.append(answers)
        self.turn.release()

    def end(self, *answers: Answer) -> None:
        self.tell(*answers)
        self.tell()

    def __call__(self, question: Question, choice: ModelChoice | None, report: Report) -> Reading:
        told, last = 0, Reading((), False, 0.9, 0.4, 0, 100, 0.1)
        while True:
            while not self.turn.acquire(timeout=0.01):
                report.check()
            answers = self.found.pop(0)
            told += 1
            if not answers:
                return Reading(last.answers, last.answered, 0.1, 0.4, 100, 100, 0.1)
            report.progress(Progress(told, 100, "windows"))
            last = Reading(answers, True, 0.1, 0.4, told, 100, 0.1, complete=False)
            report.partial(last)


LONG = TEXT + "Nothing is said here.\n" * 100 + "Blanks are allowed.\n"


def found(words: str, probability: float, *, nth: int = 0, text: str = TEXT) -> Answer:
    at = -1
    for _ in range(nth + 1):
        at = text.index(words, at + 1)
    return Answer(0, Span(at, at + len(words)), words, probability, 9 + 2 * math.log(probability), 1.0)


@pytest.fixture
def scripted() -> Iterator[Scripted]:
    scripted = Scripted()
    yield scripted
    scripted.end(found("Passwords", 0.5))


@pytest.fixture
def read(open_page: Callable[[type[AskView], FakeEngine], AskView], scripted: Scripted) -> AskView:
    return open_page(AskView, FakeEngine(scripted, CARD))


FIRST, SECOND, THIRD = found("12", 0.5), found("64 characters", 0.2), found("More than 128", 0.1)


def lit(view: AskView) -> str:
    """The words that are lit up strongly; empty where none are."""
    lights = view.sheets.current().pane.lights
    return "" if lights.faint else view.sheets.current().pane.lit()[lights.chosen]


def listed(view: AskView) -> list[str]:
    return [place.text for place in view.panel.list.places()]


def test_the_answers_that_are_there_can_be_gone_through_while_reading(
    read: AskView, qtbot: QtBot, scripted: Scripted
) -> None:
    sheet = start(read, qtbot, "How long?")
    field = read.panel.box.field
    qtbot.keyClick(field, Qt.Key.Key_F3)
    scripted.tell(FIRST, SECOND, THIRD)
    qtbot.waitUntil(lambda: read.panel.card.over() == "Provisional: still reading")
    assert sheet.pane.lit() == [FIRST.text, SECOND.text, THIRD.text] and sheet.pane.lights.faint
    assert listed(read) == [SECOND.text, THIRD.text]
    gone = []
    for key in (Qt.Key.Key_F3, Qt.Key.Key_F3, Qt.Key.Key_F3):
        qtbot.keyClick(field, key)
        gone.append(lit(read))
    qtbot.keyClick(field, Qt.Key.Key_F3, Qt.KeyboardModifier.ShiftModifier)
    assert [*gone, lit(read)] == [SECOND.text, THIRD.text, FIRST.text, THIRD.text]
    assert read.panel.list.row() == 1
    assert read.panel.card.answer() == FIRST.text and read.panel.card.over() == "Provisional: still reading"


def test_an_answer_that_a_person_went_to_stays_while_better_ones_come(
    read: AskView, qtbot: QtBot, scripted: Scripted
) -> None:
    read.resize(900, 320)  # not all of the text can be seen at once
    sheet = start(read, qtbot, "How long?", LONG)
    scripted.tell(FIRST, SECOND, THIRD)
    qtbot.waitUntil(lambda: listed(read) == [SECOND.text, THIRD.text])
    rect = read.panel.list.visualRect(read.panel.list.model().index(1, 0))
    qtbot.mouseClick(read.panel.list.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())
    assert lit(read) == THIRD.text
    bar = sheet.pane.verticalScrollBar()
    top = bar.value()
    assert bar.maximum() > top, "the better answer cannot be seen from here"
    others = (found("allowed", 0.5, text=LONG), found("denied", 0.16), found("secrets", 0.12))
    scripted.tell(*others)
    qtbot.waitUntil(lambda: read.panel.card.answer() == "allowed")
    assert listed(read) == ["denied", "secrets", THIRD.text] and lit(read) == THIRD.text
    assert bar.value() == top, "the page stays with it"
    # Whatever is listed has the probability that a longer list would give it.
    assert sheet.outcome is not None
    assert sheet.outcome.answers()[-1].probability == pytest.approx(THIRD.probability)
    scripted.end(*others, found("denied", 0.01, nth=1))
    qtbot.waitUntil(lambda: sheet.outcome is not None and not sheet.outcome.running)
    assert listed(read) == ["denied", "secrets", THIRD.text] and lit(read) == THIRD.text
    qtbot.keyClick(read.panel.box.field, Qt.Key.Key_F3)
    assert lit(read) == "allowed" and listed(read) == ["denied", "secrets", THIRD.text]
    scripted.tell(FIRST)
    start(read, qtbot, "How long?", LONG)
    qtbot.waitUntil(
        lambda: (
            read.panel.card.over() == "Provisional: still reading" and read.panel.card.answer() == FIRST.text
        )
    )
    assert listed(read) == [], "another question begins anew"


def test_an_answer_that_grew_by_a_word_is_the_same_one() -> None:
    view = found("64", 0.2)
    outcome = Outcome("How long?", None)  # type: ignore[arg-type]  # it is not looked at
    outcome.take(Reading((FIRST, view), True, 0.1, 0.4, 1, 9, 0.1, complete=False))
    outcome.pin(1)
    outcome.take(Reading((SECOND, FIRST), True, 0.1, 0.4, 2, 9, 0.1, complete=False))
    assert outcome.pinned is SECOND and outcome.chosen == 0 and len(outcome.answers()) == 2


def test_no_two_answers_are_likely_beside_each_other_where_one_is_listed() -> None:
    outcome = Outcome("How long?", None)  # type: ignore[arg-type]  # it is not looked at
    outcome.take(Reading((found("12", 0.8),), True, 0.1, 0.4, 1, 9, 0.1, complete=False))
    outcome.pin(0)
    outcome.take(Reading((found("permitted", 0.8),), True, 0.15, 0.4, 2, 9, 0.1, complete=False))
    best, kept = outcome.answers()
    assert (best.text, kept.text) == ("permitted", "12")
    assert kept.probability == pytest.approx(0.05), "what the others leave"
    outcome.take(Reading((found("permitted", 0.9),), True, 0.1, 0.4, 3, 9, 0.1, complete=False))
    assert outcome.answers()[1].probability == pytest.approx(0.0)


@pytest.mark.parametrize("told", [Progress(2, 100), None])
def test_a_stop_before_the_progress_of_the_last_answer_counts_as_far_as_that(
    told: Progress | None, view: AskView, qtbot: QtBot
) -> None:
    sheet = start(view, qtbot, "A slow one?")
    qtbot.waitUntil(lambda: view.panel.card.over() == "Provisional: still reading")
    assert sheet.outcome is not None
    sheet.outcome.progress = told  # the answer of 34 windows has come before its progress
    view.stop()
    assert view.panel.card.over() == "Stopped after 34% of the text: the best so far"
    assert sheet.outcome.reading is not None and sheet.outcome.reading.windows == 34


def test_the_end_of_a_reading_leaves_the_page_with_whom_scrolled_it(
    read: AskView, qtbot: QtBot, scripted: Scripted
) -> None:
    read.resize(900, 320)
    sheet = start(read, qtbot, "How long?")
    scripted.tell(FIRST, SECOND)
    qtbot.waitUntil(lambda: read.panel.card.over() == "Provisional: still reading")
    qtbot.keyClick(read.panel.box.field, Qt.Key.Key_F3)
    bar = sheet.pane.verticalScrollBar()
    bar.setValue(bar.maximum())
    assert sheet.pane.moved_by_user()
    scripted.end(THIRD, FIRST)
    qtbot.waitUntil(lambda: sheet.outcome is not None and not sheet.outcome.running)
    assert bar.value() == bar.maximum()


CONTROL = Qt.KeyboardModifier.ControlModifier


def cut_all(sheet: Sheet, qtbot: QtBot) -> None:
    qtbot.keyClick(sheet.editor, Qt.Key.Key_A, CONTROL)
    qtbot.keyClick(sheet.editor, Qt.Key.Key_X, CONTROL)
    assert sheet.pane.is_empty()


def test_nothing_is_said_of_a_text_that_was_emptied(view: AskView, qtbot: QtBot) -> None:
    sheet = ask(view, qtbot, "How long?")
    sheet.editor.selectAll()
    qtbot.keyClicks(sheet.editor, "x")
    assert view.panel.card.answer() == WORDS[0] and "changed" in view.panel.card.note(), "another text"
    qtbot.keyClick(sheet.editor, Qt.Key.Key_Backspace)
    assert sheet.shown_outcome is None
    assert view.panel.card.isHidden() and not view.panel.list.places() and view.panel.named_question() == ""
    assert sheet.pane.lit() == [] and not any(sheet.pane.map.heat())
    view.sheets.new_up()
    assert view.panel.card.isHidden()


def test_undoing_brings_the_answer_back_with_its_text(view: AskView, qtbot: QtBot) -> None:
    sheet = ask(view, qtbot, "How long?")
    qtbot.waitUntil(lambda: sheet.entry > 0)
    entry, outcome = sheet.entry, sheet.outcome
    cut_all(sheet, qtbot)
    assert view.panel.card.isHidden() and sheet.pane.lit() == []
    qtbot.keyClicks(sheet.editor, "Another text.")
    assert view.panel.card.isHidden() and sheet.pane.lit() == [], "nothing of the answer under another text"
    for _ in range(20):
        if sheet.pane.text() != TEXT:
            qtbot.keyClick(sheet.editor, Qt.Key.Key_Z, CONTROL)
    assert sheet.pane.text() == TEXT and sheet.outcome is outcome and sheet.entry == entry
    assert view.panel.card.answer() == WORDS[0] and sheet.pane.lit() == list(WORDS)
    assert "changed" not in view.panel.card.note()
    cut_all(sheet, qtbot)
    ask(view, qtbot, "How long?", "It is said that at least 12 characters in length will do.")
    assert sheet.outcome is not outcome, "another question"


def test_a_reading_goes_on_while_its_text_is_off_the_page(
    read: AskView, qtbot: QtBot, scripted: Scripted
) -> None:
    sheet = start(read, qtbot, "How long?")
    scripted.tell(FIRST)
    qtbot.waitUntil(lambda: read.panel.card.over() == "Provisional: still reading")
    cut_all(sheet, qtbot)
    assert read.panel.card.isHidden() and not read.panel.strip.isVisible()
    scripted.end(FIRST, SECOND)
    qtbot.waitUntil(lambda: sheet.outcome is not None and not sheet.outcome.running)
    assert read.panel.card.isHidden() and not read.panel.strip.isVisible() and sheet.pane.lit() == []
    qtbot.keyClick(sheet.editor, Qt.Key.Key_Z, CONTROL)
    assert read.panel.card.answer() == FIRST.text and sheet.pane.lit() == [FIRST.text, SECOND.text]


def test_a_reading_ends_when_another_text_stands_in_its_place(view: AskView, qtbot: QtBot) -> None:
    sheet = start(view, qtbot, "A slow one?")
    qtbot.waitUntil(lambda: view.panel.card.over() == "Provisional: still reading")
    cut_all(sheet, qtbot)
    qtbot.keyClicks(sheet.editor, "x")
    assert view.panel.card.isHidden() and not view.panel.strip.isVisible()
    assert not view.stop(), "nothing is read any more"
    ask(view, qtbot, "How long?")
    assert view.panel.card.answer() == WORDS[0]


def test_a_paste_over_everything_keeps_the_answer_to_be_asked_again(view: AskView, qtbot: QtBot) -> None:
    sheet = ask(view, qtbot, "How long?")
    QGuiApplication.clipboard().setText("Another text. " + TEXT)
    sheet.editor.selectAll()
    qtbot.keyClick(sheet.editor, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert sheet.outcome is not None and sheet.outcome.stale
    assert "changed" in view.panel.card.note()


@pytest.mark.parametrize("typed", ["x", "👩"])
def test_undoing_an_edit_lights_the_answer_up_again(view: AskView, qtbot: QtBot, typed: str) -> None:
    sheet = ask(view, qtbot, "How long?")
    lit = sheet.outcome.lit if sheet.outcome is not None else ()
    sheet.editor.textCursor().insertText(typed)
    assert sheet.outcome is not None and sheet.outcome.stale
    assert "changed" in view.panel.card.note()
    sheet.editor.undo()
    assert not sheet.outcome.stale and sheet.outcome.lit == lit and any(lit)
    assert "changed" not in view.panel.card.note() and view.panel.card.answer() == WORDS[0]
    sheet.editor.redo()
    assert sheet.outcome.stale


def test_a_stopped_reading_says_after_a_restart_how_far_it_came(
    open_page: Callable[[type[AskView], FakeEngine], AskView], qtbot: QtBot, reader: Reader
) -> None:
    first = open_page(AskView, FakeEngine(reader, CARD))
    sheet = start(first, qtbot, "A slow one?")
    qtbot.waitUntil(lambda: first.panel.card.over() == "Provisional: still reading")
    first.stop()
    qtbot.waitUntil(lambda: sheet.entry > 0)
    first.keep()
    view = open_page(AskView, FakeEngine(reader, CARD))
    qtbot.waitUntil(lambda: view.sheets.current().outcome is not None)
    assert view.panel.card.over() == "Stopped after 34% of the text: the best so far"
    assert view.panel.card.answer() == WORDS[1] and "read in part" in view.panel.card.facts()
    (entry,) = view.workspace.history.entries()
    assert row_of(entry).where.endswith("  ·  Stopped after 34% of the text")
