"""The widget that shows one file: each kind in its pane, passwords, faults, and selected words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.text import Span
from app.ui.document.file_pane import FilePane
from app.ui.document.flowing.rich_pane import RichPane
from app.ui.document.opening_page import OpeningPage
from app.ui.document.pdf.page_pane import PagePane
from app.ui.document.text.document_pane import DocumentPane
from app.ui.kit.jobs import Lanes
from app.ui.kit.theme import Theme
from tests.helpers.small_pdfs import locked_pdf
from tests.helpers.windows import FakeEngine, open_fake_workspace, until_stopped

WORDS = "ninety days"


@pytest.fixture
def pane(qapp: QApplication, qtbot: QtBot, spanlight_home: Path) -> Iterator[FilePane]:
    workspace = open_fake_workspace(FakeEngine(until_stopped))
    theme = Theme(workspace.paths.resources)
    theme.choose("light")
    lanes = Lanes()
    pane = FilePane(workspace, theme, lanes)
    qtbot.addWidget(pane)
    pane.resize(600, 500)
    pane.show()
    yield pane
    lanes.close()
    workspace.close()


def show(pane: FilePane, qtbot: QtBot, path: Path) -> None:
    with qtbot.waitSignal(pane.opened):
        pane.show_file(str(path))


def test_each_kind_has_its_pane_and_its_places_are_lit(pane: FilePane, tmp_path: Path, qtbot: QtBot) -> None:
    text, page = tmp_path / "a.txt", tmp_path / "b.html"
    text.write_text(f"It ends after {WORDS} of notice.", encoding="utf-8")
    page.write_text(f"<h1>Notice</h1><p>It ends after {WORDS}.</p>", encoding="utf-8")
    for path, kind in ((text, DocumentPane), (page, RichPane)):
        show(pane, qtbot, path)
        assert isinstance(pane.pane, kind)
        start = pane.text().index(WORDS)
        span = Span(start, start + len(WORDS))
        assert pane.show_places([(span, WORDS)]) and pane.pane.lit() == [WORDS]
        assert not pane.show_places([(Span(0, len(WORDS)), WORDS)]), "these words are not there"
        cursor = pane.pane.textCursor()
        cursor.setPosition(cursor.document().find(WORDS).selectionStart())
        cursor.setPosition(cursor.position() + len(WORDS), QTextCursor.MoveMode.KeepAnchor)
        pane.pane.setTextCursor(cursor)
        assert pane.selected() == (WORDS, span)


def test_a_text_cannot_be_edited(pane: FilePane, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "a.txt"
    path.write_text("As it is.", encoding="utf-8")
    show(pane, qtbot, path)
    assert pane.pane is not None
    qtbot.keyClick(pane.pane, Qt.Key.Key_Z)
    assert pane.text() == "As it is."


def test_a_password_and_a_fault_are_shown_in_place(pane: FilePane, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "locked.pdf"
    path.write_bytes(locked_pdf("Sixty days.", "sesame"))
    pane.show_file(str(path))
    opening = pane.findChild(OpeningPage)
    assert opening is not None
    qtbot.waitUntil(lambda: not opening.lock.isHidden())
    opening.lock.field.setText("sesame")
    with qtbot.waitSignal(pane.opened):
        opening.lock.entered.emit("sesame")
    assert isinstance(pane.pane, PagePane) and pane.currentWidget() is pane.pane
    pane.show_file(str(tmp_path / "nowhere.txt"))
    qtbot.waitUntil(lambda: bool(opening.notice.sentence()))
    assert pane.currentWidget() is opening and not pane.text()
    with qtbot.waitSignal(pane.closed):
        opening.close_button.click()


def test_a_narrow_pane_shows_all_of_the_opening_page(pane: FilePane, qtbot: QtBot) -> None:
    pane.resize(360, 500)
    opening = pane.findChild(OpeningPage)
    assert opening is not None
    opening.reading(f"{'a long name ' * 9}.pdf")
    QApplication.processEvents()
    strip = opening.strip
    assert pane.width() == 360
    assert 0 < strip.mapTo(pane, strip.rect().topLeft()).x()
    assert strip.mapTo(pane, strip.rect().bottomRight()).x() < 360
