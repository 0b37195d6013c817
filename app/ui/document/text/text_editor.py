"""A place to type or paste plain text, or to drop a text file."""

from __future__ import annotations

from collections.abc import Generator

from PySide6.QtCore import QMimeData, QSignalBlocker, Signal, Slot
from PySide6.QtGui import QFocusEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QVBoxLayout

from app.ui.document.marks.word_search import Stand
from app.ui.document.text.seen_blocks import SeenBlocks
from app.ui.kit.dropped import local_files
from app.ui.kit.theme import Theme, mark


class PaperEdit(SeenBlocks):
    """The editor on the paper: takes plain text, and tells of files dropped or pasted and of the focus."""

    dropped = Signal(list)
    focused = Signal(bool)

    def set_right_margin(self, pixels: int) -> None:
        """Keep the words so far from the scroll bar, which stands at the paper's edge."""
        self.setViewportMargins(0, 0, pixels, 0)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focused.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focused.emit(False)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasUrls() or source.hasText()

    def insertFromMimeData(self, source: QMimeData) -> None:
        if files := local_files(source):
            self.dropped.emit(files)
        elif source.hasText():
            self.insertPlainText(source.text())


class TextEditor(QFrame):
    """Plain text on paper. `dropped` carries the files (list of Path) that were dropped or pasted here.

    `edited` is sent for every change of the text.
    """

    dropped = Signal(list)
    edited = Signal()

    def __init__(self, theme: Theme, name: str, placeholder: str, editor: PaperEdit | None = None) -> None:
        super().__init__()
        self._theme = theme
        self._editor = editor or PaperEdit()
        self._editor.setProperty("bare", "true")
        self._editor.setAccessibleName(name)
        self._editor.setPlaceholderText(placeholder)
        # Tab goes on to the next control: a text to classify needs no tabs.
        self._editor.setTabChangesFocus(True)
        self._editor.dropped.connect(self.dropped)
        self._editor.textChanged.connect(self.edited)
        self._editor.focused.connect(self._show_focus)
        self._layout = QVBoxLayout(self)
        self._layout.addWidget(self._editor)
        self.setProperty("kind", "paper")
        self.setFocusProxy(self._editor)
        theme.changed.connect(self._restyle)
        self._restyle()

    def text(self) -> str:
        """The text, newlines as LF."""
        return self._editor.toPlainText()

    def is_empty(self) -> bool:
        """Whether there is no character at all."""
        return self._editor.document().isEmpty()

    def start_with(self, text: str) -> None:
        """Take the first text, without telling and with nothing to undo."""
        with QSignalBlocker(self._editor):
            self._editor.setPlainText(text)

    def replace(self, text: str) -> None:
        """Put another text in place of this one; it can be undone."""
        cursor = QTextCursor(self._editor.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        self._editor.moveCursor(QTextCursor.MoveOperation.Start)

    def go_to_words(self, words: str, backwards: bool = False) -> bool:
        """Select the next place of these words, from the other end again after the last; False if there is none."""
        return self._editor.go_to_words(words, backwards)

    def seek(
        self, words: str, backwards: bool = False, since: Stand | None = None
    ) -> Generator[None, None, bool]:
        """The same in short turns, from the cursor, or from where a search started that stood so."""
        return self._editor.seek(words, backwards, since)

    def count_places(self, words: str) -> Generator[None, None, tuple[int, int]]:
        """Which place of these words is selected, 0 for none, and how many there are; in short turns, after `seek`."""
        return self._editor.count_places(words)

    def stand(self) -> Stand:
        """How the text stands, for `put_back`."""
        return self._editor.stand()

    def put_back(self, stand: Stand) -> None:
        """Select and scroll as it was."""
        self._editor.put_back(stand)

    def selected_words(self) -> str:
        """What is selected, empty without a selection."""
        return self._editor.selected_words()

    def set_wrapped(self, wrapped: bool) -> None:
        """Break long lines at the paper's edge, or let them run on (where each line is a text)."""
        mode = QPlainTextEdit.LineWrapMode
        self._editor.setLineWrapMode(mode.WidgetWidth if wrapped else mode.NoWrap)

    @Slot(bool)
    def _show_focus(self, focused: bool) -> None:
        mark(self, focused="true" if focused else "false")

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        self._editor.setFont(theme.font("document"))
        self._editor.set_right_margin(theme.step(3))
        self._layout.setContentsMargins(theme.step(8), theme.step(7), theme.step(2), theme.step(2))
