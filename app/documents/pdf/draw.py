"""Renders parts of PDF pages to pixels, at any scale."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import pypdfium2
import pypdfium2.raw as pdfium

from app.core.errors import SpanlightError
from app.core.files import holds_same_bytes, status
from app.core.layout import Picture
from app.core.message import Message
from app.documents.orders import Draw, Recognise
from app.documents.pdf.document import open_pdf
from app.documents.pdf.geometry import load_page

MOST_PIXELS = 4096

_OPEN_DOCUMENTS = 3
_OPEN_PAGES = 8
_LARGEST_PAGE = 1 << 20
# The engine rounds a letter's origin towards zero: one that begins left of or above the drawn part would be a pixel
# off from its other half in the next part. Letters larger than this are drawn as shapes, which are not rounded.
_MARGIN = 64
_WHITE = 0xFFFFFFFF


@dataclass(slots=True)
class _OpenPdf:
    """An open PDF, with the pages that were drawn last."""

    document: pypdfium2.PdfDocument
    pages: OrderedDict[int, pypdfium2.PdfPage] = field(default_factory=OrderedDict)

    def page(self, number: int) -> pypdfium2.PdfPage:
        page = self.pages.pop(number, None)
        if page is None:
            page = load_page(self.document, number)
        self.pages[number] = page
        if len(self.pages) > _OPEN_PAGES:
            self.pages.popitem(last=False)[1].close()
        return page

    def close(self) -> None:
        for page in self.pages.values():
            page.close()
        self.document.close()


class _Key(NamedTuple):
    """What identifies an open file: the order's path, password and SHA-256, and the file's time and size."""

    path: str
    password: str
    sha256: str
    modified: int
    size: int


class OpenPdfs:
    """The PDFs that were drawn last, kept open so that the next part of a page comes quickly.

    The engine is not thread-safe: one thread owns these and everything else that uses it. A file that has changed is
    opened again.
    """

    def __init__(self) -> None:
        self._open: OrderedDict[_Key, _OpenPdf] = OrderedDict()

    def draw(self, order: Draw) -> Picture:
        """Draw a part of a page with its annotations on white paper, white outside the page too.

        Raises ValueError for a page that does not exist, a scale not above zero, or a picture with no pixels or more
        than `MOST_PIXELS` a side, and SpanlightError or PasswordNeeded if the file cannot be opened (any more), has
        been replaced, or the page cannot be read.
        """
        if not (0 < order.width <= MOST_PIXELS and 0 < order.height <= MOST_PIXELS and order.scale > 0):
            raise ValueError(f"not a picture: {order.width} x {order.height} at scale {order.scale}")
        opened = self._opened(order)
        if not 0 <= order.page < len(opened.document):
            raise ValueError(f"there is no page {order.page} of {len(opened.document)}")
        try:
            page = opened.page(order.page)
        except pypdfium2.PdfiumError as fault:
            raise SpanlightError(
                Message("Page {page} cannot be read.", page=order.page + 1),
                Message("Get or save the file again."),
            ) from fault
        return draw_part(page, order)

    def close(self) -> None:
        """Close every PDF."""
        while self._open:
            self._open.popitem()[1].close()

    def _opened(self, order: Draw) -> _OpenPdf:
        path = Path(order.path)
        try:
            now = status(path)
            key = _Key(order.path, order.password, order.sha256, now.st_mtime_ns, now.st_size)
        except OSError:
            key = _Key(order.path, order.password, order.sha256, 0, 0)  # opening it reports what is wrong
        opened = self._open.pop(key, None)
        if opened is None:
            require_same(order, path)
            for old in [old for old in self._open if old[:2] == key[:2]]:
                self._open.pop(old).close()
            opened = _OpenPdf(open_pdf(order.path, path.name or order.path, order.password))
        self._open[key] = opened
        if len(self._open) > _OPEN_DOCUMENTS:
            self._open.popitem(last=False)[1].close()
        return opened


def require_same(order: Draw | Recognise, path: Path) -> None:
    """Raise SpanlightError if the file's bytes are not those of the order."""
    try:
        same = not order.sha256 or holds_same_bytes(path, order.modified, order.size, order.sha256)
    except OSError:
        return  # opening it reports what is wrong
    if not same:
        raise SpanlightError(
            Message("“{name}” has changed since it was opened.", name=path.name), Message("Read it again.")
        )


def draw_part(page: pypdfium2.PdfPage, order: Draw) -> Picture:
    """Draw a part of an open page, as `OpenPdfs.draw` does. Raises SpanlightError for a page that is too large."""
    width, height = page.get_size()
    page_size = max(1, round(width * order.scale)), max(1, round(height * order.scale))
    if max(page_size) > _LARGEST_PAGE:
        raise SpanlightError(
            Message("Page {page} is too large to be drawn at this size.", page=order.page + 1),
            Message("Make it smaller on the screen."),
        )
    aside, above = _MARGIN * (order.left > 0), _MARGIN * (order.top > 0)
    size = order.width + aside, order.height + above
    bitmap = pypdfium2.PdfBitmap.new_native(*size, pdfium.FPDFBitmap_BGRx)
    try:
        pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, *size, _WHITE)
        # FPDF_LCD_TEXT stays off: coloured edges look wrong once a picture is moved, scaled or shown in the dark.
        place = aside - order.left, above - order.top
        pdfium.FPDF_RenderPageBitmap(bitmap, page, *place, *page_size, 0, pdfium.FPDF_ANNOT)
        pixels, stride = memoryview(bitmap.buffer).cast("B"), bitmap.stride
        rows = (
            pixels[stride * row + 4 * aside : stride * row + 4 * size[0]] for row in range(above, size[1])
        )
        return Picture(order.width, order.height, b"".join(rows))
    finally:
        bitmap.close()
