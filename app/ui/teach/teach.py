"""The page Teach: a classifier learns labels of the person's own, and the reader learns from corrections."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Slot

from app.core.message import Message
from app.flows.workspace import Workspace
from app.ui.kit.jobs import Lanes
from app.ui.kit.sectioned import SectionedPage
from app.ui.kit.theme import Theme
from app.ui.teach.labels import LabelsSection
from app.ui.teach.reader import ReaderSection


class TeachView(SectionedPage[LabelsSection | ReaderSection]):
    """The sections for labels and for the reader; the one shown last is shown again at the next start."""

    KEY = "teach"
    TITLE = Message("Teach")
    ICON = "teach"

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__((LabelsSection, ReaderSection), workspace, theme, lanes)
        self.names.select(workspace.settings.teach_section)
        self.add_shortcuts(("Ctrl+F", self.search))

    @Slot(str)
    @Slot(str, object)
    def show_section(self, key: str, argument: object = None) -> None:
        """Show a section, and remember it for the next start."""
        super().show_section(key, argument)
        self.workspace.settings.teach_section = self.names.selected()
        if (section := self.section()) is not None:
            self.SHORTCUTS = (*section.SHORTCUTS, ("Ctrl+Tab", Message("Labels, or the reader")))

    @Slot(list)
    def open_files(self, paths: list[Path]) -> None:
        """Open a table in the section for labels."""
        self.show_section(LabelsSection.KEY)
        section = self.section()
        assert isinstance(section, LabelsSection)
        section.open_files(paths)
