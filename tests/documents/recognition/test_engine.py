"""Text is recognised in real pictures of pages, in its place, whichever way they lie."""

from __future__ import annotations

import difflib
import io
from collections.abc import Iterator
from dataclasses import replace

import pypdfium2
import pytest

from app.core.pages import mark_on_pages
from app.core.report import Silent
from app.core.text import Span
from app.documents.parts import Parts
from app.documents.pdf.document import open_pdf, read_pdf
from app.documents.recognition.engine import Recogniser
from app.documents.recognition.program import runner
from tests.conftest import ROOT
from tests.helpers.flowing import lines_read
from tests.helpers.scans import LETTER, letter, needs_tesseract, scan
from tests.helpers.small_pdfs import Page, Words, lines, small_pdf

FOLDER = str(ROOT / "resources" / "recognition")
pytestmark = needs_tesseract


@pytest.fixture(scope="module")
def recogniser() -> Iterator[Recogniser]:
    made = Recogniser(FOLDER, runner(FOLDER))
    yield made
    made.close()


def recognised(recogniser: Recogniser, data: bytes) -> Parts:
    """A PDF whose pictures are recognised."""
    before = read_pdf(data, "a.pdf", "", Silent())
    document = open_pdf(data, "a.pdf")
    found = {page: recogniser.recognise(document, page, lambda: None).to_bytes() for page in before.pictures}
    document.close()
    return read_pdf(data, "a.pdf", "", Silent(), found)


def around(parts: Parts, words: str) -> tuple[float, float, float, float]:
    start = parts.text.index(words)
    mark = mark_on_pages(parts.pages, Span(start, start + len(words)), words)
    assert not mark.reason, mark.reason
    boxes = [each for place in mark.places for each in place.boxes]
    return (
        min(each.left for each in boxes),
        min(each.top for each in boxes),
        max(each.right for each in boxes),
        max(each.bottom for each in boxes),
    )


def overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> float:
    """The share of two boxes that is in both."""
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    both = max(0.0, wide) * max(0.0, high)
    area = sum((each[2] - each[0]) * (each[3] - each[1]) for each in (one, other))
    return both / (area - both)


def errors(one: str, other: str) -> float:
    """The share of characters that differ, blanks aside."""
    one, other = " ".join(one.split()), " ".join(other.split())
    same = sum(block.size for block in difflib.SequenceMatcher(None, one, other, False).get_matching_blocks())
    return 1 - same / max(len(one), len(other))


def test_a_letter_is_read_word_for_word_and_its_words_are_where_they_are(recogniser: Recogniser) -> None:
    parts = recognised(recogniser, scan([letter()], dpi=300))
    own = read_pdf(small_pdf([letter()]), "a.pdf", "", Silent())
    assert errors(parts.text, LETTER) < 0.01
    assert parts.pictures == () and parts.notes == ("The text of the page was recognised in its picture.",)
    for words in ("Hargreaves", "14 March 2031", "northern warehouse", "Edmund Whitlock"):
        assert overlap(around(parts, words), around(own, words)) > 0.6, words
    (page,) = parts.pages
    assert page.recognised is not None and page.recognised.language == "en"
    assert len(page.recognised.sure) == len(page.span) and min(page.recognised.sure) > 60


def test_paragraphs_are_as_in_the_original(recogniser: Recogniser) -> None:
    parts = recognised(recogniser, scan([letter()], dpi=200))
    assert "the\nlist of" not in parts.text and "signed contract, the list of moorings" in parts.text
    assert "Dear Miss Hargreaves,\n" in parts.text


@pytest.fixture(scope="module")
def straight(recogniser: Recogniser) -> Parts:
    return recognised(recogniser, scan([letter()]))


@pytest.mark.parametrize("skew", [-3.0, *(pytest.param(skew, marks=pytest.mark.long) for skew in (2.0, 5.0))])
def test_a_skewed_page_is_read_and_its_words_are_lit_where_they_are(
    recogniser: Recogniser, straight: Parts, skew: float
) -> None:
    parts = recognised(recogniser, scan([letter()], skew=skew))
    assert errors(parts.text, LETTER) < 0.04
    # Turned about the middle of the page, a word in it moves by little more than its own height.
    here, there = around(parts, "14 March 2031"), around(straight, "14 March 2031")
    assert 0 < abs(here[1] - there[1]) + abs(here[0] - there[0]) < 60


@pytest.mark.parametrize(
    "turned", [90, *(pytest.param(turned, marks=pytest.mark.long) for turned in (180, 270))]
)
def test_a_page_that_lies_on_its_side_is_read(recogniser: Recogniser, turned: int) -> None:
    # The picture itself is turned: what a scanner makes of a sheet put in the wrong way.
    data = scan([replace(letter(), rotation=0)])
    document = open_pdf(data, "a.pdf")
    document[0].set_rotation(turned)
    out = io.BytesIO()
    document.save(out)
    parts = recognised(recogniser, out.getvalue())
    assert errors(parts.text, LETTER) < 0.04
    left, top, right, bottom = around(parts, "Edmund Whitlock")
    upright = right - left > bottom - top
    assert upright is (turned == 180)


def test_two_columns_are_read_one_after_the_other(recogniser: Recogniser) -> None:
    left = "\n".join(
        f"The first column tells of ships {word}" for word in "alpha bravo delta gamma kilo lima".split()
    )
    right = "\n".join(
        f"The other one is about birds {word}" for word in "mike oscar papa romeo sierra tango".split()
    )
    page = Page([*lines(left, x=60, size=11), *lines(right, x=330, size=11)])
    text = " ".join(recognised(recogniser, scan([page], dpi=300)).text.split())
    assert text.index("lima") < text.index("mike")


REPORT = Page(
    [
        Words("Berths of the northern harbour", 72, 80, 16, "Helvetica-Bold"),
        *lines("The council has decided what follows from this\ntable for every ship.", y=110, size=11),
        Words("Kind of ship", 78, 165, 11, "Helvetica-Bold"), Words("Berth", 300, 165, 11, "Helvetica-Bold"),
        *lines("Fishing boats that leave before\nsunrise", 78, 187, size=11), Words("Quay seven", 300, 187, 11),
        *lines("Sailing boats with guests on\nboard", 78, 223, size=11), Words("Pier of stone", 300, 223, 11),
        Words("Ferries", 78, 259, 11), Words("Customs house", 300, 259, 11),
        Words("Exceptions", 72, 300, 11, "Helvetica-Bold"),
        *lines("Ships of the navy may stay where they are. The harbour office\nkeeps a list of them.", y=320, size=11),
    ],
    drawing=b"0.7 w "
    + b" ".join(b"72 %d m 420 %d l" % (y, y) for y in (642, 620, 584, 548, 524))
    + b" 72 642 m 72 524 l 290 642 m 290 524 l 420 642 m 420 524 l 72 471 m 300 471 l S",
)  # fmt: skip


@pytest.mark.parametrize("dpi", [200, 300])
def test_headings_and_a_ruled_table_are_as_in_the_original(recogniser: Recogniser, dpi: int) -> None:
    parts, own = (
        recognised(recogniser, scan([REPORT], dpi)),
        read_pdf(small_pdf([REPORT]), "a.pdf", "", Silent()),
    )
    assert parts.text == own.text
    assert [(each.span, each.level) for each in parts.headings] == [
        (each.span, each.level) for each in own.headings
    ]
    assert parts.view == own.view
    assert "Kind of ship: Fishing boats that leave before sunrise. Berth: Quay seven." in lines_read(parts)


def test_a_stamp_across_the_text_costs_little_of_it(recogniser: Recogniser) -> None:
    stamp = b"q 0.8 G 6 w 200 560 260 90 re S Q"
    page = replace(letter(), drawing=stamp)
    assert errors(recognised(recogniser, scan([page])).text, LETTER) < 0.1


def test_only_pages_without_a_text_are_recognised(recogniser: Recogniser) -> None:
    both = pypdfium2.PdfDocument(scan([letter("A picture of this page stands here.")]))
    both.import_pages(pypdfium2.PdfDocument(small_pdf([letter("This page has a text of its own.")])))
    out = io.BytesIO()
    both.save(out)
    parts = recognised(recogniser, out.getvalue())
    assert [page.recognised is not None for page in parts.pages] == [True, False]
    assert "picture of this page" in parts.text and "text of its own" in parts.text


def test_a_page_without_words_has_none(recogniser: Recogniser) -> None:
    parts = recognised(recogniser, scan([Page(drawing=b"0.5 g 100 100 300 300 re f")]))
    assert parts.text == "" and parts.pictures == ()
    assert parts.notes == ("This PDF is pictures of pages: it holds no text to read.",)


def test_a_text_that_its_font_does_not_define_is_recognised_instead(recogniser: Recogniser) -> None:
    data = small_pdf([Page([replace(each, unmapped=True) for each in lines(LETTER, size=12)])])
    assert read_pdf(data, "a.pdf", "", Silent()).pictures == (0,)
    parts = recognised(recogniser, data)
    assert parts.pages[0].recognised is not None and not parts.pages[0].doubtful


def test_an_invisible_text_layer_that_is_garbled_is_recognised_anew() -> None:
    picture = Page(drawing=b"q 600 0 0 780 5 5 cm BI /W 1 /H 1 /BPC 8 /CS /G ID \x80 EI Q")
    garbled = [replace(each, invisible=True) for each in lines("~t#e i|}l a]e% c@o{s $1l% x&y*z" * 4, size=8)]
    good = [replace(each, invisible=True) for each in lines(LETTER, size=12)]
    assert read_pdf(small_pdf([replace(picture, words=garbled)]), "a.pdf", "", Silent()).pictures == (0,)
    assert read_pdf(small_pdf([replace(picture, words=good)]), "a.pdf", "", Silent()).pictures == ()
    assert read_pdf(small_pdf([Page(garbled)]), "a.pdf", "", Silent()).pictures == ()
