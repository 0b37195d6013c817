"""Reads the words of a Word document's paragraphs, with their styles."""

from __future__ import annotations

from collections.abc import Iterator

from app.core.layout import Style
from app.documents.block_words import PLAIN, Styles
from app.documents.blocks import LINE_BREAK
from app.documents.package import Element, attribute, child, children, local
from app.documents.symbols import symbol
from app.documents.word.styles import WordStyle, WordStyles, font_of, run_styles
from app.documents.word.xml import value

# Around runs: tracked insertions, smart tags, content controls, text directions, fields.
_TRANSPARENT = frozenset(
    "ins moveTo smartTag customXml sdt sdtContent fldSimple dir bdo hyperlink oMath oMathPara subDoc".split()
)
_TEXT_BOXES = frozenset(("drawing", "pict", "object", "AlternateContent"))
_NOTES = {"footnoteReference": "footnotes", "endnoteReference": "endnotes"}


class Runs:
    """Reads paragraphs' runs; a field's instruction is left out, its result is read.

    `notes` are the marks of the notes to which the text refers, by their kinds and identifiers; `boxes` are text boxes.
    """

    def __init__(self, styles: WordStyles) -> None:
        self.notes: dict[tuple[str, str], int] = {}
        self.boxes: list[Element] = []
        self._styles = styles
        self._fields: list[bool] = []  # for each open field: whether its instruction is being read

    def of(self, paragraph: Element, style: WordStyle) -> Iterator[tuple[str, Styles]]:
        """The paragraph's words with their styles; a forced line break is a separate LINE_BREAK."""
        # Only in a damaged file does an instruction continue in the next paragraph.
        self._fields = [False for _ in self._fields]
        yield from self._children(paragraph, style, PLAIN)

    def _children(self, parent: Element, style: WordStyle, around: Styles) -> Iterator[tuple[str, Styles]]:
        for each in parent:
            name = local(each)
            if name == "r":
                yield from self._run(each, style, around)
            elif name in _TRANSPARENT:
                inner = around | {Style.LINK} if name == "hyperlink" else around
                yield from self._children(each, style, inner)
            elif name in _TEXT_BOXES:
                self.boxes.append(each)
            elif _is_mathematics(each) and name not in ("rPr", "ctrlPr"):
                yield from self._children(each, style, around)

    def _run(self, run: Element, paragraph: WordStyle, around: Styles) -> Iterator[tuple[str, Styles]]:
        properties = child(run, "rPr")
        named = self._styles.of(value(properties, "rStyle"))
        own = run_styles(properties, named, paragraph)
        if own is None:
            # Fields begin and end in hidden runs too.
            for each in run:
                self._field(each)
            return
        styles = own | around
        if Style.LINK in styles or named.name == "hyperlink":
            styles = (styles | {Style.LINK}) - {Style.UNDERLINED}
        for each in run:
            name = local(each)
            if name == "fldChar":
                self._field(each)
            elif any(self._fields):
                continue
            elif name == "t":
                yield _without_symbols(each.text or "", properties), styles
            elif name in ("tab", "ptab"):
                yield "\t", styles
            elif name in ("br", "cr"):
                wraps = (attribute(each, "type") or "textWrapping") == "textWrapping"
                yield LINE_BREAK if wraps else " ", PLAIN
            elif name == "noBreakHyphen":
                yield "\u2011", styles
            elif name == "softHyphen":
                yield "\u00ad", styles
            elif name == "sym":
                yield _symbol(each), styles
            elif name in _NOTES:
                yield self._note(each, name), styles | {Style.RAISED}
            elif name == "ruby":
                base = child(each, "rubyBase")
                yield from self._children(each if base is None else base, paragraph, around)
            elif name in _TEXT_BOXES:
                self.boxes.append(each)

    def _note(self, reference: Element, name: str) -> str:
        if (attribute(reference, "customMarkFollows") or "0") in ("1", "true", "on"):
            return ""
        key = _NOTES[name], attribute(reference, "id") or ""
        return str(self.notes.setdefault(key, len(self.notes) + 1))

    def _field(self, element: Element) -> None:
        if local(element) != "fldChar":
            return
        kind = attribute(element, "fldCharType")
        if kind == "begin":
            self._fields.append(True)
        elif kind == "separate" and self._fields:
            self._fields[-1] = False
        elif kind == "end" and self._fields:
            self._fields.pop()


def text_boxes(holder: Element) -> Iterator[Element]:
    """The contents of text boxes, each once: of a drawing and its fallback for older programs only the drawing's."""
    stack = [holder]
    while stack:
        element = stack.pop()
        name = local(element)
        if name == "txbxContent":
            yield element
        elif name == "AlternateContent":
            stack += [*children(element, "Choice", "Fallback")][:1]
        else:
            stack += reversed(element)


def _is_mathematics(element: Element) -> bool:
    return isinstance(element.tag, str) and element.tag.startswith(
        (
            "{http://schemas.openxmlformats.org/officeDocument/2006/math}",
            "{http://purl.oclc.org/ooxml/officeDocument/math}",
        )
    )


def _symbol(element: Element) -> str:
    try:
        code = int(attribute(element, "char") or "", 16)
    except ValueError:
        return ""
    if not 0 < code < 0xD800 and not 0xE000 <= code < 0xFFFE:
        return ""
    known = symbol(chr(code), attribute(element, "font") or "")
    return known or ("\ufffd" if 0xE000 <= code <= 0xF8FF else chr(code))


def _without_symbols(text: str, properties: Element | None) -> str:
    """The words with the private characters of symbol fonts as Unicode."""
    if not any("\uf000" <= each <= "\uf0ff" for each in text):
        return text
    font = font_of(properties) or ""
    return "".join(symbol(each, font) or "\ufffd" if "\uf000" <= each <= "\uf0ff" else each for each in text)
