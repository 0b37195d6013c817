"""A page or a document of very many lines takes no longer for each of them."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from time import process_time

import pytest

from app.core.layout import PageText
from app.core.text import Span
from app.documents.pdf.characters import Sheet
from app.documents.pdf.geometry import ShownPart
from app.documents.pdf.lines import Line
from app.documents.pdf.outline import Bookmark, headings_of, outline_of
from app.documents.pdf.paragraphs import Block, Measures, blocks_of
from app.documents.pdf.rows import Cell, Row

MEASURES = Measures(11)


def line(text: str, base: float, size: float = 11) -> Line:
    return Line([], 72, 72 + 5 * len(text), base, size, True, 0, len(text), text=text)


def one_paragraph(count: int) -> None:
    lines = [line("as wide as all the others are", 13 * at) for at in range(count)]
    assert len(blocks_of([Row([Cell(lines)])], MEASURES)) == 1


def rare_headings(count: int) -> None:
    blocks = [Block([line(f"Tide {at}", 72, 20 + at)], [""]) for at in range(count)]
    assert len(headings_of([*blocks, *blocks[:9] * 9], [], MEASURES, {0})) > count


def bookmarks_of_one_page(count: int) -> None:
    boxes, index = array("f", [0, 0, 5, 10] * count), array("i", range(count))
    page = PageText(600, 800, Span(0, count), "x" * count, boxes, index)
    sheet = Sheet(600, 800, page.characters, boxes, shown=ShownPart(0, 0, 600, 800, 0))
    marks = [Bookmark(f"Ebb {at}", 0, 1, 20.0) for at in range(count)]
    assert len(outline_of(marks, [sheet], [page], [], page.characters)) == count


@pytest.mark.parametrize("make", [one_paragraph, rare_headings, bookmarks_of_one_page])
def test_many_lines_take_no_longer_each(make: Callable[[int], None]) -> None:
    def seconds(count: int) -> float:
        start = process_time()
        make(count)
        return process_time() - start

    few = max(0.005, min(seconds(500) for _ in range(3)))
    assert seconds(8000) < 50 * few, "16 times as many"
