"""Converts a PowerPoint file (.pptx) to text and blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

from app.core.layout import Style
from app.core.message import Message
from app.core.report import Progress, Report
from app.documents.block_words import PLAIN, Styles
from app.documents.blocks import (
    LINE_BREAK,
    MOST_COLUMNS,
    Slides,
)
from app.documents.numerals import bullet, numeral
from app.documents.package import (
    Element,
    Package,
    attribute,
    child,
    children,
    count_of,
    integer,
    local,
    open_package,
    whole_or_noted,
    within,
)
from app.documents.parts import Parts
from app.documents.sheets.rows import Percentage, in_words
from app.documents.symbols import shown_bullet

_SLIDE = re.compile(r"ppt/slides/slide(\d{1,9})\.xml")
_TITLES = frozenset(("title", "ctrTitle"))
# What the master repeats on each slide, and on each page of notes.
_OF_MASTER = frozenset(("dt", "ftr", "sldNum", "hdr", "sldImg"))
# Placeholders whose paragraphs have a bullet if nothing says otherwise.
_BULLETED = frozenset(("body", "obj"))
_LEVELS = 9
_FORMS = {"alphaLc": "a", "alphaUc": "A", "romanLc": "i", "romanUc": "I"}
_ON = frozenset(("1", "true", "on"))
# A number's format that shows a day, by its year or its month's name, and the day that is number 0.
_OF_DAYS = re.compile(r"yy|mmm|d[/.-]m|m[/.-]d")
_FIRST_DAY, _MOST_DAYS = datetime(1899, 12, 30), 2_000_000


def read_pptx(data: bytes, name: str, report: Report) -> Parts:
    """The text, headings, blocks and tables of a presentation: its slides in order, each with its notes.

    A slide's title comes first, then its text frames, tables, diagrams and charts, whose values become a table, in the
    order in which a screen reader takes them. Hidden slides are read and marked; hidden frames, the master's own words,
    dates, footers, numbers, comments and pictures are left out. A damaged file is read as far as possible, and a note
    says so. Raises SpanlightError for a file that is unsafe, encrypted or not a presentation, and Stopped when the
    report says so.
    """
    report.progress(Progress(0, len(data), Message("Opening the document")))
    package = open_package(data, name, report)
    slides = _slides(package)
    reader = _Reader(package)
    for number, part in enumerate(slides, start=1):
        report.progress(Progress(number - 1, len(slides), Message("Reading the slides")))
        reader.slide(number, part)
    return whole_or_noted(reader.blocks.parts(), package)


def _slides(package: Package) -> list[str]:
    """The parts of the slides in the presentation's order, or by the numbers in their names if that is missing."""
    main = package.main_part("ppt/presentation.xml")
    listed = children(child(package.xml(main), "sldIdLst"))
    targets = {each.identifier: each.target for each in package.relations(main) if each.kind == "slide"}
    found = [targets.get(_reference(each) or "", "") for each in listed]
    if any(found):
        return found
    by_number = {
        int(match[1]): part for part in package.names if (match := _SLIDE.fullmatch(part)) is not None
    }
    package.damaged |= bool(by_number)
    return [by_number[number] for number in sorted(by_number)]


def _reference(element: Element, name: str = "id") -> str | None:
    """The identifier of the relationship that an element refers to."""
    return next((str(value) for key, value in element.attrib.items() if str(key).endswith(f"}}{name}")), None)


class _Reader:
    """Adds slides to blocks."""

    def __init__(self, package: Package) -> None:
        self.blocks = Slides()
        self._package = package
        self._targets: dict[str, str] = {}  # the parts that a slide refers to, by their identifiers
        self._layouts: dict[str, dict[str, Element]] = {}
        self._read: set[str] = set()

    def slide(self, number: int, part: str) -> None:
        """Add a slide and its notes; one that cannot be read is left out."""
        package = self._package
        root = self._once(part)
        if root is None:
            package.damaged = True
            return
        relations = package.relations(part)
        related = {each.kind: each.target for each in relations}
        self._targets = {each.identifier: each.target for each in relations}
        layout = related.get("slideLayout", "")
        if layout not in self._layouts:
            self._layouts[layout] = _placeholders(package.xml(layout))
        shapes = [shape for shape in _shapes(_tree(root)) if _kind(shape) not in _OF_MASTER]
        title = next((shape for shape in shapes if _kind(shape) in _TITLES and _has_words(shape)), None)
        self.blocks.begin_slide(
            number,
            [] if title is None else _title(title),
            hidden=(attribute(root, "show") or "1") not in _ON,
        )
        for shape in shapes:
            if shape is not title:
                self._shape(shape, self._layouts[layout])
        pages = _shapes(_tree(self._once(related.get("notesSlide", ""))))
        notes = [shape for shape in pages if _kind(shape) == "body" and _has_words(shape)]
        if notes:
            self.blocks.begin_notes()
        for shape in notes:
            self._frame(child(shape, "txBody"))

    def _once(self, part: str) -> Element | None:
        """The root of a part that belongs to one slide; None if another slide has used it."""
        if part in self._read:
            return None
        self._read.add(part)
        return self._package.xml(part)

    def _shape(self, shape: Element, layout: dict[str, Element]) -> None:
        self._package.report.check()
        if local(shape) == "sp":
            kind = _kind(shape)
            like = layout.get(attribute(_placeholder(shape), "idx") or "", layout.get(kind))
            styles = child(child(like, "txBody"), "lstStyle")
            self._frame(child(shape, "txBody"), styles, bulleted=kind in _BULLETED)
            return
        data = child(child(shape, "graphic"), "graphicData")
        table, diagram, chart = (child(data, name) for name in ("tbl", "relIds", "chart"))
        if table is not None:
            self._table(table)
        if diagram is not None:
            self._diagram(self._targets.get(_reference(diagram, "dm") or "", ""))
        if chart is not None:
            self._chart(self._targets.get(_reference(chart) or "", ""))

    def _frame(
        self, body: Element | None, inherited: Element | None = None, *, bulleted: bool = False
    ) -> None:
        """Add the paragraphs of a text frame."""
        own = child(body, "lstStyle")
        counts: list[int] = [0] * _LEVELS
        for paragraph in children(body, "p"):
            words = list(_runs(paragraph))
            properties = child(paragraph, "pPr")
            level = max(0, min(integer(attribute(properties, "lvl")) or 0, _LEVELS - 1))
            levels = [properties, *(child(each, f"lvl{level + 1}pPr") for each in (own, inherited))]
            marker = None
            if any(text.strip() for text, _ in words):
                marker = _marker(levels, level, counts, bulleted)
            self.blocks.begin_paragraph(marker=marker, depth=level + 1)
            self.blocks.runs(words)
            self.blocks.end()

    def _table(self, table: Element) -> None:
        blocks = self.blocks
        has_header = attribute(child(table, "tblPr"), "firstRow") in _ON
        blocks.begin_table()
        for number, row in enumerate(children(table, "tr")):
            self._package.report.check()
            blocks.row(has_header and not number)
            for cell in children(row, "tc"):
                if attribute(cell, "hMerge") not in _ON and attribute(cell, "vMerge") not in _ON:
                    blocks.cell(
                        count_of(cell, "rowSpan", MOST_COLUMNS), count_of(cell, "gridSpan", MOST_COLUMNS)
                    )
                    self._frame(child(cell, "txBody"))
        blocks.end_table()

    def _diagram(self, part: str) -> None:
        """Add the words of a SmartArt diagram."""
        for point in children(child(self._once(part), "ptLst")):
            self._frame(child(point, "t"))

    def _chart(self, part: str) -> None:
        """Add a chart's title, and its values as a table: a row for each category, a column for each series."""
        chart = child(self._once(part), "chart")
        kinds = children(child(chart, "plotArea"))
        series = [each for kind in kinds for each in children(kind, "ser")][: MOST_COLUMNS - 1]
        self._frame(child(child(child(chart, "title"), "tx"), "rich"))
        values = [_points(child(each, "val")) or _points(child(each, "yVal")) for each in series]
        categories: dict[int, str] = {}
        for each in series:
            categories = _points(child(each, "cat")) | _points(child(each, "xVal")) | categories
        names = ["", *(" ".join(_points(child(each, "tx")).values()) for each in series)]
        places = sorted({*categories, *(at for each in values for at in each)})
        rows = ([categories.get(at, ""), *(each.get(at, "") for each in values)] for at in places)
        self.blocks.begin_table()
        for number, row in enumerate((names, *rows)):
            self._package.report.check()
            self.blocks.row(header=not number)
            for words in row:
                self.blocks.cell()
                self.blocks.words(words)
        self.blocks.end_table()


def _tree(root: Element | None) -> Element | None:
    return child(child(root, "cSld"), "spTree")


def _shapes(parent: Element | None) -> Iterator[Element]:
    """The text frames, tables and diagrams in a tree of shapes, those of groups in their place; no hidden ones."""
    for each in children(parent, "AlternateContent", "grpSp", "sp", "graphicFrame"):
        name = local(each)
        if name == "AlternateContent":
            yield from _shapes(_chosen(each))
        elif attribute(_property(each, "cNvPr"), "hidden") not in _ON:
            if name == "grpSp":
                yield from _shapes(each)
            else:
                yield each


def _chosen(alternatives: Element) -> Element | None:
    """The first of the alternatives, a shape and its fallback for older programs."""
    return next(children(alternatives, "Choice", "Fallback"), None)


def _property(shape: Element, name: str) -> Element | None:
    holder = next((each for each in shape if local(each).startswith("nv")), None)
    return child(holder, name)


def _placeholder(shape: Element) -> Element | None:
    """The element that makes a shape a placeholder of the master; None for any other shape."""
    return child(_property(shape, "nvPr"), "ph")


def _kind(shape: Element) -> str:
    """A placeholder's kind, empty for any other shape."""
    holder = _placeholder(shape)
    return "" if holder is None else attribute(holder, "type") or "obj"


def _placeholders(root: Element | None) -> dict[str, Element]:
    """The placeholders of a layout by their numbers, and by their kinds the first of each."""
    found: dict[str, Element] = {}
    for shape in _shapes(_tree(root)):
        if kind := _kind(shape):
            found.setdefault(kind, shape)
            found.setdefault(attribute(_placeholder(shape), "idx") or kind, shape)
    return found


def _has_words(shape: Element) -> bool:
    return any(text.strip() for text, _ in _title(shape))


def _title(shape: Element) -> Iterator[tuple[str, Styles]]:
    """The words of a frame with their styles, with a LINE_BREAK after each paragraph."""
    for paragraph in children(child(shape, "txBody"), "p"):
        yield from _runs(paragraph)
        yield LINE_BREAK, PLAIN


def _runs(paragraph: Element) -> Iterator[tuple[str, Styles]]:
    """The paragraph's words with their styles; a forced line break is a separate LINE_BREAK."""
    for each in paragraph:
        name = local(each)
        if name in ("r", "fld"):
            text = child(each, "t")
            if text is not None and text.text:
                yield text.text.replace("_x000D_", ""), _styles(child(each, "rPr"))
        elif name == "br":
            yield LINE_BREAK, PLAIN
        elif name in ("AlternateContent", "m"):
            for part in within(_chosen(each) if name == "AlternateContent" else each, "t"):
                yield part.text or "", PLAIN


def _points(holder: Element | None) -> dict[int, str]:
    """The words and numbers that a chart has stored of the cells to which it refers, by their indices."""
    found: dict[int, str] = {}
    form = ""
    for each in within(holder, "formatCode", "pt"):
        if local(each) == "formatCode":
            form = (each.text or "").lower()
        else:
            value = child(each, "v")
            words = (value.text or "") if value is not None else ""
            found.setdefault(integer(attribute(each, "idx")) or 0, _as_formatted(words, form))
    return found


def _as_formatted(words: str, form: str) -> str:
    """A number of a chart in the format of its cell: as a percentage, as a date, or as it is."""
    try:
        number = float(words)
    except ValueError:
        return words
    if "%" in form:
        return in_words(Percentage(number))
    if _OF_DAYS.search(form) and 0 < number < _MOST_DAYS:
        return in_words(_FIRST_DAY + timedelta(days=number))
    return in_words(number)


def _styles(properties: Element | None) -> Styles:
    found = set()
    for style, name in ((Style.STRONG, "b"), (Style.EMPHASIS, "i")):
        if attribute(properties, name) in _ON:
            found.add(style)
    if (attribute(properties, "strike") or "noStrike") != "noStrike":
        found.add(Style.STRUCK)
    if (attribute(properties, "u") or "none") != "none":
        found.add(Style.UNDERLINED)
    raised = integer(attribute(properties, "baseline")) or 0
    if raised:
        found.add(Style.RAISED if raised > 0 else Style.LOWERED)
    if child(properties, "hlinkClick") is not None:
        found = (found | {Style.LINK}) - {Style.UNDERLINED}
    return frozenset(found)


def _marker(levels: list[Element | None], level: int, counts: list[int], bulleted: bool) -> str | None:
    """A paragraph's number or bullet, by the first properties that have one; None if it is not an item."""
    counts[level + 1 :] = [0] * (_LEVELS - level - 1)
    for properties in levels:
        for each in children(properties):
            name = local(each)
            if name == "buAutoNum":
                first = integer(attribute(each, "startAt")) or 1
                counts[level] = counts[level] + 1 if counts[level] else first
                return _number(counts[level], attribute(each, "type") or "")
            if name in ("buNone", "buChar", "buBlip"):
                counts[level] = 0
            if name == "buNone":
                return None
            if name == "buChar":
                font = attribute(child(properties, "buFont"), "typeface") or ""
                return shown_bullet(attribute(each, "char") or "", font, level + 1)
            if name == "buBlip":
                return bullet(level + 1)
    counts[level] = 0
    return bullet(level + 1) if bulleted else None


def _number(count: int, form: str) -> str:
    written = numeral(count, next((_FORMS[each] for each in _FORMS if form.startswith(each)), "1"))
    if form.endswith("ParenBoth"):
        return f"({written})"
    return f"{written}{')' if form.endswith('ParenR') else '' if form.endswith('Plain') else '.'}"
