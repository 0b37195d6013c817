"""PDFs whose end is missing get a new table of contents over what is there."""

from __future__ import annotations

import zlib

import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.documents.pdf.salvage import salvage
from tests.helpers.small_pdfs import Page, lines, locked_pdf, small_pdf

WHOLE = small_pdf([Page(lines(f"This is page {number}.")) for number in (1, 2, 3)])


def words_of(data: bytes) -> list[str]:
    document = pypdfium2.PdfDocument(data)
    try:
        words = []
        for number in range(len(document)):
            try:
                words.append(document[number].get_textpage().get_text_bounded().strip())
            except pypdfium2.PdfiumError:
                words.append("")
        return words
    finally:
        document.close()


@pytest.mark.parametrize(
    "begin", [b"%PDF", b"3 0 obj"], ids=["without its table", "without its catalogue too"]
)
def test_the_pages_are_there_in_their_order(begin: bytes) -> None:
    cut = b"%PDF-1.7\n" + WHOLE[WHOLE.index(begin) : WHOLE.index(b"xref\n0")]
    assert words_of(salvage(cut)) == ["This is page 1.", "This is page 2.", "This is page 3."]


def test_a_later_version_of_an_object_counts() -> None:
    cut = WHOLE[: WHOLE.index(b"xref\n0")]
    place = cut.index(b"<< /Length")
    number = int(cut[:place].split(b" 0 obj")[-2].split()[-1])
    newer = b"BT /Helvetica 12 Tf 72 700 Td (Newer words.) Tj ET"
    cut += b"%d 0 obj\n<< /Length %d >>\nstream\n%s\nendstream\nendobj\n" % (number, len(newer), newer)
    assert words_of(salvage(cut))[0] == "Newer words."


def packed(*bodies: tuple[int, bytes]) -> bytes:
    """An object stream (ISO 32000-1, 7.5.7), as object number 50."""
    header, inside = b"", b""
    for number, body in bodies:
        header += b"%d %d " % (number, len(inside))
        inside += body + b" "
    content = zlib.compress(header + inside)
    head = b"<< /Type /ObjStm /N %d /First %d /Filter /FlateDecode /Length %d >>" % (
        len(bodies),
        len(header),
        len(content),
    )
    return b"50 0 obj\n%s\nstream\n%s\nendstream\nendobj\n" % (head, content)


def test_objects_that_are_packed_are_found() -> None:
    font = b"<< /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
    content = b"BT /F 12 Tf 72 700 Td (Packed words.) Tj ET"
    data = b"%%PDF-1.5\n4 0 obj\n<< /Length %d >>\nstream\n%s\nendstream\nendobj\n" % (len(content), content)
    data += packed(
        (1, b"<< /Type /Catalog /Pages 2 0 R >>"),
        (2, b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>"),
        (
            3,
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources "
            + font
            + b" >>",
        ),
    )
    assert words_of(salvage(data)) == ["Packed words."]


def test_without_a_page_or_under_a_lock_there_is_nothing() -> None:
    assert salvage(b"") == b""
    assert salvage(WHOLE[: WHOLE.index(b"<< /Type /Page /")]) == b""
    assert salvage(locked_pdf("high", "tide")) == b""


def test_what_unpacks_without_end_is_left_out() -> None:
    bomb = zlib.compress(b"1 0 " + b" " * 120_000_000)
    data = (
        b"50 0 obj\n<< /Type /ObjStm /N 1 /First 4 /Filter /FlateDecode >>\nstream\n%s\nendstream\nendobj\n"
        % bomb
    )
    mended = salvage(WHOLE[: WHOLE.index(b"xref\n0")] + data * 2)
    assert len(mended) < 101_000_000


@given(
    st.integers(0, len(WHOLE)),
    st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255)), max_size=20),
)
def test_any_damage_opens_or_does_not(length: int, changes: list[tuple[int, int]]) -> None:
    data = bytearray(WHOLE)
    for place, byte in changes:
        data[place] = byte
    mended = salvage(bytes(data[:length]))
    if not mended:
        return
    try:
        words = words_of(mended)
    except pypdfium2.PdfiumError:
        return
    assert len(words) >= 1
