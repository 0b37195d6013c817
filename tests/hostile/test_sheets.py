"""Spreadsheets and CSV made to stop, freeze or fool what reads them: each opens, or one sentence says why not."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from app.core.errors import SpanlightError
from app.core.layout import Opened
from app.core.report import Silent
from app.documents.orders import Read
from app.documents.parts import Parts
from app.flows.ask.document_process import Documents
from tests.helpers.flowing import check_parts
from tests.helpers.reading import reads_on
from tests.helpers.spreadsheets import compound, ods_of, ods_with, xls_of, xlsx_of
from tests.hostile.documents import CRAFTED as OTHERS
from tests.hostile.documents import Edit, changed, lying_zip
from tests.hostile.documents import whole as good_documents
from tests.hostile.test_documents import EDITS, LONG, check_refusal

WORDS = "The knave stole the tarts."
SHEETS = {
    "One": [["Who", "What", "How many"], ["knave", WORDS, 12.5], ["queen", "made them", 3]],
    "Two": [[True, None]],
}
WHOLE = {
    "a.xls": xls_of(SHEETS, [(0, 1, 0, 0)]),
    "a.ods": ods_of(SHEETS),
    "b.xlsx": xlsx_of(SHEETS),
    **{name: data for name, data in good_documents().items() if name in ("a.xlsx", "a.csv", "a.tsv")},
}


def _xml(part: str, change: Callable[[str], str]) -> bytes:
    """A good .xlsx file with a part changed."""
    file = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(xlsx_of(SHEETS))) as old,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            new.writestr(name, change(old.read(name).decode()) if name == part else old.read(name))
    return file.getvalue()


def _ods(table: str, before: str = "") -> bytes:
    return ods_with(
        f'<office:body><office:spreadsheet><table:table table:name="a">{table}</table:table>'
        "</office:spreadsheet></office:body>",
        before,
    )


def _ods_row(cell: str = "", row: str = "", words: str = "x") -> str:
    inside = (
        f'<table:table-cell office:value-type="string" {cell}><text:p>{words}</text:p></table:table-cell>'
    )
    return f"<table:table-row {row}>{inside}</table:table-row>"


@cache
def _laughs() -> str:
    return (
        "<!DOCTYPE x [<!ENTITY l0 'ha'>"
        + "".join(f"<!ENTITY l{n} '{f'&l{n - 1};' * 10}'>" for n in range(1, 9))
        + "]>"
    )


_XLS = WHOLE["a.xls"]
_MERGED = '<mergeCell ref="A1:XFD1048576"/>'
_SHEET1 = "xl/worksheets/sheet1.xml"
CRAFTED: dict[str, Callable[[], bytes]] = {
    "laughs.xlsx": lambda: _xml(_SHEET1, lambda xml: xml.replace("<worksheet", f"{_laughs()}<worksheet", 1)),
    "external.xlsx": lambda: _xml(
        _SHEET1, lambda xml: "<!DOCTYPE x [<!ENTITY f SYSTEM 'file:///etc/passwd'>]>" + xml.replace("knave", "&f;")
    ),
    "bomb.xlsx": lambda: _xml(_SHEET1, lambda xml: xml + " " * 100_000_000),
    "deep.xlsx": lambda: _xml(_SHEET1, lambda xml: "<a>" * 1_000_000 + xml),
    "strings.xlsx": lambda: _xml("xl/sharedStrings.xml", lambda xml: xml.replace("<si>", "<si><r>" * 20_000, 1)),
    "index.xlsx": lambda: _xml(_SHEET1, lambda xml: xml.replace("<v>", "<v>99999999999")),
    "twice.xlsx": lambda: _xml("xl/workbook.xml", lambda xml: xml.replace('name="Two"', 'name="One"')),
    "names.xlsx": lambda: _xml(
        "xl/workbook.xml", lambda xml: xml.replace('name="Two"', f'name="{"&#8238;../x" * 9999}"')
    ),
    "lost.xlsx": lambda: _xml(
        "xl/_rels/workbook.xml.rels", lambda xml: xml.replace("sheet1.xml", "../../../etc/passwd")
    ),
    "many.xlsx": lambda: xlsx_of({f"s{n}": [[n]] for n in range(300)}),
    "dates.xlsx": lambda: _xml(
        _SHEET1, lambda xml: xml.replace("<v>12.5", "<v>1e300").replace("<v>3<", "<v>-99999999<")
    ),
    "merges.xlsx": lambda: _xml(
        _SHEET1,
        lambda xml: xml.replace(
            "</sheetData>", "</sheetData><mergeCells>" + _MERGED * 9_999 + "</mergeCells>"
        ),
    ),
    "small.xlsx": lambda: lying_zip(xlsx_of(SHEETS), 1),
    "huge.xlsx": lambda: lying_zip(xlsx_of(SHEETS), 2**31),
    "outside.ods": lambda: _outside(),
    "laughs.ods": lambda: _ods(_ods_row(words="&l8;"), _laughs()),
    "external.ods": lambda: _ods(_ods_row(words="&f;"), "<!DOCTYPE x [<!ENTITY f SYSTEM 'file:///etc/passwd'>]>"),
    "columns.ods": lambda: _ods(_ods_row('table:number-columns-repeated="2000000000"')),
    "rows.ods": lambda: _ods(_ods_row("", 'table:number-rows-repeated="2000000000"')),
    "both.ods": lambda: _ods(
        _ods_row('table:number-columns-repeated="16384"', 'table:number-rows-repeated="1048576"')
    ),
    "negative.ods": lambda: _ods(_ods_row('table:number-columns-repeated="-1"', 'table:number-rows-repeated="x"')),
    "spans.ods": lambda: _ods(_ods_row('table:number-columns-spanned="99999999" table:number-rows-spanned="0"')),
    "deep.ods": lambda: _ods("<table:table-row>" * 100_000),
    "spaces.ods": lambda: _ods(_ods_row(words='<text:s text:c="2000000000"/>')),
    "bomb.ods": lambda: _ods(_ods_row(words="x" * 100_000_000)),
    "date.ods": lambda: _ods(
        '<table:table-row><table:table-cell office:value-type="date" office:date-value="99999-99-99"/>'
        '<table:table-cell office:value-type="time" office:time-value="PT99999999999H"/>'
        '<table:table-cell office:value-type="float" office:value="NaN"/></table:table-row>'
    ),
    "nothing.ods": lambda: ods_with(""),
    "small.ods": lambda: lying_zip(WHOLE["a.ods"], 1),
    "far.xls": lambda: xls_of({"a": [["near"]]}).replace(
        b"\x04\x02\x11\0\0\0\0\0", b"\x04\x02\x11\0\xff\xff\xff\0"
    ),
    "corners.xls": lambda: xls_of({"a": [["near", "far"]]}).replace(
        struct.pack("<HHH", 0, 1, 0), struct.pack("<HHH", 65535, 65535, 0)
    ),
    "merged.xls": lambda: xls_of(SHEETS, [(0, 65535, 0, 255)] * 500),
    "record.xls": lambda: _XLS.replace(b"\x09\x08\x10\0", b"\x09\x08\xff\xff"),
    "strings.xls": lambda: _XLS.replace(b"\x0a\0\0\0", b"\xfc\0\x0a\0", 1),
    "end.xls": lambda: _XLS[:-2000] + b"\xff" * 2000,
    "round.xls": lambda: _XLS[:512] + struct.pack("<128I", *[2] * 128) + _XLS[1024:],
    "table.xls": lambda: _XLS[:44] + b"\xff\xff\xff\x7f" + _XLS[48:],
    "sector.xls": lambda: _XLS[:30] + b"\x3f\0" + _XLS[32:],
    "mini.xls": lambda: _XLS[:32] + b"\xff\xff" + _XLS[34:],
    "start.xls": lambda: _XLS[:48] + b"\xfe\xff\xff\xff" + _XLS[52:],
    "none.xls": lambda: compound({"Workbook": b""}),
    "names.xls": lambda: xls_of({"\u202e\0../" * 9: [["x"]]}),
    "numbers.xls": lambda: xls_of({"a": [[float("nan"), float("inf"), -1e308, 5e-324]]}),
    "cut.xls": lambda: _XLS[:1600],
    "wide.csv": lambda: b"a," * 300_000 + b"\n" + b"1," * 300_000,
    "delimiters.csv": lambda: b",;|\t" * 200_000,
    "cells.csv": lambda: b"1,2\n" * 200_000,
    "ragged.csv": lambda: b"".join(b"x," * (n % 900) + b"\n" for n in range(1_000)),
    "marks.csv": lambda: ("\u202e\u0301\u200d," * 50_000 + WORDS).encode(),
    "quotes.csv": lambda: b'"' * 1_000_000,
    "escapes.csv": lambda: b'\\"' * 500_000 + b"a",
    "line.csv": lambda: b"word " * 2_000_000,
    "lines.csv": lambda: b"\n" * 2_000_000 + b"a,b\n1,2",
    "sep.csv": lambda: b'sep="\na"b\n1"2\n',
    "binary.csv": lambda: bytes(range(256)) * 100,
    **{name: make for name, make in OTHERS.items() if Path(name).suffix in (".csv", ".xlsx")},
}  # fmt: skip
SLOW = {
    "bomb.xlsx",
    "bomb.ods",
    "deep.xlsx",
    "wide.xlsx",
    "beyond.xlsx",
    "far.xlsx",
    "junk.xlsx",
    "row.xlsx",
    "both.ods",
}


def _outside() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(WHOLE["a.ods"])) as old, zipfile.ZipFile(file, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
        new.writestr("../../evil", b"x")
    return file.getvalue()


@pytest.fixture(scope="module")
def documents() -> Iterator[Documents]:
    """One documents process for all of them: none may harm the next."""
    processes = Documents(quiet=10)
    yield processes
    processes.close()


def check(documents: Documents, name: str, data: bytes) -> Opened | None:
    """Read a document, which must be whole or refused."""
    try:
        found = documents.read(Read("", name, data=data), Silent())
    except SpanlightError as fault:
        check_refusal(fault)
        return None
    text = found.document.text
    text.encode()  # no lone surrogate
    if found.blocks:
        assert found.document.view is not None
        check_parts(Parts(text, found.headings, found.blocks, found.tables, view=found.document.view))
    for block in found.blocks[:: max(1, len(found.blocks) // 50)]:
        assert found.cell_at(block.span.start) or block.span.of(text) == found.heading_at(block.span.start)
    return found


@pytest.mark.parametrize("name", WHOLE)
def test_a_good_file_is_read(documents: Documents, name: str) -> None:
    found = check(documents, name, WHOLE[name])
    assert found is not None and "knave" in found.document.text


@pytest.mark.parametrize("name", ["a.xlsx", "a.ods"])
def test_a_large_sheet_is_refused_for_its_cells(documents: Documents, name: str) -> None:
    rows = {"a": [[f"{number:x}", number * 37] for number in range(130_000)]}
    data = xlsx_of(rows) if name == "a.xlsx" else ods_of(rows)
    with pytest.raises(
        SpanlightError, match=f"“{name}” has more than 250,000 cells, too many for a document."
    ):
        documents.read(Read("", name, data=data), Silent())


@pytest.mark.parametrize("examples", [50, pytest.param(1500, marks=LONG)])
@pytest.mark.parametrize("name", WHOLE)
def test_a_file_with_changes_is_whole_or_refused(documents: Documents, name: str, examples: int) -> None:
    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(EDITS)
    def try_out(edits: list[Edit]) -> None:
        check(documents, name, changed(name, WHOLE[name], edits))

    try_out()
    reads_on(documents)


@pytest.mark.parametrize("name", [pytest.param(name, marks=LONG if name in SLOW else ()) for name in CRAFTED])
def test_a_crafted_file_costs_little_and_harms_nothing(documents: Documents, name: str) -> None:
    found = check(documents, name, CRAFTED[name]())
    assert found is None or "root:" not in found.document.text
    reads_on(documents)
