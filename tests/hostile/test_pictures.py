"""Pictures made to stop or fool what opens them: cut off, of impossible sizes, of wrong parts, and bombs."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import pypdfium2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.layout import Kind
from app.core.report import Silent
from app.documents.images.pdf_of import pdf_of_picture
from app.documents.orders import Draw, Read
from app.flows.ask.document_process import Documents
from tests.documents.images.test_pictures import FORMATS, qt_image, saved
from tests.helpers.reading import reads_on
from tests.helpers.scans import chunk, grey, letter, png, tiff

PIXELS = grey(letter("Short."), 40)
PNG, TIFF = png(*PIXELS), tiff([PIXELS] * 2)
JPEG = saved(qt_image(letter("Short."), FORMATS.Format_Grayscale8), b"jpeg")
ZEROS = zlib.compress(bytes(50_000_000), 9)


def header(width: int, height: int, bits: int = 8, colours: int = 0, interlaced: int = 0) -> bytes:
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, colours, 0, 0, interlaced))


def crafted_png(*chunks: bytes) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def crafted_jpeg(width: int, height: int) -> bytes:
    """The good JPEG with another size in its frame."""
    at = JPEG.index(b"\xff\xc0") + 5
    return JPEG[:at] + struct.pack(">HH", height, width) + JPEG[at + 4 :]


def crafted_tiff(data: bytes = b"", **values: int) -> bytes:
    """A TIFF of one page, whose tags are those of a grey picture of one strip but for `values` (t258=8, ...)."""
    tags = {256: 100, 257: 100, 258: 8, 259: 8, 262: 1, 273: 8, 277: 1, 278: 100, 279: len(data)}
    tags |= {int(name[1:]): value for name, value in values.items()}
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in sorted(tags.items()))
    start = 8 + len(data)
    return b"II*\0" + struct.pack("<I", start) + data + struct.pack("<H", len(tags)) + entries + bytes(4)


# What is no picture, or one that no page is made of.
REFUSED = {
    "head.png": PNG[:12],
    "no-pixels.png": crafted_png(header(10, 10)),
    "no-header.png": crafted_png(chunk(b"IDAT", b"x")),
    "no-size.png": crafted_png(header(0, 10), chunk(b"IDAT", b"x")),
    "endless.png": crafted_png(header(2**31 - 1, 2**31 - 1), chunk(b"IDAT", ZEROS)),
    "endless-opacity.png": crafted_png(header(40_000, 40_000, 8, 6), chunk(b"IDAT", ZEROS)),
    "colours.png": crafted_png(header(10, 10, 8, 5), chunk(b"IDAT", ZEROS)),
    "palette.png": crafted_png(header(10, 10, 8, 3), chunk(b"IDAT", ZEROS)),
    "interlaced.png": crafted_png(header(10, 10, 8, 0, 1), chunk(b"IDAT", ZEROS)),
    "opacity.png": crafted_png(header(10, 10, 8, 6), chunk(b"IDAT", b"nothing")),
    "head.jpg": JPEG[:20],
    "nothing.jpg": b"\xff\xd8\xff\xc0\0\x0b\x08\0\0\0\0\1\1\x11\0",
    "rare.jpg": b"\xff\xd8\xff\xc9\0\x0b\x08\0\1\0\1\1\1\x11\0",
    "endless.jpg": crafted_jpeg(65_535, 65_535),
    "no-pages.tiff": b"II*\0\0\0\0\0",
    "outside.tiff": b"II*\0\xff\xff\xff\x7f",
    "circle-of-nothing.tiff": b"II*\0\x08\0\0\0\0\0\x08\0\0\0",
    "many-values.tiff": b"II*\0\x08\0\0\0\1\0" + struct.pack("<HHII", 273, 4, 2**32 - 1, 0) + bytes(4),
    "endless.tiff": crafted_tiff(ZEROS, t256=2**31, t257=2**31, t278=2**31),
    "wide.tiff": crafted_tiff(ZEROS, t256=100_000, t257=100_000, t278=100_000),
    "no-strips.tiff": crafted_tiff(t273=0, t279=0, t256=0),
    "bits.tiff": crafted_tiff(b"x", t258=255),
    "packing.tiff": crafted_tiff(b"x", t259=99),
    "unpacked.tiff": crafted_tiff(b"not packed at all"),
}
# What shows as far as it goes: the rest is whatever stands there.
SHOWN = {
    "cut.png": PNG[: len(PNG) // 2],
    "cut.jpg": JPEG[: len(JPEG) // 2],
    "cut.tiff": crafted_tiff(zlib.compress(bytes(10_000))[:9]),
    "bomb.png": crafted_png(header(100, 100), chunk(b"IDAT", ZEROS)),
    "bomb-opacity.png": crafted_png(header(100, 100, 8, 6), chunk(b"IDAT", ZEROS)),
    "bomb.tiff": crafted_tiff(ZEROS),
    "bomb-lzw.tiff": crafted_tiff(b"\x80\0\1" * 100_000, t259=5),
    "bomb-fax.tiff": crafted_tiff(bytes(100_000), t258=1, t259=4, t262=0),
    "few-pixels.png": crafted_png(header(10_000, 10_000, 1), chunk(b"IDAT", zlib.compress(b"\0"))),
    "large.jpg": crafted_jpeg(10_000, 10_000),
    "wrong-order.png": crafted_png(chunk(b"IDAT", zlib.compress(bytes(110))), header(10, 10), chunk(b"JUNK", ZEROS)),
    "wrong-sums.png": PNG.replace(PNG[29:33], b"\0\0\0\0", 1),
}  # fmt: skip


@pytest.fixture(scope="module")
def documents() -> Iterator[Documents]:
    """The processes for all of them: none may harm the next."""
    processes = Documents(quiet=30)
    yield processes
    processes.close()


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_picture_is_refused_in_a_sentence(documents: Documents, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(REFUSED[name])
    with pytest.raises(SpanlightError) as caught:
        documents.read(Read(str(path), name), Silent())
    assert caught.value.message.endswith(".") and caught.value.hint.endswith(".")
    assert "break off" not in caught.value.message, "the process has ended"
    reads_on(documents)


@pytest.mark.parametrize("name", SHOWN)
def test_what_is_partly_one_is_drawn_as_far_as_it_goes(
    documents: Documents, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    path.write_bytes(SHOWN[name])
    opened = documents.read(Read(str(path), name), Silent())
    assert opened.kind is Kind.IMAGE and len(opened.pages) == 1
    size = round(opened.pages[0].width * 0.2), round(opened.pages[0].height * 0.2)
    picture = documents.draw(Draw(str(path), 0, 0.2, 0, 0, *size), Silent())
    assert len(picture.pixels) == 4 * size[0] * size[1]


@pytest.mark.parametrize("examples", [30, pytest.param(1500, marks=pytest.mark.long)])
@pytest.mark.parametrize("good", [PNG, TIFF, JPEG], ids=["png", "tiff", "jpeg"])
def test_changed_pictures_are_drawn_or_refused(good: bytes, examples: int) -> None:
    # Most of a file is pixels: what says how they are to be read stands at its ends.
    places = st.one_of(st.integers(4, 80), st.integers(len(good) - 300, len(good) - 1))

    @settings(max_examples=examples)
    @given(
        st.dictionaries(places, st.integers(0, 255), max_size=8), st.none() | st.integers(8, len(good) - 1)
    )
    def check(changes: dict[int, int], end: int | None) -> None:
        changed = bytearray(good)
        for place, byte in changes.items():
            changed[place] = byte
        try:
            data = pdf_of_picture(bytes(changed[:end]), "a.png")
        except SpanlightError as fault:
            assert fault.message and fault.hint
            return
        document = pypdfium2.PdfDocument(io.BytesIO(data))
        width, height = document[0].get_size()
        document[0].render(scale=min(1.0, 300 / max(width, height)))
        document.close()

    check()
