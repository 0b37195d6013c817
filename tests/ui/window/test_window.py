"""The whole window: files, keys, bugs, what comes back, and the end."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt, QUrl
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication, QSplitter
from pytestqt.qtbot import QtBot

from app.core.models import Head, ModelCard
from app.settings import settings as settings_file
from app.ui.ask.ask import AskView
from app.ui.kit.messages import UncaughtExceptions
from app.ui.window.start import FileOpenEvents
from app.ui.window.window import MainWindow
from tests.helpers.windows import FakeEngine, open_fake_workspace, settle, until_stopped

READER = ModelCard("reader", "/m/reader", "bert", (Head.QUESTION_ANSWERING,))
MOODS = ModelCard("moods", "/m/moods", "bert", (Head.CLASSIFICATION,), labels=("a", "b"))


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine(until_stopped, READER, MOODS)


@pytest.fixture
def window(open_window: Callable[[], MainWindow]) -> MainWindow:
    return open_window()


def test_a_file_that_the_system_hands_over_is_opened(
    window: MainWindow, qapp: QApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    file = tmp_path / "handed over.txt"
    file.write_text("Handed over.", "utf-8")
    settle(window, qtbot)
    handed = FileOpenEvents(window)
    assert handed.eventFilter(qapp, QFileOpenEvent(QUrl.fromLocalFile(str(file))))
    assert not handed.eventFilter(qapp, QEvent(QEvent.Type.User))
    page = window.page
    assert isinstance(page, AskView)
    qtbot.waitUntil(lambda: page.sheets.current().pane.text() == "Handed over.")


def test_esc_stops_what_runs(window: MainWindow, qtbot: QtBot, engine: FakeEngine) -> None:
    window.show_page("classify")
    settle(window, qtbot)
    window.page._editor.replace("some text")  # type: ignore[attr-defined]
    window.page.run()  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: bool(engine.requests))
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Escape)
    assert window.status.note() == "Stopped"
    qtbot.waitUntil(lambda: window.lanes.work.idle)


def test_closing_stops_what_runs_and_the_draft_the_view_and_the_sizes_come_back(
    open_window: Callable[[], MainWindow], qtbot: QtBot, engine: FakeEngine
) -> None:
    window = open_window()
    window.show_page("classify")
    settle(window, qtbot)
    window.resize(790, 580)
    splitter = window.page.findChild(QSplitter)
    splitter.setSizes([250, 380])
    qtbot.wait(20)
    size, sizes = window.size(), splitter.sizes()
    window.page._editor.replace("not finished")  # type: ignore[attr-defined]
    window.page.run()  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: bool(engine.requests))
    window.close()
    assert not window.isVisible()
    assert engine.closed
    assert not [
        thread for thread in threading.enumerate() if thread.name in ("work", "files") and thread.is_alive()
    ]
    again = open_window()
    settle(again, qtbot)
    assert again.page.KEY == "classify" and again.size() == size
    assert again.page.findChild(QSplitter).sizes() == pytest.approx(sizes, abs=2)
    assert again.page._editor.text() == "not finished"  # type: ignore[attr-defined]


def test_queued_writes_are_done_when_the_desktops_session_ends(window: MainWindow, qtbot: QtBot) -> None:
    end, written = threading.Event(), list[bool]()
    settle(window, qtbot)
    window.lanes.files.start(lambda report: end.wait(10))
    window.lanes.files.start_write(lambda report: written.append(True))
    window.keep()
    assert written == [True]
    end.set()
    settle(window, qtbot)
    assert written == [True] and window.isVisible(), "the desktop may go on"


def test_settings_that_make_no_sense_do_no_harm(
    open_window: Callable[[], MainWindow], spanlight_home: Path, engine: FakeEngine
) -> None:
    settings = settings_file.Settings(
        geometry="????", last_view="gone", splitters={"classify-one": [0, 0, 9]}
    )
    settings_file.save(settings, open_fake_workspace(engine).paths.settings_file)
    window = open_window()
    assert window.page.KEY == "ask"
    window.show_page("classify")
    assert window.width() > 500


def test_an_uncaught_bug_is_shown_once(window: MainWindow, qtbot: QtBot) -> None:
    unexpected = UncaughtExceptions(window)
    unexpected.happened.connect(window.show_fault)
    shown: list[object] = []
    unexpected.happened.connect(shown.append)

    def fail() -> None:
        raise RuntimeError("a bug in a slot")

    for _ in range(2):
        try:
            fail()
        except RuntimeError as error:
            unexpected._caught(RuntimeError, error, error.__traceback__)
    assert len(shown) == 1
    assert window.notice.isVisible()
    qtbot.keyClick(window.rail, Qt.Key.Key_Escape)
    assert not window.notice.isVisible()


def test_a_bug_in_another_thread_is_shown_too(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (sys, threading):
        monkeypatch.setattr(module, "excepthook", module.excepthook)
    unexpected = UncaughtExceptions(window)
    unexpected.install()
    unexpected.happened.connect(window.show_fault)
    threading.Thread(target=lambda: [].pop()).start()
    qtbot.waitUntil(lambda: window.notice.isVisible())
    assert "IndexError" in window.notice._report


def test_a_bug_in_one_page_does_not_keep_the_window_from_closing(
    open_window: Callable[[], MainWindow], qtbot: QtBot, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window()
    window.show_page("classify")
    settle(window, qtbot)
    window.page._editor.replace("typed here")  # type: ignore[attr-defined]
    monkeypatch.setattr(window.pages["ask"], "keep", lambda: [].pop())
    window.close()
    assert engine.closed
    again = open_window()
    settle(again, qtbot)
    assert again.page._editor.text() == "typed here"  # type: ignore[attr-defined]
