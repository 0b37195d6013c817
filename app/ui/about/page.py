"""The page About, and its first section: versions, the computer, and the folders in use."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QPushButton, QToolButton, QWidget

from app.core import wording
from app.core.about import COPYRIGHT, NAME, VERSION
from app.core.message import Message
from app.core.models import Devices
from app.flows.about import About, about, places
from app.flows.models.devices import devices
from app.flows.workspace import Workspace
from app.settings.paths import short_path
from app.ui.about.diagnostics import DiagnosticsSection, qt_versions
from app.ui.about.licences import LicencesSection
from app.ui.kit.boxes import column, row
from app.ui.kit.facts import Fact, FactsGrid
from app.ui.kit.form_card import CardColumn, FormCard, side_by_side
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.notice import Notice
from app.ui.kit.outside import open_folder
from app.ui.kit.parts import ElidedLabel, IconLabel, LinkedChoice, as_tip, plain_label, push_button
from app.ui.kit.sectioned import Section, SectionedPage
from app.ui.kit.spoken import sentence, sentences
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr

_WHAT = Message(
    "Answers questions about your own documents by lighting up the exact words of the answer, on your own computer."
)
_STAYS = Message("Nothing of it ever leaves this computer.")


class OverviewSection(Section):
    """Cards with links, the versions of components, this computer, and the folders."""

    KEY = "spanlight"
    TITLE = NAME

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__(workspace, theme, lanes)
        self.folder_notice = Notice(theme)
        self._job: Job | None = None
        self._about: About | None = None
        self._device = ""
        self.icon = IconLabel(theme, theme.app_icon(), 16)
        self.icon.setAccessibleName(tr("Spanlight's icon"))
        self.version = plain_label(
            tr("Version {version} · {copyright}", version=VERSION, copyright=COPYRIGHT),
            type="small",
            ink="quiet",
            selectable=True,
        )
        self.what = plain_label(_WHAT)
        self.licence = LinkedChoice(theme, tr("All licences"))
        self.updates = LinkedChoice(theme, tr("Settings: Updates"))
        self.welcome = LinkedChoice(theme, tr("Show the welcome again"))
        self.fault = LinkedChoice(theme, tr("Diagnostics"))
        self.versions, self.computer = FactsGrid(theme), FactsGrid(theme)
        self.folders: dict[str, QPushButton] = {}
        self._lay_out()
        self.licence.followed.connect(partial(self.go.emit, "licences", None))
        self.fault.followed.connect(partial(self.go.emit, "diagnostics", None))
        self.updates.followed.connect(partial(self.go.emit, "settings", "updates"))
        self.welcome.followed.connect(partial(self.go.emit, "ask", "welcome"))

    def shown(self) -> None:
        """Look up the versions and the computer once; the device, after running work."""
        if self._job is None:
            self._job = self.lanes.files.start(about, self.workspace).then(self._found, self.show_fault)
            self.lanes.work.start_aside(devices, self.workspace).then(self._devices_found, self._no_devices)
        if not self.isAncestorOf(self.window().focusWidget() or self):
            self.licence.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot(object)
    def _found(self, found: About) -> None:
        self._about = found
        versions = [*found.versions[:2], *qt_versions(), *found.versions[2:]]
        self.versions.set_facts([Fact(name, version) for name, version in versions])
        self._show_computer()

    @Slot(object)
    def _devices_found(self, found: Devices) -> None:
        title = next((one.title for one in found.options if one.key == found.auto.device), found.auto.title)
        self._device = sentences(title, sentence(found.auto.reason))
        self._show_computer()

    @Slot(object)
    def _no_devices(self, error: BaseException) -> None:
        self._device = tr("not known: the models cannot be started")
        self._show_computer()

    def _show_computer(self) -> None:
        if self._about is None:
            return
        here = self._about
        self.computer.set_facts(
            [
                Fact(tr("System"), here.system),
                Fact(
                    tr("Processor"),
                    tr(
                        "{processor}, {n:,} core",
                        "{processor}, {n:,} cores",
                        processor=here.processor,
                        n=here.cores,
                    ),
                ),
                Fact(tr("Memory"), wording.size(here.memory) if here.memory else ""),
                Fact(tr("Graphics"), ", ".join(here.graphics)),
                Fact(tr("Models run on"), self._device or tr("Being looked up…")),
            ]
        )

    def _open(self, folder: Path) -> None:
        self.folder_notice.hide()
        open_folder(folder, self.folder_notice.show_unopened, self)

    # Looks

    def _lay_out(self) -> None:
        name = plain_label(NAME, type="answer")
        words, head = column(self.theme, name, self.version, self.what, gap=1), QWidget()
        row(self.theme, (self.icon, 0, Qt.AlignmentFlag.AlignTop), (words, 1), gap=5, parent=head)
        self.licence.set_words(tr("Free software, under the Apache License 2.0"))
        self.updates.set_words(tr("Asked for only when you press the button"))
        self.welcome.set_words(tr("A sample that is asked for you"))
        self.fault.set_words(tr("What helps to find it, to copy"))
        ways = FormCard(self.theme)
        ways.add_row(tr("Licence"), self.licence)
        ways.add_row(tr("Updates"), self.updates)
        ways.add_row(tr("First steps"), self.welcome)
        ways.add_row(tr("When something is wrong"), self.fault)
        versions, computer = FormCard(self.theme, tr("Versions")), FormCard(self.theme, tr("This computer"))
        versions.add_full_width(self.versions)
        computer.add_full_width(self.computer)
        folders_card = FormCard(self.theme, tr("Where everything lies"))
        here = places(self.workspace)
        for place in here:
            path = ElidedLabel(short_path(place.folder))
            button = push_button(
                self.theme,
                tr("Open the folder"),
                name=tr("Open the folder: {folder}", folder=place.title),
            )
            path.setAccessibleName(f"{localised(place.title)}: {place.folder}")
            path.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            button.clicked.connect(partial(self._open, place.folder))
            both = side_by_side(self.theme, path, button)
            folders_card.add_row(place.title, both, _STAYS if place is here[-1] else "")
            self.folders[place.title] = button
        folders_card.add_full_width(self.folder_notice)
        cards = CardColumn(self.theme)
        for part in (head, self.notice, ways, versions, computer, folders_card):
            cards.add(part)
        cards.fill(self)


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
