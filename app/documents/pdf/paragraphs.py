"""Groups the lines of rows into paragraphs, also across columns and pages."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from app.documents.pdf.lines import HYPHENS, Line
from app.documents.pdf.rows import MARKER, Row

_STOPS = re.compile(r"[.!?:;…。！？：；．|]['\"”’)\]»›*†‡\d]*$")
_BULLET = re.compile(rf"(?:[✓✔]|{MARKER.pattern}|\d+(?:\.\d+)+)(?=\s|$)")
# Dots that lead to a page's number.
LEADERS = re.compile(r"(?: ?\.){5,} ?|(?: ?…){3,} ?|(?: ?·){5,} ?")
_NUMBER = re.compile(r"(?:[A-Z]\.?)?\d+(?:\.\d+)*\.?|[A-Z](?:\.\d+)*\.?")
CAPTION = re.compile(r"(?:figure|fig\.|table|tab\.|abb\.|tabelle|图|表)\s*\d", re.IGNORECASE)
# Blocks between the two parts of a paragraph.
_MOST_BETWEEN = 8

# In em, or as a share.
_SAME_SIZE = 0.08
_LOOSE = 1.22
_INDENT = 0.8


@dataclass(slots=True)
class Block:
    """A paragraph, an item of a list, a heading or a table's row, as lines with the separator before each.

    `joins[0]` is before the block; the others are a tab between cells, a newline within a block, or None where two
    lines of running text are joined.
    """

    lines: list[Line]
    joins: list[str | None]
    is_row: bool = False
    is_item: bool = False
    is_furniture: bool = False

    @property
    def text(self) -> str:
        """The block's words as on the page, on one line."""
        return " ".join(line.text for line in self.lines)

    @property
    def is_caption(self) -> bool:
        """Whether the block begins like the caption of a figure or a table."""
        return CAPTION.match(" ".join(line.text for line in self.lines[:2])) is not None

    @property
    def size(self) -> float:
        """The font size of the block's largest line, in points."""
        return max(line.size for line in self.lines)


@dataclass(slots=True)
class Measures:
    """A document's usual font size, and the step from line to line for each size, in points."""

    body: float = 10.0
    steps: dict[float, float] = field(default_factory=dict)

    def step(self, size: float) -> float:
        """The usual step between lines of a size."""
        return self.steps.get(round(size), 1.3 * size)


def measures_of(pages: Iterable[Sequence[Row]]) -> Measures:
    """The most common font size of a document, and the smallest common step for each size."""
    sizes: Counter[float] = Counter()
    steps: dict[float, Counter[float]] = defaultdict(Counter)
    for rows in pages:
        for row in rows:
            for cell in row.cells:
                for line in cell.lines:
                    sizes[round(line.size, 1)] += line.length
                for one, two in pairwise(cell.lines):
                    if _same_size(one, two):
                        steps[round(one.size)][round(2 * (two.base - one.base)) / 2] += 1
    usual = {}
    for size, counted in steps.items():
        common = max(counted.values())
        usual[size] = min(step for step, times in counted.items() if times >= 0.3 * common)
    return Measures(sizes.most_common(1)[0][0] if sizes else 10.0, usual)


def blocks_of(rows: Sequence[Row], measures: Measures) -> list[Block]:
    """The blocks of a page, in order."""
    blocks: list[Block] = []
    for row in rows:
        if row.is_table:
            label = row.cells[0].lines[0]
            if len(row.cells) == 2 and len(row.cells[0].lines) == 1 and _is_label(label, row, measures):
                blocks += _labelled(row, measures)
            else:
                blocks.append(_table_row(row))
        else:
            blocks += _paragraphs(row.cells[0].lines, measures)
    return blocks


def _is_label(label: Line, row: Row, measures: Measures) -> bool:
    """Whether the first of two cells is the mark of an item or the number of a heading."""
    text = label.text.strip()
    if MARKER.fullmatch(text):
        return True
    return bool(_NUMBER.fullmatch(text)) and (label.bold or label.size > 1.1 * measures.body)


def _labelled(row: Row, measures: Measures) -> list[Block]:
    label, rest = row.cells[0].lines[0], _paragraphs(row.cells[1].lines, measures)
    first = rest[0]
    first.lines.insert(0, label)
    first.joins.insert(1, " ")
    first.is_item = bool(MARKER.fullmatch(label.text.strip())) and not label.size > 1.1 * measures.body
    return rest


def _table_row(row: Row) -> Block:
    lines: list[Line] = []
    joins: list[str | None] = []
    for cell in row.cells:
        for number, line in enumerate(cell.lines):
            lines.append(line)
            joins.append("\t" if number == 0 else None)
    return Block(lines, joins, is_row=True)


def _paragraphs(lines: Sequence[Line], measures: Measures) -> list[Block]:
    """Split running text into paragraphs by gaps, indents, sizes, marks of items and lines that end early.

    If many lines of a paragraph end early, as in a poem or a list of names, none of them is joined.
    """
    early = _early_ends(lines)
    blocks: list[Block] = []
    for number, line in enumerate(lines):
        before = lines[number - 1] if number else None
        is_item = _is_item(line, measures)
        block = blocks[-1] if blocks else None
        full = number - 1 not in early
        if (
            before is None
            or block is None
            or _begins_paragraph(before, line, block, full, measures)
            or (is_item and (block.is_item or _STOPS.search(before.text)))
            or (not full and _STOPS.search(before.text) and not before.code)
        ):
            blocks.append(Block([line], [""], is_item=is_item))
        elif _is_heavy(line, measures) and _BULLET.match(line.text) and _BULLET.match(block.lines[0].text):
            blocks.append(Block([line], [""]))
        else:
            block.lines.append(line)
            block.joins.append(None if full else "\n")
    for block in blocks:
        if len(block.lines) > 3 and block.joins.count("\n") >= 0.4 * len(block.lines):
            block.joins[1:] = ["\n"] * (len(block.lines) - 1)
    return blocks


def _is_item(line: Line, measures: Measures) -> bool:
    """Whether a line begins an item of a list, or is an entry of a table of contents."""
    if line.code:
        return False
    if LEADERS.search(line.text):
        return True
    found = _BULLET.match(line.text)
    # A number before large or bold words is a heading's.
    return found is not None and not (_is_heavy(line, measures) and found.group()[0].isalnum())


def _is_heavy(line: Line, measures: Measures) -> bool:
    """Whether a line is set like a heading."""
    return line.bold or line.size > 1.1 * measures.body


def _early_ends(lines: Sequence[Line]) -> set[int]:
    """The numbers of the lines that end early: the next line's first word would have fitted.

    All lines of code do.
    """
    ends = sorted(line.end for line in lines)
    # A single long line does not define the edge.
    edge = ends[max(0, len(ends) - 1 - len(ends) // 12)]
    return {
        number
        for number, (line, following) in enumerate(pairwise(lines))
        if (line.code and following.code) or _ends_early(line, following, edge)
    }


def _ends_early(line: Line, following: Line, edge: float) -> bool:
    if line.text[-1:] in HYPHENS and following.text[:1].islower():
        return False
    word = following.text.split(maxsplit=1)[0] if following.text.strip() else ""
    width = (following.end - following.start) * len(word) / max(1, len(following.text))
    room = edge - line.end
    return room > width + 0.9 * line.size and room > 0.12 * (edge - line.start)


def _begins_paragraph(before: Line, line: Line, block: Block, full: bool, measures: Measures) -> bool:
    """Whether a line begins a new paragraph by its position after the line `before`, which ends early unless `full`."""
    if not _same_size(before, line):
        return True
    # The last words of a sentence may be all bold or all code, and bold words may run on into its next line.
    continues = full and not _STOPS.search(before.text)
    begins_alike = line.text[:1].islower() or (before.bold and line.words[0].bold)
    if (before.bold != line.bold or before.code != line.code) and not (continues and begins_alike):
        return True
    if line.base - before.base > _LOOSE * measures.step(line.size):
        return True
    if line.code:
        return False
    indent = _INDENT * line.size
    first = block.lines[0].start
    second = block.lines[1].start if len(block.lines) > 1 else None
    if block.is_item and (second is None or second > first + 0.4 * line.size):
        # The lines of an item are indented to the right of its mark.
        return second is not None and line.start < second - indent
    return second is not None and line.start > before.start + indent


def _same_size(one: Line, two: Line) -> bool:
    """Whether two lines have nearly the same font size."""
    return abs(one.size - two.size) <= _SAME_SIZE * max(one.size, two.size)


def insert_at_page(blocks: list[Block], extra: Block, upper: bool) -> None:
    """Insert a block at the beginning (`upper`) or the end of its page into blocks in page order."""
    page = extra.lines[0].page
    place = bisect_left(blocks, page if upper else page + 1, key=lambda each: each.lines[0].page)
    blocks.insert(place, extra)


def merge_continued(blocks: list[Block], measures: Measures) -> list[Block]:
    """The blocks of a whole document, with the parts of paragraphs that run over columns or pages merged.

    Blocks between the two parts (notes, captions, tables, running heads) go before the paragraph if they are on the
    first part's page, and after it if they are on the second's.
    """
    merged: list[Block] = []
    number = 0
    while number < len(blocks):
        block = blocks[number]
        number += 1
        if merged and not block.is_furniture:
            start = _continued_by(merged, block, measures)
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


def _continued_by(merged: Sequence[Block], block: Block, measures: Measures) -> int:
    """The number of the paragraph that a block continues; -1 if it continues none."""
    first = block.lines[0]
    if block.is_row or block.is_item:
        return -1
    for back in range(1, min(_MOST_BETWEEN, len(merged)) + 1):
        earlier = merged[-back]
        last = earlier.lines[-1]
        if first.page - last.page > 1:
            return -1
        if not earlier.is_row and not earlier.is_furniture and _same_size(last, first):
            jumped = last.page != first.page or first.base < last.base - 2 * first.size
            ends = bool(_STOPS.search(last.text)) and not last.text.endswith("\x02")
            is_text = not _is_heavy(last, measures) and not _BULLET.match(first.text)
            if (
                jumped
                and not ends
                and is_text
                and _continues_sentence(last.text, first.text)
                and not earlier.is_caption
            ):
                return len(merged) - back
            if not earlier.is_caption:
                return -1
        elif not _is_aside(earlier, first):
            return -1
    return -1


def _may_be_heading(block: Block, paragraph: Block) -> bool:
    heading_line, other = block.lines[-1], paragraph.lines[0]
    return (
        len(block.lines) <= 2
        and heading_line.page == other.page
        and not block.is_furniture
        and ((heading_line.bold and not other.bold) or heading_line.size > (1 + _SAME_SIZE) * other.size)
    )


def _continues_sentence(last: str, first: str) -> bool:
    """Whether the beginning of a line continues the sentence at the end of another."""
    if last.endswith(("\x02", "\u00ad", ",", "，", "、")):
        return True
    head = first.lstrip("\"'“‘«[")
    return bool(head) and (head[0].islower() or head[0] in ",;()，。、；（）")


def _is_aside(block: Block, first: Line) -> bool:
    """Whether a block may be between two parts of a paragraph: small print, a caption, a table, a running head."""
    return (
        block.is_furniture or block.is_row or block.size < (1 - _SAME_SIZE) * first.size or block.is_caption
    )


def separate(blocks: Sequence[Block]) -> None:
    """Set the separator before each block: a newline between a table's rows and a list's items, else an empty line."""
    for before, block in pairwise(blocks):
        together = (before.is_row and block.is_row) or (before.is_item and block.is_item)
        block.joins[0] = "\n" if together else "\n\n"
