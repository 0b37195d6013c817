"""PowerPoint files to text and blocks."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from app.core.layout import Opened, Table
from app.core.text import Document
from app.documents.parts import Parts
from app.documents.powerpoint import read_pptx
from tests.helpers.flowing import cells, changed_part, checked, outline, styles
from tests.helpers.office import (
    SPACES,
    Slide,
    ap,
    frame,
    pptx_file,
    relations,
    shapes_xml,
    slide_table,
    tc,
    titled,
    zipped,
)

REAL = Path(__file__).parent / "real"


read = checked(read_pptx)


def test_slides_come_in_the_order_of_the_presentation_with_their_titles_and_notes() -> None:
    second = Slide(
        frame(ap("Tides rise twice.")) + titled("The sea"), notes=frame(ap("Ask who knows."), 'type="body"')
    )
    parts = read(
        pptx_file([titled("The end") + frame(ap("Thanks.")), second, frame(ap("No title."))], order=[1, 2, 0])
    )
    assert outline(parts) == [
        "heading1 | Slide 1: The sea", "paragraph | Tides rise twice.", "paragraph | Notes",
        "paragraph | Ask who knows.", "heading1 | Slide 2", "paragraph | No title.", "heading1 | Slide 3: The end",
        "paragraph | Thanks.",
    ]  # fmt: skip
    assert styles(parts) == [("strong", "Notes")]
    assert parts.notes == ()


def test_hidden_slides_are_marked_and_hidden_frames_left_out() -> None:
    slides = [
        Slide(titled("Shown"), more='show="1"'),
        Slide(titled("Kept") + frame(ap("secret"), more='hidden="1"') + frame(ap("words")), more='show="0"'),
        Slide(frame(ap("x")), more='show="false"'),
    ]
    assert outline(read(pptx_file(slides))) == [
        "heading1 | Slide 1: Shown", "heading1 | Slide 2 (hidden): Kept", "paragraph | words",
        "heading1 | Slide 3 (hidden)", "paragraph | x",
    ]  # fmt: skip


def test_what_the_master_repeats_is_left_out() -> None:
    repeated = "".join(frame(ap("no"), f'type="{kind}"') for kind in ("dt", "ftr", "sldNum"))
    notes = (
        frame(ap("7"), 'type="sldNum"') + frame(ap("head"), 'type="hdr"') + frame(ap("yes"), 'type="body"')
    )
    layout = shapes_xml(
        "sldLayout", titled("Click to add title") + frame(ap("Click to add text"), 'type="body"')
    )
    slide = Slide(titled("One") + repeated, notes, related=[("l", "slideLayout", "../slideLayouts/one.xml")])
    parts = read(pptx_file([slide], slideLayouts__one=layout))
    assert outline(parts) == ["heading1 | Slide 1: One", "paragraph | Notes", "paragraph | yes"]


def test_groups_alternatives_and_diagrams_stand_in_their_place() -> None:
    inner = f"<p:grpSp>{frame(ap('c'))}</p:grpSp>"
    group = f"<p:grpSp><p:nvGrpSpPr><p:cNvPr name='g'/></p:nvGrpSpPr>{frame(ap('b'))}{inner}</p:grpSp>"
    choice, fallback = (
        f"<mc:Choice>{frame(ap('d'))}</mc:Choice>",
        f"<mc:Fallback>{frame(ap('no'))}</mc:Fallback>",
    )
    either = f"<mc:AlternateContent>{choice}{fallback}</mc:AlternateContent>"
    diagram = (
        "<p:graphicFrame><p:nvGraphicFramePr/><a:graphic><a:graphicData><dgm:relIds r:dm='rD' r:lo='rL'/>"
        "</a:graphicData></a:graphic></p:graphicFrame>"
    )
    point = f"<dgm:pt><dgm:t>{ap('e')}</dgm:t></dgm:pt>"
    points = f"<dgm:dataModel {SPACES}><dgm:ptLst>{point}<dgm:pt/></dgm:ptLst></dgm:dataModel>"
    slide = Slide(
        frame(ap("a")) + group + either + diagram + frame(ap("f")),
        related=[("rD", "diagramData", "../diagrams/data1.xml")],
    )
    parts = read(pptx_file([slide], diagrams__data1=points))
    assert parts.text == "Slide 1\n\na\n\nb\n\nc\n\nd\n\ne\n\nf"


def points(kind: str, *words: str, form: str = "General") -> str:
    """What a chart keeps of some cells."""
    each = "".join(f'<c:pt idx="{at}"><c:v>{word}</c:v></c:pt>' for at, word in enumerate(words) if word)
    kept = f"<c:numCache><c:formatCode>{form}</c:formatCode>{each}</c:numCache>"
    return f"<c:{kind}><c:numRef><c:f>A1</c:f>{kept}</c:numRef></c:{kind}>"


def charted(inside: str, title: str = "") -> Parts:
    """A slide with a chart of this inside."""
    chart = '<c:chart xmlns:c="c" r:id="rC"/>'
    shape = (
        f"<p:graphicFrame><p:nvGraphicFramePr/><a:graphic><a:graphicData>{chart}</a:graphicData></a:graphic>"
        "</p:graphicFrame>"
    )
    above = f"<c:title><c:tx><c:rich>{ap(title)}</c:rich></c:tx></c:title>" if title else ""
    part = f'<c:chartSpace {SPACES} xmlns:c="c"><c:chart>{above}{inside}</c:chart></c:chartSpace>'
    slide = Slide(shape, related=[("rC", "chart", "../charts/one.xml")])
    return read(pptx_file([slide], charts__one=part))


def test_a_chart_is_a_table_of_its_values() -> None:
    towns = points("cat", "North", "South")
    old = f"<c:ser>{points('tx', '2024')}{towns}{points('val', '4.2999999999999998', '3')}</c:ser>"
    new = f"<c:ser>{points('tx', '2025')}{towns}{points('val', '', '0.125', form='0.0%')}</c:ser>"
    parts = charted(f"<c:plotArea><c:barChart><c:barDir/>{old}{new}</c:barChart></c:plotArea>", "By region")
    assert outline(parts)[:2] == ["heading1 | Slide 1", "paragraph | By region"]
    assert cells(parts, 0) == {
        (0, 1): "2024", (0, 2): "2025", (1, 0): "North", (1, 1): "4.3", (2, 0): "South", (2, 1): "3", (2, 2): "12.5%",
    }  # fmt: skip
    assert parts.tables[0].header_rows == 1
    days = points("xVal", "45292", "45293", form="m/d/yyyy")
    parts = charted(
        f"<c:plotArea><c:scatterChart><c:ser>{days}{points('yVal', '1', '2')}</c:ser></c:scatterChart></c:plotArea>"
    )
    assert cells(parts, 0) == {(1, 0): "2024-01-01", (1, 1): "1", (2, 0): "2024-01-02", (2, 1): "2"}
    assert charted("<c:plotArea/>").text == charted("").text == ""


def test_bullets_and_numbers_as_the_layout_says() -> None:
    none = "<a:lstStyle><a:lvl1pPr><a:buNone/></a:lvl1pPr></a:lstStyle>"
    layout = shapes_xml("sldLayout", frame(none, 'type="body" idx="7"'))
    number, letter = '<a:buAutoNum type="arabicPeriod"/>', '<a:buAutoNum type="alphaLcParenR" startAt="3"/>'
    body = frame(ap("a") + ap("b", level=1) + ap("c", "<a:buNone/>"), 'idx="1"')
    plain = frame(
        ap("d") + ap("e", '<a:buFont typeface="Wingdings"/><a:buChar char="&#252;"/>'), 'type="body" idx="7"'
    )
    counted = frame(
        ap("f", number)
        + ap("g", letter, 1)
        + ap("h", letter, 1)
        + ap("", number)
        + ap("i", number)
        + ap("j", letter, 1)
    )
    slide = Slide(body + plain + counted, related=[("l", "slideLayout", "../slideLayouts/one.xml")])
    assert outline(read(pptx_file([slide], slideLayouts__one=layout)))[1:] == [
        "item1 • | a", "item2 ◦ | b", "paragraph | c", "paragraph | d", "item1 ✓ | e", "item1 1. | f", "item2 c) | g",
        "item2 d) | h", "item1 2. | i", "item2 c) | j",
    ]  # fmt: skip


def test_what_runs_hold() -> None:
    formula = "<a14:m><m:oMath><m:r><m:t>E=mc</m:t></m:r></m:oMath></a14:m>"
    runs = (
        '<a:p><a:r><a:rPr b="1" i="1"/><a:t>bold</a:t></a:r><a:br/>'
        '<a:r><a:rPr strike="sngStrike" u="sng"/><a:t>x</a:t></a:r><a:r><a:rPr baseline="30000"/><a:t>2</a:t></a:r>'
        '<a:r><a:rPr u="sng"><a:hlinkClick r:id="z"/></a:rPr><a:t> link</a:t></a:r>'
        '<a:fld type="slidenum"><a:t> 7</a:t></a:fld>'
        f"<mc:AlternateContent><mc:Choice>{formula}</mc:Choice><mc:Fallback><a:r><a:t>no</a:t></a:r></mc:Fallback>"
        "</mc:AlternateContent></a:p>"
    )
    parts = read(pptx_file([frame(runs)]))
    assert parts.text == "Slide 1\n\nbold\nx2 link 7E=mc"
    assert styles(parts) == [
        ("strong", "bold"), ("emphasis", "bold"), ("struck", "x"), ("underlined", "x"), ("raised", "2"),
        ("link", "link"),
    ]  # fmt: skip


def test_a_table_is_read_with_its_headers() -> None:
    rows = [
        tc("Tide") + tc("Height"),
        tc("High", 'rowSpan="2"') + tc("4 m"),
        tc("", 'vMerge="1"') + tc("5 m"),
        tc("both", 'gridSpan="2"') + tc("", 'hMerge="1"'),
    ]
    parts = read(pptx_file([titled("Tides") + slide_table(rows)]))
    assert parts.tables == (Table(4, 2, 1, {(1, 0): (2, 1), (3, 0): (1, 2)}),)
    assert cells(parts, 0) == {
        (0, 0): "Tide", (0, 1): "Height", (1, 0): "High", (1, 1): "4 m", (2, 1): "5 m", (3, 0): "both",
    }  # fmt: skip
    read_as = [one.words for one in parts.view.replacements]
    assert any("Height: " in words for words in read_as)
    (plain,) = read(pptx_file([slide_table(rows, "")])).tables
    assert plain.header_rows == 0


def test_titles_in_lines_and_slides_without_words() -> None:
    runs = "<a:p><a:r><a:t>The</a:t></a:r><a:br/><a:r><a:t>sea</a:t></a:r></a:p>" + ap("rises")
    assert read(pptx_file([frame(runs, 'type="ctrTitle"')])).text == "Slide 1: The sea rises"
    assert read(pptx_file([frame(ap("")), Slide("", more='show="0"')])).text == ""
    assert read(pptx_file([])).text == ""


def test_slides_that_nothing_lists_are_taken_by_their_numbers() -> None:
    slides = {f"ppt/slides/slide{n}.xml": shapes_xml("sld", titled(f"t{n}")) for n in (10, 2, 1)}
    parts = read(zipped({"[Content_Types].xml": "<Types/>"} | slides))
    assert outline(parts) == ["heading1 | Slide 1: t1", "heading1 | Slide 2: t2", "heading1 | Slide 3: t10"]
    assert parts.notes == ("The file is damaged: what could be read of it is shown.",)


def test_a_slide_that_is_missing_keeps_its_number() -> None:
    data = pptx_file([titled("a"), titled("b"), titled("c")])
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        parts = read(zipped({name: file.read(name) for name in file.namelist() if "slide2.xml" not in name}))
    assert outline(parts) == ["heading1 | Slide 1: a", "heading1 | Slide 3: c"]
    assert "damaged" in parts.notes[0]


def test_what_is_listed_again_and_again_is_read_once() -> None:
    shared = [("n", "notesSlide", "../notesSlides/one.xml")]
    notes = shapes_xml("notes", frame(ap("said"), 'type="body"'))
    parts = read(
        pptx_file(
            [Slide(titled("a"), related=shared), Slide(titled("b"), related=shared)],
            [0, 1, 0, 0],
            notesSlides__one=notes,
        )
    )
    assert parts.text.count("said") == 1 and parts.text.count(": a") == 1


def test_relationships_that_lead_out_are_not_followed() -> None:
    both = relations(("rId0", "slide", "slides/slide1.xml"), ("x", "slide", "file:///etc/passwd"))
    outside = both.replace('Id="x"', 'Id="x" TargetMode="External"')
    data = changed_part("ppt/_rels/presentation.xml.rels", outside, pptx_file([titled("a")]))
    assert read(data).text == "Slide 1: a"


def test_slides_that_powerpoint_wrote() -> None:
    parts = read((REAL / "tables.pptx").read_bytes())
    assert [each for each in outline(parts) if each.startswith("heading")] == [
        "heading1 | Slide 1", "heading1 | Slide 2", "heading1 | Slide 3",
    ]  # fmt: skip
    assert cells(parts, 3) == {
        (row, column): "abcdefghi"[row * 3 + column] for row in range(3) for column in range(3)
    }
    assert parts.tables[1].merged == {(0, 0): (2, 2)}
    assert parts.notes == ()


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=12)


@given(
    st.lists(
        st.tuples(WORDS, st.lists(WORDS, max_size=3), st.lists(WORDS, max_size=2), st.booleans()), max_size=5
    )
)
def test_every_word_of_every_slide_has_its_slide(
    slides: list[tuple[str, list[str], list[str], bool]],
) -> None:
    def xml(words: str) -> str:
        return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

    made = [
        Slide(
            titled(xml(title)) + "".join(frame(ap(xml(each))) for each in words),
            notes=frame("".join(ap(xml(each)) for each in notes), 'type="body"') if notes else "",
            more='show="0"' if hidden else "",
        )
        for title, words, notes, hidden in slides
    ]
    parts = read(pptx_file(made))
    opened = Opened(Document(parts.text), headings=parts.headings)
    for block in parts.blocks:
        heading = opened.heading_at(block.span.start)
        number = int(heading.split()[1].rstrip(":"))
        _, words, notes, hidden = slides[number - 1]
        assert heading.startswith(f"Slide {number} (hidden)" if hidden else f"Slide {number}")
        if block.span.start != parts.headings[number - 1].span.start:
            shown = block.span.of(parts.text)
            assert shown == "Notes" or any(
                " ".join(shown.split()) in " ".join(each.split()) for each in words + notes
            )
