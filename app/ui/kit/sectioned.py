"""Pages of several sections: the sections' names above, the current section below."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Generic, TypeVar

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QFrame, QStackedWidget

from app.core.errors import EngineLost
from app.flows.workspace import Workspace
from app.ui.kit.boxes import column, row
from app.ui.kit.jobs import Lanes
from app.ui.kit.notice import Notice
from app.ui.kit.page import Page, PagePart
from app.ui.kit.parts import plain_label, rule
from app.ui.kit.segments import Segments
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr


class Section(PagePart):
    """A section of a page, created when it is first shown.

    `show_fault` shows errors in `notice`, which a subclass lays out.
    """

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__(workspace, theme, lanes)
        self.notice = Notice(theme)

    def search(self) -> None:
        """Put the keyboard focus into the search, if there is one."""

    def take_files(self, paths: list[Path]) -> bool:
        """Accept dropped files; returns whether they were accepted."""
        return False

    @Slot(object)
    def show_fault(self, error: BaseException) -> None:
        """Show an error in the notice."""
        self.notice.show_error(error)
        if isinstance(error, EngineLost):
            self.lost.emit()


SectionT = TypeVar("SectionT", bound=Section)


class SectionedPage(Page, Generic[SectionT]):
    """A page of `kinds` of sections, in the order of their names; the first one is shown first."""

    def __init__(
        self, kinds: Sequence[type[SectionT]], workspace: Workspace, theme: Theme, lanes: Lanes
    ) -> None:
        super().__init__(workspace, theme, lanes)
        self._kinds = tuple(kinds)
        self.sections: dict[str, SectionT] = {}
        self.names = Segments(theme, tr("Section"), tuple((kind.KEY, kind.TITLE) for kind in self._kinds))
        self.names.select(self._kinds[0].KEY)
        self.stack = QStackedWidget()
        self._lay_out()
        self.names.chosen.connect(self.show_section)
        self.add_shortcuts(("Ctrl+Tab", self.next), ("Ctrl+Shift+Tab", self.previous))

    # The page's interface to the window

    def receive(self, argument: object) -> None:
        """Show a section: the argument is its key, with or without what to show there."""
        assert isinstance(argument, tuple)
        self.show_section(*argument)

    def shown(self) -> None:
        """Show the selected section."""
        self.show_section(self.names.selected())

    def keep(self) -> None:
        """Have the sections save their state for the next start."""
        for section in self.sections.values():
            section.keep()

    def stop(self) -> bool:
        """Stop what runs in the current section."""
        section = self.section()
        return section is not None and section.stop()

    def settings_changed(self) -> None:
        """Notify the sections of a change elsewhere."""
        for section in self.sections.values():
            section.settings_changed()

    # Sections

    def section(self) -> SectionT | None:
        """The current section, if it exists already."""
        return self.sections.get(self.names.selected())

    def get(self, kind: type[SectionT]) -> SectionT:
        """Return a section of the page, created if it has not been shown yet."""
        if kind.KEY not in self.sections:
            section = self.sections[kind.KEY] = kind(self.workspace, self.theme, self.lanes)
            section.note.connect(self.note)
            section.go.connect(self._go)
            section.lost.connect(self.lost)
            section.changed.connect(self._changed_here)
            self.stack.addWidget(section)
        return self.sections[kind.KEY]

    @Slot(str)
    @Slot(str, object)
    def show_section(self, key: str, argument: object = None) -> None:
        """Show a section by its key, and in it what the argument says; an unknown key is ignored."""
        kind = next((kind for kind in self._kinds if key == kind.KEY), None)
        if kind is None:
            return
        section = self.get(kind)
        self.names.select(key)
        self.stack.setCurrentWidget(section)
        if argument is not None:
            section.receive(argument)
        section.shown()

    @Slot(str, object)
    def _go(self, key: str, argument: object) -> None:
        """Show another section, or have the window show another page."""
        if any(key == kind.KEY for kind in self._kinds):
            self.show_section(key, argument)
        else:
            self.go.emit(key, argument)

    @Slot()
    def search(self) -> None:
        """Put the keyboard focus into the search of the current section."""
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

    @Slot()
    def next(self) -> None:
        """Go to the next section, from the last one to the first."""
        self._step(1)

    @Slot()
    def previous(self) -> None:
        """Go to the previous section, from the first one to the last."""
        self._step(-1)

    def _step(self, way: int) -> None:
        keys = [kind.KEY for kind in self._kinds]
        self.show_section(keys[(keys.index(self.names.selected()) + way) % len(keys)])

    # Looks

    def _lay_out(self) -> None:
        self.head = QFrame()
        self.head.setProperty("kind", "frame")
        title = plain_label(self.TITLE, type="title", wrap=False)
        self.row = row(self.theme, title, (self.names, 1), gap=6, margins=(6, 4, 6, 4), parent=self.head)
        column(self.theme, self.head, rule(), (self.stack, 1), parent=self)
        self.setProperty("kind", "desk")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
