"""Spreadsheets and CSV made to stop, freeze or fool what reads them, and a good one of each kind."""

from __future__ import annotations

import struct
from collections.abc import Callable

from tests.helpers.flowing import changed_part
from tests.helpers.spreadsheets import compound, ods_of, ods_with, xls_of, xlsx_of
from tests.hostile.documents import LAUGHS

WORDS = "The knave stole the tarts."
SHEETS = {
    "One": [["Who", "What", "How many"], ["knave", WORDS, 12.5], ["queen", "made them", 3]],
    "Two": [[True, None]],
}
WHOLE = {
    "a.xls": xls_of(SHEETS, [(0, 1, 0, 0)]),
    "a.ods": ods_of(SHEETS),
    "b.xlsx": xlsx_of(SHEETS),
}


def _xml(part: str, change: Callable[[str], str]) -> bytes:
    return changed_part(part, change, xlsx_of(SHEETS))


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


_XLS = WHOLE["a.xls"]
_MERGED = '<mergeCell ref="A1:XFD1048576"/>'
_SHEET1 = "xl/worksheets/sheet1.xml"
CRAFTED: dict[str, Callable[[], bytes]] = {
    "entities.xlsx": lambda: _xml(_SHEET1, lambda xml: xml.replace("<worksheet", f"{LAUGHS}<worksheet", 1)),
    "external.xlsx": lambda: _xml(
        _SHEET1, lambda xml: "<!DOCTYPE x [<!ENTITY f SYSTEM 'file:///etc/passwd'>]>" + xml.replace("knave", "&f;")
    ),
    "deep.xlsx": lambda: _xml(_SHEET1, lambda xml: "<a>" * 1_000_000 + xml),
    "strings.xlsx": lambda: _xml(_SHEET1, lambda xml: xml.replace("<is>", "<is>" + "<r>" * 20_000, 1)),
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
    "entities.ods": lambda: _ods(_ods_row(words="&l8;"), LAUGHS),
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
    "endless.ods": lambda: _ods(_ods_row(words='<text:s text:c="' + "9" * 10_000 + '"/>')),
    "words.ods": lambda: _ods(_ods_row(words="x" * 100_000_000)),
    "date.ods": lambda: _ods(
        '<table:table-row><table:table-cell office:value-type="date" office:date-value="99999-99-99"/>'
        '<table:table-cell office:value-type="time" office:time-value="PT99999999999H"/>'
        '<table:table-cell office:value-type="float" office:value="NaN"/></table:table-row>'
    ),
    "nothing.ods": lambda: ods_with(""),
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
}  # fmt: skip
