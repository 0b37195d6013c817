"""A long document is prepared for questions while the window is idle, and never in anybody's way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.errors import SpanlightError
from app.core.report import Report
from app.core.requests import ModelChoice
from app.core.text import Document
from app.ui.window.idle import LONG
from app.ui.window.window import MainWindow
from tests.helpers.resting import OTHER, READER, HeldEngine

PROSE = "The knave stole the tarts.\n" * (LONG // 20)
AFTER = 500  # milliseconds; more than it waits for the page


class PreparingEngine(HeldEngine):
    """Prepares until a test lets it continue, and records how that ended."""

    def __init__(self) -> None:
        super().__init__(READER, OTHER)
        self.go_on.set()

    def prepare(self, documents: Sequence[Document], choice: ModelChoice, report: Report) -> None:
        self.hold(report)
        super().prepare(documents, choice, report)
        self.said.append("prepared")


@pytest.fixture
def engine() -> PreparingEngine:
    return PreparingEngine()


@pytest.fixture
def opened(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> Callable[..., Document]:
    """Opens a file with a text, and waits until it stands there."""

    def open_text(text: str = PROSE, name: str = "tarts.txt") -> Document:
        (tmp_path / name).write_text(text)
        window.open_files([tmp_path / name])
        sheets = window.page.sheets  # type: ignore[attr-defined]
        qtbot.waitUntil(
            lambda: sheets.current().session.opened is not None and sheets.current().session.name == name
        )
        document: Document = sheets.current().session.opened.document
        return document

    return open_text


def test_a_file_is_made_ready_once_and_another_one_after_it(
    window: MainWindow, engine: PreparingEngine, opened: Callable[..., Document], qtbot: QtBot
) -> None:
    first = opened()
    qtbot.waitUntil(lambda: engine.prepared == [first])
    qtbot.wait(AFTER)
    second = opened(PROSE + "And ate them.", "eaten.txt")
    qtbot.waitUntil(lambda: engine.prepared == [first, second] and window.lanes.work.idle)
    window.lanes.work.start(lambda report: None)
    qtbot.wait(AFTER)
    assert engine.prepared == [first, second], "it is ready still"
    assert window.status.state() == "Reader ready, on CPU"
    window.reader.start()
    qtbot.waitUntil(lambda: engine.prepared == [first, second, second])  # another process has nothing of it


def test_a_file_whose_long_lines_were_broken_is_still_that_file(
    window: MainWindow, engine: PreparingEngine, opened: Callable[..., Document], qtbot: QtBot
) -> None:
    document = opened("The knave stole the tarts. " * LONG)
    sheet = window.page.sheets.current()  # type: ignore[attr-defined]
    assert sheet.is_file() and sheet.current_document() is sheet.session.opened
    assert document.text == sheet.pane.text() and "\n" in document.text
    qtbot.waitUntil(lambda: engine.prepared == [document])


def test_work_stops_it_at_once_and_it_goes_on_after_that(
    window: MainWindow, engine: PreparingEngine, opened: Callable[..., Document], qtbot: QtBot
) -> None:
    engine.go_on.clear()
    document = opened()
    qtbot.waitUntil(lambda: "begins" in engine.said)
    engine.said.clear()
    job = window.lanes.work.start(lambda report: engine.run("question", None, report))
    assert not window.lanes.work.blocker_of(job), "nobody is told to wait for it"
    qtbot.waitUntil(lambda: not job.running)
    assert engine.said[:2] == ["stopped", "run"]
    engine.go_on.set()
    qtbot.waitUntil(lambda: engine.prepared == [document])


@pytest.mark.parametrize("spoil", ["short", "edited", "away", "no reader", "no file"])
def test_nothing_is_made_ready_where_there_is_no_use(
    window: MainWindow, engine: PreparingEngine, opened: Callable[..., Document], qtbot: QtBot, spoil: str
) -> None:
    if spoil == "away":
        window.reader.put_away(15)
    if spoil == "no reader":
        engine.cards = ()
        window.reader.start()
        qtbot.waitUntil(lambda: window.lanes.work.idle)
    sheets = window.page.sheets  # type: ignore[attr-defined]
    if spoil == "no file":
        sheets.current().pane.set_text(PROSE)
    else:
        opened("The knave." if spoil == "short" else PROSE)
    if spoil == "edited":
        sheets.current().pane.insertPlainText("Not ")
    window.lanes.work.start_aside(lambda report: None)
    loads = len(engine.loads)
    qtbot.wait(AFTER)
    assert "begins" not in engine.said
    assert len(engine.loads) == loads, "the reader is not loaded for it"


def test_a_fault_is_not_told_and_not_met_again(
    window: MainWindow, engine: PreparingEngine, opened: Callable[..., Document], qtbot: QtBot
) -> None:
    engine.fault = SpanlightError("The tokenizer failed.", "Use another one.")
    opened()
    qtbot.waitUntil(lambda: "begins" in engine.said)
    qtbot.wait(AFTER)
    assert engine.said.count("begins") == 1
    assert not window.notice.isVisible()
    assert window.status.state() == "Reader ready, on CPU"
