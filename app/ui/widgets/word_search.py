"""Looking for words in a text document of Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtGui import QTextCursor, QTextDocument


@dataclass(frozen=True, slots=True)
class Stand:
    """How a page stands before words are looked for as they are typed, for it to be put back.

    What is selected, from `anchor` to `position`, and `start`, from which on words are looked for: positions of the
    page's own kind. How far it is `scrolled` only the page understands.
    """

    anchor: int
    position: int
    start: int
    scrolled: tuple[float, float]

    def unselected(self) -> Stand:
        """The same, with nothing selected, and the cursor where the search starts."""
        return replace(self, anchor=self.start, position=self.start)


def start_of(cursor: QTextCursor, top: int, bottom: int) -> int:
    """Where a search starts: where the selection begins if that can be seen between two positions, else at the top."""
    return cursor.selectionStart() if top <= cursor.selectionStart() <= bottom else top


def selected_then(cursor: QTextCursor, stand: Stand) -> QTextCursor:
    """The cursor with what was selected then, as far as the text still reaches."""
    last = cursor.document().characterCount() - 1
    cursor.setPosition(min(stand.anchor, last))
    cursor.setPosition(min(stand.position, last), QTextCursor.MoveMode.KeepAnchor)
    return cursor


def next_place(
    document: QTextDocument, words: str, after: QTextCursor, backwards: bool
) -> QTextCursor | None:
    """The next place of these words, selected; from the other end again after the last; None where there is none."""
    flags = QTextDocument.FindFlag.FindBackward if backwards else QTextDocument.FindFlag(0)
    found = document.find(words, after, flags)
    if found.isNull():
        end = QTextCursor(document)
        end.movePosition(QTextCursor.MoveOperation.End if backwards else QTextCursor.MoveOperation.Start)
        found = document.find(words, end, flags)
    return None if found.isNull() else found
