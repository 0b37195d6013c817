"""Which paragraphs of a plain text edit can be seen, and which words are found in it."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from PySide6.QtCore import QPointF
from PySide6.QtGui import QKeyEvent, QTextBlock, QTextLine
from PySide6.QtWidgets import QPlainTextEdit

from app.ui.document.marks.offsets import text_at
from app.ui.document.marks.word_search import (
    Stand,
    after,
    at_once,
    count_words,
    seek_words,
    selected_then,
    start_of,
)
from app.ui.kit.undo_line import redoes


class SeenBlocks(QPlainTextEdit):
    """A plain text edit that tells which paragraphs can be seen, and finds words."""

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
        """The paragraph and the line that a position stands in, laid out; the last ones beyond the end."""
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
        """Select the next place of these words, from the other end again after the last; False if there is none."""
        return at_once(self.seek(words, backwards))

    def seek(
        self, words: str, backwards: bool = False, since: Stand | None = None
    ) -> Generator[None, None, bool]:
        """The same in short turns, from the cursor, or from where a search started that stood so."""
        start = after(self.textCursor(), backwards) if since is None else since.start
        found = yield from seek_words(self.document(), words, start, backwards)
        if found is not None:
            self.setTextCursor(found)
        return found is not None

    def count_places(self, words: str) -> Generator[None, None, tuple[int, int]]:
        """Which place of these words is selected, 0 for none, and how many there are; in short turns, after `seek`."""
        return count_words(self.document(), words, self.textCursor().selectionStart())

    def stand(self) -> Stand:
        """How the page stands, for `put_back`."""
        cursor = self.textCursor()
        top = self.firstVisibleBlock().position()
        last = [block for block, _ in self.visible_blocks()][-1:]
        bottom = last[0].position() + last[0].length() if last else top
        # The scroll bar's value will not do: it grows with every paragraph further up that is laid out.
        scrolled = (self.top_position(), self.horizontalScrollBar().value())
        return Stand(cursor.anchor(), cursor.position(), start_of(cursor, top, bottom), scrolled)

    def put_back(self, stand: Stand) -> None:
        """Select and scroll as it was."""
        self.setTextCursor(selected_then(self.textCursor(), stand))
        self.put_at_top(int(stand.scrolled[0]))
        self.horizontalScrollBar().setValue(int(stand.scrolled[1]))

    def selected_words(self) -> str:
        """What is selected, empty without a selection."""
        cursor = self.textCursor()
        return text_at(self.document(), cursor.selectionStart(), cursor.selectionEnd())
