"""Converts a Word document (.docx) to text and blocks."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass

from app.core.errors import SpanlightError
from app.core.layout import BlockKind, Style
from app.core.message import Message
from app.core.report import Progress, Report
from app.documents.block_words import PLAIN
from app.documents.blocks import MOST_COLUMNS, Blocks
from app.documents.package import (
    Element,
    Package,
    attribute,
    child,
    children,
    damaged_beyond_reading,
    local,
    open_package,
    whole_or_noted,
)
from app.documents.parts import Parts
from app.documents.word.lists import WordLists
from app.documents.word.runs import Runs, text_boxes
from app.documents.word.styles import WordStyle, WordStyles
from app.documents.word.xml import content, number, switch, value

_CHECK_EVERY = 100
_RELATED = ("styles", "numbering", "footnotes", "endnotes")


def read_docx(data: bytes, name: str, report: Report) -> Parts:
    """The text, headings, blocks and tables of a Word document, with foot- and endnotes after the text.

    Tracked deletions, hidden words, headers and footers, comments and pictures are left out. A damaged file is read
    as far as possible, and a note says so. Raises SpanlightError for a file that is unsafe, encrypted or not a Word
    document, and Stopped when the report says so.
    """
    report.progress(Progress(0, len(data), Message("Opening the document")))
    package = open_package(data, name, report)
    main = package.main_part("word/document.xml")
    root = package.xml(main)
    body = child(root, "body")
    if body is None:
        if package.damaged:
            raise damaged_beyond_reading(name)
        raise SpanlightError(
            Message("“{name}” is not a Word document.", name=name),
            Message("Open a .docx file that Word can open."),
        )
    others = {kind: package.xml(part) for kind, part in _related(package, main).items()}
    blocks = Blocks()
    _Reader(blocks, others, report).read(body)
    return whole_or_noted(blocks.parts(), package)


def _related(package: Package, main: str) -> dict[str, str]:
    """The names of the parts to which the text refers, by their kind."""
    folder = posixpath.dirname(main)
    usual = {kind: posixpath.join(folder, f"{kind}.xml") for kind in _RELATED}
    return usual | {each.kind: each.target for each in package.relations(main) if each.kind in _RELATED}


class _Reader:
    """Adds a document's body and notes to blocks."""

    def __init__(self, blocks: Blocks, others: dict[str, Element | None], report: Report) -> None:
        self._blocks = blocks
        self._report = report
        self._notes: dict[tuple[str, str], Element] = {}
        for kind in ("footnotes", "endnotes"):
            for note in children(others.get(kind)):
                self._notes.setdefault((kind, attribute(note, "id") or ""), note)
        self._styles = WordStyles(others.get("styles"))
        self._lists = WordLists(others.get("numbering"))
        self._runs = Runs(self._styles)
        self._paragraphs = 0

    def read(self, body: Element) -> None:
        """Add the body in order, and then the notes to which it refers."""
        total = len(body)
        for done, element in enumerate(content(body)):
            if done % _CHECK_EVERY == 0:
                self._report.progress(Progress(done, max(total, done), Message("Reading the document")))
            self._element(element)
        # A note may refer to further ones; each is read once.
        read = 0
        while unread := list(self._runs.notes)[read:]:
            for key in unread:
                read += 1
                if key in self._notes:
                    self._note(self._notes[key], f"{read}.")
        self._blocks.end()

    def _content(self, parent: Element) -> None:
        for element in content(parent):
            self._element(element)

    def _element(self, element: Element) -> None:
        name = local(element)
        if name == "p":
            self._paragraph(element)
        elif name == "tbl":
            self._table(element)

    def _paragraph(self, paragraph: Element, marker: str | None = None) -> None:
        self._paragraphs += 1
        if self._paragraphs % _CHECK_EVERY == 0:
            self._report.check()
        properties = child(paragraph, "pPr")
        identifier = value(properties, "pStyle")
        style = self._styles.of(identifier) if identifier else self._styles.paragraph
        words = list(self._runs.of(paragraph, style))
        level = _heading_level(properties, style)
        # As in Word's own navigation, headings in a table are not headings of the document.
        extra = frozenset([Style.STRONG]) if level and self._blocks.in_table else PLAIN
        level = 0 if extra else level
        is_code = style.kind is BlockKind.CODE and not level
        if is_code:
            self._blocks.code_line()
        else:
            depth = 1
            if marker is None and any(text.strip() for text, _ in words):
                marker, depth = self._numbering(properties, style)
            self._blocks.begin_paragraph(level, marker, depth, quoted=style.kind is BlockKind.QUOTE)
        self._blocks.runs((text, styles | extra) for text, styles in words)
        if not is_code:
            self._blocks.end()
        boxes, self._runs.boxes = self._runs.boxes, []
        for box in boxes:
            for inside in text_boxes(box):
                self._content(inside)

    def _numbering(self, properties: Element | None, style: WordStyle) -> tuple[str | None, int]:
        """A paragraph's marker, None if it is not an item, and how deep it is nested, from 1."""
        own = child(properties, "numPr")
        list_number = number(own, "numId")
        depth = number(own, "ilvl")
        if list_number is None:
            list_number = style.list_number
        if depth is None:
            depth = style.list_level or 0
        depth = max(0, min(depth, 8))
        return (self._lists.marker(list_number, depth) if list_number else None), depth + 1

    def _table(self, table: Element) -> None:
        blocks = self._blocks
        blocks.end()
        if blocks.in_table:
            for row in placed_rows(table):
                for cell in row.cells:
                    self._cell(cell.element)
            return
        blocks.begin_table()
        for row in placed_rows(table):
            blocks.row(row.header, row.skip)
            for cell in row.cells:
                blocks.cell(cell.rows, cell.columns)
                self._cell(cell.element)
        blocks.end_table()

    def _cell(self, cell: Element) -> None:
        self._content(cell)
        self._blocks.end()

    def _note(self, note: Element, marker: str) -> None:
        """Add a foot- or endnote: its first paragraph as an item with its mark, further ones without."""
        for element in content(note):
            if local(element) == "p":
                self._paragraph(element, marker)
                marker = ""
            else:
                self._element(element)


def _heading_level(properties: Element | None, style: WordStyle) -> int:
    """A heading's level from 1, by the paragraph's own outline level or its style's; 0 for text."""
    own = number(properties, "outlineLvl")
    if own is None or style.name == "toc heading":
        return style.level
    return own + 1 if 0 <= own < 9 else 0


@dataclass
class WordCell:
    """A cell with content of its own, and how many rows and columns it spans."""

    element: Element
    rows: int = 1
    columns: int = 1


@dataclass
class WordRow:
    """A row: whether it is a header, how many columns are empty before its first cell, and its cells."""

    header: bool
    skip: int
    cells: list[WordCell]


def placed_rows(table: Element) -> list[WordRow]:
    """The table's rows; cells that continue a merged one above or left of them are added to its span and left out."""
    rows: list[WordRow] = []
    above: dict[int, WordCell] = {}  # by column: the cell that a merged one continues
    for element in _named(table, "tr"):
        properties = child(element, "trPr")
        if child(properties, "del") is not None:
            continue
        skip = max(0, min(number(properties, "gridBefore") or 0, MOST_COLUMNS))
        row = WordRow(bool(switch(properties, "tblHeader")), skip, [])
        column = skip
        merged: dict[int, WordCell] = {}
        for cell in _named(element, "tc"):
            cell_properties = child(cell, "tcPr")
            across = max(1, min(number(cell_properties, "gridSpan") or 1, MOST_COLUMNS))
            down = child(cell_properties, "vMerge")
            continues = down is not None and (attribute(down, "val") or "continue") == "continue"
            if continues and column in above:
                above[column].rows += 1
                merged[column] = above[column]
            elif row.cells and (value(cell_properties, "hMerge") or "") == "continue":
                row.cells[-1].columns += across
            else:
                placed = WordCell(cell, 1, across)
                row.cells.append(placed)
                if down is not None:
                    merged[column] = placed
            column += across
        above = merged
        rows.append(row)
    return rows


def _named(parent: Element, name: str) -> Iterator[Element]:
    return (each for each in content(parent) if local(each) == name)
