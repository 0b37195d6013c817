"""Web pages, Markdown and Word documents as a model reads them."""

from __future__ import annotations

import pytest

from app.documents.html import read_html
from tests.helpers.flowing import checked, lines_read

page = checked(read_html)


def test_headers_and_cells_of_a_web_page() -> None:
    parts = page(
        "<table><thead><tr><th rowspan=2>Airport<th colspan=2>2023<tr><th>Spring<th>Autumn</thead>"
        "<tr><td rowspan=2>Kiruna<td>6<td>7<tr><td>8<td>9<tr><th colspan=3>South<tr><td>Malmö<td><td>5</table>"
    )
    assert lines_read(parts) == [
        "Airport. 2023.",
        "Spring. Autumn.",
        "Airport: Kiruna. 2023 Spring: 6. 2023 Autumn: 7.",
        "Airport: Kiruna. 2023 Spring: 8. 2023 Autumn: 9.",
        "South.",
        "South, Airport: Malmö. 2023 Autumn: 5.",
    ]


def test_a_row_that_is_set_in_bold_is_a_header() -> None:
    assert lines_read(page("<table><tr><td><b>Town</b><td><b>Mayor</b><tr><td>Umeå<td>Berg</table>")) == [
        "Town. Mayor.",
        "Town: Umeå. Mayor: Berg.",
    ]
    all_bold = "<table><tr><td><b>Town</b><td><b>Umeå</b><tr><td><b>Mayor</b><td><b>Berg</b></table>"
    assert lines_read(page(all_bold)) == ["Town: Umeå.", "Mayor: Berg."]


def test_a_cell_of_several_blocks_and_a_table_in_it() -> None:
    parts = page(
        "<table><tr><th>Rule<th>Text<tr><td>1<td><p>All may go.<ul><li>by bus<li>by train</ul>"
        "<table><tr><td>a<td>b</table></table>"
    )
    assert lines_read(parts)[1:] == ["Rule: 1. Text: All may go.", "by bus", "by train", "a", "b."]


def test_headings_are_nested_and_captions_stand_over_their_table() -> None:
    parts = page(
        "<h1>Report</h1><p>Of this year.<h3>Air  traffic</h3><p>Passengers<p>(in thousands)"
        "<table><caption>Table 1</caption><tr><td>Kiruna<td>611</table><p>More.<h2>Sea</h2>"
    )
    at = parts.text.index
    assert parts.view.headings == (
        (0, "Report"),
        (at("Air"), "Report > Air traffic"),
        (at("Kiruna"), "Report > Air traffic > (in thousands) Table 1"),
        (at("\n\nMore"), "Report > Air traffic"),
        (at("Sea"), "Report > Sea"),
    )


@pytest.mark.parametrize(
    "above", ["<p>This is said of it.", "<h2>Sums</h2>", "<ul><li>a</ul>", "<p>* * *", ""]
)
def test_what_is_no_caption(above: str) -> None:
    parts = page(f"{above}<table><tr><td>Kiruna<td>611</table>")
    assert parts.text.index("Kiruna") not in dict(parts.view.headings)
