"""PDF text on small pages: paragraphs, joins, places of characters, and pages that are none."""

from __future__ import annotations

import random
import unicodedata

import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.pages import mark_on_pages
from app.core.report import Progress, Silent, Stopped
from app.core.text import Span
from app.documents.pdf.text import read_pages
from tests.helpers.pdf_pages import read, read_words
from tests.helpers.small_pdfs import Page, Words, lines, small_pdf

PROSE = (
    "The quick brown fox jumps over the lazy dog and\n"
    "then it runs through the long grass of the field\n"
    "until the evening comes and the moon is up above\n"
    "the hill."
)
WHOLE = PROSE.replace("\n", " ")


def test_lines_of_a_paragraph_are_joined() -> None:
    assert read_words(lines(PROSE)).text == WHOLE


def test_a_gap_parts_paragraphs() -> None:
    assert read_words([*lines(PROSE), *lines(PROSE, y=150)]).text == f"{WHOLE}\n\n{WHOLE}"


def test_an_indent_parts_paragraphs() -> None:
    first, second = lines(PROSE), lines(PROSE, y=72 + 4 * 14)
    indented = Words(second[0].text, 90, second[0].y)
    assert read_words([*first, indented, *second[1:]]).text == f"{WHOLE}\n\n{WHOLE}"


def test_a_word_broken_at_a_line_end_is_whole_again() -> None:
    text = read_words(lines("We propose a lin-\nguistically informed and extens-\nible frame.")).text
    assert text == "We propose a linguistically informed and extensible frame."


@pytest.mark.parametrize(
    ("broken", "elsewhere", "whole"),
    [
        ("It is a well-\ndefined rule.", "", "well-defined"),
        ("A trust-\nworthy man.", "He is trustworthy.", "trustworthy"),
        ("A multi-\nfactor test.", "All multi-factor tests.", "multi-factor"),
        ("The NASA-\nbacked plan.", "", "NASA-backed"),
        ("We met Anne-\nMarie there.", "", "Anne-Marie"),
        ("All COVID-\n19 cases.", "", "COVID-19"),
        ("It uses Java-\nScript only.", "JavaScript is used.", "JavaScript"),
    ],
)
def test_a_compound_keeps_its_hyphen(broken: str, elsewhere: str, whole: str) -> None:
    text = read_words([*lines(broken), *lines(elsewhere, y=300)]).text
    assert whole in text.split("\n\n")[0]


def test_two_words_of_the_document_keep_their_hyphen() -> None:
    known = (
        "A question is here. The question has a passage. That question is on\nthis passage, or on a passage."
    )
    text = read_words([*lines("Of the question-\npassage pairs."), *lines(known, y=300)]).text
    assert text.startswith("Of the question-passage pairs.")


def test_a_ligature_is_its_letters_and_they_share_its_place() -> None:
    parts = read_words([Words("eﬀect ﬁnd oﬃce")])
    page = parts.pages[0]
    assert parts.text == "effect find office"
    start = parts.text.index("find")
    letters = page.index[start : start + 2]
    assert {page.characters[each] for each in letters} <= set("ﬁfi")
    assert page.boxes[4 * letters[0] : 4 * letters[0] + 4] == page.boxes[4 * letters[1] : 4 * letters[1] + 4]


def test_soft_hyphens_controls_and_wide_blanks_go() -> None:
    parts = read_words([Words("co\u00adope\u00adrate   now\u00a0or  never\u200a.")])
    assert parts.text.replace("\u200a", "").replace(" .", ".") == "cooperate now or never."


def test_characters_beyond_the_first_plane_are_one() -> None:
    parts = read_words([Words("A 𝔸 b 😀 c")])
    assert parts.text == "A 𝔸 b 😀 c"
    page = parts.pages[0]
    for each in "𝔸😀":
        place = page.index[parts.text.index(each)]
        left, top, right, bottom = page.boxes[4 * place : 4 * place + 4]
        assert page.characters[place] == each and right > left and bottom > top


def test_a_font_without_unicode_is_doubtful() -> None:
    parts = read_words([Words("plain words"), Words("secret", y=120, unmapped=True)])
    page = parts.pages[0]
    assert parts.text.startswith("plain words")
    assert len(page.doubtful) == len(set("secret")) + 1
    assert all(place not in page.doubtful for place in page.index[: len("plain words")])


def test_chinese_lines_are_joined_without_a_blank() -> None:
    wrapped = lines(
        "在二十一世纪的今天我们使用许多软件\n，其中的安全问题很重要请使用\nNSAPI 插件以及其他的软件工具"
    )
    assert "软件，其中的安全问题很重要请使用 NSAPI 插件" in read_words(wrapped).text


def test_a_title_in_large_letters_is_a_heading() -> None:
    parts = read_words(
        [
            Words("Annual report", y=60, size=24),
            Words("First part", y=100, size=16, font="Helvetica-Bold"),
            *lines(PROSE, y=130),
            Words("Second part", y=230, size=16, font="Helvetica-Bold"),
            *lines(PROSE, y=260),
        ]
    )
    said = [(heading.span.of(parts.text), heading.level) for heading in parts.headings]
    assert said == [("Annual report", 1), ("First part", 2), ("Second part", 2)]


def test_bookmarks_say_what_is_a_heading_and_how_deep() -> None:
    pages = [
        Page([Words("1 Getting going"), *lines(PROSE, y=110), Words("Loud words", y=300, size=30)]),
        Page([Words("Going further"), *lines(PROSE, y=110)]),
    ]
    parts = read(small_pdf(pages, [("Getting going", 0, 1), ("Going further", 1, 2)]))
    said = [(heading.span.of(parts.text), heading.level) for heading in parts.headings]
    assert said == [("1 Getting going", 1), ("Going further", 2)]


def test_items_of_a_list_stand_on_lines_of_their_own() -> None:
    words = [Words("Bring these things with you, all of them, please:", y=60)]
    for number, item in enumerate(("a warm coat", "a lamp that works", "bread")):
        words += [Words("•", 90, 90 + 14 * number), Words(item, 112, 90 + 14 * number)]
    text = read_words(words).text
    assert text.endswith("please:\n\n• a warm coat\n• a lamp that works\n• bread")


def test_code_keeps_its_lines() -> None:
    code = lines("if (door) {\n  open();\n  walk();\n}", y=200, font="Courier")
    text = read_words([*lines(PROSE), *lines(PROSE, y=400), *code]).text
    assert "if (door) {\nopen();\nwalk();\n}" in text


def test_dots_of_a_table_of_contents_are_one_tab() -> None:
    text = read_words(
        [Words(f"{title} {'.' * 60} {page}", y=72 + 14 * page) for page, title in enumerate(("Now", "Later"))]
    ).text
    assert text == "Now\t0\nLater\t1"


def raised(*pieces: str, rotation: int = 0) -> str:
    """The text of pieces that stand close to each other in one line, each that begins with ^ small and raised."""
    words, x = [], 72.0
    for piece in pieces:
        mark = piece.startswith("^")
        piece, size = piece.lstrip("^"), 6 if mark else 10
        words.append(Words(piece, x, 96 if mark else 100, size, "Courier"))
        x += 0.6 * size * len(piece)
    return read(small_pdf([Page(words, rotation=rotation)])).text


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        (["^1", "Instances with short answers"], "1 Instances with short answers"),
        (["^12", "While this holds"], "12 While this holds"),
        (["^8", "We use"], "8 We use"),
        (["*", "Work done"], "*Work done"),
        (["three annotators", "^5", " marked"], "three annotators 5 marked"),
        (["the corpus", "^3", ") and"], "the corpus 3) and"),
        (["Ada Lamm", "^1,2*", ", Bob Lee", "^†", ", Carl"], "Ada Lamm 1,2*, Bob Lee†, Carl"),
        (["it is public.", "^2", " Next"], "it is public. 2 Next"),
        (["all of the time.", "^14", " Then"], "all of the time. 14 Then"),
        (
            ["(five of them).", "^12", " We,", "^3", " the others,", "^7", " too"],
            "(five of them). 12 We,3 the others, 7 too",
        ),
        # What is no mark of a note.
        (["at 98.", "^6", " per cent, of 3.5", "^2", " and No.", "^3"], "at 98.6 per cent, of 3.52 and No.3"),
        (["so many ppb.", "^1", " of MPa,", "^2"], "so many ppb.1 of MPa,2"),
        (["10", "^7", " cells in 5 cm", "^2", " and x", "^2"], "107 cells in 5 cm2 and x2"),
        (["the ", "^14", "C method, the 21", "^st", " century"], "the 14C method, the 21st century"),
        (["of 4 GeV", "^2", " and 3 MeV", "^2"], "of 4 GeV2 and 3 MeV2"),
        (["per Mpc", "^3", ", 5 MPa", "^2", ", 2 Chi", "^2"], "per Mpc3, 5 MPa2, 2 Chi2"),
        (
            ["5 arcmin", "^2", " and 6 feet", "^2", " of cosh", "^2", "(x)"],
            "5 arcmin2 and 6 feet2 of cosh2(x)",
        ),
        (["Square centimetres", "^2", " and costs", "^2", "/n"], "Square centimetres2 and costs2/n"),
        (
            ["of Ser", "^473", " by ", "^137", "Cs and ", "^90", "Sr in ", "^14", "CO2"],
            "of Ser473 by 137Cs and 90Sr in 14CO2",
        ),
        (["two metres", "^12", " wide"], "two metres 12 wide"),
        (["word2vec, Table4 and 3Dmodels"], "word2vec, Table4 and 3Dmodels"),
    ],
)
def test_the_mark_of_a_note_is_parted_from_words(pieces: list[str], text: str) -> None:
    assert raised(*pieces) == text
    assert raised(*pieces, rotation=90) == text


def test_words_beside_the_mark_of_a_note_are_read_back() -> None:
    parts = read(small_pdf([Page([Words("annotators", 72, 100, 10, "Courier"), Words("5", 132, 96, 6, "Courier"),
                                  Words(" marked", 136, 100, 10, "Courier")])]))  # fmt: skip
    assert parts.text == "annotators 5 marked"
    for words in ("annotators", "annotators 5", "5 marked", "annotators 5 marked"):
        start = parts.text.index(words)
        assert mark_on_pages(parts.pages, Span(start, start + len(words)), words).reason == ""


def test_a_raised_mark_stays_in_its_line() -> None:
    width = 53  # as wide as the first words
    text = read_words(
        [Words("Helvetica!", 72), Words("1", 72 + width, 67, 7), Words(", and more", 76 + width)]
    ).text
    assert text.startswith("Helvetica! 1, and more")


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
@pytest.mark.parametrize("crop", [None, (30, 40, 400, 500)])
@pytest.mark.parametrize("angle", [0, 90, 180, 270])
def test_boxes_lie_where_the_ink_is(
    rotation: int, crop: tuple[float, float, float, float] | None, angle: int
) -> None:
    page = Page(
        [Words("Where is it", 200, 400, 20, angle=angle)],
        width=500,
        height=700,
        rotation=rotation,
        crop=crop,
        left=10,
        bottom=20,
    )
    data = small_pdf([page])
    parts = read(data)
    assert parts.text == "Where is it"
    shown = parts.pages[0]
    document = pypdfium2.PdfDocument(data)
    bitmap = document[0].render(scale=1, grayscale=True)
    assert (bitmap.width, bitmap.height) == (round(shown.width), round(shown.height))
    dark = [
        (place % bitmap.stride, place // bitmap.stride)
        for place, value in enumerate(bytes(bitmap.buffer))
        if value < 128 and place % bitmap.stride < bitmap.width
    ]
    boxes = [shown.boxes[4 * each : 4 * each + 4] for each in shown.index if each >= 0]
    assert len(dark) > 50
    for x, y in dark:
        assert any(
            left - 1 <= x + 0.5 <= right + 1 and top - 1 <= y + 0.5 <= bottom + 1
            for left, top, right, bottom in boxes
        )
    for each, character in zip(boxes, parts.text, strict=True):
        left, top, right, bottom = each
        assert character == " " or any(left <= x + 0.5 <= right and top <= y + 0.5 <= bottom for x, y in dark)


def test_a_page_on_its_side_reads_like_one_upright() -> None:
    upright = lines(PROSE)
    turned = Page(
        [Words(word.text, word.y, 612 - word.x, word.size, angle=90) for word in upright],
        width=792,
        height=612,
        rotation=90,
    )
    assert read_words(turned).text == WHOLE


def test_words_up_the_edge_are_not_mixed_into_the_text() -> None:
    parts = read_words([Words("arXiv:1234.5678 of March", 30, 500, 20, angle=90), *lines(PROSE)])
    assert parts.text == f"{WHOLE}\n\narXiv:1234.5678 of March"


def test_pages_without_text_are_empty_spans() -> None:
    parts = read_words(Page(), lines(PROSE), Page())
    assert [len(page.span) for page in parts.pages] == [0, len(WHOLE), 0]
    assert read_words(Page()).text == ""


def test_a_document_without_pages_is_empty() -> None:
    document = pypdfium2.PdfDocument.new()
    parts = read_pages(document, Silent())
    assert (parts.text, parts.pages, parts.headings) == ("", (), ())


def test_labels_and_sizes_are_those_of_the_pages() -> None:
    parts = read(small_pdf([Page(width=300, height=400), Page(rotation=90)], labels=["i", "ii"]))
    assert [page.label for page in parts.pages] == ["i", "ii"]
    odd = read(small_pdf([Page()] * 3, labels=[" A\n\x07-1\u202e ", "x" * 31, "\t"]))
    assert [page.label for page in odd.pages] == ["A -1", "", ""]
    assert [(page.width, page.height) for page in parts.pages] == [(300, 400), (792, 612)]


def test_a_page_that_cannot_be_read_is_empty() -> None:
    data = small_pdf([Page(lines(PROSE)), Page(lines(PROSE)), Page(lines(PROSE))])
    broken = data.replace(b"/Type /Page ", b"/Type /Pear ", 2).replace(b"/Type /Pear ", b"/Type /Page ", 1)
    parts = read(broken)
    assert parts.pages[0].span.of(parts.text).strip() == WHOLE


def test_words_a_million_points_away_do_no_harm() -> None:
    far = [
        Words("far", 1e9, 72),
        Words("near", 72, 72),
        Words("off", -1e8, 1e12),
        Words("huge", 72, 300, 1e7),
    ]
    parts = read_words([*far, Words("tiny", 72, 400, 1e-5), Words("flat", 72, 500, 0)])
    assert "near" in parts.text


@pytest.mark.long
def test_a_page_of_very_many_words_is_read_in_time() -> None:
    chance = random.Random(5)
    words = [
        Words(
            "a b c d e f g h i j",
            chance.random() * 600,
            chance.random() * 790,
            3,
            angle=chance.choice([0, 0, 90, 45]),
        )
        for _ in range(2500)
    ]
    parts = read_words(words)
    assert parts.text.count("a b") > 500


def test_reading_tells_how_far_it_is_and_stops_when_told() -> None:
    class Watched(Silent):
        def __init__(self, left: int) -> None:
            self.left = left
            self.seen: list[Progress] = []

        def progress(self, progress: Progress) -> None:
            self.seen.append(progress)

        def check(self) -> None:
            self.left -= 1
            if not self.left:
                raise Stopped

    data = small_pdf([Page(lines(PROSE))] * 5)
    watched = Watched(1000)
    read(data, watched)
    assert [each.done for each in watched.seen] == [0, 1, 2, 3, 4, 5]
    assert all(each.total == 5 for each in watched.seen)
    stopped = Watched(3)
    with pytest.raises(Stopped):
        read(data, stopped)
    assert len(stopped.seen) < 5


LETTERS = "abcdefghij ABC.,-()'\"012ﬁﬂéßжאבגש中文，。😀\u00ad"


@given(
    st.lists(
        st.tuples(
            st.text(LETTERS, min_size=1, max_size=30),
            st.integers(0, 600),
            st.integers(0, 790),
            st.sampled_from([6.0, 10.0, 10.0, 10.0, 18.0]),
            st.sampled_from([0, 0, 0, 90, 180, 33]),
        ),
        max_size=14,
    )
)
def test_every_code_point_is_the_character_that_it_was_read_from(
    written: list[tuple[str, int, int, float, int]],
) -> None:
    words = [Words(text, x, y, size, angle=angle) for text, x, y, size, angle in written]
    read_words(words, words)


@given(
    st.lists(
        st.lists(st.text("abcdefg", min_size=1, max_size=8), min_size=1, max_size=6), min_size=1, max_size=8
    )
)
def test_no_word_of_any_lines_is_lost(written: list[list[str]]) -> None:
    text = read_words(lines("\n".join(" ".join(row) for row in written))).text
    assert text.split() == [word for row in written for word in row]


def test_what_is_not_of_the_page_is_only_blanks() -> None:
    parts = read_words(lines(PROSE), lines(PROSE))
    put_in = [
        character
        for page in parts.pages
        for place, character in zip(page.index, page.span.of(parts.text), strict=True)
        if place < 0
    ]
    assert put_in and set(put_in) <= set(" \n\t")
    assert all(unicodedata.category(each) in ("Zs", "Cc") for each in put_in)
