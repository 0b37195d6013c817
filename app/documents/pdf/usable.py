"""Whether a page's own text can be used, or its text is to be recognised in its picture."""

from __future__ import annotations

import re

import pypdfium2
import pypdfium2.raw as pdfium

from app.documents.pdf.characters import Sheet

# Shares of a page's letters: undefined by their fonts, or control characters; and of its words: written as words are.
_MOST_UNDEFINED = 0.4
_FEWEST_WORDS = 0.45
_FEWEST_LETTERS = 80
# The share of a page that its largest picture covers, from which on it is a scan.
_SCAN = 0.6
_WORD = re.compile(r"[(\[\"'“‘«]*(?:[^\W\d_]+(?:[-'’][^\W\d_]+)*|[\d.,:/%$€£-]+)[)\]\"'”’».,;:!?]*")


def is_picture(document: pypdfium2.PdfDocument, number: int, sheet: Sheet) -> bool:
    """Whether a page, from 0, shows something and has no text, or one that is plainly bad."""
    text = sheet.characters
    if sheet.is_lost:
        return False
    if not text or text.isspace():
        return shapes_on(document, number) > 0
    letters = sum(not each.isspace() for each in text)
    undefined = len(sheet.doubtful) + sum(each < " " and each not in "\t\r\n\x02" for each in text)
    if letters >= _FEWEST_LETTERS and undefined > _MOST_UNDEFINED * letters:
        return True
    return letters >= _FEWEST_LETTERS and _is_garbled(text) and _covered(document, number) >= _SCAN


def shapes_on(document: pypdfium2.PdfDocument, number: int) -> int:
    """How many objects are drawn on a page, -1 for a page that cannot be loaded."""
    try:
        page = document[number]
    except pypdfium2.PdfiumError:
        return -1
    try:
        return max(0, pdfium.FPDFPage_CountObjects(page))
    finally:
        page.close()


def _is_garbled(text: str) -> bool:
    """Whether few of the words are written as words are: letters without others between them, or a number."""
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
