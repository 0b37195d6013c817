"""Plain text on a page: what of it can be seen, and scrolling to places of it."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QMouseEvent, QTextBlock, QTextDocument, QTextLine
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from app.ui.document.marks.answer_map import AnswerMap
from app.ui.document.marks.offsets import document_text
from app.ui.document.marks.word_search import SearchedEdit
from app.ui.kit.page_layout import PageLayout
from app.ui.kit.theme import Theme
from app.ui.kit.undo_line import redoes

_KEY = QKeySequence.StandardKey


class SearchableEdit(SearchedEdit, QPlainTextEdit):
    """A plain text edit that finds words, and knows its visible paragraphs."""

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


class PlainPage(SearchableEdit):
    """An editor on a page with leading between its lines, the answers' map for a scroll bar; positions are Qt's."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.map = AnswerMap(theme, self)
        document = QTextDocument(self)
        self._page = PageLayout(document, 0.0)
        document.setDocumentLayout(self._page)
        self.setDocument(document)
        self.setProperty("bare", "true")
        self.setVerticalScrollBar(self.map)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)

    def share_of(self, position: int) -> float:
        """The share of the page's height above a position, 0 to 1."""
        return self._page.share_of(position)

    def bring_into_view(self, position: int, above: float) -> None:
        """Scroll a position's line to have the share `above` of the view above it, unless it can be seen well."""
        block, line = self._line_of(position)
        if not self._seen_well(block, line):
            self.map.setValue(self._page.line_above(block, line.y(), self.viewport().height() * above))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        before = self.textCursor().position()
        super().keyPressEvent(event)
        if event.matches(_KEY.MoveToEndOfDocument) or event.matches(_KEY.SelectEndOfDocument):
            self.map.setValue(self.map.maximum())  # with the page's margin below the last line
        elif self.textCursor().position() != before:
            self._clear_the_edge()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(self.on_line(event))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(self.on_line(event) if event.buttons() else event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        super().mouseDoubleClickEvent(self.on_line(event))

    def _clear_the_edge(self) -> None:
        """Scroll the cursor's line up where the view's edge cuts it: Qt does not reckon with the leading above it."""
        line, room = self.cursorRect(), self.viewport().height()
        if line.top() < room < line.bottom() + self._page.leading:
            self.map.setValue(self.map.value() + 1)

    def _seen_well(self, block: QTextBlock, line: QTextLine) -> bool:
        room = self.viewport().height()
        for seen, offset in self.visible_blocks():
            if seen == block:
                top = offset.y() + line.y()
                return room * 0.02 <= top and top + line.height() * 3 <= room
        return False

    def on_line(self, event: QMouseEvent) -> QMouseEvent:
        """The event with its place moved out of the leading between two lines, where Qt finds no letter."""
        place = self._page.on_line(event.position(), self.visible_blocks())
        return QMouseEvent(
            event.type(), place, event.globalPosition(), event.button(), event.buttons(), event.modifiers(),
            event.pointingDevice(),
        )  # fmt: skip
