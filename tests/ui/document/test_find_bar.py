"""Finding words in every kind of pane, and zooming it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from app.core.text import Span
from app.ui.ask.ask import AskView
from app.ui.ask.sheet import Sheet
from app.ui.document.marks import searchable
from app.ui.document.marks.searchable import matches, pattern_of
from app.ui.document.zoom import SIZES
from tests.helpers.open_files import Waiting, ask, is_open, write_pdf
from tests.helpers.widgets import select_words

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
LINES = "\n".join(f"Line {number} says nothing." for number in range(30))


def written(folder: Path, kind: str) -> Path:
    """Return a long document of a kind with "tide" twice, far apart, once in capitals."""
    file = folder / f"tides.{kind}"
    if kind == "pdf":
        return write_pdf(file, f"The Tide is high.\n{LINES}", LINES, f"{LINES}\nThe tide is low.")
    text = "\n\n".join(
        ["The Tide is high.", *(LINES.replace("\n", "\n\n") for _ in range(3)), "The tide is low."]
    )
    file.write_text(text, "utf-8")
    return file


def look_for(view: AskView, qtbot: QtBot, words: str = "") -> QLineEdit:
    """Open the find bar from the question's field and type words; returns its field."""
    qtbot.keyClick(view.panel.box.field, Qt.Key.Key_F, CONTROL)
    qtbot.keyClicks(view.find_bar.field, words)
    return view.find_bar.field


@pytest.mark.parametrize("kind", ["pdf", "md", "txt"])
def test_the_first_place_is_gone_to_as_one_types_and_esc_goes_back(
    view: AskView, qtbot: QtBot, tmp_path: Path, kind: str
) -> None:
    pane = is_open(view, qtbot, [written(tmp_path, kind)]).pane
    middle = len(pane.text()) // 2
    pane.go_to(middle)
    stood = pane.top()
    field = look_for(view, qtbot)
    for typed in ("t", "i", "d"):
        qtbot.keyClicks(field, typed)
    qtbot.waitUntil(lambda: pane.selected_words() == "tid")
    assert pane.top() > stood + 200, "the first one from there on"
    qtbot.keyClicks(field, "e i")
    qtbot.waitUntil(lambda: pane.selected_words() == "tide i")
    there = pane.top()
    qtbot.keyClicks(field, "x")
    qtbot.waitUntil(lambda: (pane.selected_words(), pane.top()) == ("", stood))
    qtbot.waitUntil(lambda: view.find_bar.news.text() == "Not found")
    for _ in range(len("e ix")):
        qtbot.keyClick(field, Qt.Key.Key_Backspace)
    qtbot.waitUntil(lambda: pane.selected_words() == "tid")
    for _ in range(3):
        qtbot.keyClick(field, Qt.Key.Key_Backspace)
    assert (pane.selected_words(), pane.top()) == ("", stood), "nothing is typed"
    qtbot.keyClicks(field, "tide i")
    qtbot.waitUntil(lambda: pane.selected_words() == "tide i")
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert (pane.selected_words(), pane.top()) == ("", stood)
    look_for(view, qtbot, "tide i")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    # Who types fast is at the first place too.
    qtbot.waitUntil(lambda: (pane.selected_words(), view.find_bar.news.text()) == ("tide i", "2 of 2"))
    none = Qt.KeyboardModifier.NoModifier
    for keys, news in ((none, "1 of 2"), (none, "2 of 2"), (SHIFT, "1 of 2"), (SHIFT, "2 of 2")):
        qtbot.keyClick(field, Qt.Key.Key_Return, keys)
        qtbot.waitUntil(lambda news=news: view.find_bar.news.text() == news)
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert not view.find_bar.isVisible() and pane.hasFocus()
    assert (pane.selected_words(), pane.top()) == ("", there), "who went on stays there"


Deed = Callable[[AskView, QtBot], None]


def scroll(view: AskView, qtbot: QtBot) -> None:
    view.sheets.current().pane.verticalScrollBar().setValue(3)


def select(view: AskView, qtbot: QtBot) -> None:
    cursor = view.sheets.current().editor.textCursor()
    cursor.setPosition(cursor.selectionStart() + 1)
    view.sheets.current().editor.setTextCursor(cursor)


def edit(view: AskView, qtbot: QtBot) -> None:
    qtbot.keyClick(view.sheets.current().editor, Qt.Key.Key_X)


@pytest.mark.parametrize("deed", [scroll, select, edit])
def test_esc_leaves_the_text_where_somebody_went_in_it(
    view: AskView, qtbot: QtBot, tmp_path: Path, deed: Deed
) -> None:
    pane = is_open(view, qtbot, [written(tmp_path, "txt")]).pane
    pane.go_to(len(pane.text()) // 2)
    stood = pane.top()
    look_for(view, qtbot, "tide i")
    qtbot.waitUntil(lambda: pane.selected_words() == "tide i")
    deed(view, qtbot)
    left, words = pane.view_state(), pane.selected_words()
    assert pane.top() != stood
    qtbot.keyClick(view.find_bar.field, Qt.Key.Key_Escape)
    assert pane.scrolled() == left.scrolled
    assert pane.selected_words() == ("" if words == "tide i" else words), "no match stays selected"


def long_text() -> str:
    """About 800,000 code points in paragraphs of several lines each."""
    return "\n".join(f"Paragraph {number}. {'Nothing is said here. ' * 24}" for number in range(1_500))


def test_a_very_long_text_stands_where_it_stood(view: AskView, qtbot: QtBot) -> None:
    pane = view.sheets.current().editor
    pane.set_text(long_text())
    assert len(pane.text()) > 800_000
    qtbot.waitUntil(lambda: not pane._appender.go_on())
    turns = matches(re.compile("nowhere"), pane.text())
    assert sum(1 for _ in turns) > 2, "in several turns"
    pane.go_to(len(pane.text()) // 2)
    stood = pane.top()
    field = look_for(view, qtbot)
    for words, news in (("nowhere", "Not found"), ("paragraph 31.", "1 of 1")):
        field.selectAll()
        qtbot.keyClicks(field, words)
        qtbot.waitUntil(lambda news=news: view.find_bar.news.text() == news)
    assert pane.selected_words() == "Paragraph 31." and pane.top() < stood
    qtbot.keyClick(field, Qt.Key.Key_F, CONTROL)  # changes nothing of where Esc goes
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert (pane.selected_words(), pane.top()) == ("", stood)


@given(
    st.text(st.sampled_from("aAb \u00a0\n😀"), max_size=40),
    st.sampled_from(["ab", "a b", "😀b"]),
)
def test_every_match_is_found_over_the_ends_of_slices(text: str, words: str) -> None:
    pattern = pattern_of(words)
    assert pattern is not None
    spans = [Span(*found.span()) for found in pattern.finditer(text)]
    with patch.object(searchable, "SLICE", 3):
        assert [span for span in matches(pattern, text) if span] == spans


def test_typing_begins_at_the_cursor_where_that_is_seen(view: AskView, qtbot: QtBot) -> None:
    pane = view.sheets.current().editor
    pane.set_text("one tide, two tides, three tides")
    cursor = pane.textCursor()
    cursor.setPosition(12)
    pane.setTextCursor(cursor)
    qtbot.keyClick(pane, Qt.Key.Key_F, CONTROL)
    qtbot.keyClicks(view.find_bar.field, "tide")
    qtbot.waitUntil(lambda: pane.textCursor().selectionStart() == 14)
    qtbot.keyClick(view.find_bar.field, Qt.Key.Key_Return)
    assert pane.textCursor().selectionStart() == 27
    qtbot.keyClicks(view.find_bar.field, "s")
    qtbot.waitUntil(lambda: pane.selected_words() == "tides")
    assert pane.textCursor().selectionStart() == 27, "from where Enter went to"
    pane.set_text("short")
    qtbot.keyClick(view.find_bar.field, Qt.Key.Key_Escape)
    assert pane.textCursor().position() <= len("short"), "the text has become shorter meanwhile"


def test_f3_in_the_bar_goes_on_finding_and_elsewhere_to_the_next_answer(
    view: AskView, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("A tide, and noon; the tide at noon.", "utf-8")
    pane = is_open(view, qtbot, [tmp_path / "a.txt"]).pane
    sheet = ask(view, qtbot, "When is noon?")
    steps: list[Sheet] = []
    view.controller.chosen.connect(steps.append)
    field = look_for(view, qtbot, "tide")
    qtbot.waitUntil(lambda: pane.selected_words() == "tide")
    at = [pane.textCursor().selectionStart()]
    for widget, keys in (
        (field, Qt.KeyboardModifier.NoModifier), (field, Qt.KeyboardModifier.NoModifier), (field, SHIFT),
        (view.find_bar._close, Qt.KeyboardModifier.NoModifier),
    ):  # fmt: skip
        widget.setFocus()
        qtbot.keyClick(widget, Qt.Key.Key_F3, keys)
        at.append(pane.textCursor().selectionStart())
    assert at == [22, 2, 22, 2, 22] and not steps  # from the answer on
    pane.setFocus()
    qtbot.keyClick(pane, Qt.Key.Key_F3)
    assert view.find_bar.isVisible() and steps == [sheet]


def test_the_words_that_are_selected_are_looked_for(view: AskView, qtbot: QtBot, tmp_path: Path) -> None:
    pane = is_open(view, qtbot, [written(tmp_path, "md")]).pane
    assert select_words(pane, "high")
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
