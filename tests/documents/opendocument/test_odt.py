"""OpenDocument texts to text and blocks."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.layout import Opened, Table
from app.core.text import Document
from app.documents.opendocument.document import read_odt
from app.documents.parts import Parts
from tests.helpers.flowing import cells, checked, outline, styles
from tests.helpers.office import box, open_file, zipped

REAL = Path(__file__).parents[1] / "real"


read = checked(read_odt)


def text(body: str, automatic: str = "", named: str = "") -> Parts:
    return read(open_file("text", body, automatic, named))


def p(words: str, style: str = "") -> str:
    return f'<text:p text:style-name="{style}">{words}</text:p>'


def h(words: str, level: int = 1) -> str:
    return f'<text:h text:outline-level="{level}">{words}</text:h>'


def style(name: str, properties: str = "", family: str = "paragraph", parent: str = "") -> str:
    return (
        f'<style:style style:name="{name}" style:family="{family}" style:parent-style-name="{parent}">'
        f"<style:text-properties {properties}/></style:style>"
    )


def test_headings_and_paragraphs() -> None:
    parts = text(h("One") + p("a\n  b") + h("Deep", 3) + p("c") + p("") + p("d"))
    assert outline(parts) == [
        "heading1 | One", "paragraph | a b", "heading3 | Deep", "paragraph | c", "paragraph | d",
    ]  # fmt: skip


def test_named_styles_say_what_a_paragraph_is() -> None:
    named = (
        style("Title")
        + style("Quotations")
        + style("Preformatted_20_Text")
        + style("Shy", 'text:display="none"')
    )
    own = style("P1", parent="Title") + style("P2", parent="Preformatted_20_Text") + style("L", parent="L")
    body = (
        p("The title", "P1") + p("said", "Quotations") + p("if x:", "P2") + p('<text:s text:c="4"/>y', "P2")
        + p("no", "Shy") + p("<text:span>no</text:span>", "Shy") + p("round", "L")
    )  # fmt: skip
    assert outline(text(body, own, named)) == [
        "heading1 | The title", "quote1 | said", "code | if x:\n    y", "paragraph | round",
    ]  # fmt: skip


def test_what_words_hold() -> None:
    own = (
        style("B", 'fo:font-weight="bold" fo:font-style="italic"', "text")
        + style("S", 'style:text-line-through-style="solid" style:text-underline-style="solid"', "text")
        + style("R", 'style:text-position="super 58%"', "text") + style("W", 'style:text-position="-33% 58%"', "text")
        + style("C", 'style:font-name="Courier New"', "text") + style("H", 'text:display="none"', "text")
    )  # fmt: skip
    body = p(
        'a<text:s text:c="1000000000"/>b<text:tab/>c<text:line-break/><text:span text:style-name="B">bold</text:span>'
        '<text:span text:style-name="S">x</text:span><text:span text:style-name="R">2</text:span>'
        '<text:span text:style-name="W">3</text:span> <text:span text:style-name="C">if</text:span>'
        '<text:span text:style-name="H">no<text:span>no</text:span></text:span> <text:a>link</text:a>'
        "<text:soft-page-break/><text:bookmark-start/> at <text:date>May</text:date>"
        "<text:ruby><text:ruby-base> base</text:ruby-base><text:ruby-text>no</text:ruby-text></text:ruby>"
        "<office:annotation><text:p>no</text:p></office:annotation>."
    )
    parts = text(body, own)
    assert parts.text == "a b c\nboldx23 if link at May base."
    assert styles(parts) == [
        ("strong", "bold"), ("emphasis", "bold"), ("struck", "x"), ("underlined", "x"), ("raised", "2"),
        ("lowered", "3"), ("code", "if"), ("link", "link"),
    ]  # fmt: skip


def test_tracked_deletions_are_left_out() -> None:
    deleted = (
        "<text:changed-region><text:deletion><text:p>gone</text:p></text:deletion></text:changed-region>"
    )
    body = f"<text:tracked-changes>{deleted}</text:tracked-changes>" + p(
        'kept<text:change text:change-id="c"/> <text:change-start/>new<text:change-end/>'
    )
    assert text(body).text == "kept new"


def test_sections_indexes_and_frames_stand_in_their_place() -> None:
    body = (
        f'<text:section>{p("a")}</text:section><text:section text:display="none">{p("no")}</text:section>'
        "<text:table-of-content><text:table-of-content-source><text:index-title-template>no</text:index-title-template>"
        f"</text:table-of-content-source><text:index-body>{p('One 1')}</text:index-body></text:table-of-content>"
        + p("b" + box(p("boxed") + p("twice")) + "c") + f"<draw:custom-shape>{p('drawn')}</draw:custom-shape>" + p("d")
        + "<text:sequence-decls/><office:forms><text:p>no</text:p></office:forms>"
    )  # fmt: skip
    assert text(body).text == "a\n\nOne 1\n\nbc\n\nboxed\n\ntwice\n\ndrawn\n\nd"


LISTS = (
    '<text:list-style style:name="N"><text:list-level-style-number text:level="1"'
    ' style:num-format="1" style:num-suffix="."/>'
    '<text:list-level-style-number text:level="2" style:num-format="a" style:num-prefix="(" style:num-suffix=")"'
    ' text:display-levels="2" text:start-value="2"/></text:list-style>'
    '<text:list-style style:name="B"><text:list-level-style-bullet text:level="1" text:bullet-char="–"/>'
    '<text:list-level-style-bullet text:level="2" text:bullet-char="&#xE00C;"/></text:list-style>'
)


def items(*inside: str, name: str = "", more: str = "") -> str:
    named = f'text:style-name="{name}"' if name else ""
    each = "".join(f"<text:list-item>{words}</text:list-item>" for words in inside)
    return f"<text:list {named} {more}>{each}</text:list>"


def test_lists_are_numbered_as_their_styles_say() -> None:
    body = (
        items(p("a") + p("more") + items(p("b"), p("c")), p("d"), name="N") + p("between")
        + items(p("e"), name="N", more='text:continue-numbering="true"') + items(p("f"), name="N")
        + items(p("g") + items(p("h")), name="B") + items(p("i")) + items(items(p("j")), name="B")
    )  # fmt: skip
    assert outline(text(body, LISTS)) == [
        "item1 1. | a", "item1 | more", "item2 (1.b) | b", "item2 (1.c) | c", "item1 2. | d", "paragraph | between",
        "item1 3. | e", "item1 1. | f", "item1 – | g", "item2 ◦ | h", "item1 • | i", "item2 ◦ | j",
    ]  # fmt: skip
    headings = ["heading1 1. | One", "heading1 2. | Two"]
    assert outline(text(items(h("One"), h("Two"), name="N"), LISTS)) == headings


def test_notes_stand_after_the_text_with_their_numbers() -> None:
    note = (
        "<text:note><text:note-citation>i</text:note-citation><text:note-body>{}</text:note-body></text:note>"
    )
    body = p("a" + note.format(p("first") + p("more")) + "b" + note.format(p("second")) + ".")
    parts = text(body)
    assert outline(parts) == ["paragraph | a1b2.", "item1 1. | first", "item1 | more", "item1 2. | second"]
    assert styles(parts) == [("raised", "1"), ("raised", "2")]


def cell(words: str, more: str = "") -> str:
    return f"<table:table-cell {more}>{p(words)}</table:table-cell>"


def row(*inside: str, more: str = "") -> str:
    return f"<table:table-row {more}>{''.join(inside)}</table:table-row>"


def test_a_table_is_read_with_its_headers() -> None:
    covered = "<table:covered-table-cell/>"
    body = (
        "<table:table><table:table-column/><table:table-header-rows>" + row(cell("Tide"), cell("Height"))
        + "</table:table-header-rows>" + row(cell("High", 'table:number-rows-spanned="2"'), cell("4 m"))
        + row(covered, cell("5 m")) + row(cell("both", 'table:number-columns-spanned="2"'), covered)
        + row(cell("x", 'table:number-columns-repeated="2"'), more='table:number-rows-repeated="2"') + "</table:table>"
    )  # fmt: skip
    parts = text(body)
    assert parts.tables == (Table(6, 2, 1, {(1, 0): (2, 1), (3, 0): (1, 2)}),)
    assert cells(parts, 0) == {
        (0, 0): "Tide", (0, 1): "Height", (1, 0): "High", (1, 1): "4 m", (2, 1): "5 m", (3, 0): "both",
        (4, 0): "x", (4, 1): "x", (5, 0): "x", (5, 1): "x",
    }  # fmt: skip
    assert any("Height: " in one.words for one in parts.view.replacements)


def test_a_table_in_a_cell_and_a_list_in_a_cell() -> None:
    inner = "<table:table>" + row(cell("c"), cell("d")) + "</table:table>"
    whole = f"<table:table-cell>{p('a')}{items(p('b'), name='B')}{inner}{h('e')}</table:table-cell>"
    parts = text(f"<table:table>{row(whole, cell('f'))}</table:table>", LISTS)
    assert cells(parts, 0) == {(0, 0): "a\nb\nc\nd\ne", (0, 1): "f"}
    assert parts.headings == ()


def test_repetition_has_an_end() -> None:
    many = cell("x", 'table:number-columns-repeated="1000000"') * 100
    parts = text(
        "<table:table>" + row(many, more='table:number-rows-repeated="1000000"') * 100 + "</table:table>"
    )
    assert 10_000 < len(parts.blocks) < 40_000


def test_what_is_refused() -> None:
    manifest = "<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>"
    empty = {"mimetype": "application/vnd.oasis.opendocument.text"}
    for data, sentence in (
        (open_file("spreadsheet", ""), "not what its type says"),
        (zipped(empty), "damaged"),
        (zipped(empty | {"META-INF/manifest.xml": manifest}), "password"),
    ):
        with pytest.raises(SpanlightError, match=sentence):
            read(data)


def test_a_text_that_was_cut_off_is_read_as_far_as_it_goes() -> None:
    data = open_file("text", "".join(p(f"paragraph {n * n}") for n in range(2000)))
    parts = read(data[: data.index(b"styles.xml") // 2])
    assert parts.notes == ("The file is damaged: what could be read of it is shown.",)
    assert parts.text.startswith("paragraph 0\n\nparagraph 1\n\nparagraph 4")


def test_a_text_that_writer_wrote() -> None:
    parts = read((REAL / "writer.odt").read_bytes())
    assert outline(parts) == [
        "heading1 | Apache Tika Test Document",
        "paragraph | This is a rather1 difficult test document, with interesting features.",
        "paragraph | A rectangle", "paragraph | Another interesting project is [Solr]",
        "paragraph | Reference to the title: Apache Tika Test Document", "item1 1. | First item",
        "item1 2. | Second item", "item1 3. | Third item", "paragraph | Lucene website", "paragraph | Bibliography",
        "paragraph | Solr: Various, Solr website, 2009, http://lucene.apache.org/solr",
        "item1 1. | This is of course a simple footnote",
    ]  # fmt: skip


WORDS = st.text("abc é日\u00a0\u200b&<", max_size=8)


@given(st.lists(st.tuples(st.sampled_from(["p", "h", "item", "cell"]), WORDS), max_size=12))
def test_every_word_has_its_heading(parts: list[tuple[str, str]]) -> None:
    made, headings = "", [""]
    expected: list[tuple[str, str]] = []
    for kind, words in parts:
        xml = words.replace("&", "&amp;").replace("<", "&lt;")
        made += {
            "p": p(xml), "h": h(xml), "item": items(p(xml)), "cell": f"<table:table>{row(cell(xml))}</table:table>",
        }[kind]  # fmt: skip
        shown = " ".join(words.replace("\u200b", " ").split())
        if shown and kind == "h":
            headings.append(words)
        if shown:
            expected.append((words, headings[-1]))
    found = text(made)
    opened = Opened(Document(found.text), headings=found.headings)
    assert len(found.blocks) == len(expected)
    for block, (words, heading) in zip(found.blocks, expected, strict=True):
        assert block.span.of(found.text).split() == words.split()
        assert opened.heading_at(block.span.start) == " ".join(heading.split())
