"""What every section of About has."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from app.flows.workspace import Workspace
from app.ui.jobs import Lanes
from app.ui.messages import fault_of
from app.ui.theme import Theme
from app.ui.widgets.notice import Notice


class AboutSection(QWidget):
    """A section of About: it is made when it is first up, and lays itself out whole.

    `notice` is a line for faults, which the section puts where the person is looking. `go` carries the key of another
    section, `note` one line for the status line; `updates_asked` asks for where updates are asked for, `welcome_asked`
    for the welcome of the first start.
    """

    KEY: ClassVar[str] = ""
    TITLE: ClassVar[str] = ""

    go = Signal(str)
    note = Signal(str)
    updates_asked = Signal()
    welcome_asked = Signal()

    def __init__(
        self, workspace: Workspace, theme: Theme, lanes: Lanes, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.workspace = workspace
        self.theme = theme
        self.lanes = lanes
        self.notice = Notice(theme)
        self.setAccessibleName(self.TITLE)

    def shown(self) -> None:
        """Put the keyboard focus where a person wants to begin."""

    def keep(self) -> None:
        """Put splitter positions into the settings; called when the window closes."""

    def search(self) -> None:
        """Put the keyboard focus into the search, where there is one."""

    @Slot(object)
    def say_fault(self, error: BaseException) -> None:
        """Say what went wrong."""
        fault = fault_of(error)
        self.notice.show_fault(fault.sentence, fault.hint, fault.report)
