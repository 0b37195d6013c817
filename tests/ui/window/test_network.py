"""The offline switch in the status line."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.core.offers import Downloading
from app.core.report import Report
from app.settings import settings as settings_file
from app.ui.window.window import MainWindow
from tests.helpers.resting import RestingEngine


def test_a_click_goes_offline_at_once_and_is_saved_and_told(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    button, told = window.status.network, []
    monkeypatch.setattr(window.page, "settings_changed", lambda: told.append(1))
    assert button.text() == "Network: only when asked"
    assert not button.isChecked()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert (button.text(), button.isChecked()) == ("Offline", True)
    assert window.workspace.settings.offline
    assert settings_file.load(window.workspace.paths.settings_file).offline
    assert told
    button.setFocus()
    qtbot.keyClick(button, Qt.Key.Key_Space)
    assert button.text() == "Network: only when asked"
    assert "Your texts never leave this computer" in button.toolTip()


def test_what_the_terminal_chose_holds_when_the_window_is_turned_to(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = []
    monkeypatch.setattr(window.page, "settings_changed", lambda: told.append(1))
    elsewhere = settings_file.load(window.workspace.paths.settings_file)
    elsewhere.offline = True
    settings_file.save(elsewhere, window.workspace.paths.settings_file)
    QGuiApplication.instance().applicationStateChanged.emit(Qt.ApplicationState.ApplicationActive)  # type: ignore[union-attr]
    qtbot.waitUntil(lambda: window.status.network.text() == "Offline")
    assert told and window.workspace.settings.offline


def test_what_the_settings_page_says_follows(window: MainWindow, qtbot: QtBot) -> None:
    window.show_page("settings")
    qtbot.mouseClick(window.status.network, Qt.MouseButton.LeftButton)
    assert window.page.network.words() == "Offline"  # type: ignore[attr-defined]
    window.workspace.settings.offline = False
    window.page.changed.emit("offline")  # type: ignore[attr-defined]
    assert window.status.network.text() == "Network: only when asked"


def test_a_disk_that_refuses_is_said(window: MainWindow, qtbot: QtBot) -> None:
    file = window.workspace.paths.settings_file
    file.parent.mkdir(parents=True, exist_ok=True)
    file.mkdir()
    qtbot.mouseClick(window.status.network, Qt.MouseButton.LeftButton)
    assert window.notice.isVisible()
    assert window.status.network.text() == "Offline", "it holds as long as the window is open"


def test_a_download_is_told_there_until_it_is_over(
    window: MainWindow, qtbot: QtBot, engine: RestingEngine
) -> None:
    def download(report: Report) -> None:
        report.partial(Downloading(34, 100, 9.0, "model.safetensors"))
        while not go_on.wait(0.01):
            report.check()
        report.partial(Downloading(100, 100, 9.0, "model.safetensors"))
        while True:
            report.check()

    go_on = threading.Event()
    job = window.lanes.network.start(download)
    qtbot.waitUntil(lambda: window.status.network.text() == "Downloading 34%")
    go_on.set()
    qtbot.waitUntil(lambda: window.status.network.text() == "Trying the new model")
    job.stop()
    assert window.status.network.text() == "Network: only when asked"
    qtbot.waitUntil(lambda: window.lanes.network.idle)
    window.lanes.network.start(lambda report: report.partial(Downloading(1_500_000, 0, 9.0, "config.json")))
    qtbot.waitUntil(lambda: window.lanes.network.idle)
    assert window.status.network.text() == "Network: only when asked"
