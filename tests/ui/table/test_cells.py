"""The texts of cells and rows, and how they are broken into lines."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication

from app.core.answer_table import Cell, CellState
from app.core.corrections import Verdict
from app.core.history import KeptAnswer
from app.core.library import RECOGNISED, FileState, LibraryFile
from app.core.text import Span
from app.ui.kit.theme import Theme
from app.ui.table.answer_delegate import LineCache
from app.ui.table.cells import Look, rows_of, words_of
from tests.conftest import ROOT

ANSWER = KeptAnswer(Span(4, 15), "A. \n Oyelaran", 0.67, page=27, page_label="27")
CELL = Cell(1, "ab" * 32, CellState.ANSWER, ANSWER, 0.2)


def test_a_cell_shows_the_words_the_probability_and_the_page() -> None:
    shown = words_of(CELL)
    assert (shown.words, shown.look, shown.below) == ("A. Oyelaran", Look.ANSWER, "67% · p. 27")
    assert shown.spoken == "A. Oyelaran, 67%, p. 27"
    assert words_of(CELL, "yes").below == "yes · 67% · p. 27"
    low = words_of(replace(CELL, state=CellState.LOW_CONFIDENCE))
    assert low.look is Look.LOW and low.below == "67% · low confidence · p. 27"
    line = replace(ANSWER, page=None, page_label="", line=1204)
    assert words_of(replace(CELL, answer=line)).below == "67% · line 1,204"


def test_states_without_an_answer_differ() -> None:
    absent = words_of(replace(CELL, state=CellState.ABSENT, answer=None, no_answer=0.87))
    assert (absent.words, absent.below, absent.look) == ("Not in the text", "87%", Look.ABSENT)
    part = words_of(replace(CELL, state=CellState.ABSENT_IN_PART, answer=None, no_answer=0.87))
    assert (part.words, part.below) == ("No answer in the part that was read", "87%")
    assert words_of(replace(CELL, state=CellState.UNREAD, answer=None)).words == "Not read yet"
    failed = words_of(replace(CELL, state=CellState.FAILED, answer=None, reason="The reader died."))
    assert failed.words == "The reader died." and failed.look is Look.FAULT


@pytest.mark.parametrize(
    ("state", "verdict", "sign", "below"),
    [
        (CellState.ANSWER, Verdict.RIGHT, "check", "67% · p. 27"),
        (CellState.ANSWER, Verdict.NOT_THERE, "pen", "yours · reader: A. Oyelaran · 67% · p. 27"),
        (CellState.ANSWER, Verdict.OTHER_WORDS, "pen", "yours · reader: A. Oyelaran · 67% · p. 27"),
        (
            CellState.LOW_CONFIDENCE,
            Verdict.NOT_THERE,
            "pen",
            "yours · reader: A. Oyelaran · 67% · low confidence · p. 27",
        ),
        (CellState.LOW_CONFIDENCE, Verdict.RIGHT, "check", "67% · low confidence · p. 27"),
        (CellState.ABSENT, Verdict.NOT_THERE, "check", "20%"),
        (CellState.ABSENT, Verdict.RIGHT, "check", "20%"),
        (CellState.ABSENT_IN_PART, Verdict.NOT_THERE, "check", "20%"),
        (
            CellState.ABSENT_IN_PART,
            Verdict.OTHER_WORDS,
            "pen",
            "yours · reader: no answer in the part that was read · 20%",
        ),
        (CellState.ABSENT, Verdict.OTHER_WORDS, "pen", "yours · reader: not in the text · 20%"),
    ],
)
def test_a_verdict_is_shown_beside_the_probability(
    state: CellState, verdict: Verdict, sign: str, below: str
) -> None:
    words = "Ada" if verdict is Verdict.OTHER_WORDS else ""
    cell = replace(CELL, state=state, verdict=verdict, right_words=words)
    shown = words_of(cell)
    assert (shown.sign, shown.below) == (sign, below)
    if "yours" in below:
        assert (shown.words, shown.look) == (("Ada", Look.ANSWER) if words else ("Not there", Look.ABSENT))
    assert cell.is_right is (sign == "check")


def test_rows_name_their_files_or_why_one_has_no_cells() -> None:
    files = [
        LibraryFile(1, "/a/2023/lease.pdf", FileState.READ, pages=38),
        LibraryFile(2, "/a/2024/Lease.pdf", FileState.READ, pages=1),
        LibraryFile(3, "/a/notes.md", FileState.READ, words=1204),
        LibraryFile(4, "/a/scan.pdf", FileState.NO_TEXT),
        LibraryFile(5, "/a/order.pdf", FileState.LOCKED, "This PDF asks for a password."),
        LibraryFile(6, "/a/gone.pdf", FileState.GONE),
        LibraryFile(7, "/a/new.pdf", FileState.WAITING),
        LibraryFile(8, "/a/cut.pdf", FileState.READ, "This PDF is damaged.", pages=2),
        LibraryFile(9, "/a/old.pdf", FileState.READ, RECOGNISED.filled(n=2), pages=2),
    ]
    rows = rows_of(files)
    assert [(row.name, row.below) for row in rows] == [
        ("lease.pdf", "38 pages · 2023"),
        ("Lease.pdf", "1 page · 2024"),
        ("notes.md", "1,204 words"),
        ("scan.pdf", "no text"),
        ("order.pdf", "password"),
        ("new.pdf", ""),
        ("cut.pdf", "2 pages · in part"),
        ("old.pdf", "2 pages"),
    ]
    assert [bool(row.message) for row in rows] == [False, False, False, True, True, False, False, False]
    assert rows[4].message == "This PDF asks for a password."


@given(st.text(max_size=120), st.integers(20, 300), st.integers(1, 3))
def test_words_are_broken_into_lines_that_fit(qapp: QApplication, text: str, width: int, most: int) -> None:
    lines = LineCache(Theme(ROOT / "resources"))
    shown = " ".join(text.split())
    found = lines.lines_of(shown, "ui", width, most)
    assert 1 <= len(found) <= most
    if len(found) == 1 and lines.width(shown, "ui") <= width:
        assert found == (shown,)
    for line in found[:-1]:
        assert not line or line.rstrip("…") in shown, "a line that is not the last is the text's own"
