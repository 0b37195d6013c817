"""The page Table: a table is made over a folder, filled, judged, filtered, sorted, changed and exported."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.core.answer_table import AnswerTable, CellState, Column, ColumnType
from app.core.corrections import Verdict
from app.core.errors import EngineLost
from app.core.library import FileState, LibraryFile
from app.core.message import Message
from app.core.report import Progress, Report, Silent
from app.core.text import Span
from app.flows.answer_table.export import export_table
from app.flows.answer_table.tables import save_table
from app.library.ledger import Content
from app.settings import settings as settings_file
from app.settings.settings import load
from app.ui.document.text.document_pane import DocumentPane
from app.ui.kit.libraries import Libraries
from app.ui.kit.parts import Scrolling
from app.ui.table.answer_model import Filter
from app.ui.table.document_choice import DocumentChoice
from app.ui.table.table import TableView
from app.ui.table.welcome import SAMPLES
from tests.documents.test_language import LEASE
from tests.helpers.small_pdfs import Page, lines, small_pdf
from tests.helpers.windows import FakeEngine
from tests.ui.table.conftest import (
    CONTRACTS,
    FEE,
    NOTICE,
    PatternReader,
    ask_for,
    filled,
    new_table,
    questions,
    until_full,
    words,
)

KEY = Qt.Key
# The words of all cells of the table.
READ = {
    "aldergate.txt": ["sixty (60) days", "12,400 euros"],
    "brightwater.txt": ["ninety (90) days", "9,600 euros"],
    "calder.txt": ["Not in the text", "100,000 euros"],
}


def row_of(page: TableView, name: str) -> int:
    return [row.name for row in page.model.rows].index(name)


def go_to(page: TableView, name: str, column: int) -> None:
    page.view.go_to(row_of(page, name), column)
    page.view.setFocus()


def open_beside(page: TableView, qtbot: QtBot, name: str) -> DocumentPane:
    """The document beside the table, opened with Enter on its first cell."""
    go_to(page, name, 0)
    qtbot.keyClick(page.view, KEY.Key_Return)
    qtbot.waitUntil(lambda: page.beside.file.document is not None)
    pane = page.beside.file.pane
    assert isinstance(pane, DocumentPane)
    return pane


def close(page: TableView) -> None:
    """Close the page as the window does."""
    page.lanes.files.finish_writes()
    page.keep()
    page.workspace.save_settings()
    page.workspace.close()
    page.lanes.close()


class Held:
    """Has the reader wait before its next answers; `reached` is set at the first one, and `done` lets it go on."""

    def __init__(self, pattern_reader: PatternReader) -> None:
        self.reached, self.done = threading.Event(), threading.Event()
        pattern_reader.before = self.wait

    def wait(self, report: Report) -> None:
        self.reached.set()
        while not self.done.is_set():
            report.check()
            self.done.wait(0.002)


def test_a_table_over_a_library_is_one_click_away(
    open_table_page: Callable[..., TableView], folder: Path, qtbot: QtBot
) -> None:
    page = open_table_page(folder)
    assert page.welcome.isVisibleTo(page) and not page.head.isVisibleTo(page)
    library = page.libraries.all[0][0]
    page.welcome.library_chosen.emit(library)
    qtbot.waitUntil(lambda: bool(page.model.rows))
    assert questions(page) == list(SAMPLES)
    assert page.store.table is not None and page.store.table.name == library.name == "contracts"
    assert page.view.isVisibleTo(page)
    until_full(page, qtbot, 3 * len(SAMPLES))
    # Another one is made, and chosen, after the changes of the one before.
    first = page.store.table
    page.store.add(library)
    qtbot.waitUntil(lambda: len(page.store.tables) == 2 and page.store.table not in (None, first))
    page.store.rename("Second")
    page.store.rename("Last")
    page.store.choose(first.number)
    qtbot.waitUntil(lambda: page.store.table == first and page.lanes.files.idle)
    assert [table.name for table in page.store.tables] == [first.name, "Last"]
    # A window that is killed fills it further at its next start.
    settings = page.workspace.paths.settings_file
    qtbot.waitUntil(lambda: settings_file.load(settings).last_table == first.number)


def test_a_dropped_folder_becomes_a_library_and_a_table(
    open_table_page: Callable[..., TableView], folder: Path, qtbot: QtBot
) -> None:
    page = open_table_page()
    page.open_files([folder])
    qtbot.waitUntil(lambda: len(page.model.rows) == 4)
    assert page.store.table is not None and page.store.table.name == "contracts"


def test_cells_have_the_exact_words_and_are_copied_and_exported(
    page: TableView, tmp_path: Path, qtbot: QtBot
) -> None:
    assert words(page) == READ
    row = row_of(page, "aldergate.txt")
    assert page.model.words(row, 0).below == "84% · line 1"
    assert page.model.rows[row_of(page, "damaged.pdf")].message
    assert page.model.columns[0].type is ColumnType.NUMBER and page.model.columns[1].type is ColumnType.AMOUNT
    go_to(page, "aldergate.txt", 0)
    qtbot.keyClick(page.view, KEY.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(page.view, KEY.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "sixty (60) days\t12,400 euros"
    with qtbot.waitSignal(page.note):
        page.exporting.export_to(tmp_path / "table.csv")
    assert "ninety (90) days" in (tmp_path / "table.csv").read_text(encoding="utf-8-sig")
    (tmp_path / "taken.csv").mkdir()
    with qtbot.waitSignal(page.exporting.failed):
        page.exporting.export_to(tmp_path / "taken.csv")
    assert page.notice.sentence()
    source, output = tmp_path / "list.csv", tmp_path / "answered.csv"
    source.write_text(f"question\n{FEE}\nWho signs?\n", encoding="utf-8")
    page.open_files([source])
    qtbot.waitUntil(lambda: len(page.model.columns) == 3)
    until_full(page, qtbot, 9)
    table = page.store.table
    assert table is not None and page.questions.sources[table.number] == source
    with qtbot.waitSignal(page.note):
        page.exporting.write_back(source, output)
    assert "12,400 euros" in output.read_text(encoding="utf-8-sig")


def test_a_list_goes_into_the_table_that_it_was_loaded_for_or_into_none(
    page: TableView, tmp_path: Path, qtbot: QtBot
) -> None:
    source, free = tmp_path / "list.txt", threading.Event()
    source.write_text("Who signs?\n", encoding="utf-8")
    with qtbot.waitSignal(page.questions.failed):
        page.questions.load(tmp_path / "gone.txt")
    assert not page.questions.sources, "it was not read"
    page.lanes.documents.start(lambda report: free.wait(10))
    page.questions.load(source)
    page.store.add(page.libraries.all[0][0])
    qtbot.waitUntil(lambda: not page.model.columns)
    free.set()
    qtbot.waitUntil(lambda: page.lanes.documents.idle and page.lanes.files.idle)
    assert not page.model.columns and not page.questions.sources


def test_documents_of_a_large_library_are_chosen(page: TableView, qtbot: QtBot) -> None:
    files = [LibraryFile(at, f"/docs/{at // 2}/{at % 2 or at}.pdf", FileState.READ) for at in range(20_000)]
    choice = DocumentChoice(page.theme, "All", files, ["/docs/3/6.pdf", "/docs/3/1.pdf"], page)
    qtbot.addWidget(choice)
    assert choice.words.text() == "2 of 20,000 documents"
    shown = choice.list.model()
    assert [shown.index(row, 0).data() for row in (6, 7)] == ["6.pdf", "1.pdf · 3"]
    tick = Qt.ItemDataRole.CheckStateRole
    for state in (Qt.CheckState.Checked, Qt.CheckState.Unchecked) * 50:
        shown.setData(shown.index(9_000, 0), state, tick)
    choice.search.setText("no such name")
    choice.tick.click()
    assert choice.words.text() == "2 of 20,000 documents"
    choice.search.setText("1.pdf · 3")
    choice.untick.click()
    assert choice.ticked() == ("/docs/3/6.pdf",)


def test_some_documents_are_chosen_and_then_all(
    page: TableView, folder: Path, pattern_reader: PatternReader, qtbot: QtBot, tmp_path: Path
) -> None:
    def sheet() -> DocumentChoice:
        page.head.documents.click()
        qtbot.waitUntil(lambda: page.findChild(DocumentChoice) is not None)
        found = page.findChild(DocumentChoice)
        assert found is not None
        return found

    choice = sheet()
    assert choice.words.text() == "All 4 documents, including any added later"
    choice.untick.click()
    assert not choice.save.isEnabled()
    choice.search.setText("aldERg")
    choice.tick.click()
    choice.search.setText("")
    choice.list.setCurrentIndex(choice.list.model().index(2, 0))
    choice.list.setFocus()
    qtbot.keyClick(choice.list, KEY.Key_Space)
    assert choice.words.text() == "2 of 4 documents"
    choice.save.click()
    qtbot.waitUntil(lambda: list(words(page)) == ["aldergate.txt", "calder.txt"])
    assert page.head.documents.text() == "2 documents chosen" and page.model.counts() == (4, 4)
    pattern_reader.asked.clear()
    ask_for(page, "Who signs?")
    until_full(page, qtbot, 6)
    assert {name for name, _ in pattern_reader.asked} == {"aldergate.txt", "calder.txt"}
    written = tmp_path / "some.csv"
    assert page.store.table is not None
    export_table(page.workspace, page.store.table, written, Silent())
    assert b"brightwater" not in written.read_bytes() and b"calder" in written.read_bytes()
    qtbot.waitUntil(lambda: page.findChild(DocumentChoice) is None)
    choice = sheet()
    assert len(choice.ticked()) == 2
    choice.tick.click()
    choice.save.click()
    qtbot.waitUntil(lambda: len(page.model.rows) == 4)
    assert page.store.table.documents == ()
    until_full(page, qtbot, 9)


def test_changes_by_another_process_are_kept(page: TableView, qtbot: QtBot) -> None:
    table = page.store.table
    assert table is not None
    other = replace(table, columns=(table.columns[1], Column(0, "Who pays?")))
    save_table(page.workspace, other, Silent())
    page.questions.set_type(1, ColumnType.WORDS)
    qtbot.waitUntil(lambda: len(page.model.columns) == 2 and page.store.table != table)
    assert [(one.question, one.type) for one in page.model.columns] == [
        (FEE, ColumnType.WORDS),
        ("Who pays?", ColumnType.WORDS),
    ]
    page.undo()
    qtbot.waitUntil(lambda: page.model.columns[0].type is ColumnType.AMOUNT)
    assert questions(page) == [FEE, "Who pays?"]


def test_the_table_and_its_layout_are_restored_after_a_restart(
    open_table_page: Callable[..., TableView], page: TableView, pattern_reader: PatternReader, qtbot: QtBot
) -> None:
    go_to(page, "aldergate.txt", 0)
    qtbot.keyClick(page.view, KEY.Key_A)
    qtbot.waitUntil(lambda: bool(page.model.judged_cells()))
    page.questions.menu(1).actions()[1].trigger()  # the largest first
    page.view.questions.resizeSection(0, 333)
    before = words(page)
    assert list(before) == ["calder.txt", "aldergate.txt", "brightwater.txt"]
    page.store.add_columns((Column(0, "Who signs?"),))  # while it is being saved the window closes
    close(page)
    pattern_reader.asked.clear()
    again = open_table_page()
    until_full(again, qtbot, 9)
    assert {name: cells[:2] for name, cells in words(again).items()} == before and list(words(again)) == list(
        before
    )
    assert {question for _, question in pattern_reader.asked} == {"Who signs?"}
    assert again.view.questions.sectionSize(0) == 333 and again.model.sorted_by() == (1, True)
    # A verdict of the session before is taken back, and that again.
    go_to(again, "aldergate.txt", 0)
    again.open_beside()
    assert again.beside.undo.isEnabled()
    qtbot.keyClick(again.view, KEY.Key_U)
    qtbot.waitUntil(lambda: not again.model.judged_cells())
    assert again.store.can_undo


def test_filling_is_paused_and_gives_way_to_other_work(
    page: TableView, pattern_reader: PatternReader, qtbot: QtBot
) -> None:
    held = Held(pattern_reader)
    ask_for(page, "Who signs?")
    qtbot.waitUntil(held.reached.is_set)
    qtbot.waitUntil(lambda: page.head.fill.text() == "Pause")
    shortest = row_of(page, "calder.txt")
    qtbot.waitUntil(lambda: page.model.words(shortest, 2).words == "Reading…")
    assert page.model.words(0, 2).words == "Not read yet"
    page.head.fill.click()
    assert page.head.fill.text() == "Fill" and page.workspace.settings.table_paused
    qtbot.waitUntil(lambda: load(page.workspace.paths.settings_file).table_paused)  # a kill does not undo it
    assert page.model.words(shortest, 2).words == "Not read yet"
    held = Held(pattern_reader)
    page.head.fill.click()
    qtbot.waitUntil(held.reached.is_set)
    page.lanes.work.start(lambda report: held.done.set())
    until_full(page, qtbot, 9)
    assert held.done.is_set() and not page.head.fill.isVisibleTo(page)
    # What is done aside makes way for the table.
    lane, aside = page.lanes.work, Held(PatternReader())
    lane.begun.connect(lane.start_aside(aside.wait).drop)
    qtbot.waitUntil(aside.reached.is_set)
    ask_for(page, "Who pays?")
    until_full(page, qtbot, 12)


def test_a_cell_is_read_to_its_end_while_files_are_added(
    page: TableView, folder: Path, pattern_reader: PatternReader, qtbot: QtBot
) -> None:
    held = Held(pattern_reader)
    ask_for(page, "Who signs?")
    qtbot.waitUntil(held.reached.is_set)
    held.reached.clear()
    (folder / "new.txt").write_text("Ada Lund signs, for ten days and 8 euros, and for nobody else.")
    with qtbot.waitSignal(page.store.files_read):
        page.libraries.update_all()
    qtbot.waitUntil(lambda: len(page.model.rows) == 5)
    qtbot.wait(100)
    assert not held.reached.is_set(), "the reader has begun anew"
    held.done.set()
    until_full(page, qtbot, 12)
    asked = [name for name, question in pattern_reader.asked if question == "Who signs?"]
    assert sorted(asked) == ["aldergate.txt", "brightwater.txt", "calder.txt", "new.txt"]


def test_the_progress_of_the_first_cell_is_shown(
    page: TableView, pattern_reader: PatternReader, qtbot: QtBot
) -> None:
    held = Held(pattern_reader)

    def windows(report: Report) -> None:
        for done in (10, 40):
            time.sleep(0.01)
            report.progress(Progress(done, 100, "windows"))
        held.wait(report)

    pattern_reader.before = windows
    ask_for(page, "Who signs?")
    qtbot.waitUntil(held.reached.is_set)
    at = row_of(page, "calder.txt")
    qtbot.waitUntil(lambda: page.model.words(at, 2).words == "Reading, 40%")
    assert page.head.words.text().startswith("6 of 9 · ") and page.head.bar.value() == round(1000 * 6.4 / 9)
    held.done.set()
    until_full(page, qtbot, 9)


def test_a_table_that_a_command_made_is_listed_once_the_window_is_used_again(
    page: TableView, qtbot: QtBot
) -> None:
    table = page.store.table
    assert table is not None
    save_table(page.workspace, AnswerTable(0, "Made by a command", table.library), Silent())
    application = QGuiApplication.instance()
    assert isinstance(application, QGuiApplication)
    application.applicationStateChanged.emit(Qt.ApplicationState.ApplicationActive)
    qtbot.waitUntil(lambda: "Made by a command" in [each.name for each in page.store.tables])
    assert page.store.table == table
    titles = [action.text() for action in page.head.title.menu().actions()]
    assert "Made by a command" in titles


def test_who_makes_another_table_may_look_elsewhere_meanwhile(
    page: TableView, folder: Path, qtbot: QtBot
) -> None:
    page.head.title.acted.emit("new")
    application = QGuiApplication.instance()
    assert isinstance(application, QGuiApplication)
    with qtbot.waitSignal(page.store.listed):
        application.applicationStateChanged.emit(Qt.ApplicationState.ApplicationActive)
    (folder / "new.txt").write_text("A new lease.")
    with qtbot.waitSignal(page.store.files_read):
        page.libraries.update_all()
    assert page.welcome.isVisibleTo(page)
    page.stop()
    assert page.view.isVisibleTo(page)


def test_documents_that_were_read_in_part_are_told_apart_when_some_are_chosen(
    page: TableView, qtbot: QtBot
) -> None:
    cut = LibraryFile(1, "/docs/cut.pdf", FileState.READ, "The rest is damaged.", pages=3)
    broken = LibraryFile(2, "/docs/broken.pdf", FileState.FAILED, "It is damaged.")
    whole = LibraryFile(3, "/docs/whole.pdf", FileState.READ, pages=2)
    choice = DocumentChoice(page.theme, "All", (cut, broken, whole), (), page)
    choice.show()
    indexes = [choice.list.model().index(at, 0) for at in range(3)]
    assert [index.data(Qt.ItemDataRole.AccessibleTextRole) for index in indexes] == [
        "cut.pdf, 3 pages · in part · The rest is damaged.",
        "broken.pdf, not read · It is damaged.",
        "whole.pdf, 2 pages",
    ]
    assert indexes[0].data(Qt.ItemDataRole.ToolTipRole) == "/docs/cut.pdf\nThe rest is damaged."
    row = choice.list.visualRect(indexes[0])
    assert row.height() > 2 * choice.fontMetrics().height()
    for button in (Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton):
        qtbot.mouseClick(choice.list.viewport(), button, pos=row.center())
        assert choice.ticked() == ("/docs/broken.pdf", "/docs/whole.pdf")
    choice.reject()


def test_a_cell_that_failed_is_read_again_when_asked(
    page: TableView, pattern_reader: PatternReader, qtbot: QtBot
) -> None:
    def die(report: Report) -> None:
        raise EngineLost("The reader died.", "")

    pattern_reader.before = die
    ask_for(page, "Who signs?")
    qtbot.waitUntil(lambda: len(page.model.columns) == 3)
    qtbot.waitUntil(lambda: page.model.words(2, 2).words.startswith("The reader died."))
    qtbot.waitUntil(lambda: page.lanes.work.idle and page.head.fill.text() == "Fill")
    pattern_reader.before = lambda report: None
    page.head.fill.click()
    until_full(page, qtbot, 9)
    assert page.model.words(0, 2).words == "Not in the text"


def test_a_file_that_failed_is_read_again_once_it_opens_beside_the_table(
    page: TableView, qtbot: QtBot
) -> None:
    index, row = page.workspace.library, row_of(page, "calder.txt")
    file = page.model.rows[row].file
    index.fail(file, FileState.FAILED, "The process died.", Content(file.sha256, file.size, file.modified))
    page.store.read_files()
    qtbot.waitUntil(lambda: page.model.rows[row].message == "The process died.")
    assert page.view.columnSpan(row, 0) == 2
    go_to(page, "calder.txt", 1)
    qtbot.keyClick(page.view, KEY.Key_Return)
    qtbot.waitUntil(lambda: not page.model.rows[row].message)
    assert page.view.columnSpan(row, 0) == 1
    until_full(page, qtbot, 6)
    assert words(page) == READ


def test_cells_stored_by_another_process_are_shown_without_reading_them(
    page: TableView, pattern_reader: PatternReader, qtbot: QtBot
) -> None:
    pattern_reader.asked.clear()
    (key, before), *others = page.model.cells.items()
    page.model.show_table(page.store.table, page.model.files(), dict(others))
    assert page.model.counts() == (5, 6)
    page.filling.take(page.store.table)
    until_full(page, qtbot, 6)
    assert page.model.cells[key] == before and not pattern_reader.asked


def test_verdicts_are_stored_shown_and_undone(page: TableView, qtbot: QtBot) -> None:
    go_to(page, "aldergate.txt", 0)
    row = row_of(page, "aldergate.txt")
    qtbot.keyClick(page.view, KEY.Key_A)
    qtbot.waitUntil(lambda: page.model.words(row, 0).sign == "check")
    assert page.model.words(row, 0).below == "84% · line 1"
    assert page.model.note(0).endswith("Checked 1: 1 right (21 to 100%)")
    go_to(page, "brightwater.txt", 0)
    qtbot.keyClick(page.view, KEY.Key_X)
    qtbot.waitUntil(lambda: page.head.checked.text().startswith("Checked 2: 1 right"))
    assert page.model.words(row_of(page, "brightwater.txt"), 0).sign == "pen"
    kept = {one.name: (one.verdict, one.words) for one in page.workspace.corrections.all()}
    assert kept == {
        "aldergate.txt": (Verdict.RIGHT, "sixty (60) days"),
        "brightwater.txt": (Verdict.NOT_THERE, ""),
    }
    for _ in range(2):
        qtbot.keyClick(page.view, KEY.Key_U)
    qtbot.waitUntil(lambda: not page.head.checked.text())
    assert all(cell.verdict is Verdict.NONE for cell in page.model.cells.values())
    assert page.workspace.corrections.count() == 0


def test_how_a_misspelt_question_was_read_is_told_for_its_cells(page: TableView, qtbot: QtBot) -> None:
    open_beside(page, qtbot, "aldergate.txt")
    cell, index = page.model.cell(0, 0), page.model.index(0, 0)
    said = "Read as “How many days of notice?”"
    assert cell is not None and said not in index.data(Qt.ItemDataRole.ToolTipRole)
    page.model.take_cells([replace(cell, read_as=NOTICE)])
    page.view.moved.emit()
    assert index.data(Qt.ItemDataRole.ToolTipRole).endswith(f"\n\n{said}")
    assert page.beside.question.text() == f"{NOTICE}\n{said}"


def test_undoing_a_verdict_goes_to_its_cell(page: TableView, qtbot: QtBot) -> None:
    go_to(page, "aldergate.txt", 1)
    qtbot.keyClick(page.view, KEY.Key_A)
    qtbot.waitUntil(lambda: bool(page.model.judged_cells()))
    go_to(page, "brightwater.txt", 0)
    qtbot.keyClick(page.view, KEY.Key_X)
    qtbot.waitUntil(lambda: len(page.model.judged_cells()) == 2)
    page.head.chips.chosen.emit(Filter.ABSENT)
    assert [row.name for row in page.model.rows] == ["calder.txt"]
    page.undo()
    assert page.view.current_cell() == (row_of(page, "brightwater.txt"), 0)
    page.undo()
    assert page.view.current_cell() == (row_of(page, "aldergate.txt"), 1)
    qtbot.waitUntil(lambda: not page.model.judged_cells())


def test_several_lists_are_loaded_at_once(page: TableView, tmp_path: Path, qtbot: QtBot) -> None:
    lists = [tmp_path / f"{name}.txt" for name in "abcd"]
    for path in lists:
        path.write_text(f"Who is {path.stem}?\n", encoding="utf-8")
    page.open_files(lists[:2])
    qtbot.waitUntil(lambda: len(page.model.columns) == 4)
    page.questions.add()
    page.line.files.emit(lists[2:])
    qtbot.waitUntil(lambda: len(page.model.columns) == 6)
    assert questions(page)[2:] == [f"Who is {name}?" for name in "abcd"]


def test_questions_from_another_page_wait_behind_those_that_were_typed(page: TableView, qtbot: QtBot) -> None:
    page.questions.add()
    page.line.field.setPlainText("Who drives?\n")
    page.line.close_line()
    page.receive(("Who signs?\n\nWho pays?\n", ()))
    assert page.line.isVisibleTo(page) and page.view.isVisibleTo(page) and len(page.model.columns) == 2
    page.line.go.click()
    qtbot.waitUntil(lambda: len(page.model.columns) == 5)
    assert questions(page)[2:] == ["Who drives?", "Who signs?", "Who pays?"]


def test_questions_from_another_page_begin_a_table_over_the_open_documents(
    open_table_page: Callable[..., TableView], folder: Path, qtbot: QtBot
) -> None:
    page = open_table_page(folder)
    opened = (folder / "aldergate.txt", folder / "calder.txt")
    page.receive((f"{NOTICE}\n{FEE}", opened))
    welcome = page.welcome
    assert welcome.isVisibleTo(page) and page.line.isHidden()
    assert welcome.begin.text() == "Begin with your 2 questions" and welcome.begin.isChecked()
    documents = welcome._list.buttons[1]
    assert "aldergate.txt, calder.txt" in documents.accessibleName()
    documents.click()
    qtbot.waitUntil(lambda: len(page.model.rows) == 2)
    assert questions(page) == [NOTICE, FEE]
    assert not page.line.field.toPlainText()
    page.head.title.acted.emit("new")
    assert "four" in welcome.begin.text()


def test_documents_that_are_offered_after_the_page_was_shown_take_the_focus(
    open_table_page: Callable[..., TableView], folder: Path, qtbot: QtBot
) -> None:
    page = open_table_page()
    page.activateWindow()
    page.shown()
    assert page.welcome.add.hasFocus()
    page.receive((NOTICE, (folder / "calder.txt",)))
    page.libraries.changed.emit()  # as while a library is read
    qtbot.wait(50)
    assert page.welcome._list.buttons[0].hasFocus()


def test_questions_that_a_new_table_does_not_begin_with_stay_in_the_line(
    page: TableView, qtbot: QtBot
) -> None:
    page.questions.add()
    page.line.field.setPlainText("Who drives?")
    page._act("new")
    assert page.welcome.begin.text() == "Begin with your 1 question"
    new_table(page, qtbot)
    assert page.no_questions.isVisibleTo(page) and not page.no_questions.button.isVisibleTo(page)
    assert page.line.field.toPlainText() == "Who drives?" and page.line.isVisibleTo(page)


def test_a_queued_verdict_is_stored_after_the_window_has_closed(page: TableView, qtbot: QtBot) -> None:
    end = threading.Event()
    page.lanes.files.start(lambda report: end.wait(10))
    go_to(page, "aldergate.txt", 0)
    qtbot.keyClick(page.view, KEY.Key_A)
    page.keep()
    page.lanes.files.quit()
    end.set()
    assert page.lanes.files.close()
    assert [one.verdict for one in page.workspace.corrections.all()] == [Verdict.RIGHT]


def test_pressing_a_verdict_again_takes_it_back(page: TableView, qtbot: QtBot) -> None:
    pane, row = open_beside(page, qtbot, "aldergate.txt"), page.beside.verdicts
    buttons = (row.right, row.instead, row.absent)

    def press(button: QWidget, *pressed: bool) -> None:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: [each.isChecked() for each in buttons] == list(pressed))

    press(row.right, True, False, False)
    press(row.absent, False, False, True)
    press(row.absent, False, False, False)
    assert page.workspace.corrections.count() == 0
    pane.selectAll()
    press(row.instead, False, True, False)
    assert row.yours.isVisibleTo(page.beside) and page.workspace.corrections.count() == 1
    go_to(page, "calder.txt", 0)
    qtbot.waitUntil(row.right.isHidden)
    assert not any(each.isChecked() for each in buttons), "there is no answer, of which nothing was said"
    qtbot.keyClick(page.view, KEY.Key_A)
    qtbot.waitUntil(row.absent.isChecked)
    go_to(page, "aldergate.txt", 0)
    qtbot.waitUntil(row.instead.isChecked)
    press(row.instead, False, False, False)


def test_the_document_beside_has_the_reading_tools(page: TableView, qtbot: QtBot) -> None:
    control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    go_to(page, "calder.txt", 0)
    qtbot.keyClick(page.view, KEY.Key_F, control)
    assert page.beside.find_bar.isHidden(), "there is nothing to look through"
    pane = open_beside(page, qtbot, "calder.txt")
    line = page.beside.tools.line
    assert line.isVisible() and pane.numbers() == pane.text().count("\n") + 1
    line.size_button.menu().aboutToShow.emit()
    next(each for each in line.size_button.menu().actions() if each.text() == "125%").trigger()
    assert page.workspace.settings.document_size == 125 and line.size_button.text() == "125%"
    qtbot.keyClick(page.view, KEY.Key_O, control | shift)
    assert not page.beside.tools.list.isVisible(), "it has no headings"
    qtbot.keyClick(page.view, KEY.Key_F, control)
    field = page.beside.find_bar.field
    assert field.hasFocus()
    qtbot.keyClicks(field, "annual")
    qtbot.keyClick(field, KEY.Key_Return)
    assert page.beside.file.selected()[0] == "annual"
    qtbot.keyClick(field, KEY.Key_Escape)
    assert page.beside.find_bar.isHidden() and not page.beside.isHidden()
    qtbot.keyClick(QApplication.focusWidget(), KEY.Key_E)
    qtbot.waitUntil(lambda: [cell.right_words for cell in page.model.judged_cells()] == ["annual"])
    assert [one.words for one in page.workspace.corrections.all()] == ["annual"]
    # The keys that move a question in the table select words in the document.
    page.activateWindow()
    pane.setFocus()
    qtbot.waitUntil(pane.hasFocus)
    before = questions(page)
    qtbot.keyClick(pane, KEY.Key_Right, control | shift)
    assert page.beside.file.selected()[0].split()
    page.view.setFocus()
    qtbot.waitUntil(page.view.hasFocus)
    assert questions(page) == before
    qtbot.keyClick(page.view, KEY.Key_Right, control | shift)
    qtbot.waitUntil(lambda: questions(page) == before[::-1])
    page._close_beside()
    assert not line.isVisible()


def test_words_selected_in_a_changed_file_have_no_span(page: TableView, folder: Path, qtbot: QtBot) -> None:
    (folder / "aldergate.txt").write_text("New. Ninety days of notice.", encoding="utf-8")
    pane = open_beside(page, qtbot, "aldergate.txt")
    pane.selectAll()
    qtbot.keyClick(pane, KEY.Key_E)
    row = row_of(page, "aldergate.txt")
    qtbot.waitUntil(lambda: page.model.words(row, 0).words.startswith("New."))
    cell = page.model.cell(row, 0)
    assert cell is not None and cell.right_span is None


def test_the_zoom_of_a_pdf_is_told_rightly_after_a_text_was_zoomed_on_another_page(
    page: TableView, tmp_path: Path, qtbot: QtBot
) -> None:
    open_beside(page, qtbot, "aldergate.txt")
    (tmp_path / "a.pdf").write_bytes(small_pdf([Page(lines("Sixty days."))]))
    with qtbot.waitSignal(page.beside.file.opened):
        page.beside.file.show_file(str(tmp_path / "a.pdf"))
    page.beside.zoom.set_percent(67)
    button = page.beside.tools.line.size_button
    qtbot.waitUntil(lambda: button.text() == "67%")
    page.hide()
    page.theme.scale_documents(1.25)
    page.show()
    assert button.text() == "67%"


def test_enter_opens_the_highlighted_document_and_e_takes_the_selected_words(
    page: TableView, qtbot: QtBot
) -> None:
    pane = open_beside(page, qtbot, "aldergate.txt")
    assert pane.isReadOnly()
    assert pane.lit() == ["sixty (60) days"]
    qtbot.keyClick(page.view, KEY.Key_E)
    assert page.beside.notice.sentence(), "nothing is selected"
    text = page.beside.file.text()
    start = text.index("days of notice")
    cursor = pane.textCursor()
    cursor.setPosition(start)
    cursor.setPosition(start + len("days of notice"), QTextCursor.MoveMode.KeepAnchor)
    pane.setTextCursor(cursor)
    qtbot.keyClick(pane, KEY.Key_E)
    row = row_of(page, "aldergate.txt")
    qtbot.waitUntil(lambda: page.model.words(row, 0).words == "days of notice")
    cell = page.model.cell(row, 0)
    assert cell is not None and cell.right_span == Span(start, start + 14)
    assert cell.answer is not None and cell.answer.text == "sixty (60) days"
    assert pane.lit() == ["days of notice", "sixty (60) days"] and pane.lights.own == 0
    # The arrows go on, and the document follows.
    page.view.setFocus()
    qtbot.keyClick(page.view, KEY.Key_Down)
    qtbot.waitUntil(lambda: page.beside.file.text() == CONTRACTS["brightwater.txt"])
    assert page.stop() and not page.beside.isVisibleTo(page)


def test_filters_show_the_rows_with_a_matching_cell(
    page: TableView, pattern_reader: PatternReader, qtbot: QtBot
) -> None:
    page.head.chips.chosen.emit(Filter.ABSENT)
    assert [row.name for row in page.model.rows] == ["calder.txt"]
    assert page.view.current_cell() == (0, 0)
    page.head.chips.chosen.emit(Filter.UNREAD)
    assert [row.name for row in page.model.rows] == ["damaged.pdf"]
    page.head.chips.chosen.emit(Filter.WRONG)
    assert not page.model.rows and page.no_rows.isVisibleTo(page)
    page.no_rows.button.click()
    assert len(page.model.rows) == 4


def test_a_file_read_in_part_says_so_until_the_rest_was_read(
    open_table_page: Callable[..., TableView], folder: Path, pattern_reader: PatternReader, qtbot: QtBot
) -> None:
    whole = small_pdf([Page(lines("Nothing but ninety (90) days of notice."))])
    cut = folder / "cut.pdf"
    cut.write_bytes(whole.partition(b"xref")[0])
    page = filled(open_table_page(folder), qtbot, cells=8)
    row = row_of(page, "cut.pdf")
    assert page.model.rows[row].below == "1 page · in part"
    tip = page.model.headerData(row, Qt.Orientation.Vertical, Qt.ItemDataRole.ToolTipRole)
    assert str(cut) in tip and "This PDF is damaged" in tip
    assert [page.model.words(row, at).words for at in (0, 1)] == [
        "ninety (90) days",
        "No answer in the part that was read",
    ]
    index = page.model.index(row, 1)
    assert "This PDF is damaged" in page.model.data(index, Qt.ItemDataRole.ToolTipRole)
    page.view.go_to(row, 1)
    page.open_beside()
    assert page.beside.answer.text() == "No answer in the part that was read."
    assert "This PDF is damaged" in page.beside.likely.text()
    page.head.chips.chosen.emit(Filter.UNREAD)
    assert [one.name for one in page.model.rows] == ["cut.pdf", "damaged.pdf"]
    page.head.chips.chosen.emit(Filter.ABSENT)
    assert [one.name for one in page.model.rows] == ["calder.txt"]
    page.head.chips.chosen.emit(Filter.ALL)
    # The same bytes are read anew, and whole.
    pattern_reader.asked.clear()
    index, file = page.workspace.library, page.model.rows[row].file
    opened, content = index.opened(file), Content(file.sha256, file.size, file.modified)
    index.fail(file, FileState.FAILED, "It is read anew.", content)
    index.sweep()
    assert opened.document.view is not None
    index.put(file, replace(opened, **asdict(content)), opened.document.view)
    page.store.read_files()
    qtbot.waitUntil(lambda: page.model.rows[row].below == "1 page" and page.lanes.work.idle)
    until_full(page, qtbot, 8)
    assert page.model.words(row, 1).words == "Not in the text"
    assert {name for name, _ in pattern_reader.asked} == {"cut.pdf"}


def test_the_least_certain_cells_come_first(
    open_table_page: Callable[..., TableView], folder: Path, pattern_reader: PatternReader, qtbot: QtBot
) -> None:
    pattern_reader.likely = {"100,000 euros": 0.31, "9,600 euros": 0.62}
    page = filled(open_table_page(folder), qtbot)
    low = page.model.cell(row_of(page, "calder.txt"), 1)
    assert low is not None and low.state is CellState.LOW_CONFIDENCE
    page.head.chips.chosen.emit(Filter.UNSURE)
    assert [row.name for row in page.model.rows][:2] == ["calder.txt", "brightwater.txt"]
    assert page.view.current_cell() == (0, 1)
    page.step(1)
    assert page.view.current_cell() == (1, 1)
    page.step(-1)
    assert page.view.current_cell() == (0, 1)
    page.head.chips.chosen.emit(Filter.LOW)
    assert [row.name for row in page.model.rows] == ["calder.txt"]


def test_rows_are_sorted_by_the_values_of_a_column(page: TableView) -> None:
    titles = {action.text(): action for action in page.questions.menu(1).actions()}
    for title, first, last in (
        ("Sort, smallest first", "brightwater.txt", "damaged.pdf"),
        ("Sort, largest first", "calder.txt", "damaged.pdf"),
        ("Sort by document", "aldergate.txt", "damaged.pdf"),
    ):
        titles[title].trigger()
        assert (page.model.rows[0].name, page.model.rows[-1].name) == (first, last)


def test_questions_are_moved_changed_and_removed(page: TableView, qtbot: QtBot) -> None:
    titles = {action.text().split("\t")[0]: action for action in page.questions.menu(0).actions()}
    assert not titles["Move to the left"].isEnabled()
    page.view.go_to(0, 0)
    titles["Move to the right"].trigger()
    qtbot.waitUntil(lambda: questions(page) == [FEE, NOTICE])
    assert page.view.current_cell() == (0, 1)
    page.questions.remove_current()
    qtbot.waitUntil(lambda: questions(page) == [FEE])
    assert NOTICE in page.undo_line.words()
    page.undo()
    qtbot.waitUntil(lambda: questions(page) == [FEE, NOTICE])
    assert words(page)["aldergate.txt"] == ["12,400 euros", "sixty (60) days"], "the answers are there again"
    page.questions.set_type(0, ColumnType.WORDS)
    qtbot.waitUntil(lambda: page.model.columns[0].type is ColumnType.WORDS)
    page.questions.add()
    page.line.field.setPlainText("   \n ")
    assert not page.line.go.isEnabled(), "that is no question"
    page.questions.edit(1)
    assert page.line.field.toPlainText() == NOTICE
    page.line.field.setPlainText("Who signs?")
    page.line.go.click()
    qtbot.waitUntil(lambda: questions(page) == [FEE, "Who signs?"])
    until_full(page, qtbot, 6)


def test_tables_are_renamed_chosen_and_removed_and_sets_reused(page: TableView, qtbot: QtBot) -> None:
    store = page.store
    page.questions.rename_table()
    page.line.field.setPlainText("Review 2026")
    page.line.go.click()
    qtbot.waitUntil(lambda: store.table is not None and store.table.name == "Review 2026")
    store.save_set("Fees and notice")
    qtbot.waitUntil(lambda: "Fees and notice" in store.sets)
    page.head.title.acted.emit("new")
    assert page.welcome.isVisibleTo(page) and page.welcome.cancel.isVisibleTo(page)
    new_table(page, qtbot)
    assert store.table is not None and store.table.name == "contracts" and page.no_questions.isVisibleTo(page)
    page.line.set_chosen.emit("Fees and notice")
    until_full(page, qtbot, 6)
    assert page.store.table is not None
    page.head.title.chosen.emit(next(one.number for one in store.tables if one.name == "Review 2026"))
    qtbot.waitUntil(lambda: store.table is not None and store.table.name == "Review 2026")
    page.head.title.acted.emit("remove")
    assert "Review 2026" in page.remove_question.text()
    page.remove_question.confirm.click()
    qtbot.waitUntil(lambda: [one.name for one in store.tables] == ["contracts"])
    qtbot.waitUntil(lambda: store.table is not None and bool(page.model.columns))


def test_a_table_and_sets_are_saved_and_removed_though_the_window_closes_at_once(page: TableView) -> None:
    store, tables, end = page.store, page.workspace.tables, threading.Event()
    page.lanes.files.start(lambda report: end.wait(10))
    store.save_set("Lease")
    store.save_set("Contracts")
    store.remove_set("Lease")
    store.remove()
    page.lanes.files.finish_writes()
    end.set()
    assert list(tables.question_sets()) == ["Contracts"] and not tables.tables()


def test_a_set_of_questions_that_is_replaced_or_removed_is_brought_back(
    page: TableView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, said = page.store, []
    page.note.connect(said.append)

    def save() -> None:
        page.line.set_asked.emit()
        page.line.field.setPlainText("Lease")
        page.line.go.click()

    def in_set() -> list[str]:
        return [column.question for column in store.sets.get("Lease", ())]

    with monkeypatch.context() as context, qtbot.waitSignal(store.failed):
        context.setattr(page.workspace.tables, "save_question_set", lambda *given: 1 / 0)
        save()
    assert not said and not in_set()
    save()
    qtbot.waitUntil(lambda: in_set() == [NOTICE, FEE])
    assert said == ["The questions are saved as a set"] and page.undo_line.isHidden()
    page.questions.remove(0)
    qtbot.waitUntil(lambda: len(page.model.columns) == 1)
    save()
    qtbot.waitUntil(lambda: in_set() == [FEE])
    assert page.undo_line.words() == "Set “Lease” replaced" and len(said) == 1
    page.undo_line.button.click()
    qtbot.waitUntil(lambda: in_set() == [NOTICE, FEE])
    page.line.set_dropped.emit("Lease")
    qtbot.waitUntil(lambda: not in_set())
    assert page.undo_line.words() == "Set “Lease” removed"
    page.undo()
    qtbot.waitUntil(lambda: in_set() == [NOTICE, FEE])
    page.workspace.tables.remove_question_set("Lease")  # in another window
    page.line.set_dropped.emit("Lease")
    qtbot.waitUntil(lambda: not in_set() and page.lanes.files.idle)
    assert page.undo_line.isHidden()
    page.undo()
    qtbot.waitUntil(lambda: len(page.model.columns) == 2 and page.lanes.files.idle)
    assert "Lease" not in page.workspace.tables.question_sets(), "there was no set to bring back"


def test_a_chosen_document_that_was_renamed_stays_a_row(page: TableView, folder: Path, qtbot: QtBot) -> None:
    page.store.set_documents((str(folder / "calder.txt"),))
    qtbot.waitUntil(lambda: list(words(page)) == ["calder.txt"])
    (folder / "calder.txt").rename(folder / "renamed.txt")
    libraries = page.findChild(Libraries)
    assert libraries is not None
    libraries.update(page.libraries.all[0][0])
    qtbot.waitUntil(lambda: words(page) == {"renamed.txt": READ["calder.txt"]}, timeout=10_000)
    assert page.head.documents.text() == "1 document chosen"


def test_a_changed_file_is_read_again(page: TableView, folder: Path, qtbot: QtBot) -> None:
    (folder / "calder.txt").write_text(
        "It ends with thirty (30) days of notice, for 7,000 euros.", encoding="utf-8"
    )
    libraries = page.findChild(Libraries)
    assert libraries is not None
    libraries.update(page.libraries.all[0][0])
    qtbot.waitUntil(
        lambda: words(page).get("calder.txt") == ["thirty (30) days", "7,000 euros"], timeout=10_000
    )


def test_documents_in_languages_that_the_reader_does_not_read_are_counted(
    open_table_page: Callable[..., TableView], folder: Path, engine: FakeEngine, qtbot: QtBot
) -> None:
    engine.cards = (replace(engine.cards[0], languages=("en",)),)
    (folder / "vertrag.txt").write_text(LEASE["de"], encoding="utf-8")
    page = open_table_page(folder)
    page.welcome.library_chosen.emit(page.libraries.all[0][0])
    qtbot.waitUntil(lambda: page.language.isVisible())
    assert page.language.words() == "1 of 4 documents is in German; reader reads English."
    table = page.store.table
    assert table is not None
    paths = {row.name: row.file.path for row in page.model.rows}
    german, other = paths.pop("vertrag.txt"), min(paths.values())
    page.store.set_documents((german, other))
    qtbot.waitUntil(lambda: page.language.words().startswith("1 of 2 documents is in German;"))
    page.store.set_documents(tuple(paths.values()))
    qtbot.waitUntil(lambda: not page.language.isVisible())
    page.store.set_documents((german,))
    qtbot.waitUntil(lambda: page.language.words() == "The document is in German; reader reads English.")


@pytest.fixture
def results(page: TableView, tmp_path: Path, qtbot: QtBot) -> Path:
    """The page's table as a file of results; in the page it was removed."""
    out = tmp_path / "Contracts.jsonl"
    with qtbot.waitSignal(page.note):
        page.exporting.export_to(out)
    page.store.remove()
    qtbot.waitUntil(lambda: page.store.table is None and page.lanes.files.idle)
    return out


def test_results_are_opened_as_a_table(page: TableView, results: Path, tmp_path: Path, qtbot: QtBot) -> None:
    assert page.welcome.results.isVisibleTo(page)
    page.exporting.open_results(results)
    qtbot.waitUntil(lambda: page.store.table is not None and bool(page.model.rows))
    assert page.store.table is not None and page.store.table.name == "Contracts, contracts"
    assert words(page) == READ and page.view.isVisibleTo(page)
    # Opened again, it is the same table.
    first = page.store.table
    with qtbot.waitSignal(page.exporting.opened):
        page.exporting.open_results(results)
    qtbot.waitUntil(lambda: page.lanes.files.idle)
    assert page.store.tables == (first,) and words(page) == READ
    (tmp_path / "other.jsonl").write_text("{}", encoding="utf-8")
    with qtbot.waitSignal(page.exporting.failed):
        page.exporting.open_results(tmp_path / "other.jsonl")
    assert "is no answer of a table" in page.notice.sentence()


def test_opening_results_shows_progress_and_can_be_stopped(
    page: TableView, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opens_for_ever(workspace: object, path: str, report: Report) -> None:
        report.progress(Progress(1500, 0, Message("documents")))
        while not wait.wait(0.01):
            report.check()

    wait = threading.Event()
    monkeypatch.setattr("app.flows.cluster.results.import_results", opens_for_ever)
    before = page.store.tables
    page.exporting.open_results(tmp_path / "many.jsonl")
    qtbot.waitUntil(lambda: page.exporting.strip.words() == "1,500 documents opened so far")
    assert page.exporting.strip.isVisibleTo(page) and not page.lanes.documents.idle
    assert page.stop() and not page.exporting.strip.isVisibleTo(page)
    qtbot.waitUntil(lambda: page.lanes.documents.idle)
    assert page.store.tables == before and not page.exporting.stop()


def test_results_of_documents_that_were_not_read_here_are_shown(
    page: TableView, results: Path, qtbot: QtBot
) -> None:
    page.workspace.library.remove(page.libraries.all[0][0])
    page.exporting.open_results(results)
    qtbot.waitUntil(lambda: page.store.table is not None and bool(page.model.rows))
    assert words(page) == READ
    assert {row.file.state for row in page.model.rows} == {FileState.WAITING, FileState.FAILED}
    open_beside(page, qtbot, "aldergate.txt")  # the file itself is opened
    qtbot.waitUntil(lambda: page.lanes.files.idle)
    assert [library.name for library, _ in page.libraries.all] == ["contracts"]


def test_in_a_low_window_the_table_scrolls_and_not_the_page(page: TableView) -> None:
    area = Scrolling(page, sideways=True)
    area.resize(855, 580)
    area.show()
    page.questions.add()
    page.notice.show_hint("Three lines above the table.", "They leave it less room than it would like.")
    QApplication.processEvents()
    assert page.sizeHint().height() > 580
    assert area.verticalScrollBar().maximum() == 0 and page.height() == 580
    area.takeWidget()
