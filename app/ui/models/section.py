"""The base class of the sections of the Models page."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal, Slot

from app.core.errors import EngineLost
from app.ui.kit.sectioned import Section


class ModelsSection(Section):
    """A section of the Models page.

    `lost` is sent when the model process died; `changed` carries the name of a setting that was changed and saved, or
    "models" if one was installed or removed; `look_inside` carries a Visit to inspect.
    """

    changed = Signal(str)
    lost = Signal()
    look_inside = Signal(object)

    def stop(self) -> bool:
        """Stop what runs here; returns whether anything did."""
        return False

    def take_files(self, paths: list[Path]) -> bool:
        """Accept dropped files; returns whether they were accepted."""
        return False

    def settings_changed(self) -> None:
        """Apply a change elsewhere: of settings, or of the installed models."""

    @Slot(object)
    def show_fault(self, error: BaseException) -> None:
        """Show an error."""
        super().show_fault(error)
        if isinstance(error, EngineLost):
            self.lost.emit()
