"""A text to read in which words can be chosen and marked."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy, QTextEdit

from app.core.positions import Offsets
from app.core.text import Span
from app.ui.kit.theme import Theme


class MarkedText(QPlainTextEdit):
    """A text that cannot be changed; places of it are lit up. `picked` says that other words are chosen now."""

    picked = Signal()

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self._theme = theme
        self._text = ""
        self._offsets = Offsets("")
        self._marks: tuple[Span, ...] = ()
        self.setReadOnly(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setTabChangesFocus(True)
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.selectionChanged.connect(self.picked)
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_text(self, text: str) -> None:
        """Show this text, nothing of it marked."""
        self._text, self._offsets, self._marks = text, Offsets(text), ()
        self.setPlainText(text)
        self._light()
        self.updateGeometry()

    def mark(self, *places: Span) -> None:
        """Light these places up, and bring the first into view."""
        self._marks = tuple(place for place in places if place.end <= len(self._text))
        self._light()
        if self._marks:
            cursor = self.textCursor()
            cursor.setPosition(self._offsets.to_qt(self._marks[0].start))
            self.setTextCursor(cursor)
            self.ensureCursorVisible()

    def chosen(self) -> Span | None:
        """The words that are chosen, without blanks at their ends; None for none."""
        cursor = self.textCursor()
        start = self._offsets.to_point(cursor.selectionStart())
        end = self._offsets.to_point(cursor.selectionEnd())
        words = self._text[start:end]
        start += len(words) - len(words.lstrip())
        end = start + len(words.strip())
        return Span(start, end) if end > start else None

    def choose(self, place: Span) -> None:
        """Choose these words, as a person would with the mouse."""
        start, end = self._offsets.span_to_qt(place)
        cursor = self.textCursor()
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)

    def sizeHint(self) -> QSize:
        lines = min(9, max(2, len(self._text) // 100 + self._text.count("\n") + 1))
        return QSize(self._theme.step(80), lines * self.fontMetrics().lineSpacing() + self._theme.step(4))

    def _light(self) -> None:
        lit = []
        for place in self._marks:
            start, end = self._offsets.span_to_qt(place)
            light = QTextEdit.ExtraSelection()
            light.cursor = QTextCursor(self.document())
            light.cursor.setPosition(start)
            light.cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            shape = QTextCharFormat()
            shape.setBackground(self._theme.colour("answer_ground"))
            shape.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
            shape.setUnderlineColor(self._theme.colour("answer_line"))
            light.format = shape
            lit.append(light)
        self.setExtraSelections(lit)

    @Slot()
    def _restyle(self) -> None:
        self.setFont(self._theme.font("quote"))
        self._light()
        self.updateGeometry()
