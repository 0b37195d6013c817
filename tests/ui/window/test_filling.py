"""A table that was being filled is filled further after a restart, whatever page is shown."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.core.answer_table import AnswerTable, CellState
from app.core.models import Head, ModelCard
from app.core.report import Report, Silent
from app.core.requests import ModelChoice, Question
from app.core.results import Reading
from app.flows.answer_table.fill import is_incomplete
from app.flows.answer_table.questions import columns_of
from app.flows.answer_table.tables import save_table
from app.flows.library.libraries import plan_library, save_library
from app.flows.library.update import update
from app.ui.window.window import MainWindow
from tests.helpers.windows import FakeEngine, open_fake_workspace, settle

READER = ModelCard("reader", "/m/reader", "bert", (Head.QUESTION_ANSWERING,))


class Absent:
    """Finds no answer, once it is let go on."""

    def __init__(self) -> None:
        self.go_on = threading.Event()

    def __call__(self, request: Question, choice: ModelChoice | None, report: Report) -> Reading:
        while not self.go_on.wait(0.002):
            report.check()
        return Reading((), False, 0.9, 0.5, 1, 1, 0.01, model="reader", device="CPU", absent=0.5)


@pytest.fixture
def reader() -> Absent:
    return Absent()


@pytest.fixture
def engine(reader: Absent) -> FakeEngine:
    return FakeEngine(reader, READER)


@pytest.fixture
def table(engine: FakeEngine, spanlight_home: Path, tmp_path: Path) -> AnswerTable:
    """A table of two cells that no window has filled yet, the last one that was shown."""
    folder = tmp_path / "Leases"
    folder.mkdir()
    (folder / "lease.txt").write_text("The landlord is Anna.", "utf-8")
    workspace = open_fake_workspace(engine)
    library = save_library(workspace, plan_library(workspace, [folder]), Silent())
    update(workspace, library, Silent())
    columns = columns_of(("Who is it?", "Where is it?"))
    table = save_table(workspace, AnswerTable(0, "Checks", library.number, columns), Silent())
    assert is_incomplete(workspace, table.number, Silent())
    workspace.settings.last_table = table.number
    workspace.save_settings()
    workspace.close()
    return table


def started(window: MainWindow, qtbot: QtBot) -> MainWindow:
    """The window with its reader loaded, on the page Ask."""
    assert window.page.KEY == "ask" and "table" not in window.pages
    window.reader.start()
    qtbot.waitUntil(lambda: window.reader.is_loaded)
    settle(window, qtbot)
    return window


def test_a_table_goes_on_without_its_page(
    open_window: Callable[[], MainWindow], table: AnswerTable, reader: Absent, qtbot: QtBot
) -> None:
    window = started(open_window(), qtbot)
    qtbot.waitUntil(lambda: window.status.note() == "Filling Checks, 0%")
    assert window.status.pause.isVisibleTo(window) and window.page.KEY == "ask"
    window.show_page("table")
    assert not window.status.note() and not window.status.pause.isVisibleTo(window), "its head shows it"
    window.show_page("ask")
    asked = window.lanes.work.start(lambda report: reader.go_on.set())
    with qtbot.waitSignal(asked.done):
        pass  # the question of the person comes first
    qtbot.waitUntil(lambda: window.lanes.work.idle and not window.status.note().startswith("Filling"))
    assert not is_incomplete(window.workspace, table.number, Silent())
    cells = window.workspace.tables.cells(table).values()
    assert [cell.state for cell in cells] == [CellState.ABSENT] * 2
    assert not window.status.pause.isVisibleTo(window)


def test_a_table_is_paused_without_its_page_and_stays_so(
    open_window: Callable[[], MainWindow], table: AnswerTable, engine: FakeEngine, qtbot: QtBot
) -> None:
    window = started(open_window(), qtbot)
    qtbot.waitUntil(lambda: bool(engine.requests))
    qtbot.mouseClick(window.status.pause, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.lanes.work.idle)
    assert not window.status.note() and not window.status.pause.isVisibleTo(window)
    window.close()
    engine.requests.clear()
    again = started(open_window(), qtbot)
    qtbot.wait(100)
    assert "table" not in again.pages and not engine.requests


def test_other_tables_are_filled_after_the_current_one(
    open_window: Callable[[], MainWindow],
    table: AnswerTable,
    reader: Absent,
    qtbot: QtBot,
    engine: FakeEngine,
) -> None:
    workspace = open_fake_workspace(engine)
    columns = columns_of(("Who pays?",))
    others = [
        save_table(workspace, AnswerTable(0, name, table.library, columns), Silent())
        for name in ("One", "Two")
    ]
    workspace.close()
    window = started(open_window(), qtbot)
    qtbot.waitUntil(lambda: bool(engine.requests))
    assert [request.text for request in engine.requests] == ["Who is it?"]  # type: ignore[attr-defined]
    window.show_page("table")
    reader.go_on.set()
    qtbot.waitUntil(lambda: not is_incomplete(window.workspace, table.number, Silent()))
    reader.go_on.clear()
    qtbot.waitUntil(lambda: window.status.note().endswith("Filling One, 0%"), timeout=10_000)
    window.status.pause.click()
    assert window.workspace.settings.table_paused and "Filling" not in window.status.note()
    qtbot.waitUntil(lambda: window.lanes.work.idle)
    reader.go_on.set()
    window.workspace.settings.table_paused = False
    window.idle_filling.look()
    for other in others:
        qtbot.waitUntil(
            lambda one=other: not is_incomplete(window.workspace, one.number, Silent()), timeout=10_000
        )
    qtbot.waitUntil(lambda: window.lanes.work.idle and "Filling" not in window.status.note())


def test_files_that_are_read_while_another_table_is_filled_are_asked_too(
    open_window: Callable[[], MainWindow],
    table: AnswerTable,
    reader: Absent,
    qtbot: QtBot,
    engine: FakeEngine,
    tmp_path: Path,
) -> None:
    workspace, notes = open_fake_workspace(engine), tmp_path / "Notes"
    notes.mkdir()
    (notes / "note.txt").write_text("Ben is away.", "utf-8")
    library = save_library(workspace, plan_library(workspace, [notes]), Silent())
    update(workspace, library, Silent())
    other = save_table(workspace, AnswerTable(0, "One", library.number, columns_of(("Who?",))), Silent())
    workspace.close()
    reader.go_on.set()
    window = started(open_window(), qtbot)
    qtbot.waitUntil(lambda: not is_incomplete(window.workspace, table.number, Silent()))
    reader.go_on.clear()
    qtbot.waitUntil(lambda: window.status.note().endswith("Filling One, 0%"), timeout=10_000)
    (notes / "new.txt").write_text("Cy is here.", "utf-8")
    with qtbot.waitSignal(window.libraries.updated):
        window.libraries.update(library)
    reader.go_on.set()
    qtbot.waitUntil(lambda: not is_incomplete(window.workspace, other.number, Silent()), timeout=10_000)


def test_a_full_table_has_no_page_made(
    open_window: Callable[[], MainWindow], table: AnswerTable, reader: Absent, qtbot: QtBot
) -> None:
    reader.go_on.set()
    window = started(open_window(), qtbot)
    qtbot.waitUntil(lambda: not is_incomplete(window.workspace, table.number, Silent()))
    qtbot.waitUntil(lambda: window.lanes.work.idle)
    window.close()
    again = started(open_window(), qtbot)
    qtbot.wait(100)
    assert "table" not in again.pages
    assert not is_incomplete(again.workspace, table.number + 1, Silent())
