"""The window keeps libraries up to date, and says what it found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.core.library import Library
from app.core.locks import exclusive
from app.core.report import Progress, Silent
from app.core.wording import INDEXED_ANEW
from app.flows.ask.recognise import MOST_UNASKED
from app.flows.library import libraries, update
from app.flows.library.folders import Walk
from app.flows.library.libraries import plan_library, save_library
from app.ui.window import upkeep
from app.ui.window.window import MainWindow
from tests.helpers.libraries import refuse, written
from tests.helpers.resting import READER, RestingEngine
from tests.helpers.windows import open_fake_workspace


@pytest.fixture
def engine() -> RestingEngine:
    return RestingEngine(READER)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "Reports"
    folder.mkdir()
    (folder / "first.txt").write_text("The first report.", "utf-8")
    return folder


@pytest.fixture
def window(open_window: Callable[[], MainWindow]) -> MainWindow:
    """The window, which has not listed the libraries yet."""
    return open_window()


@pytest.fixture
def linked(window: MainWindow, engine: RestingEngine, folder: Path) -> MainWindow:
    """The window once another process has made a library of the folder."""
    workspace = open_fake_workspace(engine)
    save_library(workspace, plan_library(workspace, [folder]), Silent())
    workspace.close()
    return window


def refresh(window: MainWindow, qtbot: QtBot) -> Library:
    """List the libraries; returns the only one."""
    with qtbot.waitSignal(window.libraries.listed):
        window.libraries.refresh()
    ((library, _),) = window.libraries.all
    return library


def test_files_are_looked_at_once_painted_and_when_the_window_comes_back(
    linked: MainWindow, qtbot: QtBot, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = linked
    assert not window.libraries.all
    window.libraries.refresh()
    qtbot.waitUntil(lambda: "Reports: 1 file read" in window.status.note(), timeout=20_000)
    qtbot.waitUntil(lambda: [status.read for _, status in window.libraries.all] == [1])
    ((library, status),) = window.libraries.all
    assert (library.name, status.read, status.total) == ("Reports", 1, 1)

    (folder / "second.txt").write_text("The second report.", "utf-8")
    (folder / "first.txt").unlink()
    state = QGuiApplication.instance().applicationStateChanged  # type: ignore[union-attr]
    state.emit(Qt.ApplicationState.ApplicationActive)
    qtbot.waitUntil(lambda: window.lanes.library.idle and window.lanes.files.idle)
    assert window.libraries.all[0][1].total == 1, "not again within a minute"
    monkeypatch.setattr(upkeep, "_LEAST_BETWEEN", 0.0)
    state.emit(Qt.ApplicationState.ApplicationActive)
    qtbot.waitUntil(lambda: "Reports: 1 file read, 1 gone" in window.status.note(), timeout=20_000)


def test_a_new_library_is_told_of_though_it_was_listed_before_its_saving_was_heard_of(
    window: MainWindow, qtbot: QtBot, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = Event()

    def slowly(*given: Any) -> Library:
        saved = save_library(*given)
        assert listed.wait(20)
        return saved

    monkeypatch.setattr(libraries, "save_library", slowly)
    added: list[Library] = []
    window.libraries.added.connect(added.append)
    window.libraries.add([folder])
    while not window.libraries.all:
        with qtbot.waitSignal(window.libraries.listed):
            window.libraries.refresh()
    listed.set()
    qtbot.waitUntil(lambda: [library.name for library in added] == ["Reports"])


def test_what_a_command_does_meanwhile_is_no_fault_and_is_seen_on_coming_back(
    window: MainWindow, engine: RestingEngine, qtbot: QtBot, folder: Path
) -> None:
    with qtbot.waitSignal(window.libraries.listed):
        window.libraries.refresh()
    command = open_fake_workspace(engine)
    save_library(command, plan_library(command, [folder]), Silent())
    with exclusive(command.paths.library / "update.lock"):
        QGuiApplication.instance().applicationStateChanged.emit(Qt.ApplicationState.ApplicationActive)  # type: ignore[union-attr]
        qtbot.waitUntil(lambda: [library.name for library, _ in window.libraries.all] == ["Reports"])
        window.libraries.update_all()
        qtbot.waitUntil(lambda: window.lanes.library.idle and window.lanes.files.idle)
        assert not window.notice.isVisible()
        window.libraries.update(window.libraries.all[0][0])
        qtbot.waitUntil(window.notice.isVisible)
        assert "Another Spanlight" in window.notice.sentence()
    command.close()


def test_a_folder_that_is_not_there_is_said_above_the_pages(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    window.libraries.add([tmp_path / "away"])
    qtbot.waitUntil(window.notice.isVisible)
    assert "There is nothing at" in window.notice.sentence()


def test_files_of_other_kinds_are_told_of(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    pictures = tmp_path / "Pictures"
    pictures.mkdir()
    for number in range(3):
        (pictures / f"{number}.jpg").write_bytes(b"a picture")
    window.libraries.add([pictures])
    qtbot.waitUntil(window.notice.isVisible)
    assert "Pictures”, only files of other kinds: 3 jpg." in window.notice.sentence()
    (pictures / "notes.txt").write_text("Taken in May.", "utf-8")
    window.libraries.add([pictures])
    qtbot.waitUntil(lambda: "Pictures: 1 file read; left out: 3 jpg" in window.status.note(), timeout=20_000)
    window.libraries.update(refresh(window, qtbot))
    qtbot.waitUntil(lambda: "Pictures: nothing new; left out: 3 jpg" in window.status.note(), timeout=20_000)


def test_folders_that_cannot_be_opened_are_told_of(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    papers, away = (written(tmp_path / name, {"a.txt": f"{name}."}) for name in ("Papers", "Away"))
    for name in ("new", "old"):
        refuse(monkeypatch, written(papers / name, {"b.txt": "Another."}))
    window.libraries.add([papers, away], "Papers")
    closed = f"“{papers / 'new'}” and 1 other folder could not be opened."
    qtbot.waitUntil(lambda: f"Papers: 2 files read. {closed}" in window.status.note(), timeout=20_000)
    away.rename(tmp_path / "elsewhere")
    window.libraries.update(refresh(window, qtbot))
    gone = f"“{away}” is not there now; what was read from it can still be asked."
    qtbot.waitUntil(lambda: f"Papers: nothing new. {gone} {closed}" in window.status.note(), timeout=20_000)


def test_the_progress_of_an_update_stands_behind_the_pages_note(window: MainWindow) -> None:
    window.status.set_note("ask", "1 page read in 0.3 s")
    window.status.set_upkeep("Reading Reports, 12%")
    assert window.status.note() == "1 page read in 0.3 s  ·  Reading Reports, 12%"
    window.status.set_note("ask", "")
    assert window.status.note() == "Reading Reports, 12%"


def test_indexing_anew_is_not_called_reading(
    linked: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    refresh(linked, qtbot)
    qtbot.waitUntil(lambda: linked.lanes.library.idle, timeout=20_000)
    monkeypatch.setattr(linked.libraries, "progress_of", lambda library: Progress(1, 4, INDEXED_ANEW))
    linked.libraries.progressed.emit()
    assert "Indexing Reports anew, 25%" in linked.status.note()


def test_a_stopped_library_waits_for_the_next_start_or_the_persons_word(
    linked: MainWindow, qtbot: QtBot
) -> None:
    libraries, library = linked.libraries, refresh(linked, qtbot)
    libraries.update(library)
    libraries.stop(library)
    assert libraries.progress_of(library) is None
    libraries.update_all()
    qtbot.waitUntil(lambda: linked.lanes.library.idle and linked.lanes.files.idle)
    assert libraries.all[0][1].read == 0
    libraries.update(library)
    qtbot.waitUntil(lambda: libraries.all[0][1].read == 1, timeout=20_000)
    qtbot.waitUntil(lambda: "1 file read" in linked.status.note())


def test_a_librarys_waiting_update_does_all_that_was_wanted_since(
    linked: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, wanted = Event(), []

    def noted(*_: object, everything: bool, recognise: int | None) -> update.Update:
        go_on.wait(20)
        wanted.append((everything, recognise))
        return update.Update(0, 0, 0, 0, 0, 0.0, Walk())

    monkeypatch.setattr(update, "update", noted)
    libraries, library = linked.libraries, refresh(linked, qtbot)
    assert libraries.progress_of(library) is not None, "the window's own update"
    libraries.update(library, everything=True)
    libraries.update(library, recognise=True)
    libraries.update(library, quiet=True)
    with qtbot.waitSignal(libraries.reported):
        go_on.set()
    assert wanted == [(False, MOST_UNASKED), (True, None)]
