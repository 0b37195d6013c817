"""Opens PDF files with their password, and reads them as far as possible, with notes for the user."""

from __future__ import annotations

import dataclasses
import io
import os
from collections.abc import Mapping

import pypdfium2
import pypdfium2.internal
import pypdfium2.raw as pdfium

from app.core.errors import PasswordNeeded, SpanlightError
from app.core.files import open_unbuffered
from app.core.layout import ALL_RECOGNISED, SOME_PICTURES, SOME_RECOGNISED
from app.core.message import Message
from app.core.report import Report
from app.documents.images.pdf_of import is_picture_file, pdf_of_picture
from app.documents.orders import LARGEST_IN_MEMORY
from app.documents.parts import Parts
from app.documents.pdf.salvage import salvage
from app.documents.pdf.text import is_drawn_on, read_pages

_ONLY_PICTURES = Message("This PDF is pictures of pages: it holds no text to read.")
_NOTHING = Message("The pages of this PDF are empty.")
_DAMAGED = Message("This PDF is damaged: it was read as far as it goes, and some of it may be wrong.")


def open_pdf(source: str | bytes, name: str, password: str = "") -> pypdfium2.PdfDocument:
    """Open the PDF at a path or in a file's bytes, or one made of a picture; the caller closes it.

    A truncated file has the pages that are left. Nothing in it is run, and nothing outside it is loaded. Raises
    PasswordNeeded for one that is encrypted and does not open with the password, and SpanlightError for one that is
    missing, not readable, or without pages.
    """
    return open_as_far(source, name, password)[0]


def open_as_far(source: str | bytes, name: str, password: str = "") -> tuple[pypdfium2.PdfDocument, bool]:
    """Open a PDF as `open_pdf` does; return it and whether it is complete."""
    try:
        content = _as_pdf(_content(source) if isinstance(source, str) else source, name)
        try:
            document = _load(content, password)
        except pypdfium2.PdfiumError as fault:
            refusal = _refusal(content, name, password)
            mended = (
                salvage(content)
                if isinstance(content, bytes) and not isinstance(refusal, PasswordNeeded)
                else b""
            )
            try:
                return _load(mended, ""), False
            except pypdfium2.PdfiumError:
                raise refusal from fault  # also where nothing could be mended
    except FileNotFoundError as fault:
        raise SpanlightError(
            Message("“{name}” is no longer where it was.", name=name),
            Message("Open it again from its folder."),
        ) from fault
    except OSError as fault:
        reason = fault.strerror or Message("its disk is at fault")
        raise SpanlightError(
            Message("“{name}” could not be read: {reason}.", name=name, reason=reason),
            Message("Check the file and its folder."),
        ) from fault
    return document, bool(pdfium.FPDF_DocumentHasValidCrossReferenceTable(document))


def read_pdf(
    source: str | bytes,
    name: str,
    password: str,
    report: Report,
    recognised: Mapping[int, bytes] | None = None,
) -> Parts:
    """The text and the pages of the PDF at a path or in a file's bytes; `recognised` is as in orders.Read.

    Its notes are about damage, pages that could not be read, and pages that are pictures; a PDF without any text has an
    empty text. Raises the same as `open_pdf`, and Stopped when the report says so.
    """
    document, complete = open_as_far(source, name, password)
    try:
        parts = read_pages(document, report, recognised or {})
        if not parts.pages:
            raise _damaged_beyond_reading(name)
        return dataclasses.replace(parts, notes=(*parts.notes, *_notes(document, parts, complete)))
    finally:
        document.close()


def _content(path: str) -> bytes | io.FileIO:
    """The bytes of a file, or a large file itself, which is read in place until the document is closed."""
    file = open_unbuffered(path)
    if os.fstat(file.fileno()).st_size > LARGEST_IN_MEMORY:
        return file
    with file:
        return file.read()


def _as_pdf(content: bytes | io.FileIO, name: str) -> bytes | io.FileIO:
    """A picture's file as a PDF; any other file unchanged."""
    if isinstance(content, bytes):
        return pdf_of_picture(content, name) if is_picture_file(content) else content
    head = content.read(8)
    content.seek(0)
    if not is_picture_file(head):
        return content
    with content:
        return pdf_of_picture(content.read(), name)


def _load(source: bytes | io.FileIO, password: str) -> pypdfium2.PdfDocument:
    return pypdfium2.PdfDocument(source, password or None, autoclose=True)


def _refusal(source: bytes | io.FileIO, name: str, password: str) -> SpanlightError:
    """The error for a PDF that the engine does not open."""
    code = _error(source, password)
    if code == pdfium.FPDF_ERR_PASSWORD and password:
        return PasswordNeeded(
            Message("The password does not fit “{name}”.", name=name), Message("Type it again."), wrong=True
        )
    if code == pdfium.FPDF_ERR_PASSWORD:
        return PasswordNeeded(
            Message("“{name}” asks for a password.", name=name),
            Message("Type the password that it was locked with."),
        )
    if code == pdfium.FPDF_ERR_SECURITY:
        return SpanlightError(
            Message("“{name}” is locked in a way that cannot be opened here.", name=name),
            Message("Save a copy without the lock in the program that opens it."),
        )
    if code == pdfium.FPDF_ERR_SUCCESS:
        return SpanlightError(
            Message("“{name}” has no pages.", name=name), Message("Get or save the file again.")
        )
    return _damaged_beyond_reading(name)


def _damaged_beyond_reading(name: str) -> SpanlightError:
    return SpanlightError(
        Message("“{name}” is damaged, and no page of it can be read.", name=name),
        Message("Get or save the file again."),
    )


def _error(source: bytes | io.FileIO, password: str) -> int:
    """The engine's error code for opening a PDF; success for one that opens but has no page.

    The engine does not clear its last error when a file opens, so the error is only valid for one that did not.
    """
    key = password.encode() + b"\0" if password else None
    if isinstance(source, bytes):
        document = pdfium.FPDF_LoadMemDocument64(source, len(source), key)
    else:
        reader, _held = pypdfium2.internal.get_bufreader(source)
        document = pdfium.FPDF_LoadCustomDocument(reader, key)
    if not document:
        return int(pdfium.FPDF_GetLastError())
    pdfium.FPDF_CloseDocument(document)
    return int(pdfium.FPDF_ERR_SUCCESS)


def _notes(document: pypdfium2.PdfDocument, parts: Parts, complete: bool) -> list[str]:
    """Notes about what could not be read in a PDF, and what was recognised."""
    pages = parts.pages
    lost, pictures = 0, 0
    without = [
        number for number, page in enumerate(pages) if not page.characters or page.characters.isspace()
    ]
    for number in without:
        drawn = is_drawn_on(document, number)
        lost += drawn is None
        pictures += drawn is True
    notes: list[str] = []
    all_pages = Message("{n:,} page", "{n:,} pages", n=len(pages))
    if lost or not complete or len(pages) < len(document):
        notes.append(_DAMAGED)
    if lost:
        notes.append(
            Message(
                "{n:,} of {pages} could not be read.",
                "{n:,} of {pages} could not be read.",
                n=lost,
                pages=all_pages,
            )
        )
    recognised = [page for page in pages if page.recognised is not None and len(page.span)]
    if recognised and len(recognised) == len(pages):
        notes.append(ALL_RECOGNISED.filled(n=len(recognised)))
    elif recognised:
        notes.append(SOME_RECOGNISED.filled(n=len(recognised), pages=all_pages))
    if len(without) - lost == len(pages):
        notes.append(_ONLY_PICTURES if pictures else _NOTHING)
    elif pictures:
        notes.append(SOME_PICTURES.filled(n=pictures, pages=all_pages))
    return notes
