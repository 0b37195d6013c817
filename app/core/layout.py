"""The layout of a document read from a file: headings, blocks, tables, and pages of characters."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from app.core.message import Message
from app.core.text import Document, Span
from app.core.wording import cell_in_words, place_in_words

# Pages without text: a gap only as long as their pictures are not recognised.
SOME_PICTURES = Message(
    "{n:,} of {pages} is a picture and holds no text.",
    "{n:,} of {pages} are pictures and hold no text.",
)
# Notes on documents that are read whole, or that a library reads again by itself.
OTHERWISE_NAMED = Message("By its content, “{name}” is {kind}.")
CHANGED_MEANWHILE = Message("“{name}” was changed while it was read; read it again to have it whole.")
TOO_MANY_CELLS = Message("It has too many cells for a table, so it is read as a text, line by line.")
ALL_RECOGNISED = Message(
    "The text of the page was recognised in its picture.",
    "The text of all {n:,} pages was recognised in their pictures.",
)
SOME_RECOGNISED = Message(
    "The text of {n:,} of {pages} was recognised in its picture.",
    "The text of {n:,} of {pages} was recognised in their pictures.",
)
_WITHOUT_GAP = frozenset(
    each.pattern
    for each in (OTHERWISE_NAMED, CHANGED_MEANWHILE, TOO_MANY_CELLS, ALL_RECOGNISED, SOME_RECOGNISED)
)


class Kind(StrEnum):
    """A document's kind, recognised by its content first and its name second."""

    TEXT = "text"
    MARKDOWN = "markdown"
    HTML = "html"
    DOCX = "docx"
    ODT = "odt"
    RTF = "rtf"
    PPTX = "pptx"
    ODP = "odp"
    XLSX = "xlsx"
    XLS = "xls"
    ODS = "ods"
    CSV = "csv"
    PDF = "pdf"
    IMAGE = "image"
    EPUB = "epub"
    EML = "eml"
    MBOX = "mbox"
    MSG = "msg"


# In these kinds an answer's place is given by all headings above it: part and chapter, mail and attachment.
_NESTED = frozenset((Kind.EPUB, Kind.EML, Kind.MBOX, Kind.MSG))


class Unit(StrEnum):
    """The unit that places in a document are counted in."""

    PAGE = "page"
    SLIDE = "slide"
    SHEET = "sheet"
    MAIL = "mail"
    LINE = "line"


# In these kinds every first-level heading begins a unit.
_UNITS = {
    Kind.PPTX: Unit.SLIDE, Kind.ODP: Unit.SLIDE, Kind.XLSX: Unit.SHEET, Kind.XLS: Unit.SHEET, Kind.ODS: Unit.SHEET,
    Kind.MBOX: Unit.MAIL,
}  # fmt: skip


class BlockKind(StrEnum):
    """The kind of a block of a flowing document."""

    PARAGRAPH = "paragraph"
    HEADING = "heading"
    ITEM = "item"
    QUOTE = "quote"
    CODE = "code"
    CELL = "cell"


class Style(StrEnum):
    """The style of a run of text inside a block."""

    STRONG = "strong"
    EMPHASIS = "emphasis"
    CODE = "code"
    STRUCK = "struck"
    UNDERLINED = "underlined"
    RAISED = "raised"
    LOWERED = "lowered"
    LINK = "link"


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its span in `Document.text`, and its level, 1 being the highest."""

    span: Span
    level: int


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """An entry of a document's outline: title, level from 1, code point of the text, page from 1 (0 without pages)."""

    title: str
    level: int
    point: int
    page: int = 0


@dataclass(frozen=True, slots=True)
class Styled:
    """A styled run of `Document.text`."""

    span: Span
    style: Style


@dataclass(frozen=True, slots=True)
class Block:
    """One paragraph of a flowing document (any kind but plain text and PDF); blocks are in text order.

    `level` is a heading's level, or how deep an item or a quote is nested, from 1. `marker` is shown before an item
    ("•", "3.") and is not part of the text. For a block of a table's cell, `table` is the index into `Opened.tables`,
    and `row` and `column` are the cell's position there; -1 for other blocks. A cell may have several blocks.
    """

    kind: BlockKind
    span: Span
    level: int = 0
    marker: str = ""
    styles: tuple[Styled, ...] = ()
    table: int = -1
    row: int = -1
    column: int = -1


@dataclass(frozen=True, slots=True)
class Table:
    """A table's shape; `merged` maps a merged cell (row, column) to the numbers of rows and columns it spans."""

    rows: int
    columns: int
    header_rows: int = 0
    merged: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of a spreadsheet's or a CSV file's blocks, one for each block.

    `rows` and `columns` (int32[blocks] each) count from 1; both are 0 for a sheet's name. `names` are the names of a
    CSV file's columns, their headers or else their numbers; empty for a spreadsheet, whose columns have letters.
    """

    rows: array[int] = field(default_factory=lambda: array("i"), hash=False)
    columns: array[int] = field(default_factory=lambda: array("i"), hash=False)
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recognised:
    """Recognition of a page whose text was recognised in its picture (OCR), and is not the document's own.

    `language` is the ISO 639 code of the language that the text was recognised as, several separated by "+". `sure`
    (uint8[len(span)]) is, for each code point of the page's text, the confidence in its word in per cent.
    """

    language: str
    sure: array[int] = field(default_factory=lambda: array("B"))


@dataclass(frozen=True, slots=True)
class PageText:
    """One page of a PDF or a picture with its characters, numbered as in the PDF engine.

    `width` and `height` are points of the page as shown, its rotation applied. `characters` has one code point for each
    of the engine's characters, U+FFFD if the font does not define it. `boxes` (float32[4 n]) holds left, top, right and
    bottom of each in points from the page's upper left corner, downwards; a character that is not drawn has no width or
    no height. `span` is the page's part of `Document.text`, and `index` (int32[len(span)]) has for each of its code
    points the number of the character that it was read from, -1 for one that reading inserted. `doubtful` are the
    numbers of the characters that their font does not reliably define. `label` is the number printed on the page
    ("iv"), empty if the PDF does not define it. `recognised` is None for a page with text of its own.
    """

    width: float
    height: float
    span: Span
    characters: str = ""
    boxes: array[float] = field(default_factory=lambda: array("f"))
    index: array[int] = field(default_factory=lambda: array("i"))
    doubtful: frozenset[int] = frozenset()
    label: str = ""
    recognised: Recognised | None = None


@dataclass(frozen=True, slots=True)
class Opened:
    """A document as it was opened from a file.

    `sha256` is of the file's bytes; `modified` is its modification time in nanoseconds, `size` its size in bytes.
    `blocks` and `tables` are filled for flowing documents, `cells` for spreadsheets and CSV, `pages` for a PDF or a
    picture; `pictures` are the pages, from 0, without usable text that could be recognised and were not. `lines`
    (int32[lines]) has, for plain text and Markdown, the code point where each line of the file, or the next words after
    it, begins; words of HTML in Markdown belong to the line where the HTML begins. `notes` are sentences to show to the
    user at once ("2 of 5 pages are pictures and hold no text."). `language` is the ISO 639 code of the text's language,
    empty if uncertain: code, numbers, several languages, very few words. `outline` has a PDF's bookmarks, if any.
    """

    document: Document
    kind: Kind = Kind.TEXT
    headings: tuple[Heading, ...] = ()
    blocks: tuple[Block, ...] = ()
    tables: tuple[Table, ...] = ()
    pages: tuple[PageText, ...] = ()
    cells: Cells = field(default_factory=Cells)
    pictures: tuple[int, ...] = ()
    lines: array[int] = field(default_factory=lambda: array("i"), hash=False)
    notes: tuple[str, ...] = ()
    sha256: str = ""
    modified: int = 0
    size: int = 0
    language: str = ""
    outline: tuple[OutlineEntry, ...] = ()

    @property
    def gaps(self) -> tuple[str, ...]:
        """The notes on what of the document was not read."""
        others = _WITHOUT_GAP if self.pictures else _WITHOUT_GAP | {SOME_PICTURES.pattern}
        return tuple(note for note in self.notes if getattr(note, "pattern", "") not in others)

    @property
    def is_text(self) -> bool:
        """Whether it is plain text."""
        return self.kind is Kind.TEXT

    @property
    def is_paged(self) -> bool:
        """Whether it has pages that are drawn: a PDF or a picture."""
        return self.kind in (Kind.PDF, Kind.IMAGE)

    @property
    def is_spreadsheet(self) -> bool:
        """Whether its headings are the names of sheets."""
        return self.kind in (Kind.XLSX, Kind.XLS, Kind.ODS)

    def page_at(self, point: int) -> int | None:
        """Return the page, counted from 1, of a code point of the text; None if there are no pages."""
        if not self.pages:
            return None
        return max(1, bisect_right(self.pages, point, key=lambda page: page.span.start))

    def page_label_at(self, point: int) -> str:
        """Return the number printed on a code point's page ("iv"); empty if the PDF does not define it."""
        page = self.page_at(point)
        return self.pages[page - 1].label if page is not None else ""

    def contents(self) -> tuple[OutlineEntry, ...]:
        """Return the document's own outline, else one of its headings."""
        return self.outline or tuple(
            OutlineEntry(
                " ".join(heading.span.of(self.document.text).split()),
                heading.level,
                heading.span.start,
                self.page_at(heading.span.start) or 0,
            )
            for heading in self.headings
        )

    def units(self) -> tuple[Unit, Sequence[int]]:
        """Return the document's unit, and the code points where each begins; none if that is not known."""
        if self.pages:
            return Unit.PAGE, [page.span.start for page in self.pages]
        unit = _UNITS.get(self.kind, Unit.LINE)
        if unit is Unit.LINE:
            return unit, self.lines
        return unit, [heading.span.start for heading in self.headings if heading.level == 1]

    def line_at(self, point: int) -> int | None:
        """Return the line of the file, counted from 1, of a code point of the text; None if there are no lines.

        The lines of a plain text without a file are its own.
        """
        if not self.lines:
            return self.document.text.count("\n", 0, point) + 1 if self.is_text else None
        return max(1, bisect_right(self.lines, point))

    def cell_at(self, point: int) -> str:
        """Return the cell of a code point as spreadsheets name it ("B12"); empty in a sheet's name or without cells."""
        row, column = self._row_and_column_at(point)
        letters = ""
        while column:
            column, letter = divmod(column - 1, 26)
            letters = chr(ord("A") + letter) + letters
        return f"{letters}{row}" if row else ""

    def column_name_at(self, point: int) -> str:
        """Return the name of a code point's column in a CSV file; empty for other kinds."""
        _, column = self._row_and_column_at(point)
        return self.cells.names[column - 1] if 0 < column <= len(self.cells.names) else ""

    def _row_and_column_at(self, point: int) -> tuple[int, int]:
        at = max(0, bisect_right(self.blocks, point, key=lambda block: block.span.start) - 1)
        return (self.cells.rows[at], self.cells.columns[at]) if at < len(self.cells.rows) else (0, 0)

    def place_at(self, point: int) -> str:
        """Return the page, cell, line or mail of a code point in words ("page 4", "mail 12"); empty if there is none.

        Pages and lines are worded as in KeptAnswer.where.
        """
        if cell := self.cell_at(point):
            return cell_in_words(self.heading_at(point), cell, self.column_name_at(point))
        if self.kind is Kind.MBOX:
            return Message("mail {number:,}", number=max(1, bisect_right(self.units()[1], point)))
        return place_in_words(self.page_at(point), self.page_label_at(point), self.line_at(point))

    def heading_at(self, point: int) -> str:
        """Return the last heading that begins at or before a code point, on one line; empty if there is none.

        In a book and in mails the headings above it come first ("Part One > Chapter 2").
        """
        if self.kind in _NESTED and self.document.view is not None:
            return self.document.view.heading_at(point)
        before = bisect_right(self.headings, point, key=lambda heading: heading.span.start)
        return " ".join(self.headings[before - 1].span.of(self.document.text).split()) if before else ""

    def heading_above(self, point: int) -> str:
        """Return the heading as `heading_at` does; empty if that is in the code point's own line."""
        line = self.document.text.rfind("\n", 0, point) + 1
        before = bisect_right(self.headings, point, key=lambda heading: heading.span.start)
        return "" if before and self.headings[before - 1].span.end > line else self.heading_at(point)


@dataclass(frozen=True, slots=True)
class Picture:
    """Pixels of a part of a page: rows from the top, 4 bytes per pixel: blue, green, red, unused."""

    width: int
    height: int
    pixels: bytes
