"""About Spanlight: what it is and of which version, its licences, and what helps to find a fault."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QStackedWidget, QToolButton, QVBoxLayout, QWidget

from app.flows.workspace import Workspace
from app.ui.jobs import Lanes
from app.ui.theme import Theme
from app.ui.views.about.diagnostics import DiagnosticsSection
from app.ui.views.about.licences import LicencesSection
from app.ui.views.about.overview import OverviewSection
from app.ui.views.about.section import AboutSection
from app.ui.views.page import Page
from app.ui.widgets.segments import Segments

# In the order of their names; a section is made when it is first up.
SECTIONS: tuple[type[AboutSection], ...] = (OverviewSection, LicencesSection, DiagnosticsSection)


class AboutView(Page):
    """The names of the sections above, the one that is up below.

    `closed` asks for the page that was up before, `updates_asked` for the place in the settings where updates are asked
    for, `welcome_asked` for the welcome of the first start.
    """

    KEY = "about"
    TITLE = "About"
    ICON = "help"
    SHORTCUTS = (
        ("Ctrl+Tab", "Next section"),
        ("Ctrl+Shift+Tab", "Section before"),
        ("Ctrl+F", "Search licences"),
        ("Esc", "Back"),
    )

    closed = Signal()
    updates_asked = Signal()
    welcome_asked = Signal()

    def __init__(
        self, workspace: Workspace, theme: Theme, lanes: Lanes, parent: QWidget | None = None
    ) -> None:
        super().__init__(workspace, theme, lanes, parent)
        self._made: dict[str, AboutSection] = {}
        self._title = QLabel(self.TITLE)
        self.names = Segments(theme, "Section", tuple((kind.KEY, kind.TITLE) for kind in SECTIONS))
        self.names.select(SECTIONS[0].KEY)
        self.back = QToolButton()
        self.back.setAccessibleName("Back")
        self.back.setToolTip("Back  (Esc)")
        self.stack = QStackedWidget()
        self._lay_out()
        self.names.chosen.connect(self.show_section)
        self.back.clicked.connect(self.closed)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.add_shortcuts(
            ("Ctrl+Tab", self.next), ("Ctrl+Shift+Tab", self.previous), ("Ctrl+F", self._search),
            ("Ctrl+L", self._search),
        )  # fmt: skip

    # What the window asks of a page

    def shown(self) -> None:
        """Bring up the section that is named."""
        self.show_section(self.names.selected())

    def stop(self) -> bool:
        """Go back to the page that was up before."""
        self.closed.emit()
        return True

    def keep(self) -> None:
        """Keep where the line between list and text is."""
        for section in self._made.values():
            section.keep()

    # Sections

    def section(self) -> AboutSection | None:
        """The section that is up, if it was made already."""
        return self._made.get(self.names.selected())

    @Slot(str)
    def show_section(self, key: str) -> None:
        """Bring up a section by its key; an unknown key is let be."""
        kind = next((kind for kind in SECTIONS if key == kind.KEY), None)
        if kind is None:
            return
        if key not in self._made:
            section = self._made[key] = kind(self.workspace, self.theme, self.lanes)
            section.go.connect(self.show_section)
            section.note.connect(self.note)
            section.updates_asked.connect(self.updates_asked)
            section.welcome_asked.connect(self.welcome_asked)
            self.stack.addWidget(section)
            # With a stylesheet in force Qt drops the fonts of what gets a parent.
            self.theme.refresh()
        self.names.select(key)
        self.stack.setCurrentWidget(self._made[key])
        self._made[key].shown()

    @Slot()
    def next(self) -> None:
        """Go to the next section, from the last one to the first."""
        self._step(1)

    @Slot()
    def previous(self) -> None:
        """Go to the section before, from the first one to the last."""
        self._step(-1)

    def _step(self, way: int) -> None:
        keys = [kind.KEY for kind in SECTIONS]
        self.show_section(keys[(keys.index(self.names.selected()) + way) % len(keys)])

    @Slot()
    def _search(self) -> None:
        self.show_section(LicencesSection.KEY)
        self._made[LicencesSection.KEY].search()

    # Looks

    def _lay_out(self) -> None:
        self._head = QFrame()
        self._head.setProperty("kind", "frame")
        self._row = QHBoxLayout(self._head)
        self._row.addWidget(self._title)
        self._row.addWidget(self.names, 1)
        self._row.addWidget(self.back)
        self._rule = QFrame()
        self._rule.setProperty("kind", "rule")
        self._rule.setFixedHeight(1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        for part in (self._head, self._rule):
            whole.addWidget(part)
        whole.addWidget(self.stack, 1)
        self.setProperty("kind", "desk")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)

    @Slot()
    def _restyle(self) -> None:
        step = self.theme.step
        self._title.setFont(self.theme.font("title"))
        self.back.setIcon(self.theme.icon("close"))
        self.back.setIconSize(QSize(step(4), step(4)))
        self._row.setContentsMargins(step(6), step(4), step(4), step(4))
        self._row.setSpacing(step(6))
