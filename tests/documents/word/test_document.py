"""Word documents to text and blocks."""

from __future__ import annotations

import io

import docx
from docx.document import Document as WordDocument
from hypothesis import given
from hypothesis import strategies as st

from app.core.layout import Table
from app.documents.word.document import read_docx
from tests.helpers.flowing import (
    cells,
    checked,
    document_xml,
    outline,
    p,
    packed,
    r,
    styles,
    word_file,
)

read = checked(read_docx)


def saved(document: WordDocument) -> bytes:
    output = io.BytesIO()
    document.save(output)
    return output.getvalue()


def test_a_document_that_another_program_wrote() -> None:
    document = docx.Document()
    document.add_heading("The title", 0)
    document.add_heading("One", 1)
    paragraph = document.add_paragraph("plain ")
    paragraph.add_run("bold").bold = True
    paragraph.add_run(" and ")
    paragraph.add_run("slanted").italic = True
    document.add_paragraph("first", style="List Number")
    document.add_paragraph("second", style="List Number")
    document.add_paragraph("bullet", style="List Bullet")
    document.add_paragraph("said", style="Quote")
    table = document.add_table(3, 3)
    for row in range(3):
        for column in range(3):
            table.cell(row, column).text = f"{row}{column}"
    table.cell(0, 0).merge(table.cell(0, 1)).text = "wide"
    table.cell(1, 2).merge(table.cell(2, 2)).text = "tall"
    parts = read(saved(document))
    assert outline(parts)[:7] == [
        "heading1 | The title", "heading1 | One", "paragraph | plain bold and slanted", "item1 1. | first",
        "item1 2. | second", "item1 • | bullet", "quote1 | said",
    ]  # fmt: skip
    assert styles(parts)[:2] == [("strong", "bold"), ("emphasis", "slanted")]
    assert parts.tables == (Table(3, 3, 0, {(0, 0): (1, 2), (1, 2): (2, 1)}),)
    assert cells(parts, 0) == {
        (0, 0): "wide", (0, 2): "02", (1, 0): "10", (1, 1): "11", (1, 2): "tall", (2, 0): "20", (2, 1): "21",
    }  # fmt: skip
    assert parts.notes == ()


def test_what_runs_hold() -> None:
    body = p(
        r("a") + '<w:r><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:br w:type="page"/>'
        "<w:t>d</w:t><w:noBreakHyphen/><w:t>e</w:t>"
        '<w:sym w:font="Wingdings" w:char="F0FC"/><w:sym w:font="Symbol" w:char="F061"/></w:r>'
        + r("hidden", "<w:vanish/>")
        + r(" f", "<w:b/><w:i/><w:strike/>")
        + r("g", '<w:b w:val="0"/><w:vertAlign w:val="superscript"/>')
        + r("h", '<w:rFonts w:ascii="Courier New"/><w:u w:val="single"/>')
    )
    parts = read(word_file(body))
    assert parts.text == "a b\nc d\u2011e✓α fgh"
    assert styles(parts) == [
        ("strong", "f"), ("emphasis", "f"), ("struck", "f"), ("raised", "g"), ("code", "h"), ("underlined", "h"),
    ]  # fmt: skip


def test_tracked_changes_links_controls_and_fields() -> None:
    field = (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGE x</w:instrText><w:t>no</w:t></w:r>'
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r>'
        + r("7")
        + '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )
    body = p(
        f"<w:ins>{r('new ')}</w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>"
        f"<w:moveFrom>{r('m')}</w:moveFrom>"
        f'<w:hyperlink r:id="x">{r("link")}</w:hyperlink><w:smartTag>{r(" tag ")}</w:smartTag>'
        f"<w:sdt><w:sdtPr/><w:sdtContent>{r('control ')}</w:sdtContent></w:sdt>{field}"
        f"<w:fldSimple>{r(' f')}</w:fldSimple>"
        "<m:oMath><m:r><m:t>E=mc</m:t></m:r></m:oMath>"
    )
    parts = read(word_file(f"<w:sdt><w:sdtContent>{body}</w:sdtContent></w:sdt>" + p(r("next"))))
    assert parts.text == "new link tag control 7 fE=mc\n\nnext"
    assert styles(parts) == [("link", "link")]


def test_text_boxes_are_read_once_and_strict_documents_too() -> None:
    xml = document_xml(p(r("strict")), word="http://purl.oclc.org/ooxml/wordprocessingml/main")
    assert read(packed({"word/document.xml": xml})).text == "strict"
    inside = f"<w:txbxContent>{p(r('boxed'))}</w:txbxContent>"
    choice = f"<mc:Choice><w:drawing><wps:txbx>{inside}</wps:txbx></w:drawing></mc:Choice>"
    fallback = f"<mc:Fallback><w:pict><v:textbox>{inside}</v:textbox></w:pict></mc:Fallback>"
    box = f"<mc:AlternateContent>{choice}{fallback}</mc:AlternateContent>"
    assert read(word_file(p(r("a") + f"<w:r>{box}</w:r>" + r("b")) + p(r("c")))).text == "ab\n\nboxed\n\nc"


def test_headings_by_style_in_any_language_and_by_outline() -> None:
    names = (
        '<w:style w:type="paragraph" w:styleId="Titre1"><w:name w:val="heading 1"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="Mine"><w:name w:val="Mine"/><w:basedOn w:val="Titre1"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="Loop"><w:name w:val="l"/><w:basedOn w:val="Loop"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="Code"><w:name w:val="Source Code"/></w:style>'
        '<w:style w:type="character" w:styleId="B"><w:name w:val="b"/><w:rPr><w:b/></w:rPr></w:style>'
    )
    body = (
        p(r("A"), '<w:pStyle w:val="Titre1"/>')
        + p(r("B"), '<w:pStyle w:val="Mine"/>')
        + p(r("C"), '<w:outlineLvl w:val="2"/>')
        + p(r("D"), '<w:pStyle w:val="Mine"/><w:outlineLvl w:val="9"/>')
        + p(r("E", '<w:rStyle w:val="B"/>'), '<w:pStyle w:val="Loop"/>')
        + p(r("if x:"), '<w:pStyle w:val="Code"/>')
        + p(r("    y"), '<w:pStyle w:val="Code"/>')
        + p(r("F"))
    )
    parts = read(word_file(body, styles=names))
    assert outline(parts) == [
        "heading1 | A", "heading1 | B", "heading3 | C", "paragraph | D", "paragraph | E", "code | if x:\n    y",
        "paragraph | F",
    ]  # fmt: skip
    assert styles(parts) == [("strong", "E")]


def test_the_usual_style_may_be_based_on_one_behind_it() -> None:
    names = (
        '<w:style w:type="paragraph" w:default="1" w:styleId="N"><w:basedOn w:val="Base"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="Base"><w:rPr><w:b/></w:rPr></w:style>'
    )
    assert styles(read(word_file(p(r("A")), styles=names))) == [("strong", "A")]


NUMBERING = (
    '<w:abstractNum w:abstractNumId="0">'
    '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%1."/></w:lvl>'
    '<w:lvl w:ilvl="1"><w:start w:val="2"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/></w:lvl>'
    "</w:abstractNum>"
    '<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="\uf0b7"/>'
    '<w:rPr><w:rFonts w:ascii="Symbol"/></w:rPr></w:lvl></w:abstractNum>'
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>'
    '<w:num w:numId="3"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0">'
    '<w:startOverride w:val="5"/></w:lvlOverride>'
    "</w:num>"
)


def item(words: str, number: int, level: int = 0) -> str:
    return p(r(words), f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>')


def test_list_markers() -> None:
    body = (
        item("a", 1) + item("b", 1, 1) + item("c", 1, 1) + item("", 1) + item("d", 1) + item("e", 1, 1)
        + p(r("between")) + item("f", 2) + item("g", 1) + item("h", 3) + item("i", 3) + item("j", 0) + item("k", 77)
    )  # fmt: skip
    assert outline(read(word_file(body, numbering=NUMBERING))) == [
        "item1 I. | a", "item2 I.b) | b", "item2 I.c) | c", "item1 II. | d", "item2 II.b) | e", "paragraph | between",
        "item1 • | f", "item1 III. | g", "item1 V. | h", "item1 VI. | i", "paragraph | j", "paragraph | k",
    ]  # fmt: skip


def test_notes_stand_at_the_end() -> None:
    body = p(
        r("one")
        + '<w:r><w:footnoteReference w:id="2"/></w:r>'
        + r(" two")
        + '<w:r><w:endnoteReference w:id="1"/></w:r>'
    ) + p(r("last"))
    parts = read(
        word_file(
            body,
            footnotes=f'<w:footnote w:id="0">{p(r("rule"))}</w:footnote><w:footnote w:id="2">'
            f"{p(r(' foot'))}{p(r('more'))}"
            "</w:footnote>",
            endnotes=f'<w:endnote w:id="1">{p(r("end"))}</w:endnote>',
        )
    )
    assert parts.text == "one1 two2\n\nlast\n\nfoot\nmore\nend"
    assert outline(parts)[2:] == ["item1 1. | foot", "item1 | more", "item1 2. | end"]
    assert styles(parts) == [("raised", "1"), ("raised", "2")]


def test_tables_nested_headed_and_uneven() -> None:
    inner = f"<w:tbl><w:tr><w:tc>{p(r('in'))}</w:tc><w:tc>{p(r('ner'))}</w:tc></w:tr></w:tbl>"
    head = p(r("H"), '<w:outlineLvl w:val="0"/>')
    body = (
        "<w:tbl><w:tr><w:trPr><w:tblHeader/></w:trPr>"
        f"<w:tc>{head}</w:tc><w:tc>{p('')}</w:tc></w:tr>"
        f'<w:tr><w:trPr><w:gridBefore w:val="1"/></w:trPr><w:sdt><w:sdtContent><w:tc>{p(r("a"))}{inner}{p("")}</w:tc>'
        "</w:sdtContent></w:sdt></w:tr>"
        f"<w:tr><w:trPr><w:del/></w:trPr><w:tc>{p(r('gone'))}</w:tc></w:tr></w:tbl>"
    )
    parts = read(word_file(body))
    assert cells(parts, 0) == {(0, 0): "H", (1, 1): "a\nin\nner"}
    assert parts.tables == (Table(2, 2, 1),)
    assert parts.headings == ()
    assert styles(parts) == [("strong", "H")]


RUNS = st.builds(
    lambda words, properties: r(words, properties),
    st.text("ab 漢😀\u200f\n\t", max_size=5),
    st.sampled_from(["", "<w:b/>", "<w:i/>", "<w:vanish/>", '<w:vertAlign w:val="subscript"/>']),
)
PARAGRAPHS = st.builds(
    lambda runs, properties: p("".join(runs), properties),
    st.lists(st.one_of(RUNS, st.just("<w:r><w:br/></w:r>")), max_size=4),
    st.sampled_from(
        ["", '<w:outlineLvl w:val="1"/>', '<w:numPr><w:numId w:val="1"/><w:ilvl w:val="1"/></w:numPr>']
    ),
)
CELLS = st.builds(
    lambda span, merge, inside: (
        f'<w:tc><w:tcPr><w:gridSpan w:val="{span}"/>{merge}</w:tcPr>{"".join(inside)}</w:tc>'
    ),
    st.integers(0, 4),
    st.sampled_from(["", "<w:vMerge/>", '<w:vMerge w:val="restart"/>', '<w:hMerge w:val="continue"/>']),
    st.lists(PARAGRAPHS, max_size=2),
)
ROWS = st.builds(
    lambda head, row: f"<w:tr><w:trPr>{head}</w:trPr>{''.join(row)}</w:tr>",
    st.sampled_from(["", "<w:tblHeader/>", '<w:gridBefore w:val="2"/>']),
    st.lists(CELLS, max_size=4),
)
TABLES = st.lists(ROWS, max_size=4).map(lambda rows: f"<w:tbl>{''.join(rows)}</w:tbl>")


@given(st.lists(st.one_of(PARAGRAPHS, TABLES), max_size=8).map("".join))
def test_any_body_makes_sound_blocks(body: str) -> None:
    read(word_file(body + p(r("end")), numbering=NUMBERING))
