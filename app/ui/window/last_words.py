"""Shows why no window could be opened, for a start from a menu without a terminal."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QMessageBox

from app.core.about import NAME


def show(sentence: str) -> None:
    """Show a sentence in a message box without a window and wait until it is closed."""
    application = QApplication.instance() or QApplication([NAME])
    box = QMessageBox(QMessageBox.Icon.Critical, NAME, sentence)
    box.exec()
    del application
