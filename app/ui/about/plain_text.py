"""A read-only plain text that can be copied."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QPlainTextEdit

from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised


class PlainText(QPlainTextEdit):
    """A monospaced text that can be selected and scrolled by mouse and keys; Tab leaves it."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self.setProperty("kind", "plain")
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(localised(name))
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        mark(self, type="code")
        self._document = self.document()  # its wrapper must live as long as the steps are to be applied
        theme.in_steps(self._document.setDocumentMargin, 1)
