"""The tools for reading a document: pages and lines by number, the outline, the size, and all matches of a search."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from app.ui.ask.ask import AskView
from app.ui.document.pane import FIT_PAGE, FIT_WIDTH
from app.ui.document.pdf.page_pane import PagePane
from app.ui.document.reading_tools import ReadingTools
from app.ui.document.text.document_pane import DocumentPane
from tests.helpers.mails import mail, mailbox_of
from tests.helpers.office import ap, frame, pptx_file
from tests.helpers.open_files import is_open
from tests.helpers.small_pdfs import Page, Words, lines, small_pdf
from tests.helpers.spreadsheets import xlsx_of
from tests.helpers.widgets import coloured

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
PROSE = "\n".join(f"Line {number} says nothing of tides." for number in range(20))
TITLES = ["Preface", "The moon", "High water", "Low water", "Harbours"]
LABELS = ["i", "ii", "1", "2", "3"]


def book(folder: Path, name: str = "book.pdf") -> Path:
    """A PDF of five pages with bookmarks, whose first two pages have Roman numbers."""
    pages = [Page([Words(title, size=20), *lines(PROSE, y=130)]) for title in TITLES]
    outline = [(title, at, 1 if at < 2 else 2) for at, title in enumerate(TITLES)]
    file = folder / name
    file.write_bytes(small_pdf(pages, outline, LABELS))
    return file


def tools(view: AskView) -> ReadingTools:
    assert view.tools is not None
    return view.tools


def go_to(view: AskView, qtbot: QtBot, typed: str) -> QLineEdit:
    """Go to a number by the keyboard alone; returns its field."""
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_G, CONTROL)
    field = tools(view).line.field
    assert field.hasFocus() and field.selectedText() == field.text()
    qtbot.keyClicks(field, typed)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    return field


def test_there_are_no_tools_without_a_document(view: AskView, qtbot: QtBot, tmp_path: Path) -> None:
    assert view.tools is None
    is_open(view, qtbot, [book(tmp_path)])
    assert tools(view).line.isVisible()
    view.sheets.show_new()
    assert not tools(view).line.isVisible()
    qtbot.keyClicks(view.sheets.current().editor, "a")
    assert tools(view).line.isVisible() and not tools(view).line.field.isVisible()
    qtbot.keyClick(view.sheets.current().editor, Qt.Key.Key_Backspace)
    assert not tools(view).line.isVisible()


def test_a_page_is_gone_to_by_its_number_and_by_what_is_printed_on_it(
    view: AskView, qtbot: QtBot, tmp_path: Path
) -> None:
    pane = is_open(view, qtbot, [book(tmp_path)]).pane
    assert isinstance(pane, PagePane)
    field = go_to(view, qtbot, "ii")
    assert pane.page() == 2 and pane.hasFocus()
    assert field.text() == "ii" and "2" in tools(view).line.accessibleName() + tools(view).line._total.text()
    go_to(view, qtbot, "1")  # as printed: the third
    assert pane.page() == 3
    go_to(view, qtbot, "5")  # nothing of it is printed, so it is counted
    assert pane.page() == 5 or pane.map.value() == pane.map.maximum()
    assert field.text() == LABELS[4], "the last page cannot be scrolled to the top"


def test_a_page_that_is_not_there_is_said_and_changes_nothing(
    view: AskView, qtbot: QtBot, tmp_path: Path
) -> None:
    pane = is_open(view, qtbot, [book(tmp_path)]).pane
    for typed in ("0", "6", "iii", "-1", "²", "1" * 20, " "):
        field = go_to(view, qtbot, typed)
        assert pane.number() == 1 and field.hasFocus()
        assert "No such page" in tools(view).line._total.text(), typed
        qtbot.keyClick(field, Qt.Key.Key_Escape)
        assert pane.hasFocus() and field.text() == "i"


def test_a_line_of_a_text_is_gone_to(view: AskView, qtbot: QtBot, tmp_path: Path) -> None:
    file = tmp_path / "tides.txt"
    # A form feed ends a line of the page, and none of the file.
    file.write_text("\n".join(f"This is line {number}.\fa page" for number in range(1, 301)), "utf-8")
    pane = is_open(view, qtbot, [file]).pane
    assert pane.numbers() == 300
    field = go_to(view, qtbot, "120")
    assert pane.text()[pane.top() :].startswith("This is line 120.") and field.text() == "120"
    pane.map.setValue(pane.map.value() + 6)
    qtbot.waitUntil(lambda: field.text() == "123")
    go_to(view, qtbot, "300")
    assert field.text() == "300"


def test_the_outline_leads_to_its_places_and_follows(view: AskView, qtbot: QtBot, tmp_path: Path) -> None:
    pane = is_open(view, qtbot, [book(tmp_path)]).pane
    assert not tools(view).list.isVisible()
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_O, CONTROL | SHIFT)
    outline = tools(view).list
    assert outline.isVisible() and outline.hasFocus() and view.workspace.settings.outline
    model = outline.model()
    assert [model.index(row, 0).data() for row in range(model.rowCount())] == TITLES
    for _ in range(3):
        qtbot.keyClick(outline, Qt.Key.Key_Down)
    assert pane.number() == 1, "the keys move in the list"
    title = outline.currentIndex().data()
    qtbot.keyClick(outline, Qt.Key.Key_Return)
    assert pane.text()[pane.top() :].startswith(title)
    qtbot.keyClick(outline, Qt.Key.Key_Escape)
    assert view.stop() and pane.hasFocus()
    pane.go_to_number(2)
    qtbot.waitUntil(lambda: outline.currentIndex().data() == TITLES[1])
    spoken = outline.currentIndex().data(Qt.ItemDataRole.AccessibleTextRole)
    assert "level 1" in spoken and "page 2" in spoken
    qtbot.keyClick(pane, Qt.Key.Key_O, CONTROL | SHIFT)
    assert not outline.isVisible() and pane.hasFocus() and not view.workspace.settings.outline


def test_headings_are_the_outline_of_a_document_without_bookmarks(
    view: AskView, qtbot: QtBot, tmp_path: Path
) -> None:
    file = tmp_path / "tides.md"
    file.write_text("\n\n".join(f"## {title}\n\n{PROSE}" for title in TITLES), "utf-8")
    pane = is_open(view, qtbot, [file]).pane
    tools(view).toggle_outline()
    outline = tools(view).list
    outline.clicked.emit(outline.model().index(2, 0))
    assert pane.text()[pane.top() :].startswith("High water")


def test_the_outline_of_a_text_goes_when_the_text_is_edited(
    view: AskView, qtbot: QtBot, tmp_path: Path
) -> None:
    file = tmp_path / "tides.txt"
    file.write_text("\n\n".join(f"CHAPTER {number}\n\n{PROSE}" for number in range(1, 6)), "utf-8")
    pane = is_open(view, qtbot, [file]).pane
    tools(view).toggle_outline()
    assert tools(view).list.model().rowCount() == 5
    pane.setFocus()
    qtbot.keyClicks(pane, "x")
    qtbot.waitUntil(lambda: not tools(view).list.isVisible())
    assert not tools(view).line.outline.isVisible()


def test_where_there_is_no_room_the_outline_takes_the_page_s_place_until_it_is_left(
    view: AskView, qtbot: QtBot, tmp_path: Path
) -> None:
    pane = is_open(view, qtbot, [book(tmp_path)]).pane
    view.workspace.settings.outline = True
    view.resize(520, 500)
    qtbot.waitUntil(lambda: not tools(view).list.isVisible())
    for leave in ("Esc", "an answer", "a title"):
        tools(view).toggle_outline()
        outline = tools(view).list
        assert outline.isVisible() and not pane.isVisible()
        if leave == "Esc":
            assert view.stop()
        elif leave == "an answer":
            pane.map.setValue(pane.map.maximum())
        else:
            outline.clicked.emit(outline.model().index(1, 0))
        assert pane.isVisible() and not outline.isVisible(), leave
    assert pane.text()[pane.top() :].startswith("The moon")
    view.resize(1100, 700)
    qtbot.waitUntil(lambda: tools(view).list.isVisible() and pane.isVisible())


def test_the_size_is_fitted_chosen_and_kept_for_the_next_document(
    view: AskView, qtbot: QtBot, tmp_path: Path
) -> None:
    pane = is_open(view, qtbot, [book(tmp_path)]).pane
    assert isinstance(pane, PagePane) and pane.zoom() == FIT_WIDTH
    pane.go_to_number(3)
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_P, CONTROL | SHIFT)
    assert pane.zoom() == FIT_PAGE and pane.page() == 3
    seen = pane.viewport().height()
    assert 0.8 * seen < 792 * pane.shown_zoom() * 96 / 72 <= seen, "the page is whole"
    qtbot.waitUntil(lambda: tools(view).line.size_button.text() == f"{view.zoom.percent()}%")
    other = is_open(view, qtbot, [book(tmp_path, "other.pdf")]).pane
    assert isinstance(other, PagePane) and other is not pane and other.zoom() == FIT_PAGE
    view.zoom.set_percent(150)
    assert other.shown_zoom() == pytest.approx(1.5) and view.workspace.settings.page_zoom == 1.5
    assert pane.zoom() == FIT_PAGE, "that of a document that is open stays"
    field, settings = view.panel.box.field, view.workspace.settings
    letters = settings.text_size, settings.document_size
    qtbot.keyClick(field, Qt.Key.Key_0, CONTROL)
    assert other.zoom() == FIT_WIDTH
    fitted = other.shown_zoom()
    qtbot.keyClick(field, Qt.Key.Key_Plus, CONTROL)
    assert other.shown_zoom() > fitted
    for _ in range(2):
        qtbot.keyClick(field, Qt.Key.Key_Minus, CONTROL)
    assert other.shown_zoom() < fitted
    assert (settings.text_size, settings.document_size) == letters, "those of texts are as they were"


def test_the_menu_of_sizes_has_what_suits_the_document(view: AskView, qtbot: QtBot, tmp_path: Path) -> None:
    is_open(view, qtbot, [book(tmp_path)])
    menu = tools(view).line._menu
    menu.aboutToShow.emit()
    fits = [action.text() for action in menu.actions() if action.text().startswith("Fit")]
    assert len(fits) == 2 and next(each for each in menu.actions() if each.isChecked()).text().startswith(
        fits[0]
    )
    next(each for each in menu.actions() if each.text() == "125%").trigger()
    assert view.zoom.percent() == 125
    file = tmp_path / "tides.txt"
    file.write_text(PROSE, "utf-8")
    is_open(view, qtbot, [file])
    menu.aboutToShow.emit()
    assert not any(action.text().startswith("Fit") for action in menu.actions())
    next(each for each in menu.actions() if each.text() == "150%").trigger()
    assert view.workspace.settings.document_size == 150 and tools(view).line.size_button.text() == "150%"


@pytest.mark.parametrize("kind", ["pdf", "md", "txt"])
def test_every_place_that_is_found_is_marked_until_the_bar_goes(
    view: AskView, qtbot: QtBot, tmp_path: Path, kind: str
) -> None:
    file = tmp_path / f"tides.{kind}"
    if kind == "pdf":
        file.write_bytes(
            small_pdf([Page(lines("The tide rises.\nThe tide falls.\nThe TIDE turns.", size=30, leading=50))])
        )
    else:
        file.write_text("The tide rises.\n\nThe tide falls.\n\nThe TIDE turns.", "utf-8")
    pane = is_open(view, qtbot, [file]).pane
    role, frame = ("print_found", "print_found_line") if kind == "pdf" else ("found_ground", "found_line")

    def marked() -> bool:
        return bool(coloured(pane, view.theme, role))

    assert not marked()
    view.find_bar.open()
    qtbot.keyClicks(view.find_bar.field, "tide")
    qtbot.waitUntil(lambda: view.find_bar.news.text() == "1 of 3")
    assert marked()
    qtbot.keyClick(view.find_bar.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: view.find_bar.news.text() == "2 of 3")
    assert marked() and coloured(pane, view.theme, frame), "the one that is gone to has a frame"
    qtbot.keyClick(view.find_bar.field, Qt.Key.Key_Escape)
    assert not marked() and not coloured(pane, view.theme, frame) and not pane.selected_words()


def three_of(kind: str) -> bytes:
    """A file of three slides, sheets or mails."""
    words = [f"Noon is the time of number {number}." for number in (1, 2, 3)]
    if kind == "pptx":
        return pptx_file([frame(ap(each)) for each in words])
    if kind == "mbox":
        return mailbox_of([mail(each).as_bytes() for each in words])
    return xlsx_of({each[:20] + each[-2:-1]: [[each, "1"]] * 60 for each in words})


@pytest.mark.parametrize(("kind", "unit"), [("pptx", "Slide"), ("xlsx", "Sheet"), ("mbox", "Mail")])
def test_slides_sheets_and_mails_are_counted_and_gone_to(
    view: AskView, qtbot: QtBot, tmp_path: Path, kind: str, unit: str
) -> None:
    file = tmp_path / f"noon.{kind}"
    file.write_bytes(three_of(kind))
    pane = is_open(view, qtbot, [file]).pane
    pane.resize(600, 200)
    line = tools(view).line
    assert (line._what.text(), line.field.text(), line._total.text()) == (unit, "1", "of 3")
    field = go_to(view, qtbot, "2")
    assert field.text() == "2" and pane.top() >= pane.text().index("number 1")
    go_to(view, qtbot, "4")
    assert line._total.text() == f"No such {unit.lower()}"


def has_equal_letters(editor: DocumentPane) -> bool:
    metrics = QFontMetricsF(editor.document().defaultFont())
    return metrics.horizontalAdvance("iiii") == metrics.horizontalAdvance("mmmm")


def test_code_is_set_in_equal_letters_and_prose_is_not(view: AskView, qtbot: QtBot, tmp_path: Path) -> None:
    code, prose = tmp_path / "tide.py", tmp_path / "tide.txt"
    for file in (code, prose):
        file.write_text("def tide():\n\treturn 'high'\n", "utf-8")
    view.open_files([code])  # a folder may have such a name: it is looked at first
    qtbot.waitUntil(lambda: view.sheets.current().session.opened is not None)
    editor = view.sheets.current().editor
    assert has_equal_letters(editor)
    assert editor.numbers() == 3
    assert not has_equal_letters(is_open(view, qtbot, [prose]).editor)
    view.theme.choose("dark", 1.5)
    assert has_equal_letters(editor), "also in another size"
