"""Pictures of pages to recognise text in: turned upright and level, in greys, with the way back to the page."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, radians, sin, sqrt

import pypdfium2
import pypdfium2.raw as pdfium

_DPI = 300.0
_MOST_PIXELS = 30_000_000
_WHITE = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class PagePicture:
    """Grey pixels, a byte each, rows from the top, `stride` bytes a row.

    `quarter` is how many quarter turns clockwise the page was turned, and `matrix` (a, b, c, d, e, f as in PDF) leads
    from a point of the page as shown to a pixel; `scale` is pixels a point.
    """

    width: int
    height: int
    stride: int
    pixels: bytes
    scale: float
    quarter: int
    matrix: tuple[float, float, float, float, float, float]

    def on_page(
        self, left: float, top: float, right: float, bottom: float
    ) -> tuple[float, float, float, float]:
        """The box on the page as shown around a box of the picture."""
        a, b, c, d, e, f = self.matrix
        whole = a * d - b * c
        corners = [(x - e, y - f) for x in (left, right) for y in (top, bottom)]
        xs = [(d * x - c * y) / whole for x, y in corners]
        ys = [(a * y - b * x) / whole for x, y in corners]
        return min(xs), min(ys), max(xs), max(ys)


def picture_of(
    page: pypdfium2.PdfPage, quarter: int = 0, level: float = 0.0, dpi: float = _DPI
) -> PagePicture:
    """The page turned by `quarter` quarter turns clockwise and by `level` degrees more.

    A very large page has fewer pixels.
    """
    width, height = page.get_size()
    scale = min(dpi / 72, sqrt(_MOST_PIXELS / max(1.0, width * height)))
    turn = radians(90 * quarter + level)
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
