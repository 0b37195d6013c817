"""Why no window came up, told to somebody who started Spanlight from a menu and sees no terminal."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QMessageBox

from app.core.about import NAME


def show(sentence: str) -> None:
    """Show a sentence by itself and wait until it is closed; there is no window that could hold it."""
    application = QApplication.instance() or QApplication([NAME])
    box = QMessageBox(QMessageBox.Icon.Critical, NAME, sentence)
    box.exec()
    del application
