"""A field for an encrypted file's password."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QLineEdit, QWidget

from app.ui.kit.boxes import column, row
from app.ui.kit.parts import plain_label, push_button
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr


class PasswordLine(QWidget):
    """An explanation, the field, its button, and a note if the last password was wrong. `entered` carries the password.

    `left` is sent by a second button, shown if the line is `leavable`.
    """

    entered = Signal(str)
    left = Signal()

    def __init__(self, theme: Theme, *, leavable: bool = False) -> None:
        super().__init__()
        self._why = plain_label()
        self.field = QLineEdit()
        self.field.setEchoMode(QLineEdit.EchoMode.Password)
        self.field.setPlaceholderText(tr("Password"))
        self.field.setAccessibleName(tr("Password of the file"))
        self._open = push_button(theme, tr("Open"), kind="primary", name=tr("Open with this password"))
        self._leave = push_button(theme, tr("Cancel"), name=tr("Do not open the encrypted file"))
        if not leavable:
            self._leave.hide()
        self._wrong = plain_label(tr("That password does not fit."), type="small", ink="fault")
        entry = row(theme, (self.field, 1), self._open, self._leave, gap=2)
        column(theme, self._why, entry, self._wrong, gap=2, parent=self)
        self._open.clicked.connect(self._give)
        self._leave.clicked.connect(self.left)
        self.field.returnPressed.connect(self._give)
        self.hide()

    def ask(self, file: str, wrong: bool) -> None:
        """Ask for the password of a file, by its name if that is not empty; `wrong` if the last one did not fit."""
        self._why.setText(
            tr("{file} is encrypted. Type its password to open it here.", file=file)
            if file
            else tr("This file is encrypted. Type its password to open it here.")
        )
        self._wrong.setVisible(wrong)
        self.field.clear()
        self.show()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def is_asking(self) -> bool:
        """Whether it is asking for a password."""
        return not self.isHidden()

    def put_away(self) -> None:
        """Hide the line and clear the password."""
        self.field.clear()
        self.hide()

    @Slot()
    def _give(self) -> None:
        if self.field.text():
            self.entered.emit(self.field.text())
