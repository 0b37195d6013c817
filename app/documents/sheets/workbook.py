"""Reads spreadsheets: Excel's of both ages, and OpenDocument's."""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from functools import reduce
from typing import Any
from xml.parsers import expat

from python_calamine import CalamineSheet, CalamineWorkbook, SheetVisibleEnum

from app.core.errors import SpanlightError
from app.core.layout import Kind
from app.core.legible import legible
from app.core.message import Message
from app.core.report import Progress, Report
from app.documents.parts import Parts
from app.documents.sheets.rows import MOST_AREA, SheetBlocks, too_many_cells
from app.documents.sniff import LOCKED, look_into_ole
from app.documents.word.zip import damaged_beyond_reading, encrypted, open_package

_LONGEST_NAME = 100
_PIECE = 1 << 20
# What a damaged part of a zip raises.
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, struct.error)
_LONGEST_ADDRESS = 64
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


def read_workbook(data: bytes, kind: Kind, name: str, report: Report) -> Parts:
    """The sheets of a spreadsheet, each as a heading and its tables: stored values, no formulas and no macros.

    Hidden sheets and charts are left out, a sheet that is damaged, and formulas without a stored value; notes say so.
    Raises SpanlightError for a file that is unsafe, protected, too large or cannot be read, and Stopped when the report
    says so.
    """
    report.progress(Progress(0, 0, Message("Opening the spreadsheet")))
    unstored = 0
    if kind is Kind.XLS:
        look_into_ole(data, name)
        if LOCKED in data or _LOCKED_BOOK.search(data):
            raise encrypted(name)
    else:
        package = open_package(data, name, report)
        if package.file is None:
            raise damaged_beyond_reading(name)
        if kind is Kind.XLSX:
            _refuse_far_cells(package.file, name, report)
            unstored = _unstored_in_excel(package.file, report)
        else:
            unstored = _unstored_in_opendocument(package.file, name, report)
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(data))
    except BaseException as fault:
        raise _damage(fault, name) from fault
    with book:
        return _read_sheets(book, name, unstored, report)


def _read_sheets(book: CalamineWorkbook, name: str, unstored: int, report: Report) -> Parts:
    blocks = SheetBlocks(name, report)
    hidden, damaged, read = 0, 0, 0
    for at, about in enumerate(book.sheets_metadata):
        report.check()
        report.progress(Progress(at, len(book.sheets_metadata), Message("Reading the sheets")))
        if about.visible != SheetVisibleEnum.Visible:
            hidden += 1
            continue
        try:
            sheet = book.get_sheet_by_index(at)
            values = _values(sheet, name)
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


def _values(sheet: CalamineSheet, name: str) -> list[list[Any]]:
    """The values of a sheet from its first cell on. Raises SpanlightError for too many, empty ones too."""
    if sheet.height * sheet.width > MOST_AREA:
        raise too_many_cells(name)
    return sheet.to_python()


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
    """The error for what the library raises about a file; whatever is not about the file is raised."""
    # What the library's authors did not expect is no Exception.
    about_file = isinstance(fault, Exception) or type(fault).__name__ == "PanicException"
    if isinstance(fault, MemoryError) or not about_file:
        raise fault
    return damaged_beyond_reading(name)


def _unstored_in_excel(file: zipfile.ZipFile, report: Report) -> int:
    """How many formulas have no stored value."""
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


def _unstored_in_opendocument(file: zipfile.ZipFile, name: str, report: Report) -> int:
    """How many formulas have no stored value.

    Raises SpanlightError for broken XML, in which the library looks for an end for ever.
    """
    count = 0

    def begin(_: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += "table:formula" in attributes and "office:value-type" not in attributes

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
    return count


def _refuse_far_cells(file: zipfile.ZipFile, name: str, report: Report) -> None:
    """Raise SpanlightError for cells so far apart that the library, which fills what is between, cannot hold it."""
    for part in filter(_SHEET.fullmatch, file.namelist()):
        columns: set[bytes] = set()
        first, last, rest = 0, 0, b""
        with suppress(*_BROKEN), file.open(part) as sheet:
            while piece := sheet.read(_PIECE):
                report.check()
                if found := _ADDRESS.findall(rest + piece):
                    columns.update({letters.upper() for letters, _ in found})
                    first, last = first or int(found[0][1]), max(last, int(found[-1][1]))
                rest = piece[-_LONGEST_ADDRESS:]
        places = [_column(letters) for letters in columns]
        if places and (last - first + 1) * (max(places) - min(places) + 1) > MOST_AREA:
            raise too_many_cells(name)


def _column(letters: bytes) -> int:
    return reduce(lambda number, letter: 26 * number + letter - ord("A") + 1, letters, 0)
