"""The visible paragraphs of a plain text edit, and search for words in it."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from PySide6.QtCore import QPointF
from PySide6.QtGui import QKeyEvent, QTextBlock, QTextLine
from PySide6.QtWidgets import QPlainTextEdit

from app.ui.document.marks.offsets import text_at
from app.ui.document.marks.word_search import (
    ViewState,
    after,
    at_once,
    count_words,
    seek_words,
    start_of,
    with_selection,
)
from app.ui.kit.undo_line import redoes


class SeenBlocks(QPlainTextEdit):
    """A plain text edit that knows its visible paragraphs, and finds words."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not redoes(self, event):
            super().keyPressEvent(event)

    def top_position(self) -> int:
        """The position that the first line in view begins with."""
        block = self.firstVisibleBlock()
        line = block.layout().lineAt(max(0, self.verticalScrollBar().value() - block.firstLineNumber()))
        return block.position() + (line.textStart() if line.isValid() else 0)

    def put_at_top(self, position: int) -> None:
        """Scroll the line of a position to the top."""
        block, line = self.line_of(position)
        at = block.firstLineNumber() + (line.lineNumber() if line.isValid() else 0)
        self.verticalScrollBar().setValue(at)

    def line_of(self, position: int) -> tuple[QTextBlock, QTextLine]:
        """The paragraph and the line of a position, laid out; the last ones beyond the end."""
        last = self.document().characterCount() - 1
        block = self.document().findBlock(min(position, last))
        self.blockBoundingRect(block)
        return block, block.layout().lineForTextPosition(min(position, last) - block.position())

    def visible_blocks(self) -> Iterator[tuple[QTextBlock, QPointF]]:
        """The paragraphs that can be seen, each with its place in the viewport."""
        block = self.firstVisibleBlock()
        offset = self.contentOffset()
        top = self.blockBoundingGeometry(block).translated(offset).top()
        while block.isValid() and top <= self.viewport().height():
            yield block, QPointF(offset.x(), top)
            top += self.blockBoundingRect(block).height()
            block = block.next()

    def go_to_words(self, words: str, backwards: bool = False) -> bool:
        """Select the next match of these words, cyclically; False if there is none."""
        return at_once(self.seek(words, backwards))

    def seek(
        self, words: str, backwards: bool = False, since: ViewState | None = None
    ) -> Generator[None, None, bool]:
        """The same in short turns, from the cursor, or from the state `since` at the start of a search."""
        start = after(self.textCursor(), backwards) if since is None else since.start
        found = yield from seek_words(self.document(), words, start, backwards)
        if found is not None:
            self.setTextCursor(found)
        return found is not None

    def count_places(self, words: str) -> Generator[None, None, tuple[int, int]]:
        """The number of the selected match of these words, 0 for none, and of all; in short turns, after `seek`."""
        return count_words(self.document(), words, self.textCursor().selectionStart())

    def view_state(self) -> ViewState:
        """The selection and scroll position, for `restore_view`."""
        cursor = self.textCursor()
        top = self.firstVisibleBlock().position()
        last = [block for block, _ in self.visible_blocks()][-1:]
        bottom = last[0].position() + last[0].length() if last else top
        # The scroll bar's value is not used: it grows with every paragraph further up that is laid out.
        scrolled = (self.top_position(), self.horizontalScrollBar().value())
        return ViewState(cursor.anchor(), cursor.position(), start_of(cursor, top, bottom), scrolled)

    def restore_view(self, state: ViewState) -> None:
        """Restore the selection and the scroll position."""
        self.setTextCursor(with_selection(self.textCursor(), state))
        self.put_at_top(int(state.scrolled[0]))
        self.horizontalScrollBar().setValue(int(state.scrolled[1]))

    def selected_words(self) -> str:
        """The selected words, empty without a selection."""
        cursor = self.textCursor()
        return text_at(self.document(), cursor.selectionStart(), cursor.selectionEnd())
