"""Says why no window could be opened, where the start from a menu has no terminal."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMessageBox

from app.core.about import NAME
from app.core.legible import legible_lines


def show(sentence: str) -> None:
    """Show a sentence in a message box, and wait until it is closed."""
    application = QApplication.instance() or QApplication([NAME])
    box = QMessageBox(QMessageBox.Icon.Critical, NAME, legible_lines(sentence))
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.exec()
    del application
