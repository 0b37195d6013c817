"""Pages that are pictures: recognised in the background, page after page, stopped and continued, and said so."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.core.layout import Opened
from app.core.report import Report, Silent
from app.core.requests import Question
from app.flows.ask.document_process import Documents
from app.flows.ask.recognise import recognise_pages
from app.flows.history.history import past
from app.flows.workspace import Workspace
from app.ui.ask import page_recogniser
from app.ui.ask.ask import AskView
from app.ui.ask.run import AskRun, RunState, Scope, ScopeKind
from app.ui.ask.session import AskSession
from app.ui.ask.sheet import Sheet
from app.ui.document.pdf.page_pane import PagePane
from tests.helpers.open_files import ask, is_open
from tests.helpers.scans import letter, needs_tesseract, scan
from tests.helpers.small_pdfs import Page

pytestmark = needs_tesseract


def small(text: str) -> Page:
    """A quarter of a sheet, which is recognised sooner than a whole one."""
    return letter(text, width=306, height=396)


FIRST, SECOND = small("The knave stole the tarts."), small("Nobody saw the gardener.")
BIRDS = "thrush nightingale robin wren blackbird lark warbler finch".split()
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture(scope="module")
def documents() -> Iterator[Documents]:
    """Real processes: documents are read while pictures are recognised."""
    documents = Documents()
    yield documents
    documents.close()


@pytest.fixture
def view(make: Callable[[], AskView], documents: Documents) -> Iterator[AskView]:
    page = make()
    page.workspace.documents = documents
    yield page
    for lane in (page.lanes.documents, page.lanes.recognition):
        assert lane.close(30), "the next test's is the only thread that uses a process"


def shown(sheet: Sheet) -> str:
    opened = sheet.session.opened
    return opened.document.text if opened is not None else ""


def type_question(view: AskView, qtbot: QtBot, question: str) -> None:
    view.panel.box.select()
    qtbot.keyClicks(view.panel.box.field, question)
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_Return)


def recognised(view: AskView, qtbot: QtBot, sheet: Sheet) -> None:
    qtbot.waitUntil(
        lambda: sheet.session.opened is not None and not sheet.session.opened.pictures, timeout=30_000
    )
    qtbot.waitUntil(lambda: view.lanes.recognition.idle and view.lanes.documents.idle)


def robin_found(view: AskView, qtbot: QtBot, sheet: Sheet) -> None:
    """Have the pages of birds recognised, and wait for the first three."""
    qtbot.mouseClick(view.recogniser.bars[sheet].begin, LEFT)
    qtbot.waitUntil(lambda: "robin" in shown(sheet), timeout=30_000)


def answered(view: AskView, qtbot: QtBot, session: AskSession) -> AskRun:
    """The last question of a session, once its answer is there and kept."""
    qtbot.waitUntil(
        lambda: session.run is not None and session.waiting is None and not session.run.is_running
    )
    qtbot.waitUntil(lambda: view.lanes.files.idle)
    assert session.run is not None
    return session.run


@cache
def birds() -> bytes:
    """A scan of eight pages."""
    return scan([small(f"The {word} sings.") for word in BIRDS])


def offered(view: AskView, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sheet:
    """Return the sheet of the scan of birds, whose recognition waits for its button."""
    monkeypatch.setattr(page_recogniser, "MOST_UNASKED", 2)
    (tmp_path / "scan.pdf").write_bytes(birds())
    return is_open(view, qtbot, [tmp_path / "scan.pdf"])


@pytest.fixture
def go_on(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """An event: after three pages, the others are recognised only once it is set."""
    event = threading.Event()

    def in_two_parts(
        workspace: Workspace, opened: Opened, pages: Sequence[int], report: Report, *, password: str
    ) -> None:
        recognise_pages(workspace, opened, pages[:3], report, password=password)
        while not event.wait(0.005):
            report.check()
        recognise_pages(workspace, opened, pages[3:], report, password=password)

    monkeypatch.setattr(page_recogniser, "recognise_pages", in_two_parts)
    return event


def test_a_scan_is_read_by_itself_and_its_page_and_its_answer_say_so(
    view: AskView, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "scan.pdf").write_bytes(scan([FIRST, SECOND]))
    sheet = is_open(view, qtbot, [tmp_path / "scan.pdf"])
    bar = view.recogniser.bars[sheet]
    assert bar.isVisible() and bar.strip.words().startswith("Recognising") and not sheet.banner.isVisible()
    recognised(view, qtbot, sheet)
    assert shown(sheet) == "The knave stole the tarts.\n\nNobody saw the gardener."
    assert not bar.isVisible() and "recognised in their pictures" in sheet.banner.sentence()
    pane = sheet.pane
    assert isinstance(pane, PagePane)
    assert pane.page_note(0).startswith("Text recognised, English, 9")
    assert "Text recognised" in pane.accessibleDescription()
    ask(view, qtbot, "Who saw the gardener")
    assert sheet.session.run is not None and sheet.session.run.lit == (True,)
    assert "Text recognised, English" in view.panel.card.likely.text()
    assert "Text recognised" in view.panel.card.accessibleName()
    assert pane.light_boxes(0), "the box on the picture is lit"


def test_many_pages_are_offered_stopped_and_gone_on_with(
    view: AskView, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, go_on: threading.Event
) -> None:
    sheet = offered(view, qtbot, tmp_path, monkeypatch)
    bar = view.recogniser.bars[sheet]
    assert bar.words.text() == "8 pages are pictures. To recognise their text takes about 32 seconds."
    qtbot.mouseClick(bar.begin, LEFT)
    qtbot.waitUntil(lambda: "sings" in shown(sheet), timeout=30_000)
    view.recogniser.stop(sheet)
    qtbot.waitUntil(lambda: view.lanes.recognition.idle and view.lanes.documents.idle)
    assert sheet.session.opened is not None
    assert sheet.session.opened.pictures
    assert bar.words.text().startswith("Stopped: ") and bar.begin.text() == "Go on"
    go_on.set()
    qtbot.mouseClick(bar.begin, LEFT)
    recognised(view, qtbot, sheet)
    assert shown(sheet).count("sings") == 8
    # Opened again, it is there at once.
    view.sheets.close(view.sheets.all().index(sheet))
    again = is_open(view, qtbot, [tmp_path / "scan.pdf"])
    assert shown(again).count("sings") == 8 and again not in view.recogniser.bars


def test_a_question_waits_for_all_pages_that_are_recognised(
    view: AskView, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, go_on: threading.Event
) -> None:
    sheet = offered(view, qtbot, tmp_path, monkeypatch)
    robin_found(view, qtbot, sheet)
    type_question(view, qtbot, "Who is the finch")
    assert sheet.session.waiting is not None and sheet.session.run is None
    assert view.panel.strip.words() == "Waiting for the text of 5 pages"
    go_on.set()
    recognised(view, qtbot, sheet)
    run = answered(view, qtbot, sheet.session)
    assert run.lit == (True,) and run.note.startswith("8 pages read whole")
    assert [entry.words for entry in past(view.workspace, "", Silent()).entries] == ["finch"]


def test_a_paused_question_goes_on_while_a_newer_one_waits_for_its_pages(
    view: AskView, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, go_on: threading.Event
) -> None:
    sheet = offered(view, qtbot, tmp_path, monkeypatch)
    session = sheet.session
    robin_found(view, qtbot, sheet)
    opened = sheet.current_document()
    session.run = earlier = AskRun(Question("Who is the robin", (opened.document,)), (opened,))
    earlier.pause()
    type_question(view, qtbot, "Who is the finch")
    view.controller.next_soon()
    qtbot.waitUntil(lambda: earlier.state is RunState.DONE)
    assert session.run is earlier and session.waiting is not None
    go_on.set()
    recognised(view, qtbot, sheet)
    run = answered(view, qtbot, session)
    assert run is not earlier and run.lit == (True,)


def test_after_a_stop_a_refusal_says_that_pages_are_not_recognised(
    view: AskView, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, go_on: threading.Event
) -> None:
    sheet = offered(view, qtbot, tmp_path, monkeypatch)
    robin_found(view, qtbot, sheet)
    type_question(view, qtbot, "Who is the finch")
    view.recogniser.stop(sheet)
    run, card = answered(view, qtbot, sheet.session), view.panel.card
    assert card.answer.text() == "No answer in the part that was read"
    assert card.over.text() == "5 pages were not read: the text in their pictures is not recognised."
    assert view.recogniser.bars[sheet].words.text().startswith("Stopped: 5 pages")
    assert run.note.startswith("3 pages read whole")
    view.controller.copy_on_page()
    assert QGuiApplication.clipboard().text() == "No answer in the part that was read."
    assert not past(view.workspace, "", Silent()).entries
    ask(view, qtbot, "Who is the thrush")
    assert answered(view, qtbot, sheet.session).lit == (True,)
    assert [entry.words for entry in past(view.workspace, "", Silent()).entries] == ["thrush"]


def test_open_documents_are_asked_once_all_pages_have_their_text(
    view: AskView, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "scan.pdf").write_bytes(scan([FIRST, SECOND]))
    sheet = is_open(view, qtbot, [tmp_path / "scan.pdf"])
    view.presenter.set_scope(Scope(ScopeKind.OPEN))
    type_question(view, qtbot, "Who saw the gardener")
    session = view.controller.across
    assert session.waiting is not None and view.panel.strip.words() == "Waiting for the text of 2 pages"
    recognised(view, qtbot, sheet)
    assert answered(view, qtbot, session).is_answered


def test_the_line_below_shows_while_pictures_wait_and_once_they_have_their_text(
    view: AskView, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sheet = offered(view, qtbot, tmp_path, monkeypatch)
    assert view.tools is not None
    line = view.tools.line
    assert line.isVisible() and line.field.isVisible()
    qtbot.keyClick(view, Qt.Key.Key_G, Qt.KeyboardModifier.ControlModifier)
    assert line.field.hasFocus()
    qtbot.keyClicks(line.field, "5")
    qtbot.keyClick(line.field, Qt.Key.Key_Return)
    assert sheet.pane.number() == 5
    qtbot.mouseClick(view.recogniser.bars[sheet].begin, LEFT)
    recognised(view, qtbot, sheet)
    assert line.isVisible() and line.field.text() == "5"


def test_the_place_stays_while_pages_get_their_text(view: AskView, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "scan.pdf").write_bytes(scan([FIRST, SECOND, FIRST]))
    sheet = is_open(view, qtbot, [tmp_path / "scan.pdf"])
    sheet.pane.map.setValue(sheet.pane.map.maximum() // 2)
    before = sheet.pane.map.value()
    recognised(view, qtbot, sheet)
    assert before > 0 and sheet.pane.map.value() == before


def test_closing_the_sheet_ends_it(view: AskView, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "scan.pdf").write_bytes(scan([FIRST] * 8))
    sheet = is_open(view, qtbot, [tmp_path / "scan.pdf"])
    view.sheets.close(view.sheets.all().index(sheet))
    qtbot.waitUntil(lambda: view.lanes.recognition.idle, timeout=20_000)
    assert not view.recogniser._jobs
