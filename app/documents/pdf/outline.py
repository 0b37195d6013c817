"""A PDF's own bookmarks: their titles, and where in its pages and its text they lead."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import pypdfium2
import pypdfium2.raw as pdfium

from app.core.layout import Heading, OutlineEntry, PageText
from app.core.legible import legible
from app.documents.pdf.characters import Sheet

DEEPEST = 6
_NOT_LETTERS = re.compile(r"[\W_]+")
_MOST = 20_000
_LONGEST = 400
# The views that name a height of the page, and which of their numbers is that.
_HEIGHTS = {
    pdfium.PDFDEST_VIEW_XYZ: 1,
    pdfium.PDFDEST_VIEW_FITH: 0,
    pdfium.PDFDEST_VIEW_FITBH: 0,
    pdfium.PDFDEST_VIEW_FITR: 3,
}


@dataclass(frozen=True, slots=True)
class Bookmark:
    """A title of the PDF's outline, its page from 0, its level from 1, and its height in the page's own space."""

    title: str
    page: int
    level: int
    height: float | None = None


def bookmarks_of(document: pypdfium2.PdfDocument) -> list[Bookmark]:
    """The outline's titles that lead to a page, `_MOST` at most; broken ones are left out."""
    found: list[Bookmark] = []
    try:
        for bookmark in document.get_toc(max_depth=DEEPEST):
            target = bookmark.get_dest()
            page = target.get_index() if target else None
            if page is not None:
                title = bookmark.get_title()[:_LONGEST]
                found.append(Bookmark(title, page, bookmark.level + 1, _height(target)))
            if len(found) >= _MOST:
                break
    except (pypdfium2.PdfiumError, UnicodeDecodeError, ValueError):
        pass
    return found


def outline_of(
    bookmarks: Sequence[Bookmark],
    sheets: Sequence[Sheet],
    pages: Sequence[PageText],
    headings: Sequence[Heading],
    text: str,
) -> tuple[OutlineEntry, ...]:
    """The bookmarks as places of the text: the heading of these words on the page, else what stands at the height."""
    words: dict[int, dict[str, int]] = defaultdict(dict)
    at = 0
    for heading in headings:
        while at + 1 < len(pages) and pages[at + 1].span.start <= heading.span.start:
            at += 1
        words[at].setdefault(bare(heading.span.of(text)), heading.span.start)
    entries = []
    for bookmark in bookmarks:
        title = legible(bookmark.title)
        if not title or bookmark.page >= len(pages):
            continue
        point = words[bookmark.page].get(bare(bookmark.title))
        if point is None:
            point = _point_at(bookmark, sheets[bookmark.page], pages[bookmark.page])
        entries.append(OutlineEntry(title, bookmark.level, point, bookmark.page + 1))
    return tuple(entries)


def bare(text: str) -> str:
    """A title without what its spellings differ in: blanks, marks, capitals."""
    return _NOT_LETTERS.sub("", text).casefold()


def _height(target: pypdfium2.PdfDest) -> float | None:
    mode, numbers = target.get_view()
    at = _HEIGHTS.get(mode, len(numbers))
    return numbers[at] if at < len(numbers) and isfinite(numbers[at]) else None


def _point_at(bookmark: Bookmark, sheet: Sheet, page: PageText) -> int:
    """The first code point whose letter reaches below the bookmark's height; the page's first without a height."""
    if bookmark.height is None or sheet.shown is None or sheet.shown.turns:
        return page.span.start
    _, top = sheet.shown.point(0.0, bookmark.height)
    below = (
        at for at, number in enumerate(page.index) if number >= 0 and page.boxes[4 * number + 3] > top + 1
    )
    return page.span.start + next(below, 0)
