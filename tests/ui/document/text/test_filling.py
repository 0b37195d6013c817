"""A long text comes on the page piece by piece, and nobody can tell."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.positions import utf16_units
from app.core.text import Span
from app.settings.paths import default_paths
from app.ui.document.marks.offsets import document_text, insertable
from app.ui.document.text import document_pane
from app.ui.document.text.document_pane import DocumentPane
from app.ui.document.text.long_lines import LIMIT, broken
from app.ui.kit.theme import Theme

WORDS = "The tide is high at noon. "
LONG = "\n".join(WORDS * 8 for _ in range(50))


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_pane, "PIECE", 7)


@pytest.fixture
def pane(
    qapp: QApplication, qtbot: QtBot, spanlight_home: object, small_pieces: None
) -> Iterator[DocumentPane]:
    theme = Theme(default_paths().resources)
    theme.choose("light")
    pane = DocumentPane(theme)
    qtbot.addWidget(pane)
    pane.resize(500, 300)
    pane.show()
    yield pane


def filled(pane: DocumentPane) -> bool:
    return document_text(pane.document()) == pane.text()


def test_the_text_is_known_at_once_and_comes_on_the_page_later(pane: DocumentPane, qtbot: QtBot) -> None:
    edits: list[str] = []
    pane.edited.connect(lambda: edits.append(pane.text()))
    pane.set_text(LONG)
    assert pane.text() == LONG
    assert pane.units() == utf16_units(LONG)
    assert len(document_text(pane.document())) < len(LONG)
    assert not pane.document().isUndoRedoEnabled()
    qtbot.waitUntil(lambda: filled(pane))
    assert pane.text() == LONG
    assert edits == [LONG]
    assert pane.document().isUndoRedoEnabled()
    assert not pane.document().isUndoAvailable()


def test_what_is_asked_of_the_page_meanwhile_finds_all_of_it(pane: DocumentPane) -> None:
    pane.set_text(LONG)
    at = LONG.rindex("noon")
    assert pane.light([(Span(at, at + 4), "noon")]) == [True]
    assert pane.lit() == ["noon"]
    pane.set_text(LONG + "\nthe end")
    assert pane.go_to_words("the end")
    pane.set_text(LONG + "\nthe end")
    pane.go_to(len(LONG))
    assert filled(pane)


def test_a_letter_typed_meanwhile_changes_the_whole_text(pane: DocumentPane, qtbot: QtBot) -> None:
    pane.set_text(LONG)
    qtbot.keyClick(pane, Qt.Key.Key_X)
    assert pane.text() == "x" + LONG
    assert filled(pane)
    pane.undo()
    assert pane.text() == LONG


def test_another_text_meanwhile_leaves_nothing_of_the_first(pane: DocumentPane, qtbot: QtBot) -> None:
    pane.set_text(LONG)
    pane.set_text("short")
    qtbot.wait(20)
    assert document_text(pane.document()) == pane.text() == "short"
    assert pane.document().isUndoRedoEnabled()


@given(
    st.text(st.characters(codec=None) | st.sampled_from("\ufeff\U0001f600\u0301\n\r\x00\ud800"), max_size=60)
)
def test_pieces_hold_what_the_whole_does(pane: DocumentPane, text: str) -> None:
    pane.set_text(text)
    pane._filling.at_once()
    assert document_text(pane.document()) == pane.text() == broken(insertable(text))[0]


@given(st.lists(st.integers(0, 12), max_size=8), st.integers(1, 9))
def test_a_text_without_long_lines_is_left_as_it_is(lengths: list[int], limit: int) -> None:
    text = "\n".join("x" * length for length in lengths)
    longer = any(length > limit for length in lengths)
    shown, breaks = broken(text, limit)
    assert (breaks > 0) == longer
    assert (shown == text) == (not longer)
    assert all(len(line) <= limit for line in shown.split("\n"))
    assert LIMIT > limit
