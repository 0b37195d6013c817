"""The headings among a PDF's blocks, and their levels: by its bookmarks, else by size, weight and numbers."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from app.documents.pdf.outline import DEEPEST, Bookmark, bare
from app.documents.pdf.paragraphs import Block, Measures

_LARGER = 1.12
_LONGEST = 200
_MOST_LINES = 4
_NUMBERED = re.compile(
    r"(?:[A-Z]\.?)?\d+(?:\.\d+)*\.?\s+\S|[A-Z]\.\d+\s+\S|appendix\b|chapter\b", re.IGNORECASE
)


def headings_of(blocks: Sequence[Block], bookmarks: Sequence[Bookmark], measures: Measures) -> dict[int, int]:
    """The level, from 1, of each block that is a heading, by the block's number.

    Bookmarks decide if most of them are found in the text of their pages, else the blocks' look does.
    """
    named = _by_bookmarks(blocks, bookmarks)
    if bookmarks and len(named) >= 0.5 * len(bookmarks):
        return named
    return _by_look(blocks, measures) | named


def _by_bookmarks(blocks: Sequence[Block], bookmarks: Sequence[Bookmark]) -> dict[int, int]:
    pages: dict[int, list[int]] = defaultdict(list)
    for number, block in enumerate(blocks):
        if len(block.lines) <= 2 * _MOST_LINES and not block.is_furniture:
            pages[block.lines[0].page].append(number)
    found: dict[int, int] = {}
    for bookmark in bookmarks:
        title = bare(bookmark.title)
        if not title:
            continue
        candidates = [each for each in pages[bookmark.page] if each not in found]
        match = _match(title, [(each, bare(blocks[each].text)) for each in candidates])
        if match is not None:
            found[match] = min(bookmark.level, DEEPEST)
    return found


def _match(title: str, candidates: Iterable[tuple[int, str]]) -> int | None:
    """The block with a title's words: exactly, else with its number before or a little after it."""
    near: int | None = None
    for number, words in candidates:
        if words == title:
            return number
        if near is None and title in words and len(words) <= 1.3 * len(title) + 4:
            near = number
    return near


def _by_look(blocks: Sequence[Block], measures: Measures) -> dict[int, int]:
    styles: dict[int, tuple[float, bool]] = {}
    for number, block in enumerate(blocks):
        if _looks_like_heading(block, measures):
            styles[number] = round(block.size), all(line.bold for line in block.lines)
    ranks = sorted(set(styles.values()), reverse=True)
    return {number: min(ranks.index(style) + 1, DEEPEST) for number, style in styles.items()}


def _looks_like_heading(block: Block, measures: Measures) -> bool:
    if block.is_row or block.is_furniture or len(block.lines) > _MOST_LINES:
        return False
    text = block.text.strip()
    letters = sum(each.isalpha() for each in text)
    if not 2 <= letters <= _LONGEST or len(text) > _LONGEST + 20 or letters < 0.4 * len(text):
        return False
    if "\t" in block.joins or text[0].islower() or text.endswith((",", ";", ":")):
        return False
    if min(line.size for line in block.lines) >= _LARGER * measures.body:
        return True
    bold = all(line.bold for line in block.lines) and block.size >= 0.97 * measures.body
    if not bold or block.is_item:
        return False
    return bool(_NUMBERED.match(text)) or (len(block.lines) <= 2 and not text.endswith("."))
