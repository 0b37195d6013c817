"""The models page: installed and available models, measures, the computer and the network."""

from __future__ import annotations

from pathlib import Path

from app.core.message import Message
from app.flows.workspace import Workspace
from app.ui.kit.jobs import Lanes
from app.ui.kit.sectioned import Section, SectionedPage
from app.ui.kit.theme import Theme
from app.ui.models.computer import ComputerSection
from app.ui.models.installed import InstalledSection
from app.ui.models.measure.section import MeasureSection
from app.ui.models.network import NetworkSection
from app.ui.models.offered import OfferedSection

# In the order of their names; a section is created when it is first shown.
SECTIONS: tuple[type[Section], ...] = (
    InstalledSection,
    OfferedSection,
    MeasureSection,
    ComputerSection,
    NetworkSection,
)


class ModelsView(SectionedPage[Section]):
    """The names of the sections above, the current one below."""

    KEY = "models"
    TITLE = Message("Models")
    ICON = "models"
    SHORTCUTS = (
        ("Ctrl+Tab", Message("Next section")),
        ("Ctrl+Shift+Tab", Message("Section before")),
        ("Alt+Right, Alt+Left", Message("Next section, section before")),
        ("Ctrl+F", Message("Search")),
        ("Enter", Message("To the chosen model's buttons")),
        ("Del", Message("Remove the chosen model, after asking")),
        ("Ctrl+Enter", Message("Measure")),
        ("Ctrl+C, Del, Ctrl+Z", Message("Copy, delete, bring back what was measured")),
        ("Esc", Message("Stop or pause")),
    )

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__(SECTIONS, workspace, theme, lanes)
        self.add_shortcuts(
            ("Alt+Right", self.next), ("Alt+Left", self.previous), ("Ctrl+F", self.search), ("Ctrl+L", self.search),
        )  # fmt: skip

    def receive(self, argument: object) -> None:
        """Take models that were given elsewhere, or show a section."""
        if isinstance(argument, list):
            self.open_files(argument)
        else:
            super().receive(argument)

    def open_files(self, paths: list[Path]) -> None:
        """Pass dropped files to the current section, or else to one that accepts them."""
        for kind in sorted(SECTIONS, key=lambda kind: self.names.selected() != kind.KEY):
            if self.get(kind).take_files(paths):
                if self.names.selected() != kind.KEY:
                    self.show_section(kind.KEY)
                return
