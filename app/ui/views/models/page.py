"""The page of models: what is installed, what can be had, how good it is, and where it runs."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QStackedWidget, QVBoxLayout, QWidget

from app.flows.workspace import Workspace
from app.ui.jobs import Lanes
from app.ui.theme import Theme
from app.ui.views.models.computer import ComputerSection
from app.ui.views.models.installed import InstalledSection
from app.ui.views.models.measure import MeasureSection
from app.ui.views.models.network import NetworkSection
from app.ui.views.models.offered import OfferedSection
from app.ui.views.models.section import ModelsSection
from app.ui.views.page import Page
from app.ui.widgets.segments import Segments

# In the order of their names; a section is made when it is first up.
SECTIONS: tuple[type[ModelsSection], ...] = (
    InstalledSection,
    OfferedSection,
    MeasureSection,
    ComputerSection,
    NetworkSection,
)


class ModelsView(Page):
    """The names of the sections above, the one that is up below.

    `changed` carries the name of a setting that was changed and saved here, or "models" where one was installed or
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
        super().__init__(workspace, theme, lanes, parent)
        self._made: dict[str, ModelsSection] = {}
        self._title = QLabel(self.TITLE)
        self.names = Segments(theme, "Section", tuple((kind.KEY, kind.TITLE) for kind in SECTIONS))
        self.stack = QStackedWidget()
        self._lay_out()
        self.names.chosen.connect(self._chosen)
        if SECTIONS:
            self.names.select(SECTIONS[0].KEY)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.add_shortcuts(
            ("Ctrl+Tab", self.next), ("Ctrl+Shift+Tab", self.previous), ("Alt+Right", self.next),
            ("Alt+Left", self.previous), ("Ctrl+F", self._search), ("Ctrl+L", self._search),
        )  # fmt: skip

    # What the window asks of a page

    def shown(self) -> None:
        """Bring up the section that is named."""
        self.show_section(self.names.selected())

    def stop(self) -> bool:
        """Stop what runs in the section that is up."""
        section = self.section()
        return section is not None and section.stop()

    def keep(self) -> None:
        """Keep what the sections hold for the next start."""
        for section in self._made.values():
            section.keep()

    def settings_changed(self) -> None:
        """Tell the sections that something was changed elsewhere."""
        for section in self._made.values():
            section.settings_changed()

    def open_files(self, paths: list[Path]) -> None:
        """Have dropped files taken by the section that is up, or else by the one that takes them."""
        self.take_files(paths)

    def take_files(self, paths: list[Path]) -> bool:
        """Have models' folders and zips taken; returns whether a section took them."""
        section = self.section()
        if section is not None and section.take_files(paths):
            return True
        for kind in SECTIONS:
            if self.names.selected() != kind.KEY and self._get(kind).take_files(paths):
                self.show_section(kind.KEY)
                return True
        return False

    # Sections

    def section(self) -> ModelsSection | None:
        """The section that is up, if it was made already."""
        return self._made.get(self.names.selected())

    @Slot(str, object)
    def show_section(self, key: str, argument: object = None) -> None:
        """Bring up a section by its key, with something to show in it; an unknown key is let be."""
        kind = next((kind for kind in SECTIONS if key == kind.KEY), None)
        if kind is None:
            return
        section = self._get(kind)
        self.names.select(key)
        self.stack.setCurrentWidget(section)
        if argument is not None:
            section.receive(argument)
        section.shown()

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
        if keys:
            self.show_section(keys[(keys.index(self.names.selected()) + way) % len(keys)])

    @Slot(str)
    def _chosen(self, key: str) -> None:
        self.show_section(key)

    @Slot()
    def _search(self) -> None:
        section = self.section()
        if section is not None:
            section.search()

    @Slot(str)
    def _changed_here(self, what: str) -> None:
        """Tell the other sections, and the window, which tells the other pages."""
        for section in self._made.values():
            if section is not self.sender():
                section.settings_changed()
        self.changed.emit(what)

    def _get(self, kind: type[ModelsSection]) -> ModelsSection:
        if kind.KEY not in self._made:
            section = kind(self.workspace, self.theme, self.lanes)
            section.note.connect(self.note)
            section.lost.connect(self.lost)
            section.changed.connect(self._changed_here)
            section.go.connect(self.show_section)
            section.look_inside.connect(self.look_inside)
            self._made[kind.KEY] = section
            self.stack.addWidget(section)
            # With a stylesheet in force Qt drops the fonts of what gets a parent.
            self.theme.refresh()
        return self._made[kind.KEY]

    # Looks

    def _lay_out(self) -> None:
        self._head = QFrame()
        self._head.setProperty("kind", "frame")
        self._row = QHBoxLayout(self._head)
        self._row.addWidget(self._title)
        self._row.addWidget(self.names, 1)
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
        self._row.setContentsMargins(step(6), step(4), step(6), step(4))
        self._row.setSpacing(step(6))
