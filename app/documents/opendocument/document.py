"""Converts an OpenDocument text (.odt) or presentation (.odp) to text and blocks."""

from __future__ import annotations

from collections.abc import Iterator

from app.core.errors import SpanlightError
from app.core.layout import BlockKind, Style
from app.core.message import Message
from app.core.report import Progress, Report
from app.documents.block_words import PLAIN, Styles
from app.documents.blocks import (
    LINE_BREAK,
    MOST_COLUMNS,
    Blocks,
    Slides,
)
from app.documents.opendocument.styles import OpenStyles, TextStyle
from app.documents.package import (
    Element,
    Package,
    attribute,
    child,
    children,
    count_of,
    damaged_beyond_reading,
    encrypted,
    integer,
    local,
    open_package,
    whole_or_noted,
    within,
)
from app.documents.parts import Parts

_CHECK_EVERY = 100
_MOST_BLANKS = 100
_LEVELS = 10
# What holds paragraphs, and is nothing by itself: sections, lists of contents, text boxes, drawn shapes.
_AROUND = frozenset(
    "section index-body index-title table-of-content illustration-index table-index object-index user-index "
    "alphabetical-index bibliography numbered-paragraph text-box".split()
)
_DRAWN = frozenset(
    "frame g custom-shape rect ellipse circle line connector polygon polyline path regular-polygon caption".split()
)
# Inside a paragraph: not shown, or not words.
_SILENT = frozenset(
    "annotation annotation-end ruby-text hidden-text hidden-paragraph tracked-changes script number "
    "note-citation title desc".split()
)
_ROWS_AROUND = frozenset(("table-rows", "table-row-group", "table-header-rows"))
# So many cells of all tables may be given by the word "repeated"; further ones stand there once.
_MOST_REPEATED = 10_000
# What the master repeats on each slide, and on each page of notes.
_OF_MASTER = frozenset(("date-time", "footer", "header", "page-number", "page"))


def read_odt(data: bytes, name: str, report: Report) -> Parts:
    """The text, headings, blocks and tables of an OpenDocument text, with foot- and endnotes after the text.

    Tracked deletions, hidden words and sections, headers and footers, comments and pictures are left out. A damaged
    file is read as far as possible, and a note says so. Raises SpanlightError for a file that is unsafe, encrypted or
    not an OpenDocument text, and Stopped when the report says so.
    """
    package = _open(data, name, report)
    body, styles = _body(package, "text")
    blocks = Blocks()
    reader = _Reader(blocks, styles, report)
    total = len(body)
    for done, each in enumerate(body):
        if done % _CHECK_EVERY == 0:
            report.progress(Progress(done, total, Message("Reading the document")))
        reader.element(each)
    blocks.end()
    reader.add_notes()
    return whole_or_noted(blocks.parts(), package)


def read_odp(data: bytes, name: str, report: Report) -> Parts:
    """The text, headings, blocks and tables of a presentation: its slides in order, each with its notes.

    A slide's title comes first, then its frames, shapes and tables in the order in which a screen reader takes them.
    Hidden slides are read and marked; the master's own words, dates, footers, numbers, comments, charts and pictures
    are left out. Raises as `read_odt`.
    """
    package = _open(data, name, report)
    body, styles = _body(package, "presentation")
    blocks = Slides()
    reader = _Reader(blocks, styles, report, slides=True)
    slides = list(children(body, "page"))
    for number, slide in enumerate(slides, start=1):
        report.progress(Progress(number - 1, len(slides), Message("Reading the slides")))
        frames = [each for each in slide if _is_own(each)]
        title = next((each for each in frames if attribute(each, "class") == "title"), None)
        hidden = styles.is_hidden_page(attribute(slide, "style-name"))
        blocks.begin_slide(number, [] if title is None else _title(reader, title), hidden=hidden)
        for frame in frames:
            if frame is not title:
                reader.element(frame)
        shown = [each for each in children(child(slide, "notes")) if _is_own(each)]
        if any(text.strip() for each in shown for text in each.itertext()):
            blocks.begin_notes()
            for each in shown:
                reader.element(each)
    reader.add_notes()
    return whole_or_noted(blocks.parts(), package)


def _open(data: bytes, name: str, report: Report) -> Package:
    report.progress(Progress(0, len(data), Message("Opening the document")))
    package = open_package(data, name, report)
    if b"encryption-data" in package.raw_part("META-INF/manifest.xml"):
        raise encrypted(name)
    return package


def _body(package: Package, kind: str) -> tuple[Element, OpenStyles]:
    """The element that holds the words, and the styles."""
    root = package.xml("content.xml")
    body = child(child(root, "body"), kind)
    if body is None:
        if package.damaged or root is None:
            raise damaged_beyond_reading(package.name)
        raise SpanlightError(
            Message("“{name}” is not what its type says.", name=package.name),
            Message("Open a file that LibreOffice can open."),
        )
    return body, OpenStyles(root, package.xml("styles.xml"))


def _is_own(frame: Element) -> bool:
    """Whether a frame is the slide's own, not the master's, and not an empty placeholder."""
    return attribute(frame, "class") not in _OF_MASTER and attribute(frame, "placeholder") != "true"


def _title(reader: _Reader, frame: Element) -> Iterator[tuple[str, Styles]]:
    """The words of a frame with their styles, with a LINE_BREAK after each paragraph."""
    for paragraph in within(frame, "p", "h"):
        yield from reader.words(paragraph)
        yield LINE_BREAK, PLAIN


class _Reader:
    """Adds the content of elements to blocks; foot- and endnotes wait for `add_notes`.

    With `slides` only the slides have headings: any others become bold, so that what follows stands under the slide's.
    """

    def __init__(self, blocks: Blocks, styles: OpenStyles, report: Report, *, slides: bool = False) -> None:
        self._blocks = blocks
        self._styles = styles
        self._report = report
        self._slides = slides
        self._notes: list[Element] = []
        self._boxes: list[Element] = []
        self._counts: dict[str, list[int]] = {}
        self._paragraphs = 0
        self._repeated = 0

    def content(self, parent: Element) -> None:
        """Add the content of an element."""
        for each in parent:
            self.element(each)
        self._blocks.end()

    def element(self, element: Element) -> None:
        """Add one element, if it is shown."""
        name = local(element)
        if name in ("p", "h"):
            self._paragraph(element)
        elif name == "list":
            self._list(element, "", 1)
        elif name == "table":
            self._table(element)
        elif name == "frame":
            # A frame may hold pictures of the same as well, for other programs.
            for found in (*children(element, "table"), *children(element, "text-box"))[:1]:
                self.element(found)
        elif name == "a" or name in _DRAWN or (name in _AROUND and attribute(element, "display") != "none"):
            self.content(element)

    def add_notes(self) -> None:
        """Add the foot- and endnotes to which the text refers; a note may refer to further ones."""
        for number, note in enumerate(self._notes, start=1):
            marker = f"{number}."
            for each in children(child(note, "note-body")):
                if local(each) in ("p", "h"):
                    self._paragraph(each, marker)
                    marker = ""
                else:
                    self.element(each)

    def words(self, paragraph: Element) -> list[tuple[str, Styles]]:
        """A paragraph's words with their styles; a forced line break is a separate LINE_BREAK."""
        style = self._styles.of("paragraph", attribute(paragraph, "style-name"))
        return list(self._runs(paragraph, style, frozenset(style.styles)))

    def _paragraph(self, paragraph: Element, marker: str | None = None, depth: int = 1) -> None:
        self._paragraphs += 1
        if self._paragraphs % _CHECK_EVERY == 0:
            self._report.check()
        style = self._styles.of("paragraph", attribute(paragraph, "style-name"))
        level = 0
        if local(paragraph) == "h":
            level = max(1, min(integer(attribute(paragraph, "outline-level")) or 1, _LEVELS))
        elif style.title:
            level = 1
        words = self.words(paragraph)
        if level and (self._slides or self._blocks.in_table):
            level, words = 0, [(text, styles | {Style.STRONG}) for text, styles in words]
        is_code = style.kind is BlockKind.CODE and not level and marker is None
        if is_code:
            self._blocks.code_line()
        else:
            self._blocks.begin_paragraph(level, marker, depth, quoted=style.kind is BlockKind.QUOTE)
        self._blocks.runs(words)
        if not is_code:
            self._blocks.end()
        boxes, self._boxes = self._boxes, []
        for box in boxes:
            self.element(box)

    def _runs(self, parent: Element, style: TextStyle, styles: Styles) -> Iterator[tuple[str, Styles]]:
        shown = not style.hidden
        if parent.text and shown:
            yield parent.text, styles
        for each in parent:
            name = local(each)
            if name in ("s", "tab"):
                yield " " * count_of(each, "c", _MOST_BLANKS), styles
            elif name == "line-break":
                yield LINE_BREAK, PLAIN
            elif name == "note":
                self._notes.append(each)
                yield str(len(self._notes)), styles | {Style.RAISED}
            elif name in _DRAWN:
                self._boxes.append(each)
            elif name == "span":
                own = self._styles.of("text", attribute(each, "style-name"))
                yield from self._runs(each, own if own.hidden else style, styles | own.styles)
            elif name == "a":
                yield from self._runs(each, style, (styles | {Style.LINK}) - {Style.UNDERLINED})
            elif name and name not in _SILENT:
                yield from self._runs(each, style, styles)
            if each.tail and shown:
                yield each.tail, styles

    def _list(self, element: Element, around: str, level: int) -> None:
        """Add a list's items; a list in a list has the style of the outer one unless it has its own."""
        style = attribute(element, "style-name") or around
        counts = self._counts.setdefault(style, [0] * (_LEVELS + 1))
        going_on = attribute(element, "continue-numbering") == "true" or attribute(element, "continue-list")
        if not going_on:
            counts[level:] = [0] * (_LEVELS + 1 - level)
        for item in children(element, "list-item", "list-header"):
            self._item(item, style, level, counts)

    def _item(self, item: Element, style: str, level: int, counts: list[int]) -> None:
        marker = ""
        only_lists = all(local(each) == "list" for each in item)
        if local(item) == "list-item" and not only_lists:
            first = integer(attribute(item, "start-value"))
            if first is None and not counts[level]:
                first = self._styles.first_number(style, level)
            counts[level] = counts[level] + 1 if first is None else first
            counts[level + 1 :] = [0] * (_LEVELS - level)
            marker = self._styles.marker(style, level, counts)
        for each in item:
            name = local(each)
            if name in ("p", "h"):
                self._paragraph(each, marker, level)
                marker = ""
            elif name == "list":
                self._list(each, style, min(level + 1, _LEVELS))
            else:
                self.element(each)

    def _table(self, table: Element) -> None:
        blocks = self._blocks
        blocks.end()
        if blocks.in_table:
            for row, _ in _rows(table):
                for cell in children(row, "table-cell"):
                    self.content(cell)
            return
        first_is_header = attribute(table, "use-first-row-styles") == "true"
        blocks.begin_table()
        for number, (row, is_header) in enumerate(_rows(table)):
            for _ in range(self._times(row, "number-rows-repeated")):
                blocks.row(is_header or (first_is_header and not number))
                for cell in children(row, "table-cell"):
                    self._cell(cell)
        blocks.end_table()

    def _cell(self, cell: Element) -> None:
        for _ in range(self._times(cell, "number-columns-repeated")):
            self._blocks.cell(
                count_of(cell, "number-rows-spanned", MOST_COLUMNS),
                count_of(cell, "number-columns-spanned", MOST_COLUMNS),
            )
            self.content(cell)

    def _times(self, element: Element, name: str) -> int:
        """The number of times that a row or a cell is repeated, within what is left of `_MOST_REPEATED`."""
        cost = 1 + len(element)
        times = min(
            count_of(element, name, MOST_COLUMNS), 1 + max(0, _MOST_REPEATED - self._repeated) // cost
        )
        self._repeated += (times - 1) * cost
        return times


def _rows(table: Element, is_header: bool = False) -> Iterator[tuple[Element, bool]]:
    """The rows of a table, each with whether it heads the table."""
    for each in table:
        name = local(each)
        if name == "table-row":
            yield each, is_header
        elif name in _ROWS_AROUND:
            yield from _rows(each, is_header or name == "table-header-rows")
