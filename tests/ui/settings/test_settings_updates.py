"""The row about updates on the page Settings, with the real network process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core import about
from app.flows.workspace import Workspace
from app.settings import settings as settings_file
from app.settings.paths import default_paths
from app.settings.settings import Settings
from app.ui.kit.jobs import Lanes
from app.ui.kit.theme import Theme
from app.ui.settings.settings_updates import UpdatesRow
from tests.helpers.feeds import PATH, feed, release, serve
from tests.helpers.hub_server import HubServer


@pytest.fixture
def hub() -> Iterator[HubServer]:
    with HubServer() as server:
        yield server


@pytest.fixture
def row(qapp: QApplication, qtbot: QtBot, spanlight_home: Path) -> Iterator[UpdatesRow]:
    workspace, lanes = Workspace(Settings(), default_paths()), Lanes()
    theme = Theme(workspace.paths.resources)
    theme.choose("light")
    row = UpdatesRow(workspace, theme, lanes)
    qtbot.addWidget(row)
    row.show()
    yield row
    lanes.close()
    workspace.close()


def press(row: UpdatesRow, qtbot: QtBot) -> None:
    qtbot.mouseClick(row.button, Qt.MouseButton.LeftButton)


def kept(row: UpdatesRow) -> str:
    return settings_file.load(row._workspace.paths.settings_file).updates


def test_only_a_valid_address_is_saved_and_checked(row: UpdatesRow, qtbot: QtBot) -> None:
    assert row.hint.text().startswith("No address is known yet") and not row.button.isEnabled()
    row.check()
    assert not row.checking and not row.stop() and "downloads" not in row._workspace.__dict__
    told: list[str] = []
    row.changed.connect(told.append)
    for bad in ("example.org", "http://example.org/feed", "javascript:alert(1)", "https://a b"):
        row.line.take(bad)
        assert "It is not used yet." in row.hint.text() and not row.button.isEnabled() and not told
    row.settings_changed()
    assert row.line.text() == "https://a b"  # what is being typed stays
    row.line.take(" https://example.org/feed.json ")
    assert told == ["updates"] and kept(row) == "https://example.org/feed.json" and row.button.isEnabled()
    assert "never looks by itself" in row.hint.text()
    row._workspace.settings.updates = "https://example.org/other.json"
    row.line.line.clearFocus()
    row.settings_changed()
    assert row.line.text() == "https://example.org/other.json"
    row.line.take("")
    assert kept(row) == "" and not row.button.isEnabled()


def test_a_newer_version_with_its_notes_page_and_address(
    row: UpdatesRow, qtbot: QtBot, hub: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(
        QDesktopServices, "openUrl", lambda url: opened.append(url.toString()) or len(opened) > 1
    )
    row.line.take(serve(hub, feed(release("99.0", notes="<b>New</b>\u202e\n<img src=x>"))))
    press(row, qtbot)
    assert row.checking and row.button.text() == "Stop" and row.hint.text() == "Asking 127.0.0.1…"
    qtbot.waitUntil(lambda: row.sheet.isVisible(), timeout=20_000)
    sheet = row.sheet
    assert sheet.sentence.text() == "Version 99.0 of 3 May 2027 is there." and not row.checking
    assert sheet.notes.toPlainText() == "<b>New</b>\n<img src=x>" and sheet.notes.isReadOnly()
    assert sheet.sentence.textFormat() == Qt.TextFormat.PlainText
    qtbot.mouseClick(sheet.copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "https://example.org/99.0" and sheet.copy.text() == "Copied"
    qtbot.mouseClick(sheet.open, Qt.MouseButton.LeftButton)
    assert "No program opened the page" in row.notice.sentence()
    qtbot.mouseClick(sheet.open, Qt.MouseButton.LeftButton)
    assert opened == ["https://example.org/99.0"] * 2 and len(hub.requests()) == 1
    row.line.take("https://example.org/elsewhere")
    assert not sheet.isVisible() and not row.notice.isVisible()


def test_this_is_the_newest_version(row: UpdatesRow, qtbot: QtBot, hub: HubServer) -> None:
    row.line.take(serve(hub, feed(release("0.0.9"))))
    qtbot.keyClick(row.line.line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: row.sheet.isVisible(), timeout=20_000)
    assert row.sheet.sentence.text() == f"Spanlight {about.VERSION} is the newest version."
    assert (
        not row.sheet.open.isVisible() and not row.sheet.notes.isVisible() and not row.sheet.file.isVisible()
    )


def test_an_error_is_shown_until_the_next_check(row: UpdatesRow, qtbot: QtBot, hub: HubServer) -> None:
    row.line.take(serve(hub, b"<html>"))
    press(row, qtbot)
    qtbot.waitUntil(lambda: row.notice.isVisible(), timeout=20_000)
    assert "does not announce versions" in row.notice.sentence()
    row._workspace.settings.offline = True
    press(row, qtbot)
    qtbot.waitUntil(lambda: "offline" in row.notice.sentence())
    assert len(hub.requests()) == 1 and row.button.text() == "Check now"


def test_a_check_is_stopped_at_once(row: UpdatesRow, qtbot: QtBot, hub: HubServer) -> None:
    row.line.take(serve(hub, feed(release("99.0", notes="x" * 5000))))
    hub.fail(PATH, rate=100.0)
    press(row, qtbot)
    qtbot.waitUntil(lambda: bool(hub.requests()), timeout=20_000)
    press(row, qtbot)
    assert not row.checking and row.button.text() == "Check now" and not row.sheet.isVisible()
    assert not row.notice.isVisible() and not row.stop()
    hub.heal()
    press(row, qtbot)
    qtbot.waitUntil(lambda: row.sheet.isVisible(), timeout=20_000)
    assert QUrl(row.sheet.address).scheme() == "https"
