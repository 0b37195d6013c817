"""Two passages on two papers: beside each other where there is room, else one above the other."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QLabel, QVBoxLayout, QWidget

from app.ui.document.text.text_editor import TextEditor
from app.ui.kit.theme import Theme

# As many steps of the rhythm as two papers side by side need.
_SIDE_BY_SIDE = 170


class TwoPapers(QWidget):
    """`papers` are the two, each below its name."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.papers = (
            TextEditor(theme, "First passage", "Type or paste a passage, or drop a text file here."),
            TextEditor(theme, "Second passage", "And the one that may come right after it."),
        )
        self._labels = (QLabel("First passage"), QLabel("Second passage"))
        self._layout = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._columns = []
        for label, paper in zip(self._labels, self.papers, strict=True):
            label.setProperty("ink", "quiet")
            label.setBuddy(paper)
            column = QVBoxLayout()
            column.addWidget(label)
            column.addWidget(paper, 1)
            self._layout.addLayout(column, 1)
            self._columns.append(column)
        theme.changed.connect(self._restyle)
        self._restyle()

    def texts(self) -> tuple[str, str]:
        """Both passages."""
        return self.papers[0].text(), self.papers[1].text()

    def focused(self) -> int:
        """The number of the paper that has the keyboard; 0 where none has."""
        focus = self.focusWidget()
        return int(focus is not None and self.papers[1].isAncestorOf(focus))

    def replace(self, texts: tuple[str, str]) -> None:
        """Put other passages in place of these; each paper can undo it."""
        for paper, text in zip(self.papers, texts, strict=True):
            if paper.text() != text:
                paper.replace(text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._turn()

    def _turn(self) -> None:
        side = self.width() >= self._theme.step(_SIDE_BY_SIDE)
        direction = QBoxLayout.Direction.LeftToRight if side else QBoxLayout.Direction.TopToBottom
        if self._layout.direction() != direction:
            self._layout.setDirection(direction)

    @Slot()
    def _restyle(self) -> None:
        step = self._theme.step
        self._layout.setContentsMargins(step(6), step(4), step(6), step(5))
        self._layout.setSpacing(step(5))
        for label, column, paper in zip(self._labels, self._columns, self.papers, strict=True):
            label.setFont(self._theme.font("small_strong"))
            column.setSpacing(step(2))
            paper.setMinimumWidth(step(50))
            paper.setMinimumHeight(step(30))
        self._turn()
