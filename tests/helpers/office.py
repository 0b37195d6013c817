"""Small PowerPoint and OpenDocument files made from their XML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.helpers.flowing import OFFICE, PACKAGE, zipped

_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
_SLIDES = "http://schemas.openxmlformats.org/presentationml/2006/main"
_MORE = (
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    ' xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"'
    ' xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main"'
    ' xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
)
SPACES = f'xmlns:p="{_SLIDES}" xmlns:a="{_DRAWING}" xmlns:r="{OFFICE}" {_MORE}'
_OPEN = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}"'
    for prefix, name in {
        "office": "office:1.0",
        "text": "text:1.0",
        "table": "table:1.0",
        "draw": "drawing:1.0",
        "style": "style:1.0",
        "presentation": "presentation:1.0",
        "fo": "xsl-fo-compatible:1.0",
    }.items()
)


def relations(*targets: tuple[str, str, str]) -> str:
    """A part's relationships: identifiers, the last words of their types, targets."""
    each = "".join(
        f'<Relationship Id="{i}" Type="{OFFICE}/{kind}" Target="{to}"/>' for i, kind, to in targets
    )
    return f'<Relationships xmlns="{PACKAGE}">{each}</Relationships>'


def ap(words: str, properties: str = "", level: int = 0) -> str:
    """A paragraph of a slide's text frame."""
    return f'<a:p><a:pPr lvl="{level}">{properties}</a:pPr><a:r><a:rPr/><a:t>{words}</a:t></a:r></a:p>'


def frame(inside: str, placeholder: str | None = None, more: str = "") -> str:
    """A text frame with paragraphs, which may be a placeholder of a type; `more` are attributes of its properties."""
    holder = "" if placeholder is None else f"<p:ph {placeholder}/>"
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="2" name="x" {more}/><p:cNvSpPr/><p:nvPr>{holder}</p:nvPr></p:nvSpPr>'
        f"<p:spPr/><p:txBody><a:bodyPr/>{inside}</p:txBody></p:sp>"
    )


def titled(words: str) -> str:
    """A slide's title."""
    return frame(ap(words), 'type="title"')


def slide_table(rows: Sequence[str], more: str = 'firstRow="1"') -> str:
    """A table on a slide; each row is the XML of its cells."""
    inside = "".join(f"<a:tr>{row}</a:tr>" for row in rows)
    return (
        '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="3" name="t"/></p:nvGraphicFramePr><a:graphic><a:graphicData>'
        f"<a:tbl><a:tblPr {more}/>{inside}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>"
    )


def tc(words: str, more: str = "") -> str:
    """A cell of a slide's table."""
    return f"<a:tc {more}><a:txBody>{ap(words)}</a:txBody></a:tc>"


@dataclass
class Slide:
    """A slide's shapes, its notes' shapes, attributes of its root, and further relationships."""

    shapes: str
    notes: str = ""
    more: str = ""
    related: list[tuple[str, str, str]] = field(default_factory=list)


def shapes_xml(root: str, shapes: str, more: str = "") -> str:
    """The XML of a slide, a layout or a page of notes."""
    return f"<p:{root} {SPACES} {more}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:{root}>"


def pptx_file(
    slides: Sequence[Slide | str], order: Sequence[int] | None = None, **parts: str | bytes
) -> bytes:
    """A PowerPoint file; slides are listed in `order` of their indices; `parts` are further ones in ppt, "a__b"."""
    order = range(len(slides)) if order is None else order
    listed = "".join(f'<p:sldId id="{256 + each}" r:id="rId{each}"/>' for each in order)
    entries: dict[str, str | bytes] = {
        "[Content_Types].xml": "<Types/>",
        "_rels/.rels": relations(("a", "officeDocument", "ppt/presentation.xml")),
        "ppt/presentation.xml": f"<p:presentation {SPACES}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": relations(
            *((f"rId{n}", "slide", f"slides/slide{n + 1}.xml") for n in range(len(slides)))
        ),
    }
    for number, each in enumerate(slides, start=1):
        slide = Slide(each) if isinstance(each, str) else each
        related = list(slide.related)
        entries[f"ppt/slides/slide{number}.xml"] = shapes_xml("sld", slide.shapes, slide.more)
        if slide.notes:
            entries[f"ppt/notesSlides/notesSlide{number}.xml"] = shapes_xml("notes", slide.notes)
            related.append(("n", "notesSlide", f"../notesSlides/notesSlide{number}.xml"))
        entries[f"ppt/slides/_rels/slide{number}.xml.rels"] = relations(*related)
    return zipped(entries | {f"ppt/{name.replace('__', '/')}.xml": data for name, data in parts.items()})


def open_file(kind: str, body: str, automatic: str = "", styles: str = "", declaration: str = "") -> bytes:
    """An OpenDocument file: `kind` is "text" or "presentation", `automatic` its own styles, `styles` the named ones."""
    root = f'<?xml version="1.0" encoding="UTF-8"?>{declaration}<office:document-content {_OPEN}>'
    return zipped(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "META-INF/manifest.xml": "<manifest/>",
            "content.xml": f"{root}<office:automatic-styles>{automatic}</office:automatic-styles>"
            f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>",
            "styles.xml": f"<office:document-styles {_OPEN}><office:styles>{styles}</office:styles>"
            "</office:document-styles>",
        }
    )


def page(shapes: str, notes: str = "", style: str = "") -> str:
    """A slide of an OpenDocument presentation."""
    below = f"<presentation:notes>{notes}</presentation:notes>" if notes else ""
    return f'<draw:page draw:name="p" draw:style-name="{style}">{shapes}{below}</draw:page>'


def box(inside: str, more: str = "") -> str:
    """A frame with a text box."""
    return f"<draw:frame {more}><draw:text-box>{inside}</draw:text-box></draw:frame>"
