"""A text editor that highlights blanks, and turns words into blanks and blanks into words."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QTextCharFormat, QTextCursor, QTextFormat

from app.core.text import BLANK, Offsets, Span, blanks_in, utf16_units
from app.ui.document.marks.highlights import Highlights
from app.ui.document.marks.searchable import document_text, insertable
from app.ui.document.text.text_editor import PaperEdit, TextEditor
from app.ui.kit.theme import Theme

# The hidden word is kept in the format of the blank's characters, so that undo and redo preserve it.
_WORD_PROPERTY, _NUMBER_PROPERTY = (
    QTextFormat.Property.UserProperty.value,
    QTextFormat.Property.UserProperty.value + 1,
)
LONGEST_WORD = 60


class HighlightEdit(PaperEdit):
    """A PaperEdit that draws `lights`, each with a background and a line, so that colour is not the only cue."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.lights = Highlights(theme)

    def paintEvent(self, event: QPaintEvent) -> None:
        blocks = list(self.visible_blocks())
        painter = QPainter(self.viewport())
        self.lights.draw_grounds(painter, blocks)
        painter.end()
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        self.lights.draw_lines(painter, blocks)
        painter.end()


class BlankEditor(TextEditor):
    """The editor. `chosen` carries the index of the chosen blank, -1 without one.

    That is the blank at the cursor, or the one chosen before if the cursor is at none. Blanks are those of `core.text`,
    in the order of the text.
    """

    chosen = Signal(int)

    def __init__(self, theme: Theme, name: str, placeholder: str) -> None:
        self._blank_edit = HighlightEdit(theme)
        self._text: str | None = None
        self._blanks: tuple[Span, ...] = ()
        self._offsets = Offsets("")
        self._index = -1
        self._last_number = 0
        super().__init__(theme, name, placeholder, self._blank_edit)
        self._blank_edit.document().contentsChange.connect(self._invalidate_text)
        self._blank_edit.textChanged.connect(self._find_blanks)
        self._blank_edit.cursorPositionChanged.connect(self._cursor_moved)
        theme.changed.connect(self._blank_edit.viewport().update)

    def text(self) -> str:
        """The text, with newlines as LF; positions in it are code points."""
        if self._text is None:
            self._text = document_text(self._blank_edit.document())
            self._offsets = Offsets(self._text)
            self._blanks = blanks_in(self._text)
        return self._text

    def blanks(self) -> tuple[Span, ...]:
        """The spans of the blanks in `text()`."""
        self.text()
        return self._blanks

    def start_with(self, text: str) -> None:
        super().start_with(insertable(text))
        self._find_blanks()

    def replace(self, text: str) -> None:
        super().replace(insertable(text))

    @property
    def index(self) -> int:
        """The index of the chosen blank, -1 without one."""
        return self._index if self._index < len(self.blanks()) else len(self.blanks()) - 1

    def choose(self, index: int) -> None:
        """Choose a blank, and put the cursor behind it."""
        if 0 <= index < len(self.blanks()):
            # A selection would hide the highlight.
            self._blank_edit.setTextCursor(
                self._cursor(Span(self._blanks[index].end, self._blanks[index].end))
            )
            self._blank_edit.ensureCursorVisible()
            self._set_index(index)

    def step(self, by: int) -> None:
        """Choose the next or the previous blank, wrapping around at the ends."""
        if self.blanks():
            self.choose((self.index + by) % len(self._blanks))

    def make_blank(self) -> None:
        """Turn the selected words, or the word at the cursor, into a blank; without a word, insert a blank.

        `word_of` gives the hidden word. Raises ValueError for a selection that cannot become a blank.
        """
        cursor = self._blank_edit.textCursor()
        if not cursor.hasSelection():
            cursor.select(QTextCursor.SelectionType.WordUnderCursor)
        selected = cursor.selection().toPlainText()
        word = selected.strip()
        if "\n" in word or len(word) > LONGEST_WORD or blanks_in(selected):
            raise ValueError("not a word")
        if word and selected != word:
            start = cursor.selectionStart() + len(selected) - len(selected.lstrip())
            cursor.setPosition(start)
            cursor.setPosition(start + utf16_units(word), QTextCursor.MoveMode.KeepAnchor)
        self._last_number += 1
        char_format = QTextCharFormat()
        if word:
            char_format.setProperty(_WORD_PROPERTY, word)
            char_format.setProperty(_NUMBER_PROPERTY, self._last_number)
        start = cursor.selectionStart()
        self._insert(cursor, BLANK, char_format)
        index = next(
            (i for i, blank in enumerate(self.blanks()) if self._offsets.to_qt(blank.end) > start), -1
        )
        self.choose(index)

    def word_of(self, index: int) -> str:
        """The hidden word of a blank; empty for a typed blank."""
        if not 0 <= index < len(self.blanks()):
            return ""
        start = self._offsets.to_qt(self._blanks[index].start)
        own = self._format_at(start)
        word = own.property(_WORD_PROPERTY)
        if not isinstance(word, str):
            return ""
        # Text typed behind a blank inherits its format: the word belongs to the first blank only.
        block = self._blank_edit.document().findBlock(start)
        before = self._format_at(start - 1) if start > block.position() else QTextCharFormat()
        return "" if before.property(_NUMBER_PROPERTY) == own.property(_NUMBER_PROPERTY) else word

    def fill_in(self, index: int, word: str) -> None:
        """Replace a blank by a word, as one undo step."""
        if 0 <= index < len(self.blanks()):
            self._insert(self._cursor(self._blanks[index]), word, QTextCharFormat())

    def _insert(self, cursor: QTextCursor, words: str, char_format: QTextCharFormat) -> None:
        cursor.beginEditBlock()
        cursor.insertText(words, char_format)
        cursor.endEditBlock()
        cursor.setCharFormat(QTextCharFormat())
        self._blank_edit.setTextCursor(cursor)

    def _cursor(self, span: Span) -> QTextCursor:
        start, end = self._offsets.span_to_qt(span)
        cursor = QTextCursor(self._blank_edit.document())
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def _format_at(self, unit: int) -> QTextCharFormat:
        cursor = QTextCursor(self._blank_edit.document())
        cursor.setPosition(unit + 1)  # a cursor has the format of the character before it
        return cursor.charFormat()

    @Slot()
    def _invalidate_text(self) -> None:
        self._text = None

    @Slot()
    def _find_blanks(self) -> None:
        self.text()
        self._blank_edit.lights.take_spans(self._offsets, self._blanks)
        self._follow_cursor()
        self._blank_edit.viewport().update()

    @Slot()
    def _cursor_moved(self) -> None:
        if self._text is not None:  # else the blanks are about to be found again
            self._follow_cursor()

    def _follow_cursor(self) -> None:
        cursor = self._blank_edit.textCursor()
        start, end = cursor.selectionStart(), cursor.selectionEnd()
        here = [
            number
            for number, blank in enumerate(self._blanks)
            if self._offsets.to_qt(blank.start) <= end and start <= self._offsets.to_qt(blank.end)
        ]
        last = len(self._blanks) - 1
        self._set_index(here[0] if here else min(max(self._index, 0), last))

    def _set_index(self, index: int) -> None:
        self._blank_edit.lights.chosen = index
        self._blank_edit.viewport().update()
        if index != self._index:
            self._index = index
            self.chosen.emit(index)
