"""A page of plain text: what of it can be seen, and scrolling to places of it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import (
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QTextBlock,
    QTextDocument,
    QTextLine,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from app.ui.document.marks.answer_map import AnswerMap
from app.ui.document.text.seen_blocks import SeenBlocks
from app.ui.kit.page_layout import PageLayout
from app.ui.kit.theme import Theme

_KEY = QKeySequence.StandardKey


class PlainPage(SeenBlocks):
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

    def put_share(self, share: float, above: float) -> None:
        """Scroll so that a share of the text's height, 0 to 1, has the share `above` of the view above it."""
        room = self.map.pageStep()
        self.map.setValue(round(share * (self.map.maximum() + room) - room * above))

    def bring_into_view(self, position: int, above: float) -> None:
        """Scroll a position's line to have the share `above` of the view above it, unless it can be seen well."""
        block, line = self.line_of(position)
        if not self._seen_well(block, line):
            self.map.setValue(self._page.line_above(block, line.y(), self.viewport().height() * above))

    def event(self, event: QEvent) -> bool:
        # The desk on both sides of the page scrolls it too.
        if isinstance(event, QWheelEvent):
            self.wheelEvent(event)
            return event.isAccepted()
        return super().event(event)

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
