"""Keys on a page that can be read and not written on."""

from __future__ import annotations

from PySide6.QtGui import QKeyEvent, QKeySequence, QTextCursor

_KEY, _MOVE = QKeySequence.StandardKey, QTextCursor.MoveOperation
_SELECTING = {
    _KEY.SelectNextChar: _MOVE.NextCharacter, _KEY.SelectPreviousChar: _MOVE.PreviousCharacter,
    _KEY.SelectNextWord: _MOVE.NextWord, _KEY.SelectPreviousWord: _MOVE.PreviousWord,
    _KEY.SelectNextLine: _MOVE.Down, _KEY.SelectPreviousLine: _MOVE.Up,
    _KEY.SelectStartOfLine: _MOVE.StartOfLine, _KEY.SelectEndOfLine: _MOVE.EndOfLine,
    _KEY.SelectStartOfDocument: _MOVE.Start, _KEY.SelectEndOfDocument: _MOVE.End,
}  # fmt: skip


def selecting(event: QKeyEvent) -> QTextCursor.MoveOperation | None:
    """How far a key takes the end of a selection; None for any other key."""
    return next((move for key, move in _SELECTING.items() if event.matches(key)), None)
