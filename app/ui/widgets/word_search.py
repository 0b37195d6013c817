"""Looking for words in a text document of Qt."""

from __future__ import annotations

from PySide6.QtGui import QTextCursor, QTextDocument


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
