"""Words to text and blocks by the conventions that all flowing documents share."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.layout import BlockKind, Heading, Style, Table
from app.core.report import Silent
from app.core.text import Span
from app.documents.blocks import MOST_COLUMNS, Blocks, Grid
from app.documents.html import add_html, read_html
from app.documents.numerals import letters, roman
from app.documents.parts import Parts
from tests.helpers.flowing import check_parts, checked, lines_read, outline, styles, words_of

read_page = checked(read_html)


def test_words_given_piece_by_piece() -> None:
    blocks = Blocks()
    blocks.begin(BlockKind.HEADING, 2, "1.")
    for piece in (" He", "ad", "ing \n", " two  "):
        blocks.words(piece)
    blocks.begin(BlockKind.PARAGRAPH)
    blocks.words("a ", frozenset([Style.LINK]))
    blocks.words(" b", frozenset([Style.LINK, Style.STRONG]))
    blocks.words("c")
    parts = blocks.parts(["note"])
    check_parts(parts)
    assert parts.text == "Heading two\n\na bc"
    assert outline(parts) == ["heading2 1. | Heading two", "paragraph | a bc"]
    assert styles(parts) == [("link", "a b"), ("strong", "b")]
    assert parts.notes == ("note",)


def test_controls_vanish_and_odd_blanks_collapse() -> None:
    blocks = Blocks()
    blocks.words("a\x00b\x07\v\x85\u2028c\ufeff\ud800\x1fd\u2029")
    assert blocks.parts().text == "ab cd"


def test_words_that_show_nothing_are_no_block() -> None:
    blocks = Blocks()
    for words in (" ", "\xa0", "\u200b\u200e", "\x00", "\u3000\n"):
        blocks.begin(BlockKind.ITEM, 1, "•")
        blocks.words(words)
    assert not blocks.end()
    assert blocks.parts().text == ""


def test_a_table_counts_rows_that_show_nothing() -> None:
    blocks = Blocks()
    blocks.words("before")
    blocks.begin_table()
    for row in (["", "x"], ["", ""], ["y", "", "z"]):
        blocks.row()
        for words in row:
            blocks.cell()
            blocks.words(words)
    blocks.end_table()
    blocks.words("after")
    parts = blocks.parts()
    check_parts(parts)
    assert parts.text == "before\n\n\tx\ny\t\tz\n\nafter"
    assert parts.tables == (Table(3, 3),)
    assert [(block.row, block.column) for block in parts.blocks] == [
        (-1, -1),
        (0, 1),
        (2, 0),
        (2, 2),
        (-1, -1),
    ]


def test_header_rows_are_counted_at_the_head_only() -> None:
    grid = Grid()
    for header in (True, True, False, True):
        grid.begin_row(header)
        grid.begin_cell()
    assert grid.table() == Table(4, 1, 2)


def test_cells_go_around_those_that_reach_down() -> None:
    grid = Grid()
    places = []
    for row in ([(2, 1), (1, 1), (0, 1)], [(1, 1), (1, 1)], [(1, 5), (1, 1)]):
        grid.begin_row()
        for rows, columns in row:
            grid.begin_cell(rows, columns)
            places.append((grid.row, grid.column))
    assert places == [(0, 0), (0, 1), (0, 2), (1, 1), (1, 3), (2, 0), (2, 3)]
    assert grid.table() == Table(3, 4, 0, {(0, 0): (2, 1), (0, 2): (3, 1), (2, 0): (1, 2)})


def test_a_row_never_grows_beyond_its_limit() -> None:
    grid = Grid()
    grid.begin_row()
    for _ in range(MOST_COLUMNS + 50):
        grid.begin_cell(5, 1)
    assert grid.column == MOST_COLUMNS - 1
    assert grid.table().columns == MOST_COLUMNS


WORDS = st.text("ab \n\t\xa0漢字カ\u200b\u3000😀\x00\u2028\r", max_size=8)
STYLES = st.frozensets(st.sampled_from(Style), max_size=3)


def begin(kind: BlockKind, level: int, marker: str) -> Callable[[Blocks], object]:
    # Cells come from tables alone.
    kind = BlockKind.PARAGRAPH if kind is BlockKind.CELL else kind
    return lambda blocks: blocks.begin(kind, max(level, 1) if kind is BlockKind.HEADING else level, marker)


def in_table(step: Callable[[Blocks], object]) -> Callable[[Blocks], object]:
    return lambda blocks: step(blocks) if blocks.in_table else None


STEPS = st.one_of(
    st.builds(begin, st.sampled_from(BlockKind), st.integers(0, 4), st.sampled_from(["", "•", "1."])),
    st.tuples(WORDS, STYLES).map(lambda given: lambda blocks: blocks.words(*given)),
    st.just(Blocks.line_break),
    st.just(Blocks.end),
    st.just(lambda blocks: blocks.end_table() if blocks.in_table else blocks.begin_table()),
    st.booleans().map(lambda header: in_table(lambda blocks: blocks.row(header, int(header)))),
    st.tuples(st.integers(0, 3), st.integers(1, 3)).map(
        lambda size: in_table(lambda blocks: blocks.cell(*size))
    ),
)


@given(st.lists(STEPS, max_size=60))
def test_any_words_make_sound_blocks(steps: list[Callable[[Blocks], object]]) -> None:
    blocks = Blocks()
    for step in steps:
        step(blocks)
    check_parts(blocks.parts())


@given(st.lists(st.tuples(WORDS, STYLES), max_size=12))
def test_no_word_is_lost_or_put_in(pieces: list[tuple[str, frozenset[Style]]]) -> None:
    blocks = Blocks()
    for words, of in pieces:
        blocks.words(words, of)
    shown = "".join(blocks.parts().text.split())
    given_words = "".join("".join(words for words, _ in pieces).replace("\x00", "").split())
    if given_words.strip("\u200b"):
        assert shown == given_words
    else:
        assert not shown


@given(st.lists(st.tuples(WORDS, STYLES), max_size=12))
def test_code_keeps_its_lines(pieces: list[tuple[str, frozenset[Style]]]) -> None:
    blocks = Blocks()
    blocks.begin(BlockKind.CODE)
    pieces = [(words.replace("\r", "\r\n"), of) for words, of in pieces]
    for words, of in pieces:
        blocks.words(words, of)
    parts = blocks.parts()
    check_parts(parts)
    whole = (
        "".join(words for words, _ in pieces).replace("\x00", "").replace("\r\n", "\n").replace("\r", "\n")
    )
    lines = [line.strip() for line in whole.strip().split("\n")]
    if whole.strip("\u200b \t\n\xa0\u3000\u2028"):
        assert [line.strip() for line in parts.text.split("\n")] == lines
    for _, words in styles(parts):
        assert words in parts.text


@pytest.mark.parametrize(
    ("number", "letter", "numeral"),
    [
        (1, "a", "i"),
        (4, "d", "iv"),
        (26, "z", "xxvi"),
        (27, "aa", "xxvii"),
        (703, "aaa", "dcciii"),
        (0, "0", "0"),
        (3999, "ewu", "mmmcmxcix"),
        (4000, "ewv", "4000"),
    ],
)
def test_numerals(number: int, letter: str, numeral: str) -> None:
    assert letters(number) == letter
    assert roman(number) == numeral


PAGES = (
    "<h2>T</h2><p>a <b>b</b><ul><li>i<li>j</ul>",
    "<table><tr><td><td>x<tr><td>y<td><p>z<p>w</table>",
    "<ol><li>k</ol><table><tr><th>p<th>q<tr><td>1<td>2</table>",
    "<pre>  code\n more</pre><blockquote>q</blockquote>",
    "",
)


def page(html: str) -> Parts:
    blocks = Blocks()
    add_html(html, blocks, Silent())
    return blocks.parts()


@given(st.lists(st.tuples(st.sampled_from(PAGES), st.integers(0, 3)), max_size=6))
def test_what_another_reader_returned_is_added_as_it_is(pages: list[tuple[str, int]]) -> None:
    blocks = Blocks()
    blocks.words("before")
    blocks.end()
    for html, deeper in pages:
        blocks.add(page(html), deeper)
    blocks.words("after")
    parts = blocks.parts()
    check_parts(parts)
    alone = [each for html, _ in pages for each in page(html).blocks]
    assert len(parts.blocks) == len(alone) + 2
    assert [each.level for each in parts.headings] == [
        2 + deeper for html, deeper in pages if html == PAGES[0]
    ]
    assert styles(parts) == [each for html, _ in pages for each in styles(page(html))]
    assert words_of(parts) == [
        "before",
        *(each for html, _ in pages for each in words_of(page(html))),
        "after",
    ]


def test_text_without_blocks_is_added_as_paragraphs() -> None:
    text = "  Title\n\none\n two\n \n\nthree\n"
    blocks = Blocks()
    blocks.add(Parts(text, headings=(Heading(Span(2, 7), 1),)), 2)
    parts = blocks.parts()
    check_parts(parts)
    assert outline(parts) == ["heading3 | Title", "paragraph | one\ntwo", "paragraph | three"]


def test_headers_and_cells_of_a_web_page() -> None:
    parts = read_page(
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
    assert lines_read(
        read_page("<table><tr><td><b>Town</b><td><b>Mayor</b><tr><td>Umeå<td>Berg</table>")
    ) == [
        "Town. Mayor.",
        "Town: Umeå. Mayor: Berg.",
    ]
    all_bold = "<table><tr><td><b>Town</b><td><b>Umeå</b><tr><td><b>Mayor</b><td><b>Berg</b></table>"
    assert lines_read(read_page(all_bold)) == ["Town: Umeå.", "Mayor: Berg."]


def test_a_cell_of_several_blocks_and_a_table_in_it() -> None:
    parts = read_page(
        "<table><tr><th>Rule<th>Text<tr><td>1<td><p>All may go.<ul><li>by bus<li>by train</ul>"
        "<table><tr><td>a<td>b</table></table>"
    )
    assert lines_read(parts)[1:] == ["Rule: 1. Text: All may go.", "by bus", "by train", "a", "b."]


def test_headings_are_nested_and_captions_stand_over_their_table() -> None:
    parts = read_page(
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
    parts = read_page(f"{above}<table><tr><td>Kiruna<td>611</table>")
    assert parts.text.index("Kiruna") not in dict(parts.view.headings)
