"""A question asked in place before something is deleted for good, or long work begins."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from app.core.message import Message
from app.ui.kit.boxes import flow, row
from app.ui.kit.parts import plain_label, push_button
from app.ui.kit.theme import Theme, mark

_KEEP = Message("Keep it")


class Confirmation(QWidget):
    """A question with a button that confirms it and one that cancels it, as does Esc.

    With `is_band` it looks like a band across the page. `confirmed` and `cancelled` are sent after it was hidden.
    """

    confirmed = Signal()
    cancelled = Signal()

    def __init__(
        self, theme: Theme, action: str, keep: str = _KEEP, *, kind: str = "danger", is_band: bool = False
    ) -> None:
        super().__init__()
        self._question = plain_label(type="strong")
        self.confirm = push_button(theme, action, kind=kind)
        self.cancel = push_button(theme, keep)
        buttons, around = flow(theme, self.cancel, self.confirm), (4, 2, 4, 2) if is_band else (0, 0, 0, 0)
        row(theme, (self._question, 1), buttons, gap=2, margins=around, parent=self)
        if is_band:
            mark(self, kind="welcome")
            self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.confirm.clicked.connect(self._confirm)
        self.cancel.clicked.connect(self.withdraw)
        self.hide()

    def ask(self, question: str, *, takes_focus: bool = True) -> None:
        """Show the question; the keyboard focus goes to the button that cancels."""
        self._question.setText(question)
        self.show()
        if takes_focus:
            self.cancel.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def asking(self) -> bool:
        """Whether the question is shown."""
        return not self.isHidden()

    def text(self) -> str:
        """The question asked."""
        return self._question.text()

    @Slot()
    def withdraw(self) -> None:
        """Cancel the question, if there is one."""
        if self.asking:
            self.hide()
            self.cancelled.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.withdraw()
        else:
            super().keyPressEvent(event)

    @Slot()
    def _confirm(self) -> None:
        self.hide()
        self.confirmed.emit()
