"""Quotes an answer in its sentence, or in its table row as a model reads it, with the row's and column's names."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from app.core.kinds import is_code
from app.core.layout import Opened
from app.core.message import Message
from app.core.sentences import sentence_around
from app.core.text import Document, Replacement, Span, View
from app.core.view import STOPS, view_of_text
from app.core.wording import first_words

_SENTENCE_BREAK = re.compile(r"(?<=[.,]) ")
# At most this many code points of a wide row are quoted on either side of the answer.
_MOST_AROUND = 400
_LONGEST_NAME = 60
# Longer typed paragraphs are not searched for tables.
_LONGEST_TYPED = 100_000


@dataclass(frozen=True, slots=True)
class Quote:
    """An answer (`text`) with the words around it, and the names of its cell's row and column.

    In a table, the words include the headers that are read before each cell. A name is empty outside tables, and if it
    is uncertain.
    """

    before: str
    text: str
    after: str
    row: str = ""
    column: str = ""

    @property
    def words(self) -> str:
        """The whole quote."""
        return self.before + self.text + self.after

    @property
    def cell(self) -> str:
        """The names as shown: "Row: Kiruna · Column: Punctuality"; empty without any."""
        row, column = (first_words(name, _LONGEST_NAME) for name in (self.row, self.column))
        if row and column:
            return Message("Row: {row} · Column: {column}", row=row, column=column)
        if row:
            return Message("Row: {row}", row=row)
        return Message("Column: {column}", column=column) if column else ""


def quote(opened: Opened, span: Span) -> Quote:
    """Quote a span of a document; a typed text has no view, so its tables are recognised by bars and tabs."""
    text = opened.document.text
    start, end = text.rfind("\n", 0, span.start) + 1, text.find("\n", span.end)
    line = Span(start, end if end >= 0 else len(text))
    if opened.document.view is None and re.search(r"[\t|]", line.of(text)):
        start, end = text.rfind("\n\n", 0, span.start) + 1, text.find("\n\n", span.end)
        part = text[start : end if end >= 0 else None]
        if len(part) <= _LONGEST_TYPED:
            return quote(_with_view(part), Span(span.start - start, span.end - start))
    view = opened.document.view
    row = _row_around(opened, view, span, line) if view is not None and view.replacements else None
    found = (
        _quote_in_row(text, view.replacements_in(row.start, row.end + 1), row, span)
        if view is not None and row
        else None
    )
    if found is not None:
        return found
    around = sentence_around(text, span)
    if is_code(opened.document.name):  # its lines are what sentences are elsewhere
        around = Span(max(around.start, line.start), min(around.end, line.end))
    elif opened.blocks and view is not None:  # an item of a list may have no stop
        around = view.within_block(around, span)
        around = Span(around.start, around.start + len(around.of(text).rstrip()))
    return Quote(text[around.start : span.start], span.of(text), text[span.end : around.end])


@lru_cache(maxsize=8)
def _with_view(part: str) -> Opened:
    """Open a typed text with a view; cached, as its answers are quoted repeatedly and the view takes up to 0.1 s."""
    return Opened(Document(part, view=view_of_text(part)))


def _row_around(opened: Opened, view: View, span: Span, line: Span) -> Span | None:
    """Return the table row around a span; None if there is none, or its ends are unknown."""
    blocks = opened.blocks
    if not blocks:
        text, before = opened.document.text, line.start - 1
        above = Span(text.rfind("\n", 0, max(0, before)) + 1, max(0, before))
        is_whole = _ends_row(text, view, line) and (
            not view.replacements_in(above.start, above.end) or _ends_row(text, view, above)
        )
        return line if is_whole else None
    at = max(0, bisect_right(blocks, span.start, key=lambda block: block.span.start) - 1)
    place = blocks[at].table, blocks[at].row
    if place[0] < 0:
        return None
    first = last = at
    while first and (blocks[first - 1].table, blocks[first - 1].row) == place:
        first -= 1
    while last + 1 < len(blocks) and (blocks[last + 1].table, blocks[last + 1].row) == place:
        last += 1
    return Span(blocks[first].span.start, blocks[last].span.end)


def _ends_row(text: str, view: View, line: Span) -> bool:
    """Whether a table row ends at the end of a line; a cell may continue in the next line."""
    words = line.of(text).rstrip()
    replacements = view.replacements_in(line.start, line.end + 1)
    if not replacements:
        return False
    return words.endswith(tuple(STOPS)) or (
        replacements[-1].end >= len(words) and replacements[-1].words[-1:] != " "
    )


def _quote_in_row(text: str, replacements: list[Replacement], row: Span, span: Span) -> Quote | None:
    """Quote a span in its row; `replacements` count from the row's start. None if it is not within one cell."""
    replacements = [
        Replacement(row.start + one.start, row.start + one.end, one.words) for one in replacements
    ]
    before = [one for one in replacements if one.end <= span.start]
    after = [one for one in replacements if one.start >= span.end]
    if not replacements or len(before) + len(after) < len(replacements):
        return None
    first, opening = row.start, ""
    if not text[row.start : replacements[0].start].strip():
        first, opening, replacements = replacements[0].end, replacements[0].words, replacements[1:]
    read = _as_read(text, row.start, span.start, before)
    column = _column(text, row, before[-1].words) if before else ""
    name = ""
    # If a cell reaches down over the row, that cell names it instead.
    if replacements and span.start >= replacements[0].end and ". " not in opening:
        upto = text[first : before[-1].start] + before[-1].words
        name = (
            " ".join(text[first : replacements[0].start].split()).rstrip(":") if upto.endswith(": ") else ""
        )
    return Quote(
        _cut(read[::-1])[::-1].lstrip(),
        span.of(text),
        _cut(_as_read(text, span.end, row.end, after)).rstrip(),
        name,
        column,
    )


def _column(text: str, row: Span, words: str) -> str:
    """Return the column header in the words before a cell, after any names of sections and cells above."""
    parts = _SENTENCE_BREAK.split(words.strip(" .:")) if words.endswith(": ") else []
    ends = (" ".join(parts[at:]) for at in range(len(parts)))
    # A header of several cells is not found: its words are nowhere together.
    return next(
        (end for end in ends if text.find(end, 0, row.start) >= 0), parts[0] if len(parts) == 1 else ""
    )


def _as_read(text: str, start: int, end: int, replacements: Iterable[Replacement]) -> str:
    read, at = "", start
    for one in replacements:
        read += text[at : one.start] + one.words
        at = one.end
    return read + text[at : max(at, end)]


def _cut(words: str) -> str:
    return (
        words
        if len(words) <= _MOST_AROUND
        else f"{words[:_MOST_AROUND].rpartition(' ')[0] or words[:_MOST_AROUND]} …"
    )
