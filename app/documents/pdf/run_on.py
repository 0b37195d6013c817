"""Merges paragraphs that continue over a column or a page, and separates blocks from each other."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from app.documents.pdf.lines import Line
from app.documents.pdf.paragraphs import BULLET, SAME_SIZE, STOPS, Block, Measures, is_heavy, same_size

_CAPTION = re.compile(r"(?:figure|fig\.|table|abb\.|tabelle|图|表)\s*\d", re.IGNORECASE)
_MOST_BETWEEN = 8


def run_on(blocks: list[Block], measures: Measures) -> list[Block]:
    """The blocks of a whole document, with paragraphs that continue over columns or pages merged.

    Blocks between the two parts (notes, captions, tables, running heads) go before the paragraph if they are on the
    first part's page, and after it if they are on the second's.
    """
    merged: list[Block] = []
    number = 0
    while number < len(blocks):
        block = blocks[number]
        number += 1
        if merged and not block.is_furniture:
            start = _runs_on_from(merged, block, measures)
            if start >= 0:
                paragraph, between = merged[start], merged[start + 1 :]
                page = paragraph.lines[-1].page
                earlier = [each for each in between if each.lines[0].page == page]
                later = [each for each in between if each.lines[0].page != page]
                if page == block.lines[0].page:
                    earlier, later = [], between
                paragraph.lines += block.lines
                paragraph.joins += [None, *block.joins[1:]]
                merged[start:] = [paragraph, *later]
                # A heading stays with its paragraph.
                while earlier and start and _may_be_heading(merged[start - 1], paragraph):
                    start -= 1
                merged[start:start] = earlier
                continue
        merged.append(block)
    return merged


def _runs_on_from(merged: Sequence[Block], block: Block, measures: Measures) -> int:
    """The number of the paragraph that a block continues; -1 if there is none."""
    first = block.lines[0]
    if block.is_row or block.is_item:
        return -1
    for back in range(1, min(_MOST_BETWEEN, len(merged)) + 1):
        earlier = merged[-back]
        last = earlier.lines[-1]
        if first.page - last.page > 1:
            return -1
        if not earlier.is_row and not earlier.is_furniture and same_size(last, first):
            jumped = last.page != first.page or first.base < last.base - 2 * first.size
            ends = bool(STOPS.search(last.text)) and not last.text.endswith("\x02")
            is_text = not is_heavy(last, measures) and not BULLET.match(first.text)
            if (
                jumped
                and not ends
                and is_text
                and _goes_on(last.text, first.text)
                and not _CAPTION.match(earlier.text)
            ):
                return len(merged) - back
            if not _CAPTION.match(earlier.text):
                return -1
        elif not _is_aside(earlier, first, measures):
            return -1
    return -1


def _may_be_heading(block: Block, paragraph: Block) -> bool:
    heading_line, other = block.lines[-1], paragraph.lines[0]
    return (
        len(block.lines) <= 2
        and heading_line.page == other.page
        and not block.is_furniture
        and ((heading_line.bold and not other.bold) or heading_line.size > (1 + SAME_SIZE) * other.size)
    )


def _goes_on(last: str, first: str) -> bool:
    """Whether a line's beginning continues the sentence at another's end."""
    if last.endswith(("\x02", "\u00ad", ",", "，", "、")):
        return True
    head = first.lstrip("\"'“‘«[")
    return bool(head) and (head[0].islower() or head[0] in ",;()，。、；（）")


def _is_aside(block: Block, first: Line, measures: Measures) -> bool:
    """Whether a block may be between two parts of a paragraph: small print, a caption, a table, a running head."""
    return (
        block.is_furniture
        or block.is_row
        or block.size < (1 - SAME_SIZE) * first.size
        or bool(_CAPTION.match(block.text))
    )


def separate(blocks: Sequence[Block]) -> None:
    """Set the separator before each block: shorter between rows of a table and items of a list."""
    for before, block in itertools.pairwise(blocks):
        together = (before.is_row and block.is_row) or (before.is_item and block.is_item)
        block.joins[0] = "\n" if together else "\n\n"
