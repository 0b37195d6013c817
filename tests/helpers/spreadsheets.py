"""Small spreadsheets: Excel's by openpyxl, old Excel's (BIFF8 in a compound file) and OpenDocument's by hand."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from xml.sax.saxutils import escape, quoteattr

from openpyxl import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from app.documents.sheets.rows import Percentage
from tests.helpers.flowing import zipped
from tests.helpers.mails import compound

Rows = Sequence[Sequence[object]]
_EPOCH = date(1899, 12, 30)


def xlsx_of(sheets: Mapping[str, Rows], change: Callable[[Workbook], object] | None = None) -> bytes:
    """An .xlsx file with these sheets, written by openpyxl; `change` does more to it."""
    book = Workbook()
    book.remove(book.worksheets[0])
    for name, rows in sheets.items():
        sheet: Worksheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    if change is not None:
        change(book)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def ods_of(sheets: Mapping[str, Rows], inside: str = "") -> bytes:
    """An .ods file with these sheets; `inside` is put behind them."""
    tables = "".join(
        f"<table:table table:name={quoteattr(name)}>"
        + "".join(f"<table:table-row>{''.join(map(_ods_cell, row))}</table:table-row>" for row in rows)
        + "</table:table>"
        for name, rows in sheets.items()
    )
    return ods_with(f"<office:body><office:spreadsheet>{tables}{inside}</office:spreadsheet></office:body>")


def ods_with(body: str, before: str = "") -> bytes:
    """An .ods file with this body, and `before` it a document type."""
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    names = "".join(
        f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "table", "text")
    )
    content = f'<?xml version="1.0"?>{before}<office:document-content{names}>{body}</office:document-content>'
    manifest = (
        '<?xml version="1.0"?><manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/></manifest:manifest>'
    )
    return zipped({"mimetype": kind, "content.xml": content, "META-INF/manifest.xml": manifest})


def _ods_cell(value: object) -> str:
    match value:
        case None | "":
            return "<table:table-cell/>"
        case bool():
            return (
                f'<table:table-cell office:value-type="boolean" office:boolean-value="{str(value).lower()}"/>'
            )
        case int() | float():
            kind = f'office:value-type="float" office:value="{value}"'
            return f"<table:table-cell {kind}><text:p>?</text:p></table:table-cell>"
        case date():
            shown = value.isoformat()
            return f'<table:table-cell office:value-type="date" office:date-value="{shown}"/>'
    words = "".join(f"<text:p>{escape(line)}</text:p>" for line in str(value).split("\n"))
    return f'<table:table-cell office:value-type="string">{words}</table:table-cell>'


def xls_of(sheets: Mapping[str, Rows], merged: Sequence[tuple[int, int, int, int]] = ()) -> bytes:
    """An .xls file of Excel 97 and later; `merged` are first and last rows, and columns, of merged cells."""
    streams = [_sheet(rows, merged) for rows in sheets.values()]
    begin = _record(0x809, struct.pack("<HHHHII", 0x600, 5, 0x0DBB, 0x07CC, 0, 6)) + _record(
        0x42, b"\xb0\x04"
    )
    # The cells' formats: none, the built-in ones of a date, a date with its hour and a percentage, and one of its own.
    begin += _record(0x41E, struct.pack("<HHB", 164, 6, 0) + b"0.00 %")
    begin += b"".join(_record(0xE0, struct.pack("<HH16x", 0, number)) for number in (0, 14, 22, 9, 164))
    end = _record(0x0A, b"")
    at = len(begin) + sum(12 + 2 * len(name) for name in sheets) + len(end)
    for name, stream in zip(sheets, streams, strict=True):
        begin += _record(0x85, struct.pack("<IBBBB", at, 0, 0, len(name), 1) + name.encode("utf-16-le"))
        at += len(stream)
    return compound({"Workbook": begin + end + b"".join(streams)})


def _sheet(rows: Rows, merged: Sequence[tuple[int, int, int, int]]) -> bytes:
    found = _record(0x809, struct.pack("<HHHHII", 0x600, 0x10, 0x0DBB, 0x07CC, 0, 6))
    for number, row in enumerate(rows):
        for column, value in enumerate(row):
            found += _cell(number, column, value)
    if merged:
        places = b"".join(struct.pack("<HHHH", *each) for each in merged)
        found += _record(0xE5, struct.pack("<H", len(merged)) + places)
    return found + _record(0x0A, b"")


def _cell(row: int, column: int, value: object) -> bytes:
    match value:
        case None | "":
            return b""
        case bool():
            return _record(0x205, struct.pack("<HHHBB", row, column, 0, value, 0))
        case Percentage():
            return _record(0x203, struct.pack("<HHHd", row, column, 3 + column % 2, value))
        case int() | float():
            return _record(0x203, struct.pack("<HHHd", row, column, 0, value))
        case datetime():
            days = (value.date() - _EPOCH).days + (value.hour * 60 + value.minute) / 1440
            return _record(0x203, struct.pack("<HHHd", row, column, 2, days))
        case date():
            return _record(0x203, struct.pack("<HHHd", row, column, 1, (value - _EPOCH).days))
    words = str(value)
    return _record(0x204, struct.pack("<HHHHB", row, column, 0, len(words), 1) + words.encode("utf-16-le"))


def _record(kind: int, content: bytes) -> bytes:
    return struct.pack("<HH", kind, len(content)) + content
