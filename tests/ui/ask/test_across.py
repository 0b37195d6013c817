"""Questions about the open documents and about libraries: answers grouped by document, opened in place, and kept."""

from __future__ import annotations

import csv
import hashlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.corrections import Verdict
from app.core.library import FileState, Library, LibraryFile, LibraryStatus
from app.core.message import Message
from app.core.report import Progress, Report, Silent
from app.core.requests import ModelChoice, Question
from app.core.results import Answer, Outcome, Reading
from app.core.text import Span
from app.core.wording import percent
from app.flows.ask import recognise
from app.flows.library.update import update
from app.ui.ask import library_dialogs
from app.ui.ask.ask import AskView
from app.ui.ask.library_dialogs import Contents, UnreadFiles
from app.ui.ask.question_box import ScopeChoice
from app.ui.ask.run import AskRun, RunState, Scope, ScopeKind
from app.ui.ask.session import DocumentState
from app.ui.kit.libraries import Libraries
from tests.helpers.libraries import found_in
from tests.helpers.open_files import CARD
from tests.helpers.scans import needs_tesseract, scan
from tests.helpers.small_pdfs import Page, Words, locked_pdf
from tests.helpers.windows import FakeEngine

TEXTS = {
    "harbour.txt": "The harbour opens at six. The tide at the harbour is high at noon.\n\nThe harbour closes at ten.\n",
    "island.md": "# Island\n\nThe harbour of the island opens at seven.\n",
    "river.txt": "The ferry crosses the river twice a day.\n",
}


class Finder:
    """What the fake model process does: it finds the words asked for, in the order asked for.

    A question is "harbour: six, ten"; one that says "slow" goes on once `go_on` is set, after its first word. In one
    that says "vague" each word has a quarter of its probability.
    """

    def __init__(self) -> None:
        self.go_on = threading.Event()

    def __call__(self, question: Question, choice: ModelChoice | None, report: Report) -> Reading:
        wanted = question.text.partition(": ")[2].split(", ")
        found = []
        for word in wanted:
            for number, document in enumerate(question.documents):
                at = document.text.find(word)
                if at >= 0:
                    share = (0.2 if "vague" in question.text else 0.8) / 2 ** len(found)
                    found.append(Answer(number, Span(at, at + len(word)), word, share, 9.0 - len(found), 0.0))
        if "slow" in question.text:
            report.partial(Reading(tuple(found[:1]), True, 0.1, 0.4, 1, 4, 0.1, complete=False))
            report.progress(Progress(1, 4, "windows"))
            while not self.go_on.wait(0.002):
                report.check()
        no_answer = 0.05 if found else 0.97
        return Reading(tuple(found), bool(found), no_answer, 0.4, 4, 4, 0.1, absent=0.1)


@pytest.fixture
def finder() -> Iterator[Finder]:
    finder = Finder()
    yield finder
    finder.go_on.set()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "Coast"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text, "utf-8")
    return folder


@pytest.fixture
def engine(finder: Finder) -> FakeEngine:
    return FakeEngine(finder, CARD)


@pytest.fixture
def view(make: Callable[[], AskView], folder: Path, qtbot: QtBot) -> AskView:
    """Return the page with one library, whose files have been read."""
    page = make()
    library = page.workspace.library.save(Library(0, "Coast", (str(folder),)))
    update(page.workspace, library, Silent())
    give_libraries(page, qtbot)
    page.presenter.ask_library(library.number)
    return page


@pytest.fixture
def restart(view: AskView, make: Callable[[], AskView]) -> Callable[[], AskView]:
    """Closes the page that was opened last, and opens another one."""
    pages = [view]

    def again() -> AskView:
        pages[-1].keep()
        pages[-1].workspace.save_settings()
        pages.append(make())
        return pages[-1]

    return again


def shown_again(page: AskView, qtbot: QtBot) -> AskRun:
    """The question of the last start, once its library is listed."""
    give_libraries(page, qtbot)
    qtbot.waitUntil(lambda: page.presenter.asked().run is not None)
    run = page.presenter.asked().run
    assert run is not None
    return run


def give_libraries(page: AskView, qtbot: QtBot) -> Libraries:
    page.libraries.refresh()
    qtbot.waitUntil(lambda: bool(page.libraries.all))
    return page.libraries


def ask(view: AskView, qtbot: QtBot, question: str) -> AskRun:
    """Ask from the keyboard, and wait for the end."""
    run = start(view, qtbot, question)
    qtbot.waitUntil(lambda: not run.is_running)
    return run


def start(view: AskView, qtbot: QtBot, question: str) -> AskRun:
    view.panel.box.select()
    qtbot.keyClicks(view.panel.box.field, question)
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: (run := view.presenter.asked().run) is not None and run.question == question)
    run = view.presenter.asked().run
    assert run is not None
    return run


def lit(view: AskView, qtbot: QtBot) -> str:
    """Return the words highlighted strongly on the current page, once its file is open."""
    sheet = view.sheets.current()
    qtbot.waitUntil(lambda: sheet.is_open and bool(sheet.pane.lit()))
    return str(sheet.pane.lit()[sheet.pane.lights.chosen])


def titles(view: AskView) -> list[str]:
    return [sheet.title for sheet in view.sheets.all()]


def test_words_of_another_question_are_not_lit_beside_the_answers_of_a_library(
    view: AskView, qtbot: QtBot
) -> None:
    library = view.presenter.scope()
    view.presenter.set_scope(Scope())
    view.sheets.current().pane.set_text("The tide is high at noon.")
    ask(view, qtbot, "tide: noon")
    assert lit(view, qtbot) == "noon"
    view.presenter.set_scope(library)
    assert lit(view, qtbot) == "noon", "nothing else was asked yet"
    ask(view, qtbot, "harbour: six")
    assert not view.sheets.current().pane.lit()
    view.presenter.set_scope(Scope())
    assert lit(view, qtbot) == "noon"


def test_answers_in_a_library_are_grouped_by_document_and_opened_where_they_stand(
    view: AskView, qtbot: QtBot, folder: Path
) -> None:
    run = ask(view, qtbot, "harbour: six, seven, noon")
    places = [run.place(at) for at in range(3)]
    named = [(place.source, place.text, place.where) for place in places]
    assert named == [
        ("harbour.txt", "six", "line 1"),
        ("harbour.txt", "noon", "line 1"),
        ("island.md", "seven", "line 3, Island"),
    ], "not in the order of their probabilities"
    panel = view.panel
    assert panel.card.source.full_text() == "harbour.txt" and panel.card.answer.text() == "six"
    assert panel.list.places() == tuple(places[1:])
    assert places[1].sentence[places[1].start : places[1].end] == "noon"
    assert panel.scope.read.text() == "3 files read" and titles(view) == ["New text"]
    qtbot.keyClick(panel.box.field, Qt.Key.Key_F3)
    assert lit(view, qtbot) == "six" and titles(view) == ["harbour.txt"]
    assert view.sheets.current().session.is_preview
    qtbot.keyClick(panel.box.field, Qt.Key.Key_F3)
    assert lit(view, qtbot) == "noon" and panel.list.row() == 0
    qtbot.keyClick(panel.box.field, Qt.Key.Key_F3)
    assert titles(view) == ["island.md"], "the next one takes its place"
    assert lit(view, qtbot) == "seven" and panel.card.answer.text() == "six"
    qtbot.keyClick(panel.box.field, Qt.Key.Key_F3, Qt.KeyboardModifier.ShiftModifier)
    assert titles(view) == ["harbour.txt"] and lit(view, qtbot) == "noon"
    panel.card.copy.click()
    assert QGuiApplication.clipboard().text().endswith("(harbour.txt, line 1)")
    assert panel.box.question() == "harbour: six, seven, noon"


def test_a_file_opened_by_hand_is_what_is_asked_from_then_on(
    view: AskView, qtbot: QtBot, folder: Path
) -> None:
    settings = view.workspace.settings
    ask(view, qtbot, "harbour: six, seven")
    view.documents.open_asked.emit([folder / "island.md"])
    qtbot.waitUntil(lambda: view.sheets.current().is_open and titles(view) == ["island.md"])
    assert settings.ask_scope == "library:1", "a file of the list is looked at"
    view.panel.box.set_question("harbour: six, twice", [])
    view.open_files([folder / "river.txt"])
    assert settings.ask_scope == "" and not view.presenter.is_across()
    assert view.panel.box.question() == "harbour: six, twice", "what is typed comes along"
    qtbot.waitUntil(lambda: view.sheets.current().is_open)
    run = ask(view, qtbot, "harbour: twice")
    assert [document.document.name for document in run.documents] == ["river.txt"]
    view.presenter.ask_library(1)
    view.open_files([folder / "river.txt"])
    assert view.panel.box.question() == "harbour: twice", "it has a question of its own"
    assert view.panel.card.answer.text() == "twice"


def test_a_library_is_asked_where_it_was_added(view: AskView, qtbot: QtBot, tmp_path: Path) -> None:
    view.presenter.set_scope(Scope())
    libraries = give_libraries(view, qtbot)
    for name, scope in (("Elsewhere", ""), ("Here", "library:3")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text("The tide.", "utf-8")
        view.setVisible(name == "Here")
        with qtbot.waitSignal(libraries.added):
            libraries.add([tmp_path / name])
        assert view.workspace.settings.ask_scope == scope


def test_answers_in_a_library_are_there_after_a_restart(
    view: AskView, restart: Callable[[], AskView], qtbot: QtBot
) -> None:
    before = ask(view, qtbot, "harbour: six, seven, noon")
    recognised = Message("Text recognised, {percent} sure", percent=percent(0.94))
    before.found = tuple(replace(one, recognised=recognised) for one in before.found)
    view.panel.box.select()
    qtbot.keyClicks(view.panel.box.field, "And then?")
    closed_at_once = restart()
    qtbot.waitUntil(lambda: closed_at_once.lanes.files.idle)
    again = restart()
    run = shown_again(again, qtbot)
    assert run is not before and not again.controller.stop(again.sheets.current())
    assert [run.place(at) for at in range(3)] == [before.place(at) for at in range(3)]
    assert all(isinstance(one.recognised, Message) for one in run.found), "it can be translated"
    assert run.scope == before.scope and run.judged().best is not None and run.facts() == before.facts()
    assert again.panel.card.answer.text() == "six" and again.panel.box.question() == "And then?"
    qtbot.keyClick(again.panel.box.field, Qt.Key.Key_F3)
    assert lit(again, qtbot) == "six"


def test_what_a_library_shows_with_low_confidence_is_no_answer_after_a_restart_either(
    view: AskView, restart: Callable[[], AskView], qtbot: QtBot
) -> None:
    view.panel.threshold.changed.emit(0.9)
    before = ask(view, qtbot, "vague harbour: six")
    assert before.is_answered, "the person decides"
    again = restart()
    run = shown_again(again, qtbot)
    assert run.is_answered
    for page, one in ((view, before), (again, run)):
        page.panel.threshold.changed.emit(None)
        assert one.judged().outcome is Outcome.LOW_CONFIDENCE
        assert one.judged().threshold == 0.4


def test_the_last_question_to_a_library_is_there_after_a_restart_whatever_its_answers_opened(
    view: AskView, restart: Callable[[], AskView], qtbot: QtBot
) -> None:
    ask(view, qtbot, "harbour: six")
    view.presenter.step(1)
    assert lit(view, qtbot) == "six"
    ask(view, qtbot, "harbour: ten")
    again = restart()
    qtbot.waitUntil(lambda: again.sheets.current().title == "harbour.txt")
    shown_again(again, qtbot)
    assert again.panel.box.question() == "harbour: ten" and again.panel.card.answer.text() == "ten"


def test_answers_in_several_documents_are_saved_each_with_its_own(
    view: AskView, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(view, qtbot, "harbour: six, seven, noon")
    written = tmp_path / "answers.csv"
    monkeypatch.setattr("app.ui.kit.file_dialog.save_name", lambda *_: str(written))
    assert "Highlights in a copy of the PDF" not in [one.text() for one in view.panel.card.formats.actions()]
    next(one for one in view.panel.card.formats.actions() if one.data() == "csv").trigger()
    qtbot.waitUntil(written.exists)
    rows = list(csv.DictReader(written.read_text("utf-8-sig").splitlines()))
    assert [(row["document"], row["answer"], row["nearest"]) for row in rows] == [
        ("harbour.txt", "six", ""),
        ("island.md", "", "seven"),
    ]


@pytest.mark.parametrize("how", ["asked", "edited", "kept by key", "kept by mouse"])
def test_a_file_that_was_worked_on_stays(view: AskView, qtbot: QtBot, how: str) -> None:
    run = ask(view, qtbot, "harbour: six, seven")
    view.controller.choose(None, 0)
    assert lit(view, qtbot) == "six"
    sheet = view.sheets.current()
    if how == "asked":
        view.presenter.set_scope(Scope())
        ask(view, qtbot, "harbour: ten")
        view.presenter.ask_library(1)
        assert view.controller.across.run is run
    elif how == "edited":
        qtbot.keyClicks(sheet.editor, "Once: ")
    elif how == "kept by mouse":
        strip = view.tabs.strip
        qtbot.mouseDClick(strip, Qt.MouseButton.LeftButton, pos=strip.tabRect(0).center())
    else:
        both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        qtbot.keyClick(view.panel.box.field, Qt.Key.Key_K, both)
    assert not sheet.session.is_preview
    view.controller.choose(None, 1)
    assert titles(view) == ["harbour.txt", "island.md"] and lit(view, qtbot) == "seven"


def test_a_file_that_has_changed_since_says_so(view: AskView, qtbot: QtBot, folder: Path) -> None:
    ask(view, qtbot, "harbour: six, seven")
    (folder / "harbour.txt").write_text("Closed. " + TEXTS["harbour.txt"], "utf-8")
    (folder / "island.md").write_text("# Island\n\nNothing.\n", "utf-8")
    view.controller.choose(None, 0)
    assert lit(view, qtbot) == "six"
    notice = view.panel.notice
    qtbot.waitUntil(lambda: notice.sentence() == "The document has changed since this was asked.")
    view.controller.choose(None, 1)
    qtbot.waitUntil(lambda: view.sheets.current().is_open and notice.isVisible())
    assert view.sheets.current().pane.lit() == []


def test_no_file_answers(view: AskView, qtbot: QtBot, folder: Path) -> None:
    (folder / "empty.txt").write_text("", "utf-8")
    library = view.workspace.library.library("Coast")
    update(view.workspace, library, Silent())
    ask(view, qtbot, "harbour: eleven")
    card = view.panel.card
    assert card.answer.text() == "Not in 3 of 4 files"
    assert percent(0.97) in card.likely.text()
    assert not view.panel.list.isVisible() and view.sheets.current().is_untouched()


def test_better_answers_come_while_reading_and_a_stop_keeps_them(
    view: AskView, qtbot: QtBot, finder: Finder
) -> None:
    run = start(view, qtbot, "slow harbour: six, ten")
    qtbot.waitUntil(lambda: run.progress is not None)
    panel = view.panel
    assert panel.card.answer.text() == "six"
    assert panel.strip.words().startswith("Reading the best passages of 3 files")
    view.controller.choose(None, 0)
    assert lit(view, qtbot) == "six"
    assert view.stop() and run.state is RunState.STOPPED and not view.stop()
    assert panel.card.answer.text() == "six" and "Stopped after" in panel.card.over.text()
    history = view.workspace.history
    qtbot.waitUntil(lambda: history.count() == 1)
    entry = history.entries()[0]
    assert Path(entry.path).name == "harbour.txt" and entry.answers[0].text == "six" and not entry.complete


def test_a_question_about_one_document_goes_first_and_the_other_goes_on_by_itself(
    view: AskView, qtbot: QtBot, finder: Finder
) -> None:
    run = start(view, qtbot, "slow harbour: seven")
    qtbot.waitUntil(lambda: run.reading is not None)
    view.presenter.set_scope(Scope())
    view.sheets.current().pane.set_text("The gate is shut at nine.")  # type: ignore[union-attr]
    finder.go_on.clear()
    gate = ask(view, qtbot, "gate: nine")
    assert gate.state is RunState.DONE and run.is_running
    finder.go_on.set()
    qtbot.waitUntil(lambda: run.state is RunState.DONE)
    assert run.answers()[0].text == "seven" and view.panel.card.answer.text() == "nine"


def test_all_open_documents_are_asked_also_those_that_were_not_read_yet(
    view: AskView, qtbot: QtBot, folder: Path
) -> None:
    view.open_files([folder / "harbour.txt", folder / "island.md"])
    qtbot.waitUntil(lambda: all(sheet.is_open for sheet in view.sheets.all()))
    (folder / "locked.pdf").write_bytes(locked_pdf("The harbour opens at six.", "secret"))
    view.open_files([folder / "locked.pdf"])
    asleep = view.sheets.all()[0]
    asleep.show_opening(str(folder / "harbour.txt"), "harbour.txt", DocumentState.ASLEEP)
    view.sheets.show_new()
    view.sheets.current().pane.set_text("A note: six oranges.")  # type: ignore[union-attr]
    view.presenter.set_scope(Scope(ScopeKind.OPEN))
    run = ask(view, qtbot, "harbour: six, seven")
    assert [run.place(at).source for at in range(3)] == ["harbour.txt", "A note: six oranges.", "island.md"]
    assert view.panel.notice.sentence() == "Not asked, as it is not open: locked.pdf."
    view.panel.list.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(view.panel.list, Qt.Key.Key_Down)
    assert view.sheets.current().title == "A note: six oranges." and lit(view, qtbot) == "six"
    assert not any(sheet.session.is_preview for sheet in view.sheets.all())
    assert view.workspace.settings.ask_scope == "open"
    ask(view, qtbot, "harbour: midnight")
    assert view.panel.card.answer.text() == "Not in the 3 open documents"


@pytest.mark.qt_log_ignore("This plugin does not support")  # as the offscreen platform says of every menu
def test_what_is_asked_is_chosen_by_keyboard_and_remembered(view: AskView, qtbot: QtBot) -> None:
    assert view.workspace.settings.ask_scope == "library:1"
    view.presenter.set_scope(Scope())
    menu = view.panel.scope.menu
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(menu.isVisible)
    words = [action.text() for action in menu.actions() if action.text()]
    assert words == [
        "In this document",
        "In the open documents (0)",
        "In Coast\t3 files read",
        "Add a folder…",
    ]
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Return):
        qtbot.keyClick(menu, key)
    assert view.panel.scope.scope == Scope(ScopeKind.LIBRARY, 1)


@pytest.mark.qt_log_ignore("This plugin does not support")  # as the offscreen platform says of every menu
def test_libraries_listed_while_the_menu_is_open_come_into_it(view: AskView, qtbot: QtBot) -> None:
    scope, libraries = view.panel.scope, view.findChild(Libraries)
    assert libraries is not None
    listed, libraries._all = libraries._all, ()
    scope.menu.popup(view.mapToGlobal(view.rect().center()))
    qtbot.waitUntil(scope.menu.isVisible)
    assert not any("Coast" in action.text() for action in scope.menu.actions())
    libraries._all = listed
    libraries.changed.emit()
    assert any("Coast" in action.text() for action in scope.menu.actions())
    assert scope.menu.height() >= scope.menu.sizeHint().height()
    scope.menu.close()


def test_a_library_that_is_gone_is_not_asked(view: AskView, qtbot: QtBot) -> None:
    libraries = view.findChild(Libraries)
    assert libraries is not None and view.presenter.is_across()
    libraries.remove(libraries.all[0][0])
    qtbot.waitUntil(lambda: not view.presenter.is_across())
    assert not view.panel.scope.read.isVisible()


def test_the_files_that_were_not_read_are_a_click_away(view: AskView, qtbot: QtBot, folder: Path) -> None:
    (folder / "locked.pdf").write_bytes(locked_pdf("The harbour", "secret"))
    update(view.workspace, view.workspace.library.library("Coast"), Silent())
    (folder / "gone.txt").write_text("Soon gone.", "utf-8")
    update(view.workspace, view.workspace.library.library("Coast"), Silent())
    (folder / "gone.txt").unlink()
    update(view.workspace, view.workspace.library.library("Coast"), Silent())
    for name in ("pier.jpg", "boat.jpg"):
        (folder / name).write_bytes(b"a picture")
    view.panel.scope.read.click()
    unread = view.findChild(UnreadFiles)
    assert unread is not None
    qtbot.waitUntil(lambda: bool(unread.model.rows))
    qtbot.waitUntil(unread.left_out.isVisible)
    assert unread.left_out.text() == "Files of other kinds, left out: 2 jpg"
    assert unread.recognise.isHidden(), "none of them is a scan"
    assert [Path(file.path).name for file in unread.model.rows] == ["gone.txt", "locked.pdf"]
    unread.list.setCurrentIndex(unread.list.model().index(1, 0))
    assert (
        unread.words.text() == "3 of 4 files read. Not read, or only in part:"
        and unread.act.text() == "Enter it"
    )
    unread.act.click()
    QApplication.processEvents()
    sheet = view.sheets.current()
    qtbot.waitUntil(lambda: sheet.opening is not None and sheet.opening.lock.isVisible())
    assert sheet.opening is not None
    sheet.opening.lock.entered.emit("secret")
    index = view.workspace.library
    qtbot.waitUntil(lambda: not index.files(index.library("Coast"), [FileState.LOCKED]))
    assert ask(view, qtbot, "harbour").scope.library
    qtbot.waitUntil(lambda: view.panel.scope.read.text() == "4 files read")


def test_the_whole_reason_why_a_file_was_not_read_is_shown(view: AskView, qtbot: QtBot) -> None:
    short, long = "It is damaged.", "It is damaged, and no page of it can be read. " * 4
    files = [
        LibraryFile(at, f"/docs/{at}.pdf", FileState.FAILED, why) for at, why in enumerate((short, long))
    ]
    unread = UnreadFiles(view, *view.libraries.all[0])
    unread.show()
    qtbot.waitUntil(lambda: view.lanes.files.idle)
    unread.model.take(files)
    unread.list.show()
    line = QFontMetrics(view.theme.font("small"))
    heights = {}
    for width in (700, 400):
        unread.resize(width, 480)
        QApplication.processEvents()
        room = unread.list.viewport().width()
        rows = [unread.list.visualRect(unread.model.index(at, 0)) for at in (0, 1)]
        lines = -(-line.horizontalAdvance(long) // room)
        heights[width] = rows[1].height()
        assert rows[1].width() == room and heights[width] >= rows[0].height() + (lines - 1) * line.height()
    assert heights[400] > heights[700]
    unread.reject()


def test_the_window_does_not_wait_for_the_heights_of_many_rows(view: AskView, qtbot: QtBot) -> None:
    unread = UnreadFiles(view, *view.libraries.all[0])
    unread.show()
    qtbot.waitUntil(lambda: view.lanes.files.idle)
    unread.model.take([LibraryFile(at, f"/docs/{at}.pdf", FileState.FAILED, "Why.") for at in range(3000)])
    unread.list.show()
    first, last = (unread.model.index(at, 0) for at in (0, 2999))
    unread.list.setCurrentIndex(first)
    assert not unread.list.visualRect(first).isEmpty() and unread.list.visualRect(last).isEmpty()
    qtbot.waitUntil(lambda: not unread.list.visualRect(last).isEmpty())
    unread.reject()


def test_a_librarys_name_has_the_room_that_there_is(view: AskView, qtbot: QtBot) -> None:
    scope = ScopeChoice(view.theme)
    qtbot.addWidget(scope)
    name = "Minutes and contracts"
    status = LibraryStatus({FileState.READ: 7, FileState.FAILED: 2}, in_part=1)
    scope.show_scope(Scope(ScopeKind.LIBRARY, 1), (Library(1, name), status))
    scope.show()
    for width in (800, 290):
        scope.resize(width, scope.heightForWidth(width))
        QApplication.processEvents()
        assert scope.button.shown() == name
        assert scope.read.width() == scope.read.sizeHint().width() and scope.read.geometry().right() < width


def test_a_dialog_that_is_closed_looks_at_no_more_files(
    view: AskView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def walk_on(library: Library, report: Report) -> None:
        while True:
            report.check()
            time.sleep(0.002)

    monkeypatch.setattr(library_dialogs, "walk", walk_on)
    library, status = view.libraries.all[0]
    for dialog in (UnreadFiles(view, library, status), Contents(view, library)):
        dialog.open()
        qtbot.waitUntil(lambda: not view.lanes.folders.idle)
        dialog.reject()
        qtbot.waitUntil(lambda: view.lanes.folders.idle)


@needs_tesseract
def test_all_scans_of_a_library_are_recognised_below_the_list_of_unread_files(
    view: AskView, qtbot: QtBot, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recognise, "MOST_UNASKED", 0)
    (folder / "scan.pdf").write_bytes(scan([Page([Words("The lantern burns at dusk.")])]))
    update(view.workspace, view.workspace.library.library("Coast"), Silent(), recognise=0)
    give_libraries(view, qtbot)
    view.panel.scope.read.click()
    unread = view.findChild(UnreadFiles)
    assert unread is not None
    qtbot.waitUntil(unread.recognise.isVisible)
    (file,) = unread.model.rows
    assert f"“{unread.recognise.text()}”" in file.why_unread
    unread.recognise.click()
    assert view.libraries.progress_of(view.libraries.all[0][0]) is not None, (
        "with its progress, and to be stopped"
    )
    qtbot.waitUntil(lambda: view.panel.scope.read.text() == "4 files read", timeout=60_000)
    index = view.workspace.library
    assert found_in(index, index.library("Coast"), "lantern") == ["scan.pdf"]


def test_a_verdict_is_on_the_answer_whose_document_is_open(view: AskView, qtbot: QtBot, folder: Path) -> None:
    row, corrections = view.panel.card.verdicts, view.workspace.corrections
    ask(view, qtbot, "harbour: six, seven, noon")
    qtbot.waitUntil(lambda: view.lanes.files.idle)
    assert not row.isVisible(), "none of the documents is open"
    view.presenter.step(1)
    assert lit(view, qtbot) == "six"
    qtbot.waitUntil(row.isVisible)
    assert row.about.isHidden()
    row.right.click()
    qtbot.waitUntil(row.right.isChecked)
    (said,) = corrections.all()
    assert (said.words, said.name, said.verdict) == ("six", "harbour.txt", Verdict.RIGHT)
    assert said.weights == "", "how sure it is follows from questions about one document"
    assert said.sha256 == hashlib.sha256((folder / "harbour.txt").read_bytes()).hexdigest()
    view.presenter.step(1)
    assert lit(view, qtbot) == "noon" and row.right.isChecked() and row.about.isHidden()
    row.instead.click()
    qtbot.waitUntil(row.instead.isChecked)
    (said,) = corrections.all()
    assert (said.words, said.shown) == ("noon", "six"), "the other place in the document of the card's answer"
    view.presenter.step(1)
    assert lit(view, qtbot) == "seven"
    qtbot.waitUntil(lambda: not row.about.isHidden())
    assert row.about.text() == "About “seven” in island.md:"
    qtbot.waitUntil(lambda: view.lanes.files.idle)
    assert not row.instead.isChecked(), "that was said of the other one"
    row.absent.click()
    qtbot.waitUntil(row.absent.isChecked)
    assert {(one.name, one.verdict) for one in corrections.all()} == {
        ("harbour.txt", Verdict.OTHER_WORDS),
        ("island.md", Verdict.NOT_THERE),
    }
    view.presenter.step(-1)
    assert lit(view, qtbot) == "noon"
    qtbot.waitUntil(row.instead.isChecked)
    assert row.yours.text() == "Yours: noon"
    view.sheets.show_new()
    assert not row.isVisible(), "a text that was not asked is on the page"


def test_a_verdict_on_one_of_the_open_documents_is_on_the_tab_that_is_up(
    view: AskView, qtbot: QtBot, folder: Path
) -> None:
    row = view.panel.card.verdicts
    view.open_files([folder / "harbour.txt", folder / "island.md"])
    qtbot.waitUntil(lambda: all(sheet.is_open for sheet in view.sheets.all()))
    view.presenter.set_scope(Scope(ScopeKind.OPEN))
    ask(view, qtbot, "harbour: seven, noon")
    for _ in range(2):
        view.presenter.step(1)
        qtbot.waitUntil(row.isVisible)
    assert lit(view, qtbot) == "noon" and row.about.text().startswith("About “noon” in harbour.txt")
    view.sheets.bring(titles(view).index("island.md"))
    qtbot.waitUntil(row.about.isHidden)
    row.right.click()
    qtbot.waitUntil(row.right.isChecked)
    (said,) = view.workspace.corrections.all()
    assert (said.words, said.name) == ("seven", "island.md")
    view.presenter.set_scope(Scope())
    assert view.panel.card.answer.text() == "seven"
    qtbot.waitUntil(row.right.isChecked)
