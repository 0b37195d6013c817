"""Reads the rows of an XLSX file's first sheet, and makes a copy of a spreadsheet with columns added."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO
from xml.etree import ElementTree

from openpyxl import Workbook, load_workbook
from openpyxl.drawing.spreadsheet_drawing import SpreadsheetDrawing
from openpyxl.utils import range_boundaries
from openpyxl.worksheet._read_only import ReadOnlyWorksheet
from openpyxl.worksheet._writer import WorksheetWriter
from openpyxl.worksheet.worksheet import Worksheet
from openpyxl.writer.excel import ExcelWriter

from app.core.errors import SpanlightError
from app.core.files import open_regular
from app.core.message import Message
from app.core.report import Report, Stopped
from app.core.tables import refuse_oversized
from app.documents.orders import Extend

_MOST_UNPACKED = 200_000_000
# openpyxl holds all elements of a row or a text at once, at up to 60 times their length in the file, and of any other
# part all of them. A row of Excel has 16,384 cells of two elements.
_MOST_ELEMENTS, _PIECE = 1_000_000, 1 << 20
_ROW = re.compile(rb"<(?:\w+:)?(?:row|si)[ />]")
MOST_COLUMNS = 16_384
_CELLS_AT_ONCE = 100_000


def read_sheet(path: Path, report: Report) -> None:
    """Read the first sheet of a spreadsheet; lists of its rows, which are tuples of texts, are partial results.

    Raises SpanlightError where it cannot be read; Stopped when cancelled.
    """
    with _readable(path, report) as file:
        sheets = load_workbook(file, read_only=True, data_only=True).worksheets
        rows: list[tuple[str, ...]] = []
        cells = 0
        for row in _rows_of(sheets[0], path.name, report) if sheets else ():
            rows.append(row)
            cells += 1 + len(row)
            if cells >= _CELLS_AT_ONCE:
                report.partial(rows)
                rows, cells = [], 0
        report.partial(rows)


def extended(order: Extend, report: Report) -> bytes:
    """The bytes of an order's spreadsheet with the columns added behind its own; raises as `read_sheet` does."""
    if not order.path:
        book = Workbook()
        for row in order.rows:
            book.active.append(row)
        return _with_columns(book, order)
    path = Path(order.path)
    with _readable(path, report) as file:
        with zipfile.ZipFile(file) as archive:
            for part in archive.namelist():
                if part.startswith("xl/worksheets/") and part.endswith(".xml"):
                    _refuse_spread(archive, part, path.name)
        for sheet in load_workbook(file, read_only=True).worksheets:
            for _ in _rows_of(sheet, path.name, report):
                pass
        return _with_columns(load_workbook(file), order)


@contextmanager
def _readable(path: Path, report: Report) -> Iterator[BinaryIO]:
    """Open a spreadsheet's file. Raises SpanlightError where it cannot be read, or would unpack to very much."""
    with open_regular(path) as file:
        try:
            with zipfile.ZipFile(file) as archive:
                if sum(part.file_size for part in archive.infolist()) > _MOST_UNPACKED:
                    raise _too_large(path.name)
                for part in archive.namelist():
                    report.check()
                    _refuse_crowded(archive, part, path.name)
            yield file
        except (SpanlightError, Stopped, MemoryError):
            raise
        except Exception as fault:  # openpyxl lets through whatever a damaged file causes
            raise SpanlightError(
                Message("“{file}” is not a spreadsheet that can be read.", file=path.name),
                Message("Save it as XLSX again, or as CSV."),
            ) from fault


def _too_large(name: str) -> SpanlightError:
    return SpanlightError(
        Message("“{name}” is too large to be read.", name=name), Message("Choose another file.")
    )


def _refuse_crowded(archive: zipfile.ZipFile, part: str, name: str) -> None:
    """Raise SpanlightError for a part with more elements in a row, or outside of rows, than any program writes."""
    # A pivot table's cache has copies of rows, which are not read here.
    if not part.endswith(".xml") or part.startswith("xl/pivotCache/"):
        return
    elements = 0
    with archive.open(part) as content:
        while piece := content.read(_PIECE):
            rows = [row.start() for row in _ROW.finditer(piece)]
            if elements + piece.count(b"<", 0, rows[0] if rows else len(piece)) > _MOST_ELEMENTS:
                raise _too_large(name)
            elements = piece.count(b"<", rows[-1]) if rows else elements + piece.count(b"<")


def _refuse_spread(archive: zipfile.ZipFile, part: str, name: str) -> None:
    """Raise SpanlightError for merged cells or links over a vast range, for which openpyxl makes every cell."""
    with archive.open(part) as sheet:
        for _, element in ElementTree.iterparse(sheet):
            if element.tag.rpartition("}")[2] in ("mergeCell", "hyperlink"):
                left, top, right, bottom = range_boundaries(element.get("ref", "A1"))
                refuse_oversized(bottom - top + 1, right - left + 1, name)
            element.clear()


def _rows_of(sheet: ReadOnlyWorksheet, name: str, report: Report) -> Iterator[tuple[str, ...]]:
    """The rows of a sheet that was opened read-only, as texts. Raises SpanlightError where they are too many."""
    sheet.reset_dimensions()  # the file says anything
    width = 19  # at least: so wide a sheet may have all 1,048,576 rows of Excel, some of them only formatted
    for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
        report.check()
        width = max(width, len(row))
        refuse_oversized(number, width, name)
        yield tuple("" if each is None else str(each) for each in row)


def _with_columns(book: Workbook, order: Extend) -> bytes:
    sheet = book.worksheets[0]
    behind = sheet.max_column + 1
    rows = order.added
    if order.heads and _can_insert_row(sheet):
        sheet.insert_rows(1)
        for place, words in enumerate(order.over, start=1):
            sheet.cell(1, place, words or None)
        rows = (order.heads, *rows)
    if behind + max(map(len, rows), default=0) > MOST_COLUMNS:
        raise SpanlightError(
            Message("The table has more documents than a spreadsheet has columns."),
            Message("Export it as CSV."),
        )
    for at, row in enumerate(rows, start=1):
        for place, words in enumerate(row, start=behind):
            if words:
                sheet.cell(at, place, words)
    book.properties.modified = datetime.now(UTC).replace(tzinfo=None)
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        _InMemory(book, archive).write_data()
    return data.getvalue()


def _can_insert_row(sheet: Worksheet) -> bool:
    """Whether a row can be inserted: formulas and merged cells would not move with the rows below it."""
    has_formulas = any(cell.data_type == "f" for row in sheet.iter_rows() for cell in row)
    return not sheet.merged_cells.ranges and not has_formulas


class _InMemory(ExcelWriter):
    """openpyxl's writer without its temporary files, which a confined process cannot make."""

    def write_worksheet(self, ws: Worksheet) -> None:
        ws._drawing = SpreadsheetDrawing()
        ws._drawing.charts, ws._drawing.images = ws._charts, ws._images
        writer = WorksheetWriter(ws, io.BytesIO())
        writer.write()
        ws._rels = writer._rels
        self._archive.writestr(ws.path[1:], writer.read())
        self.manifest.append(ws)
