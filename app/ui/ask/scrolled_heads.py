"""Headings on a page that scrolls: none stands alone at its lower edge."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Slot
from PySide6.QtWidgets import QScrollArea, QWidget


class ScrolledHeads(QObject):
    """Shows each heading of a scroll area while a line of what stands under it is seen too; its room stays."""

    def __init__(self, scroll: QScrollArea) -> None:
        super().__init__(scroll)
        self._scroll = scroll
        self._first: dict[QWidget, QWidget | None] = {}
        scroll.verticalScrollBar().valueChanged.connect(self._settle)
        scroll.viewport().installEventFilter(self)
        if (inner := scroll.widget()) is not None:
            inner.installEventFilter(self)

    def set_first(self, head: QWidget, first: QWidget | None) -> None:
        """Tell what stands first under a heading; where nothing does, the heading goes, and takes up no room."""
        self._first[head] = first
        policy = head.sizePolicy()
        policy.setRetainSizeWhenHidden(first is not None)
        head.setSizePolicy(policy)
        self._settle()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Look anew after everything has got its place."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self._settle()
        return False

    @Slot()
    def _settle(self) -> None:
        bottom = self._scroll.verticalScrollBar().value() + self._scroll.viewport().height()
        for head, first in self._first.items():
            line = first.y() + min(first.height(), first.fontMetrics().height()) if first is not None else 0
            head.setVisible(first is not None and line <= bottom)
