"""Small EPUB books."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.helpers.flowing import zipped

XHTML = "application/xhtml+xml"
CONTAINER = (
    '<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
    '<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)


def chapter(inside: str, head: str = "<title/>") -> str:
    """A chapter as EPUB has it: XHTML."""
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml">'
        f"<head>{head}</head><body>{inside}</body></html>"
    )


def navigation(entries: str) -> str:
    """EPUB 3's contents with these list items."""
    return (
        '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops">'
        f'<body><nav epub:type="landmarks"><ol><li><a href="1.xhtml">Start</a></li></ol></nav>'
        f'<nav epub:type="toc"><ol>{entries}</ol></nav></body></html>'
    )


def ncx(points: str) -> str:
    """EPUB 2's contents with these points."""
    return (
        '<?xml version="1.0"?><!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "http://nowhere.invalid/ncx.dtd">'
        f'<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>{points}</navMap></ncx>'
    )


def point(words: str, source: str, inside: str = "") -> str:
    """A point of EPUB 2's contents."""
    return f'<navPoint><navLabel><text>{words}</text></navLabel><content src="{source}"/>{inside}</navPoint>'


def book(
    chapters: Sequence[str],
    *,
    nav: str = "",
    toc: str = "",
    more: Mapping[str, str | bytes] | None = None,
    package: str = "",
) -> bytes:
    """A book of chapters named 1.xhtml and so on; `package` takes the package document's place."""
    items = "".join(
        f'<item id="c{number}" href="text/{number}.xhtml" media-type="{XHTML}"/>'
        for number in range(1, len(chapters) + 1)
    )
    if nav:
        items += f'<item id="nav" href="text/nav.xhtml" media-type="{XHTML}" properties="nav"/>'
    if toc:
        items += '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
    spine = "".join(f'<itemref idref="c{number}"/>' for number in range(1, len(chapters) + 1))
    package = package or (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
        f'<manifest>{items}</manifest><spine toc="ncx">{spine}</spine></package>'
    )
    parts: dict[str, str | bytes] = {
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": package,
        **{f"OEBPS/text/{number}.xhtml": words for number, words in enumerate(chapters, 1)},
    }
    if nav:
        parts["OEBPS/text/nav.xhtml"] = nav
    if toc:
        parts["OEBPS/toc.ncx"] = toc
    return packed_book(parts | dict(more or {}))


def packed_book(parts: Mapping[str, str | bytes]) -> bytes:
    """A book of these parts, its type before them."""
    return zipped({"mimetype": "application/epub+zip", **parts})
