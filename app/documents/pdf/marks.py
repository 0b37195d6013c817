"""Writes answers as real highlight annotations into a copy of a PDF."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.page_runs import Box
from app.core.pages import PagePlace, mark_on_pages
from app.core.report import Progress, Report
from app.documents.orders import MarkUp
from app.documents.pdf.document import open_as_far
from app.documents.pdf.geometry import ShownPart, load_page, shown_part
from app.documents.pdf.text import read_pages

_AUTHOR = "Spanlight"
_AMBER = (0xFF, 0xD9, 0x7A, 0xFF)
_CHUNK = 1 << 20


def mark_up(order: MarkUp, report: Report) -> tuple[str, ...]:
    """Report a copy of a PDF in chunks, with a highlight annotation on each page of each highlighted span.

    Returns for each highlight an empty string, or why it was not marked (see core.pages.mark_on_pages); if none can be
    marked, nothing is reported. The copy keeps the original's encryption. Raises SpanlightError if it would replace
    the original, the same as pdf.open_pdf for the original, and Stopped when the report says so.
    """
    source, output = Path(order.path), Path(order.output)
    if _same_file(source, output):
        raise SpanlightError(
            Message("The copy must not take the place of the original."),
            Message("Give it another name or folder."),
        )
    document, complete = open_as_far(order.path, source.name, order.password)
    try:
        pages = read_pages(document, report).pages
        reasons = []
        for number, highlight in enumerate(order.highlights):
            report.check()
            mark = mark_on_pages(pages, highlight.span, highlight.words)
            if not mark.reason:
                for place in mark.places:
                    _annotate(document, place, highlight.comment)
            reasons.append(mark.reason)
            report.progress(Progress(number + 1, len(order.highlights), Message("highlights")))
        if not all(reasons):
            # Appending to the original's bytes leaves everything else unchanged; a damaged file is written completely.
            flags = pdfium.FPDF_INCREMENTAL if complete else pdfium.FPDF_NO_INCREMENTAL
            with io.BufferedWriter(_ReportedFile(report), _CHUNK) as copy:
                document.save(copy, flags=flags)
        return tuple(reasons)
    finally:
        document.close()


def _same_file(source: Path, output: Path) -> bool:
    """Whether two paths are the same file."""
    try:
        return output.exists() and output.samefile(source)
    except OSError:
        return output.absolute() == source.absolute()


def _annotate(document: pypdfium2.PdfDocument, place: PagePlace, comment: str) -> None:
    """Add a highlight to a page, with four corners for each of its boxes (ISO 32000-1, 12.5.6.10)."""
    page = load_page(document, place.page)
    try:
        shown = shown_part(page)
        quads = [_quad(box, shown) for box in place.boxes]
        annotation = pdfium.FPDFPage_CreateAnnot(page, pdfium.FPDF_ANNOT_HIGHLIGHT)
        if not annotation:
            raise RuntimeError("no annotation could be made")
        try:
            across = [value for quad in quads for value in quad[0::2]]
            upwards = [value for quad in quads for value in quad[1::2]]
            around = pdfium.FS_RECTF(min(across), max(upwards), max(across), min(upwards))
            now = datetime.now(UTC)
            done = [
                pdfium.FPDFAnnot_SetColor(annotation, pdfium.FPDFANNOT_COLORTYPE_Color, *_AMBER),
                pdfium.FPDFAnnot_SetRect(annotation, around),
                pdfium.FPDFAnnot_SetFlags(annotation, pdfium.FPDF_ANNOT_FLAG_PRINT),
                *(
                    pdfium.FPDFAnnot_AppendAttachmentPoints(annotation, pdfium.FS_QUADPOINTSF(*quad))
                    for quad in quads
                ),
                _set_text(annotation, "T", _AUTHOR),
                _set_text(annotation, "Contents", comment),
                _set_text(annotation, "M", f"D:{now:%Y%m%d%H%M%S}Z"),
            ]
            if not all(done):
                raise RuntimeError("an annotation could not be filled in")
        finally:
            pdfium.FPDFPage_CloseAnnot(annotation)
    finally:
        page.close()


def _set_text(annotation: pdfium.FPDF_ANNOTATION, key: str, value: str) -> bool:
    """Set a text value of an annotation; a lone surrogate becomes U+FFFD."""
    text = value.replace("\0", "").encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    units = (text + "\0").encode("utf-16-le")
    buffer = (pdfium.FPDF_WCHAR * (len(units) // 2)).from_buffer_copy(units)
    return bool(pdfium.FPDFAnnot_SetStringValue(annotation, key.encode(), buffer))


def _quad(box: Box, shown: ShownPart) -> tuple[float, ...]:
    """The corners of a box in the page's own space: upper left, upper right, lower left, lower right as shown."""
    return (
        *shown.own_point(box.left, box.top),
        *shown.own_point(box.right, box.top),
        *shown.own_point(box.left, box.bottom),
        *shown.own_point(box.right, box.bottom),
    )


class _ReportedFile(io.RawIOBase):
    """A file whose content is reported as partial results."""

    def __init__(self, report: Report) -> None:
        self._report = report

    def writable(self) -> bool:
        return True

    def write(self, chunk: Any) -> int:
        self._report.partial(bytes(chunk))
        return len(chunk)
