"""PDF text on small pages: paragraphs, joins, places of characters, and pages that are none."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.pages import mark_on_pages
from app.core.report import Progress, Silent, Stopped
from app.core.text import Span
from tests.helpers.pdf_pages import read, read_words
from tests.helpers.small_pdfs import Page, Words, lines, small_pdf

PROSE = (
    "The quick brown fox jumps over the lazy dog and\n"
    "then it runs through the long grass of the field\n"
    "until the evening comes and the moon is up above\n"
    "the hill."
)
WHOLE = PROSE.replace("\n", " ")
FIRST_LINE = PROSE.split("\n")[0]


@pytest.mark.parametrize(
    ("page", "text"),
    [
        pytest.param(lines(PROSE), WHOLE, id="lines of a paragraph are joined"),
        pytest.param([*lines(PROSE), *lines(PROSE, y=150)], f"{WHOLE}\n\n{WHOLE}", id="a gap"),
        pytest.param(
            [*lines(PROSE), Words(FIRST_LINE, 90, 128), *lines(PROSE, y=128)[1:]],
            f"{WHOLE}\n\n{WHOLE}",
            id="an indent",
        ),
        pytest.param(
            lines("We propose a lin-\nguistically informed and extens-\nible frame."),
            "We propose a linguistically informed and extensible frame.",
            id="a word broken at a line's end",
        ),
        pytest.param(
            [Words("co\u00adope\u00adrate   now\u00a0or  never.")],
            "cooperate now or never.",
            id="soft hyphens, blanks",
        ),
        pytest.param(
            lines(
                "在二十一世纪的今天我们使用许多软件\n，其中的安全问题很重要请使用\nNSAPI 插件以及其他的软件工具"
            ),
            "在二十一世纪的今天我们使用许多软件，其中的安全问题很重要请使用 NSAPI 插件以及其他的软件工具",
            id="Chinese lines",
        ),
        pytest.param(
            [
                Words("Bring these things with you, all of them, please:", y=60),
                *[Words("•", 90, 90), Words("a warm coat", 112, 90)],
                *[Words("•", 90, 104), Words("a lamp that works", 112, 104)],
            ],
            "Bring these things with you, all of them, please:\n\n• a warm coat\n• a lamp that works",
            id="items of a list",
        ),
        pytest.param(
            [*lines(PROSE), *lines("if (door) {\n  open();\n  walk();\n}", y=200, font="Courier")],
            f"{WHOLE}\n\nif (door) {{\nopen();\nwalk();\n}}",
            id="lines of code",
        ),
        pytest.param(
            [
                Words("(3) What the harbour master and his two clerks do.", font="Helvetica-Bold"),
                Words("(4) How the keys of the northern warehouse of the", y=100, font="Helvetica-Bold"),
                Words("harbour are kept.", y=114, font="Helvetica-Bold"),
                Words("One of the clerks has them in a box.", 174, 114),
            ],
            "(3) What the harbour master and his two clerks do.\n(4) How the keys of the northern warehouse of the "
            "harbour are kept. One of the clerks has them in a box.",
            id="bold words that run on into the next line",
        ),
        pytest.param(
            lines(f"Now {'.' * 60} 0\nLater {'.' * 60} 1"),
            "Now\t0\nLater\t1",
            id="dots of a table of contents",
        ),
        pytest.param(
            [Words("Helvetica!", 72), Words("1", 125, 67, 7), Words(", and more", 129)],
            "Helvetica! 1, and more",
            id="a raised mark stays in its line",
        ),
        pytest.param(
            Page(
                [Words(each.text, each.y, 612 - each.x, each.size, angle=90) for each in lines(PROSE)],
                width=792,
                height=612,
                rotation=90,
            ),
            WHOLE,
            id="a page on its side",
        ),
        pytest.param(
            [Words("arXiv:1234.5678 of March", 30, 500, 20, angle=90), *lines(PROSE)],
            f"{WHOLE}\n\narXiv:1234.5678 of March",
            id="words up the edge",
        ),
    ],
)
def test_words_of_a_page_become_text(page: list[Words] | Page, text: str) -> None:
    assert read_words(page).text == text


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
        (
            "Of the question-\npassage pairs.",
            "A question is here. The question has a passage. That question is on\nthis passage, or on a passage.",
            "question-passage",
        ),
    ],
)
def test_a_compound_keeps_its_hyphen(broken: str, elsewhere: str, whole: str) -> None:
    text = read_words([*lines(broken), *lines(elsewhere, y=300)]).text
    assert whole in text.split("\n\n")[0]


def test_a_ligature_is_its_letters_and_they_share_its_place() -> None:
    parts = read_words([Words("eﬀect ﬁnd oﬃce")])
    page = parts.pages[0]
    assert parts.text == "effect find office"
    start = parts.text.index("find")
    letters = page.index[start : start + 2]
    assert {page.characters[each] for each in letters} <= set("ﬁfi")
    assert page.boxes[4 * letters[0] : 4 * letters[0] + 4] == page.boxes[4 * letters[1] : 4 * letters[1] + 4]


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


def test_pages_without_text_are_empty_spans() -> None:
    parts = read_words(Page(), lines(PROSE), Page())
    assert [len(page.span) for page in parts.pages] == [0, len(WHOLE), 0]
    assert read_words(Page()).text == ""


def test_labels_and_sizes_are_those_of_the_pages() -> None:
    parts = read(small_pdf([Page(width=300, height=400), Page(rotation=90)], labels=["i", "ii"]))
    assert [page.label for page in parts.pages] == ["i", "ii"]
    odd = read(small_pdf([Page()] * 3, labels=[" A\n\x07-1\u202e ", "x" * 31, "\t"]))
    assert [page.label for page in odd.pages] == ["A -1", "", ""]
    assert [(page.width, page.height) for page in parts.pages] == [(300, 400), (792, 612)]


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
