"""An editor for plain text, on which text files can be dropped."""

from __future__ import annotations

from typing import Protocol, overload

from PySide6.QtCore import QMimeData, QSignalBlocker, Qt, Signal, SignalInstance, Slot
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit

from app.ui.document.marks.highlights import draw_current, draw_found
from app.ui.document.marks.searchable import Searchable, SearchablePlainTextEdit
from app.ui.kit.boxes import column
from app.ui.kit.dropped import local_files
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised


class PaperEdit(SearchablePlainTextEdit):
    """The editor on the paper; `dropped` carries files dropped or pasted on it, `focused` whether it has the focus."""

    dropped = Signal(list)
    focused = Signal(bool)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focused.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focused.emit(False)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.sought is None:
            super().paintEvent(event)
            return
        blocks = self.visible_blocks()
        painter = QPainter(self.viewport())
        draw_found(painter, blocks, self.sought, self._theme)
        painter.end()
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        draw_current(painter, blocks, self.textCursor(), self._theme)
        painter.end()

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasUrls() or source.hasText()

    def insertFromMimeData(self, source: QMimeData) -> None:
        if files := local_files(source):
            self.dropped.emit(files)
        elif source.hasText():
            self.insertPlainText(source.text())


class Paper(Protocol):
    """A text that can be edited, with the signals and methods of a TextEditor."""

    @property
    def edited(self) -> SignalInstance: ...
    @property
    def dropped(self) -> SignalInstance: ...
    @property
    def searched(self) -> Searchable: ...
    def text(self) -> str: ...
    def is_empty(self) -> bool: ...
    def start_with(self, text: str) -> None: ...
    def replace(self, text: str) -> None: ...
    @overload
    def setFocus(self) -> None: ...
    @overload
    def setFocus(self, reason: Qt.FocusReason, /) -> None: ...


class TextEditor(QFrame):
    """Plain text on paper; `dropped` carries the files (list of Path) dropped or pasted on it.

    `edited` is sent for every change of the text.
    """

    dropped = Signal(list)
    edited = Signal()

    def __init__(self, theme: Theme, name: str, placeholder: str, editor: PaperEdit | None = None) -> None:
        super().__init__()
        self._theme = theme
        self._editor = editor or PaperEdit(theme)
        self._editor.setProperty("bare", "true")
        self._editor.setAccessibleName(localised(name))
        self._editor.setPlaceholderText(localised(placeholder))
        # Tab moves the focus: a text to classify needs no tabs.
        self._editor.setTabChangesFocus(True)
        self._editor.dropped.connect(self.dropped)
        self._editor.textChanged.connect(self.edited)
        self._editor.focused.connect(self._show_focus)
        column(theme, self._editor, margins=(8, 7, 2, 2), parent=self)
        self.setProperty("kind", "paper")
        self.setFocusProxy(self._editor)
        theme.changed.connect(self._restyle)
        self._restyle()

    def text(self) -> str:
        """Return the text, with LF for newlines."""
        return self._editor.toPlainText()

    def is_empty(self) -> bool:
        """Whether there is no character at all."""
        return self._editor.document().isEmpty()

    def start_with(self, text: str) -> None:
        """Set the initial text, without a signal or an undo step."""
        with QSignalBlocker(self._editor):
            self._editor.setPlainText(text)

    def replace(self, text: str) -> None:
        """Replace the text; it can be undone."""
        cursor = QTextCursor(self._editor.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        self._editor.moveCursor(QTextCursor.MoveOperation.Start)

    @property
    def searched(self) -> PaperEdit:
        """The editor, in which words are found."""
        return self._editor

    def set_wrapped(self, wrapped: bool) -> None:
        """Set whether long lines are wrapped; they are not where each line is a text of its own."""
        mode = QPlainTextEdit.LineWrapMode
        self._editor.setLineWrapMode(mode.WidgetWidth if wrapped else mode.NoWrap)

    @Slot(bool)
    def _show_focus(self, focused: bool) -> None:
        mark(self, focused="true" if focused else "false")

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        self._editor.setFont(theme.font("document"))
        self._editor.setViewportMargins(0, 0, theme.step(3), 0)
