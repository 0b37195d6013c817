"""Opening files: progress, stopping, passwords, faults, several at once, and recent files."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.core.layout import Kind
from app.ui.ask.ask import AskView
from app.ui.ask.run import TextState
from app.ui.document.flowing.rich_pane import RichPane
from app.ui.document.opening_page import OpeningPage
from app.ui.document.pdf.page_pane import PagePane
from app.ui.document.text.document_pane import DocumentPane
from app.ui.window.window import MainWindow
from tests.helpers.open_files import PAGE, Waiting, ask, is_open, open_locked, titles, write_pdf
from tests.helpers.windows import settle

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def waiting(view: AskView) -> Waiting:
    """Return the documents process of `view`, which waits."""
    documents = Waiting(view.workspace.documents)
    view.workspace.documents = documents  # type: ignore[assignment]
    return documents


def opening(view: AskView) -> OpeningPage:
    page = view.sheets.current().opening
    assert page is not None and page.isVisible()
    return page


def button(page: OpeningPage, words: str) -> QPushButton:
    return next(one for one in page.findChildren(QPushButton) if one.text() == words and one.isVisible())


def words(widget: QWidget) -> str:
    return " ".join(label.text() for label in widget.findChildren(QLabel))


def test_every_kind_of_file_comes_up_on_the_page_that_fits_it(
    view: AskView, qtbot: QtBot, tmp_path: Path
) -> None:
    files = {"a.txt": b"Plain.", "b.md": b"# Head\n\nWords.", "c.html": PAGE.encode()}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    write_pdf(tmp_path / "d.pdf", "Words")
    is_open(view, qtbot, [*(tmp_path / name for name in files), tmp_path / "d.pdf"])
    assert titles(view) == ["a.txt", "b.md", "c.html", "d.pdf"]
    panes = [type(sheet.pane) for sheet in view.sheets.all()]
    assert panes == [DocumentPane, RichPane, RichPane, PagePane]
    kinds = [sheet.session.opened.kind for sheet in view.sheets.all() if sheet.session.opened is not None]
    assert kinds == [Kind.TEXT, Kind.MARKDOWN, Kind.HTML, Kind.PDF]


def test_progress_is_shown_while_a_file_is_read_and_esc_stops_it(
    open_window: Callable[[], MainWindow], qtbot: QtBot, tmp_path: Path
) -> None:
    window = open_window()
    settle(window, qtbot)
    view = window.pages["ask"]
    assert isinstance(view, AskView)
    documents = Waiting(window.workspace.documents)
    window.workspace.documents = documents  # type: ignore[assignment]
    (tmp_path / "long.txt").write_text("Read at last.", "utf-8")
    window.open_files([tmp_path / "long.txt"])
    strip = opening(view).strip
    qtbot.waitUntil(lambda: strip.words().startswith("Reading pages"))
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert titles(view) == ["New text"] and view.tabs.undo.isVisible()
    qtbot.waitUntil(lambda: window.lanes.documents.idle)
    qtbot.mouseClick(view.tabs.undo, LEFT)
    assert titles(view) == ["long.txt"] and len(documents.reads) <= 2, "it is read again"
    documents.go_on.set()
    qtbot.waitUntil(lambda: view.sheets.current().is_open)
    assert view.sheets.current().pane.text() == "Read at last."


def test_a_locked_file_asks_for_its_password_which_is_written_nowhere(
    view: AskView, qtbot: QtBot, tmp_path: Path, spanlight_home: Path
) -> None:
    page = open_locked(view, qtbot, tmp_path)
    qtbot.keyClicks(page.lock.field, "sesame")
    qtbot.keyClick(page.lock.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: page.lock.field.isVisible() and "does not fit" in words(page))
    assert page.lock.field.text() == ""
    qtbot.keyClicks(page.lock.field, "opensesame")
    qtbot.mouseClick(button(page, "Open"), LEFT)
    qtbot.waitUntil(lambda: view.sheets.current().is_open)
    pane = view.sheets.current().pane
    assert isinstance(pane, PagePane) and "treasure" in pane.text()
    qtbot.waitUntil(lambda: bool(pane._shelf._cached))  # its pages are drawn with the password too
    ask(view, qtbot, "What is buried?")
    view.keep()
    view.workspace.save_settings()
    files = [file for file in spanlight_home.rglob("*") if file.is_file()]
    assert files
    assert not [file for file in files if b"opensesame" in file.read_bytes()]


def test_a_file_whose_password_nobody_knows_can_be_closed(
    view: AskView, qtbot: QtBot, tmp_path: Path
) -> None:
    page = open_locked(view, qtbot, tmp_path)
    assert not any(one.text() == "Try again" and one.isVisible() for one in page.findChildren(QPushButton))
    qtbot.mouseClick(button(page, "Close"), LEFT)
    assert titles(view) == ["New text"]


def test_a_fault_is_said_in_the_tab_with_ways_on(view: AskView, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.7 and nothing else")
    view.open_files([tmp_path / "bad.pdf"])
    page = opening(view)
    qtbot.waitUntil(lambda: page.notice.isVisible())
    assert "bad.pdf" in page.notice.sentence()
    write_pdf(tmp_path / "bad.pdf", "Mended")
    qtbot.mouseClick(button(page, "Try again"), LEFT)
    qtbot.waitUntil(lambda: view.sheets.current().is_open)
    assert view.sheets.current().pane.text().strip() == "Mended"
    (tmp_path / "bad.pdf").unlink()
    view.open_files([tmp_path / "gone.pdf"])
    page = opening(view)
    qtbot.waitUntil(lambda: page.notice.isVisible())
    qtbot.mouseClick(button(page, "Close"), LEFT)
    assert titles(view) == ["bad.pdf"]


def test_one_that_is_open_already_comes_up_also_by_its_name_in_this_folder(
    view: AskView, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("one.txt", "two.txt"):
        (tmp_path / name).write_text(name, "utf-8")
    is_open(view, qtbot, [Path("one.txt"), tmp_path / "two.txt", Path("one.txt")])
    assert titles(view) == ["one.txt", "two.txt"], "a tab for each"
    assert view.workspace.settings.recent_files == [str(tmp_path / name) for name in ("two.txt", "one.txt")]
    assert view.sheets.current().session.path == str(tmp_path / "one.txt")
    for same in ("./one.txt", "folder/../one.txt"):
        view.open_files([tmp_path / "two.txt"])
        view.open_files([Path(same)])
        assert titles(view) == ["one.txt", "two.txt"]
        assert view.sheets.current().pane.text() == "one.txt"


def test_files_opened_before_are_offered_and_can_be_forgotten(
    make: Callable[[], AskView], qtbot: QtBot, tmp_path: Path
) -> None:
    first = make()
    for name in ("one.txt", "two & three.txt"):
        (tmp_path / name).write_text(name, "utf-8")
    is_open(first, qtbot, [tmp_path / "one.txt", tmp_path / "two & three.txt"])
    for _ in range(2):
        first.sheets.close_current()
    first.keep()
    first.workspace.save_settings()
    view = make()
    empty = view.sheets.current().empty
    assert [one.text() for one in empty.recent] == ["two & three.txt", "one.txt"]
    qtbot.mouseClick(empty.recent[1], LEFT)
    qtbot.waitUntil(lambda: view.sheets.current().is_open)
    assert titles(view) == ["one.txt"]
    actions = view.tabs._files.actions()
    assert [action.text() for action in actions if action.text()] == [
        "one.txt", "two && three.txt", "Forget these",
    ]  # fmt: skip
    actions[1].trigger()
    qtbot.waitUntil(lambda: titles(view) == ["one.txt", "two & three.txt"])
    view.tabs._files.actions()[-1].trigger()
    assert view.workspace.settings.recent_files == []
    assert not view.tabs._recent.isVisible()
    assert not view.sheets.new().empty.recent


def test_a_file_that_is_being_opened_when_the_window_closes_is_opened_at_the_next_start(
    open_window: Callable[[], MainWindow], qtbot: QtBot, tmp_path: Path
) -> None:
    window = open_window()
    settle(window, qtbot)
    window.workspace.documents = Waiting(window.workspace.documents)  # type: ignore[assignment]
    (tmp_path / "long.txt").write_text("Read at last.", "utf-8")
    window.open_files([tmp_path / "long.txt"])
    window.close()
    again = open_window()
    view = again.pages["ask"]
    assert isinstance(view, AskView)
    qtbot.waitUntil(lambda: titles(view) == ["long.txt"] and view.sheets.current().is_open)
    assert view.sheets.current().pane.text() == "Read at last."


def test_files_of_the_last_start_are_read_when_they_come_up(
    make: Callable[[], AskView], qtbot: QtBot, tmp_path: Path
) -> None:
    first = make()
    text = "\n\n".join(f"Paragraph {number} of many." for number in range(400))
    (tmp_path / "one.md").write_text(text, "utf-8")
    (tmp_path / "two.txt").write_text("Two.", "utf-8")
    sheet = is_open(first, qtbot, [tmp_path / "one.md"])
    point = text.index("Paragraph 200")
    sheet.pane.go_to(sheet.pane.text().index("Paragraph 200"))
    is_open(first, qtbot, [tmp_path / "two.txt"])
    assert abs(first.sheets.all()[0].reading_place() - point) < 200
    first.keep()
    (tmp_path / "two.txt").write_text("Two, and more.", "utf-8")
    view = make()
    qtbot.waitUntil(lambda: view.sheets.current().is_open)
    assert view.sheets.current().pane.text() == "Two, and more.", "an unedited text is what its file says now"
    asleep = view.sheets.all()[0]
    assert not asleep.is_open and titles(view) == ["one.md", "two.txt"]
    view.sheets.bring(0)
    qtbot.waitUntil(lambda: asleep.is_open)
    assert abs(asleep.reading_place() - point) < 200


def test_reading_again_that_is_stopped_or_fails_leaves_what_was_read(
    view: AskView, qtbot: QtBot, tmp_path: Path
) -> None:
    file = write_pdf(tmp_path / "tides.pdf", "The tide is high at noon.")
    sheet = is_open(view, qtbot, [file])
    ask(view, qtbot, "When is it noon?")
    held = view.workspace.documents
    documents = Waiting(held)
    view.workspace.documents = documents  # type: ignore[assignment]
    sheet.read_requested.emit()
    qtbot.waitUntil(lambda: bool(documents.reads))
    assert not sheet.is_open
    assert view.stop()
    assert sheet.is_open and titles(view) == ["tides.pdf"]
    assert sheet.pane.text().startswith("The tide") and view.panel.card.answer.text() == "noon"
    view.workspace.documents = held
    file.write_bytes(b"%PDF-1.7 and nothing else")
    sheet.read_requested.emit()
    qtbot.waitUntil(lambda: sheet.is_open)
    assert "tides.pdf" in sheet.banner.sentence() and sheet.pane.text().startswith("The tide")
    write_pdf(file, "The tide is low at six.")
    act = next(one for one in sheet.banner.findChildren(QPushButton) if one.text() == "Try again")
    qtbot.mouseClick(act, LEFT)
    qtbot.waitUntil(lambda: sheet.pane.text().startswith("The tide is low"))
    assert not sheet.banner.isVisible() and "was changed after this was asked" in view.panel.card.note.text()


def test_the_same_file_read_again_keeps_its_answer_lit(view: AskView, qtbot: QtBot, tmp_path: Path) -> None:
    for name in ("tides.pdf", "tides.txt"):
        file = tmp_path / name
        if name.endswith(".pdf"):
            write_pdf(file, "The tide is high at noon.")
        else:
            file.write_text("The tide is high at noon.", "utf-8")
        sheet = is_open(view, qtbot, [file])
        ask(view, qtbot, "When is it noon?")
        sheet.read_requested.emit()
        assert not sheet.is_open
        qtbot.waitUntil(lambda sheet=sheet: sheet.is_open)  # type: ignore[misc]
        assert (
            sheet.session.run is not None
            and sheet.session.run.text is not TextState.CHANGED
            and sheet.session.run.lit == (True,)
        )
        assert sheet.pane.light_boxes(0) and view.panel.card.answer.text() == "noon"


def test_only_so_many_closed_files_are_held(
    view: AskView, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.ui.ask.sheets._MOST_CLOSED", 2)
    names = [f"{number}.txt" for number in range(4)]
    for name in names:
        (tmp_path / name).write_text(name, "utf-8")
    is_open(view, qtbot, [tmp_path / name for name in names])
    sheets = list(view.sheets.all())
    for _ in names:
        view.sheets.close(0)
    qtbot.waitUntil(lambda: not any(isValid(sheet) for sheet in sheets[:2]))
    assert all(isValid(sheet) for sheet in sheets[2:])
    for _ in range(5):
        view.sheets.undo_close()
    assert sorted(titles(view)) == names[2:]


@pytest.mark.skipif(os.name != "posix", reason="names of bytes")
def test_a_name_of_any_characters_is_shown_on_one_line(view: AskView, qtbot: QtBot, tmp_path: Path) -> None:
    file = tmp_path / "<b>tide & \n👩\u200d👩.txt"
    file.write_text("The tide is high at noon.", "utf-8")
    sheet = is_open(view, qtbot, [file])
    assert sheet.title == "<b>tide & 👩\u200d👩.txt" and titles(view) == [sheet.title]
    ask(view, qtbot, "When is it noon?")
    assert view.panel.card.answer.text() == "noon"
