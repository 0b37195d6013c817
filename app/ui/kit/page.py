"""What every page of the window has."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from app.flows.workspace import Workspace
from app.ui.kit.jobs import Lanes
from app.ui.kit.theme import Theme


class Page(QWidget):
    """A page of the window: its name on the rail, its shortcuts, and what the window asks of it.

    `note` is one line for the status line (empty clears it); `lost` says that the model process died, so
    that the window has it started again; `open_settings` asks the window for the settings page, `open_about` for the
    page on Spanlight itself, `open_models` for a section of the page of models by its key; `look_inside` carries a
    Visit that the window hands to the page where models are opened up.
    """

    KEY = ""
    TITLE = ""
    ICON = ""
    SHORTCUTS: tuple[tuple[str, str], ...] = ()

    note = Signal(str)
    lost = Signal()
    open_settings = Signal()
    open_about = Signal()
    open_models = Signal(str)
    look_inside = Signal(object)

    def __init__(
        self, workspace: Workspace, theme: Theme, lanes: Lanes, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.workspace = workspace
        self.theme = theme
        self.lanes = lanes
        self.setAccessibleName(self.TITLE)

    def add_shortcuts(self, *shortcuts: tuple[str, Callable[[], object]]) -> None:
        """Have keys do something while this page is up, wherever in the window the focus is."""
        for keys, slot in shortcuts:
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WindowShortcut)
            shortcut.activated.connect(slot)

    def stop(self) -> bool:
        """Stop what runs on this page; returns whether there was something to stop."""
        return False

    def keep(self) -> None:
        """Save what was typed, and put splitter positions into the settings; called when the window closes."""

    def shown(self) -> None:
        """Put the keyboard focus where a person wants to begin; called when the page comes up."""

    def painted(self) -> None:
        """Begin what may wait until the window has been painted; called once, of the page that is up then."""

    def open_files(self, paths: list[Path]) -> None:
        """Open files that were named on the command line or dropped on the window."""

    def settings_changed(self) -> None:
        """Take up what was changed on the settings page."""
