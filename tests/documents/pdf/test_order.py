"""The order of reading on small pages: columns, tables, what stands between, running heads, right to left."""

from __future__ import annotations

import textwrap
from itertools import zip_longest

import pytest

from app.documents.numerals import numeral
from app.documents.pdf.lines import Line
from app.documents.pdf.order import across_tables
from tests.helpers.pdf_pages import read_words
from tests.helpers.small_pdfs import Page, Words, lines

LEFT = (
    "The left column is read first, and its lines go on below one another for so long as there is room for them "
    "on the page, which is seven lines from here, counted by hand on a winter evening in the kitchen, with the "
    "radio playing an old song that nobody had asked for."
)
RIGHT = (
    "Then the right column comes, and what it says has nothing to do with what is on its left; whoever mixes them "
    "up and reads across the gap between the two makes nonsense out of both of them, as a good many programs "
    "have done since the first of them was written."
)


def wrapped(text: str, x: float, y: float = 100, width: int = 38) -> list[Words]:
    """A column of letters that are 5.4 points wide."""
    return lines("\n".join(textwrap.wrap(text, width)), x, y, 11, 9, "Courier")


def columns(
    left: str = LEFT, right: str = RIGHT, gap: float = 20, y: float = 100
) -> tuple[list[Words], list[Words]]:
    return wrapped(left, 60, y), wrapped(right, 60 + 38 * 5.4 + gap, y)


def mixed(left: list[Words], right: list[Words]) -> list[Words]:
    return [word for pair in zip(left, right, strict=True) for word in pair]


@pytest.mark.parametrize("gap", [12, 20, 40])
def test_columns_are_read_one_after_the_other_also_where_they_were_written_line_by_line(gap: float) -> None:
    left, right = columns(gap=gap)
    for words in (mixed(left, right), [*left, *right]):
        assert read_words(words).text == f"{LEFT}\n\n{RIGHT}"


def test_lines_over_both_columns_part_them_into_bands() -> None:
    across = (
        "A title that runs over both of the columns, from one edge of them to the other one, as it is wide"
    )
    upper, lower = mixed(*columns()), mixed(*columns(y=300))
    text = read_words([Words(across, 60, 60), *upper, Words(across, 60, 250), *lower]).text
    assert text == "\n\n".join([across, LEFT, RIGHT] * 2)


def test_three_columns_written_line_by_line() -> None:
    sides = [
        wrapped(text, 40 + 180 * number, width=30) for number, text in enumerate((LEFT, RIGHT, LEFT.upper()))
    ]
    words = [word for row in zip_longest(*sides) for word in row if word]
    assert read_words(words).text == f"{LEFT}\n\n{RIGHT}\n\n{LEFT.upper()}"


def test_a_page_written_from_its_foot_upwards_is_read_downwards() -> None:
    assert read_words(wrapped(LEFT, 60)[::-1]).text == LEFT


def test_a_paragraph_runs_on_over_columns_and_notes_come_after_it() -> None:
    left, right = columns(LEFT.replace("asked for.", "asked for and"), RIGHT.replace("Then the", "so  the"))
    assert len(left) < 13
    note = Words("1 A note in small print.", 60, 240, 8)
    text = read_words([*left, note, *right]).text
    assert "nobody had asked for and so the right column comes" in text
    assert text.endswith("\n\n1 A note in small print.")


@pytest.mark.parametrize("font", ["Helvetica-Bold", "Courier"])
def test_a_sentence_may_end_in_other_letters(font: str) -> None:
    text = lines(
        "Complete the following steps to make a new box that\nholds the letters and a folder for them of the name"
    )
    end = Words("input.", 72, 100, font=font)
    assert read_words([*text, end]).text == (
        "Complete the following steps to make a new box that holds the letters and a folder for them of the name input."
    )
    command = [text[0], Words("then run", 72, 86), Words("install it", 72, 100, font=font)]
    for apart in ([text[0], Words("It is so.", 72, 86, font=font)], command):
        assert read_words(apart).text.endswith(f"\n\n{apart[-1].text}")


def test_two_blanks_of_a_typewriter_part_no_cells() -> None:
    said = "You may copy it, unless told.  If you do,\nkeep this notice in it, and say so to all."
    assert "told. If you do" in read_words(lines(said, size=11, font="Courier")).text


def test_a_table_has_one_line_a_row() -> None:
    rows = [("Name", "Weight", "Made in"), ("Anvil", "70 kg", "Leeds"), ("Feather", "2 g", "Goose Green")]
    words = [
        Words(cell, 72 + 120 * column, 100 + 20 * row)
        for row, cells in enumerate(rows)
        for column, cell in enumerate(cells)
    ]
    assert read_words(words).text == "Name\tWeight\tMade in\nAnvil\t70 kg\tLeeds\nFeather\t2 g\tGoose Green"


def test_a_cell_of_several_lines_stays_one_cell() -> None:
    words = []
    for row, number in enumerate(("2.1.1", "2.1.2")):
        top = 100 + 60 * row
        words += [
            Words(number, 72, top),
            *lines("Verify that the word is at least\ntwelve letters long.", 130, top),
        ]
        words += [Words("yes", 360, top + 7), Words("521", 420, top + 7)]
    row = "{}\tVerify that the word is at least twelve letters long.\tyes\t521"
    assert read_words(words).text == f"{row.format('2.1.1')}\n{row.format('2.1.2')}"


def test_texts_side_by_side_written_line_by_line_are_two_cells() -> None:
    left = lines("An application for a grant does\nnot become void unless the paper\nis lost.", 72)
    right = lines("An application for a grant is\nvalid until the paper is lost,\nor burnt.", 330)
    assert read_words(mixed(left, right)).text == (
        "An application for a grant does not become void unless the paper is lost.\t"
        "An application for a grant is valid until the paper is lost, or burnt."
    )


def body(number: int) -> list[Words]:
    """A page's text that is like no other page's."""
    words = (LEFT + " " + RIGHT).split()
    return wrapped(" ".join(words[number:] + words[:number]) + f" That was {number}.", 72, 100, 80)


def sheet(number: int, text: str) -> Page:
    return Page(
        [
            Words("The Book of Doors", 72, 40, 10),
            *lines(text, y=100),
            Words(f"Page {number} of 4", 280, 760, 10),
        ]
    )


RUNNING = (
    "A first page begins here and it does not come to an end, because the\nsentence goes on over the foot of it and",
    "so here it is again, in the middle of what it wanted to say, and it is\nnot done yet, for it has to be hyphen-",
    "ated once more before it stops.\nThis one is whole.",
    "The last page stands by itself.",
)


def test_running_heads_are_kept_once_and_a_sentence_goes_on_over_pages() -> None:
    parts = read_words(*[sheet(number + 1, text) for number, text in enumerate(RUNNING)])
    assert parts.text.count("The Book of Doors") == 1
    assert parts.text.count("Page 1 of 4") == 1 and "Page 2" not in parts.text
    assert "over the foot of it and so here it is again" in parts.text
    assert "hyphenated once more" in parts.text
    assert parts.text.startswith("The Book of Doors\n\n")
    assert parts.pages[1].span.start == parts.text.index("so here it is again")


@pytest.mark.parametrize("words", ["{0}", "- {0} -", "Chapter 3 · {0}", "{1}"])
def test_page_numbers_count_as_running_feet(words: str) -> None:
    feet = [words.format(number, numeral(number, "i")) for number in range(9, 15)]
    pages = [[*body(at), Words(foot, 300, 760)] for at, foot in enumerate(feet)]
    blocks = read_words(*pages).text.split("\n\n")
    assert [blocks.count(foot) for foot in feet] == [1, 0, 0, 0, 0, 0]


def test_lines_that_only_look_like_running_heads_stay() -> None:
    """The same line at the edge of pages far from each other, or with numbers that do not count the pages, is text."""
    pages = [
        [Words("}" if number % 6 == 0 else f"line {number * 7 % 5}", 72, 60), *lines(LEFT, y=100)]
        for number in range(18)
    ]
    text = read_words(*pages).text
    assert text.count("}") == 3
    assert text.count("line") >= 15


def test_hebrew_is_read_from_right_to_left() -> None:
    said = "שלום לכל העולם הזה"
    parts = read_words([Words(said[::-1], 300, 100), Words("ועוד שורה אחת כאן"[::-1], 306, 114)])
    assert parts.text == f"{said} ועוד שורה אחת כאן"


def test_numbers_and_latin_words_in_hebrew_stay_as_they_are() -> None:
    drawn = "(HTTP/2) 140-2 " + "ןקת"
    parts = read_words([Words("םלוע ", 400, 80), Words(drawn, 100, 100), Words("םולש", 300, 130)])
    assert "תקן 140-2 (HTTP/2)" in parts.text


def test_a_table_from_right_to_left_begins_at_its_right() -> None:
    words = [
        word
        for row, name in enumerate(("אבגד", "הוזח"))
        for word in (
            Words("V", 100, 100 + 20 * row),
            Words(name[::-1], 300, 100 + 20 * row),
            Words(f"3.{row}", 480, 100 + 20 * row),
        )
    ]
    assert read_words(words).text == "3.0\tאבגד\tV\n3.1\tהוזח\tV"


def line(text: str, left: float, base: float) -> Line:
    """A line of 10 points."""
    return Line([], left, left + 5 * len(text), base, 10, False, 0, len(text), text=text)


def column(texts: str, left: float, base: float, step: float) -> list[Line]:
    """A column of words, each on a line of its own."""
    return [line(text, left, base + step * at) for at, text in enumerate(texts.split())]


def told(lines: list[Line]) -> str:
    return " ".join(each.text for each in across_tables(lines))


ABOVE, BELOW = (
    line("A-line-of-text-as-wide-as-the-page-itself", 50, 60),
    line("Below-the-table-it-goes-on", 50, 220),
)


def test_a_table_that_was_recognised_column_by_column_is_read_row_by_row() -> None:
    first, second = column("Name Ann Bob Cid", 60, 90, 25), column("Town Ulm Bonn Kiel", 150, 90, 25)
    third = [line("Age", 250, 90), line("31", 250, 115), line("7", 255, 165)]
    read = "Name Town Age Ann Ulm 31 Bob Bonn Cid Kiel 7"
    assert told([ABOVE, *first, *second, *third, BELOW]) == f"{ABOVE.text} {read} {BELOW.text}"


def test_a_cell_of_several_lines_is_read_before_the_one_beside_it() -> None:
    first = [line("Kind", 60, 90), line("long", 60, 115), line("kind", 60, 127), line("short", 60, 152)]
    second = [line("Use", 150, 90), line("much", 150, 115), line("use", 150, 127), line("none", 150, 152)]
    assert told([*first, *second]) == "Kind Use long kind much use short none"


def test_close_rows_are_those_of_a_table_where_they_are_numbers() -> None:
    names = column("Ann Bob Cid", 60, 90, 12)
    assert told([*names, *column("31 7 12", 150, 90, 12)]) == "Ann 31 Bob 7 Cid 12"
    assert told([*names, *column("Ulm Bonn Kiel", 150, 90, 12)]) == "Ann Bob Cid Ulm Bonn Kiel"


def test_columns_that_are_not_level_stay_one_after_the_other() -> None:
    first, second = column("Name Ann Bob Cid", 60, 90, 25), column("Town Ulm Bonn Kiel", 150, 98, 25)
    assert told([*first, *second]) == "Name Ann Bob Cid Town Ulm Bonn Kiel"


def test_a_large_line_beside_small_ones_is_no_column_of_a_table() -> None:
    large = Line([], 60, 250, 90, 40, False, 0, 7, text="INVOICE")
    dates = column("12.May 13.May 14.May", 300, 78, 12)
    assert told([large, *dates]) == "INVOICE 12.May 13.May 14.May"


def test_what_begins_above_the_first_column_is_kept() -> None:
    first, second = column("Ann Bob Cid", 60, 115, 25), column("Town Ulm Bonn Kiel", 150, 90, 25)
    assert told([*first, *second]) == "Town Ann Ulm Bob Bonn Cid Kiel"
    raised = [line("Ann", 60, 73), Line([], 60, 75, 97, 30, False, 0, 3, text="Bob"), *first[1:]]
    assert sorted(told([*raised, *second]).split()) == sorted("Ann Bob Bob Cid Town Ulm Bonn Kiel".split())
