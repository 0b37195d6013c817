"""The section Licences of the page About: all components of Spanlight with their full licences."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QFrame

from app.core.licences import Component, licence_in_words
from app.core.message import Message
from app.flows.licences import licences
from app.flows.workspace import Workspace
from app.ui.about.diagnostics import PlainText
from app.ui.kit.boxes import column
from app.ui.kit.flow_text import FlowText
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.model_list import ListedSection, ModelFilters, ModelRow
from app.ui.kit.parts import plain_label
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr

_NO_TEXT, _NOT_STATED = Message("No text of it comes along."), Message("not stated")


class LicenceSheet(QFrame):
    """A component: its name, a line with licence, version and page, a note, and the text of the licence."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._title = FlowText(theme, "answer", spacing=1.1)
        self._details, self._note = plain_label(type="small", ink="quiet"), plain_label()
        for label in (self._details, self._note):
            label.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
        self.text = PlainText(theme, tr("Licence"))
        parts = (self._title, self._details, self._note, (self.text, 1))
        column(theme, *parts, gap=2, margins=(8, 7, 4, 4), parent=self)

    def show_part(self, part: Component, licence: str) -> None:
        """Show a component; `licence` is its licence in words."""
        if part.name == self.title() and self.text.toPlainText():
            return
        self._title.set_text(part.name)
        version = tr("version {version}", version=part.version) if part.version else ""
        details = " · ".join(filter(None, (localised(licence), version, part.page)))
        self._details.setText(details)
        self._details.setAccessibleName(details)
        self._note.setText(part.note)
        self._note.setVisible(bool(part.note))
        texts = []
        for one in part.texts:
            names = f"[{', '.join(one.names)}]\n\n" if len(part.texts) > 1 and one.names else ""
            texts.append(names + one.text)
        self.text.setPlainText("\n\n\n".join(texts) or localised(_NO_TEXT))
        self.text.setAccessibleName(tr("Licence of {part}", part=part.name))

    def title(self) -> str:
        """The shown name."""
        return self._title.text()


class LicencesSection(ListedSection):
    """The list of all components, and the licence of the chosen one."""

    KEY = "licences"
    TITLE = Message("Licences")
    SPLITTER = "licences"

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        filters = ModelFilters(theme, tr("Search parts and licences"), {})
        super().__init__(workspace, theme, lanes, filters, tr("What Spanlight is made of"), "models")
        self._job: Job | None = None
        self._parts: tuple[Component, ...] = ()
        self.sheet = LicenceSheet(theme)
        self.panes.show_right(self.sheet)
        self.list.chosen.connect(self._show)
        self.list.entered.connect(self._enter)
        self.empty.button.clicked.connect(self.filters.clear)

    def shown(self) -> None:
        """Read the components once, and put the keyboard focus into the list."""
        if self._job is None:
            self._job = self.lanes.files.start(licences, self.workspace).then(self._found, self.show_fault)
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot(object)
    def _found(self, parts: tuple[Component, ...]) -> None:
        self._parts = parts
        self.show_rows()

    @Slot()
    def show_rows(self) -> None:
        if not self._parts:  # not read yet
            return
        words = self.filters.words()
        rows = [
            ModelRow(str(at), part.name, licence_in_words(part.licence) or _NOT_STATED, part.version)
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
            self.empty.show_message(
                tr("Nothing found"), tr("No part, and no licence, fits this search."), tr("Show all")
            )
            self.panes.show_right(self.empty)
            return
        part = self._parts[int(key)]
        self.sheet.show_part(part, licence_in_words(part.licence) or _NOT_STATED)
        self.panes.show_right(self.sheet)

    @Slot(str)
    def _enter(self) -> None:
        self.sheet.text.setFocus(Qt.FocusReason.OtherFocusReason)
