"""Files that change on the disk while they are open."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.ui.ask.ask import AskView
from app.ui.ask.files import CHANGED, GONE
from app.ui.ask.sheet import Sheet
from tests.helpers.open_files import ask, is_open, write_pdf


@pytest.fixture
def view(view: AskView) -> AskView:
    view.files._timer.setInterval(10)
    return view


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "tides.txt"
    file.write_text("The tide is high at noon.", "utf-8")
    return file


def read_again(sheet: Sheet) -> QPushButton:
    return next(one for one in sheet.banner.findChildren(QPushButton) if one.text() == "Read it again")


def looked(view: AskView, qtbot: QtBot) -> None:
    """Check the files, and wait until the result is shown."""
    view.files.check()
    qtbot.waitUntil(lambda: view.lanes.files.idle and not view.files._checking)


def test_a_change_is_noticed_and_read_when_wanted(view: AskView, qtbot: QtBot, file: Path) -> None:
    sheet = is_open(view, qtbot, [file])
    ask(view, qtbot, "When is it noon?")
    assert not sheet.banner.isVisible()
    file.write_text("The tide is low at six.", "utf-8")
    qtbot.waitUntil(lambda: sheet.banner.isVisible())
    assert sheet.banner.sentence() == CHANGED
    assert sheet.pane.text() == "The tide is high at noon.", "nothing is read before it is wanted"
    orders = view.workspace.documents.orders  # type: ignore[attr-defined]
    before = len(orders)
    qtbot.mouseClick(read_again(sheet), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: sheet.is_open)
    assert len(orders) == before + 1, "it is read once"
    assert sheet.pane.text() == "The tide is low at six." and not sheet.banner.isVisible()
    assert "was changed after this was asked" in view.panel.card.note.text(), (
        "the answer was one of the old text"
    )
    assert sheet.pane.lit() == []
    file.write_text("The tide is high at noon again.", "utf-8")
    qtbot.waitUntil(lambda: sheet.banner.sentence() == CHANGED)
    qtbot.mouseClick(read_again(sheet), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: sheet.is_open)
    assert len(orders) == before + 2


def test_a_file_that_is_replaced_as_editors_do_is_watched_on(view: AskView, qtbot: QtBot, file: Path) -> None:
    sheet = is_open(view, qtbot, [file])
    for words in ("The tide is low at six.", "The tide is low at seven."):
        other = file.with_suffix(".new")
        other.write_text(words, "utf-8")
        os.replace(other, file)
        qtbot.waitUntil(lambda: sheet.banner.sentence() == CHANGED)
        qtbot.mouseClick(read_again(sheet), Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda words=words: sheet.is_open and sheet.pane.text() == words)  # type: ignore[misc]
        assert str(file) in view.files._watcher.files()


def test_a_file_that_goes_leaves_what_was_read(view: AskView, qtbot: QtBot, tmp_path: Path) -> None:
    file = write_pdf(tmp_path / "tides.pdf", "The tide is high at noon.")
    data = file.read_bytes()
    sheet = is_open(view, qtbot, [file])
    file.unlink()
    qtbot.waitUntil(lambda: sheet.banner.isVisible())
    assert sheet.banner.sentence() == GONE
    ask(view, qtbot, "When is it noon?")
    assert view.panel.card.answer.text() == "noon"
    file.write_bytes(data)
    looked(view, qtbot)
    assert not sheet.banner.isVisible(), "it is back, and says the same"


def test_what_was_edited_here_is_not_lost_unawares(view: AskView, qtbot: QtBot, file: Path) -> None:
    sheet = is_open(view, qtbot, [file])
    qtbot.keyClicks(sheet.editor, "Mine: ")
    file.write_text("The tide is low at six.", "utf-8")
    qtbot.waitUntil(lambda: sheet.banner.isVisible())
    assert "What you changed here is lost then." in sheet.banner.accessibleName()
    assert sheet.pane.text() == "Mine: The tide is high at noon."


def test_a_banner_that_was_put_away_stays_away_until_the_next_change(
    view: AskView, qtbot: QtBot, file: Path
) -> None:
    sheet = is_open(view, qtbot, [file])
    os.utime(file, (1_000_000_000, 1_000_000_000))
    looked(view, qtbot)
    assert not sheet.banner.isVisible(), "one that was only touched says the same"
    file.write_text("The tide is low at six.", "utf-8")
    qtbot.waitUntil(lambda: sheet.banner.isVisible())
    qtbot.mouseClick(sheet.banner._close, Qt.MouseButton.LeftButton)
    view.sheets.show_new()
    view.sheets.bring(0)
    looked(view, qtbot)
    assert not sheet.banner.isVisible()


def test_a_tab_that_was_closed_and_brought_back_is_watched_again(
    view: AskView, qtbot: QtBot, file: Path
) -> None:
    sheet = is_open(view, qtbot, [file])
    view.sheets.close_current()
    assert str(file) not in view.files._watcher.files()
    file.write_text("The tide is low at six.", "utf-8")
    view.sheets.undo_close()
    qtbot.waitUntil(lambda: sheet.banner.sentence() == CHANGED)
    assert str(file) in view.files._watcher.files()


def test_reading_again_that_was_stopped_is_offered_again(view: AskView, qtbot: QtBot, file: Path) -> None:
    sheet = is_open(view, qtbot, [file])
    file.write_text("The tide is low at six.", "utf-8")
    qtbot.waitUntil(lambda: sheet.banner.sentence() == CHANGED)
    qtbot.mouseClick(read_again(sheet), Qt.MouseButton.LeftButton)
    assert view.stop() and sheet.is_open and sheet.pane.text() == "The tide is high at noon."
    qtbot.waitUntil(lambda: sheet.banner.sentence() == CHANGED)
