"""How a model is shown a text: headers before cells, sections before rows, headings over what is below them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.text import Span, View
from app.core.view import (
    Merged,
    Row,
    nested_headings,
    replacements_of_rows,
    replacements_of_table,
    view_of_text,
)
from tests.helpers.flowing import as_read, check_view


def table(
    *rows: str, header_rows: int | None = None, merged: Merged | None = None, columns: int = 0
) -> list[str]:
    """Return the rows of a table, whose cells are separated by bars, as they are read."""
    text, cells = "", list[Row]()
    for row in rows:
        cells.append({})
        for column, words in enumerate(row.split("|")):
            if words:
                cells[-1][column] = Span(len(text), len(text) + len(words))
            text += words + "\t"
        text = text.rstrip("\t") + "\n"
        columns = max(columns, len(row.split("|")))
    view = View(tuple(replacements_of_rows(text, cells, columns, header_rows, merged)))
    check_view(text, view)
    return [row.strip() for row in as_read(text, view).splitlines()]


def typed(text: str) -> str:
    """Return a plain text as it is read."""
    view = view_of_text(text)
    check_view(text, view)
    return as_read(text, view)


def test_headers_are_said_before_cells() -> None:
    assert table("|Passengers (thousand)|Punctuality", "Kiruna|611|79.6 %", "Luleå||81.2 %") == [
        "Passengers (thousand). Punctuality.",
        "Kiruna. Passengers (thousand): 611. Punctuality: 79.6 %.",
        "Luleå. Punctuality: 81.2 %.",
    ]


def test_cells_of_one_width_are_read_alike() -> None:
    text = "Name\tAge\nAnna\t34\n"
    cells = [[Span(0, 4), Span(5, 8)], [Span(9, 13), Span(14, 16)]]
    read = as_read(text, View(tuple(replacements_of_table(text, cells, 1))))
    assert read == "Name. Age.\nName: Anna. Age: 34.\n"
    assert [*replacements_of_table("", [], 1)] == []


def test_a_cell_that_ends_with_a_stop_gets_no_other() -> None:
    assert table("Rule|Text|Since", "1|Do it!|2001", "2|Why not?|2002", "3|Rest.|2003")[1:] == [
        "Rule: 1. Text: Do it! Since: 2001.",
        "Rule: 2. Text: Why not? Since: 2002.",
        "Rule: 3. Text: Rest. Since: 2003.",
    ]


def test_rows_stand_under_their_section() -> None:
    rows = table("|2023|2022", "Operating expenses:", "Salaries|5|4", "Fuel|3|2", "Income", "Cargo|9|8")
    assert rows[1:] == [
        "Operating expenses:",
        "Operating expenses, Salaries. 2023: 5. 2022: 4.",
        "Operating expenses, Fuel. 2023: 3. 2022: 2.",
        "Income.",
        "Income, Cargo. 2023: 9. 2022: 8.",
    ]


def test_merged_header_cells_count_for_all_their_columns() -> None:
    merged = {(0, 0): (2, 1), (0, 1): (1, 2), (0, 3): (2, 1)}
    rows = table("Airport|2023||Note", "|Spring|Autumn|", "Kiruna|6|7|old", header_rows=2, merged=merged)
    assert rows == [
        "Airport. 2023. Note.",
        "Spring. Autumn.",
        "Airport: Kiruna. 2023 Spring: 6. 2023 Autumn: 7. Note: old.",
    ]


def test_a_header_cell_counts_for_the_empty_ones_behind_it() -> None:
    rows = table("|2023||2022", "Airport|Spring|Autumn|Spring", "Kiruna|6|7|8", header_rows=2)
    assert rows[2] == "Airport: Kiruna. 2023 Spring: 6. 2023 Autumn: 7. 2022 Spring: 8."


def test_a_cell_that_reaches_down_is_said_in_all_its_rows() -> None:
    merged = {(1, 0): (3, 1), (1, 2): (2, 1)}
    rows = table("Part|City|Lead", "North|Kiruna|Mo", "|Luleå", "|Umeå|Ann", header_rows=1, merged=merged)
    assert rows[1:] == [
        "Part: North. City: Kiruna. Lead: Mo.",
        "Part: North. City: Luleå. Lead: Mo.",
        "Part: North. City: Umeå. Lead: Ann.",
    ]


def test_two_columns_without_headers_are_pairs() -> None:
    assert table("Name|Anna", "Born:|Umeå", "More", "Age|34") == [
        "Name: Anna.",
        "Born: Umeå.",
        "More.",
        "More, Age: 34.",
    ]


@pytest.mark.parametrize(
    ("rows", "is_headed"),
    [
        (("City|Size", "Umeå|91", "Luleå|49"), True),
        (("City|Mayor", "Umeå|Berg", "Luleå|Lind"), False),
        (("|Mayor", "Umeå|Berg", "Luleå|Lind"), True),
        (("Year|2023|2022", "Sales|5|4"), True),
        (("Umeå|2023|2022", "Luleå|2021|2020"), False),
        (("Town|2023 cost|Why", "Umeå|$5|a new bridge over the river"), True),
        (("Umeå|91 thousand|big", "Luleå|49 thousand|small"), False),
        (("Anna Berg|Bo Lind|Cara Ek", "Dan Frost|Eva Gran|Finn Hed"), False),
        (("Name|Kind|Place", "Berg|ship|Umeå", "Lind|ship|Luleå"), True),
        (("Group A|Norway|Sweden", "Group B|Peru|Chile", "Group C|Mali|Chile"), False),
        (("Name|Name|Size", "Umeå|Luleå|91"), False),
    ],
)
def test_a_header_is_told_by_its_look(rows: tuple[str, ...], is_headed: bool) -> None:
    assert (rows[0].rpartition("|")[2] + ": " in table(*rows)[1]) == is_headed


def test_a_header_that_stands_again_is_none_of_the_rows() -> None:
    rows = table("City|Size", "Umeå|91", "City|Size", "Luleå|49", header_rows=1)
    assert rows[2:] == ["City. Size.", "City: Luleå. Size: 49."]


def test_a_wide_row_names_its_first_cell_again() -> None:
    names = "|".join(f"Share of ward {number}" for number in range(40))
    values = "|".join(str(number) for number in range(40))
    row = table(f"Town|{names}", "All", f"Umeå|{values}", header_rows=1)[2]
    parts = row.split("All, Umeå. ")
    assert len(parts) > 1 and row.startswith("All, Town: Umeå. Share of ward 0: 0. ")
    assert all(400 < len(part) < 700 for part in parts[:-1])
    assert "All, Umeå. " not in table("Town|Size", "All", "Umeå|91", header_rows=1)[2]


def test_long_headers_are_cut() -> None:
    row = table("City|" + "very " * 40 + "long", "Umeå|91", header_rows=1)[1]
    assert row == "City: Umeå. " + "very " * 11 + "very: 91."


TYPED = {
    "| City | Size |\n|------|-----:|\n| Umeå | 91 |\n|Luleå|49|": (
        "City. Size.\n\nCity: Umeå. Size: 91.\nCity: Luleå. Size: 49."
    ),
    "City | Mayor\n--- | ---\nUmeå | Berg": "City. Mayor.\n\nCity: Umeå. Mayor: Berg.",
    "+---+---+\n| City | Size |\n+---+---+\n| Umeå | 91 |\n+---+---+": (
        "+---+---+\nCity. Size.\n\nCity: Umeå. Size: 91.\n+---+---+"
    ),
    "City\tSize\tNote\nUmeå\t91\t-\nLuleå\t49\t-": (
        "City. Size. Note.\nCity: Umeå. Size: 91. Note: -.\nCity: Luleå. Size: 49. Note: -."
    ),
    "City | Size | Note\nUmeå | 91\nLuleå | 49 | x |": "City. Size. Note.\nCity: Umeå. Size: 91.\nLuleå | 49 | x |",
    "| 2023 | 2022\nSales | 5 | 4": "2023. 2022.\nSales. 2023: 5. 2022: 4.",
    "one | row": "one | row",
    "a | b\n\nc | d": "a | b\n\nc | d",
    "\tif x:\n\t\treturn y\n": "\tif x:\n\t\treturn y\n",
}


@pytest.mark.parametrize("text", TYPED)
def test_tables_that_somebody_typed(text: str) -> None:
    assert typed(text) == TYPED[text]


def test_a_line_above_a_typed_table_stands_over_it() -> None:
    text = (
        "Airports\n\nSome of them.\nPassengers (thousand):\nKiruna | 611\nLuleå | 815\n\nThe end of it all."
    )
    headings = view_of_text(text).headings
    assert headings == (
        (0, "Airports"),
        (text.index("Kiruna"), "Airports > Passengers (thousand)"),
        (text.index("\n\nThe end"), "Airports"),
    )


def test_lone_lines_are_headings_and_paragraphs_bounds() -> None:
    text = "Leave\n\nAll may take it.\n\nanna\n\nNames\n\nAnna\n\nBosse\n\nThey met, and so on."
    view = view_of_text(text)
    assert view.headings == ((0, "Leave"), (text.index("Bosse"), "Bosse"))
    assert [text[bound:].split("\n")[0] for bound in view.bounds] == [
        "All may take it.",
        "anna",
        "Names",
        "Anna",
        "Bosse",
        "They met, and so on.",
    ]


def test_items_of_a_list_are_blocks() -> None:
    text = "They took:\n- tarts, and\n  a cake\n- ale\n2) bread\n3) wine\nand left - on\n9. May. They ran."
    assert [text[bound:].split("\n")[0] for bound in view_of_text(text).bounds] == [
        "- tarts, and",
        "- ale",
        "2) bread",
        "3) wine",
    ]


def test_marked_titles_are_nested() -> None:
    text = "# Guide #\n\nText.\n\n## Leave\nText.\n\n### Abroad\n\n## Pay\n\n#hash\n"
    assert [words for _, words in view_of_text(text).headings] == [
        "Guide",
        "Guide > Leave",
        "Guide > Leave > Abroad",
        "Guide > Pay",
    ]


def test_given_headings_stand_instead() -> None:
    text = "Chapter 1\n\nTitle\n\nText of it, and more."
    assert view_of_text(text, [(0, "Chapter 1")]).headings == ((0, "Chapter 1"),)


def test_headings_are_short_and_the_nearest_comes_last() -> None:
    over = nested_headings([(0, 1, "A\nguide"), (5, 3, "x" * 70 + " and more of it"), (9, 2, "Next:")])
    assert over == ((0, "A guide"), (5, "A guide > " + "x" * 70 + " and more"), (9, "A guide > Next"))
    captioned = nested_headings([(3, 1, "A")], [(Span(1, 2), "early"), (Span(4, 8), "(in thousands)")])
    assert captioned == ((1, "early"), (2, ""), (3, "A"), (4, "A > (in thousands)"), (8, "A"))


LINES = st.lists(st.text("ab1|\t -=:+#.A", max_size=12), max_size=14)


@given(LINES, st.sampled_from(["\n", "\n\n"]))
def test_any_text_has_a_sound_view(lines: list[str], between: str) -> None:
    text = between.join(lines)
    view = view_of_text(text)
    check_view(text, view)
    # All that is a word is read as it stands, once and in its order.
    kept = [
        text[one:other]
        for one, other in zip(
            [0, *(s.end for s in view.replacements)],
            [*(s.start for s in view.replacements), len(text)],
            strict=True,
        )
    ]
    assert [c for c in "".join(kept) if c.isalnum()] == [c for c in text if c.isalnum()]


SIZES = st.integers(1, 5)


@given(st.data(), SIZES, SIZES, st.none() | st.integers(0, 6))
def test_any_table_has_a_sound_view(
    data: st.DataObject, rows: int, columns: int, header_rows: int | None
) -> None:
    words = st.sampled_from(["", "", "Umeå", "91", "2023", "A.", "b:"])
    merged = data.draw(
        st.dictionaries(
            st.tuples(st.integers(0, rows - 1), st.integers(0, columns - 1)),
            st.tuples(st.integers(1, 3), st.integers(1, 3)),
            max_size=3,
        )
    )
    lines = ["|".join(data.draw(words) for _ in range(columns)) for _ in range(rows)]
    table(*lines, header_rows=header_rows, merged=merged, columns=columns)


@pytest.mark.parametrize(
    "text",
    [
        "|" * 300_000,
        "a|" * 150_000,
        "a|b\n" * 110_000,
        "a\tb\n" * 20_000,
        "\t" * 300_000,
        ("-" * 19_990 + "x|\n") * 15,
        "x" * 300_000 + "|a\n",
        "\n" * 300_000,
        ("\n" + " " * 1000) * 300,
        "#" * 300_000,
        "Abc\n\n" * 60_000,
    ],
    ids=lambda text: repr(text[:8]),
)
def test_no_text_takes_long(text: str) -> None:
    started = time.process_time()
    check_view(text, view_of_text(text))
    assert time.process_time() - started < 3
