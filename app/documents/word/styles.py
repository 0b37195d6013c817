"""Resolves the named styles of a Word document's paragraphs and runs."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from app.core.layout import BlockKind, Style
from app.documents.package import Element, attribute, child, children
from app.documents.word.xml import number, switch, value

_HEADING = re.compile(r"heading ([1-9])")
_CODE_NAMES = frozenset(
    ("source code", "html preformatted", "preformatted text", "plain text", "code", "macro")
)
_QUOTES = frozenset(("quote", "intense quote", "block text", "quotations"))
_FONTS = re.compile(
    r"courier|consolas|menlo|monaco|lucida console|\bmono\b|monospace|typewriter", re.IGNORECASE
)
_BODY = 9  # the outline level of body text
_DEEPEST = 40


@dataclass(frozen=True)
class WordStyle:
    """A style with all that it is based on; None for properties that are not set."""

    name: str = ""
    kind: BlockKind | None = None
    outline: int | None = None
    list_number: int | None = None
    list_level: int | None = None
    bold: bool | None = None
    slanted: bool | None = None
    hidden: bool | None = None
    code: bool | None = None

    @property
    def level(self) -> int:
        """A heading's level from 1; 0 for text."""
        return self.outline + 1 if self.outline is not None and self.outline < _BODY else 0


PLAIN_STYLE = WordStyle()


class WordStyles:
    """Styles by their identifiers; the names are Word's own in any language."""

    def __init__(self, root: Element | None) -> None:
        self._elements: dict[str, Element] = {}
        self._made: dict[str, WordStyle] = {}
        default = None
        for style in children(root, "style"):
            if identifier := attribute(style, "styleId"):
                self._elements.setdefault(identifier, style)
                is_default = attribute(style, "default") in ("1", "true", "on")
                if is_default and attribute(style, "type") == "paragraph":
                    default = identifier
        # It may be based on a style that stands behind it.
        self.paragraph = self.of(default)

    def of(self, identifier: str | None) -> WordStyle:
        """The style with an identifier; a plain one for none or an unknown one."""
        if not identifier or identifier not in self._elements:
            return PLAIN_STYLE
        if identifier not in self._made:
            chain: list[str] = []
            current: str | None = identifier
            while current in self._elements and current not in chain and len(chain) < _DEEPEST:
                chain.append(current)
                current = value(self._elements[current], "basedOn")
            style = PLAIN_STYLE
            for each in reversed(chain):
                style = _derived(style, self._elements[each])
            self._made[identifier] = style
        return self._made[identifier]


def _derived(base: WordStyle, element: Element) -> WordStyle:
    """A base style with the changes of a style that is based on it."""
    name = (value(element, "name") or "").lower()
    paragraph, run = child(element, "pPr"), child(element, "rPr")
    changes: dict[str, object] = {"name": name}
    if heading := _HEADING.fullmatch(name):
        changes["outline"] = int(heading[1]) - 1
    elif name in ("title", "toc heading"):
        changes["outline"] = 0
    elif (outline := number(paragraph, "outlineLvl")) is not None:
        changes["outline"] = outline
    if name in _CODE_NAMES:
        changes["kind"] = BlockKind.CODE
    elif name in _QUOTES:
        changes["kind"] = BlockKind.QUOTE
    numbering = child(paragraph, "numPr")
    if (found := number(numbering, "numId")) is not None:
        changes["list_number"] = found
    if (found := number(numbering, "ilvl")) is not None:
        changes["list_level"] = found
    for field, mark in (("bold", "b"), ("slanted", "i"), ("hidden", "vanish")):
        if (on := switch(run, mark)) is not None:
            changes[field] = on
    if (font := font_of(run)) is not None:
        changes["code"] = is_code_font(font)
    return replace(base, **changes)  # type: ignore[arg-type]


def font_of(run: Element | None) -> str | None:
    """The font that a run's properties name for Latin letters."""
    fonts = child(run, "rFonts")
    return attribute(fonts, "ascii") or attribute(fonts, "hAnsi")


def is_code_font(font: str) -> bool:
    """Whether a font is monospaced, as for code."""
    return _FONTS.search(font) is not None


def run_styles(run: Element | None, named: WordStyle, paragraph: WordStyle) -> frozenset[Style] | None:
    """A run's styles, by its properties, its named style and its paragraph's; None for hidden words.

    Bold and italic are toggled between the named styles (ECMA-376 part 1, 17.7.3).
    """
    if run is None and named is PLAIN_STYLE and paragraph is PLAIN_STYLE:
        return frozenset()
    hidden, web_hidden = switch(run, "vanish"), switch(run, "webHidden")
    if web_hidden or (hidden if hidden is not None else named.hidden or paragraph.hidden):
        return None
    found = set()
    for style, mark, by_name in (
        (Style.STRONG, "b", bool(named.bold) != bool(paragraph.bold)),
        (Style.EMPHASIS, "i", bool(named.slanted) != bool(paragraph.slanted)),
    ):
        on = switch(run, mark)
        if on if on is not None else by_name:
            found.add(style)
    if switch(run, "strike") or switch(run, "dstrike"):
        found.add(Style.STRUCK)
    if (value(run, "u") or "none") != "none":
        found.add(Style.UNDERLINED)
    raised = value(run, "vertAlign")
    if raised in ("superscript", "subscript"):
        found.add(Style.RAISED if raised == "superscript" else Style.LOWERED)
    font = font_of(run)
    if is_code_font(font) if font else named.code if named.code is not None else paragraph.code:
        found.add(Style.CODE)
    return frozenset(found)
