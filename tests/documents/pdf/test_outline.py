"""A PDF's bookmarks as places of its text."""

from __future__ import annotations

from collections.abc import Container

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.layout import OutlineEntry
from app.core.report import Silent
from app.documents.parts import Parts
from app.documents.pdf.document import read_pdf
from app.documents.pdf.lines import Line
from app.documents.pdf.outline import headings_of
from app.documents.pdf.paragraphs import Block, Measures
from tests.helpers.small_pdfs import Page, Words, lines, small_pdf

PROSE = "The tide rises twice a day.\nIt falls twice as well.\nThe moon is what draws it."
PAGES = [
    Page([Words("1 Getting going"), *lines(PROSE, y=110)]),
    Page([Words("Going further", y=300), *lines(PROSE, y=340), *lines(PROSE, y=500)]),
    Page(),
]


def read(data: bytes) -> Parts:
    return read_pdf(data, "tides.pdf", "", Silent())


def test_a_bookmark_leads_to_the_heading_of_its_words() -> None:
    parts = read(small_pdf(PAGES, [("1. Getting Going", 0, 1), ("Going further", 1, 2)]))
    assert parts.outline == (
        OutlineEntry("1. Getting Going", 1, 0, 1),
        OutlineEntry("Going further", 2, parts.text.index("Going further"), 2),
    )


def test_one_of_other_words_leads_to_its_height_on_the_page_or_to_its_top() -> None:
    titles = [("Getting going", 0, 1), ("The second half", 1, 1)]
    at_height = read(small_pdf(PAGES, titles, view="/XYZ 0 305 0"))  # 792 points high
    (_, second) = at_height.outline
    assert (
        at_height.text[second.point :].startswith("The tide")
        and at_height.text[: second.point].count("The tide") == 2
    )
    for view in ("/Fit", "/XYZ null null null", "/FitH 9000", "/XYZ 0 -50 0"):
        (_, second) = read(small_pdf(PAGES, titles, view=view)).outline
        assert second.page == 2 and second.point == at_height.pages[1].span.start


def test_a_page_without_text_can_be_led_to() -> None:
    assert read(small_pdf(PAGES, [("The map", 2, 1)])).outline[0].page == 3


@pytest.mark.parametrize("title", ["", " \t ", "\u202e"])
def test_what_has_no_title_is_left_out(title: str) -> None:
    assert [each.title for each in read(small_pdf(PAGES, [(title, 0, 1), ("Tides", 1, 1)])).outline] == [
        "Tides"
    ]


def test_titles_are_made_legible_and_cut_and_levels_end() -> None:
    deep = [
        ("A\u202eB\nC", 0, 1),
        ("x" * 5000, 0, 2),
        *((f"Level {level}", 1, level) for level in range(3, 30)),
    ]
    outline = read(small_pdf(PAGES, deep)).outline
    assert outline[0].title == "AB C" and len(outline[1].title) <= 200
    assert max(each.level for each in outline) == 6


def test_a_circle_of_bookmarks_ends() -> None:
    data = small_pdf(PAGES, [("One", 0, 1), ("Two", 1, 1)])
    first = int(data.split(b"/First ")[1].split()[0])
    looped = data.replace(b"/Prev %d 0 R" % first, b"/Next %d 0 R" % first)
    assert len(read(looped).outline) == 2


@given(
    st.lists(
        st.tuples(st.text(min_size=1, max_size=30), st.integers(0, len(PAGES) - 1), st.integers(1, 9)),
        max_size=12,
    ),
    st.sampled_from(
        ["/Fit", "/XYZ 0 300 0", "/FitH 99999", "/FitR 0 0 1 1", "/XYZ", "/Nothing 1", "/FitBH -9"]
    ),
)
def test_every_entry_is_a_place_on_its_page(titles: list[tuple[str, int, int]], view: str) -> None:
    parts = read(small_pdf(PAGES, titles, view=view))
    for entry in parts.outline:
        page = parts.pages[entry.page - 1].span
        assert page.start <= entry.point <= page.end <= len(parts.text)
        assert entry.title.strip() and 1 <= entry.level <= 6


def block(text: str, size: float, page: int = 0) -> Block:
    """A bold line as a block."""
    return Block([Line([], 72, 72 + 5 * len(text), 72, size, True, 0, len(text), page, text)], [""])


@pytest.mark.parametrize(("recognised", "wanted"), [({0}, [1, 2, 3, 2]), ((), [1, 3, 2, 3])])
def test_nothing_is_under_what_was_recognised_in_a_size_like_few_others(
    recognised: Container[int], wanted: list[int]
) -> None:
    tides = [block(f"{at} Tides of month", 11) for at in range(1, 6)]
    blocks = [block("The harbour", 16), tides[0], block("My(Ysm) + Sm(Gx,Jy) + Sela", 14), *tides[1:]]
    levels = headings_of(blocks, [], Measures(11), recognised)
    formula = 2 in levels
    assert formula is not bool(recognised), "what is not of words is no heading there"
    authors = [*blocks[:2], block("Ada, Grace and Alan", 14), *tides[1:]]
    found = headings_of(authors, [], Measures(11), recognised)
    assert [found[at] for at in (0, 1, 2, 3)] == wanted
