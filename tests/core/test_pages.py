"""Spans of the text mapped to boxes on pages and back, and highlights that are refused."""

from __future__ import annotations

import random
import unicodedata
from timeit import repeat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.layout import PageText
from app.core.pages import (
    PagePlace,
    character_at,
    mark_on_pages,
    places_of,
    text_between,
)
from app.core.text import Span
from tests.helpers.page_texts import NOWHERE, PageMaker, characters_under, text_of

LIGATURES = {"\ufb01": "fi", "\ufb03": "ffi"}
LETTERS = [*"abcdefgxyz0123.,;()", *"אבגדה", *"漢字", "\U0001f600", "\U00010330", "é", *LIGATURES]
MARKS = "\u0301\u05b8"


def letters_of(text: str) -> str:
    """Return the text without what comparisons ignore, computed independently of the code under test."""
    for joined, apart in LIGATURES.items():
        text = text.replace(joined, apart)
    return unicodedata.normalize("NFC", "".join(text.split()))


@st.composite
def made_pages(draw: st.DrawFn) -> tuple[str, tuple[PageText, ...]]:
    """Generate one to three pages of one or two columns with lines of any direction, some words divided by a hyphen."""
    word = st.lists(st.sampled_from(LETTERS), min_size=1, max_size=6)
    makers: list[PageMaker] = []
    for _ in range(draw(st.integers(1, 3))):
        maker = PageMaker(sum(len(done.text) for done in makers))
        size = draw(st.sampled_from([8.0, 10.0, 12.0]))
        pitch = size * draw(st.sampled_from([1.0, 1.15, 1.5]))
        for column in range(draw(st.integers(1, 2))):
            for row in range(draw(st.integers(1, 4))):
                _line(
                    draw, maker, draw(st.lists(word, min_size=1, max_size=4)), column, 50 + row * pitch, size
                )
        makers.append(maker)
    return text_of(*makers), tuple(maker.page() for maker in makers)


def _line(
    draw: st.DrawFn, maker: PageMaker, words: list[list[str]], column: int, top: float, size: float
) -> None:
    left, right = 40 + 270 * column, 300 + 270 * column
    backwards = draw(st.booleans())
    edge = right if backwards else left

    def step(width: float) -> tuple[float, float, float, float]:
        nonlocal edge
        near = edge - width if backwards else edge
        edge = near if backwards else near + width
        return near, top, near + width, top + 1.2 * size

    for number, word in enumerate(words):
        if number:
            maker.put(" ", draw(st.sampled_from([NOWHERE, step(0.3 * size)])))
        for letter in word:
            raised = draw(st.integers(0, 9)) == 0
            box = step(size * draw(st.sampled_from([0.25, 0.5, 0.7])))
            if raised:
                box = (box[0], box[1] - 0.1 * size, box[2], box[1] + 0.6 * size)
            maker.put(letter, box, LIGATURES.get(letter))
            if draw(st.integers(0, 9)) == 0:
                maker.put(draw(st.sampled_from(MARKS)), (box[0], box[1], box[0], box[3]))
    if draw(st.booleans()):
        maker.put(draw(st.sampled_from("-\x02\u00ad\u2010")), step(0.3 * size), read="")
        maker.end_line("")
    else:
        maker.end_line()


def is_whole(pages: tuple[PageText, ...], span: Span) -> bool:
    """Whether a span begins and ends between characters of the page."""
    for page in pages:
        for end in (span.start, span.end):
            place = end - page.span.start
            if 0 < place < len(page.index) and page.index[place] == page.index[place - 1] >= 0:
                return False
    return True


@given(made_pages(), st.data())
def test_any_words_are_found_under_their_boxes_again(
    made: tuple[str, tuple[PageText, ...]], data: st.DataObject
) -> None:
    text, pages = made
    start = data.draw(st.integers(0, len(text) - 1))
    span = Span(start, data.draw(st.integers(start + 1, len(text))))
    words = span.of(text)
    mark = mark_on_pages(pages, span, words)
    assert mark.places == places_of(pages, span)
    if not words.strip():
        assert mark.reason == "There are no words to mark."
    elif is_whole(pages, span):
        assert mark.reason == ""
        own = {
            (number, character)
            for number, page in enumerate(pages)
            for place, character in enumerate(page.index, page.span.start)
            if span.start <= place < span.end and character >= 0
        }
        under = characters_under(pages, mark.places)
        for character in "-\x02\u00ad\u2010":
            under = under.replace(character, "")
        for character in MARKS:  # drawn over the letter before, without a width of their own
            under, words = under.replace(character, ""), words.replace(character, "")
        assert letters_of(under) == letters_of(words), (words, under, own)
    else:
        assert mark.reason


@given(made_pages(), st.data())
def test_other_words_are_never_marked(made: tuple[str, tuple[PageText, ...]], data: st.DataObject) -> None:
    text, pages = made
    start = data.draw(st.integers(0, len(text) - 1))
    span = Span(start, data.draw(st.integers(start + 1, len(text))))
    place = data.draw(st.integers(0, len(span) - 1))
    wrong = span.of(text)[:place] + "Q" + span.of(text)[place + 1 :]
    assert mark_on_pages(pages, span, wrong).reason != ""


@given(made_pages(), st.data())
def test_boxes_lie_on_the_page_and_apart(made: tuple[str, tuple[PageText, ...]], data: st.DataObject) -> None:
    text, pages = made
    start = data.draw(st.integers(0, len(text) - 1))
    places = places_of(pages, Span(start, data.draw(st.integers(start + 1, len(text)))))
    assert [place.page for place in places] == sorted({place.page for place in places})
    for place in places:
        assert place.boxes
        for number, box in enumerate(place.boxes):
            assert 0 <= box.left < box.right <= 600
            assert 0 <= box.top < box.bottom <= 800
            for other in place.boxes[number + 1 : number + 2]:
                shared = min(box.right, other.right) - max(box.left, other.left)
                above = min(box.bottom, other.bottom) - max(box.top, other.top)
                assert shared <= 0 or above <= 1e-6, (box, other)


def one_page(*lines: str, pitch: float = 14) -> tuple[str, tuple[PageText, ...]]:
    maker = PageMaker()
    for row, words in enumerate(lines):
        maker.line(words, 50, 50 + row * pitch)
        maker.end_line()
    return text_of(maker), (maker.page(),)


def span_of(text: str, words: str) -> Span:
    return Span(text.index(words), text.index(words) + len(words))


def test_a_line_is_one_box() -> None:
    text, pages = one_page("the tide is highest at noon")
    (place,) = places_of(pages, span_of(text, "highest at noon"))
    assert place.page == 0
    (box,) = place.boxes
    assert box == pytest.approx((50 + 12 * 6, 50, 50 + 27 * 6, 62))


def test_columns_and_pages_have_boxes_of_their_own() -> None:
    left, right = PageMaker(), PageMaker()
    for row, words in enumerate(("one two", "three")):
        left.line(words, 50, 50 + 12 * row)
        left.end_line()
    left.line("four", 300, 50)
    left.end_line()
    right.start = len(left.text)
    right.line("five", 50, 50)
    text, pages = text_of(left, right), (left.page(), right.page())
    mark = mark_on_pages(pages, span_of(text, "two\nthree\nfour\nfive"), "two three four five")
    assert mark.reason == ""
    assert [(place.page, len(place.boxes)) for place in mark.places] == [(0, 3), (1, 1)]
    assert characters_under(pages, mark.places).split() == ["two", "three", "four", "five"]


def test_cells_of_a_row_are_not_joined_over_the_gap() -> None:
    maker = PageMaker()
    maker.line("item", 50, 50)
    maker.insert("\t")
    maker.line("price", 200, 50)
    (place,) = places_of([maker.page()], Span(0, len(maker.text)))
    assert len(place.boxes) == 2


def test_a_hyphen_at_a_line_end_is_lit_and_not_read() -> None:
    maker = PageMaker()
    maker.line("infor", 50, 50)
    maker.put("-", (80, 50, 84, 62), read="")
    maker.end_line("")
    maker.line("mation", 50, 64)
    mark = mark_on_pages([maker.page()], Span(0, 11), "information")
    assert mark.reason == ""
    assert mark.places[0].boxes[0].right == 84
    assert mark_on_pages([maker.page()], Span(0, 11), "infor-mation").reason


def test_lines_so_close_that_they_overlap_share_an_edge() -> None:
    text, pages = one_page("aaaa bbbb", "cccc dddd", pitch=8)
    span = span_of(text, "bbbb\ncccc d")
    mark = mark_on_pages(pages, span, span.of(text))
    assert mark.reason == ""
    first, second = mark.places[0].boxes
    assert first.bottom == second.top


def test_a_neighbouring_line_inside_the_box_is_kept_out() -> None:
    maker = PageMaker()
    maker.line("big", 50, 50, size=20)  # 24 high, its middle at 62
    maker.end_line()
    maker.line("small", 50, 66, size=4)  # its middle at 68.4, inside the box of the line above
    mark = mark_on_pages([maker.page()], Span(0, 3), "big")
    assert mark.reason == ""
    assert characters_under([maker.page()], mark.places) == "big"
    assert 62 < mark.places[0].boxes[0].bottom < 68.4


def test_what_parts_the_words_of_a_line_parts_the_box() -> None:
    """Of words in two directions, those read together are apart on the line."""
    maker = PageMaker()
    maker.line("ab", 50, 50)
    maker.line("ef", 74, 50)
    maker.line("cd", 62, 50)
    mark = mark_on_pages([maker.page()], Span(0, 4), "abef")
    assert mark.reason == ""
    assert characters_under([maker.page()], mark.places) == "abef"
    assert len(mark.places[0].boxes) == 2


def test_words_that_lie_over_others_are_not_marked() -> None:
    maker = PageMaker()
    maker.line("over", 50, 50)
    maker.end_line()
    maker.line("under", 51, 50)
    mark = mark_on_pages([maker.page()], Span(0, 4), "over")
    assert mark.reason == "Other words lie over these on the page."
    assert mark.places, "the page can still be shown"


def test_print_that_feigns_bold_is_marked() -> None:
    maker = PageMaker()
    maker.line("bold", 50, 50)
    for place, letter in enumerate("bold"):
        left = 50.3 + 6 * place
        maker.put(letter, (left, 50, left + 6, 62), read="")
    assert mark_on_pages([maker.page()], Span(0, 4), "bold").reason == ""


def test_letters_that_are_not_named_by_their_font_or_not_drawn_are_not_marked() -> None:
    maker = PageMaker()
    maker.line("ab\ufffd", 50, 50)
    maker.put("c")
    pages = (maker.page(frozenset({1})),)
    reasons = ["", *["The font of these words does not say which letters they are."] * 2]
    for at, reason in enumerate((*reasons, "Some of these words are not drawn on the page.")):
        assert mark_on_pages(pages, Span(at, at + 1), maker.text[at]).reason == reason


@pytest.mark.parametrize(
    ("characters", "read", "words"),
    [
        ("\ufb01t", ("fi", "t"), "fit"),
        ("\ufefb", ("\u0644\u0627",), "\u0644\u0627"),
        ("a\u00ad", ("a", "\u00ad"), "a"),
        ("a\u2010b", ("a", "-", "b"), "a-b"),
        ("a\x02b", ("a", "-", "b"), "a-b"),
    ],
)
def test_one_letter_in_two_forms_is_the_same(characters: str, read: tuple[str, ...], words: str) -> None:
    maker = PageMaker()
    for place, character in enumerate(characters):
        maker.put(character, (50 + 6 * place, 50, 56 + 6 * place, 62), read[place])
    mark = mark_on_pages([maker.page()], Span(0, len(maker.text)), words)
    assert mark.reason == ""


@pytest.mark.parametrize(
    ("said", "words"), [("Ab", "ab"), ("1²", "12"), ("a–b", "a-b"), ("ａ", "a"), ("l1", "ll")]
)
def test_letters_that_only_look_alike_differ(said: str, words: str) -> None:
    text, pages = one_page(said)
    assert (
        mark_on_pages(pages, span_of(text, said), words).reason
        == "The page does not say exactly these words."
    )


def test_without_pages_or_words_nothing_is_marked() -> None:
    assert mark_on_pages((), Span(0, 3), "abc").reason == "The document has no pages."
    text, pages = one_page("ab cd")
    assert mark_on_pages(pages, Span(2, 3), text[2:3]).reason == "There are no words to mark."
    assert places_of(pages, Span(2, 2)) == ()
    assert places_of((), Span(0, 3)) == ()
    assert characters_under(pages, [PagePlace(0, ())]) == ""


def test_a_page_without_characters_lies_between() -> None:
    one, empty, two = PageMaker(), PageMaker(start=4), PageMaker(start=4)
    one.line("one", 50, 50)
    one.insert("\n")
    two.line("two", 50, 50)
    pages = (one.page(), empty.page(), two.page())
    mark = mark_on_pages(pages, Span(0, 7), "one two")
    assert mark.reason == ""
    assert [place.page for place in mark.places] == [0, 2]


def test_the_character_at_a_point() -> None:
    maker = PageMaker()
    maker.line("a long line of words", 50, 50)  # to x = 170
    maker.end_line()
    maker.line("short", 50, 64)  # to x = 80
    maker.end_line()
    maker.line("aside", 300, 60)
    page = maker.page()
    assert character_at(page, 51, 55) == 0
    assert character_at(page, 20, 20) == 0
    assert page.characters[character_at(page, 165, 70)] == "t", "beside a short line it is that line's end"
    assert page.characters[character_at(page, 500, 66)] == "e"
    assert page.characters[character_at(page, 60, 200)] == "h", "the nearest, not what lies level elsewhere"
    assert character_at(PageText(600, 800, Span(0, 0)), 5, 5) == -1
    undrawn = PageMaker()
    undrawn.put("a")
    assert character_at(undrawn.page(), 5, 5) == -1


@given(made_pages(), st.data())
def test_the_middle_of_a_character_is_its_own(
    made: tuple[str, tuple[PageText, ...]], data: st.DataObject
) -> None:
    _, pages = made
    page = data.draw(st.sampled_from(pages))
    drawn = [
        number
        for number in range(len(page.characters))
        if page.boxes[4 * number + 2] > page.boxes[4 * number]
    ]
    number = data.draw(st.sampled_from(drawn))
    left, top, right, bottom = page.boxes[4 * number : 4 * number + 4]
    found = character_at(page, (left + right) / 2, (top + bottom) / 2)
    box = page.boxes[4 * found : 4 * found + 4]
    assert box[0] <= (left + right) / 2 <= box[2]
    assert box[1] <= (top + bottom) / 2 <= box[3]


@given(made_pages(), st.data())
def test_a_selection_is_the_text_between_two_characters(
    made: tuple[str, tuple[PageText, ...]], data: st.DataObject
) -> None:
    text, pages = made
    page = data.draw(st.sampled_from(pages))
    ends = data.draw(st.tuples(*[st.integers(0, len(page.characters) - 1)] * 2))
    span = text_between(page, *ends)
    assert page.span.start <= span.start <= span.end <= page.span.end
    read = [
        place for place, number in enumerate(page.index, page.span.start) if min(ends) <= number <= max(ends)
    ]
    assert span == (Span(read[0], read[-1] + 1) if read else Span(page.span.start, page.span.start))
    assert text_between(page, ends[1], ends[0]) == span
    assert len(text) >= span.end


def test_a_page_full_of_characters_is_marked_in_a_few_milliseconds() -> None:
    maker, chance = PageMaker(), random.Random(5)
    for row in range(60):
        maker.line("".join(chance.choice("abcdefg ") for _ in range(84)), 40, 20 + 12 * row)
        maker.end_line()
    page, text = maker.page(), text_of(maker)
    assert len(page.characters) > 5000
    span = Span(2000, 2200)
    for work in (
        lambda: mark_on_pages([page], span, span.of(text)),
        lambda: character_at(page, 300, 400),
    ):
        assert min(repeat(work, number=1)) < 0.03  # about 0.004 on an idle machine
