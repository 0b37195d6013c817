"""What every section of the Models page has."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal, Slot

from app.core.errors import EngineLost
from app.ui.kit.sectioned import Section


class ModelsSection(Section):
    """A section of the Models page.

    `lost` says that the model process died; `changed` carries the name of a setting that was changed and saved, or
    "models" where one was installed or removed; `look_inside` carries a Visit to look into.
    """

    changed = Signal(str)
    lost = Signal()
    look_inside = Signal(object)

    def stop(self) -> bool:
        """Stop what runs here; returns whether there was something to stop."""
        return False

    def take_files(self, paths: list[Path]) -> bool:
        """Take files that were dropped; returns whether they are of use here."""
        return False

    def settings_changed(self) -> None:
        """Take up what was changed elsewhere: settings, or which models there are."""

    @Slot(object)
    def show_fault(self, error: BaseException) -> None:
        """Say what went wrong."""
        super().show_fault(error)
        if isinstance(error, EngineLost):
            self.lost.emit()
