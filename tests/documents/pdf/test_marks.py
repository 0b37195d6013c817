"""Highlights in a copy of a PDF, read back from the copy and seen on its pages."""

from __future__ import annotations

import ctypes
import os
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pypdfium2
import pypdfium2.raw as pdfium
import pytest

from app.core.errors import PasswordNeeded, SpanlightError
from app.core.pages import places_of
from app.core.report import Silent
from app.core.text import Span
from app.documents.orders import Draw, Highlight, MarkUp
from app.documents.parts import Parts
from app.documents.pdf import marks
from app.documents.pdf.document import read_pdf
from app.documents.pdf.draw import OpenPdfs
from tests.helpers.small_pdfs import Page, Words, lines, locked_pdf, small_pdf

TIDES = "The tide is highest at noon, when the\nmoon stands over the bay and pulls the\nwater up the beach."


class Found(NamedTuple):
    """An annotation as it was read back."""

    kind: int
    quads: list[tuple[float, ...]]
    author: str
    comment: str
    colour: tuple[int, ...]


def annotations(path: Path, page: int = 0, password: str = "") -> list[Found]:
    document = pypdfium2.PdfDocument(path, password or None)
    try:
        opened = document[page]
        found = []
        for number in range(pdfium.FPDFPage_GetAnnotCount(opened)):
            annotation = pdfium.FPDFPage_GetAnnot(opened, number)
            quads = []
            for place in range(pdfium.FPDFAnnot_CountAttachmentPoints(annotation)):
                quad = pdfium.FS_QUADPOINTSF()
                assert pdfium.FPDFAnnot_GetAttachmentPoints(annotation, place, quad)
                quads.append(tuple(getattr(quad, name) for name, _ in quad._fields_))
            shades = [ctypes.c_uint() for _ in range(4)]
            pdfium.FPDFAnnot_GetColor(annotation, pdfium.FPDFANNOT_COLORTYPE_Color, *shades)
            found.append(
                Found(
                    pdfium.FPDFAnnot_GetSubtype(annotation),
                    quads,
                    _text(annotation, b"T"),
                    _text(annotation, b"Contents"),
                    tuple(shade.value for shade in shades),
                )
            )
            pdfium.FPDFPage_CloseAnnot(annotation)
        opened.close()
        return found
    finally:
        document.close()


def _text(annotation: pdfium.FPDF_ANNOTATION, key: bytes) -> str:
    length = pdfium.FPDFAnnot_GetStringValue(annotation, key, None, 0)
    buffer = (pdfium.FPDF_WCHAR * (length // 2))()
    pdfium.FPDFAnnot_GetStringValue(annotation, key, buffer, length)
    return bytes(buffer).decode("utf-16-le").rstrip("\0")


def read(path: Path, password: str = "") -> Parts:
    return read_pdf(str(path), path.name, password, Silent())


class Pieces(Silent):
    """Keeps what is reported of the copy."""

    def __init__(self) -> None:
        self.copy = b""

    def partial(self, piece: object) -> None:
        assert isinstance(piece, bytes)
        self.copy += piece


def mark_up(order: MarkUp) -> tuple[str, ...]:
    """The reasons; the copy, if there is one, is written to its place."""
    pieces = Pieces()
    reasons = marks.mark_up(order, pieces)
    if pieces.copy:
        Path(order.output).write_bytes(pieces.copy)
    return reasons


def highlight(parts: Parts, words: str, comment: str = "") -> Highlight:
    start = parts.text.index(words)
    return Highlight(Span(start, start + len(words)), words, comment)


@pytest.fixture
def tides(tmp_path: Path) -> Path:
    path = tmp_path / "tides.pdf"
    path.write_bytes(small_pdf([Page(lines(TIDES)), Page(lines("A second page."))]))
    return path


def test_the_copy_has_the_highlights_and_the_original_none(tides: Path, tmp_path: Path) -> None:
    before, copy = tides.read_bytes(), tmp_path / "copy.pdf"
    parts = read(tides)
    wanted = (
        highlight(parts, "highest at noon", "When is the tide highest?\n97 % 😀"),
        highlight(parts, "second page"),
    )
    assert mark_up(MarkUp(str(tides), str(copy), wanted)) == ("", "")
    assert tides.read_bytes() == before
    assert annotations(tides) == []
    (first,), (second,) = annotations(copy, 0), annotations(copy, 1)
    assert first.kind == second.kind == pdfium.FPDF_ANNOT_HIGHLIGHT
    assert (first.author, first.comment) == ("Spanlight", "When is the tide highest?\n97 % 😀")
    assert (second.author, second.comment) == ("Spanlight", "")
    assert first.colour == (0xFF, 0xD9, 0x7A, 0xFF)
    (box,) = places_of(parts.pages, wanted[0].span)[0].boxes
    (quad,) = first.quads
    upper, lower = 792 - box.top, 792 - box.bottom
    corners = (box.left, upper, box.right, upper, box.left, lower, box.right, lower)
    assert quad == pytest.approx(corners, abs=0.01)
    after = read(copy)
    assert (after.text, after.pages, after.notes) == (parts.text, parts.pages, ())
    assert sorted(path.name for path in tmp_path.glob("*.pdf")) == ["copy.pdf", "tides.pdf"]
    assert list(tmp_path.glob(".spanlight-*")) == []


def test_words_over_lines_and_pages_have_corners_for_each_line(tmp_path: Path) -> None:
    path, copy = tmp_path / "a.pdf", tmp_path / "b.pdf"
    path.write_bytes(small_pdf([Page(lines(TIDES)), Page(lines("It falls again\nby the evening."))]))
    parts = read(path)
    start, end = parts.text.index("pulls"), parts.text.index("evening")
    span = Span(start, end)
    order = MarkUp(str(path), str(copy), (Highlight(span, span.of(parts.text), "Why?"),))
    assert mark_up(order) == ("",)
    assert [len(found.quads) for found in annotations(copy, 0)] == [2]
    assert [len(found.quads) for found in annotations(copy, 1)] == [2]


@pytest.mark.parametrize(
    "page",
    [
        Page(lines(TIDES), rotation=90),
        Page(lines(TIDES), rotation=180),
        Page(lines(TIDES), rotation=270, crop=(30, 100, 500, 780)),
        Page(lines(TIDES), left=-100, bottom=250),
        Page([Words("highest at noon", 100, 400, angle=90)]),
    ],
    ids=["90", "180", "270 cropped", "elsewhere", "upwards"],
)
def test_the_amber_lies_under_the_words_however_the_page_is_turned(tmp_path: Path, page: Page) -> None:
    path, copy = tmp_path / "a.pdf", tmp_path / "b.pdf"
    path.write_bytes(small_pdf([page]))
    parts = read(path)
    wanted = highlight(parts, "highest at noon")
    assert mark_up(MarkUp(str(path), str(copy), (wanted,))) == ("",)
    (place,) = places_of(parts.pages, wanted.span)
    scale, shown = 2.0, parts.pages[0]
    desk = OpenPdfs()
    width, height = round(shown.width * scale), round(shown.height * scale)
    pixels = desk.draw(Draw(str(copy), 0, scale, 0, 0, width, height)).pixels
    desk.close()
    blue, _, red, _ = np.moveaxis(np.frombuffer(pixels, np.uint8).reshape(height, width, 4), 2, 0)
    lit = (red > 240) & (blue < 180)
    near, inside = np.zeros_like(lit), np.zeros_like(lit)
    for box in place.boxes:
        left, top, right, bottom = (round(scale * edge) for edge in box)
        near[top - 2 : bottom + 2, left - 2 : right + 2] = True
        inside[top:bottom, left:right] = True
    assert not (lit & ~near).any()
    assert (lit & inside).sum() > 0.6 * inside.sum() > 1000


def test_what_the_page_does_not_say_is_not_marked(tides: Path, tmp_path: Path) -> None:
    parts, copy = read(tides), tmp_path / "copy.pdf"
    good = highlight(parts, "the bay")
    wrong = Highlight(good.span, "the hay")
    reasons = mark_up(MarkUp(str(tides), str(copy), (wrong, good)))
    assert reasons == ("The page does not say exactly these words.", "")
    assert len(annotations(copy)) == 1


def test_letters_that_the_font_does_not_name_are_not_marked(tmp_path: Path) -> None:
    path, copy = tmp_path / "a.pdf", tmp_path / "b.pdf"
    words = [
        Words("named", 72, 72),
        Words("nameless", 72, 100, unmapped=True),
        Words("unseen", 72, 130, invisible=True),
    ]
    path.write_bytes(small_pdf([Page(words)]))
    parts = read(path)
    named, unnamed, unseen = (Span(*match.span()) for match in re.finditer(r"\S+", parts.text))
    wanted = tuple(Highlight(span, span.of(parts.text)) for span in (named, unnamed, unseen))
    assert mark_up(MarkUp(str(path), str(copy), wanted)) == (
        "",
        "The font of these words does not say which letters they are.",
        "",  # as a scanner writes them, over its picture of the words
    )


def test_without_anything_to_mark_there_is_no_copy(tides: Path, tmp_path: Path) -> None:
    wrong = Highlight(Span(0, 3), "Who")
    assert all(mark_up(MarkUp(str(tides), str(tmp_path / "copy.pdf"), (wrong,))))
    assert mark_up(MarkUp(str(tides), str(tmp_path / "copy.pdf"), ())) == ()
    assert sorted(path.name for path in tmp_path.glob("*.pdf")) == ["tides.pdf"]


def test_the_original_is_never_written_over(tides: Path, tmp_path: Path) -> None:
    before, other = tides.read_bytes(), tmp_path / "other.pdf"
    wanted = (highlight(read(tides), "noon"),)
    names = [str(tides), str(tides.parent / "." / tides.name)]
    if hasattr(os, "link"):
        other.hardlink_to(tides)
        names.append(str(other))
    for name in names:
        with pytest.raises(SpanlightError, match="must not take the place of the original"):
            mark_up(MarkUp(str(tides), name, wanted))
    assert tides.read_bytes() == before


def test_a_copy_takes_the_place_of_an_older_one(tides: Path, tmp_path: Path) -> None:
    parts, copy = read(tides), tmp_path / "copy.pdf"
    for words in ("noon", "the bay"):
        assert mark_up(MarkUp(str(tides), str(copy), (highlight(parts, words),))) == ("",)
        assert len(annotations(copy)) == 1
    again = tmp_path / "again.pdf"
    assert mark_up(MarkUp(str(copy), str(again), (highlight(parts, "noon"),))) == ("",)
    assert len(annotations(again)) == 2


def test_the_copy_of_a_locked_file_keeps_its_lock(tmp_path: Path) -> None:
    path, copy = tmp_path / "locked.pdf", tmp_path / "copy.pdf"
    path.write_bytes(locked_pdf("The tide is highest at noon.", "moon"))
    parts = read(path, "moon")
    order = MarkUp(str(path), str(copy), (highlight(parts, "noon", "When?"),), "moon")
    assert mark_up(order) == ("",)
    with pytest.raises(PasswordNeeded):
        read(copy)
    assert read(copy, "moon").text == parts.text
    assert [found.comment for found in annotations(copy, 0, "moon")] == ["When?"]


def test_a_damaged_file_has_a_sound_copy(tmp_path: Path) -> None:
    path, copy = tmp_path / "cut.pdf", tmp_path / "copy.pdf"
    data = small_pdf([Page(lines(TIDES))])
    path.write_bytes(data[: data.index(b"xref\n0")])
    parts = read(path)
    assert mark_up(MarkUp(str(path), str(copy), (highlight(parts, "noon"),))) == ("",)
    assert read(copy).notes == ()
    assert read(copy).text == parts.text
    assert len(annotations(copy)) == 1


@pytest.mark.parametrize(
    ("name", "words"),
    [
        pytest.param("qed-tacl-paper.pdf", "question answering", marks=pytest.mark.long),
        pytest.param("asvs-3.0.1-hebrew.pdf", "אבטחת", marks=pytest.mark.long),
        pytest.param("asvs-4.0.3-zh-cn.pdf", "验证", marks=pytest.mark.long),
        ("onestopqa-annotation-guidelines.pdf", "answer"),
    ],
)
def test_real_files_are_marked(shared_data: Path, tmp_path: Path, name: str, words: str) -> None:
    path, copy = shared_data / "documents" / name, tmp_path / "copy.pdf"
    parts = read(path)
    wanted = highlight(parts, words, "What?")
    assert mark_up(MarkUp(str(path), str(copy), (wanted,))) == ("",)
    place = places_of(parts.pages, wanted.span)[0]
    marked = [found for found in annotations(copy, place.page) if found.author == "Spanlight"]
    assert [len(found.quads) for found in marked] == [len(place.boxes)]
    after = read(copy)
    assert (after.text, after.notes) == (parts.text, parts.notes)
