"""A field for an encrypted file's password."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QLineEdit, QWidget

from app.ui.kit.boxes import column, row
from app.ui.kit.parts import plain_label, push_button
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr


class PasswordLine(QWidget):
    """An explanation, a field with a button, and a note if the last password was wrong.

    `entered` carries the password; `cancelled` is sent by a second button, shown if the line is `cancellable`.
    """

    entered = Signal(str)
    cancelled = Signal()

    def __init__(self, theme: Theme, *, cancellable: bool = False) -> None:
        super().__init__()
        self._why = plain_label()
        self.field = QLineEdit()
        self.field.setEchoMode(QLineEdit.EchoMode.Password)
        self.field.setPlaceholderText(tr("Password"))
        self.field.setAccessibleName(tr("Password of the file"))
        self._open = push_button(theme, tr("Open"), kind="primary", name=tr("Open with this password"))
        self._cancel = push_button(theme, tr("Cancel"), name=tr("Do not open the encrypted file"))
        if not cancellable:
            self._cancel.hide()
        self._wrong = plain_label(tr("That password does not fit."), type="small", ink="fault")
        entry = row(theme, (self.field, 1), self._open, self._cancel, gap=2)
        column(theme, self._why, entry, self._wrong, gap=2, parent=self)
        self._open.clicked.connect(self._enter)
        self._cancel.clicked.connect(self.cancelled)
        self.field.returnPressed.connect(self._enter)
        self.hide()

    def ask(self, file: str, wrong: bool) -> None:
        """Ask for the password of a file, named unless `file` is empty; `wrong` if the last password did not fit."""
        self._why.setText(
            tr("{file} is encrypted. Type its password to open it here.", file=file)
            if file
            else tr("This file is encrypted. Type its password to open it here.")
        )
        self._wrong.setVisible(wrong)
        self.field.clear()
        self.show()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def put_away(self) -> None:
        """Hide the line and clear the password."""
        self.field.clear()
        self.hide()

    @Slot()
    def _enter(self) -> None:
        if self.field.text():
            self.entered.emit(self.field.text())
