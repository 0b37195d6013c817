"""Which paragraphs of a plain text edit can be seen."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPointF
from PySide6.QtGui import QTextBlock
from PySide6.QtWidgets import QPlainTextEdit


class SeenBlocks(QPlainTextEdit):
    """A plain text edit that tells which paragraphs can be seen."""

    def visible_blocks(self) -> Iterator[tuple[QTextBlock, QPointF]]:
        """The paragraphs that can be seen, each with its place in the viewport."""
        block = self.firstVisibleBlock()
        offset = self.contentOffset()
        top = self.blockBoundingGeometry(block).translated(offset).top()
        while block.isValid() and top <= self.viewport().height():
            yield block, QPointF(offset.x(), top)
            top += self.blockBoundingRect(block).height()
            block = block.next()
