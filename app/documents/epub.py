"""Converts an EPUB book to text and blocks: its chapters in reading order, headed by the titles of its navigation."""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace
from typing import NamedTuple

from lxml import etree
from selectolax.lexbor import LexborHTMLParser

from app.core.errors import SpanlightError
from app.core.kinds import KINDS
from app.core.layout import Block, BlockKind, Kind, Style
from app.core.message import Message
from app.core.report import Progress, Report
from app.documents.blocks import Blocks
from app.documents.html import add_html, decode_html, flattened
from app.documents.package import (
    Element,
    Package,
    attribute,
    child,
    damaged_beyond_reading,
    guarded_parser,
    local,
    open_package,
    whole_or_noted,
    within,
)
from app.documents.parts import MOST_TEXT, Parts

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
# Fonts are often scrambled with these, which no reader needs (EPUB 3.3, section 4.4; Adobe's older one).
_OF_FONTS = frozenset(("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"))
# Of these a title may be; a list of titles is no row of headings.
_TITLED = frozenset((BlockKind.HEADING, BlockKind.PARAGRAPH))
_NCX = "application/x-dtbncx+xml"
_CHAPTERS = frozenset(
    ("application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document")
)
# Elements that may be empty in XML, and in HTML would hold all that follows.
_EMPTY = re.compile(r"<([A-Za-z][\w:-]*)([^<>]*)/>")
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
# Of titles: how many there are, their letters, and how deep they are nested.
_MOST_TITLES, _LONGEST, _DEEPEST = 20_000, 400, 6
# Elements between a link and its navigation that are looked at.
_MOST_ABOVE = 50


class _Title(NamedTuple):
    """A title of the navigation: its words, its depth from 1, and where it leads, relative to the navigation."""

    words: str
    depth: int
    href: str
    fragment: str = ""


class _Item(NamedTuple):
    """A part of the book as the package document lists it: its name in the zip file, its type, its properties."""

    part: str
    type: str
    properties: tuple[str, ...]


def read_epub(data: bytes, name: str, report: Report) -> Parts:
    """The text, headings, blocks and tables of a book's chapters, in the order of its spine.

    A title of the navigation becomes a heading: the words of the chapter that say the same, else a line of its own
    above the chapter. What follows more text than `parts.MOST_TEXT`, or a chapter that is larger than a web page may
    be, is left out, and a note says so, as where the file is damaged. Raises SpanlightError for a file that is unsafe,
    protected against copying or no book, and Stopped when the report says so.
    """
    report.progress(Progress(0, len(data), Message("Opening the book")))
    package = open_package(data, name, report)
    main = _package_document(package)
    root = _xml(package, main)
    if root is None:
        if package.damaged or main in package.names:
            raise damaged_beyond_reading(name)
        raise SpanlightError(
            Message("“{name}” is not an EPUB book.", name=name),
            Message("Get it again from where it came."),
        )
    items = _items(root, main)
    spine = [
        items[reference]
        for each in within(root, "itemref")
        if (reference := each.get("idref") or "") in items
    ]
    chapters = [item.part for item in spine if item.type in _CHAPTERS]
    _refuse_protected(package, {main, *chapters}, name)
    titles = _titles(package, items, root)
    blocks = Blocks()
    read = depth = 0
    for part in chapters:
        report.progress(Progress(read, len(chapters), Message("Reading the book")))
        report.check()
        page = package.raw_part(part)
        if len(page) > KINDS[Kind.HTML].most or blocks.length > MOST_TEXT:
            break
        read += 1
        package.damaged |= part not in package.names
        depth = _add_chapter(blocks, page, titles.get(part, ()), depth, report)
    note = Message(
        "The book is too long: {read:,} of its {all:,} parts are shown.", read=read, all=len(chapters)
    )
    return whole_or_noted(blocks.parts([note] if read < len(chapters) else []), package)


def _add_chapter(blocks: Blocks, page: bytes, titles: tuple[_Title, ...], depth: int, report: Report) -> int:
    """Add a chapter, its own headings below its title; return the depth of the last title so far."""
    own = Blocks()
    try:
        text = decode_html(page, "")
    except SpanlightError:  # not text
        text = ""
    add_html(_EMPTY.sub(_closed, text), own, report)
    parts = own.parts()
    places = _places(parts, titles)
    for title in titles:
        # One with a fragment stands somewhere below; where is only known by its words.
        if title not in places.values() and not title.fragment:
            blocks.block(BlockKind.HEADING, title.words, title.depth)
            depth = title.depth
    found: list[Block] = []
    for number, block in enumerate(parts.blocks):
        if number in places:
            depth = places[number].depth
            plain = tuple(each for each in block.styles if each.style is not Style.STRONG)
            block = replace(block, kind=BlockKind.HEADING, level=depth, marker="", styles=plain)
        elif block.kind is BlockKind.HEADING:
            block = replace(block, level=block.level + depth)
        found.append(block)
    if found:
        blocks.add(replace(parts, blocks=tuple(found)))
    return depth


def _places(parts: Parts, titles: tuple[_Title, ...]) -> dict[int, _Title]:
    """The blocks of a chapter that have the words of titles of the navigation, alone or with the next block."""
    letters = [_letters(block.span.of(parts.text)) if block.kind in _TITLED else "" for block in parts.blocks]
    places: dict[int, _Title] = {}
    first: dict[str, list[int]] = {}
    for number, each in enumerate(letters):
        both = each + letters[number + 1] if each and number + 1 < len(letters) else ""
        for key in {each, both} - {""}:
            first.setdefault(key, []).append(number)
    at = -1
    for title in titles:
        words = _letters(title.words)
        place = next((each for each in first.get(words, ()) if each > at), None)
        if place is not None:
            places[place] = title
            at = place
            if letters[place] != words:  # a number above the title, say
                at += 1
                places[at] = title._replace(depth=title.depth + 1)
    return places


def _letters(words: str) -> str:
    """The letters and digits of a title, by which titles are compared."""
    return "".join(filter(str.isalnum, words[:_LONGEST].casefold()))


def _closed(tag: re.Match[str]) -> str:
    return tag[0] if tag[1].lower() in _VOID else f"<{tag[1]}{tag[2]}></{tag[1]}>"


def _package_document(package: Package) -> str:
    """The name of the part that lists the book's parts; the first .opf file if the container does not name it."""
    root = _xml(package, _CONTAINER)
    for each in within(root, "rootfile"):
        if part := each.get("full-path"):
            return posixpath.normpath(part)
    return next((part for part in package.names if part.lower().endswith(".opf")), "")


def _items(root: Element, main: str) -> dict[str, _Item]:
    """The book's parts by their identifiers."""
    found = {}
    for each in within(root, "item"):
        part, _ = resolve(main, each.get("href") or "")
        kind = (each.get("media-type") or "").strip().lower()
        found[each.get("id") or ""] = _Item(part, kind, tuple((each.get("properties") or "").split()))
    return found


def _titles(package: Package, items: dict[str, _Item], root: Element) -> dict[str, tuple[_Title, ...]]:
    """The titles of the navigation, EPUB 3's or else EPUB 2's, by the parts to which they lead."""
    found: dict[str, list[_Title]] = {}
    seen: set[tuple[str, str, str]] = set()
    named = items.get(attribute(child(root, "spine"), "toc") or "")
    ncx = named or next((each for each in items.values() if each.type == _NCX), None)
    navigation = next((each for each in items.values() if "nav" in each.properties), None)
    base, titles = "", list[_Title]()
    if navigation is not None:
        base, titles = navigation.part, _titles_of_navigation(package.raw_part(navigation.part))
    if not titles and ncx is not None:
        base, titles = ncx.part, _titles_of_ncx(_xml(package, ncx.part))
    for title in titles:
        part, fragment = resolve(base, title.href)
        # Of titles that lead to the same place in the same words the first counts.
        key = part, fragment, _letters(title.words)
        if key not in seen:
            seen.add(key)
            found.setdefault(part, []).append(title._replace(fragment=fragment))
    return {part: tuple(each) for part, each in found.items()}


def _titles_of_navigation(data: bytes) -> list[_Title]:
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
    found: list[_Title] = []
    for link in (contents or tree).css("a[href]")[:_MOST_TITLES] if contents or not navigations else ():
        depth, above, steps = 0, link.parent, 0
        while above is not None and above.tag != "nav" and depth < _DEEPEST and steps < _MOST_ABOVE:
            depth += above.tag == "ol"
            above, steps = above.parent, steps + 1
        found.append(_title_of(link.text(), depth, link.attributes.get("href") or ""))
    return [title for title in found if title.words and title.href]


def _titles_of_ncx(root: Element | None) -> list[_Title]:
    """The titles of EPUB 2's contents (OPF 2.0.1, section 2.4.1)."""
    found: list[_Title] = []
    stack = [(root, 0)] if root is not None else []
    while stack and len(found) < _MOST_TITLES:
        element, depth = stack.pop()
        if local(element) == "navPoint":
            depth += 1
            label, content = child(element, "navLabel"), child(element, "content")
            words = "".join(label.itertext()) if label is not None else ""
            found.append(_title_of(words, depth, attribute(content, "src") or ""))
        stack += [(each, depth) for each in reversed(element)]
    return [title for title in found if title.words and title.href]


def _title_of(words: str, depth: int, href: str) -> _Title:
    return _Title(" ".join(words.split())[:_LONGEST], max(1, min(depth, _DEEPEST)), href)


def resolve(base: str, href: str) -> tuple[str, str]:
    """The name of the part that a reference in another one leads to, and its fragment; never outside the file."""
    path, _, fragment = href.partition("#")
    if not path:
        return base, fragment
    joined = posixpath.join("/" + posixpath.dirname(base), _unquoted(path))
    return posixpath.normpath(joined).lstrip("/"), fragment


def _unquoted(path: str) -> str:
    """A path with its escapes as characters (RFC 3986, section 2.1)."""
    plain = re.sub(rb"%([0-9A-Fa-f]{2})", lambda found: bytes.fromhex(found[1].decode()), path.encode())
    return plain.decode("utf-8", "replace")


def _refuse_protected(package: Package, needed: set[str], name: str) -> None:
    """Raise SpanlightError if the book's words are encrypted, and not only its fonts."""
    for each in within(_xml(package, _ENCRYPTION), "EncryptedData"):
        methods = {method.get("Algorithm") for method in within(each, "EncryptionMethod")}
        parts = {
            posixpath.normpath(_unquoted(one.get("URI") or "")) for one in within(each, "CipherReference")
        }
        if not methods & _OF_FONTS and parts & needed:
            raise SpanlightError(
                Message("“{name}” is protected against copying (DRM), and cannot be read.", name=name),
                Message("Read it in the program that it was bought for, or get a copy without protection."),
            )


def _xml(package: Package, part: str) -> Element | None:
    """The root of an XML part as far as it can be parsed; a document type, which EPUB 2 has, is skipped."""
    data = package.raw_part(part)
    parser = guarded_parser()
    try:
        return etree.fromstring(data, parser) if data else None
    except (etree.XMLSyntaxError, ValueError, LookupError):
        return None
