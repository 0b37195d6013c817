"""Resolves the named styles of an OpenDocument file: those of paragraphs, words, lists and pages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.core.layout import BlockKind, Style
from app.documents.block_words import PLAIN, Styles
from app.documents.numerals import bullet, numeral
from app.documents.package import Element, attribute, child, children, integer, local
from app.documents.symbols import shown_bullet
from app.documents.word.styles import is_code_font

_DEEPEST = 40
_KINDS = {"preformatted text": BlockKind.CODE, "quotations": BlockKind.QUOTE, "quotation": BlockKind.QUOTE}


@dataclass(frozen=True)
class TextStyle:
    """The style of a paragraph or a run with all that it is based on; `title` tells that of the document's title."""

    styles: Styles = PLAIN
    kind: BlockKind | None = None
    title: bool = False
    hidden: bool = False


PLAIN_STYLE = TextStyle()


class OpenStyles:
    """Styles of the parts content.xml and styles.xml, which may be missing, by their names."""

    def __init__(self, *roots: Element | None) -> None:
        self._elements: dict[tuple[str, str], Element] = {}
        self._lists: dict[str, dict[int, Element]] = {}
        self._made: dict[tuple[str, str], TextStyle] = {}
        for part in (part for root in roots for part in children(root, "styles", "automatic-styles")):
            for each in children(part, "style"):
                key = attribute(each, "family") or "", attribute(each, "name") or ""
                self._elements.setdefault(key, each)
            for each in children(part, "list-style"):
                levels = {integer(attribute(level, "level")) or 0: level for level in each}
                self._lists.setdefault(attribute(each, "name") or "", levels)

    def of(self, family: str, name: str | None) -> TextStyle:
        """The style of a family ("paragraph", "text") with a name; a plain one for none or an unknown one."""
        key = (family, name or "")
        if key not in self._made:
            found = PLAIN_STYLE
            for each in reversed(list(self._chain(key))):
                found = _derived(found, each)
            self._made[key] = found
        return self._made[key]

    def is_hidden_page(self, name: str | None) -> bool:
        """Whether a slide of this style is left out when the slides are shown."""
        chain = self._chain(("drawing-page", name or ""))
        properties = (child(each, "drawing-page-properties") for each in chain)
        return next(
            (found == "hidden" for each in properties if (found := attribute(each, "visibility"))), False
        )

    def first_number(self, name: str, level: int) -> int:
        """The number of the first item of a list style's level, from 1."""
        first = integer(attribute(self._lists.get(name, {}).get(level), "start-value"))
        return 1 if first is None else first

    def marker(self, name: str, level: int, counts: list[int]) -> str:
        """The bullet or the number of an item, by the counts of all levels; empty where its list shows none."""
        levels = self._lists.get(name, {})
        meant = levels.get(level)
        if meant is None:
            return bullet(level)
        if local(meant) != "list-level-style-number":
            text = attribute(meant, "bullet-char")
            font = attribute(child(meant, "text-properties"), "font-name") or ""
            return bullet(level) if text is None else shown_bullet(text, font, level) if text.strip() else ""
        if not attribute(meant, "num-format"):
            return ""
        shown = max(1, min(integer(attribute(meant, "display-levels")) or 1, level))
        numbers = ".".join(
            numeral(counts[each], attribute(levels.get(each), "num-format") or "1")
            for each in range(level - shown + 1, level + 1)
        )
        return (
            f"{attribute(meant, 'num-prefix') or ''}{numbers}{attribute(meant, 'num-suffix') or ''}".strip()
        )

    def _chain(self, key: tuple[str, str]) -> Iterator[Element]:
        """The style and what it is based on."""
        family, name = key
        seen: set[str] = set()
        while (family, name) in self._elements and name not in seen and len(seen) < _DEEPEST:
            seen.add(name)
            element = self._elements[family, name]
            yield element
            name = attribute(element, "parent-style-name") or ""


def _derived(base: TextStyle, element: Element) -> TextStyle:
    """A base style with the changes of a style that is based on it."""
    properties = child(element, "text-properties")
    styles = set(base.styles)
    font = attribute(properties, "font-name") or attribute(properties, "font-family")
    for style, value, is_on in (
        (Style.STRONG, attribute(properties, "font-weight"), _is_bold),
        (Style.EMPHASIS, attribute(properties, "font-style"), lambda value: value != "normal"),
        (Style.UNDERLINED, attribute(properties, "text-underline-style"), lambda value: value != "none"),
        (Style.STRUCK, attribute(properties, "text-line-through-style"), lambda value: value != "none"),
        (Style.CODE, font, is_code_font),
    ):
        if value is not None:
            styles = styles | {style} if is_on(value) else styles - {style}
    if raised := (attribute(properties, "text-position") or "").split(" ")[0]:
        styles -= {Style.RAISED, Style.LOWERED}
        if raised == "sub" or raised.startswith("-"):
            styles |= {Style.LOWERED}
        elif raised == "super" or raised.strip("0%"):
            styles |= {Style.RAISED}
    name = (
        (attribute(element, "display-name") or attribute(element, "name") or "").lower().replace("_20_", " ")
    )
    display = attribute(properties, "display")
    return TextStyle(
        frozenset(styles),
        _KINDS.get(name, base.kind),
        base.title or name == "title",
        base.hidden if display is None else display == "none",
    )


def _is_bold(weight: str) -> bool:
    return weight == "bold" or (integer(weight) or 0) >= 600
