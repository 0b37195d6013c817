"""Tables of PDFs as a model reads them: rows that are aligned, and what is none."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.flowing import as_read, lines_read
from tests.helpers.pdf_pages import read_words
from tests.helpers.small_pdfs import Page, Words, lines

BOLD = "Helvetica-Bold"
PROSE = "The quick brown fox jumps over the lazy dog and then it runs\nthrough the long grass until the evening comes."


def table(
    *rows: str, x: Sequence[float] = (72, 220, 320, 400), y: float = 200, bold: int = 0, size: float = 10
) -> list[Words]:
    """Rows below each other with their cells, parted by bars, at the same places; the first ones bold."""
    return [
        Words(words, x[column], y + 16 * row, size, BOLD if row < bold else "Helvetica")
        for row, line in enumerate(rows)
        for column, words in enumerate(line.split("|"))
        if words
    ]


def test_rows_of_a_table_are_read_with_their_headers() -> None:
    parts = read_words(
        [
            *lines(PROSE, y=100),
            *table("Airport|Passengers|Note", "Kiruna|611|north", "Malmö|1904|south", "Umeå|870|", bold=1),
            *lines(PROSE, y=320),
        ]
    )
    assert lines_read(parts)[1:-1] == [
        "Airport. Passengers. Note.",
        "Airport: Kiruna. Passengers: 611. Note: north.",
        "Airport: Malmö. Passengers: 1904. Note: south.",
        "Airport: Umeå. Passengers: 870.",
    ]
    starts = {
        parts.text.index(words) for words in ("Airport", "Passengers", "Kiruna", "611", "north", "Umeå")
    }
    assert starts <= set(parts.view.bounds)


def test_columns_that_stand_close_are_told_by_their_places() -> None:
    x = (72, 110, 300, 318, 336, 356)
    parts = read_words(
        table(
            "#|Rule|L1|L2|L3|CWE",
            "1.1|All may go.|v|v|v|602",
            "1.2|Nobody stays.||v|v|71",
            "1.3|So be it.|||v|",
            x=x,
        )
    )
    assert lines_read(parts) == [
        "#. Rule. L1. L2. L3. CWE.",
        "#: 1.1. Rule: All may go. L1: v. L2: v. L3: v. CWE: 602.",
        "#: 1.2. Rule: Nobody stays. L2: v. L3: v. CWE: 71.",
        "#: 1.3. Rule: So be it. L3: v.",
    ]


def test_headers_over_several_columns() -> None:
    x = (72, 200, 260, 340, 400)
    above = [Words("Spring", 222, 184, 10), Words("Autumn", 362, 184, 10)]
    parts = read_words([*above, *table("Town|new|old|new|old", "Umeå|12|13|14|15", "Luleå|22|23|24|25", x=x)])
    assert lines_read(parts)[-1].startswith("Town: Luleå. ")
    assert lines_read(parts)[-1].count("new: ") == 2


def test_a_line_between_rows_is_their_section() -> None:
    rows_of = table("|2023|2022", "Salaries|512|498", "Fuel|33|31", y=100)
    more = table("Cargo|91|85", "Post|12|11", y=180)
    parts = read_words([*rows_of, Words("Other income", 72, 160, 10), *more])
    assert lines_read(parts) == [
        "2023. 2022.",
        "Salaries. 2023: 512. 2022: 498.",
        "Fuel. 2023: 33. 2022: 31.",
        "Other income.",
        "Other income, Cargo. 2023: 91. 2022: 85.",
        "Other income, Post. 2023: 12. 2022: 11.",
    ]


def test_a_table_goes_on_over_a_page() -> None:
    first = Page(table("Town|Size", "Umeå|91", "Luleå|49", bold=1))
    second = Page(table("Town|Size", "Kiruna|17", "Gävle|77", bold=1))
    assert lines_read(read_words(first, second))[3:] == [
        "Town. Size.",
        "Town: Kiruna. Size: 17.",
        "Town: Gävle. Size: 77.",
    ]


def test_another_header_begins_another_table() -> None:
    parts = read_words(
        [
            *table("Town|Size", "Umeå|91", "Luleå|49", bold=1),
            *table("Ship|Mast", "Vasa|3", "Eos|2", y=248, bold=1),
        ]
    )
    assert lines_read(parts)[-2:] == ["Ship: Vasa. Mast: 3.", "Ship: Eos. Mast: 2."]


def test_names_in_columns_have_no_header() -> None:
    parts = read_words(
        table("Anna Berg|Bo Lind|Cara Ek", "Dan Frost|Eva Gran|Finn Hed", "Gun Hall|Ida Ison|Jan Jung")
    )
    assert lines_read(parts)[1] == "Dan Frost. Eva Gran. Finn Hed."


def test_a_short_line_above_stands_over_the_table() -> None:
    parts = read_words(
        [Words("(in thousands)", 72, 160, 10), *table("Town|Size", "Umeå|91", "Luleå|49", bold=1)]
    )
    assert parts.view.heading_at(parts.text.index("91")) == "(in thousands)"


@pytest.mark.parametrize(
    "words",
    [
        lines(PROSE),
        table("Umeå|91"),
        [*table("a = 1|# one", "b = 2|# two"), *lines(PROSE, y=300)],
    ],
    ids=["prose", "one row", "code"],
)
def test_what_is_no_table_is_read_as_it_stands(words: list[Words]) -> None:
    code = [
        Words(each.text, each.x, each.y, each.size, "Courier")
        for each in words
        if "#" in each.text or "=" in each.text
    ]
    parts = read_words([*code, *(each for each in words if "#" not in each.text and "=" not in each.text)])
    assert not parts.view.replacements


CELLS = st.sampled_from(["Umeå", "91", "a b", "1 2", "–", "", "2023", "(c)"])
PLACES = st.lists(st.integers(72, 480), min_size=1, max_size=5, unique=True).map(sorted)


@given(st.lists(st.tuples(PLACES, st.integers(14, 40), st.lists(CELLS, min_size=5, max_size=5)), max_size=8))
def test_words_anywhere_have_a_sound_view(placed: list[tuple[list[int], int, list[str]]]) -> None:
    words, y = [], 72
    for places, step, cells in placed:
        y += step
        words += [Words(cell, x, y, 10) for x, cell in zip(places, cells, strict=False) if cell]
    parts = read_words(words)
    if not parts.view.replacements:
        assert as_read(parts.text, parts.view) == parts.text
