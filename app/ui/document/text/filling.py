"""A long text put on a page piece by piece, between the window's other events."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtGui import QTextCursor, QTextDocument

# Code points put on a page in one go: some 5 ms.
PIECE = 100_000


def piece_end(text: str, at: int, length: int) -> int:
    """Where a piece of a text ends that begins at `at`: never before U+FEFF, which is lost at a string's start."""
    end = min(at + length, len(text))
    while end < len(text) and text[end] == "\ufeff":
        end += 1
    return end


class Filling(QObject):
    """Puts the rest of a text at the end of a document.

    `at_work` is true while it changes the document, which is no change of the text. `filled` is sent when nothing is
    left. Undo is not available meanwhile.
    """

    filled = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.at_work = False
        self._text, self._at = "", 0
        self._document: QTextDocument | None = None
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._piece)

    def begin(self, document: QTextDocument, text: str, at: int) -> None:
        """Add the text from the code point `at` on to a document that has the text before it."""
        document.setUndoRedoEnabled(False)
        self._document, self._text, self._at = document, text, at
        self._timer.start(0)

    def drop(self) -> None:
        """Stop filling: the document gets another text."""
        self._end()

    def at_once(self) -> None:
        """Add all the rest now."""
        if self._document is not None:
            self._put(len(self._text))

    def go_on(self) -> bool:
        """Add the next piece; returns whether any is left."""
        self._piece()
        return self._document is not None

    @Slot()
    def _piece(self) -> None:
        self._put(PIECE)

    def _put(self, length: int) -> None:
        if self._document is None:
            return
        cursor = QTextCursor(self._document)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        at, self._at = self._at, piece_end(self._text, self._at, length)
        self.at_work = True
        cursor.insertText(self._text[at : self._at])
        self.at_work = False
        if self._at >= len(self._text):
            self._end()
            self.filled.emit()

    def _end(self) -> None:
        self._timer.stop()
        if self._document is not None:
            self._document.setUndoRedoEnabled(True)
        self._document, self._text = None, ""
