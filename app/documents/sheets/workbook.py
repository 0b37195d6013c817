"""Reads spreadsheets of Excel (.xlsx, .xls) and OpenDocument (.ods)."""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import reduce
from typing import Any
from xml.parsers import expat

from python_calamine import CalamineSheet, CalamineWorkbook, SheetVisibleEnum

from app.core.errors import SpanlightError
from app.core.legible import legible
from app.core.message import Message
from app.core.report import Progress, Report
from app.documents.package import (
    Element,
    Package,
    attribute,
    child,
    children,
    damaged_beyond_reading,
    encrypted,
    open_package,
)
from app.documents.parts import Parts
from app.documents.sheets.old_excel import Place, percentages_of
from app.documents.sheets.rows import (
    MOST_AREA,
    MOST_CELLS,
    PERCENT_FORMATS,
    Percentage,
    SheetBlocks,
    shows_percentages,
    too_many_cells,
)
from app.documents.sniff import LOCKED, look_into_ole

_LONGEST_NAME = 100
_PIECE = 1 << 20
# What a damaged part of a zip raises.
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, struct.error)
_CELLS, _MOST_COLUMNS = ("table:table-cell", "table:covered-table-cell"), 16_384
_LONGEST_ADDRESS, _LONGEST_TAG, _LONGEST_NUMBER = 64, 512, 12
# How an old Excel's workbook begins (BIFF8: BOF, perhaps WRITEPROTECT) that goes on in cipher (FILEPASS).
_LOCKED_BOOK = re.compile(rb"\x09\x08\x10\0\0\x06\x05\0.{12}(?:\x86\0\0\0)?\x2f\0", re.DOTALL)
_SHEET = re.compile(r"xl/worksheets/[^/]*\.xml", re.IGNORECASE)
# A cell of Excel with a formula and an empty value or none, but for one whose value is a string, which may be empty.
_UNSTORED = re.compile(
    rb"""<((?:\w+:)?)c(?=[\s>])(?![^<>]*\st=["']str["'])[^<>]*>\s*+<\1f(?=[\s/>])(?:[^<>]*/>|[^<>]*>[^<]*</\1f\s*>)"""
    rb"""\s*+(?:<\1v\s*/>|<\1v\s*>\s*</\1v\s*>)?+\s*+</\1c\s*>"""
)
_LONGEST_CELL = 1 << 16
_ADDRESS = re.compile(rb"""\sr\s*=\s*["']([A-Za-z]{1,3})([0-9]{1,10})["']""")


def read_xlsx(data: bytes, name: str, report: Report) -> Parts:
    """The sheets of an Excel spreadsheet, as from `_read`, with percentages as they are displayed."""
    package, file = _unpacked(data, name, report)
    _refuse_far_cells(file, name, report)
    return _read(data, name, _unstored_in_excel(file, report), _percentages(package, file), report)


def read_xls(data: bytes, name: str, report: Report) -> Parts:
    """The sheets of an old Excel spreadsheet, as from `_read`, with percentages as they are displayed."""
    look_into_ole(data, name)
    if LOCKED in data or _LOCKED_BOOK.search(data):
        raise encrypted(name)
    return _read(data, name, 0, percentages_of(data), report)


def read_ods(data: bytes, name: str, report: Report) -> Parts:
    """The sheets of an OpenDocument spreadsheet, as from `_read`, with percentages as they are displayed."""
    _, file = _unpacked(data, name, report)
    return _read(data, name, *_look_into_opendocument(file, name, report), report)


def _unpacked(data: bytes, name: str, report: Report) -> tuple[Package, zipfile.ZipFile]:
    report.progress(Progress(0, 0, Message("Opening the spreadsheet")))
    package = open_package(data, name, report)
    if package.file is None:
        raise damaged_beyond_reading(name)
    return package, package.file


def _read(
    data: bytes, name: str, unstored: int, percentages: Mapping[str, set[Place]], report: Report
) -> Parts:
    """The sheets, each as a heading and its tables: stored values, no formulas and no macros.

    Hidden sheets and charts are left out, a sheet that is damaged, and formulas without a stored value; notes say so.
    Raises SpanlightError for a file that is unsafe, protected, too large or cannot be read, and Stopped when the report
    says so.
    """
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(data))
    except BaseException as fault:
        raise _damage(fault, name) from fault
    blocks = SheetBlocks(name, report)
    hidden, damaged, read = 0, 0, 0
    with book:
        for at, about in enumerate(book.sheets_metadata):
            report.check()
            report.progress(Progress(at, len(book.sheets_metadata), Message("Reading the sheets")))
            if about.visible != SheetVisibleEnum.Visible:
                hidden += 1
                continue
            try:
                sheet = book.get_sheet_by_index(at)
                values = _values(sheet, name, percentages.get(about.name, ()))
                merged = sheet.merged_cell_ranges or []
            except SpanlightError:
                raise
            except BaseException as fault:
                _damage(fault, name)
                damaged += 1
                continue
            read += 1
            if values:
                top, left = sheet.start or (0, 0)
                blocks.heading(legible(about.name, _LONGEST_NAME) or f"Sheet {at + 1}")
                blocks.add(values, top, left, merged)
    if damaged and not read:
        raise damaged_beyond_reading(name)
    return blocks.parts(_notes(hidden, damaged, unstored))


def _values(sheet: CalamineSheet, name: str, percentages: Iterable[Place]) -> list[list[Any]]:
    """The values of a sheet from its first cell on. Raises SpanlightError for too many, empty ones included."""
    if sheet.height * sheet.width > MOST_AREA:
        raise too_many_cells(name)
    values: list[list[Any]] = sheet.to_python()
    top, left = sheet.start or (0, 0)
    for row, column in percentages:
        if top <= row < top + len(values) and left <= column < left + len(values[row - top]):
            value = values[row - top][column - left]
            if isinstance(value, int | float) and not isinstance(value, bool):
                values[row - top][column - left] = Percentage(value)
    return values


def _notes(hidden: int, damaged: int, unstored: int) -> Iterator[str]:
    if hidden:
        yield Message("{n} hidden sheet is left out.", "{n} hidden sheets are left out.", n=hidden)
    if damaged:
        yield Message("{n} damaged sheet is left out.", "{n} damaged sheets are left out.", n=damaged)
    if unstored:
        yield Message(
            "{n:,} formula has no stored value: open the file in a spreadsheet program and save it.",
            "{n:,} formulas have no stored value: open the file in a spreadsheet program and save it.",
            n=unstored,
        )


def _damage(fault: BaseException, name: str) -> SpanlightError:
    """The error for a fault that the library raises about a file; any other fault is raised again."""
    # A panic in the library's Rust code is no Exception.
    about_file = isinstance(fault, Exception) or type(fault).__name__ == "PanicException"
    if isinstance(fault, MemoryError) or not about_file:
        raise fault
    return damaged_beyond_reading(name)


def _unstored_in_excel(file: zipfile.ZipFile, report: Report) -> int:
    """The number of formulas without a stored value."""
    count = 0
    for part in filter(_SHEET.fullmatch, file.namelist()):
        rest = b""
        with suppress(*_BROKEN), file.open(part) as sheet:
            while piece := sheet.read(_PIECE):
                report.check()
                piece, end = rest + piece, 0
                for found in _UNSTORED.finditer(piece):
                    count, end = count + 1, found.end()
                rest = piece[max(end, len(piece) - _LONGEST_CELL) :]
    return count


def _look_into_opendocument(
    file: zipfile.ZipFile, name: str, report: Report
) -> tuple[int, dict[str, set[Place]]]:
    """The number of formulas without a stored value, and the cells of each sheet, by its name, that are percentages.

    Raises SpanlightError for broken XML, in which the library looks for an end for ever, and for vast runs of blanks.
    """
    unstored = row = next_row = column = blanks = 0
    places: set[Place] = set()
    found: dict[str, set[Place]] = {}

    def begin(tag: str, attributes: dict[str, str]) -> None:
        nonlocal unstored, row, next_row, column, blanks, places
        if tag == "table:table":
            places = found.setdefault(attributes.get("table:name", ""), set())
            next_row = 0
        elif tag == "table:table-row":
            row, column = next_row, 0
            next_row += _times(attributes, "table:number-rows-repeated")
        elif tag in _CELLS:
            kind, times = (
                attributes.get("office:value-type"),
                _times(attributes, "table:number-columns-repeated"),
            )
            unstored += "table:formula" in attributes and kind is None
            if kind == "percentage" and len(places) < MOST_CELLS:
                places.update((row, at) for at in range(column, column + min(times, _MOST_COLUMNS)))
            column += times
        elif tag == "text:s":
            blanks += _times(attributes, "text:c")
            if blanks > MOST_AREA:
                raise damaged_beyond_reading(name)

    parser = expat.ParserCreate()
    parser.StartElementHandler = begin
    try:
        with file.open("content.xml") as content:
            while piece := content.read(_PIECE):
                report.check()
                parser.Parse(piece, False)
        parser.Parse(b"", True)
    except (*_BROKEN, expat.ExpatError, KeyError) as fault:
        raise damaged_beyond_reading(name) from fault
    return unstored, found


def _times(attributes: dict[str, str], name: str) -> int:
    """A number of repetitions or of blanks in an attribute; 1 without it."""
    number = attributes.get(name, "").lstrip("0")
    return int(number[:_LONGEST_NUMBER]) if number.isdecimal() else 1


def _pieces(file: zipfile.ZipFile, part: str, overlap: int, report: Report) -> Iterator[bytes]:
    """A part of the file, up to where it is damaged, in chunks that begin with the last bytes of the one before."""
    piece = b""
    with suppress(*_BROKEN), file.open(part) as content:
        while read := content.read(_PIECE):
            report.check()
            piece = piece[-overlap:] + read
            yield piece


def _refuse_far_cells(file: zipfile.ZipFile, name: str, report: Report) -> None:
    """Raise SpanlightError for cells too far apart: the library fills the gaps between them in memory."""
    for part in filter(_SHEET.fullmatch, file.namelist()):
        columns: set[bytes] = set()
        rows: set[int] = set()
        for piece in _pieces(file, part, _LONGEST_ADDRESS, report):
            found = _ADDRESS.findall(piece)
            columns.update({letters.upper() for letters, _ in found})
            # They may be in any order.
            within = {int(row) for _, row in found}
            rows = {min(rows | within), max(rows | within)} if rows | within else rows
        places = [_column(letters) for letters in columns]
        if places and (max(rows) - min(rows) + 1) * (max(places) - min(places) + 1) > MOST_AREA:
            raise too_many_cells(name)


def _percentages(package: Package, file: zipfile.ZipFile) -> dict[str, set[Place]]:
    """The cells of each sheet, by its name, whose numbers are displayed as percentages."""
    main = package.main_part("xl/workbook.xml")
    related = package.relations(main)
    styles = _percent_styles(
        package.xml(next((each.target for each in related if each.kind == "styles"), ""))
    )
    if not styles:
        return {}
    cell = re.compile(rb"""<(?:\w+:)?c\s[^<>]*\bs\s*=\s*["'](?:%s)["'][^<>]*>""" % b"|".join(styles))
    parts = {each.identifier: each.target for each in related}
    found: dict[str, set[Place]] = {}
    for sheet in children(child(package.xml(main), "sheets")):
        places = found[attribute(sheet, "name") or ""] = set()
        part = parts.get(attribute(sheet, "id") or "", "")
        for piece in _pieces(file, part, _LONGEST_TAG, package.report) if part in package.names else ():
            for letters, row in _ADDRESS.findall(b"".join(cell.findall(piece))):
                places.add((int(row) - 1, _column(letters.upper()) - 1))
    return found


def _percent_styles(styles: Element | None) -> list[bytes]:
    """The indices of the cell styles that display percentages."""
    percent = set(map(str, PERCENT_FORMATS))
    for each in children(child(styles, "numFmts")):
        if shows_percentages(attribute(each, "formatCode") or ""):
            percent.add(attribute(each, "numFmtId") or "")
    return [
        str(number).encode()
        for number, each in enumerate(children(child(styles, "cellXfs")))
        if attribute(each, "numFmtId") in percent
    ]


def _column(letters: bytes) -> int:
    return reduce(lambda number, letter: 26 * number + letter - ord("A") + 1, letters, 0)
