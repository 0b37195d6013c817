"""The window with a real model process: loaded, killed while answering, asked again, and never stalled."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt, QTimer, Slot
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.models import Head
from app.core.results import Reading
from app.engine.client import Engine
from app.flows.ask.document_process import Documents
from app.flows.workspace import Workspace
from app.models.disk.installed import Shelf
from app.settings.paths import default_paths
from app.settings.settings import Settings
from app.ui.ask.ask import AskView
from app.ui.ask.run import RunState
from app.ui.heads.classify.classify import ClassifyView
from app.ui.window.window import MainWindow
from tests.helpers.small_models import small_checkpoint
from tests.helpers.windows import close_window, shown_window

TARTS = "The queen of hearts made some tarts. The knave of hearts stole the tarts. The king was sad."
LONG = "\n\n".join(f"Page {number}. {TARTS} " * 4 for number in range(500))
MINUTE = 60_000


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    small_checkpoint(folder / "reader")
    small_checkpoint(folder / "judge", "distilbert", Head.CLASSIFICATION, ("bad", "good"))
    return folder


@pytest.fixture(scope="module")
def window(
    qapp: QApplication, models: Path, shared_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MainWindow]:
    paths, folder = default_paths(), tmp_path_factory.mktemp("processes")
    settings = Settings(models={"question-answering": "reader", "classification": "judge"}, device="cpu")
    workspace = Workspace(settings, paths, Shelf([models]), Engine(folder / "engine.log"), Documents(folder))
    window = shown_window(workspace)
    yield window
    close_window(window)


def ask_view(window: MainWindow) -> AskView:
    window.show_page("ask")
    assert isinstance(window.page, AskView)
    return window.page


def begin(window: MainWindow, qtbot: QtBot, text: str) -> AskView:
    """Put a text on the page, type a question, press Enter."""
    view = ask_view(window)
    qtbot.waitUntil(lambda: window.lanes.files.idle, timeout=MINUTE)
    view.sheets.current().show_text(text, name="Tarts")
    field = view.panel.box.field
    field.setPlainText("Who stole the tarts?")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    return view


def reading(view: AskView) -> Reading | None:
    outcome = view.sheets.current().session.run
    return outcome.reading if outcome is not None and not outcome.is_running else None


def whole(view: AskView) -> bool:
    result = reading(view)
    return result is not None and result.complete


def test_a_process_killed_in_mid_answer_is_said_and_the_next_question_works(
    window: MainWindow, qtbot: QtBot
) -> None:
    engine = window.workspace.engine
    window.reader.start()
    qtbot.waitUntil(lambda: window.status.state() == "Reader ready, on CPU", timeout=MINUTE)
    first = engine.pid
    assert first is not None
    view = begin(window, qtbot, LONG)
    sheet = view.sheets.current()
    qtbot.waitUntil(
        lambda: (
            sheet.session.run is not None
            and sheet.session.run.progress is not None
            and sheet.session.run.fraction > 0
        ),
        timeout=MINUTE,
    )
    assert sheet.session.run is not None and sheet.session.run.is_running
    os.kill(first, getattr(signal, "SIGKILL", signal.SIGTERM))
    qtbot.waitUntil(lambda: bool(view.panel.notice.sentence()), timeout=MINUTE)
    assert view.panel.notice.sentence().count(".") == 1
    assert view.panel.box.question() == "Who stole the tarts?"
    assert view.sheets.current().pane.text() == LONG
    # The window has the reader started again behind it, without being told to.
    qtbot.waitUntil(lambda: window.status.state() == "Reader ready, on CPU", timeout=MINUTE)
    assert engine.pid not in (None, first)
    begin(window, qtbot, TARTS)
    qtbot.waitUntil(lambda: whole(view), timeout=MINUTE)
    result = reading(view)
    assert result is not None
    for answer in result.answers:
        assert TARTS[answer.span.start : answer.span.end] == answer.text
    assert view.panel.notice.sentence() == ""


def test_a_reading_that_was_paused_ends_as_one_that_was_left_alone(window: MainWindow, qtbot: QtBot) -> None:
    text = LONG[:60_000]
    view = begin(window, qtbot, text)
    sheet = view.sheets.current()
    qtbot.waitUntil(
        lambda: (
            sheet.session.run is not None
            and sheet.session.run.reading is not None
            and sheet.session.run.fraction > 0
        ),
        timeout=MINUTE,
    )
    asked = sheet.session.run
    assert asked is not None and asked.is_running, "it was over too soon to be paused"
    view.sheets.new()
    other = begin(window, qtbot, TARTS).sheets.current()
    assert other is not sheet and asked.state is RunState.PAUSED
    qtbot.waitUntil(
        lambda: other.session.run is not None and not other.session.run.is_running, timeout=MINUTE
    )
    qtbot.waitUntil(lambda: not asked.is_running, timeout=2 * MINUTE)
    view.sheets.bring(0)
    paused = reading(view)
    assert paused is not None and paused.complete and sheet.session.run is asked
    begin(window, qtbot, text)
    qtbot.waitUntil(lambda: sheet.session.run is not asked and whole(view), timeout=2 * MINUTE)
    alone = reading(view)
    assert alone is not None and alone.answers == paused.answers and alone.heat == paused.heat
    assert alone.no_answer_probability == paused.no_answer_probability


def test_a_text_and_many_lines_are_classified(window: MainWindow, qtbot: QtBot) -> None:
    window.show_page("classify")
    view = window.page
    assert isinstance(view, ClassifyView)
    qtbot.waitUntil(lambda: window.lanes.files.idle, timeout=MINUTE)
    view._editor.replace(LONG[:20_000])
    view.run()
    qtbot.waitUntil(lambda: view._panel.card.isVisible(), timeout=MINUTE)
    rows = view._panel.card._bars.rows()
    assert {row.name for row in rows} == {"Bad", "Good"}
    assert sum(row.fraction or 0 for row in rows) == pytest.approx(1, abs=1e-3)
    assert "pooled" in view._panel.card._length.text()
    view._panel.ways._buttons["lines"].click()
    view._editor.replace("a wonderful film\nthe worst book")
    view.run()
    qtbot.waitUntil(lambda: view._panel.table.row_count() == 2 and window.lanes.work.idle, timeout=MINUTE)
    copied = view._panel.table.copied().splitlines()
    assert copied[0] == "text\tlabel\tprobability\tbad\tgood"
    assert [line.split("\t")[0] for line in copied[1:]] == ["a wonderful film", "the worst book"]


class Heartbeat(QObject):
    """Ticks every few milliseconds in the window's event loop, and remembers the longest wait between two ticks."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.ticks = 0
        self.longest = 0.0
        self._last = time.perf_counter()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._timer.start(5)

    @Slot()
    def _tick(self) -> None:
        now = time.perf_counter()
        self.longest = max(self.longest, now - self._last)
        self._last = now
        self.ticks += 1

    def restart(self) -> None:
        self.longest, self.ticks, self._last = 0.0, 0, time.perf_counter()


@pytest.mark.long
def test_the_windows_longest_gap_while_a_model_loads_and_reads_is_reported(
    window: MainWindow, qtbot: QtBot, record_property: Callable[[str, object], None]
) -> None:
    window.workspace.engine.end()  # the other tests' process, which has loaded the reader already
    heart = Heartbeat(window)
    window.reader.start()
    qtbot.waitUntil(lambda: window.status.state() == "Reader ready, on CPU", timeout=MINUTE)
    loading, loading_ticks = heart.longest, heart.ticks
    view = ask_view(window)
    text = LONG[:150_000]
    view.sheets.current().show_text(text, name="Tarts")
    qtbot.wait(200)
    heart.restart()
    view.panel.box.field.setPlainText("Who stole the tarts?")
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: whole(view), timeout=2 * MINUTE)
    result = reading(view)
    assert result is not None and result.windows > 50
    # Not a limit in time: a window that stood still while the model worked would hardly have ticked.
    assert loading_ticks > 10
    assert heart.ticks > 10
    gaps = f"{loading * 1000:.0f} ms loading, {heart.longest * 1000:.0f} ms reading"
    report = f"longest gap of the event loop: {gaps} {len(text):,} characters"
    record_property("event loop", report)
    print(report)
