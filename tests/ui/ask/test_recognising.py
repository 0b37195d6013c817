"""Pictures of pages in the window: recognised in the background, page after page, stopped, gone on with, and told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.flows.ask.document_process import Documents
from app.ui.ask import recognising
from app.ui.ask.ask import AskView
from app.ui.ask.sheet import Sheet
from app.ui.document.pdf.page_pane import PagePane
from tests.helpers.open_files import ask, is_open, reader
from tests.helpers.scans import grey, letter, png, scan
from tests.helpers.windows import FakeEngine

FIRST, SECOND = letter("The knave stole the tarts."), letter("Nobody saw the gardener.")
BIRDS = "thrush nightingale robin wren blackbird lark warbler finch".split()
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def view(open_page: Callable[[type[AskView], FakeEngine], AskView]) -> Iterator[AskView]:
    """The page with documents processes of its own: reading goes on while pictures are recognised."""
    page = open_page(AskView, reader())
    page.workspace.documents = documents = Documents()
    yield page
    documents.close()


def shown(sheet: Sheet) -> str:
    opened = sheet.session.opened
    return opened.document.text if opened is not None else ""


def recognised(view: AskView, qtbot: QtBot, sheet: Sheet) -> None:
    qtbot.waitUntil(
        lambda: sheet.session.opened is not None and not sheet.session.opened.pictures, timeout=30_000
    )
    qtbot.waitUntil(lambda: view.lanes.recognition.idle and view.lanes.documents.idle)


def test_a_scan_is_read_by_itself_and_its_page_and_its_answer_say_so(
    view: AskView, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "scan.pdf").write_bytes(scan([FIRST, SECOND]))
    sheet = is_open(view, qtbot, [tmp_path / "scan.pdf"])
    bar = sheet.recognition_bar()
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


def test_a_question_waits_for_the_first_text(view: AskView, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "scan.png").write_bytes(png(*grey(FIRST, 200)))
    sheet = is_open(view, qtbot, [tmp_path / "scan.png"])
    view.panel.box.select()
    qtbot.keyClicks(view.panel.box.field, "Who stole the tarts")
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_Return)
    assert sheet.session.waiting is not None and sheet.session.run is None
    recognised(view, qtbot, sheet)
    qtbot.waitUntil(lambda: sheet.session.run is not None and not sheet.session.run.is_running)
    qtbot.waitUntil(lambda: view.lanes.files.idle)
    assert sheet.session.run is not None and sheet.session.run.reading is not None
    assert "knave" in shown(sheet)


def test_many_pages_are_offered_stopped_and_gone_on_with(
    view: AskView, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recognising, "MOST_BY_ITSELF", 2)
    monkeypatch.setattr(recognising, "_LEAST_SECONDS", 0.0)
    (tmp_path / "scan.pdf").write_bytes(scan([letter(f"The {word} sings.") for word in BIRDS]))
    sheet = is_open(view, qtbot, [tmp_path / "scan.pdf"])
    bar = sheet.recognition_bar()
    assert bar.words.text() == "8 pages are pictures. To recognise their text takes about 32 seconds."
    qtbot.mouseClick(bar.begin, LEFT)
    qtbot.waitUntil(lambda: "sings" in shown(sheet), timeout=30_000)
    assert view.recognising.stop(sheet)
    qtbot.waitUntil(lambda: view.lanes.recognition.idle and view.lanes.documents.idle)
    assert sheet.session.opened is not None
    assert sheet.session.opened.pictures
    assert bar.words.text().startswith("Stopped: ") and bar.begin.text() == "Go on"
    qtbot.mouseClick(bar.begin, LEFT)
    recognised(view, qtbot, sheet)
    assert shown(sheet).count("sings") == 8
    # Opened again, it is there at once.
    view.sheets.close(view.sheets.all().index(sheet))
    again = is_open(view, qtbot, [tmp_path / "scan.pdf"])
    assert shown(again).count("sings") == 8 and not again.has_recognition_bar


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
    assert not view.recognising._jobs
