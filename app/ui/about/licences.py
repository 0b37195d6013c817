"""The section of About that lists everything Spanlight is made of, with its licences in full."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.core.components import Component
from app.core.licences import licence_in_words
from app.flows.licences import licences
from app.flows.workspace import Workspace
from app.ui.about.licence_sheet import LicenceSheet
from app.ui.about.section import AboutSection
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.model_filters import ModelFilters
from app.ui.kit.model_list import ModelList, ModelRow
from app.ui.kit.models_empty import ModelsEmpty
from app.ui.kit.theme import Theme
from app.ui.kit.two_panes import TwoPanes

_SPLITTER = "licences"


class LicencesSection(AboutSection):
    """A list with a search at the left, the licence of the chosen part at the right."""

    KEY = "licences"
    TITLE = "Licences"

    def __init__(
        self, workspace: Workspace, theme: Theme, lanes: Lanes, parent: QWidget | None = None
    ) -> None:
        super().__init__(workspace, theme, lanes, parent)
        self._job: Job | None = None
        self._parts: tuple[Component, ...] = ()
        self._known = False
        self.panes = TwoPanes(theme)
        self.filters = ModelFilters(theme, "Search parts and licences", {})
        self.list = ModelList(theme, "What Spanlight is made of")
        self.sheet = LicenceSheet(theme)
        self.empty = ModelsEmpty(theme)
        for part in (self.notice, self.filters, self.list):
            self.panes.left.addWidget(part)
        self.panes.left.setStretchFactor(self.list, 1)
        self.panes.show_right(self.sheet)
        self.panes.restore(workspace.settings.splitters.get(_SPLITTER, []))
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.panes)
        self.filters.changed.connect(self._show_rows)
        self.filters.down_asked.connect(self.list.go_in)
        self.list.up_asked.connect(self.filters.go_to_search)
        self.list.chosen.connect(self._show)
        self.list.entered.connect(self._enter)
        self.empty.acted.connect(self.filters.clear)

    def shown(self) -> None:
        """Read the list once, and go to it."""
        if self._job is None:
            self._job = self.lanes.files.start(licences, self.workspace)
            self._job.done.connect(self._found)
            self._job.failed.connect(self.say_fault)
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def keep(self) -> None:
        """Keep where the line between list and text is."""
        self.workspace.settings.splitters[_SPLITTER] = self.panes.sizes()

    def search(self) -> None:
        """Go to the search."""
        self.filters.go_to_search()

    @Slot(object)
    def _found(self, parts: tuple[Component, ...]) -> None:
        self._parts, self._known = parts, True
        self._show_rows()

    @Slot()
    def _show_rows(self) -> None:
        if not self._known:
            return
        words = self.filters.words()
        rows = [
            ModelRow(str(at), part.name, licence_in_words(part.licence) or "not stated", part.version)
            for at, part in enumerate(self._parts)
            if part.fits(words)
        ]
        keys = [row.key for row in rows]
        before = self.list.key()
        self.list.set_rows(rows)
        self.list.choose(before if before in keys else keys[0] if keys else "")
        self._show(self.list.key())

    @Slot(str)
    def _show(self, key: str) -> None:
        if not key:
            self.empty.say("Nothing found", "No part, and no licence, fits this search.", "Show all")
            self.panes.show_right(self.empty)
            return
        part = self._parts[int(key)]
        self.sheet.show_part(part, licence_in_words(part.licence) or "not stated")
        self.panes.show_right(self.sheet)

    @Slot(str)
    def _enter(self) -> None:
        self.sheet.text.setFocus(Qt.FocusReason.OtherFocusReason)
