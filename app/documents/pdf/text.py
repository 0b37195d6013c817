"""Reads the text of a PDF in reading order, with the character of the page that each code point comes from."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import islice

import pypdfium2
import pypdfium2.raw as pdfium

from app.core.layout import Heading
from app.core.message import Message
from app.core.report import Progress, Report
from app.documents.parts import Parts
from app.documents.pdf.characters import Sheet, read_sheet
from app.documents.pdf.furniture import folded, furniture_of
from app.documents.pdf.lines import Line, lines_of
from app.documents.pdf.order import across_tables, in_reading_order
from app.documents.pdf.outline import bookmarks_of, headings_of, outline_of
from app.documents.pdf.paragraphs import (
    Block,
    Measures,
    blocks_of,
    insert_at_page,
    measures_of,
    merge_continued,
    separate,
)
from app.documents.pdf.rows import page_rows
from app.documents.pdf.view import view_of_pages
from app.documents.pdf.writer import Hyphens, Writer
from app.documents.recognition.page import RecognisedPage

_MOSTLY = 0.6
# Reading stops after so many pages that cannot be read: a damaged page tree may claim any number of pages.
_MOST_LOST = 1000

# Shares of a page's letters: undefined by their fonts, or control characters; and of its words: written as words are.
_MOST_UNDEFINED = 0.4
_FEWEST_WORDS = 0.45
_FEWEST_LETTERS = 80
# The share of a page that its largest picture covers, from which on it is a scan.
_SCAN = 0.6
# Letters and shapes are seen from this size in points on, and shapes in colours that have a component below this one.
_SEEN_SIZE = 3.0
_NEARLY_WHITE = 250
# Of a page so many objects are looked at, which takes 0.2 s.
_MOST_OBJECTS = 10_000
_WORD = re.compile(r"[(\[\"'“‘«]*(?:[^\W\d_]+(?:[-'’][^\W\d_]+)*|[\d.,:/%$€£-]+)[)\]\"'”’».,;:!?]*")


def read_pages(
    document: pypdfium2.PdfDocument, report: Report, recognised: Mapping[int, bytes] | None = None
) -> Parts:
    """The text, headings and pages of an open PDF; a page that cannot be read, or has no text, has an empty span.

    `recognised` has the recognised texts of pages, which replace missing or garbled ones. After a thousand consecutive
    pages that cannot be read it stops: the pages end with the last readable one. Raises Stopped when the report says
    so.
    """
    count = len(document)
    sheets: list[Sheet] = []
    lines: list[list[Line]] = []
    pictures: list[int] = []
    lost = 0
    for number in range(count):
        report.check()
        report.progress(Progress(number, count, Message("Reading pages")))
        sheets.append(read_sheet(document, number, report.check))
        if is_picture(document, number, sheets[-1]):
            page = RecognisedPage.from_bytes((recognised or {}).get(number, b""))
            if page is not None:
                page.replace_text(sheets[-1])
            else:
                pictures.append(number)
        lines.append(lines_of(sheets[-1], number))
        sheets[-1].words = []
        lost = lost + 1 if sheets[-1].is_lost else 0
        if lost == _MOST_LOST:
            del sheets[-lost:], lines[-lost:]
            break
    _forget_code(lines)
    report.progress(Progress(count, count, Message("Reading pages")))
    bookmarks = bookmarks_of(document)
    report.check()
    blocks, measures = _blocks(sheets, lines)
    report.check()
    scanned = {number for number, sheet in enumerate(sheets) if sheet.language}
    levels = headings_of(blocks, bookmarks, measures, scanned)
    writer = Writer(sheets, Hyphens(sheet.characters for sheet in sheets))
    spans = [writer.write(block) for block in blocks]
    headings = tuple(Heading(span, levels[at]) for at, span in enumerate(spans) if at in levels and len(span))
    text, pages = writer.finish()
    view = view_of_pages(text, blocks, spans, levels, pages)
    outline = outline_of(bookmarks, sheets, pages, headings, text)
    return Parts(text, headings, outline=outline, pages=pages, pictures=tuple(pictures), view=view)


def _forget_code(pages: Sequence[Sequence[Line]]) -> None:
    """Unmark code in a document that is mostly set in a monospaced font, where that font is no sign of code."""
    fixed = sum(line.length for lines in pages for line in lines if line.code)
    if fixed > _MOSTLY * sum(line.length for lines in pages for line in lines):
        for lines in pages:
            for line in lines:
                line.code = False


def _blocks(sheets: Sequence[Sheet], pages: Sequence[Sequence[Line]]) -> tuple[list[Block], Measures]:
    """All blocks of a document in reading order, running heads and feet only at their first occurrence."""
    furniture = furniture_of(pages)
    rows = [
        page_rows(_in_order(sheet, [line for line in lines if id(line) not in furniture]), sheet.rightwards)
        for sheet, lines in zip(sheets, pages, strict=True)
    ]
    measures = measures_of(rows)
    blocks = [block for page in rows for block in blocks_of(page, measures)]
    seen: set[str] = set()
    for sheet, lines in zip(sheets, pages, strict=True):
        for upper in (True, False):
            edge = [
                line for line in lines if id(line) in furniture and (line.base < sheet.height / 2) == upper
            ]
            for block in _unseen(edge, seen):
                insert_at_page(blocks, block, upper)
    blocks = merge_continued(blocks, measures)
    separate(blocks)
    return blocks, measures


def _in_order(sheet: Sheet, lines: Sequence[Line]) -> list[Line]:
    return in_reading_order(across_tables(lines) if sheet.language else lines)


def _unseen(lines: Sequence[Line], seen: set[str]) -> list[Block]:
    """Blocks of a page's running heads or feet whose words, numbers aside, are not among those `seen`; adds them."""
    blocks: list[Block] = []
    for line in sorted(lines, key=lambda each: (each.base, each.left)):
        words = folded(line.text)
        if words in seen:
            continue
        seen.add(words)
        if blocks and blocks[-1].lines[-1].is_level_with(line):
            blocks[-1].lines.append(line)
            blocks[-1].joins.append("\t")
        else:
            blocks.append(Block([line], [""], is_furniture=True))
    return blocks


def is_picture(document: pypdfium2.PdfDocument, number: int, sheet: Sheet) -> bool:
    """Whether page `number` shows something and has no text, or a garbled one."""
    text = sheet.characters
    if sheet.is_lost:
        return False
    if not text or text.isspace():
        return is_drawn_on(document, number) is True
    letters = sum(not each.isspace() for each in text)
    undefined = len(sheet.doubtful) + sum(each < " " and each not in "\t\r\n\x02" for each in text)
    if letters >= _FEWEST_LETTERS and undefined > _MOST_UNDEFINED * letters:
        return True
    return letters >= _FEWEST_LETTERS and _is_garbled(text) and _covered(document, number) >= _SCAN


def is_drawn_on(document: pypdfium2.PdfDocument, number: int) -> bool | None:
    """Whether a page shows more than white shapes and thin lines; None for a page that cannot be loaded."""
    try:
        page = document[number]
    except pypdfium2.PdfiumError:
        return None
    try:
        return any(map(_is_seen, islice(page.get_objects(), _MOST_OBJECTS)))
    except pypdfium2.PdfiumError:
        return True
    finally:
        page.close()


def _is_seen(shape: pypdfium2.PdfObject) -> bool:
    """Whether an object of a page is a picture, or letters or a shape that are not tiny; a shape that is not white."""
    if shape.type == pdfium.FPDF_PAGEOBJ_FORM:
        return False  # what it holds is looked at by itself
    left, bottom, right, top = shape.get_bounds()
    if shape.type not in (pdfium.FPDF_PAGEOBJ_TEXT, pdfium.FPDF_PAGEOBJ_PATH):
        return right > left and top > bottom  # a scan may consist of thin strips
    if min(right - left, top - bottom) < _SEEN_SIZE:
        return False
    if shape.type == pdfium.FPDF_PAGEOBJ_TEXT:
        return True
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDFPath_GetDrawMode(shape, fill, stroke)
    return bool(fill and _is_coloured(shape, pdfium.FPDFPageObj_GetFillColor)) or bool(
        stroke and _is_coloured(shape, pdfium.FPDFPageObj_GetStrokeColor)
    )


def _is_coloured(shape: pypdfium2.PdfObject, colour_of: Callable[..., int]) -> bool:
    """Whether a shape's colour differs from white; a pattern has none that could be asked for, and does."""
    parts = [ctypes.c_uint() for _ in range(4)]
    return not colour_of(shape, *parts) or min(part.value for part in parts[:3]) < _NEARLY_WHITE


def _is_garbled(text: str) -> bool:
    """Whether few of a text's words look like words, which are letters only, or a number."""
    words = text.split()
    good = sum(len(word) > 1 and _WORD.fullmatch(word) is not None for word in words)
    return good < _FEWEST_WORDS * len(words)


def _covered(document: pypdfium2.PdfDocument, number: int) -> float:
    """The share of a page that its largest picture covers."""
    try:
        page = document[number]
    except pypdfium2.PdfiumError:
        return 0.0
    try:
        width, height = page.get_size()
        largest = 0.0
        for shape in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE], max_depth=3):
            left, bottom, right, top = shape.get_bounds()
            largest = max(largest, (right - left) * (top - bottom))
        return largest / max(1.0, width * height)
    finally:
        page.close()
