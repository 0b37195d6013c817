"""The page About: reached from Settings and from the list of keys; versions, folders, licences, diagnostics."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QAction, QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.core.about import VERSION
from app.core.models import DeviceChoice, DeviceOption, Devices
from app.core.report import Report, Silent
from app.core.results import Reading
from app.flows.licences import licences
from app.ui.about.diagnostics import DiagnosticsSection
from app.ui.about.licences import LicencesSection
from app.ui.about.page import AboutView, OverviewSection
from app.ui.window.shortcuts_help import ShortcutsHelp
from app.ui.window.window import MainWindow
from tests.helpers.ask_page import CARD
from tests.helpers.windows import FakeEngine

FOUND = Devices(
    (
        DeviceOption("cpu", "Test Processor", True, "2 cores"),
        DeviceOption("cuda:0", "Test GPU", False, "too old"),
    ),
    DeviceChoice("cpu", "float32", "there is no GPU"),
    "2.13.0",
)


class Engine(FakeEngine):
    """An engine that finds two devices."""

    def devices(self, report: Report) -> Devices:
        return FOUND


@pytest.fixture(scope="module")
def engine() -> FakeEngine:
    return Engine(lambda *_: Reading((), True, 0.9, 0.4, 1, 1, 0.1), CARD)


@pytest.fixture
def window(shared_window: MainWindow) -> MainWindow:
    shared_window.activateWindow()
    return shared_window


def about_of(window: MainWindow) -> AboutView:
    window.show_about()
    page = window.page
    assert isinstance(page, AboutView)
    return page


def overview_of(window: MainWindow, qtbot: QtBot) -> OverviewSection:
    page = about_of(window)
    page.show_section(OverviewSection.KEY)
    section = page.section()
    assert isinstance(section, OverviewSection)
    qtbot.waitUntil(lambda: section.computer.value("Models run on").startswith("Test"))
    return section


def test_settings_leads_to_about_and_esc_back(window: MainWindow, qtbot: QtBot) -> None:
    window.show_page("settings")
    settings = window.page
    assert settings.about.words() == f"Spanlight {VERSION}"  # type: ignore[attr-defined]
    settings.about.link.click()  # type: ignore[attr-defined]
    assert isinstance(window.page, AboutView)
    assert window.rail._buttons["settings"].isChecked(), "the rail names the page that it belongs to"
    qtbot.keyClick(window.page, Qt.Key.Key_Escape)
    assert window.page is settings


def test_the_list_of_keys_leads_to_about_and_back_to_the_page_before(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.show_page("classify")
    window.show_help()
    sheet = window.findChild(ShortcutsHelp)
    assert isinstance(sheet, ShortcutsHelp)
    next(button for button in sheet.findChildren(QPushButton) if button.text() == "About Spanlight").click()
    page = window.page
    assert isinstance(page, AboutView)
    window.show_about()
    page.back.click()
    assert window.page.KEY == "classify"
    assert window.workspace.settings.last_view == "classify", "the next start does not begin with About"


def test_versions_computer_and_device_are_shown(window: MainWindow, qtbot: QtBot) -> None:
    section = overview_of(window, qtbot)
    assert f"Version {VERSION}" in section.version.text()
    for name in ("Python", "Qt", "PySide6", "PyTorch", "transformers", "tokenizers", "PDFium", "SQLite"):
        assert section.versions.value(name)[0].isdigit(), name
    assert section.computer.value("Models run on") == "Test Processor. There is no GPU."
    assert section.computer.value("System") and section.computer.value("Memory")
    assert "Apache License 2.0" in section.licence.words()


def seen_whole(widget: QWidget) -> bool:
    return widget.isVisible() and widget.visibleRegion().boundingRect() == widget.rect()


def test_folders_are_opened_or_the_reason_is_shown(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Path] = []
    monkeypatch.setattr(
        QDesktopServices, "openUrl", lambda url: opened.append(Path(QUrl(url).toLocalFile())) is None
    )
    section, paths = overview_of(window, qtbot), window.workspace.paths
    paths.data.mkdir(parents=True, exist_ok=True)
    paths.models.write_text("in the way")
    section.folders["Models"].click()
    assert section.folder_notice.sentence() == "The folder cannot be made." and not opened
    paths.models.unlink()
    for button in section.folders.values():
        assert "Open the folder" in button.accessibleName()
        button.click()
    assert opened == [paths.config, paths.data, paths.models, paths.logs]
    assert all(folder.is_dir() for folder in opened)
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: False)
    section.folders["Logs"].click()
    assert section.folder_notice.sentence() == "No program opened the folder."
    qtbot.waitUntil(lambda: seen_whole(section.folder_notice))


def test_links_lead_to_sections_and_pages(window: MainWindow, qtbot: QtBot) -> None:
    section = overview_of(window, qtbot)
    page = about_of(window)
    for link, kind in ((section.licence, LicencesSection), (section.fault, DiagnosticsSection)):
        link.link.click()
        assert isinstance(page.section(), kind)
        page.show_section(OverviewSection.KEY)
    section.updates.link.click()
    assert window.page.KEY == "settings"
    updates = window.page.updates  # type: ignore[attr-defined]
    assert updates.isAncestorOf(window.focusWidget())
    qtbot.waitUntil(lambda: not updates.visibleRegion().isEmpty())
    window.show_about()
    section.welcome.link.click()
    assert window.page.KEY == "ask"
    welcome = window.page.welcome  # type: ignore[attr-defined]
    assert welcome is not None and welcome.band is not None


def test_sections_are_changed_by_keys(window: MainWindow, qtbot: QtBot) -> None:
    page = about_of(window)
    page.show_section(OverviewSection.KEY)
    seen = []
    for _ in range(4):
        seen.append(page.names.selected())
        page.next()
    assert seen == ["spanlight", "licences", "diagnostics", "spanlight"]
    page.previous()
    assert page.names.selected() == "spanlight"
    page.show_section("no such section")
    assert page.names.selected() == "spanlight"


# Licences


def licences_of(window: MainWindow, qtbot: QtBot) -> LicencesSection:
    page = about_of(window)
    page.show_section("licences")
    section = page.section()
    assert isinstance(section, LicencesSection)
    qtbot.waitUntil(lambda: len(section.list.rows()) > 20)
    return section


def choose(section: LicencesSection, name: str) -> None:
    at = next(at for at, row in enumerate(section.list.rows()) if row.title == name)
    section.list.setCurrentIndex(section.list.model().index(at, 0))


def test_every_component_is_listed_with_its_full_licence(window: MainWindow, qtbot: QtBot) -> None:
    section = licences_of(window, qtbot)
    parts = licences(window.workspace, Silent())
    assert [row.title for row in section.list.rows()] == [part.name for part in parts]
    choose(section, "Spanlight")
    assert "Apache License" in section.sheet.text.toPlainText()
    for name in ("torch", "Qt", "SQLite", "reader-quick"):
        choose(section, name)
        part = next(part for part in parts if part.name == name)
        assert section.sheet.title() == name
        shown = section.sheet.text.toPlainText()
        for text in part.texts:
            assert text.text.replace("\f", "\n").replace("\N{NO-BREAK SPACE}", " ") in shown.replace(
                "\f", "\n"
            )
    choose(section, "Qt")
    assert "in their place" in section.sheet._note.text()
    assert section.sheet.text.accessibleName() == "Licence of Qt"


def test_components_are_searched_by_name_and_licence(window: MainWindow, qtbot: QtBot) -> None:
    section = licences_of(window, qtbot)
    choose(section, "Spanlight")
    about_of(window)._search()
    assert window.focusWidget() is section.filters.search
    qtbot.keyClicks(section.filters.search, "lgpl")
    qtbot.waitUntil(lambda: len(section.list.rows()) < 10)
    assert {"Qt", "shiboken6", "libiconv"} <= {row.title for row in section.list.rows()}
    assert section.sheet.title() == section.list.rows()[0].title
    section.filters.search.setText("xyzzy")
    qtbot.waitUntil(lambda: not section.list.rows())
    assert section.empty.isVisible() and section.empty.title.text() == "Nothing found"
    section.empty.button.click()
    assert len(section.list.rows()) > 20 and section.sheet.isVisible()


def test_a_licence_is_entered_and_left_by_keys(window: MainWindow, qtbot: QtBot) -> None:
    section = licences_of(window, qtbot)
    assert window.focusWidget() is section.list
    choose(section, "Spanlight")
    qtbot.keyClick(section.list, Qt.Key.Key_Down)
    assert section.sheet.title() == section.list.rows()[1].title
    qtbot.keyClick(section.list, Qt.Key.Key_Return)
    assert window.focusWidget() is section.sheet.text and section.sheet.text.isReadOnly()
    before = section.sheet.text.toPlainText()
    qtbot.keyClicks(section.sheet.text, "x")
    assert section.sheet.text.toPlainText() == before
    qtbot.keyClick(section.sheet.text, Qt.Key.Key_Tab)
    assert window.focusWidget() is not section.sheet.text, "Tab goes on"


# Diagnostics


def diagnostics_of(window: MainWindow, qtbot: QtBot) -> DiagnosticsSection:
    page = about_of(window)
    page.show_section("diagnostics")
    section = page.section()
    assert isinstance(section, DiagnosticsSection)
    qtbot.waitUntil(lambda: "Models run on" in section.text.toPlainText())
    return section


def test_the_diagnostics_are_shown_and_copied(window: MainWindow, qtbot: QtBot) -> None:
    section = diagnostics_of(window, qtbot)
    text = section.text.toPlainText()
    device = "Device cuda:0: Test GPU, not usable"
    for told in (f"Spanlight: {VERSION}", "Platform: offscreen", "Screen 1: ", device):
        assert told in text
    section.copy.click()
    assert QGuiApplication.clipboard().text() == text
    assert section.copy.text() == "Copied"
    section._back.timeout.emit()
    assert section.copy.text() == "Copy"
    section.text.selectAll()
    section._found("another text")
    assert section.text.toPlainText() == text, "while some of it is selected it stays"


def test_a_model_process_that_does_not_start_is_reported(
    open_window: Callable[[], MainWindow], qtbot: QtBot, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(report: Report) -> Devices:
        raise OSError("no such library")

    monkeypatch.setattr(engine, "devices", broken)
    page = about_of(open_window())
    page.show_section("diagnostics")
    section = page.section()
    assert isinstance(section, DiagnosticsSection)
    qtbot.waitUntil(lambda: "not known: no such library" in section.text.toPlainText(), timeout=20_000)


def test_on_macos_about_is_in_the_applications_menu(
    open_window: Callable[[], MainWindow], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    window = open_window()
    monkeypatch.undo()
    menus = [action.menu() for action in window.menuBar().actions()]
    action = menus[0].actions()[0]
    assert action.menuRole() == QAction.MenuRole.AboutRole
    assert action.text() == "About Spanlight"
    action.trigger()
    assert isinstance(window.page, AboutView)
