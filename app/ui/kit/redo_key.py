"""Ctrl+Y does again what was undone, on every system: Qt takes it for that on Windows only."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit


def redoes(edit: QPlainTextEdit, event: QKeyEvent) -> bool:
    """Whether the key was Ctrl+Y; what was undone is then done again."""
    if event.key() != Qt.Key.Key_Y or event.modifiers() != Qt.KeyboardModifier.ControlModifier:
        return False
    if not edit.isReadOnly():
        edit.redo()
        edit.ensureCursorVisible()
    event.accept()
    return True
