"""OpenDocument presentations to text and blocks."""

from __future__ import annotations

from pathlib import Path

from app.core.layout import Opened
from app.core.text import Document
from app.documents.opendocument.document import read_odp
from app.documents.parts import Parts
from tests.helpers.flowing import cells, checked, outline, styles
from tests.helpers.office import box, open_file, page

REAL = Path(__file__).parents[1] / "real"
TITLE, NOTES = 'presentation:class="title"', 'presentation:class="notes"'
HIDDEN = (
    '<style:style style:name="dp1" style:family="drawing-page"><style:drawing-page-properties'
    ' presentation:visibility="hidden"/></style:style>'
)


read = checked(read_odp)


def slides(*pages: str) -> Parts:
    return read(open_file("presentation", "<presentation:settings/>" + "".join(pages), HIDDEN))


def p(words: str) -> str:
    return f"<text:p>{words}</text:p>"


def test_slides_with_their_titles_and_notes() -> None:
    parts = slides(
        page(box(p("Tides rise twice.")) + box(p("The") + p("sea"), TITLE), box(p("Ask who knows."), NOTES)),
        page(box(p("secret")), style="dp1"),
        page(box("", TITLE + ' presentation:placeholder="true"') + box(p("last"))),
    )
    assert outline(parts) == [
        "heading1 | Slide 1: The sea", "paragraph | Tides rise twice.", "paragraph | Notes",
        "paragraph | Ask who knows.", "heading1 | Slide 2 (hidden)", "paragraph | secret", "heading1 | Slide 3",
        "paragraph | last",
    ]  # fmt: skip
    opened = Opened(Document(parts.text), headings=parts.headings)
    assert opened.heading_at(parts.text.index("Ask")) == "Slide 1: The sea"
    assert opened.heading_at(parts.text.index("last")) == "Slide 3"


def test_what_the_master_repeats_is_left_out() -> None:
    repeated = "".join(
        box(p("no"), f'presentation:class="{kind}"')
        for kind in ("date-time", "footer", "page-number", "header")
    )
    empty = box("", NOTES) + "<draw:page-thumbnail/>" + box(p("no"), 'presentation:class="page-number"')
    assert slides(page(box(p("One"), TITLE) + repeated, empty)).text == "Slide 1: One"


def test_shapes_groups_lists_and_tables() -> None:
    row = "<table:table-row>" + "".join(f"<table:table-cell>{p(words)}</table:table-cell>" for words in "ab")
    rows = f"{row}</table:table-row>" * 2
    table = f'<table:table table:use-first-row-styles="true">{rows}</table:table>'
    listed = f"<text:list><text:list-item>{p('x')}</text:list-item></text:list>"
    shape = f"<draw:custom-shape>{p('y')}<draw:enhanced-geometry/></draw:custom-shape>"
    pictures = "<draw:frame><draw:image/><svg:title xmlns:svg='s'>no</svg:title></draw:frame>"
    parts = slides(
        page(f"<draw:g>{shape}{box(listed)}</draw:g><draw:frame>{table}<draw:image/></draw:frame>{pictures}")
    )
    assert outline(parts)[:3] == ["heading1 | Slide 1", "paragraph | y", "item1 • | x"]
    assert cells(parts, 0) == {(0, 0): "a", (0, 1): "b", (1, 0): "a", (1, 1): "b"}
    assert parts.tables[0].header_rows == 1


def test_only_slides_have_headings() -> None:
    parts = slides(page(box("<text:h>Within</text:h>" + p("words"))))
    assert outline(parts) == ["heading1 | Slide 1", "paragraph | Within", "paragraph | words"]
    assert styles(parts) == [("strong", "Within")]


def test_a_presentation_of_pictures_holds_no_text() -> None:
    assert slides(page(""), page("", style="dp1")).text == ""


def test_slides_that_impress_wrote() -> None:
    assert outline(read((REAL / "impress.odp").read_bytes())) == [
        "heading1 | Slide 1: This is", "paragraph | An example Impress file", "heading1 | Slide 2",
    ]  # fmt: skip
