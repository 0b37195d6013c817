"""What the desktop is told of Spanlight, held against the app itself."""

from __future__ import annotations

import configparser
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from lxml import etree
from PySide6.QtCore import QMimeDatabase

from app.core.about import NAME, PUBLISHER, SUMMARY, VERSION
from app.core.kinds import ENDINGS
from tests.conftest import ROOT

DESKTOP = ROOT / "packaging" / "desktop" / "spanlight.desktop"
METAINFO = ROOT / "packaging" / "desktop" / "app.spanlight.Spanlight.metainfo.xml"

WINDOW = """
import subprocess, sys, time
from app.flows.workspace import open_workspace
from app.ui.window.start import make_application, open_window
if __name__ == "__main__":
    workspace = open_workspace()
    application = make_application(workspace)
    window = open_window(workspace)
    end = time.monotonic() + 60
    while not window.windowHandle().isExposed() and time.monotonic() < end:
        application.processEvents()
    command = [sys.argv[1], "-id", str(int(window.winId())), "WM_CLASS", "_KDE_NET_WM_DESKTOP_FILE"]
    print(subprocess.run(command, capture_output=True, text=True).stdout)
    window.close()
"""


@pytest.fixture(scope="module")
def entry() -> configparser.SectionProxy:
    parser = configparser.ConfigParser(interpolation=None, delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # keys are told apart by case
    parser.read(DESKTOP, encoding="utf-8")
    return parser["Desktop Entry"]


@pytest.fixture(scope="module")
def component() -> etree._Element:
    return etree.parse(METAINFO).getroot()


def checker(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not here")
    return found


def test_the_desktop_file_is_valid() -> None:
    done = subprocess.run([checker("desktop-file-validate"), str(DESKTOP)], capture_output=True, text=True)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_the_metainfo_is_valid() -> None:
    command = [checker("appstreamcli"), "validate", "--no-net", "--no-color", "--pedantic", str(METAINFO)]
    done = subprocess.run(command, capture_output=True, text=True)
    said = [line for line in done.stdout.splitlines() if line[:2] in ("P:", "I:", "W:", "E:")]
    # The id ends in the app's name, which has its capital. There is no home page to name, nor is a hint of a
    # checker newer than the oldest system that the package is for a fault of it.
    known = ("cid-contains-uppercase-letter", "url-homepage-missing", "developer-info-missing")
    known += ("developer-name-tag-deprecated", "desktop-app-launchable-omitted")
    assert done.returncode == 0, done.stdout
    assert [line for line in said if not any(tag in line for tag in known)] == []


def test_it_opens_every_kind_that_is_read(entry: configparser.SectionProxy) -> None:
    kinds = set(entry["MimeType"].strip(";").split(";"))
    database = QMimeDatabase()
    for ending in [*ENDINGS, *"txt text rst log json yaml tex xml py".split()]:
        found = database.mimeTypeForFile(f"/nowhere/a.{ending}", QMimeDatabase.MatchMode.MatchExtension)
        if found.isDefault():  # no system knows these by name: that they are text is told by their content
            assert ending in ("mdown", "text", "msg")
            if ending == "msg":  # which some systems know
                assert "application/vnd.ms-outlook" in kinds
                continue
            found = database.mimeTypeForData(b"# Tides\n\nThe sea rises twice a day.\n")
        assert kinds & {found.name(), *found.aliases(), *found.allAncestors()}, ending


def test_both_descriptions_name_the_same_kinds(
    entry: configparser.SectionProxy, component: etree._Element
) -> None:
    named = [str(each.text) for each in component.findall("provides/mediatype")]
    assert entry["MimeType"].strip(";").split(";") == named
    assert entry["Categories"].strip(";").split(";") == [
        str(each.text) for each in component.findall("categories/category")
    ]


def test_it_starts_what_is_installed(entry: configparser.SectionProxy, component: etree._Element) -> None:
    assert entry["Exec"] == "spanlight %F"
    assert component.findtext("provides/binary") == entry["Icon"] == "spanlight"
    assert component.findtext("launchable") == DESKTOP.name
    assert entry["Name"] == component.findtext("name") == NAME


def test_the_newest_release_is_this_version(component: etree._Element) -> None:
    releases = [release.get("version") for release in component.findall("releases/release")]
    assert releases[0] == VERSION
    assert all(release.get("date") for release in component.findall("releases/release"))
    assert component.findtext("developer_name") == PUBLISHER
    assert component.findtext("summary") == SUMMARY


@pytest.mark.real_window
def test_the_window_is_known_by_the_desktop_file(
    entry: configparser.SectionProxy, screen: dict[str, str], tmp_path: Path
) -> None:
    program = tmp_path / "window.py"
    program.write_text(WINDOW, encoding="utf-8")
    environment = screen | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, str(program), checker("xprop")],
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
    )
    assert f'WM_CLASS(STRING) = "{NAME}", "{entry["StartupWMClass"]}"' in done.stdout, done.stderr
    assert f'= "{DESKTOP.stem}"' in done.stdout
