"""What the keyboard does on the Ask page, and where it types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import QWidget

from app.ui.views.finding import IN_FIND_BAR

if TYPE_CHECKING:
    from app.ui.views.ask import AskView

SHORTCUTS = (
    ("Ctrl+L", "Go to the question"),
    ("Enter", "Ask"),
    ("Esc", "Stop; the best answer so far stays"),
    ("F3", "Next answer"),
    ("Shift+F3", "Previous answer"),
    ("Up, Down", "Earlier questions, in the question's box"),
    ("Ctrl+C", "Copy the answer with its sentence, or what is selected"),
    ("Ctrl+I", "Look inside: how the model came to the answer"),
    ("Ctrl+F", "Find in the text"),
    IN_FIND_BAR,
    ("Ctrl+O", "Open files"),
    ("Ctrl+T", "New text"),
    ("Ctrl+W", "Close the text"),
    ("Ctrl+Shift+T", "Bring a closed text back"),
    ("Ctrl+Tab", "Next text"),
    ("Ctrl++ / Ctrl+- / Ctrl+0", "Larger, smaller, usual size"),
)


class AskFocus(QObject):
    """Brings the focus to what is to be done next: the question, or the page where there is nothing to ask about."""

    def __init__(self, view: AskView) -> None:
        super().__init__(view)
        self._view = view

    def on_page(self) -> bool:
        """Whether the page is first: no text stands there, or its file asks for something."""
        sheet = self._view.sheets.current()
        if sheet.is_open:
            return sheet.pane.is_empty()
        return not self._view.opening.reads(sheet)

    def come(self) -> None:
        """Go there as from another page, with nothing selected."""
        place: QWidget = self._view.panel.box
        if self.on_page():
            sheet = self._view.sheets.current()
            page = sheet.opening
            place = page.password if page is not None and page.asks_password() else sheet
        place.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def type_next(self) -> None:
        """Go there for a question to be typed: one that was asked before is typed over."""
        self.come()
        if not self.on_page():
            self._view.panel.box.select_asked()
