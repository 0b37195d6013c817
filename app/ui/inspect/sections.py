"""The sections of the Look inside page: their names in a row, and the current one."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedWidget, QTabBar, QWidget

from app.core.inspection import Visit
from app.core.models import Head, ModelCard
from app.ui.inspect.compare import CompareSection
from app.ui.inspect.loss import LossSection
from app.ui.inspect.picture import PictureSection
from app.ui.inspect.pooling import PoolingSection
from app.ui.inspect.section import Section
from app.ui.inspect.spans import SpansSection
from app.ui.inspect.why import WhySection
from app.ui.kit.boxes import column
from app.ui.kit.parts import Scrolling, as_tip
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr

SECTIONS: tuple[type[Section], ...] = (
    PictureSection, SpansSection, PoolingSection, LossSection, WhySection, CompareSection,
)  # fmt: skip


class Sections(QObject):
    """`names` is the row of names, `stack` the sections below it; a section is created when it is first shown."""

    def __init__(self, make: Callable[[type[Section]], Section], theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._make = make
        self._theme = theme
        self._sections: dict[int, Section] = {}
        self._areas: dict[int, QScrollArea] = {}
        self.names = QTabBar()
        self.names.setDrawBase(False)
        self.names.setProperty("ground", "panel")
        self.names.setExpanding(False)
        self.names.setAccessibleName(tr("Sections"))
        for at, kind in enumerate(SECTIONS):
            self.names.addTab(localised(kind.TITLE))
            self.names.setTabToolTip(at, as_tip(kind.TERM))
        self.stack = QStackedWidget()
        self._blank = QWidget()
        self.stack.addWidget(self._blank)

    def current(self) -> Section | None:
        """The selected section, if it exists already."""
        return self._sections.get(self.names.currentIndex())

    def name_for(self, head: Head) -> None:
        """List the sections that apply to the head; the current one stays selected if it does, else the first is."""
        if head not in SECTIONS[self.names.currentIndex()].HEADS:
            self.names.setCurrentIndex(0)
        for at, kind in enumerate(SECTIONS):
            self.names.setTabVisible(at, head in kind.HEADS)

    def named(self) -> list[int]:
        """The indices of the listed sections."""
        return [at for at in range(self.names.count()) if self.names.isTabVisible(at)]

    def choose(self, key: str) -> None:
        """Select a section by its key; an unlisted one is ignored."""
        for at in self.named():
            if key == SECTIONS[at].KEY:
                self.names.setCurrentIndex(at)

    def show_visit(self, visit: Visit, models: tuple[ModelCard, ...]) -> None:
        """Show the visit in the selected section; queries of the others are dropped."""
        at = self.names.currentIndex()
        if at not in self._sections:
            self._add(at)
        for other, section in self._sections.items():
            if other != at:
                section.drop()
        self.stack.setCurrentWidget(self._areas[at])
        self._sections[at].show_visit(visit, models)

    def show_nothing(self) -> None:
        """Show no section."""
        self.stack.setCurrentWidget(self._blank)

    def stop(self) -> bool:
        """Stop the queries of the selected section; returns whether there were any."""
        section = self.current()
        return section is not None and section.stop()

    def drop(self) -> None:
        """Drop all queries."""
        for section in self._sections.values():
            section.drop()

    @Slot()
    def next(self) -> None:
        """Go to the next section, from the last one to the first."""
        self._step(1)

    @Slot()
    def previous(self) -> None:
        """Go to the previous section, from the first one to the last."""
        self._step(-1)

    def _step(self, way: int) -> None:
        named = self.named()
        at = named.index(self.names.currentIndex()) + way
        self.names.setCurrentIndex(named[at % len(named)])

    def _add(self, at: int) -> None:
        section = self._make(SECTIONS[at])
        ground = QFrame()
        ground.setProperty("kind", "panel")
        column(self._theme, section, margins=(6, 5, 6, 6), parent=ground)
        area = Scrolling(ground)
        self._sections[at], self._areas[at] = section, area
        self.stack.addWidget(area)
        # With a stylesheet in force Qt drops the fonts of a widget that gets a parent.
        self._theme.refresh()
