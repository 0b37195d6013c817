"""The text of a Qt document, in and out: code points and Qt's UTF-16 positions agree on every text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QTextCursor, QTextDocument
from PySide6.QtWidgets import QApplication, QPlainTextDocumentLayout

from app.core.text import Offsets, Span
from app.ui.document.marks.searchable import document_text, insertable, text_at
from app.ui.document.text.long_lines import broken

AWKWARD = [
    "\r\n", "\r", "\n", "\0", "\u2028", "\u2029", "\ufdd0", "\ufdd1", "\ufffc", "\u00ad", "\u00a0", "\ufeff", "\ufffe",
    "\x0b", "\x0c", "\x85", "\t", "\ud83d", "\ude00", "👩\u200d👩\u200d👧", "🏳️\u200d🌈", "e\u0301",
    "שלום", "مرحبا", "\u202e", "𝔘", "漢字", "a", " ",
]  # fmt: skip
TEXTS = st.lists(st.one_of(st.sampled_from(AWKWARD), st.text(max_size=3)), max_size=25).map("".join)


def qt_document(text: str) -> QTextDocument:
    document = QTextDocument()
    document.setDocumentLayout(QPlainTextDocumentLayout(document))
    document.setPlainText(text)
    return document


@given(TEXTS)
def test_a_qt_document_gives_back_what_was_made_insertable(qapp: QApplication, text: str) -> None:
    text = insertable(text)
    document = qt_document(text)
    assert document_text(document) == text
    assert document.characterCount() - 1 == Offsets(text).units


@given(TEXTS)
def test_text_that_came_in_by_other_ways_keeps_its_places(qapp: QApplication, raw: str) -> None:
    document = qt_document("")
    QTextCursor(document).insertText(raw)
    text = document_text(document)
    assert Offsets(text).units == document.characterCount() - 1
    assert not any("\ud800" <= character <= "\udfff" for character in text)


@given(TEXTS, st.data())
def test_the_characters_at_a_place_are_those_of_the_text(
    qapp: QApplication, raw: str, data: st.DataObject
) -> None:
    text = insertable(raw)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    document = qt_document(text)
    assert text_at(document, *Offsets(text).span_to_qt(Span(start, end))) == text[start:end]


def test_what_lies_outside_the_document_is_empty(qapp: QApplication) -> None:
    document = qt_document("abc")
    assert text_at(document, 2, 99) == "c"
    assert text_at(document, 9, 12) == ""
    assert text_at(document, 2, 1) == ""


@given(TEXTS, st.integers(4, 12))
def test_breaking_long_lines_changes_nothing_but_blanks(raw: str, limit: int) -> None:
    text = insertable(raw)
    shown, breaks = broken(text, limit)
    assert shown.count("\n") == text.count("\n") + breaks
    assert shown.replace("\n", "").replace(" ", "") == text.replace("\n", "").replace(" ", "")
    assert all(len(line) <= limit for line in shown.split("\n"))
    assert (shown == text) == (breaks == 0) == all(len(line) <= limit for line in text.split("\n"))


def test_long_lines_break_after_a_sentence_and_keep_the_length() -> None:
    line = "One two three. " * 400
    shown, breaks = broken(line, 1000)
    assert breaks >= 5 and len(shown) == len(line)
    assert all(len(part) <= 1000 for part in shown.split("\n"))
    assert all(part.endswith(".") for part in shown.split("\n")[:-1])


@pytest.mark.parametrize("unit", ["👩\u200d👩\u200d👧", "e\u0301", "漢", "🇩🇪"])
def test_a_line_without_blanks_is_not_broken_within_a_character(unit: str) -> None:
    shown, breaks = broken(unit * 200, 64)
    assert breaks
    assert all(part == unit * (len(part) // len(unit)) for part in shown.split("\n"))
