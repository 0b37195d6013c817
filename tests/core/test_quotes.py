"""Answers quoted in their sentences and in the rows of tables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.layout import Kind, Opened
from app.core.quotes import Quote, quote
from app.core.report import Silent
from app.core.text import Document, Replacement, Span, View
from app.documents.orders import Read
from app.documents.reader import read
from tests.documents.pdf.test_view import table
from tests.helpers.pdf_pages import read_words

MARKDOWN = """
| Region | Revenue, SEK m | No. of trains | Punctuality |
|---|---|---|---|
| Luleå | 312.4 | 15 | 91.2 % |
| Kiruna | 198.7 | 6 | 79.6 % |

Kiruna was late. The rest was not.
"""
MERGED = """
<table><tr><th rowspan=2>Region<th colspan=2>Revenue<tr><th>2024<th>2025
<tr><td rowspan=2>North<td>1.5<td>2.5<tr><td>3.5<td>4.5
<tr><td colspan=3>South<tr><td>Umeå<td>7.5<td>8.5</table>
"""
PAIRS = "<table><tr><td>Annual fee:<td>300 euros<tr><td>Notice<td>two months</table>"


def opened(source: str, name: str) -> Opened:
    return read(Read("", name, data=source.encode()), Silent())


def of(document: Opened, words: str) -> Quote:
    at = document.document.text.index(words)
    return quote(document, Span(at, at + len(words)))


@pytest.mark.parametrize(
    ("words", "row", "column"),
    [
        ("79.6 %", "Kiruna", "Punctuality"),
        ("198.7", "Kiruna", "Revenue, SEK m"),
        ("6 %", "Kiruna", "Punctuality"),
        ("15", "Luleå", "No. of trains"),
        ("Kiruna", "", "Region"),
        ("Punctuality", "", ""),
    ],
)
def test_a_cell_is_named_by_its_row_and_its_column(words: str, row: str, column: str) -> None:
    document = opened(MARKDOWN, "a.md")
    found = of(document, words)
    assert (found.row, found.column) == (row, column)


def test_a_row_is_quoted_as_it_is_read() -> None:
    document = opened(MARKDOWN, "a.md")
    found = of(document, "198.7")
    assert found.words == "Region: Kiruna. Revenue, SEK m: 198.7. No. of trains: 6. Punctuality: 79.6 %."
    assert (found.before, found.text) == ("Region: Kiruna. Revenue, SEK m: ", "198.7")
    assert found.cell == "Row: Kiruna · Column: Revenue, SEK m"
    late = of(document, "late")
    assert (late.words, late.cell) == ("Kiruna was late.", "")


@pytest.mark.parametrize(
    ("source", "words", "cell"),
    [
        (MERGED, "2.5", "Row: North · Column: Revenue 2025"),
        (MERGED, "4.5", "Column: Revenue 2025"),  # its row's name stands in the row above
        (MERGED, "8.5", "Row: Umeå · Column: Revenue 2025"),
        (MERGED, "Umeå", "Column: Region"),
        (MERGED, "South", ""),
        (PAIRS, "300 euros", "Row: Annual fee"),
        (PAIRS, "two months", "Row: Notice"),
        (PAIRS, "Notice", ""),
    ],
)
def test_what_is_not_known_for_sure_is_not_named(source: str, words: str, cell: str) -> None:
    assert of(opened(source, "a.html"), words).cell == cell


def test_a_typed_table_is_told_by_its_marks() -> None:
    typed = Opened(Document("Some towns\n\nTown\tSize\nKiruna\t611\nLuleå\t1204\n\nAnd one. More."))
    assert of(typed, "611").cell == "Row: Kiruna · Column: Size"
    assert of(typed, "one").words == "And one."


def test_a_row_of_a_pdf_is_named_unless_a_cell_goes_on_in_the_next_line() -> None:
    parts = read_words(table("Airport|Passengers|Note", "Kiruna|611|north", "Malmö|1904|south", bold=1))
    pdf = Opened(Document(parts.text, view=parts.view), Kind.PDF)
    assert of(pdf, "1904").cell == "Row: Malmö · Column: Passengers"
    assert of(pdf, "1904").words == "Airport: Malmö. Passengers: 1904. Note: south."
    text = "Town\tSize\nKiruna\t611\nand more\t79\n"
    said = [(4, 5, ". "), (9, 9, "."), (10, 10, "Town: "), (16, 17, ". Size: "), (29, 30, ". Size: ")]
    broken = Opened(Document(text, view=View(tuple(Replacement(*one) for one in said))), Kind.PDF)
    assert not of(broken, "611").cell and not of(broken, "79").cell


@given(st.text("ab |\t\n.:1", min_size=1, max_size=60), st.data())
def test_the_words_quoted_are_those_of_the_text(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    span = Span(start, data.draw(st.integers(start + 1, len(text))))
    assert quote(Opened(Document(text)), span).text == span.of(text)


def test_a_long_row_is_cut_around_its_answer() -> None:
    cells = "\t".join(f"value {number}" for number in range(90))
    row = of(Opened(Document(f"{cells.replace('value', 'name')}\n{cells}")), "value 45")
    assert row.before.startswith("… ") and row.after.endswith(" …") and len(row.words) < 900


def test_an_item_without_a_stop_is_quoted_alone() -> None:
    source = "<ul><li>Heating is included<li>The lift is serviced by Otis<li>Dogs are welcome</ul>"
    assert of(opened(source, "lease.html"), "Otis").words == "The lift is serviced by Otis"


def test_code_is_quoted_by_its_line() -> None:
    text = "server:\n  port: 8080\n\n# How long\ntimeout: 45\nhost: tides\n"
    at = text.index("45")
    assert quote(Opened(Document(text, "a.yaml")), Span(at, at + 2)).words == "timeout: 45"
    both = quote(Opened(Document(text, "a.yaml")), Span(at, text.index("tides")))
    assert both.words == "timeout: 45\nhost: tides"
