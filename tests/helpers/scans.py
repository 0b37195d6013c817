"""Scans: pages of PDFs drawn as pictures, as PDFs without text and as files of pictures, skewed and turned at will."""

from __future__ import annotations

import io
import math
import struct
import zlib
from collections.abc import Sequence

import pypdfium2
import pypdfium2.raw as pdfium
import pytest

from app.documents.pdf.geometry import load_page
from app.documents.recognition.engine import picture_of
from app.documents.recognition.program import is_installed
from app.documents.recognition.words import PagePicture, RecognisedWord, Row, letters_of, word_of
from tests.helpers.small_pdfs import Page, Words, lines, small_pdf

needs_tesseract = pytest.mark.skipif(
    not is_installed(), reason="neither tesserocr nor the program tesseract is installed"
)

LETTER = """Dear Miss Hargreaves,

The meeting of the harbour council takes place on 14 March 2031
in the old customs house. Please bring the signed contract, the
list of moorings, and the three keys of the northern warehouse.
The ferry leaves at half past seven in the morning.

With kind regards,
Edmund Whitlock"""


# Pixels a point of pictures that text is recognised in.
SCALE = 300 / 72


def shown(words: Sequence[Words], drawing: bytes = b"") -> PagePicture:
    """The picture of a small page that text is recognised in."""
    document = pypdfium2.PdfDocument(small_pdf([Page(words, width=300, height=100, drawing=drawing)]))
    return picture_of(load_page(document, 0))


def seen(
    text: str,
    left: float,
    right: float,
    base: float = 50,
    begins_line: bool = True,
    *,
    size: float = 10.6,
    sure: float = 90,
) -> RecognisedWord:
    """A word as Tesseract tells it, at these points of a picture from `shown`; `size` is the height of its letters."""
    row = Row((0, base * SCALE), (1000, base * SCALE), size * SCALE, 0.2 * size * SCALE)
    word = word_of(letters_of(text, round(left * SCALE), round(right * SCALE)), row, sure, begins_line)
    assert word is not None
    return word


def letter(text: str = LETTER, **page: float) -> Page:
    """A page with a letter."""
    return Page(lines(text, y=120, leading=18, size=12, font="Times-Roman"), **page)  # type: ignore[arg-type]


def grey(page: Page, dpi: float = 200, skew: float = 0.0) -> tuple[int, int, bytes]:
    """A page's width, height and grey pixels; `skew` degrees turn it clockwise."""
    document = pypdfium2.PdfDocument(small_pdf([page]))
    drawn = document[0]
    width, height = drawn.get_size()
    scale, turn = dpi / 72, math.radians(skew)
    across, along = scale * math.cos(turn), scale * math.sin(turn)
    left = scale * width / 2 - (across * width / 2 - along * height / 2)
    top = scale * height / 2 - (along * width / 2 + across * height / 2)
    size = round(scale * width), round(scale * height)
    bitmap = pypdfium2.PdfBitmap.new_native(*size, pdfium.FPDFBitmap_Gray)
    pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, *size, 0xFFFFFFFF)
    matrix = pdfium.FS_MATRIX(across, along, -along, across, left, top)
    clip = pdfium.FS_RECTF(0, 0, *size)
    pdfium.FPDF_RenderPageBitmapWithMatrix(bitmap, drawn, matrix, clip, pdfium.FPDF_GRAYSCALE)
    data = bytes(bitmap.buffer)
    rows = b"".join(data[bitmap.stride * row : bitmap.stride * row + size[0]] for row in range(size[1]))
    document.close()
    return *size, rows


def png(width: int, height: int, rows: bytes, dpi: int = 0) -> bytes:
    """A grey PNG."""
    raw = b"".join(b"\0" + rows[width * row : width * (row + 1)] for row in range(height))
    size = chunk(b"pHYs", struct.pack(">IIB", round(dpi / 0.0254), round(dpi / 0.0254), 1)) if dpi else b""
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + size + chunk(b"IDAT", zlib.compress(raw, 1)) + chunk(b"IEND", b"")


def chunk(kind: bytes, content: bytes) -> bytes:
    """A chunk of a PNG."""
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def tiff(
    pages: Sequence[tuple[int, int, bytes]], dpi: int = 200, strips: int = 3, packs: bool = True
) -> bytes:
    """A grey TIFF of several pages, in strips."""
    data = bytearray(b"II*\0\0\0\0\0")
    link = 4
    for width, height, rows in pages:
        step = -(-height // strips)
        places = []
        for top in range(0, height, step):
            part = rows[width * top : width * (top + step)]
            part = zlib.compress(part, 1) if packs else part
            places.append((len(data), len(part)))
            data += part
        ratio, starts = len(data), len(data) + 8
        data += struct.pack("<II", dpi, 1)
        lengths = len(data) + 4 * len(places)
        data += struct.pack(f"<{len(places)}I", *(start for start, _ in places))
        data += struct.pack(f"<{len(places)}I", *(length for _, length in places))
        one = len(places) == 1
        entries = [
            (256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, 8), (259, 3, 1, 8 if packs else 1), (262, 3, 1, 1),
            (273, 4, len(places), places[0][0] if one else starts), (277, 3, 1, 1), (278, 4, 1, step),
            (279, 4, len(places), places[0][1] if one else lengths), (282, 5, 1, ratio), (283, 5, 1, ratio),
            (296, 3, 1, 2),
        ]  # fmt: skip
        data += b"\0" * (len(data) % 2)
        struct.pack_into("<I", data, link, len(data))
        data += struct.pack("<H", len(entries))
        for entry in entries:
            data += struct.pack("<HHII", *entry)
        link = len(data)
        data += b"\0\0\0\0"
    return bytes(data)


def scan(pages: Sequence[Page], dpi: float = 200, skew: float = 0.0) -> bytes:
    """A PDF of pictures of pages."""
    made = pypdfium2.PdfDocument.new()
    for page in pages:
        width, height, rows = grey(page, dpi, skew)
        bitmap = pypdfium2.PdfBitmap.new_native(width, height, pdfium.FPDFBitmap_Gray)
        buffer = memoryview(bitmap.buffer).cast("B")
        for row in range(height):
            start = bitmap.stride * row
            buffer[start : start + width] = rows[width * row : width * (row + 1)]
        image = pypdfium2.PdfImage.new(made)
        image.set_bitmap(bitmap)
        across, down = width * 72 / dpi, height * 72 / dpi
        image.set_matrix(pypdfium2.PdfMatrix().scale(across, down))
        shown = made.new_page(across, down)
        shown.insert_obj(image)
        shown.gen_content()
        shown.set_rotation(page.rotation)
    out = io.BytesIO()
    made.save(out)
    made.close()
    return out.getvalue()
