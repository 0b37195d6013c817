"""Converts Markdown to text and blocks."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline, backtick, escape, html_inline, image, link, newline
from markdown_it.token import Token

from app.core.layout import BlockKind, Style
from app.core.message import Message
from app.core.report import Progress, Report
from app.core.text import normalise_newlines
from app.documents.block_words import PLAIN, Styles
from app.documents.blocks import Blocks
from app.documents.html import STYLES, add_html
from app.documents.numerals import bullet
from app.documents.parts import Parts
from app.documents.plain_text import decode

# Lines of YAML between two marks: "key: value", or indented, listed, commented or empty ones.
_FRONT_MATTER = re.compile(
    r"---[ \t]*\n((?:[ \t#-].*\n|\n|[^\s:#-][^:\n]*:(?:[ \t].*)?\n)+?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)"
)
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9-]*)")
_TASK = re.compile(r"\[([ xX])\][ \t]+")
_INLINE = {"strong": Style.STRONG, "em": Style.EMPHASIS, "s": Style.STRUCK, "link": Style.LINK}
# Inline elements that may span several lines.
_OVER_LINES = {
    "newline": newline,
    "escape": escape,
    "backticks": backtick,
    "link": link,
    "image": image,
    "html_inline": html_inline,
}
_END = "end"  # of a token: its end in the source
_CHECK_EVERY = 2000

# Quotes count as one level, lists as two. The parser itself drops what is nested deeper than its own limit.
_DEEPEST, _PARSERS_LIMIT = 90, 100
# The parser's time grows with the square of the brackets in a paragraph that close no link.
_MOST_BRACKETS = 5_000
_MARKS = re.compile(r"^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=\s|$)))+", re.MULTILINE)
_PARAGRAPHS = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_FLATTENED = Message("What is nested more than {levels} deep is shown as plain paragraphs.", levels=_DEEPEST)


def read_markdown(data: bytes, name: str, report: Report) -> Parts:
    """The text, headings, blocks and tables of a Markdown file (CommonMark with tables, strikethrough and task lists).

    HTML in it is read as HTML; what is nested deeper than 90 becomes plain paragraphs, and a note says so. Front
    matter between two lines of "---" is shown as code. Raises SpanlightError for bytes that are not text, and Stopped
    when the report says so.
    """
    report.progress(Progress(0, len(data), Message("Reading the text")))
    text = normalise_newlines(decode(data, name))
    blocks = Blocks()
    front = _FRONT_MATTER.match(text)
    above = 0
    if front:
        blocks.begin(BlockKind.CODE)
        _add_code(blocks, front[1], 2)
        above = front[0].count("\n")
        text = text[front.end() :]
    report.check()
    parser = MarkdownIt("commonmark", {"maxNesting": _PARSERS_LIMIT}).enable(["table", "strikethrough"])
    # Inline elements are parsed line by line: all at once takes up to twice the memory.
    parser.disable(["inline", "text_join"])
    parser.block.ruler.before("table", "flatten", _flatten)
    for rule_name, rule in _OVER_LINES.items():
        parser.inline.ruler.at(rule_name, _with_end(rule))
    about: dict[str, Any] = {}
    tokens = parser.parse(text, about)
    _Reader(blocks, report, parser, about, above).read(tokens)
    return blocks.parts([_FLATTENED] if _FLATTENED in about else [])


def _flatten(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A rule of the parser: what is nested too deep becomes paragraphs without the marks of the nesting."""
    if silent or state.level < _DEEPEST:
        return False
    last = start + 1
    # A line that continues the paragraph before it, whatever its indent, has a negative one.
    while last < end and (
        state.isEmpty(last) or state.sCount[last] < 0 or state.sCount[last] >= state.blkIndent
    ):
        last += 1
    for words in _PARAGRAPHS.split(_MARKS.sub("", state.getLines(start, last, state.blkIndent, False))):
        if words.strip():
            token = state.push("inline", "", 0)
            token.content, token.map = words.strip(), [start, last]
    state.line = last
    state.env[_FLATTENED] = True
    return True


def _with_end(rule: Callable[[StateInline, bool], bool]) -> Callable[[StateInline, bool], bool]:
    """An inline rule of the parser that also records where in the source its token ends."""

    def rule_with_end(state: StateInline, silent: bool) -> bool:
        before = len(state.tokens)
        if not rule(state, silent):
            return False
        if not silent and len(state.tokens) > before:
            state.tokens[-1].meta[_END] = state.pos
        return True

    return rule_with_end


def _add_code(blocks: Blocks, code: str, line: int) -> None:
    """Add code that begins in a line of the file to the open block."""
    for number, words in enumerate(code.split("\n"), line):
        if number > line:
            blocks.words("\n")
        blocks.from_line(number)
        blocks.words(words)


class _Reader:
    """Adds the parser's tokens to blocks; `about` is the parser's environment for the whole text.

    `above` counts the lines of the file before the text that was parsed.
    """

    def __init__(
        self, blocks: Blocks, report: Report, parser: MarkdownIt, about: dict[str, Any], above: int
    ) -> None:
        self._blocks = blocks
        self._report = report
        self._parser = parser
        self._about = about
        self._above = above
        self._lists: list[int | None] = []  # the next number of each list that is open; None for bullets
        self._around: list[BlockKind] = []  # quotes and items that are open, the innermost last
        self._marker = ""
        self._heading = 0
        self._head = False

    def read(self, tokens: list[Token]) -> None:
        """Add all of the tokens; the list is empty afterwards."""
        total = len(tokens)
        tokens.reverse()
        while tokens:
            if len(tokens) % _CHECK_EVERY == 0:
                self._report.check()
                self._report.progress(Progress(total - len(tokens), total, Message("Reading the text")))
            token = tokens.pop()
            self._structure(token)
            line = self._above + token.map[0] + 1 if token.map else 0
            if line:
                self._blocks.from_line(line)
            if token.type == "inline":
                words = self._parsed(token.content)
                self._begin(words)
                self._inline(words, token.content, line)
                self._blocks.end()
            elif token.type in ("fence", "code_block"):
                self._blocks.begin(BlockKind.CODE)
                _add_code(self._blocks, token.content, line + (token.type == "fence"))
                self._blocks.end()
            elif token.type == "html_block":
                kind, level = self._place()
                add_html(token.content, self._blocks, self._report, level, kind)

    def _parsed(self, words: str) -> list[Token]:
        """A paragraph as inline tokens; one with more brackets than any person writes as plain text."""
        if words.count("[") > _MOST_BRACKETS:
            return [Token("text", "", 0, content=words)]
        tokens: list[Token] = []
        self._parser.inline.parse(words, self._parser, self._about, tokens)
        return tokens

    def _structure(self, token: Token) -> None:
        """Handle tokens that open and close around the words."""
        blocks = self._blocks
        match token.type:
            case "heading_open":
                self._heading = int(token.tag[1])
            case "heading_close":
                self._heading = 0
            case "bullet_list_open":
                self._lists.append(None)
            case "ordered_list_open":
                start = token.attrGet("start")
                self._lists.append(int(start) if start is not None else 1)
            case "bullet_list_close" | "ordered_list_close":
                self._lists.pop()
            case "list_item_open":
                self._around.append(BlockKind.ITEM)
                self._marker = self._next_marker()
            case "list_item_close":
                self._around.pop()
                self._marker = ""
            case "blockquote_open":
                self._around.append(BlockKind.QUOTE)
            case "blockquote_close":
                self._around.pop()
            case "table_open":
                blocks.begin_table()
            case "table_close":
                blocks.end_table()
            case "thead_open" | "thead_close":
                self._head = token.type == "thead_open"
            case "tr_open":
                blocks.row(self._head)
            case "th_open" | "td_open":
                blocks.cell()

    def _next_marker(self) -> str:
        number = self._lists[-1]
        if number is None:
            return bullet(len(self._lists))
        self._lists[-1] = number + 1
        return f"{number}."

    def _place(self) -> tuple[BlockKind, int]:
        """The kind of block that a paragraph is here, and how deep it is nested."""
        if self._heading:
            return BlockKind.HEADING, self._heading
        if self._blocks.in_table or not self._around:
            return BlockKind.PARAGRAPH, 0
        kind = self._around[-1]
        return kind, len(self._lists) if kind is BlockKind.ITEM else self._around.count(kind)

    def _begin(self, words: Sequence[Token]) -> None:
        """Begin the words' block; the box of a task becomes the item's marker."""
        kind, level = self._place()
        marker = ""
        if kind is BlockKind.ITEM:
            marker, self._marker = self._marker, ""
            box = _TASK.match(words[0].content) if marker and words and words[0].type == "text" else None
            if box:
                marker = "☐" if box[1] == " " else "☑"
                words[0].content = words[0].content[box.end() :]
        self._blocks.begin(kind, level, marker)

    def _inline(self, tokens: Sequence[Token], source: str, line: int) -> None:
        """Add words parsed from `source`, which begins in this line of the file."""
        blocks = self._blocks
        open_styles: list[Style] = []
        at = 0
        for token in tokens:
            styles: Styles = frozenset(open_styles) if open_styles else PLAIN
            kind, _, side = token.type.rpartition("_")
            if token.type in ("text", "text_special"):
                blocks.words(token.content, styles)
            elif token.type == "code_inline":
                blocks.words(token.content, styles | {Style.CODE})
            elif token.type == "softbreak":
                blocks.words("\n", styles)
            elif token.type == "hardbreak":
                blocks.line_break()
            elif token.type == "html_inline":
                self._tag(token.content, open_styles)
            elif kind in _INLINE and side == "open":
                open_styles.append(_INLINE[kind])
            elif kind in _INLINE and _INLINE[kind] in open_styles:
                _drop(open_styles, _INLINE[kind])
            end = token.meta.get(_END, at)
            if ended := source.count("\n", at, end):
                line += ended
                blocks.from_line(line)
            at = end

    def _tag(self, tag: str, open_styles: list[Style]) -> None:
        """Handle an inline HTML tag: line breaks and emphasis are used, all others ignored."""
        found = _TAG.match(tag)
        if found is None:
            return
        name = found[2].lower()
        if name == "br":
            self._blocks.line_break()
        elif name in STYLES and not found[1]:
            open_styles.append(STYLES[name])
        elif name in STYLES and STYLES[name] in open_styles:
            _drop(open_styles, STYLES[name])


def _drop(styles: list[Style], style: Style) -> None:
    """Remove the innermost of these styles."""
    del styles[len(styles) - 1 - styles[::-1].index(style)]
