import os

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from app.ui.outside import open_folder, open_outside

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


def test_a_folder_is_made_and_shown(seen, tmp_path):
    folder = tmp_path / "not" / "there yet"
    assert open_folder(folder) == ("", "")
    assert folder.is_dir() and seen[0][0] == QUrl.fromLocalFile(str(folder))


def test_why_a_folder_is_not_shown_is_told(monkeypatch, seen, tmp_path):
    (tmp_path / "file").write_text("in the way")
    assert open_folder(tmp_path / "file" / "folder") == ("The folder cannot be made.", "Not a directory")
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: False)
    assert open_folder(tmp_path) == ("No program opened the folder.", str(tmp_path))
