"""The table of contents of an EPUB book."""

from __future__ import annotations

from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser

from app.core.errors import SpanlightError
from app.documents.html.page import decode_html
from app.documents.html.walk import flattened
from app.documents.word.xml import Element, attribute, child, local

_MOST = 20_000
_LONGEST = 400
_DEEPEST = 6
# Elements between a link and its navigation that are looked at.
_MOST_ABOVE = 50


class Title(NamedTuple):
    """A title: its words, its depth from 1, and what it leads to, from where the contents stand."""

    words: str
    depth: int
    href: str
    fragment: str = ""


def titles_of_navigation(data: bytes) -> list[Title]:
    """The titles of a navigation document (EPUB 3.3, section 5.4); none if it has no table of contents."""
    try:
        text = decode_html(data, "")
    except SpanlightError:
        return []
    tree = LexborHTMLParser(flattened(text))
    navigations = tree.css("nav")
    contents = next(
        (each for each in navigations if "toc" in (each.attributes.get("epub:type") or "").split()), None
    )
    found: list[Title] = []
    for link in (contents or tree).css("a[href]")[:_MOST] if contents or not navigations else ():
        depth, above, steps = 0, link.parent, 0
        while above is not None and above.tag != "nav" and depth < _DEEPEST and steps < _MOST_ABOVE:
            depth += above.tag == "ol"
            above, steps = above.parent, steps + 1
        found.append(_title(link.text(), depth, link.attributes.get("href") or ""))
    return [title for title in found if title.words and title.href]


def titles_of_ncx(root: Element) -> list[Title]:
    """The titles of EPUB 2's contents (OPF 2.0.1, section 2.4.1)."""
    found: list[Title] = []
    stack = [(root, 0)]
    while stack and len(found) < _MOST:
        element, depth = stack.pop()
        if local(element) == "navPoint":
            depth += 1
            label, content = child(element, "navLabel"), child(element, "content")
            words = "".join(label.itertext()) if label is not None else ""
            found.append(_title(words, depth, attribute(content, "src") or ""))
        stack += [(each, depth) for each in reversed(element)]
    return [title for title in found if title.words and title.href]


def _title(words: str, depth: int, href: str) -> Title:
    return Title(" ".join(words.split())[:_LONGEST], max(1, min(depth, _DEEPEST)), href)
