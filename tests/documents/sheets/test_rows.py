"""Rows of cells become tables with their headers, and every block knows its cell."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as some

from app.core.errors import SpanlightError
from app.core.layout import Kind, Opened
from app.core.report import Silent
from app.core.text import Document
from app.documents.parts import Parts
from app.documents.sheets import rows as module
from app.documents.sheets.rows import SheetBlocks, in_words
from tests.helpers.flowing import check_parts, lines_read

STAFF = [["Name", "Town", "Hours"], ["Ada", "Graz", 12.0], ["Ben", "Linz", 7.5], ["Cleo", "Wien", 30.0]]


def parts_of(values: list[list[object]], top: int = 0, left: int = 0, merged: tuple = ()) -> Parts:
    blocks = SheetBlocks("a.xlsx", Silent())
    blocks.heading("Budget")
    blocks.add(values, top, left, merged)
    parts = blocks.parts()
    check_parts(parts)
    return parts


def opened(parts: Parts, kind: Kind = Kind.XLSX) -> Opened:
    document = Document(parts.text, "a.xlsx", view=parts.view)
    return Opened(document, kind, parts.headings, parts.blocks, parts.tables, cells=parts.cells)


def test_rows_are_read_with_their_headers() -> None:
    parts = parts_of(STAFF)
    assert parts.text.startswith("Budget\n\nName\tTown\tHours\nAda\tGraz\t12\n")
    assert [table.header_rows for table in parts.tables] == [1]
    assert "Name: Ben. Town: Linz. Hours: 7.5." in lines_read(parts)


def test_a_title_above_a_table_is_no_row_of_it_and_keeps_its_cell() -> None:
    values: list[list[object]] = [
        ["Hours in May", "", ""],
        ["", "", ""],
        *STAFF,
        ["", "", ""],
        ["No warranty.", "", ""],
    ]
    parts = parts_of(values, top=2, left=1)
    found = opened(parts)
    assert parts.text.startswith("Budget\n\nHours in May\n\nName\tTown")
    assert parts.text.endswith("\n\nNo warranty.")
    assert [(table.rows, table.header_rows) for table in parts.tables] == [(4, 1)]
    assert "Hours in May" in parts.view.heading_at(parts.text.index("Linz"))
    places = {
        words: found.place_at(parts.text.index(words)) for words in ("Hours in May", "Name", "7.5", "No warr")
    }
    assert places == {
        "Hours in May": "sheet Budget, cell B3",
        "Name": "sheet Budget, cell B5",
        "7.5": "sheet Budget, cell D7",
        "No warr": "sheet Budget, cell B10",
    }
    assert found.place_at(0) == "" and found.cell_at(0) == ""


def test_two_tables_on_a_sheet_have_headers_of_their_own() -> None:
    second = [["Ware", "Price", "Stock"], ["Tea", 2.5, 4.0], ["Milk", 1.2, 9.0]]
    parts = parts_of([*STAFF, ["", "", ""], *second])
    assert [(table.rows, table.header_rows) for table in parts.tables] == [(4, 1), (3, 1)]
    assert "Ware: Milk. Price: 1.2. Stock: 9." in lines_read(parts)


def test_a_gap_among_rows_ends_no_table() -> None:
    parts = parts_of([*STAFF, ["", "", ""], ["Dan", "Wels", 4.0], ["Eve", "Enns", 1.0], ["Fay", "Lech", 2.0]])
    assert [(table.rows, table.header_rows) for table in parts.tables] == [(7, 1)]
    assert "Name: Fay. Town: Lech. Hours: 2." in lines_read(parts)


def test_empty_columns_are_left_out_and_addresses_stay() -> None:
    parts = parts_of([[value for cell in row for value in (cell, "")] for row in STAFF])
    assert parts.tables[0].columns == 3
    found = opened(parts)
    assert found.cell_at(parts.text.index("12")) == "E2"


def test_columns_beyond_z() -> None:
    parts = parts_of([["a", "b"]], left=25)
    found = opened(parts)
    assert [found.cell_at(block.span.start) for block in parts.blocks] == ["", "Z1", "AA1"]
    assert (
        opened(parts_of([["a", "b"]], top=1048574, left=16382)).cell_at(len("Budget\n\na\t")) == "XFD1048575"
    )


def test_merged_headers_name_all_their_columns() -> None:
    values: list[list[object]] = [
        ["Town", "2025", "", "2026", ""],
        ["", "Rain", "Sun", "Rain", "Sun"],
        ["Graz", 1.0, 2.0, 3.0, 4.0],
        ["Linz", 5.0, 6.0, 7.0, 8.0],
    ]
    parts = parts_of(values, merged=(((0, 1), (0, 2)), ((0, 3), (0, 4)), ((0, 0), (1, 0))))
    assert parts.tables[0].header_rows == 2
    assert parts.tables[0].merged == {(0, 1): (1, 2), (0, 3): (1, 2), (0, 0): (2, 1)}
    assert "Town: Linz. 2025 Rain: 5. 2025 Sun: 6. 2026 Rain: 7. 2026 Sun: 8." in lines_read(parts)


def test_a_merged_cell_over_others_leaves_them_their_columns() -> None:
    parts = parts_of(STAFF, merged=(((0, 0), (0, 2)),))
    assert [block.column for block in parts.blocks if block.row == 0] == [0, 1, 2]


def test_a_list_in_one_column_is_one_table_and_lines_in_a_cell_stay() -> None:
    parts = parts_of([["Paris"], [""], ["Rome"]])
    assert parts.text == "Budget\n\nParis\nRome"
    assert [(table.rows, table.columns) for table in parts.tables] == [(2, 1)]
    parts = parts_of([["Name", "Note"], ["Ada", "one\ntwo\r\nthree"]])
    assert parts.text.endswith("Ada\tone\ntwo\nthree")


def test_too_many_cells_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_CELLS", 11)
    with pytest.raises(SpanlightError) as caught:
        parts_of(STAFF)
    assert caught.value.message == "“a.xlsx” has more than 11 cells, too many for a document."
    assert caught.value.hint.endswith(".")


VALUES = some.one_of(
    some.just(""),
    some.text(max_size=6),
    some.floats(-1e6, 1e6),
    some.booleans(),
    some.sampled_from(["Ware", "Ort", "  "]),
)


@given(
    some.lists(some.lists(VALUES, max_size=5), max_size=9),
    some.integers(0, 30),
    some.integers(0, 30),
    some.lists(some.tuples(*[some.integers(0, 8)] * 4), max_size=3),
)
def test_every_block_leads_to_its_cell(
    values: list[list[object]], top: int, left: int, ranges: list[tuple[int, int, int, int]]
) -> None:
    merged = tuple(
        ((top + min(a, b), left + min(c, d)), (top + max(a, b), left + max(c, d))) for a, b, c, d in ranges
    )
    parts = parts_of(values, top, left, merged)
    assert len(parts.cells.rows) == len(parts.cells.columns) == len(parts.blocks)
    shown = {}
    for block, row, column in zip(parts.blocks, parts.cells.rows, parts.cells.columns, strict=True):
        assert (row == 0) == (block.span.start == 0)
        if row:
            shown[row - 1 - top, column - 1 - left] = "".join(block.span.of(parts.text).split())
    for (row, column), words in shown.items():
        kept = "".join(in_words(values[row][column]).split())
        assert all(letter in kept for letter in words)
    seen = {
        (row, column)
        for row, cells in enumerate(values)
        for column, value in enumerate(cells)
        if any(map(str.isalnum, in_words(value)))
    }
    assert seen <= shown.keys()


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("Tea, 2 kg", "Tea, 2 kg"),
        (1234.5, "1234.5"),
        (3.0, "3"),
        (-0.0, "0"),
        (0.1 + 0.2, "0.3"),
        (1e-7, "0.0000001"),
        (1e-300, "1e-300"),
        (123456789012345680.0, "123456789012346000"),
        (1e30, "1e+30"),
        (17, "17"),
        (True, "TRUE"),
        (False, "FALSE"),
        (date(2026, 11, 26), "2026-11-26"),
        (datetime(2026, 11, 26), "2026-11-26"),
        (datetime(2026, 11, 26, 14, 30), "2026-11-26 14:30"),
        (datetime(2026, 11, 26, 0, 0, 7), "2026-11-26 00:00:07"),
        (time(8, 30), "08:30"),
        (timedelta(hours=36, minutes=15), "36:15"),
        (timedelta(seconds=-5), "-0:00:05"),
        (None, ""),
    ],
)
def test_a_value_in_words(value: object, words: str) -> None:
    assert in_words(value) == words


@given(some.floats(-1e300, 1e300))
def test_a_number_keeps_its_fifteen_digits(number: float) -> None:
    assert float(in_words(number)) == pytest.approx(number, rel=1e-14)
