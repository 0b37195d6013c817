"""Spreadsheets of Excel, of old Excel and of OpenDocument: their stored values, with sheet and cell."""

from __future__ import annotations

import io
import re
import zipfile
from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook

from app.core.errors import SpanlightError
from app.core.layout import Kind, Opened
from app.core.report import Silent
from app.documents.orders import Read
from app.documents.reader import read
from app.documents.sheets import workbook
from app.documents.sheets.old_excel import percentages_of
from app.documents.sheets.rows import Percentage
from tests.helpers import flowing
from tests.helpers.flowing import changed_part
from tests.helpers.spreadsheets import compound, ods_of, xls_of, xlsx_of

ROWS = [
    ["Item", "Price", "Due", "Paid"],
    ["Tea", 1234.5, date(2026, 11, 26), True],
    ["Milk", 3, datetime(2026, 1, 2, 14, 30), False],
]
SHEETS = {"Budget": ROWS, "Empty": [], "Zutaten für Tee": [["only"]]}
WRITERS = {"a.xlsx": xlsx_of, "a.xls": xls_of, "a.ods": ods_of}
SHEET = "xl/worksheets/sheet1.xml"
TEXT = """Budget

Item\tPrice\tDue\tPaid
Tea\t1234.5\t2026-11-26\tTRUE
Milk\t3\t2026-01-02 14:30\tFALSE

Zutaten für Tee

only"""


def opened(name: str, data: bytes) -> Opened:
    return flowing.opened(data, name)


def refusal(name: str, data: bytes) -> str:
    with pytest.raises(SpanlightError) as caught:
        read(Read("", name, data=data), Silent())
    assert caught.value.hint.endswith(".")
    return caught.value.message


@pytest.mark.parametrize("name", WRITERS)
def test_sheets_with_their_stored_values(name: str) -> None:
    found = opened(name, WRITERS[name](SHEETS))
    assert found.kind is Kind(name[2:])
    assert found.document.text == TEXT
    assert found.place_at(TEXT.index("1234.5")) == "sheet Budget, cell B2"
    assert found.place_at(TEXT.index("only")) == "sheet Zutaten für Tee, cell A1"
    assert [table.header_rows for table in found.tables] == [1, 0]
    assert not found.notes
    other = next(each for each in WRITERS if each != name)
    assert opened(other, WRITERS[name](SHEETS)).kind is Kind(name[2:])  # by its content


def test_a_formula_is_never_computed() -> None:
    # openpyxl writes no value beside a formula; Excel writes the one that it has computed.
    data = xlsx_of({"a": [["x", "y"], ["sum", "=1+1"]]})
    found = opened("a.xlsx", data)
    assert found.document.text == "a\n\nx\ty\nsum"
    assert [str(note) for note in found.notes] == [
        "1 formula has no stored value: open the file in a spreadsheet program and save it."
    ]
    found = opened("a.xlsx", changed_part(SHEET, lambda xml: re.sub("<v ?/>|<v></v>", "<v>7</v>", xml), data))
    assert found.document.text == "a\n\nx\ty\nsum\t7"
    assert not found.notes


@pytest.mark.parametrize(
    ("cell", "is_counted"),
    [
        ('<c r="A1"><f>B1</f><v></v></c>', True),
        ('<c r="A1" s="1"><f>B1&gt;2</f></c>', True),
        ('<x:c r="A1"><x:f t="shared" si="0"/><x:v/></x:c>', True),
        ('<c r="A1"><f>B1</f><v>0</v></c>', False),
        ('<c r="A1" t="str"><f>B1</f><v></v></c>', False),  # what it computed is an empty text
        ('<c r="A1"/>', False),
        ('<c r="A1"><v>3</v></c>', False),
    ],
)
def test_formulas_without_a_stored_value_are_counted(cell: str, is_counted: bool) -> None:
    number = 40_000  # in several pieces of the file
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(SHEET, f"<sheetData>{cell * number}</sheetData>")
    with zipfile.ZipFile(file) as archive:
        assert workbook._unstored_in_excel(archive, Silent()) == number * is_counted


def test_formulas_of_opendocument_without_a_stored_value_are_counted() -> None:
    formula = '<table:table-cell table:formula="of:=[.A1]"'
    row = (
        f'<table:table-row>{formula}/>{formula}/>{formula} office:value-type="float" office:value="2"/>'
        "</table:table-row>"
    )
    found = opened("a.ods", ods_of({"a": [["x"]]}, f'<table:table table:name="b">{row}</table:table>'))
    assert "2" in found.document.text
    assert [str(note) for note in found.notes] == [
        "2 formulas have no stored value: open the file in a spreadsheet program and save it."
    ]


def test_hidden_sheets_and_charts_are_left_out_and_a_name_of_no_letters_is_a_number() -> None:
    found = opened("a.ods", ods_of({"\u200b\u202e": [["x", "y"]]}))
    assert found.document.text == "Sheet 1\n\nx\ty"

    def change(book: Workbook) -> None:
        book.create_chartsheet("Chart")
        book["b"].sheet_state = "hidden"
        book["c"].sheet_state = "veryHidden"

    found = opened("a.xlsx", xlsx_of({"a": [["seen"]], "b": [["secret"]], "c": [["secret"]]}, change))
    assert found.document.text == "a\n\nseen"
    assert [str(note) for note in found.notes] == ["2 hidden sheets are left out."]


def test_merged_cells_of_both_excels() -> None:
    rows = [["Town", "2025", ""], ["", "Rain", "Sun"], ["Graz", 1, 2], ["Linz", 3, 4]]

    def change(book: Workbook) -> None:
        book["a"].merge_cells("B1:C1")
        book["a"].merge_cells("A1:A2")

    for name, data in (
        ("a.xlsx", xlsx_of({"a": rows}, change)),
        ("a.xls", xls_of({"a": rows}, [(0, 0, 1, 2), (0, 1, 0, 0)])),
    ):
        [table] = opened(name, data).tables
        assert (table.header_rows, table.merged) == (2, {(0, 0): (2, 1), (0, 1): (1, 2)}), name


def test_percentages_are_shown_as_such() -> None:
    def change(book: Workbook) -> None:
        for cell, form in {"B2": "0%", "C2": "0.0%;[Red]-0.0%", "B3": '0"%"', "C3": "General"}.items():
            book["a"][cell].number_format = form

    rows = [["Year", "Share", "Growth"], [2025, 0.07, -0.125], [2026, 5, 0.5]]
    data = xlsx_of({"b": [[0.5]], "a": rows}, change)
    assert opened("a.xlsx", data).document.text.endswith("2025\t7%\t-12.5%\n2026\t5\t0.5")
    cell = '<table:table-cell office:value-type="percentage" office:value="0.25" table:number-columns-repeated="2"/>'
    gap = '<table:table-row table:number-rows-repeated="3"><table:table-cell/></table:table-row>'
    table = f"{gap}<table:table-row><table:table-cell/>{cell}</table:table-row>"
    found = opened("a.ods", ods_of({"b": [[0.5]]}, f'<table:table table:name="a">{table}</table:table>'))
    assert found.document.text == "b\n\n0.5\n\na\n\n25%\t25%"


def test_a_far_cell_keeps_its_address_and_two_far_apart_are_refused() -> None:
    def change(book: Workbook) -> None:
        book["a"]["XFD1048576"] = "far"

    found = opened("a.xlsx", xlsx_of({"a": []}, change))
    assert found.place_at(len(found.document.text) - 1) == "sheet a, cell XFD1048576"

    def change_both(book: Workbook) -> None:
        change(book)
        book["a"]["A1"] = "near"

    assert refusal("a.xlsx", xlsx_of({"a": []}, change_both)) == (
        "“a.xlsx” has more than 250,000 cells, too many for a document."
    )


def test_percentages_of_old_excel_are_as_they_are_shown() -> None:
    rows = [["Share", "Part", "Sum"], [Percentage(0.25), Percentage(0.125), 0.5], [Percentage(1), "x", 3]]
    found = opened("a.xls", xls_of({"a": rows, "b": [[0.5, Percentage(0.5)]]}))
    assert found.document.text == "a\n\nShare\tPart\tSum\n25%\t12.5%\t0.5\n100%\tx\t3\n\nb\n\n0.5\t50%"


def test_sheets_of_an_old_workbook_that_begin_at_one_place_are_read_once() -> None:
    data = xls_of({"a": [[Percentage(0.25)]], "b": [[0.5]]})
    first = data.index("a".encode("utf-16-le"), data.index(b"\x85\0")) - 8
    second = data.index("b".encode("utf-16-le"), first) - 8
    joined = data[:second] + data[first : first + 4] + data[second + 4 :]
    assert percentages_of(data) == {"a": {(0, 0)}, "b": set()}
    assert sorted(percentages_of(joined).values(), key=len) == [set(), {(0, 0)}]


@given(st.binary(max_size=8), st.integers(0, 2_000))
def test_the_formats_of_a_damaged_old_workbook_are_read_or_left(noise: bytes, at: int) -> None:
    data = xls_of({"a": [[Percentage(0.25), 0.5]]})
    damaged = data[: 512 + at] + noise + data[512 + at + len(noise) :]
    assert all(isinstance(name, str) for name in percentages_of(damaged))


def test_cells_far_apart_are_refused_in_whatever_order_they_are() -> None:
    rows = xlsx_of({"a": [["x"], ["y"], ["z"]]})
    changed = changed_part(SHEET, lambda xml: xml.replace('r="A2"', 'r="XFD1048576"'), rows)
    assert "more than 250,000 cells" in refusal("a.xlsx", changed)


def test_what_is_protected_with_a_password() -> None:
    packed = compound({"EncryptionInfo": b"x", "EncryptedPackage": b"x"})
    for name in ("a.xlsx", "a.xls", "a.ods"):
        assert refusal(name, packed) == (
            f"“{name}” is protected with a password, which only the program that set it can take off."
        )
    protected = xls_of({"a": [["x"]]}).replace(b"\x42\0\x02\0\xb0\x04", b"\x2f\0\x02\0\x01\x00")  # FILEPASS
    assert "is protected with a password" in refusal("a.xls", protected)


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("a.xls", compound({"WordDocument": b"x"}), "“a.xls” is an old Office file, which cannot be read."),
        ("a.xls", xls_of(SHEETS)[:-600], "“a.xls” is damaged: nothing of its text could be read."),
        ("a.xlsx", xlsx_of(SHEETS)[:-200], "“a.xlsx” is damaged: nothing of its text could be read."),
        ("a.xlsx", xlsx_of({"a": []}), "“a.xlsx” holds no text."),
    ],
)
def test_what_cannot_be_read_is_told(name: str, data: bytes, sentence: str) -> None:
    assert refusal(name, data) == sentence


def test_a_panic_of_the_library_is_damage() -> None:
    class PanicException(BaseException):
        pass

    with pytest.raises(KeyboardInterrupt):
        workbook._damage(KeyboardInterrupt(), "a.xls")
    with pytest.raises(MemoryError):
        workbook._damage(MemoryError(), "a.xls")
    assert "damaged" in workbook._damage(PanicException(), "a.xls").message
