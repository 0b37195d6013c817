"""What the window does while it is idle: a document is prepared, models are unloaded, and nobody waits for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.errors import EngineLost, SpanlightError
from app.core.report import Report
from app.core.requests import ModelChoice
from app.core.text import Document
from app.flows.models.devices import unload
from app.ui.window.idle import LONG
from app.ui.window.window import MainWindow
from tests.helpers.resting import OTHER, READER, HeldEngine, RestingEngine

PROSE = "The knave stole the tarts.\n" * (LONG // 20)
AFTER = 500  # milliseconds; more than it waits for the page
AWAY = "Put away after 15 minutes; the next question loads it again"


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


def work(window: MainWindow) -> None:
    """Stands in for a question: work in the lane of the models."""
    window.lanes.work.start(lambda report: window.workspace.engine.run("question", None, report))


def rest(window: MainWindow, minute_ms: int = 2) -> None:
    window.idle_unloading.minute_ms = minute_ms
    window.idle_unloading.look()


def test_the_next_question_loads_it_again_and_says_so(
    window: MainWindow, engine: RestingEngine, qtbot: QtBot
) -> None:
    rest(window)
    qtbot.waitUntil(lambda: window.status.state() == AWAY)
    window.lanes.work.start_aside(lambda report: None)
    qtbot.wait(20)
    assert engine.unloads == 1 and window.status.state() == AWAY, "a look at how things stand wakes nobody"
    rest(window, 60_000)
    work(window)
    assert window.status.state() == "Loading the reader again…"
    qtbot.waitUntil(lambda: window.status.state() == "Reader ready, on CPU")
    qtbot.waitUntil(lambda: window.lanes.work.idle)
    assert engine.said == ["load", "unload", "load", "run"], "the reader is there when the question is read"


@pytest.mark.parametrize("spoil", ["never", "no process"])
def test_nothing_is_put_away_where_there_is_no_reason(
    window: MainWindow, engine: RestingEngine, qtbot: QtBot, spoil: str
) -> None:
    if spoil == "never":
        window.workspace.settings.unload_minutes = 0
    else:
        engine.alive = False
    rest(window)
    qtbot.wait(80)
    assert not engine.unloads
    assert window.status.state() == "Reader ready, on CPU"


def test_work_holds_it_back(window: MainWindow, engine: RestingEngine, qtbot: QtBot) -> None:
    rest(window, minute_ms=5)
    job = window.lanes.work.start(_until_stopped)
    qtbot.wait(200)
    assert not engine.unloads
    job.stop()
    qtbot.waitUntil(lambda: engine.unloads == 1)


def test_a_question_that_comes_while_it_is_put_away_has_it_loaded(
    window: MainWindow, engine: RestingEngine, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    rest(window)
    qtbot.waitUntil(lambda: bool(window.idle_unloading._job or engine.unloads))
    if window.idle_unloading._job is not None:  # its end was not heard of yet
        work(window)
        assert window.status.state().startswith("Loading the reader")
    qtbot.waitUntil(lambda: window.lanes.work.idle)
    assert window.status.state() in ("Reader ready, on CPU", AWAY)


def test_a_process_that_dies_of_it_is_no_fault_on_the_screen(
    window: MainWindow, engine: RestingEngine, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(report: Report) -> None:
        engine.unloads += 1
        raise EngineLost("The model process ended.", "Ask again.")

    monkeypatch.setattr(engine, "unload", die)
    rest(window)
    qtbot.waitUntil(lambda: engine.unloads == 1 and window.lanes.work.idle)
    assert not window.notice.isVisible()


def test_put_away_by_hand_is_told_without_a_time(
    window: MainWindow, engine: RestingEngine, qtbot: QtBot
) -> None:
    window.lanes.work.start_aside(unload, window.workspace)
    window.show_page("settings")
    window.page.changed.emit("unloaded")  # type: ignore[attr-defined]
    assert window.status.state() == "Put away; the next question loads it again"
    work(window)
    qtbot.waitUntil(lambda: window.status.state() == "Reader ready, on CPU")


def _until_stopped(report: Report) -> None:
    while True:
        report.check()
