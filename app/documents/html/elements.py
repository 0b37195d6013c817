"""The meaning of HTML elements for a reader: blocks, emphasis, and what is never shown."""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.core.layout import Style

# Never shown as words, or only by a script.
DROPPED = frozenset(
    "script style template noscript head title svg iframe object embed audio video canvas select datalist textarea "
    "input img rp rt noframes annotation annotation-xml -comment area map".split()
)
BLOCKS = frozenset(
    "address article aside blockquote body button center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol optgroup option p "
    "plaintext pre search section summary table ul xmp caption tbody thead tfoot tr td th".split()
)
HEADINGS = {f"h{level}": level for level in range(1, 7)}
CODE_BLOCKS = frozenset(("pre", "listing", "xmp", "plaintext"))
STYLES = {
    name: style
    for style, names in {
        Style.STRONG: "b strong th",
        Style.EMPHASIS: "i em cite var dfn",
        Style.CODE: "code kbd samp tt",
        Style.STRUCK: "s del strike",
        Style.UNDERLINED: "u ins",
        Style.RAISED: "sup",
        Style.LOWERED: "sub",
    }.items()
    for name in names.split()
}

_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_BOLD = re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)", re.IGNORECASE)
_SLANTED = re.compile(r"font-style\s*:\s*(?:italic|oblique)", re.IGNORECASE)


def is_hidden(tag: str, attributes: Mapping[str, str | None]) -> bool:
    """Whether a browser hides the element, judged by its own attributes."""
    if "hidden" in attributes or (tag == "dialog" and "open" not in attributes):
        return True
    style = attributes.get("style")
    return bool(style and _HIDDEN.search(style))


def styles_of(tag: str, attributes: Mapping[str, str | None]) -> frozenset[Style]:
    """The styles of the element's words, by its name and its own style attribute."""
    found = set()
    if tag in STYLES:
        found.add(STYLES[tag])
    if tag == "a" and attributes.get("href") is not None:
        found.add(Style.LINK)
    style = attributes.get("style")
    if style and _BOLD.search(style):
        found.add(Style.STRONG)
    if style and _SLANTED.search(style):
        found.add(Style.EMPHASIS)
    return frozenset(found)


def bounded_number(text: str | None, least: int, most: int, otherwise: int) -> int:
    """An attribute's number limited to bounds, or `otherwise` if it is not a number."""
    found = re.match(r"\s*([+-]?\d{1,9})", text or "", re.ASCII)
    return max(least, min(most, int(found[1]))) if found else otherwise
