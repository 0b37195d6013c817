"""The models page: installed and available models, measures, the computer and the network."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from app.flows.workspace import Workspace
from app.ui.kit.jobs import Lanes
from app.ui.kit.sectioned import SectionedPage
from app.ui.kit.theme import Theme
from app.ui.models.computer import ComputerSection
from app.ui.models.installed import InstalledSection
from app.ui.models.measure.measure import MeasureSection
from app.ui.models.network import NetworkSection
from app.ui.models.offered import OfferedSection
from app.ui.models.section import ModelsSection

# In the order of their names; a section is created when it is first shown.
SECTIONS: tuple[type[ModelsSection], ...] = (
    InstalledSection,
    OfferedSection,
    MeasureSection,
    ComputerSection,
    NetworkSection,
)


class ModelsView(SectionedPage[ModelsSection]):
    """The names of the sections above, the current one below.

    `changed` carries the name of a setting that was changed and saved here, or "models" if one was installed or
    removed.
    """

    KEY = "models"
    TITLE = "Models"
    ICON = "models"
    SHORTCUTS = (
        ("Ctrl+Tab", "Next section"),
        ("Ctrl+Shift+Tab", "Section before"),
        ("Alt+Right, Alt+Left", "Next section, section before"),
        ("Ctrl+F", "Search"),
        ("Enter", "To the chosen model's buttons"),
        ("Del", "Remove the chosen model, after asking"),
        ("Ctrl+Enter", "Measure"),
        ("Ctrl+C, Del, Ctrl+Z", "Copy, delete, bring back what was measured"),
        ("Esc", "Stop or pause"),
    )

    changed = Signal(str)

    def __init__(
        self, workspace: Workspace, theme: Theme, lanes: Lanes, parent: QWidget | None = None
    ) -> None:
        super().__init__(SECTIONS, workspace, theme, lanes, parent)
        self.add_shortcuts(
            ("Alt+Right", self.next), ("Alt+Left", self.previous), ("Ctrl+F", self._search), ("Ctrl+L", self._search),
        )  # fmt: skip

    # The page's interface to the window

    def stop(self) -> bool:
        """Stop what runs in the current section."""
        section = self.section()
        return section is not None and section.stop()

    def settings_changed(self) -> None:
        """Notify the sections of a change elsewhere."""
        for section in self.sections.values():
            section.settings_changed()

    def open_files(self, paths: list[Path]) -> None:
        """Pass dropped files to the current section, or else to one that accepts them."""
        self.take_files(paths)

    def take_files(self, paths: list[Path]) -> bool:
        """Pass folders and zips of models to a section; returns whether one accepted them."""
        section = self.section()
        if section is not None and section.take_files(paths):
            return True
        for kind in SECTIONS:
            if self.names.selected() != kind.KEY and self.get(kind).take_files(paths):
                self.show_section(kind.KEY)
                return True
        return False

    @Slot()
    def _search(self) -> None:
        section = self.section()
        if section is not None:
            section.search()

    @Slot(str)
    def _changed_here(self, what: str) -> None:
        """Notify the other sections, and the window, which notifies the other pages."""
        for section in self.sections.values():
            if section is not self.sender():
                section.settings_changed()
        self.changed.emit(what)

    def connect_section(self, section: ModelsSection) -> None:
        """Connect to the signals of a new section."""
        section.lost.connect(self.lost)
        section.changed.connect(self._changed_here)
        section.look_inside.connect(self.look_inside)
