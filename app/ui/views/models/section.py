"""What every section of the Models page has."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from app.core.errors import EngineLost
from app.flows.workspace import Workspace
from app.ui.jobs import Lanes
from app.ui.messages import fault_of
from app.ui.theme import Theme
from app.ui.widgets.notice import Notice


class ModelsSection(QWidget):
    """A section of the Models page: it is made when it is first up, and lays itself out whole.

    `notice` is a line for faults, which the section puts where the person is looking; `say_fault` fills it.

    `note` is one line for the status line; `lost` says that the model process died; `changed` carries the name of a
    setting that was changed and saved, or "models" where one was installed or removed; `go` carries the key of another
    section and what it is to be shown there; `look_inside` carries a Visit to look into.
    """

    KEY: ClassVar[str] = ""
    TITLE: ClassVar[str] = ""

    note = Signal(str)
    changed = Signal(str)
    lost = Signal()
    go = Signal(str, object)
    look_inside = Signal(object)

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
        """Read afresh what is shown, and put the keyboard focus where a person wants to begin."""

    def receive(self, argument: object) -> None:
        """Show what another section sent along with `go`; called before `shown`."""

    def stop(self) -> bool:
        """Stop what runs here; returns whether there was something to stop."""
        return False

    def keep(self) -> None:
        """Put splitter positions and choices into the settings; called when the window closes."""

    def take_files(self, paths: list[Path]) -> bool:
        """Take files that were dropped; returns whether they are of use here."""
        return False

    def search(self) -> None:
        """Put the keyboard focus into the search, where there is one."""

    def settings_changed(self) -> None:
        """Take up what was changed elsewhere: settings, or which models there are."""

    @Slot(object)
    def say_fault(self, error: BaseException) -> None:
        """Say what went wrong."""
        fault = fault_of(error)
        self.notice.show_fault(fault.sentence, fault.hint, fault.report)
        if isinstance(error, EngineLost):
            self.lost.emit()
