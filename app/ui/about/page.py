"""The page About: version, licences and diagnostics."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QToolButton

from app.core.message import Message
from app.flows.workspace import Workspace
from app.ui.about.diagnostics import DiagnosticsSection
from app.ui.about.licences import LicencesSection
from app.ui.about.overview import OverviewSection
from app.ui.kit.jobs import Lanes
from app.ui.kit.parts import as_tip
from app.ui.kit.sectioned import Section, SectionedPage
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr

# In the order of their names; a section is created when it is first shown.
SECTIONS: tuple[type[Section], ...] = (OverviewSection, LicencesSection, DiagnosticsSection)


class AboutView(SectionedPage[Section]):
    """The sections about Spanlight. `closed` asks for the page that was shown before."""

    KEY = "about"
    TITLE = Message("About")
    ICON = "help"
    SHORTCUTS = (
        ("Ctrl+Tab", Message("Next section")),
        ("Ctrl+Shift+Tab", Message("Section before")),
        ("Ctrl+F", Message("Search licences")),
        ("Esc", Message("Back")),
    )

    closed = Signal()

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__(SECTIONS, workspace, theme, lanes)
        self.back.clicked.connect(self.closed)
        self.add_shortcuts(("Ctrl+F", self._search), ("Ctrl+L", self._search))

    def stop(self) -> bool:
        """Go back to the page that was shown before."""
        self.closed.emit()
        return True

    @Slot()
    def _search(self) -> None:
        self.show_section(LicencesSection.KEY)
        self.sections[LicencesSection.KEY].search()

    def _lay_out(self) -> None:
        super()._lay_out()
        self.back = QToolButton()
        self.back.setAccessibleName(tr("Back"))
        self.back.setToolTip(as_tip(tr("Back  (Esc)")))
        self.row.addWidget(self.back)
        self.back.setIcon(self.theme.icon("close", "ink_quiet"))
        self.theme.space(self.row, 6, (6, 4, 4, 4))
