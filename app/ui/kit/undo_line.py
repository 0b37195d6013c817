"""A line that names the last action, and offers to undo it for a while."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QPlainTextEdit

from app.ui.kit.boxes import row
from app.ui.kit.parts import plain_label, push_button
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import tr

UNDO_MS = 20_000


def redo_on_key(edit: QPlainTextEdit, event: QKeyEvent) -> bool:
    """Redo in an editor if the key is Ctrl+Y; returns whether it is."""
    if event.key() != Qt.Key.Key_Y or event.modifiers() != Qt.KeyboardModifier.ControlModifier:
        return False
    if not edit.isReadOnly():
        edit.redo()
        edit.ensureCursorVisible()
    event.accept()
    return True


class UndoLine(QFrame):
    """Words and a button that undoes; hidden while nothing is offered. `over` is sent when the offer expires."""

    undo_asked = Signal()
    over = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._words = plain_label(type="small", ink="quiet", wrap=False)
        self.button = push_button(theme, tr("Undo"), kind="link", tip=tr("Undo  (Ctrl+Z)"))
        mark(self.button, type="small")
        self.button.clicked.connect(self.undo_asked)
        row(theme, self._words, self.button, 1, gap=1, parent=self)
        self._timer = QTimer(self, singleShot=True, interval=UNDO_MS)
        self._timer.timeout.connect(self._timed_out)
        self.hide()

    def offer(self, words: str) -> None:
        """Show what was done, and offer for `UNDO_MS` to undo it."""
        self._words.setText(words)
        self.show()
        self._timer.start()

    def clear(self) -> None:
        """Withdraw the offer without sending `over`."""
        self._timer.stop()
        self.hide()

    def words(self) -> str:
        """The shown words."""
        return self._words.text()

    @Slot()
    def _timed_out(self) -> None:
        self.clear()
        self.over.emit()
