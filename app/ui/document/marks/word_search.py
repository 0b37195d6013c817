"""A text on the screen that words can be found in, and their matches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF
from PySide6.QtGui import QKeyEvent, QTextBlock, QTextCursor, QTextDocument, QTextLine
from PySide6.QtWidgets import QPlainTextEdit

from app.core.text import Offsets, Span
from app.ui.document.marks.offsets import document_text
from app.ui.kit.undo_line import redo_on_key

if TYPE_CHECKING:
    from PySide6.QtWidgets import QAbstractScrollArea

    _ScrollArea = QAbstractScrollArea
else:
    _ScrollArea = object

# Code points searched in a turn, some milliseconds' work, and how far beyond them a match may reach.
SLICE, _REACH = 1 << 17, 1000
_BLANKS = re.compile(r"\s+")


def pattern_of(words: str) -> re.Pattern[str] | None:
    """What matches these words in either case, with any blanks and line ends for theirs; None for blank ones."""
    if not words.strip():
        return None
    return re.compile(r"\s+".join(map(re.escape, _BLANKS.split(words))), re.IGNORECASE)


def matches(pattern: re.Pattern[str], text: str) -> Iterator[Span | None]:
    """The matches in a text, in order, with None after each slice of the text."""
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
    """A page's selection and scroll position, to be restored after a search, and where a search from it starts.

    The values of `scrolled` are the page's own.
    """

    selection: Span
    start: int
    scrolled: tuple[float, float]

    def is_at(self, other: ViewState) -> bool:
        """Whether the selection and the top of the page are the same."""
        return (self.selection, self.scrolled) == (other.selection, other.scrolled)


class Searched(_ScrollArea):
    """A text on the screen that words can be found in; positions are code points of `text()`."""

    # What is marked as found everywhere; the selected match is the current one.
    sought: re.Pattern[str] | None = None
    # The match that the last search ended at, behind which the cursor was left.
    found = Span(0, 0)

    def text(self) -> str:
        """The text."""
        raise NotImplementedError

    def selection(self) -> Span:
        """The selected part of the text; empty without a selection, at the cursor where there is one."""
        raise NotImplementedError

    def select(self, span: Span) -> None:
        """Select a part of the text without scrolling."""
        raise NotImplementedError

    def show_selection(self) -> None:
        """Scroll the selection into view."""
        raise NotImplementedError

    def seen(self) -> Span:
        """The part of the text that is in view."""
        raise NotImplementedError

    def scrolled(self) -> tuple[float, float]:
        """The scroll position, for `scroll_back`: the same as long as the user does not scroll."""
        raise NotImplementedError

    def scroll_back(self, scrolled: tuple[float, float]) -> None:
        """Scroll to a former position."""
        raise NotImplementedError

    def is_whole(self) -> bool:
        """Put more of a long text on the page for a turn; returns whether all of it is there."""
        return True

    def selected_words(self) -> str:
        """The selected words, empty without a selection."""
        return self.selection().of(self.text())

    def view_state(self) -> ViewState:
        """The selection and scroll position, for `restore_view`."""
        own, seen = self.selection(), self.seen()
        start = own.start if seen.start <= own.start <= seen.end else seen.start
        return ViewState(own, start, self.scrolled())

    def restore_view(self, state: ViewState) -> None:
        """Restore the selection and the scroll position."""
        self.select(state.selection)
        self.scroll_back(state.scrolled)

    def mark_all(self, words: str) -> None:
        """Mark every match of these words on the page; none for empty words."""
        self.sought = pattern_of(words)
        self.viewport().update()


if TYPE_CHECKING:

    class _TextEdit(Searched):
        """What QTextEdit and QPlainTextEdit have in common, and what each of their pages does in its own way."""

        def document(self) -> QTextDocument: ...
        def textCursor(self) -> QTextCursor: ...
        def setTextCursor(self, cursor: QTextCursor) -> None: ...

        def visible_blocks(self) -> Sequence[tuple[QTextBlock, QPointF]]:
            """The paragraphs that can be seen, each with its place in the viewport."""

        def top_position(self) -> int:
            """The position that the first line in view begins with."""

        def bring_into_view(self, position: int, above: float) -> None:
            """Scroll a position's line to have the share `above` of the view above it, unless it is seen well."""

        def share_of(self, position: int) -> float:
            """The share of the page's height above a position, 0 to 1."""

else:
    _TextEdit = Searched


class SearchedEdit(_TextEdit):
    """A text edit that finds words, a mixin; `_to_qt` and `_to_point` convert positions of its Qt document."""

    _counted: tuple[int, Offsets] | None = None

    def selection(self) -> Span:
        cursor = self.textCursor()
        return Span(self._to_point(cursor.selectionStart()), self._to_point(cursor.selectionEnd()))

    def select(self, span: Span) -> None:
        cursor, last = self.textCursor(), self.document().characterCount() - 1
        cursor.setPosition(min(self._to_qt(span.start), last))
        cursor.setPosition(min(self._to_qt(span.end), last), QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)

    def show_selection(self) -> None:
        """Qt scrolls to a cursor when it is set."""

    def seen(self) -> Span:
        top = self.top_position()
        last = max((block.position() + block.length() - 1 for block, _ in self.visible_blocks()), default=top)
        return Span(self._to_point(top), self._to_point(last))

    def _to_qt(self, point: int) -> int:
        """The position in the Qt document of a code point."""
        return self._positions().to_qt(point)

    def _to_point(self, position: int) -> int:
        """The code point of a position in the Qt document."""
        return self._positions().to_point(position)

    def _positions(self) -> Offsets:
        """The offsets of the present text."""
        revision = self.document().revision()
        if self._counted is None or self._counted[0] != revision:
            self._counted = revision, Offsets(self.text())
        return self._counted[1]


class SearchableEdit(SearchedEdit, QPlainTextEdit):
    """A plain text edit that finds words, and knows its visible paragraphs."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not redo_on_key(self, event):
            super().keyPressEvent(event)

    def top_position(self) -> int:
        """The position that the first line in view begins with."""
        block = self.firstVisibleBlock()
        line = block.layout().lineAt(max(0, self.verticalScrollBar().value() - block.firstLineNumber()))
        return block.position() + (line.textStart() if line.isValid() else 0)

    def put_at_top(self, position: int) -> None:
        """Scroll the line of a position to the top."""
        block, line = self._line_of(position)
        at = block.firstLineNumber() + (line.lineNumber() if line.isValid() else 0)
        self.verticalScrollBar().setValue(at)

    def _line_of(self, position: int) -> tuple[QTextBlock, QTextLine]:
        """The paragraph and the line of a position, laid out; the last ones beyond the end."""
        last = self.document().characterCount() - 1
        block = self.document().findBlock(min(position, last))
        self.blockBoundingRect(block)
        return block, block.layout().lineForTextPosition(min(position, last) - block.position())

    def visible_blocks(self) -> list[tuple[QTextBlock, QPointF]]:
        """The paragraphs that can be seen, each with its place in the viewport."""
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
        # The scroll bar's value is not used: it grows with every paragraph further up that is laid out.
        return self.top_position(), self.horizontalScrollBar().value()

    def scroll_back(self, scrolled: tuple[float, float]) -> None:
        self.put_at_top(int(scrolled[0]))
        self.horizontalScrollBar().setValue(int(scrolled[1]))

    def text(self) -> str:
        return document_text(self.document())
