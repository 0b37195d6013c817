"""What the reader of each format returns."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

from app.core.layout import Block, Cells, Heading, OutlineEntry, PageText, Table
from app.core.text import View


@dataclass(frozen=True, slots=True)
class Parts:
    """The text of a file and its layout; spans are of `text`, fields as in core.layout."""

    text: str
    headings: tuple[Heading, ...] = ()
    blocks: tuple[Block, ...] = ()
    tables: tuple[Table, ...] = ()
    pages: tuple[PageText, ...] = ()
    cells: Cells = field(default_factory=Cells)
    pictures: tuple[int, ...] = ()
    lines: array[int] = field(default_factory=lambda: array("i"), hash=False)
    notes: tuple[str, ...] = ()
    view: View = field(default_factory=View)
    outline: tuple[OutlineEntry, ...] = ()
