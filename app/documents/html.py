"""Converts a web page to text and blocks, by what each element means to a reader.

Nothing that it links to is ever loaded. Without recursion, however deep the page is nested.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from selectolax.lexbor import LexborHTMLParser, LexborNode

from app.core.layout import BlockKind, Style
from app.core.message import Message
from app.core.report import Progress, Report
from app.documents.block_words import PLAIN, Styles
from app.documents.blocks import Blocks
from app.documents.numerals import bullet, numeral
from app.documents.parts import Parts
from app.documents.plain_text import MARKS, decode

_HEAD = 4096
_DECLARED = re.compile(
    rb"<meta[^>]{0,500}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.\-]{1,40})"
    rb"|<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9_:.\-]{1,40})",
    re.IGNORECASE,
)
# Python's names of the encodings that a page may declare (WHATWG Encoding, section 4.2): its other codecs are for
# domain names, escapes, archives and the like, and some of them raise errors that `errors` does not keep back.
_ENCODINGS = frozenset(
    (
        "utf-8 ascii cp866 koi8-r koi8-u mac-roman mac-cyrillic tis-620 gb2312 gbk gb18030 big5 big5hkscs euc_jp "
        "iso2022_jp shift_jis cp932 euc_kr cp949 cp874 "
        + " ".join(f"iso8859-{part}" for part in (*range(1, 12), *range(13, 17)))
        + " "
        + " ".join(f"cp125{number}" for number in range(9))
    ).split()
)
# Labels that browsers read as a larger encoding (WHATWG Encoding, section 4.2).
_WIDER = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
}
# Never shown as words, or only by a script.
_DROPPED = frozenset(
    "script style template noscript head title svg iframe object embed audio video canvas select datalist textarea "
    "input img rp rt noframes annotation annotation-xml -comment area map".split()
)
_BLOCKS = frozenset(
    "address article aside blockquote body button center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol optgroup option p "
    "plaintext pre search section summary table ul xmp caption tbody thead tfoot tr td th".split()
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_CODE_BLOCKS = frozenset(("pre", "listing", "xmp", "plaintext"))
STYLES = {
    name: style
    for style, names in {
        Style.STRONG: "b strong th",
        Style.EMPHASIS: "i em cite var dfn",
        Style.CODE: "code kbd samp tt",
        Style.STRUCK: "s del strike",
        Style.UNDERLINED: "u ins",
        Style.RAISED: "sup",
        Style.LOWERED: "sub",
    }.items()
    for name in names.split()
}

_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_BOLD = re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)", re.IGNORECASE)
_SLANTED = re.compile(r"font-style\s*:\s*(?:italic|oblique)", re.IGNORECASE)

_CHECK_EVERY = 5000
_MOST_ROWS = 65534  # HTML 5.2, section 4.9.11
_UNMARKED = re.compile(r"list-style(?:-type)?\s*:\s*none", re.IGNORECASE)
# The parser's time is quadratic in the depth of nested blocks; browsers stop at some hundreds.
_DEEPEST = 2000
_NESTING = re.compile(
    r"<(/?)(?:div|section|article|blockquote|ul|ol|dl|details|center|main|aside|figure|fieldset|form|header|footer"
    r"|nav|address|hgroup|dir|menu|table)\b[^>]*>",
    re.IGNORECASE,
)


def decode_html(data: bytes, name: str) -> str:
    """The characters of a web page: by its byte-order mark, else by what it declares, else as `plain_text.decode`.

    Bytes that are valid UTF-8 beyond ASCII are read as UTF-8, whatever is declared. Raises SpanlightError for bytes
    that are not text.
    """
    declared = _declared(data[:_HEAD])
    if not declared or data.startswith(tuple(MARKS)):
        return decode(data, name)
    if not data.isascii():
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            pass
    return data.decode(declared, "replace")


def _declared(head: bytes) -> str:
    """Python's name of the encoding that the page's head declares, as from `encoding_of`; empty without one."""
    found = _DECLARED.search(head)
    return encoding_of((found[1] or found[2]).decode("ascii")) if found else ""


def encoding_of(label: str) -> str:
    """Python's name of the encoding that a page or a mail declares; empty if no page or mail is in it."""
    try:
        name = codecs.lookup(label).name
    except (LookupError, ValueError):
        return ""
    # A page whose declaration can be read byte by byte is not UTF-16.
    if name.startswith(("utf-16", "utf-32", "utf-7")):
        return "utf-8"
    return _WIDER.get(name, name) if name in _ENCODINGS else ""


def read_html(data: bytes, name: str, report: Report) -> Parts:
    """The text, headings, blocks and tables of a web page, as a browser without scripts or styles shows it.

    Scripts, hidden parts, pictures and forms' fields are left out. Raises SpanlightError for bytes that are not text,
    and Stopped when the report says so.
    """
    report.progress(Progress(0, len(data), Message("Reading the page")))
    text = decode_html(data, name)
    report.check()
    blocks = Blocks()
    add_html(text, blocks, report)
    return blocks.parts()


def add_html(
    text: str, blocks: Blocks, report: Report, level: int = 0, kind: BlockKind = BlockKind.PARAGRAPH
) -> None:
    """Add what a page, or a fragment of one, shows; `kind` and `level` are those of a block around it."""
    _PageReader(blocks, report).page(text, _Context(kind, level))
    blocks.end()


def _is_hidden(tag: str, attributes: Mapping[str, str | None]) -> bool:
    """Whether a browser hides the element, judged by its own attributes."""
    if "hidden" in attributes or (tag == "dialog" and "open" not in attributes):
        return True
    return _HIDDEN.search(attributes.get("style") or "") is not None


def _styles_of(tag: str, attributes: Mapping[str, str | None]) -> frozenset[Style]:
    """The styles of the element's words, by its name and its own style attribute."""
    found = {STYLES[tag]} if tag in STYLES else set()
    if tag == "a" and attributes.get("href") is not None:
        found.add(Style.LINK)
    style = attributes.get("style") or ""
    if _BOLD.search(style):
        found.add(Style.STRONG)
    if _SLANTED.search(style):
        found.add(Style.EMPHASIS)
    return frozenset(found)


def _bounded_number(text: str | None, least: int, most: int, otherwise: int) -> int:
    """An attribute's number limited to bounds, or `otherwise` if it is not a number."""
    found = re.match(r"\s*([+-]?\d{1,9})", text or "", re.ASCII)
    return max(least, min(most, int(found[1]))) if found else otherwise


def flattened(text: str) -> str:
    """The page without the start tags of blocks that are nested deeper than in any real page."""
    if text.count("<") < _DEEPEST:
        return text
    depth = 0

    def flatten(found: re.Match[str]) -> str:
        nonlocal depth
        if found[1]:
            depth = max(0, depth - 1)
            return found[0]
        depth += 1
        return found[0] if depth <= _DEEPEST else "<p>"

    return _NESTING.sub(flatten, text)


def _is_header(row: LexborNode) -> bool:
    """Whether a row is a header: it is in the table's head, or all of its cells are header cells."""
    parent = row.parent
    if parent is not None and parent.tag == "thead":
        return True
    cells = [child.tag for child in row.iter() if child.tag in ("td", "th")]
    return bool(cells) and all(tag == "th" for tag in cells)


def _layout_tables(root: LexborNode) -> tuple[set[int], int]:
    """The tables that are only used for layout (by `mem_id`), and the number of all nodes.

    They are marked so, or have one cell, or tables inside and neither header cells nor a caption.
    """
    layout, holding, real = set[int](), set[int](), set[int]()
    cells: dict[int, int] = {}
    total = 0
    stack: list[tuple[LexborNode, int]] = [(root, 0)]
    while stack:
        node, table = stack.pop()
        total += 1
        tag = node.tag
        if tag == "-text":
            continue
        if tag == "table":
            holding.add(table)
            table = node.mem_id
            cells[table] = 0
            if node.attributes.get("role") in ("presentation", "none"):
                layout.add(table)
        elif tag in ("td", "th"):
            cells[table] = cells.get(table, 0) + 1
        if tag in ("th", "caption"):
            real.add(table)
        stack += [(child, table) for child in node.iter(include_text=True)]
    layout |= {table for table, count in cells.items() if count <= 1 and table not in real}
    return layout | ((holding & cells.keys()) - real), total


@dataclass
class _List:
    """How a list is numbered, and the number of its next item."""

    kind: str = ""  # empty for bullets, else "1", "a", "A", "i" or "I"; "-" for none
    number: int = 1
    step: int = 1

    def marker(self, level: int, value: str | None) -> str:
        if self.kind in ("", "-"):
            return "" if self.kind else bullet(level)
        number = _bounded_number(value, -(10**9), 10**9, self.number)
        self.number = number + self.step
        return f"{numeral(number, self.kind)}."


@dataclass(frozen=True)
class _Context:
    """The block, the styles and the list that the elements around a text give it."""

    kind: BlockKind = BlockKind.PARAGRAPH
    level: int = 0
    styles: Styles = PLAIN
    lists: int = 0
    quotes: int = 0
    items: _List | None = None
    marker: list[str] = field(default_factory=list)  # the item's marker until its first block uses it
    layout: bool = False  # whether the table around is only used for layout


class _PageReader:
    """Adds a page's words to blocks."""

    def __init__(self, blocks: Blocks, report: Report) -> None:
        self._blocks = blocks
        self._report = report
        self._stack: list[tuple[LexborNode, _Context] | Callable[[], object]] = []
        self._breaks = 0
        self._layout: set[int] = set()

    def page(self, text: str, context: _Context) -> None:
        """Add what a page, or a fragment of one, shows in this context."""
        root = LexborHTMLParser(flattened(text)).root
        if root is None:
            return
        self._report.check()
        self._layout, total = _layout_tables(root)
        self._stack = [(root, context)]
        done = 0
        while self._stack:
            step = self._stack.pop()
            if not isinstance(step, tuple):
                step()
                continue
            self._enter(*step)
            done += 1
            if done % _CHECK_EVERY == 0:
                self._report.check()
                self._report.progress(Progress(done, max(total, done), Message("Reading the page")))

    def _enter(self, node: LexborNode, context: _Context) -> None:
        tag = node.tag or ""
        if tag == "-text":
            self._text(node.text_content or "", context)
            return
        if tag in _DROPPED:
            return
        attributes = node.attributes
        if _is_hidden(tag, attributes):
            return
        if tag == "br":
            self._break(context)
            return
        styles = _styles_of(tag, attributes)
        if styles:
            context = replace(context, styles=context.styles | styles)
        if tag not in _BLOCKS:
            if tag == "q":
                self._quotation(node, context)
            else:
                self._children(node, context)
        elif context.kind is BlockKind.CODE:
            # Blocks inside code are its lines.
            self._stack.append(self._line_of_code)
            self._children(node, context)
        else:
            self._block(tag, node, context)

    def _block(self, tag: str, node: LexborNode, context: _Context) -> None:
        self._blocks.end()
        self._breaks = 0
        if tag == "table":
            self._table(node, context)
            return
        in_rows = context.items is _ROWS and self._blocks.in_table
        if tag == "tr" and in_rows:
            self._blocks.row(_is_header(node))
        elif tag in ("td", "th"):
            if in_rows:
                rows = _bounded_number(node.attributes.get("rowspan"), 0, _MOST_ROWS, 1)
                self._blocks.cell(rows, _bounded_number(node.attributes.get("colspan"), 1, 1000, 1))
                context = _Context(styles=context.styles)
            elif context.layout:
                context = replace(context, styles=context.styles - {Style.STRONG})
        else:
            context = _context_in(tag, node, context)
        self._stack.append(self._blocks.end)
        self._children(node, context)

    def _table(self, node: LexborNode, context: _Context) -> None:
        inner = replace(context, items=None, layout=False, marker=[])
        if self._blocks.in_table or node.mem_id in self._layout:
            self._stack.append(self._blocks.end)
            self._children(node, replace(inner, layout=True))
            return
        captions: list[LexborNode] = []
        others: list[LexborNode] = []
        for child in node.iter(include_text=True):
            (captions if child.tag == "caption" else others).append(child)
        self._stack.append(self._blocks.end_table)
        self._stack += [(child, replace(inner, items=_ROWS)) for child in reversed(others)]
        self._stack.append(self._blocks.begin_table)
        self._stack += [(child, inner) for child in reversed(captions)]

    def _text(self, text: str, context: _Context) -> None:
        if not self._blocks.is_open:
            if not text.strip():
                return
            marker = ""
            if context.kind is BlockKind.ITEM and context.marker:
                marker = context.marker.pop()
            self._blocks.begin(context.kind, context.level, marker)
        if text.strip():
            self._breaks = 0
        self._blocks.words(text, context.styles)

    def _break(self, context: _Context) -> None:
        """One break ends a line; two in a row end a paragraph."""
        self._breaks += 1
        if self._breaks > 1 and context.kind not in (BlockKind.CODE, BlockKind.HEADING):
            self._blocks.end()
        self._blocks.line_break()

    def _line_of_code(self) -> None:
        if self._blocks.is_open:
            self._blocks.words("\n")

    def _quotation(self, node: LexborNode, context: _Context) -> None:
        self._text("“", context)
        self._stack.append(lambda: self._text("”", context))
        self._children(node, context)

    def _children(self, node: LexborNode, context: _Context) -> None:
        self._stack += [(child, context) for child in reversed(list(node.iter(include_text=True)))]


_ROWS = _List("-")  # placeholder for the list where a table's rows are expected


def _context_in(tag: str, node: LexborNode, context: _Context) -> _Context:
    """The context inside a block element."""
    attributes = node.attributes
    if tag in _HEADINGS:
        return replace(context, kind=BlockKind.HEADING, level=_HEADINGS[tag], marker=[])
    if tag in _CODE_BLOCKS:
        return replace(context, kind=BlockKind.CODE, level=0, styles=context.styles - {Style.CODE})
    if tag == "blockquote":
        deeper = context.quotes + 1
        return replace(context, kind=BlockKind.QUOTE, level=deeper, quotes=deeper, marker=[])
    if tag in ("ul", "ol", "menu", "dir"):
        return replace(context, lists=context.lists + 1, items=_list(tag, node))
    if tag == "dl":
        return replace(context, items=None, marker=[])
    if tag == "li":
        level = max(1, context.lists)
        marker = (context.items or _List()).marker(level, attributes.get("value"))
        return replace(context, kind=BlockKind.ITEM, level=level, items=None, marker=[marker])
    if tag == "dd":
        deeper = context.lists + 1
        return replace(context, kind=BlockKind.ITEM, level=deeper, lists=deeper, marker=[])
    if tag in ("tbody", "thead", "tfoot"):
        return context
    return replace(context, items=None) if context.items is not None else context


def _list(tag: str, node: LexborNode) -> _List:
    attributes = node.attributes
    if _UNMARKED.search(attributes.get("style") or ""):
        return _List("-")
    if tag != "ol":
        return _List()
    kind = attributes.get("type") or "1"
    backwards = "reversed" in attributes
    first = sum(child.tag == "li" for child in node.iter()) if backwards else 1
    start = _bounded_number(attributes.get("start"), -(10**9), 10**9, first)
    return _List(kind if kind in "aAiI" else "1", start, -1 if backwards else 1)
