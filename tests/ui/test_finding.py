"""Finding words on every kind of page, and how large it is shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.ui.views.ask import AskView
from app.ui.views.finding import SIZES
from app.ui.widgets.page_pane import PagePane
from tests.helpers.open_files import Waiting, is_open, reader, write_pdf
from tests.helpers.windows import FakeEngine

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
LINES = "\n".join(f"Line {number} says nothing." for number in range(30))


@pytest.fixture
def view(open_page: Callable[[type[AskView], FakeEngine], AskView]) -> AskView:
    return open_page(AskView, reader())


def written(folder: Path, kind: str) -> Path:
    """A long document of one kind that says tide twice, far apart, once in capitals."""
    file = folder / f"tides.{kind}"
    if kind == "pdf":
        return write_pdf(file, f"The Tide is high.\n{LINES}", LINES, f"{LINES}\nThe tide is low.")
    text = "\n\n".join(
        ["The Tide is high.", *(LINES.replace("\n", "\n\n") for _ in range(3)), "The tide is low."]
    )
    file.write_text(text, "utf-8")
    return file


@pytest.mark.parametrize("kind", ["pdf", "md", "txt"])
def test_words_are_found_one_place_after_another_and_round(
    view: AskView, qtbot: QtBot, tmp_path: Path, kind: str
) -> None:
    pane = is_open(view, qtbot, [written(tmp_path, kind)]).pane
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_F, CONTROL)
    field = view.find_bar.field
    assert view.find_bar.isVisible() and field.hasFocus()
    qtbot.keyClicks(field, "tide")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    seen = {pane.selected_words()}
    first = pane.top()
    qtbot.keyClick(field, Qt.Key.Key_Return)
    seen.add(pane.selected_words())
    assert seen == {"Tide", "tide"}
    assert abs(pane.top() - first) > 200, "it is scrolled there"
    again = pane.selected_words()
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.keyClick(field, Qt.Key.Key_Return, SHIFT)
    assert pane.selected_words() == again and not view.find_bar.news()
    field.selectAll()
    qtbot.keyClicks(field, "ebb")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert view.find_bar.news() == "Not found"
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert not view.find_bar.isVisible() and pane.hasFocus()


@pytest.mark.parametrize("kind", ["pdf", "md", "txt"])
def test_the_first_place_is_gone_to_as_one_types_and_esc_goes_back(
    view: AskView, qtbot: QtBot, tmp_path: Path, kind: str
) -> None:
    pane = is_open(view, qtbot, [written(tmp_path, kind)]).pane
    middle = len(pane.text()) // 2
    pane.go_to(middle)
    stood = pane.top()
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_F, CONTROL)
    field = view.find_bar.field
    for typed in ("t", "i", "d"):
        qtbot.keyClicks(field, typed)
    assert pane.selected_words() == "tid" and pane.top() > stood + 200, "the first one from there on"
    qtbot.keyClicks(field, "e i")
    there = pane.top()
    assert pane.selected_words() == "tide i"
    qtbot.keyClicks(field, "x")
    assert (pane.selected_words(), pane.top()) == ("", stood), "no such words: nothing was moved"
    for _ in range(len("e ix")):
        qtbot.keyClick(field, Qt.Key.Key_Backspace)
    assert pane.selected_words() == "tid"
    for _ in range(3):
        qtbot.keyClick(field, Qt.Key.Key_Backspace)
    assert (pane.selected_words(), pane.top()) == ("", stood), "nothing is typed"
    qtbot.keyClicks(field, "tide i")
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert (pane.selected_words(), pane.top()) == ("", stood)
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_F, CONTROL)
    qtbot.keyClicks(field, "tide i")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert (pane.selected_words(), pane.top()) == ("tide i", there), "who went on stays there"


def test_typing_begins_at_the_cursor_where_that_is_seen(view: AskView, qtbot: QtBot) -> None:
    pane = view.sheets.current().editor
    pane.set_text("one tide, two tides, three tides")
    cursor = pane.textCursor()
    cursor.setPosition(12)
    pane.setTextCursor(cursor)
    qtbot.keyClick(pane, Qt.Key.Key_F, CONTROL)
    qtbot.keyClicks(view.find_bar.field, "tide")
    assert pane.textCursor().selectionStart() == 14
    qtbot.keyClick(view.find_bar.field, Qt.Key.Key_Return)
    assert pane.textCursor().selectionStart() == 27
    qtbot.keyClicks(view.find_bar.field, "s")
    assert pane.textCursor().selectionStart() == 27, "from where Enter went to"
    pane.set_text("short")
    qtbot.keyClick(view.find_bar.field, Qt.Key.Key_Escape)
    assert pane.textCursor().position() <= len("short"), "the text has become shorter meanwhile"


def test_it_is_said_in_how_many_places_the_words_stand(view: AskView, qtbot: QtBot, tmp_path: Path) -> None:
    is_open(view, qtbot, [written(tmp_path, "md")])
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_F, CONTROL)
    qtbot.keyClicks(view.find_bar.field, "TIDE")
    qtbot.waitUntil(lambda: view.find_bar.news() == "2 places")
    qtbot.keyClicks(view.find_bar.field, "x")
    assert view.find_bar.news() == ""
    qtbot.waitUntil(lambda: view.find_bar.news() == "Not found")


def test_the_words_that_are_selected_are_looked_for(view: AskView, qtbot: QtBot, tmp_path: Path) -> None:
    pane = is_open(view, qtbot, [written(tmp_path, "md")]).pane
    assert pane.go_to_words("high")
    qtbot.keyClick(pane, Qt.Key.Key_F, CONTROL)
    assert view.find_bar.field.text() == "high"


def test_nothing_is_looked_for_while_a_file_is_opened(view: AskView, qtbot: QtBot, tmp_path: Path) -> None:
    view.workspace.documents = Waiting(view.workspace.documents)  # type: ignore[assignment]
    view.open_files([written(tmp_path, "md")])
    page = view.sheets.current().opening
    assert page is not None
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_F, CONTROL)
    assert not view.find_bar.isVisible()
    assert view.stop()


def test_a_pdf_is_shown_larger_smaller_and_as_wide_as_the_page(
    view: AskView, qtbot: QtBot, tmp_path: Path
) -> None:
    pane = is_open(view, qtbot, [written(tmp_path, "pdf")]).pane
    assert isinstance(pane, PagePane) and pane.zoom() == 0
    fitted, size = pane.shown_zoom(), view.workspace.settings.text_size
    field = view.panel.box.field
    qtbot.keyClick(field, Qt.Key.Key_Plus, CONTROL)
    assert pane.shown_zoom() > fitted
    qtbot.keyClick(field, Qt.Key.Key_Minus, CONTROL)
    qtbot.keyClick(field, Qt.Key.Key_Minus, CONTROL)
    assert pane.shown_zoom() < fitted
    qtbot.keyClick(field, Qt.Key.Key_0, CONTROL)
    assert pane.shown_zoom() == fitted and pane.zoom() == 0
    assert view.workspace.settings.text_size == size, "the letters of the window are as they were"


@pytest.mark.parametrize("kind", ["txt", "md"])
def test_a_text_is_shown_in_larger_or_smaller_letters(
    view: AskView, qtbot: QtBot, tmp_path: Path, kind: str
) -> None:
    pane = is_open(view, qtbot, [written(tmp_path, kind)]).pane
    settings, field = view.workspace.settings, view.panel.box.field
    usual = pane.document().defaultFont().pixelSize()
    window = view.panel.card.font().pixelSize(), view.theme.font("ui").pixelSize()
    assert settings.document_size == 100
    qtbot.keyClick(field, Qt.Key.Key_Equal, CONTROL)
    assert settings.document_size == 110 and pane.document().defaultFont().pixelSize() > usual
    for _ in SIZES:
        qtbot.keyClick(field, Qt.Key.Key_Plus, CONTROL)
    assert settings.document_size == SIZES[-1]
    assert (view.panel.card.font().pixelSize(), view.theme.font("ui").pixelSize()) == window
    for _ in range(len(SIZES) + 1):
        qtbot.keyClick(field, Qt.Key.Key_Minus, CONTROL)
    assert settings.document_size == SIZES[0] and pane.document().defaultFont().pixelSize() < usual
    qtbot.keyClick(field, Qt.Key.Key_0, CONTROL)
    assert settings.document_size == 100 and pane.document().defaultFont().pixelSize() == usual
