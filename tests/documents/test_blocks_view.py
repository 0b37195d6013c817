"""Web pages, Markdown and Word documents as a model reads them."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.core.report import Silent
from app.documents.html.page import read_html
from app.documents.markdown_page import read_markdown
from app.documents.orders import Read
from app.documents.parts import Parts
from app.documents.reader import read
from app.documents.word.document import read_docx
from tests.helpers.flowing import as_read, check_parts, p, r, word_file


def page(html: str) -> Parts:
    parts = read_html(html.encode(), "page.html", Silent())
    check_parts(parts)
    return parts


def rows(parts: Parts) -> list[str]:
    """The lines as they are read."""
    return [line.strip() for line in as_read(parts.text, parts.view).splitlines() if line.strip()]


def test_headers_and_cells_of_a_web_page() -> None:
    parts = page(
        "<table><thead><tr><th rowspan=2>Airport<th colspan=2>2023<tr><th>Spring<th>Autumn</thead>"
        "<tr><td rowspan=2>Kiruna<td>6<td>7<tr><td>8<td>9<tr><th colspan=3>South<tr><td>Malmö<td><td>5</table>"
    )
    assert rows(parts) == [
        "Airport. 2023.",
        "Spring. Autumn.",
        "Airport: Kiruna. 2023 Spring: 6. 2023 Autumn: 7.",
        "Airport: Kiruna. 2023 Spring: 8. 2023 Autumn: 9.",
        "South.",
        "South, Airport: Malmö. 2023 Autumn: 5.",
    ]


def test_a_row_that_is_set_in_bold_is_a_header() -> None:
    assert rows(page("<table><tr><td><b>Town</b><td><b>Mayor</b><tr><td>Umeå<td>Berg</table>")) == [
        "Town. Mayor.",
        "Town: Umeå. Mayor: Berg.",
    ]
    all_bold = "<table><tr><td><b>Town</b><td><b>Umeå</b><tr><td><b>Mayor</b><td><b>Berg</b></table>"
    assert rows(page(all_bold)) == ["Town: Umeå.", "Mayor: Berg."]


def test_a_cell_of_several_blocks_and_a_table_in_it() -> None:
    parts = page(
        "<table><tr><th>Rule<th>Text<tr><td>1<td><p>All may go.<ul><li>by bus<li>by train</ul>"
        "<table><tr><td>a<td>b</table></table>"
    )
    assert rows(parts)[1:] == ["Rule: 1. Text: All may go.", "by bus", "by train", "a", "b."]


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


def test_tables_in_markdown() -> None:
    data = b"# Airports\n\n| | Size |\n|-|-|\n| **Ume\xc3\xa5** | `91` |\n\nThe end."
    parts = read_markdown(data, "a.md", Silent())
    check_parts(parts)
    assert rows(parts) == ["Airports", "Size.", "Umeå. Size: 91.", "The end."]


def cell(words: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{p(r(words) if words else '')}</w:tc>"


def test_tables_in_word() -> None:
    goes_on = cell("", "<w:vMerge/>")
    parts = read_docx(
        word_file(
            "<w:tbl><w:tr><w:trPr><w:tblHeader/></w:trPr>"
            + cell("Part")
            + cell("Cost", '<w:gridSpan w:val="2"/>')
            + "</w:tr><w:tr>"
            + cell("North", '<w:vMerge w:val="restart"/>')
            + cell("5")
            + cell("6")
            + "</w:tr><w:tr>"
            + goes_on
            + cell("7")
            + cell("8")
            + "</w:tr></w:tbl>"
        ),
        "a.docx",
        Silent(),
    )
    check_parts(parts)
    assert rows(parts)[1:] == ["Part: North. Cost: 5. Cost: 6.", "Part: North. Cost: 7. Cost: 8."]


def test_every_reader_gives_its_document_a_view() -> None:
    for name, data in {"a.txt": b"Name | Age\nAnna | 34", "a.html": b"<p>One.", "a.md": b"One."}.items():
        view = read(Read("", name, data=data), Silent()).document.view
        assert view is not None and len(view.replacements) == (5 if name == "a.txt" else 0)


# What a person reads in their tables, with the headers.
READ = {
    "asvs-5.0.0-en.docx": (
        "#: 3.4.7. Description: Verify that the Content-Security-Policy header field specifies a location to report "
        "violations. Level: 3.",
        "V3 Web Frontend Security > V3.4 Browser Security Mechanism Headers",
    ),
    "asvs-v2-authentication.md": (
        "#: 2.1.5. Description: Verify users can change their password. L1: ✓. L2: ✓. L3: ✓. CWE: 620. "
        "NIST §: 5.1.1.2.",
        "V2 Authentication > V2.1 Password Security",
    ),
    "rfc9110-http-semantics.html": (
        "Title: HTTP/1.1 Semantics and Content. Reference: [RFC7231]. See: B.3.",
        "HTTP Semantics > 1. Introduction > 1.4. Specifications Obsoleted by This Document > Table 1",
    ),
}


@pytest.mark.parametrize("name", READ)
def test_real_tables(shared_data: Path, name: str) -> None:
    document = read(Read(str(shared_data / "documents" / name)), Silent()).document
    row, heading = READ[name]
    assert document.view is not None
    assert row in as_read(document.text, document.view).split("\n")
    words = row.split(". ")[1].split(": ")[-1].rstrip(".")
    assert document.view.heading_at(document.text.index(words)) == heading
