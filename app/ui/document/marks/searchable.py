"""A text on the screen that words can be found in, and the text of a Qt document, in and out.

Qt counts UTF-16 units: a character beyond U+FFFF takes two. Its text documents fold every kind of line end into a
block, and its strings may hold lone surrogates, which PySide drops silently.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF
from PySide6.QtGui import QKeyEvent, QTextBlock, QTextCursor, QTextDocument, QTextLine
from PySide6.QtWidgets import QPlainTextEdit

from app.core.text import Offsets, Span, utf16_units
from app.ui.kit.undo_line import redo_on_key

if TYPE_CHECKING:
    from PySide6.QtWidgets import QAbstractScrollArea

    _ScrollArea = QAbstractScrollArea
else:
    _ScrollArea = object

# The code points of a slice, some milliseconds' work, and how far beyond it a match may reach.
SLICE, _REACH = 1 << 17, 1000
_BLANKS = re.compile(r"\s+")
# What Qt turns into a new block: CR LF, CR, LF, U+2029 and its own two block marks; and its line separator.
_LINE_END = re.compile("\r\n|[\r\u2028\u2029\ufdd0\ufdd1]")


def insertable(text: str) -> str:
    """Return the text as a Qt document gives it back: every line end as LF, a lone surrogate as U+FFFD.

    PySide reads a byte order mark at a string's start as such: U+FEFF would be lost there, and U+FFFE, which is no
    character, would swap the bytes of the whole text.
    """
    try:
        text.encode()  # UTF-8 has no surrogates: this is four times faster than searching for them
    except UnicodeEncodeError:
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    text = text.lstrip("\ufeff").replace("\ufffe", "\ufffd")
    # Most texts have none of these marks, and looking for them is much faster than the expression.
    return _LINE_END.sub("\n", text) if any(mark in text for mark in "\r\u2028\u2029\ufdd0\ufdd1") else text


def document_text(document: QTextDocument) -> str:
    """Return all text of a Qt document, with LF for line ends: what `Document.text` is made of."""
    units = document.characterCount() - 1  # Qt counts the end of the last block too
    return _whole(document.toRawText(), document, 0, units)


def text_at(document: QTextDocument, start: int, end: int) -> str:
    """Return the characters between two of Qt's positions, as far as the document reaches."""
    end = min(end, document.characterCount() - 1)
    if not 0 <= start < end:
        return ""
    cursor = QTextCursor(document)
    cursor.setPosition(start)
    cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    return _whole(cursor.selectedText(), document, start, end)


def _whole(text: str, document: QTextDocument, start: int, end: int) -> str:
    """Return a text of Qt's with LF for line ends; read unit by unit, which keeps positions, if it lacks surrogates."""
    if utf16_units(text) != end - start:
        units = "".join(document.characterAt(unit) for unit in range(start, end))
        text = units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.replace("\u2029", "\n").replace("\u2028", "\n")


def pattern_of(words: str) -> re.Pattern[str] | None:
    """Return a pattern for words in either case, with any run of blanks for theirs; None for blank words."""
    if not words.strip():
        return None
    return re.compile(r"\s+".join(map(re.escape, _BLANKS.split(words))), re.IGNORECASE)


def matches(pattern: re.Pattern[str], text: str) -> Iterator[Span | None]:
    """Yield the matches in a text, in order, and None after each slice of the text."""
    start = 0
    while start < len(text):
        edge = start + SLICE
        for found in pattern.finditer(text, start, edge + _REACH):
            if found.start() >= edge:
                break
            yield Span(*found.span())
            start = found.end()
        start = max(start, edge)
        yield None


@dataclass(frozen=True, slots=True)
class ViewState:
    """A selection and a scroll position, to be restored after a search, and the code point where a search starts.

    What the numbers of `scrolled` mean is up to the page.
    """

    selection: Span
    start: int
    scrolled: tuple[float, float]

    def is_at(self, other: ViewState) -> bool:
        """Whether the selection and the scroll position are the same."""
        return (self.selection, self.scrolled) == (other.selection, other.scrolled)


class Searchable(_ScrollArea):
    """A text on the screen in which words can be found; positions are code points of `text()`."""

    # The pattern whose matches are all marked; the selected one is the current match.
    sought: re.Pattern[str] | None = None
    # The match at which the last search ended, with the cursor left behind it.
    found = Span(0, 0)

    def text(self) -> str:
        """Return the text."""
        raise NotImplementedError

    def selection(self) -> Span:
        """Return the selected span; without a selection an empty one, at the cursor if there is one."""
        raise NotImplementedError

    def select(self, span: Span) -> None:
        """Select a span without scrolling."""
        raise NotImplementedError

    def show_selection(self) -> None:
        """Scroll the selection into view."""
        raise NotImplementedError

    def seen(self) -> Span:
        """Return the span that is in view."""
        raise NotImplementedError

    def scrolled(self) -> tuple[float, float]:
        """Return the scroll position for `scroll_back`; it stays equal as long as the user does not scroll."""
        raise NotImplementedError

    def scroll_back(self, scrolled: tuple[float, float]) -> None:
        """Scroll back to a position that `scrolled` returned."""
        raise NotImplementedError

    def is_whole(self) -> bool:
        """Put more of a long text on the page, for a turn at most; returns whether all of it is there."""
        return True

    def selected_words(self) -> str:
        """Return the selected text, empty without a selection."""
        return self.selection().of(self.text())

    def view_state(self) -> ViewState:
        """Return the selection and scroll position for `restore_view`."""
        own, seen = self.selection(), self.seen()
        start = own.start if seen.start <= own.start <= seen.end else seen.start
        return ViewState(own, start, self.scrolled())

    def restore_view(self, state: ViewState) -> None:
        """Restore the selection and the scroll position."""
        self.select(state.selection)
        self.scroll_back(state.scrolled)

    def mark_all(self, words: str) -> None:
        """Mark every match of these words on the page; empty words mark none."""
        self.sought = pattern_of(words)
        self.viewport().update()


if TYPE_CHECKING:

    class _TextEdit(Searchable):
        """What QTextEdit and QPlainTextEdit have in common, and what each of their panes implements."""

        def document(self) -> QTextDocument: ...
        def textCursor(self) -> QTextCursor: ...
        def setTextCursor(self, cursor: QTextCursor) -> None: ...

        def visible_blocks(self) -> Sequence[tuple[QTextBlock, QPointF]]:
            """Return the visible blocks, each with its position in the viewport."""

        def top_position(self) -> int:
            """Return the position at which the first visible line begins."""

        def bring_into_view(self, position: int, above: float) -> None:
            """Scroll a position's line so that the share `above` of the view is above it, unless it is seen well."""

        def share_of(self, position: int) -> float:
            """Return the share of the document's height above a position, 0 to 1."""

else:
    _TextEdit = Searchable


class SearchableTextEdit(_TextEdit):
    """A mixin for a text edit in which words can be found; `_to_qt` and `_to_point` convert its Qt positions."""

    _offsets_of_revision: tuple[int, Offsets] | None = None

    def selection(self) -> Span:
        cursor = self.textCursor()
        return Span(self._to_point(cursor.selectionStart()), self._to_point(cursor.selectionEnd()))

    def select(self, span: Span) -> None:
        cursor, last = self.textCursor(), self.document().characterCount() - 1
        cursor.setPosition(min(self._to_qt(span.start), last))
        cursor.setPosition(min(self._to_qt(span.end), last), QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)

    def show_selection(self) -> None:
        """Do nothing: Qt scrolls to a cursor when it is set."""

    def seen(self) -> Span:
        top = self.top_position()
        last = max((block.position() + block.length() - 1 for block, _ in self.visible_blocks()), default=top)
        return Span(self._to_point(top), self._to_point(last))

    def _to_qt(self, point: int) -> int:
        """Return the Qt document's position of a code point."""
        return self._positions().to_qt(point)

    def _to_point(self, position: int) -> int:
        """Return the code point of a position in the Qt document."""
        return self._positions().to_point(position)

    def _positions(self) -> Offsets:
        """Return the offsets of the present text."""
        revision = self.document().revision()
        if self._offsets_of_revision is None or self._offsets_of_revision[0] != revision:
            self._offsets_of_revision = revision, Offsets(self.text())
        return self._offsets_of_revision[1]


class SearchablePlainTextEdit(SearchableTextEdit, QPlainTextEdit):
    """A plain text edit in which words can be found."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not redo_on_key(self, event):
            super().keyPressEvent(event)

    def top_position(self) -> int:
        block = self.firstVisibleBlock()
        line = block.layout().lineAt(max(0, self.verticalScrollBar().value() - block.firstLineNumber()))
        return block.position() + (line.textStart() if line.isValid() else 0)

    def put_at_top(self, position: int) -> None:
        """Scroll the line of a position to the top."""
        block, line = self._line_of(position)
        at = block.firstLineNumber() + (line.lineNumber() if line.isValid() else 0)
        self.verticalScrollBar().setValue(at)

    def _line_of(self, position: int) -> tuple[QTextBlock, QTextLine]:
        """Return the block and the line of a position, laid out; beyond the end the last ones."""
        last = self.document().characterCount() - 1
        block = self.document().findBlock(min(position, last))
        self.blockBoundingRect(block)
        return block, block.layout().lineForTextPosition(min(position, last) - block.position())

    def visible_blocks(self) -> list[tuple[QTextBlock, QPointF]]:
        seen = []
        block = self.firstVisibleBlock()
        offset = self.contentOffset()
        top = self.blockBoundingGeometry(block).translated(offset).top()
        while block.isValid() and top <= self.viewport().height():
            seen.append((block, QPointF(offset.x(), top)))
            top += self.blockBoundingRect(block).height()
            block = block.next()
        return seen

    def scrolled(self) -> tuple[float, float]:
        # Not the scroll bar's value, which grows with every block above that is laid out.
        return self.top_position(), self.horizontalScrollBar().value()

    def scroll_back(self, scrolled: tuple[float, float]) -> None:
        self.put_at_top(int(scrolled[0]))
        self.horizontalScrollBar().setValue(int(scrolled[1]))

    def text(self) -> str:
        return document_text(self.document())
