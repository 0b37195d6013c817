"""The layout of a document that was read from a file: headings, blocks, and pages of characters."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from app.core.message import Message
from app.core.text import Document, Span
from app.core.wording import cell_in_words, place_in_words


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


# In these an answer's place is given by all headings above it: part and chapter, mail and attachment.
_NESTED = frozenset((Kind.EPUB, Kind.EML, Kind.MBOX, Kind.MSG))


class Unit(StrEnum):
    """What a document is counted in."""

    PAGE = "page"
    SLIDE = "slide"
    SHEET = "sheet"
    MAIL = "mail"
    LINE = "line"


# The kinds whose headings of the first level each begin one of these.
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
    """The style of a stretch of words inside a block."""

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
    """A heading: its place in `Document.text`, and its level from 1, the highest."""

    span: Span
    level: int


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A title of a document's outline: its level from 1, its place in the text, its page from 1, 0 without pages."""

    title: str
    level: int
    point: int
    page: int = 0


@dataclass(frozen=True, slots=True)
class Styled:
    """A styled stretch of `Document.text`."""

    span: Span
    style: Style


@dataclass(frozen=True, slots=True)
class Block:
    """One paragraph of a flowing document (any kind but plain text and PDF); blocks are in text order.

    `level` is a heading's level, or how deep an item or a quote is nested, from 1. `marker` is shown before an item
    ("•", "3.") and is not part of the text. `table` is the index into `Opened.tables`, and `row` and `column` the place
    there of a cell's block, -1 elsewhere; a cell may have several blocks.
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
    """A table's shape; `merged` maps a cell (row, column) to how many rows and columns it spans, if more than one."""

    rows: int
    columns: int
    header_rows: int = 0
    merged: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cells:
    """Where the blocks of a spreadsheet or a CSV file stand in it, one for one.

    `rows` and `columns` are counted from 1, both 0 for a sheet's name. `names` are those of a CSV file's columns, their
    headers or else their numbers; a spreadsheet, whose columns have letters, has none.
    """

    rows: array[int] = field(default_factory=lambda: array("i"), hash=False)
    columns: array[int] = field(default_factory=lambda: array("i"), hash=False)
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recognised:
    """That a page's text was recognised in its picture, and is not the document's own.

    `language` is the ISO 639 code of the language in which it was looked for, several separated by "+". `sure`
    (uint8[len(span)]) is the percentage by which the word of each code point of the page's text is sure.
    """

    language: str
    sure: array[int] = field(default_factory=lambda: array("B"))


@dataclass(frozen=True, slots=True)
class PageText:
    """One page of a PDF or a picture with its characters, numbered as in the PDF engine.

    `width` and `height` are points of the page as shown, its rotation applied. `characters` has one code point for each
    of the engine's characters, U+FFFD if the font does not define it. `boxes` holds left, top, right, bottom of each
    (float32[4 n]) in points from the page's upper left corner, downwards; without width or height for one that is not
    drawn. `span` is the page's part of `Document.text`, and `index` (int32[len(span)]) has for each of its code points
    the character of the page that it was read from, -1 for one that reading inserted. `doubtful` are the characters
    whose font does not reliably define them. `label` is the number printed on the page ("iv"), empty if the PDF does
    not define it. `recognised` is None for a page with a text of its own.
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
    picture; `pictures` are the pages, from 0, without usable text, which may be recognised and were not. `lines`
    (int32[lines]) has for plain text and Markdown the place in the text where each line of the file, or the next words
    after it, begins; words of HTML in Markdown belong to the line where the HTML begins. `notes` are sentences to show
    to the user at once ("2 of 5 pages are pictures and hold no text."). `language` is the ISO 639 code of the text's
    language, empty where that is unsure: code, numbers, several languages, very few words. `outline` has the
    bookmarks of a PDF that brings any.
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
        """The page, counted from 1, of a code point of the text; None if there are no pages."""
        if not self.pages:
            return None
        return max(1, bisect_right(self.pages, point, key=lambda page: page.span.start))

    def page_label_at(self, point: int) -> str:
        """The number printed on that page, if the PDF defines it ("iv"); else empty."""
        page = self.page_at(point)
        return self.pages[page - 1].label if page is not None else ""

    def contents(self) -> tuple[OutlineEntry, ...]:
        """The document's own outline, else its headings."""
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
        """What the document is counted in, and where in the text each begins; empty where that is not known."""
        if self.pages:
            return Unit.PAGE, [page.span.start for page in self.pages]
        unit = _UNITS.get(self.kind, Unit.LINE)
        if unit is Unit.LINE:
            return unit, self.lines
        return unit, [heading.span.start for heading in self.headings if heading.level == 1]

    def line_at(self, point: int) -> int | None:
        """The line of the file, counted from 1, of a code point of the text; None if there are no lines.

        A plain text without a file has its own lines.
        """
        if not self.lines:
            return self.document.text.count("\n", 0, point) + 1 if self.is_text else None
        return max(1, bisect_right(self.lines, point))

    def cell_at(self, point: int) -> str:
        """The cell of a code point as spreadsheets name it ("B12"); empty for a sheet's name, and without cells."""
        row, column = self._row_and_column_at(point)
        letters = ""
        while column:
            column, letter = divmod(column - 1, 26)
            letters = chr(ord("A") + letter) + letters
        return f"{letters}{row}" if row else ""

    def column_name_at(self, point: int) -> str:
        """The name of a code point's column in a CSV file; empty for other kinds."""
        _, column = self._row_and_column_at(point)
        return self.cells.names[column - 1] if 0 < column <= len(self.cells.names) else ""

    def _row_and_column_at(self, point: int) -> tuple[int, int]:
        at = max(0, bisect_right(self.blocks, point, key=lambda block: block.span.start) - 1)
        return (self.cells.rows[at], self.cells.columns[at]) if at < len(self.cells.rows) else (0, 0)

    def place_at(self, point: int) -> str:
        """The page, cell, line or mail of a code point, in words ("page 4", "mail 12"); empty if there is none.

        The page and the line as for an answer in the history: KeptAnswer.where.
        """
        if cell := self.cell_at(point):
            return cell_in_words(self.heading_at(point), cell, self.column_name_at(point))
        if self.kind is Kind.MBOX:
            return Message("mail {number:,}", number=max(1, bisect_right(self.units()[1], point)))
        return place_in_words(self.page_at(point), self.page_label_at(point), self.line_at(point))

    def heading_at(self, point: int) -> str:
        """The words of the last heading that begins at or before a code point, on one line; empty without one.

        In a book and in mails the headings that it is nested in stand before it ("Part One > Chapter 2").
        """
        if self.kind in _NESTED and self.document.view is not None:
            return self.document.view.heading_at(point)
        before = bisect_right(self.headings, point, key=lambda heading: heading.span.start)
        return " ".join(self.headings[before - 1].span.of(self.document.text).split()) if before else ""


@dataclass(frozen=True, slots=True)
class Picture:
    """Pixels of a part of a page: rows from the top, 4 bytes per pixel: blue, green, red, unused."""

    width: int
    height: int
    pixels: bytes
