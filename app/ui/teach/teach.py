"""The page Teach: a classifier learns labels of the person's own, and the reader learns from corrections."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal, Slot

from app.core.message import Message
from app.flows.workspace import Workspace
from app.ui.kit.jobs import Lanes
from app.ui.kit.sectioned import SectionedPage
from app.ui.kit.theme import Theme
from app.ui.teach.labels import LabelsSection
from app.ui.teach.reader import ReaderSection


class TeachView(SectionedPage[LabelsSection | ReaderSection]):
    """What is taught above: labels, or the reader; the last one is shown again at the next start.

    `opened` carries an Entry whose document is to be opened, with what was said of it; `ask_asked` requests the page
    Ask.
    """

    KEY = "teach"
    TITLE = Message("Teach")
    ICON = "teach"

    opened = Signal(object)
    ask_asked = Signal()

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

    def connect_section(self, section: LabelsSection | ReaderSection) -> None:
        """Connect to what the section of the reader requests."""
        if isinstance(section, ReaderSection):
            section.opened.connect(self.opened)
            section.ask_asked.connect(self.ask_asked)

    @Slot(list)
    def open_files(self, paths: list[Path]) -> None:
        self._labels().open_files(paths)

    def classify_files(self, paths: list[Path]) -> None:
        """Read a table whose texts are to be classified with the model in use."""
        self._labels().classify_files(paths)

    def _labels(self) -> LabelsSection:
        self.show_section(LabelsSection.KEY)
        section = self.section()
        assert isinstance(section, LabelsSection)
        return section
