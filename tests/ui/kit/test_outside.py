import os

import pytest
from PySide6.QtCore import QObject, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QPushButton

from app.settings.paths import default_paths
from app.ui.kit import outside
from app.ui.kit.notice import Notice
from app.ui.kit.outside import open_folder, open_outside
from app.ui.kit.theme import Theme

URL = QUrl("https://example.org/")


@pytest.fixture
def seen(monkeypatch):
    """What the environment's libraries are while another program is started."""
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


def test_a_browser_started_from_a_bundle_finds_the_systems_libraries(monkeypatch, seen):
    in_a_bundle(monkeypatch)
    assert open_outside(URL)
    assert seen == [(URL, None)]
    assert os.environ["LD_LIBRARY_PATH"] == "/usr/lib/spanlight/_internal"


def test_what_the_person_had_set_before_the_bundle_is_there_for_it(monkeypatch, seen):
    in_a_bundle(monkeypatch, before="/opt/own")
    open_outside(URL)
    assert seen == [(URL, "/opt/own")]


def test_outside_a_bundle_the_environment_is_left_alone(monkeypatch, seen):
    monkeypatch.delenv("_PYI_ARCHIVE_FILE", raising=False)
    monkeypatch.setenv("LD_LIBRARY_PATH", "/opt/own")
    open_outside(URL)
    assert seen == [(URL, "/opt/own")]


def test_where_no_program_takes_it_that_is_told_and_all_is_as_before(monkeypatch):
    in_a_bundle(monkeypatch)
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: False)
    assert not open_outside(URL)
    assert os.environ["LD_LIBRARY_PATH"] == "/usr/lib/spanlight/_internal"


class Asker(QObject):
    """Who wants a folder shown, and what was told about it."""

    def __init__(self):
        super().__init__()
        self.told = []

    def say(self, sentence, hint, path):
        self.told.append((sentence, hint, path))


@pytest.fixture
def asker(qapp):
    return Asker()


@pytest.fixture
def launcher(monkeypatch, tmp_path):
    """Has the desktop's launcher be this script."""

    def made(script):
        place = tmp_path / "bin"
        place.mkdir()
        (place / "xdg-open").write_text(f"#!/bin/sh\n{script}\n")
        (place / "xdg-open").chmod(0o755)
        monkeypatch.setenv("PATH", str(place), prepend=os.pathsep)
        monkeypatch.setattr(outside, "_LAUNCHER_ON", QGuiApplication.platformName())

    return made


def test_a_folder_is_made_and_shown(seen, tmp_path, asker):
    folder = tmp_path / "not" / "there yet"
    open_folder(folder, asker.say, asker)
    assert folder.is_dir() and seen[0][0] == QUrl.fromLocalFile(str(folder)) and not asker.told


def test_why_a_folder_is_not_shown_is_told(monkeypatch, seen, tmp_path, asker):
    (tmp_path / "file").write_text("in the way")
    inside = tmp_path / "file" / "folder"
    open_folder(inside, asker.say, asker)
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: False)
    open_folder(tmp_path, asker.say, asker)
    assert asker.told == [
        ("The folder cannot be made.", "Not a directory", str(inside)),
        ("No program opened the folder.", str(tmp_path), str(tmp_path)),
    ]


@pytest.mark.skipif(os.name != "posix", reason="the launcher of the free desktops")
def test_a_launcher_that_found_no_program_is_heard(tmp_path, qtbot, launcher, asker, seen):
    launcher("sleep 0.2; exit 3")
    open_folder(tmp_path, asker.say, asker)
    assert not asker.told
    qtbot.waitUntil(lambda: bool(asker.told))
    assert asker.told == [("No program opened the folder.", str(tmp_path), str(tmp_path))] and not seen


@pytest.mark.skipif(os.name != "posix", reason="the launcher of the free desktops")
def test_a_launcher_that_found_one_says_nothing_and_gets_the_systems_libraries(
    tmp_path, qtbot, launcher, asker, monkeypatch
):
    in_a_bundle(monkeypatch, before="/opt/own")
    launcher(f'echo "$1 $LD_LIBRARY_PATH" > "{tmp_path}/ran"')
    open_folder(tmp_path, asker.say, asker)
    qtbot.waitUntil(
        lambda: not asker.findChildren(QObject, options=Qt.FindChildOption.FindDirectChildrenOnly)
    )
    assert (tmp_path / "ran").read_text() == f"{tmp_path} /opt/own\n" and not asker.told


def test_the_line_that_says_so_copies_the_path(qapp, qtbot, spanlight_home):
    theme = Theme(default_paths().resources)
    theme.choose("light")
    notice = Notice(theme)
    qtbot.addWidget(notice)
    notice.show_not_shown("No program opened the folder.", "/some where", "/some where")
    button = next(one for one in notice.findChildren(QPushButton) if one.text() == "Copy the path")
    assert button.isVisibleTo(notice) and button.accessibleName() == "Copy the path"
    button.click()
    assert QGuiApplication.clipboard().text() == "/some where" and button.text() == "Copied"
    notice.show_fault("A bug.", report="all of it")
    assert button.text() == "Copy the report"
