"""Renders pages as grey pictures for recognition, turned upright and level, with the way back to the page."""

from __future__ import annotations

from math import cos, radians, sin, sqrt

import pypdfium2
import pypdfium2.raw as pdfium

from app.documents.recognition.words import MOST_PIXELS, PagePicture

_DPI = 300.0
_WHITE = 0xFFFFFFFF
_ALMOST = 0.99  # its sides are rounded
_LONGEST = 32_767  # pixels of the longest side that Tesseract takes


def picture_of(
    page: pypdfium2.PdfPage, quarter: int = 0, level: float = 0.0, dpi: float = _DPI
) -> PagePicture:
    """The picture of a page turned by `quarter` quarter turns clockwise, and by `level` degrees more.

    A very large page has fewer pixels, at most `MOST_PIXELS`, and a very long one too.
    """
    width, height = page.get_size()
    turn = radians(90 * quarter + level)
    flat, steep = abs(cos(turn)), abs(sin(turn))
    across, down = flat * width + steep * height, steep * width + flat * height
    most = min(sqrt(MOST_PIXELS / max(1.0, across * down)), _LONGEST / max(1.0, across, down))
    scale = min(dpi / 72, _ALMOST * most)
    across, along = scale * cos(turn), scale * sin(turn)
    # x' = across x - along y, y' = along x + across y: clockwise, as y counts downwards.
    xs = [across * x - along * y for x in (0, width) for y in (0, height)]
    ys = [along * x + across * y for x in (0, width) for y in (0, height)]
    matrix = (across, along, -along, across, -min(xs), -min(ys))
    size = max(1, round(max(xs) - min(xs))), max(1, round(max(ys) - min(ys)))
    bitmap = pypdfium2.PdfBitmap.new_native(*size, pdfium.FPDFBitmap_Gray)
    try:
        pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, *size, _WHITE)
        flags = pdfium.FPDF_ANNOT | pdfium.FPDF_GRAYSCALE
        clip = pdfium.FS_RECTF(0, 0, *size)
        pdfium.FPDF_RenderPageBitmapWithMatrix(bitmap, page, pdfium.FS_MATRIX(*matrix), clip, flags)
        return PagePicture(*size, bitmap.stride, bytes(bitmap.buffer), scale, quarter % 4, matrix)
    finally:
        bitmap.close()
