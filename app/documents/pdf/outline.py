"""Reads a PDF's bookmarks and where in the text they lead, and finds the headings among its blocks."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import inf, isfinite

import pypdfium2
import pypdfium2.raw as pdfium

from app.core.layout import Heading, OutlineEntry, PageText
from app.core.legible import legible
from app.documents.pdf.characters import Sheet
from app.documents.pdf.paragraphs import Block, Measures

_DEEPEST = 6
_NOT_LETTERS = re.compile(r"[\W_]+")
_MOST = 20_000
_LONGEST = 400
# Of what looks like a heading: how much larger than the text, how many letters and lines at most, and its numbers.
_LARGER = 1.12
_LONGEST_HEADING = 200
_MOST_LINES = 4
_MOST_BLOCKS = 2000  # of a page among which the words of bookmarks are looked for
_NUMBERED = re.compile(
    r"(?:[A-Z]\.?)?\d+(?:\.\d+)*\.?\s+\S|[A-Z]\.\d+\s+\S|appendix\b|chapter\b", re.IGNORECASE
)
# Of a heading that is recognised: how many of its parts are words or numbers, and how these are written.
_WORDS = 0.6
_FEW = 5  # of a kind of heading, one in this many of the commonest
_WORD = re.compile(r"\W{0,2}(?:[^\W\d_]+(?:[-/'’&][^\W\d_]+)*|[\d.,:/%$€£-]+)\W{0,2}")

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
    """The bookmarks that lead to a page, `_MOST` at most; broken ones are left out."""
    found: list[Bookmark] = []
    try:
        for bookmark in document.get_toc(max_depth=_DEEPEST):
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
    """The outline: for each bookmark the heading with its words on its page, else the text at its height."""
    words: dict[int, dict[str, int]] = defaultdict(dict)
    at = 0
    for heading in headings:
        while at + 1 < len(pages) and pages[at + 1].span.start <= heading.span.start:
            at += 1
        words[at].setdefault(_folded(heading.span.of(text)), heading.span.start)
    entries = []
    lowest: dict[int, list[float]] = {}
    for bookmark in bookmarks:
        title = legible(bookmark.title)
        if not title or bookmark.page >= len(pages):
            continue
        point = words[bookmark.page].get(_folded(bookmark.title))
        if point is None:
            if bookmark.page not in lowest:
                lowest[bookmark.page] = _lowest_so_far(pages[bookmark.page])
            point = _point_at(bookmark, sheets[bookmark.page], pages[bookmark.page], lowest[bookmark.page])
        entries.append(OutlineEntry(title, bookmark.level, point, bookmark.page + 1))
    return tuple(entries)


def _folded(text: str) -> str:
    """A title's letters and digits in one case, by which spellings are compared."""
    return _NOT_LETTERS.sub("", text).casefold()


def _height(target: pypdfium2.PdfDest) -> float | None:
    mode, numbers = target.get_view()
    at = _HEIGHTS.get(mode, len(numbers))
    return numbers[at] if at < len(numbers) and isfinite(numbers[at]) else None


def _lowest_so_far(page: PageText) -> list[float]:
    """For each code point of a page, how far down its letters reach up to there."""
    return list(
        accumulate((page.boxes[4 * number + 3] if number >= 0 else -inf for number in page.index), max)
    )


def _point_at(bookmark: Bookmark, sheet: Sheet, page: PageText, lowest: Sequence[float]) -> int:
    """The first code point whose letter reaches below the bookmark's height; without a height, the page's first."""
    if bookmark.height is None or sheet.shown is None or sheet.shown.turns:
        return page.span.start
    _, top = sheet.shown.point(0.0, bookmark.height)
    below = bisect_right(lowest, top + 1)
    return page.span.start + (below if below < len(lowest) else 0)


def headings_of(
    blocks: Sequence[Block],
    bookmarks: Sequence[Bookmark],
    measures: Measures,
    recognised: Container[int] = (),
) -> dict[int, int]:
    """The level, from 1, of each block that is a heading, by the block's number.

    Bookmarks decide if most of them are found in the text of their pages, else the blocks' look does. What looks like a
    heading on `recognised` pages may be a formula or a drawing.
    """
    bookmarked = _by_bookmarks(blocks, bookmarks)
    if bookmarks and len(bookmarked) >= 0.5 * len(bookmarks):
        return bookmarked
    return _by_look(blocks, measures, recognised) | bookmarked


def _by_bookmarks(blocks: Sequence[Block], bookmarks: Sequence[Bookmark]) -> dict[int, int]:
    pages: dict[int, dict[int, str]] = defaultdict(dict)
    for number, block in enumerate(blocks):
        on_page = pages[block.lines[0].page]
        if len(block.lines) <= 2 * _MOST_LINES and not block.is_furniture and len(on_page) < _MOST_BLOCKS:
            on_page[number] = _folded(block.text)
    found: dict[int, int] = {}
    for bookmark in bookmarks:
        title = _folded(bookmark.title)
        if not title:
            continue
        match = _match(title, pages[bookmark.page].items())
        if match is not None:
            del pages[bookmark.page][match]
            found[match] = min(bookmark.level, _DEEPEST)
    return found


def _match(title: str, candidates: Iterable[tuple[int, str]]) -> int | None:
    """The number of the block with a title's words: exactly these, else with a number before or a little after them."""
    near: int | None = None
    for number, words in candidates:
        if words == title:
            return number
        if near is None and title in words and len(words) <= 1.3 * len(title) + 4:
            near = number
    return near


def _by_look(blocks: Sequence[Block], measures: Measures, recognised: Container[int]) -> dict[int, int]:
    styles: dict[int, tuple[float, bool]] = {}
    scanned: set[int] = set()
    for number, block in enumerate(blocks):
        if not _looks_like_heading(block, measures):
            continue
        if block.lines[0].page in recognised:
            if not _is_of_words(block.text):
                continue
            scanned.add(number)
        styles[number] = round(block.size), all(line.bold for line in block.lines)
    # Nothing is under a heading that is recognised in a size like few others, unless it is the document's title.
    often = Counter(styles.values())
    few = max(often.values(), default=0) // _FEW
    title = min(styles, default=None)
    rare = {number for number in scanned if often[styles[number]] <= few and number != title}
    ordered = sorted({(number not in rare, *style) for number, style in styles.items()}, reverse=True)
    ranks = {style: min(rank, _DEEPEST) for rank, style in enumerate(ordered, 1)}
    return {number: ranks[number not in rare, *style] for number, style in styles.items()}


def _is_of_words(text: str) -> bool:
    """Whether most of a text's words look like words or numbers."""
    words = text.split()
    return sum(_WORD.fullmatch(word) is not None for word in words) >= _WORDS * len(words)


def _looks_like_heading(block: Block, measures: Measures) -> bool:
    if block.is_row or block.is_furniture or len(block.lines) > _MOST_LINES:
        return False
    text = block.text.strip()
    letters = sum(each.isalpha() for each in text)
    if not 2 <= letters <= _LONGEST_HEADING or len(text) > _LONGEST_HEADING + 20 or letters < 0.4 * len(text):
        return False
    if "\t" in block.joins or text[0].islower() or text.endswith((",", ";", ":")):
        return False
    if min(line.size for line in block.lines) >= _LARGER * measures.body:
        return True
    bold = all(line.bold for line in block.lines) and block.size >= 0.97 * measures.body
    if not bold or block.is_item:
        return False
    return bool(_NUMBERED.match(text)) or (len(block.lines) <= 2 and not text.endswith("."))
