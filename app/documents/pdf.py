"""PDF files: opened with their password, read as far as they go, and what a person is to be told of them."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pypdfium2
import pypdfium2.raw as pdfium

from app.core.errors import PasswordNeeded, SpanlightError
from app.core.layout import PageText
from app.core.report import Report
from app.documents.parts import Parts
from app.documents.pdf_text import read_pages

# A file up to this size is read into memory, so that one which changes or goes away while it is open does no harm.
_HELD = 64_000_000

_ONLY_PICTURES = "This PDF is pictures of pages: it holds no text to read."
_NOTHING = "The pages of this PDF are empty."
_DAMAGED = "This PDF is damaged; it was read as far as it goes."


def open_pdf(source: str | bytes, name: str, password: str = "") -> pypdfium2.PdfDocument:
    """The PDF at a path, or of a file's bytes, with at least one page; to be closed by the caller.

    Nothing in it is run, and nothing outside it is loaded. Raises PasswordNeeded for one that is encrypted and does
    not open with the password, and SpanlightError for one that is missing, not readable, or has no page.
    """
    try:
        if isinstance(source, str):
            path = Path(source).absolute()
            source = path.read_bytes() if path.stat().st_size <= _HELD else source
        return pypdfium2.PdfDocument(
            source if isinstance(source, bytes) else Path(source).absolute(), password or None
        )
    except pypdfium2.PdfiumError as fault:
        raise _refusal(fault, name, password) from fault
    except FileNotFoundError as fault:
        raise SpanlightError(
            f"“{name}” is no longer where it was.", "Open it again from its folder."
        ) from fault
    except OSError as fault:
        reason = fault.strerror or "its disk is at fault"
        raise SpanlightError(
            f"“{name}” could not be read: {reason}.", "Check the file and its folder."
        ) from fault


def read_pdf(source: str | bytes, name: str, password: str, report: Report) -> Parts:
    """The text and the pages of the PDF at a path, or of a file's bytes.

    Its notes tell of damage, of pages that could not be read, and of pages that are pictures; a PDF without any text
    has an empty one. Raises as `open_pdf` does, and Stopped when the report says so.
    """
    document = open_pdf(source, name, password)
    try:
        parts = read_pages(document, report)
        return dataclasses.replace(parts, notes=(*parts.notes, *_notes(document, parts.pages)))
    finally:
        document.close()


def _refusal(fault: pypdfium2.PdfiumError, name: str, password: str) -> SpanlightError:
    """What is said of a PDF that the engine does not open."""
    code = fault.err_code
    if code == pdfium.FPDF_ERR_PASSWORD and password:
        return PasswordNeeded(f"The password does not fit “{name}”.", "Type it again.", wrong=True)
    if code == pdfium.FPDF_ERR_PASSWORD:
        return PasswordNeeded(f"“{name}” asks for a password.", "Type the password that it was locked with.")
    if code == pdfium.FPDF_ERR_SECURITY:
        return SpanlightError(
            f"“{name}” is locked in a way that cannot be opened here.",
            "Save a copy without the lock in the program that opens it.",
        )
    if code == pdfium.FPDF_ERR_SUCCESS:
        return SpanlightError(f"“{name}” has no pages.", "Get or save the file again.")
    return SpanlightError(
        f"“{name}” is damaged, and no page of it can be read.", "Get or save the file again."
    )


def _notes(document: pypdfium2.PdfDocument, pages: tuple[PageText, ...]) -> list[str]:
    """Sentences on what of a PDF cannot be read."""
    lost, pictures = 0, 0
    without = [
        number for number, page in enumerate(pages) if not page.characters or page.characters.isspace()
    ]
    for number in without:
        drawn = _shapes_on(document, number)
        lost += drawn < 0
        pictures += drawn > 0
    notes = []
    if lost or not pdfium.FPDF_DocumentHasValidCrossReferenceTable(document):
        notes.append(_DAMAGED)
    if lost:
        notes.append(f"{_of(lost, len(pages))} could not be read.")
    if len(without) - lost == len(pages):
        notes.append(_ONLY_PICTURES if pictures else _NOTHING)
    elif pictures:
        verb, holds = ("is a picture", "holds") if pictures == 1 else ("are pictures", "hold")
        notes.append(f"{_of(pictures, len(pages))} {verb} and {holds} no text.")
    return notes


def _shapes_on(document: pypdfium2.PdfDocument, number: int) -> int:
    """How many things are drawn on a page, -1 for a page that cannot be loaded."""
    try:
        page = document[number]
    except pypdfium2.PdfiumError:
        return -1
    try:
        return max(0, pdfium.FPDFPage_CountObjects(page))
    finally:
        page.close()


def _of(count: int, total: int) -> str:
    return f"{count:,} of {total:,} {'page' if total == 1 else 'pages'}"
