"""The section on the network: switch, settings, ledger."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.models.download.ledger import Ledger
from app.ui.models.network import NetworkSection
from app.ui.models.requests import NEVER, NONE_NOW
from tests.helpers.models_page import open_section, saved
from tests.helpers.windows import FakeEngine, open_fake_workspace


@pytest.fixture
def section(qapp: QApplication, qtbot: QtBot, spanlight_home: Path) -> Iterator[NetworkSection]:
    section = open_section(NetworkSection, open_fake_workspace(FakeEngine(lambda *_: None)), qtbot)
    quiet(section, qtbot)
    yield section
    section.lanes.close()


def quiet(section: NetworkSection, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: section.lanes.files.idle)


def requests(section: NetworkSection, qtbot: QtBot, number: int = 3) -> None:
    """Have some requests in the ledger, as the download process writes them."""
    book = Ledger(str(section.workspace.paths.ledger_file))
    for at in range(number):
        name = book.sending(
            "GET", f"https://huggingface.co/org/name/resolve/main/file{at}.json", "look up a model"
        )
        book.ended(name, 200 if at else 0, 1500 * at, 0.25, "" if at else "timed out")
    section.requests.refresh()
    quiet(section, qtbot)


def test_the_offline_switch_is_saved_and_announced(section: NetworkSection, qtbot: QtBot) -> None:
    told: list[str] = []
    section.changed.connect(told.append)
    qtbot.mouseClick(section.switch._buttons["offline"], Qt.MouseButton.LeftButton)
    assert saved(section).offline
    assert told == ["offline"]
    assert "no model can be looked up" in section._mode_hint.text()
    section.workspace.settings.offline = False
    section.settings_changed()
    assert section.switch.selected() == "asked"
    quiet(section, qtbot)


def test_an_entry_is_saved_once_it_is_valid(section: NetworkSection, qtbot: QtBot, tmp_path: Path) -> None:
    told: list[str] = []
    section.changed.connect(told.append)
    field = section.form.fields["endpoint"]
    field.line.line.setFocus()
    qtbot.keyClicks(field.line.line, "https:/")
    qtbot.waitUntil(lambda: field.bad)
    assert "not used yet" in field.hint.text()
    assert field.hint.property("ink") == "fault"
    assert saved(section).endpoint == ""
    qtbot.keyClicks(field.line.line, "/mirror.example.org")
    qtbot.waitUntil(lambda: saved(section).endpoint == "https://mirror.example.org")
    assert field.hint.property("ink") == "quiet"
    assert told == ["endpoint"]
    assert section.workspace.network.endpoint == "https://mirror.example.org"
    pem = tmp_path / "own.pem"
    pem.write_text("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n", "utf-8")
    section.form.fields["certificates"].line.take(str(pem))
    quiet(section, qtbot)
    assert saved(section).certificates == str(pem)
    assert not section.form.token.isChecked()
    section.form.token.click()
    assert saved(section).use_token


@pytest.mark.parametrize(
    ("name", "typed"), [("proxy", "socks5://proxy:1"), ("certificates", "/no/such.pem"), ("hub_cache", "x/y")]
)
def test_an_invalid_entry_says_why_and_stays_to_be_corrected(
    section: NetworkSection, qtbot: QtBot, name: str, typed: str
) -> None:
    field = section.form.fields[name]
    field.line.take(typed)
    quiet(section, qtbot)
    assert field.bad and field.hint.isVisible()
    assert getattr(section.workspace.settings, name) == ""
    section.settings_changed()
    quiet(section, qtbot)
    assert field.line.text() == typed
    field.line.take("")
    quiet(section, qtbot)
    assert not field.bad


def test_requests_of_a_download_appear_when_it_ends(section: NetworkSection, qtbot: QtBot) -> None:
    path = str(section.workspace.paths.ledger_file)
    section.lanes.network.start(
        lambda report: Ledger(path).sending("GET", "https://huggingface.co", "look up")
    )
    qtbot.waitUntil(lambda: len(section.requests.table.rows()) == 1)


def test_an_unreadable_ledger_is_reported(section: NetworkSection, qtbot: QtBot) -> None:
    section.workspace.paths.ledger_file.mkdir(parents=True)
    section.requests.refresh()
    qtbot.waitUntil(lambda: section.notice.isVisible())
    assert "ledger" in section.notice.sentence()


def test_requests_are_listed_latest_first_filtered_copied_and_cleared(
    section: NetworkSection, qtbot: QtBot
) -> None:
    card, table = section.requests, section.requests.table
    assert card.empty.isVisible() and card.empty.text() == NEVER
    assert not table.isVisible() and not card.copy.isVisible()
    requests(section, qtbot)
    assert table.isVisible() and not card.empty.isVisible()
    cells = [[table.model().index(row, column).data() for column in range(6)] for row in range(3)]
    assert [row[2].rsplit("/", 1)[1] for row in cells] == ["file2.json", "file1.json", "file0.json"]
    assert [row[3] for row in cells] == ["200", "200", "timed out"]
    assert cells[0][0].startswith("Today, ")
    assert cells[0][4:] == ["3.0 kB", "0.2 s"]
    section.search()
    qtbot.keyClicks(card.filter, "timed FILE0")
    assert len(table.rows()) == 1
    assert card._count.text() == "1 of 3 requests"
    qtbot.mouseClick(card.copy, Qt.MouseButton.LeftButton)
    rows = list(csv.DictReader(io.StringIO(QGuiApplication.clipboard().text())))
    assert [(row["error"], row["why"], row["method"]) for row in rows] == [
        ("timed out", "look up a model", "GET")
    ]
    assert card._count.text() == "1 request copied"
    qtbot.mouseClick(card.clear, Qt.MouseButton.LeftButton)
    assert card.question.asking and "3 requests" in card.question.text()
    assert section.stop(), "Esc takes the question away"
    assert not card.question.asking and len(table.rows()) == 1
    qtbot.mouseClick(card.clear, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(card.question.confirm, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: card.empty.isVisible())
    assert card.empty.text() == NONE_NOW and not card.question.asking


def test_the_address_takes_the_rest_of_the_width_and_found_requests_are_scrolled_into_view(
    section: NetworkSection, qtbot: QtBot
) -> None:
    requests(section, qtbot, 20)
    table = section.requests.table
    header = table.horizontalHeader()
    narrow = header.sectionSize(2)
    section.resize(1300, 800)
    qtbot.waitUntil(lambda: header.sectionSize(2) > narrow)
    qtbot.waitUntil(lambda: sum(header.sectionSize(at) for at in range(6)) == table.viewport().width())
    assert section.requests.width() == section.form.width()
    section.resize(900, 560)
    section.activateWindow()
    section.requests.filter.setText("file1")
    section.search()
    assert section.requests.filter.hasFocus() and section.requests.filter.selectedText() == "file1"
    row = table.viewport().mapTo(section, table.visualRect(table.model().index(1, 0)).bottomLeft())
    assert 0 < row.y() < section.height()
