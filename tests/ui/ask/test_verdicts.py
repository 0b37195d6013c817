"""The person's verdicts on answers: on the card and by keys, in each kind of document, kept, and looked up again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.core.corrections import Correction, Verdict
from app.core.errors import SpanlightError
from app.core.pages import places_of
from app.core.text import Span
from app.ui.ask.ask import AskView
from app.ui.ask.sheet import Sheet
from app.ui.document.pdf.page_pane import PagePane
from app.ui.document.pdf.page_stack import Spot
from app.ui.kit.verdict_row import VerdictRow
from app.ui.window.window import MainWindow
from tests.helpers.ask_page import CARD, TEXT, WORDS, Reader
from tests.helpers.ask_page import ask as ask_text
from tests.helpers.open_files import ask, is_open, reader, write_pdf
from tests.helpers.scripted_reader import ScriptedReader, ask_in, sheet_with
from tests.helpers.widgets import select_words
from tests.helpers.windows import FakeEngine, settle

KEY = Qt.Key
TIDES = "The tide is high at noon.\nIt is low at six, and at midnight again."
PAGE = "<html><body><h1>Tides</h1><p>The tide is high at <em>noon</em>.</p><p>It is low at six.</p></body></html>"


@pytest.fixture
def make(
    open_page: Callable[[type[AskView], FakeEngine], AskView], engine: FakeEngine
) -> Callable[[], AskView]:
    def made() -> AskView:
        view = open_page(AskView, engine)
        view.activateWindow()
        return view

    return made


@pytest.fixture
def row(view: AskView) -> VerdictRow:
    return view.panel.card.verdicts


@pytest.fixture
def passwords(open_page: Callable[[type[AskView], FakeEngine], AskView]) -> AskView:
    """A page whose reader finds words of `TEXT`, as the question's words say."""
    view = open_page(AskView, FakeEngine(Reader(), CARD))
    view.activateWindow()
    return view


def write(folder: Path, kind: str) -> Path:
    file = folder / f"tides.{kind}"
    if kind == "pdf":
        return write_pdf(file, "An empty page.", TIDES)
    file.write_text(PAGE if kind == "html" else TIDES, "utf-8")
    return file


def rest(view: AskView, qtbot: QtBot) -> None:
    """Wait until verdicts are kept and looked up."""
    qtbot.waitUntil(lambda: view.lanes.files.idle)


def press(view: AskView, qtbot: QtBot, key: Qt.Key, where: QWidget) -> None:
    """Press a key in the focused widget, and wait until the verdict is kept."""
    where.setFocus()
    qtbot.waitUntil(where.hasFocus)
    qtbot.keyClick(where, key)
    rest(view, qtbot)


def click(view: AskView, qtbot: QtBot, button: QWidget) -> None:
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    rest(view, qtbot)


def pressed(row: VerdictRow) -> Verdict:
    """Return the verdict whose button is shown pressed."""
    found = [
        verdict
        for verdict, button in (
            (Verdict.RIGHT, row.right),
            (Verdict.OTHER_WORDS, row.instead),
            (Verdict.NOT_THERE, row.absent),
        )
        if button.isChecked()
    ]
    assert len(found) <= 1
    return found[0] if found else Verdict.NONE


def kept(view: AskView) -> Correction:
    (correction,) = view.workspace.corrections.all()
    return correction


def own_words(sheet: Sheet) -> str:
    """Return the words that are highlighted as the person's own."""
    pane = sheet.pane
    if pane.lights.own < 0 or not pane.light_boxes(pane.lights.own):
        return ""
    said = sheet.session.run.corrections[""] if sheet.session.run is not None else None
    return said.words if said is not None else ""


def test_words_selected_by_keys_in_a_text_are_taken_by_esc_and_e(
    open_window: Callable[[], MainWindow], qtbot: QtBot
) -> None:
    window = open_window()
    settle(window, qtbot)
    window.activateWindow()
    view = window.pages["ask"]
    assert isinstance(view, AskView)
    sheet = view.sheets.current()
    sheet.show_text(TIDES)
    ask(view, qtbot, "When is it noon?")
    sheet.setFocus()
    qtbot.waitUntil(sheet.editor.hasFocus)
    ctrl_shift = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    sheet.editor.moveCursor(QTextCursor.MoveOperation.Start)
    qtbot.keyClick(sheet.editor, KEY.Key_Right, ctrl_shift)
    qtbot.keyClick(sheet.editor, KEY.Key_Escape)
    focused = QApplication.focusWidget()
    assert focused is view.panel.card
    qtbot.keyClick(focused, KEY.Key_E)
    rest(view, qtbot)
    assert sheet.pane.text() == TIDES and kept(view).words.strip() == "The"


def test_an_answer_is_right_by_button_and_key_and_that_is_taken_back(
    view: AskView, row: VerdictRow, qtbot: QtBot, tmp_path: Path
) -> None:
    sheet = is_open(view, qtbot, [write(tmp_path, "pdf")])
    assert not row.isVisible()
    ask(view, qtbot, "When is it noon?")
    assert row.isVisible() and row.right.isVisible() and pressed(row) is Verdict.NONE
    click(view, qtbot, row.right)
    said = kept(view)
    assert pressed(row) is said.verdict is Verdict.RIGHT
    assert (said.words, said.shown, said.probability, said.answered) == ("noon", "noon", 0.8, True)
    assert said.sha256 == hashlib.sha256((tmp_path / "tides.pdf").read_bytes()).hexdigest()
    assert said.span is not None and said.span.of(sheet.pane.text()) == "noon" and said.model == "reader"
    press(view, qtbot, KEY.Key_X, sheet.pane)
    assert pressed(row) is kept(view).verdict is Verdict.NOT_THERE, "in place of the first"
    press(view, qtbot, KEY.Key_A, view.panel.card)
    assert pressed(row) is kept(view).verdict is Verdict.RIGHT
    press(view, qtbot, KEY.Key_A, row.absent)
    assert pressed(row) is Verdict.NONE and view.workspace.corrections.count() == 0


def test_esc_goes_from_the_question_to_its_answer_where_the_keys_are_verdicts(
    view: AskView, row: VerdictRow, qtbot: QtBot, tmp_path: Path
) -> None:
    is_open(view, qtbot, [write(tmp_path, "pdf")])
    card, field = view.panel.card, view.panel.box.field
    view.panel.box.select()
    assert not view.stop() and field.hasFocus(), "nothing was asked that could be judged"
    ask(view, qtbot, "When is it noon?")
    view.panel.box.select()
    assert not view.stop() and card.hasFocus(), "nothing was stopped"
    press(view, qtbot, KEY.Key_A, card)
    assert pressed(row) is kept(view).verdict is Verdict.RIGHT


def test_words_selected_on_a_page_are_taken_and_lit(
    view: AskView, row: VerdictRow, qtbot: QtBot, tmp_path: Path
) -> None:
    sheet = is_open(view, qtbot, [write(tmp_path, "pdf")])
    ask(view, qtbot, "When is it noon?")
    press(view, qtbot, KEY.Key_E, view.panel.card)
    assert "Select" in view.panel.notice.sentence() and view.workspace.corrections.count() == 0
    pane = sheet.pane
    assert isinstance(pane, PagePane)
    at = pane.text().index("six")
    (place,) = places_of(sheet.session.run.opened.pages, Span(at, at + 3))  # type: ignore[union-attr]
    pane.go_to(at)
    box = place.boxes[0]
    spot = pane.place_of(Spot(place.page, (box.left + box.right) / 2, (box.top + box.bottom) / 2))
    qtbot.mouseDClick(pane.viewport(), Qt.MouseButton.LeftButton, pos=spot.toPoint())
    assert pane.selected_words() == "six"
    press(view, qtbot, KEY.Key_E, pane)
    said = kept(view)
    assert (said.verdict, said.words, said.span) == (Verdict.OTHER_WORDS, "six", Span(at, at + 3))
    assert said.place is not None and said.place.of(said.passage) == "six" and said.shown == "noon"
    assert pressed(row) is Verdict.OTHER_WORDS and row.yours.text() == "Yours: six"
    assert own_words(sheet) == "six" and not view.panel.notice.isVisible()
    press(view, qtbot, KEY.Key_E, pane)
    assert pressed(row) is Verdict.NONE and not own_words(sheet) and row.yours.isHidden()


@pytest.mark.parametrize("kind", ["txt", "html", "md"])
def test_words_selected_in_a_text_are_taken_without_the_blanks_around_them(
    view: AskView, row: VerdictRow, qtbot: QtBot, tmp_path: Path, kind: str
) -> None:
    sheet = is_open(view, qtbot, [write(tmp_path, kind)])
    ask(view, qtbot, "When is it noon?")
    select_words(sheet.pane, " six")
    assert sheet.pane.selected_words() == " six"
    click(view, qtbot, row.instead)
    said = kept(view)
    at = sheet.pane.text().index("six")
    assert (said.words, said.span, pressed(row)) == ("six", Span(at, at + 3), Verdict.OTHER_WORDS)
    assert own_words(sheet) == "six" and sheet.pane.lit() == ["noon", "six"]
    select_words(sheet.pane, "noon")
    click(view, qtbot, row.instead)
    assert pressed(row) is kept(view).verdict is Verdict.RIGHT, "these are the words that are shown"
    assert not own_words(sheet)


def test_letters_typed_in_a_text_or_a_question_are_no_verdicts(
    view: AskView, row: VerdictRow, qtbot: QtBot
) -> None:
    sheet = sheet_with(view, TIDES)
    ask(view, qtbot, "When is it noon?")
    press(view, qtbot, KEY.Key_A, view.panel.box.field)
    assert view.workspace.corrections.count() == 0 and view.panel.box.question().endswith("a")
    press(view, qtbot, KEY.Key_X, view.panel.card)
    said = kept(view)
    assert said.verdict is Verdict.NOT_THERE and said.sha256 == hashlib.sha256(TIDES.encode()).hexdigest()
    press(view, qtbot, KEY.Key_A, sheet.pane)
    assert sheet.pane.text() != TIDES and kept(view) == said
    assert not row.isVisible(), "the text is another one than was asked"
    qtbot.keyClick(sheet.pane, KEY.Key_Z, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(row.isVisible)
    assert sheet.pane.text() == TIDES and pressed(row) is Verdict.NOT_THERE


def test_another_place_that_was_gone_to_is_taken_where_nothing_is_selected(
    passwords: AskView, qtbot: QtBot
) -> None:
    view, row = passwords, passwords.panel.card.verdicts
    ask_text(view, qtbot, "How long?")
    rest(view, qtbot)
    view.presenter.step(1)
    press(view, qtbot, KEY.Key_E, view.panel.list)
    said = kept(view)
    assert (said.words, said.shown) == (WORDS[1], WORDS[0]) and row.yours.text() == f"Yours: {WORDS[1]}"
    press(view, qtbot, KEY.Key_A, view.panel.list)
    assert (kept(view).verdict, kept(view).words) == (Verdict.RIGHT, WORDS[0]), "that of the card"
    view.presenter.step(-1)
    ask_text(view, qtbot, "Is it doubtful?")
    rest(view, qtbot)
    assert view.panel.card.note.text() and pressed(row) is Verdict.NONE and row.right.isVisible()
    click(view, qtbot, row.right)
    low = view.workspace.corrections.all()[0]
    assert (low.verdict, low.words, low.answered) == (Verdict.RIGHT, WORDS[0], False)
    assert low.span is not None and low.span.of(TEXT) == WORDS[0]


def test_to_agree_that_the_text_does_not_say_is_one_button(passwords: AskView, qtbot: QtBot) -> None:
    view, row = passwords, passwords.panel.card.verdicts
    ask_text(view, qtbot, "Is it boiling?")
    rest(view, qtbot)
    assert row.absent.isVisible() and row.instead.isVisible() and not row.right.isVisible()
    press(view, qtbot, KEY.Key_A, view.panel.card)
    assert pressed(row) is kept(view).verdict is Verdict.NOT_THERE and kept(view).is_agreed
    view.panel.card.nearest.click()
    assert not row.right.isVisible() and pressed(row) is Verdict.NOT_THERE
    press(view, qtbot, KEY.Key_E, view.panel.card)
    assert (kept(view).verdict, kept(view).words) == (Verdict.OTHER_WORDS, WORDS[1]), "the nearest words"
    view.panel.card.nearest.click()
    assert pressed(row) is Verdict.OTHER_WORDS
    assert own_words(view.sheets.current()) == WORDS[1], "lit, though the reader has no answer"


def test_no_verdict_is_offered_before_the_end(
    open_page: Callable[[type[AskView], FakeEngine], AskView], qtbot: QtBot
) -> None:
    scripted = ScriptedReader()
    view = open_page(AskView, FakeEngine(scripted, reader().cards[0]))
    row = view.panel.card.verdicts
    sheet = sheet_with(view, TIDES)
    ask_in(view, qtbot, sheet, "Long: noon")
    qtbot.waitUntil(lambda: scripted.asked == ["Long: noon"])
    scripted.found("Long: noon", "six", 20)
    qtbot.waitUntil(lambda: view.panel.card.isVisible())
    assert not row.isVisible()
    row.judged.emit(Verdict.RIGHT)
    row.accept()
    scripted.end("Long: noon")
    qtbot.waitUntil(row.isVisible)
    rest(view, qtbot)
    assert view.workspace.corrections.count() == 0 and pressed(row) is Verdict.NONE


def test_what_is_not_kept_is_said_and_not_shown_pressed(
    view: AskView, row: VerdictRow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    sheet_with(view, TIDES)
    ask(view, qtbot, "When is it noon?")

    def full(correction: Correction) -> Correction:
        raise SpanlightError("The disk is full.", "Free some space.")

    with monkeypatch.context() as patch:
        patch.setattr(view.workspace.corrections, "put", full)
        click(view, qtbot, row.right)
    assert view.panel.notice.sentence() == "The disk is full." and pressed(row) is Verdict.NONE
    click(view, qtbot, row.right)
    assert pressed(row) is kept(view).verdict is Verdict.RIGHT and not view.panel.notice.isVisible()


def test_a_verdict_pressed_twice_at_once_is_taken_back(view: AskView, row: VerdictRow, qtbot: QtBot) -> None:
    sheet_with(view, TIDES)
    ask(view, qtbot, "When is it noon?")
    row.right.click()
    row.right.click()
    rest(view, qtbot)
    assert pressed(row) is Verdict.NONE and view.workspace.corrections.count() == 0
    row.right.click()
    row.absent.click()
    view.keep()
    assert kept(view).verdict is Verdict.NOT_THERE, "also where the window closes at once"


def test_a_verdict_that_waits_for_another_one_is_on_the_answer_that_it_was_given_on(
    view: AskView, row: VerdictRow, qtbot: QtBot, tmp_path: Path
) -> None:
    is_open(view, qtbot, [write(tmp_path, "html")])
    ask(view, qtbot, "How low is it at six?")
    is_open(view, qtbot, [write(tmp_path, "txt")])
    ask(view, qtbot, "When is it noon?")
    rest(view, qtbot)
    row.absent.click()
    row.right.click()
    view.sheets.previous()
    assert row.isVisible()
    row.absent.click()
    rest(view, qtbot)
    assert {(one.name, one.verdict) for one in view.workspace.corrections.all()} == {
        ("tides.html", Verdict.NOT_THERE),
        ("tides.txt", Verdict.RIGHT),
    }
    assert pressed(row) is Verdict.NOT_THERE
    view.sheets.next()
    assert pressed(row) is Verdict.RIGHT


@pytest.mark.parametrize("kind", ["pdf", "html"])
def test_what_was_said_is_there_at_the_next_start_and_from_the_history(
    make: Callable[[], AskView], qtbot: QtBot, tmp_path: Path, kind: str
) -> None:
    first = make()
    sheet = is_open(first, qtbot, [write(tmp_path, kind)])
    ask(first, qtbot, "When is it noon?")
    select_words(sheet.pane, "six")
    click(first, qtbot, first.panel.card.verdicts.instead)
    first.keep()
    first.workspace.save_settings()
    first.workspace.close()
    view = make()
    row = view.panel.card.verdicts
    qtbot.waitUntil(lambda: view.sheets.current().is_open and row.isVisible())
    qtbot.waitUntil(lambda: pressed(row) is Verdict.OTHER_WORDS)
    assert row.yours.text() == "Yours: six" and own_words(view.sheets.current()) == "six"
    view.sheets.close_current()
    assert not row.isVisible()
    (entry,) = view.workspace.history.entries()
    view.open_entry(entry)
    qtbot.waitUntil(lambda: row.isVisible() and pressed(row) is Verdict.OTHER_WORDS)
    rest(view, qtbot)
    view.workspace.corrections.delete([kept(view).number])
    view.shown()
    rest(view, qtbot)
    assert pressed(row) is Verdict.NONE and not own_words(view.sheets.current()), "deleted on another page"
    ask(view, qtbot, "How low is it at six?")
    assert pressed(row) is Verdict.NONE, "that is another question"


def test_an_entry_of_the_history_is_opened_at_the_words_that_the_person_took(
    view: AskView, row: VerdictRow, qtbot: QtBot, tmp_path: Path
) -> None:
    file = tmp_path / "tides.txt"
    file.write_text("The tide is high at noon.\n" + "It rises.\n" * 300 + "It is low at six.", "utf-8")
    sheet = is_open(view, qtbot, [file])
    ask(view, qtbot, "When is it noon?")
    select_words(sheet.pane, "six")
    click(view, qtbot, row.instead)
    view.sheets.close_current()
    (entry,) = view.workspace.history.entries()
    view.open_entry(entry)
    qtbot.waitUntil(lambda: row.isVisible() and pressed(row) is Verdict.OTHER_WORDS)
    rest(view, qtbot)
    again = view.sheets.current()
    assert own_words(again) == "six" and again.reading_place() > 1000
    again.pane.go_to(0)
    view.shown()
    rest(view, qtbot)
    assert again.reading_place() == 0, "the page stays where the person has scrolled it"


def test_no_verdict_is_offered_on_a_file_that_has_changed_since(
    make: Callable[[], AskView], qtbot: QtBot, tmp_path: Path
) -> None:
    first = make()
    path = write(tmp_path, "txt")
    is_open(first, qtbot, [path])
    ask(first, qtbot, "When is it noon?")
    path.write_text(f"{TIDES}\nNobody swims.", "utf-8")
    view = make()
    (entry,) = view.workspace.history.entries()
    view.open_entry(entry)
    qtbot.waitUntil(lambda: view.panel.card.isVisible())
    rest(view, qtbot)
    assert view.panel.card.answer.text() == "noon" and not view.panel.card.verdicts.isVisible()
    ask(view, qtbot, "When is it noon?")
    assert view.panel.card.verdicts.isVisible()
