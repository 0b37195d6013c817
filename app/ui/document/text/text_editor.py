"""A place to type or paste plain text, or to drop a text file."""

from __future__ import annotations

from collections.abc import Generator

from PySide6.QtCore import QMimeData, QSignalBlocker, Signal, Slot
from PySide6.QtGui import QFocusEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QVBoxLayout

from app.ui.document.marks.word_search import ViewState
from app.ui.document.text.seen_blocks import SeenBlocks
from app.ui.kit.dropped import local_files
from app.ui.kit.theme import Theme, mark


class PaperEdit(SeenBlocks):
    """The editor on the paper: takes plain text, and has signals for dropped or pasted files and for the focus."""

    dropped = Signal(list)
    focused = Signal(bool)

    def set_right_margin(self, pixels: int) -> None:
        """Keep the words `pixels` away from the scroll bar at the paper's edge."""
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
        """Set the first text, without a signal and without an undo step."""
        with QSignalBlocker(self._editor):
            self._editor.setPlainText(text)

    def replace(self, text: str) -> None:
        """Replace the text; it can be undone."""
        cursor = QTextCursor(self._editor.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        self._editor.moveCursor(QTextCursor.MoveOperation.Start)

    def go_to_words(self, words: str, backwards: bool = False) -> bool:
        """Select the next match of these words, cyclically; False if there is none."""
        return self._editor.go_to_words(words, backwards)

    def seek(
        self, words: str, backwards: bool = False, since: ViewState | None = None
    ) -> Generator[None, None, bool]:
        """The same in short turns, from the cursor, or from the state `since` at the start of a search."""
        return self._editor.seek(words, backwards, since)

    def count_places(self, words: str) -> Generator[None, None, tuple[int, int]]:
        """The number of the selected match of these words, 0 for none, and of all; in short turns, after `seek`."""
        return self._editor.count_places(words)

    def view_state(self) -> ViewState:
        """The selection and scroll position, for `restore_view`."""
        return self._editor.view_state()

    def restore_view(self, state: ViewState) -> None:
        """Restore the selection and the scroll position."""
        self._editor.restore_view(state)

    def selected_words(self) -> str:
        """The selected words, empty without a selection."""
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
