import os

import pytest
from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QPushButton

from app.ui.kit import outside
from app.ui.kit.notice import Notice
from app.ui.kit.outside import open_folder, open_outside

URL = QUrl("https://example.org/")


@pytest.fixture
def seen(monkeypatch):
    """The pages opened so far, each with the library path in the environment meanwhile."""
    found = []

    def started(url):
        found.append((url, os.environ.get("LD_LIBRARY_PATH")))
        return True

    monkeypatch.setattr(QDesktopServices, "openUrl", started)
    return found


def in_a_bundle(monkeypatch, before=None):
    monkeypatch.setenv("_PYI_ARCHIVE_FILE", "/usr/lib/spanlight/spanlight")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/usr/lib/spanlight/_internal")
    if before is not None:
        monkeypatch.setenv("LD_LIBRARY_PATH_ORIG", before)


@pytest.mark.parametrize("before", [None, "/opt/own"])
def test_a_browser_started_from_a_bundle_finds_the_systems_libraries(monkeypatch, seen, before):
    in_a_bundle(monkeypatch, before)
    assert open_outside(URL)
    assert seen == [(URL, before)]
    assert os.environ["LD_LIBRARY_PATH"] == "/usr/lib/spanlight/_internal"


def test_without_a_bundle_the_environment_is_not_changed(monkeypatch, seen):
    monkeypatch.delenv("_PYI_ARCHIVE_FILE", raising=False)
    monkeypatch.setenv("LD_LIBRARY_PATH", "/opt/own")
    open_outside(URL)
    assert seen == [(URL, "/opt/own")]


def test_a_page_that_no_program_opens_is_reported_and_the_environment_restored(monkeypatch):
    in_a_bundle(monkeypatch)
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: False)
    assert not open_outside(URL)
    assert os.environ["LD_LIBRARY_PATH"] == "/usr/lib/spanlight/_internal"


@pytest.fixture
def told():
    """The failures reported so far: sentence, hint, path."""
    return []


@pytest.fixture
def show(qapp, told):
    """Shows a folder, for an owner that lives as long as the test."""
    owner = QObject()

    def shown(folder):
        open_folder(folder, lambda *words: told.append(words), owner)
        return owner

    return shown


@pytest.fixture
def launcher(monkeypatch, tmp_path):
    """Replaces the desktop's launcher by a script."""

    def made(script):
        place = tmp_path / "bin"
        place.mkdir()
        (place / "xdg-open").write_text(f"#!/bin/sh\n{script}\n")
        (place / "xdg-open").chmod(0o755)
        monkeypatch.setenv("PATH", str(place), prepend=os.pathsep)
        monkeypatch.setattr(outside, "_LAUNCHER_ON", QGuiApplication.platformName())

    return made


def test_a_folder_is_created_and_shown(seen, tmp_path, show, told):
    folder = tmp_path / "not" / "there yet"
    show(folder)
    assert folder.is_dir() and seen[0][0] == QUrl.fromLocalFile(str(folder)) and not told


def test_the_reason_is_reported_if_a_folder_cannot_be_shown(monkeypatch, seen, tmp_path, show, told):
    (tmp_path / "file").write_text("in the way")
    inside = tmp_path / "file" / "folder"
    show(inside)
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: False)
    show(tmp_path)
    assert told == [
        ("The folder cannot be made.", "Not a directory", str(inside)),
        ("No program opened the folder.", str(tmp_path), str(tmp_path)),
    ]


@pytest.mark.skipif(os.name != "posix", reason="the launcher of the free desktops")
def test_a_launcher_that_finds_no_program_is_reported(tmp_path, qtbot, launcher, show, told, seen):
    launcher("sleep 0.2; exit 3")
    show(tmp_path)
    assert not told
    qtbot.waitUntil(lambda: bool(told))
    assert told == [("No program opened the folder.", str(tmp_path), str(tmp_path))] and not seen


@pytest.mark.skipif(os.name != "posix", reason="the launcher of the free desktops")
def test_a_launcher_gets_the_systems_libraries(tmp_path, qtbot, launcher, show, told, monkeypatch):
    in_a_bundle(monkeypatch, before="/opt/own")
    launcher(f'echo "$1 $LD_LIBRARY_PATH" > "{tmp_path}/ran"')
    owner = show(tmp_path)
    qtbot.waitUntil(lambda: not owner.children())
    assert (tmp_path / "ran").read_text() == f"{tmp_path} /opt/own\n" and not told


def test_the_notice_about_a_folder_copies_its_path(qtbot, theme):
    notice = Notice(theme)
    qtbot.addWidget(notice)
    notice.show_unopened("No program opened the folder.", "/some where", "/some where")
    button = next(one for one in notice.findChildren(QPushButton) if one.text() == "Copy the path")
    assert button.isVisibleTo(notice) and button.accessibleName() == "Copy the path"
    button.click()
    assert QGuiApplication.clipboard().text() == "/some where" and button.text() == "Copied"
    notice.show_fault("A bug.", report="all of it")
    assert button.text() == "Copy the report"


def test_a_hidden_notice_has_no_sentence(qtbot, theme):
    notice = Notice(theme)
    qtbot.addWidget(notice)
    notice.show_hint("It was saved.")
    assert notice.sentence() == "It was saved."
    notice.hide()
    assert not notice.sentence()
