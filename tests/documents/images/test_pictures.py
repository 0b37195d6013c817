"""Pictures' files are opened as pages, whatever they are made by."""

from __future__ import annotations

import struct

import pypdfium2
import pytest
from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QImage, QImageWriter

from app.core.report import Silent
from app.documents.images.pdf_of import pdf_of_picture
from app.documents.pdf.document import read_pdf
from tests.helpers.scans import grey, png, tiff
from tests.helpers.small_pdfs import Page

DRAWN = Page(drawing=b"0 g 0 396 306 396 re f")  # the upper left quarter is black
FORMATS = QImage.Format


def qt_image(page: Page = DRAWN, kind: FORMATS = FORMATS.Format_RGB888) -> QImage:
    width, height, rows = grey(page, 50)
    return QImage(rows, width, height, width, FORMATS.Format_Grayscale8).convertToFormat(kind)


def saved(image: QImage, kind: bytes, compression: int | None = None) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QImageWriter(buffer, kind)
    if compression is not None:
        writer.setCompression(compression)
    assert writer.write(image), writer.errorString()
    return bytes(buffer.data().data())


def shades(data: bytes, page: int = 0) -> list[int]:
    """How light the four quarters of a page are, from the upper left one on by rows."""
    document = pypdfium2.PdfDocument(pdf_of_picture(data, "a.png"))
    bitmap = document[page].render(scale=0.2, grayscale=True)
    wide, high = bitmap.width, bitmap.height
    places = [(x, y) for y in (high // 4, 3 * high // 4) for x in (wide // 4, 3 * wide // 4)]
    found = [bitmap.buffer[bitmap.stride * y + x] for x, y in places]
    document.close()
    return found


def assert_first_is_black(found: list[int]) -> None:
    assert found[0] < 30 and min(found[1:]) > 225, found


@pytest.mark.parametrize(
    "kind",
    [
        FORMATS.Format_RGB888,
        FORMATS.Format_ARGB32,
        FORMATS.Format_Grayscale8,
        FORMATS.Format_Grayscale16,
        FORMATS.Format_Mono,
        FORMATS.Format_Indexed8,
        FORMATS.Format_RGBA64,
    ],
)
def test_pngs_of_every_kind(kind: FORMATS) -> None:
    assert_first_is_black(shades(saved(qt_image(kind=kind), b"png")))


def test_what_is_transparent_shows_the_paper() -> None:
    image = QImage(200, 200, FORMATS.Format_ARGB32)
    image.fill(0)
    for y in range(100):
        for x in range(100):
            image.setPixel(x, y, 0xFF000000)
    assert_first_is_black(shades(saved(image, b"png")))


@pytest.mark.parametrize("kind", [FORMATS.Format_RGB888, FORMATS.Format_Grayscale8])
def test_jpegs(kind: FORMATS) -> None:
    assert_first_is_black(shades(saved(qt_image(kind=kind), b"jpeg")))


@pytest.mark.parametrize("compression", [0, 1])
@pytest.mark.parametrize(
    "kind",
    [FORMATS.Format_RGB888, FORMATS.Format_Grayscale8, FORMATS.Format_Mono, FORMATS.Format_Indexed8],
)
def test_tiffs_of_every_kind(kind: FORMATS, compression: int) -> None:
    assert_first_is_black(shades(saved(qt_image(kind=kind), b"tiff", compression)))


@pytest.mark.parametrize("packs", [True, False])
@pytest.mark.parametrize("strips", [1, 7])
def test_a_tiff_has_pages(strips: int, packs: bool) -> None:
    white = Page()
    data = tiff([grey(white, 50), grey(DRAWN, 50)], strips=strips, packs=packs)
    assert min(shades(data, 0)) > 225
    assert_first_is_black(shades(data, 1))


def test_a_camera_says_which_way_up_it_was_held() -> None:
    data = saved(qt_image(), b"jpeg")
    tags = b"MM\0*\0\0\0\x08\0\x01" + struct.pack(">HHIHHI", 274, 3, 1, 6, 0, 0)
    exif = b"Exif\0\0" + tags
    turned = data[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + data[2:]
    found = shades(turned)
    assert found[1] < 30 and min(found[0], *found[2:]) > 225, "the left upper corner is now the right one"


def test_a_page_is_as_large_as_the_file_says_or_as_a_sheet_of_paper() -> None:
    pixels = grey(Page(), 200)
    for dpi, width in ((200, 612), (0, 842 * 612 / 792), (72, 842 * 612 / 792)):
        parts = read_pdf(png(*pixels, dpi=dpi), "a.png", "", Silent())
        assert parts.pages[0].width == pytest.approx(width, abs=1)
        assert parts.pictures == (0,)
