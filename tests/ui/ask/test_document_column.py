"""The column with the list of documents, beside the document and over it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.library import FileState, LibraryFile
from app.core.report import Silent
from app.flows.library.folders import SUFFIXES
from app.flows.library.libraries import plan_library, save_library
from app.flows.library.update import update
from app.ui.ask import library_dialogs
from app.ui.ask.ask import AskView
from app.ui.ask.document_rows import Part, Row
from app.ui.ask.library_dialogs import Contents
from app.ui.window.window import MainWindow
from tests.helpers.resting import READER, RestingEngine
from tests.helpers.widgets import tab_order
from tests.helpers.windows import close_window, open_fake_workspace, settle, shown_window

CONTROL = Qt.KeyboardModifier.ControlModifier
NAMES = ("alpha.txt", "beta.txt", "empty.txt")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("folders") / "Reports"
    folder.mkdir()
    for name in NAMES:
        (folder / name).write_text("" if name == "empty.txt" else f"The text of {name}.", "utf-8")
    return folder


@pytest.fixture(scope="module")
def shared(qapp: QApplication, shared_home: Path, folder: Path) -> Iterator[MainWindow]:
    workspace = open_fake_workspace(RestingEngine(READER))
    library = save_library(workspace, plan_library(workspace, [folder]), Silent())
    update(workspace, library, Silent())
    window = shown_window(workspace)
    yield window
    close_window(window)


@pytest.fixture
def view(shared: MainWindow, qtbot: QtBot) -> AskView:
    """The Ask page with one library, which is expanded, and an empty text."""
    shared.resize(1320, 860)
    shared.workspace.settings.document_list = True
    shared.show_page("ask")
    view = shared.page
    assert isinstance(view, AskView)
    shared.libraries.refresh()
    settle(shared, qtbot)
    qtbot.waitUntil(lambda: "Reports" in names(view))
    view.sheets.close_all()
    qtbot.waitUntil(lambda: shared.lanes.documents.idle)
    view.tabs.recent_requested.emit("")
    view.sheets.show_new()
    view.documents.search.clear()
    if shared.workspace.settings.list_library != shared.libraries.all[0][0].number:
        view.documents.list.chosen.emit(row(view, "Reports"))

    def listed() -> None:
        assert names(view) == ["Open documents", "New text", "Reports", *NAMES]

    qtbot.waitUntil(listed)
    return view


def names(view: AskView) -> list[str]:
    return [one.name for one in rows_of(view)]


def rows_of(view: AskView) -> list[Row]:
    model = view.documents.list.rows
    return [model.row(at) for at in range(model.rowCount())]


def row(view: AskView, name: str, part: Part | None = None) -> Row:
    return next(one for one in rows_of(view) if one.name == name and part in (None, one.part))


def libraries_of(shared: MainWindow) -> list[str]:
    return [library.name for library, _ in shared.libraries.all]


def choose(view: AskView, words: str, wanted: Row) -> None:
    """Choose what a row's menu offers."""
    actions = view.documents.menu_of(wanted).actions()
    next(each for each in actions if each.text().split("\t")[0] == words).trigger()


def click(view: AskView, wanted: Row, button: Qt.MouseButton = Qt.MouseButton.LeftButton) -> None:
    index = view.documents.list.rows.index(view.documents.list.rows.find(wanted))
    place = view.documents.list.visualRect(index).center()
    QTest.mouseClick(view.documents.list.viewport(), button, Qt.KeyboardModifier.NoModifier, place)


def test_a_file_of_a_library_is_opened_by_a_click_and_closed_by_the_middle_button(
    view: AskView, qtbot: QtBot
) -> None:
    assert row(view, "empty.txt").note == "not read"
    assert row(view, "Reports").note == "2 of 3 read"
    click(view, row(view, "beta.txt"))
    qtbot.waitUntil(lambda: view.sheets.current().is_open and view.sheets.current().title == "beta.txt")
    assert view.panel.box.field.hasFocus(), "the next thing to type is a question"
    qtbot.waitUntil(lambda: names(view)[:3] == ["Open documents", "beta.txt", "Reports"])
    assert row(view, "beta.txt", Part.OPEN).is_current
    assert row(view, "beta.txt", Part.FILE).is_current
    click(view, row(view, "beta.txt", Part.OPEN), Qt.MouseButton.MiddleButton)
    qtbot.waitUntil(lambda: names(view)[:3] == ["Open documents", "New text", "Reports"])
    assert names(view)[-2:] == ["Opened before", "beta.txt"]
    view.tabs.recent_requested.emit("")
    qtbot.waitUntil(lambda: "Opened before" not in names(view))


def test_a_double_click_opens_one_document_though_the_list_moves_on(view: AskView, qtbot: QtBot) -> None:
    click(view, row(view, "beta.txt"))
    qtbot.waitUntil(lambda: names(view)[:3] == ["Open documents", "beta.txt", "Reports"])
    documents = view.documents.list
    place = documents.visualRect(documents.rows.index(documents.rows.find(row(view, "alpha.txt")))).center()
    button, no_key = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QTest.mouseClick(documents.viewport(), button, no_key, place)
    qtbot.waitUntil(lambda: names(view)[:4] == ["Open documents", "beta.txt", "alpha.txt", "Reports"])
    for kind, held in (
        (QEvent.Type.MouseButtonDblClick, button),
        (QEvent.Type.MouseButtonRelease, Qt.MouseButton.NoButton),
    ):
        at = documents.viewport().mapToGlobal(place)
        event = QMouseEvent(kind, QPointF(place), QPointF(at), button, held, no_key)
        QApplication.sendEvent(documents.viewport(), event)
    assert [one.name for one in rows_of(view) if one.part is Part.LIBRARY and one.is_expanded] == ["Reports"]
    assert [sheet.title for sheet in view.sheets.all()] == ["beta.txt", "alpha.txt"]


def test_a_document_is_found_and_opened_by_keys_alone(view: AskView, qtbot: QtBot) -> None:
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_F, CONTROL | Qt.KeyboardModifier.ShiftModifier)
    assert view.documents.search.hasFocus()
    qtbot.keyClicks(view.documents.search, "alp")
    qtbot.keyClick(view.documents.search, Qt.Key.Key_Return)
    assert names(view) == ["Reports", "alpha.txt"], "at once, though it was just typed"
    assert view.documents.list.hasFocus()
    qtbot.keyClick(view.documents.list, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: view.sheets.current().title == "alpha.txt")
    qtbot.keyClick(view.documents.search, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: "beta.txt" in names(view))
    view.documents.list.setFocus(Qt.FocusReason.TabFocusReason)
    assert view.documents.list.row() is not None
    view.documents.list.setCurrentIndex(view.documents.list.rows.index(1))
    qtbot.keyClick(view.documents.list, Qt.Key.Key_Down)
    here = view.documents.list.row()
    assert here is not None and here.part is Part.LIBRARY
    qtbot.keyClick(view.documents.list, Qt.Key.Key_Left)
    assert "beta.txt" not in names(view), "the library is collapsed"
    qtbot.keyClick(view.documents.list, Qt.Key.Key_Right)
    assert "beta.txt" in names(view)
    qtbot.keyClick(view.documents.list, Qt.Key.Key_Up)
    qtbot.keyClick(view.documents.list, Qt.Key.Key_Delete)
    assert view.sheets.current().title == "alpha.txt", "Delete does nothing to a file"
    qtbot.keyClick(view.documents.list, Qt.Key.Key_W, CONTROL)
    qtbot.waitUntil(lambda: names(view)[1] == "New text")
    view.documents.list.setFocus()
    qtbot.keyClick(view.documents.list, Qt.Key.Key_B)
    assert view.documents.search.text() == "b", "letters typed in the list are a search"


def test_the_list_is_hidden_by_its_key_and_stays_so(view: AskView, qtbot: QtBot) -> None:
    left = view.tabs.x()
    assert left == view.documents.width()
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_B, CONTROL)
    qtbot.waitUntil(lambda: view.tabs.x() == 0)
    assert view.documents.isHidden() and not view.tabs.documents.isChecked()
    assert not view.workspace.settings.document_list
    view.tabs.documents.click()
    assert view.documents.search.hasFocus() and view.tabs.documents.isChecked()
    assert view.workspace.settings.document_list


def test_in_a_small_window_the_list_comes_over_the_page_and_goes_away(
    shared: MainWindow, view: AskView, qtbot: QtBot
) -> None:
    shared.resize(1024, 640)
    qtbot.waitUntil(view.documents.isHidden)
    qtbot.waitUntil(lambda: view.tabs.x() == 0)
    view.tabs.documents.click()
    assert view.documents.isVisible() and view.tabs.x() == 0, "over the page, which stays as it is"
    qtbot.keyClick(view.documents.search, Qt.Key.Key_Escape)
    assert view.documents.isHidden()
    view.tabs.documents.click()
    view.panel.box.field.setFocus()
    qtbot.waitUntil(view.documents.isHidden)
    view.tabs.documents.click()
    click(view, row(view, "alpha.txt"))
    qtbot.waitUntil(lambda: view.sheets.current().title == "alpha.txt")
    assert view.documents.isHidden()
    shared.resize(1320, 860)
    qtbot.waitUntil(view.documents.isVisible)


def test_tab_leads_through_the_list(shared: MainWindow, view: AskView) -> None:
    order = tab_order(shared)
    at = order.index(view.documents.search)
    assert order[at : at + 3] == [view.documents.search, view.documents.list, view.documents.add]


def test_menus_offer_what_is_possible(view: AskView, qtbot: QtBot, folder: Path) -> None:
    def offered(wanted: Row) -> list[str]:
        return [
            each.text().split("\t")[0] for each in view.documents.menu_of(wanted).actions() if each.text()
        ]

    files = ["Show in folder", "Copy path"]
    assert offered(row(view, "New text")) == ["Open", "Close", "Close others", "Close all"]
    assert offered(row(view, "alpha.txt")) == ["Open", *files]
    contents = ["Rename", "Add a folder to it…", "Folders, files and kinds…", "Remove from Spanlight…"]
    update = ["Update now", "Check everything", "Files that were not read…"]
    assert offered(row(view, "Reports")) == ["Ask this library", *update, *contents]
    assert offered(row(view, "Open documents")) == []
    choose(view, "Copy path", row(view, "alpha.txt"))
    assert QGuiApplication.clipboard().text() == str(folder / "alpha.txt")
    view.open_files([folder / name for name in NAMES])
    qtbot.waitUntil(lambda: names(view)[3:4] == ["empty.txt"])
    assert offered(row(view, "alpha.txt", Part.FILE)) == ["Open", "Close", *files]
    choose(view, "Close others", row(view, "beta.txt", Part.OPEN))
    qtbot.waitUntil(lambda: names(view)[:3] == ["Open documents", "beta.txt", "Reports"])


def test_a_file_that_got_another_name_is_listed_with_it(
    shared: MainWindow, view: AskView, qtbot: QtBot, folder: Path
) -> None:
    for before, now in (("alpha.txt", "omega.txt"), ("omega.txt", "alpha.txt")):
        (folder / before).rename(folder / now)
        choose(view, "Update now", row(view, "Reports"))
        qtbot.waitUntil(lambda before=before: before not in names(view), timeout=20_000)
        assert now in names(view)
        qtbot.waitUntil(lambda: shared.lanes.library.idle and shared.lanes.files.idle)


def test_a_library_is_renamed_in_its_place(shared: MainWindow, view: AskView, qtbot: QtBot) -> None:
    for name, key, then in (
        ("Other", Qt.Key.Key_Escape, "Reports"),
        ("Other", Qt.Key.Key_Return, "Other"),
        ("Reports", Qt.Key.Key_Return, "Reports"),
    ):
        before = libraries_of(shared)[0]
        choose(view, "Rename", row(view, before))
        field = QApplication.focusWidget()
        assert field is not None and field.accessibleName() == f"New name of the library {before}"
        qtbot.keyClicks(field, name)
        qtbot.keyClick(field, key)
        qtbot.waitUntil(lambda then=then: libraries_of(shared) == [then])
        qtbot.waitUntil(lambda: shared.lanes.library.idle and shared.lanes.files.idle)
        qtbot.waitUntil(lambda then=then: then in names(view))


def test_files_opened_together_can_be_kept_as_a_library_which_is_removed_after_a_question(
    shared: MainWindow, view: AskView, qtbot: QtBot, tmp_path: Path
) -> None:
    many = tmp_path / "Many"
    many.mkdir()
    paths = [many / f"{at}.txt" for at in range(10)]
    for path in paths:
        path.write_text(f"Text {path.stem}.", "utf-8")
    view.open_files(paths)
    assert view.keep_together.text().startswith("10 documents were opened.")
    assert view.panel.box.field.hasFocus() or view.sheets.current().hasFocus()
    qtbot.waitUntil(lambda: len(view.sheets.all()) == 10)
    assert view.sheets.current().title == "0.txt", "the first one; the others are read once they are shown"
    view.sheets.next()
    qtbot.waitUntil(lambda: view.sheets.current().is_open and view.sheets.current().title == "1.txt")
    view.keep_together.confirm.click()
    qtbot.waitUntil(lambda: libraries_of(shared) == ["Many", "Reports"])
    qtbot.waitUntil(lambda: "Many: 10 files read" in shared.status.note(), timeout=20_000)
    choose(view, "Remove from Spanlight…", row(view, "Many"))
    assert "no document is touched" in view.documents.confirmation.text()
    assert view.documents.confirmation.cancel.hasFocus()
    view.documents.confirmation.confirm.click()
    qtbot.waitUntil(lambda: libraries_of(shared) == ["Reports"])
    assert all(path.exists() for path in paths)
    view.sheets.close_all()


def test_a_large_folder_is_read_once_the_person_says_so(
    shared: MainWindow, view: AskView, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.flows.library.folders.MANY_FILES", 1)
    large = tmp_path / "Large"
    large.mkdir()
    for name in ("a.txt", "b.txt"):
        (large / name).write_text(name, "utf-8")
    view.open_files([large])
    question = shared.large_folder
    qtbot.waitUntil(question.isVisible)
    assert question.text() == "“Large” has 2 documents, 10 bytes. Read all of them?"
    question.cancel.click()
    assert question.isHidden() and libraries_of(shared) == ["Reports"]
    view.open_files([large])
    qtbot.waitUntil(question.isVisible)
    question.confirm.click()
    qtbot.waitUntil(lambda: libraries_of(shared) == ["Large", "Reports"])
    qtbot.waitUntil(lambda: "a.txt" in names(view), timeout=20_000)
    assert "alpha.txt" not in names(view), "the new one is expanded instead"
    qtbot.waitUntil(lambda: "Large: 2 files read" in shared.status.note(), timeout=20_000)
    shared.libraries.remove(shared.libraries.all[0][0])
    qtbot.waitUntil(lambda: libraries_of(shared) == ["Reports"])


def test_folders_files_and_kinds_of_a_library_are_changed(
    shared: MainWindow, view: AskView, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes, single = tmp_path / "Notes", tmp_path / "letter.text"
    notes.mkdir()
    for path in (notes / "one.md", notes / "draft.md", notes / "two.txt", single):
        path.write_text(path.name, "utf-8")
    shared.libraries.add([notes])
    qtbot.waitUntil(lambda: "draft.md" in names(view), timeout=20_000)
    choose(view, "Folders, files and kinds…", row(view, "Notes"))
    contents = view.findChild(Contents)
    assert contents is not None
    qtbot.waitUntil(lambda: contents.words.text() == "3 documents, 21 bytes")
    monkeypatch.setattr(library_dialogs, "open_names", lambda *_: [str(single)])
    contents.add_files.click()
    contents.suffixes.setText("*.MD; pdf")
    contents.ignore.setText("draft*")
    qtbot.waitUntil(lambda: contents.words.text() == "2 documents, 17 bytes; left out: 1 txt")
    contents.save.click()
    listed = ["Notes", "one.md", "letter.text", "Reports"]
    qtbot.waitUntil(lambda: names(view)[-4:] == listed, timeout=20_000)
    library = next(library for library, _ in shared.libraries.all if library.name == "Notes")
    assert library.roots == (str(notes), str(single))
    assert (library.suffixes, library.ignore) == (("md", "pdf"), ("draft*",))
    choose(view, "Folders, files and kinds…", row(view, "Notes"))
    contents = view.findChildren(Contents)[-1]
    assert contents.suffixes.text() == "md, pdf"
    contents.suffixes.setText("+csv")
    assert set(contents.library().suffixes) == SUFFIXES | {"csv"}
    qtbot.waitUntil(contents.list.hasFocus)
    QTest.keyClick(contents.list, Qt.Key.Key_Delete)
    assert contents.library().roots == (str(single),)
    QTest.keyClick(contents.list, Qt.Key.Key_Delete)
    assert not contents.save.isEnabled()
    contents.reject()
    shared.libraries.remove(library)
    qtbot.waitUntil(lambda: libraries_of(shared) == ["Reports"])


def test_the_files_of_a_large_library_are_listed(view: AskView) -> None:
    files = [LibraryFile(at, f"/a/{at}.pdf", FileState.READ, pages=38) for at in range(100_000)]
    view.documents.list.show_rows([*files], "/a/7.pdf")
    assert view.documents.list.rows.row(7).is_current
    view.documents.list.scrollToBottom()
    last = view.documents.list.indexAt(view.documents.list.viewport().rect().bottomLeft()).row()
    assert last == 99_999
    view.documents._fill()
