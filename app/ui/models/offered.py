"""The section of available models: the catalogue, any other on Hugging Face, and imports from this computer."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.core.errors import SpanlightError
from app.core.models import Head, ModelCard
from app.core.report import Report
from app.flows.models.catalogue import search
from app.flows.models.get import named
from app.flows.models.take_in import looks_like_model
from app.flows.models.use import use
from app.flows.workspace import Workspace
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.model_filters import ModelFilters
from app.ui.kit.model_list import ModelList
from app.ui.kit.models_empty import ModelsEmpty
from app.ui.kit.theme import Theme, mark
from app.ui.kit.two_panes import TwoPanes
from app.ui.models.choosing import Choosing
from app.ui.models.downloads import Downloads
from app.ui.models.import_place import ImportPlace
from app.ui.models.importing import Importing
from app.ui.models.offer_sheet import OfferSheet
from app.ui.models.offers import LICENCES, SIZES, Offers, offers
from app.ui.models.section import ModelsSection
from app.ui.models.transfer_rows import TransferRows
from app.ui.models.words import PAGES, TASKS

_TASK, _LANGUAGE, _SIZE, _LICENCE = "Task", "Language", "Size", "Licence"
_SPLITTER = "models_offered"


class RepositoryLine(QFrame):
    """A line edit and a button, and below them why the text is no valid name. `requested` carries the text."""

    requested = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._title = QLabel("Any other model")
        self.line = QLineEdit()
        self.line.setPlaceholderText("organisation/name, or its address")
        self.line.setAccessibleName("A model's repository on Hugging Face, or its address")
        self.button = QPushButton("Show")
        self.button.setAccessibleName("Show this repository")
        self.button.setEnabled(False)
        self._row = QHBoxLayout()
        self._row.addWidget(self.line, 1)
        self._row.addWidget(self.button)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self._title)
        self._column.addLayout(self._row)
        self._fault = QLabel()
        self._fault.setWordWrap(True)
        self._fault.setTextFormat(Qt.TextFormat.PlainText)
        self._fault.setProperty("ink", "fault")
        self._fault.hide()
        self._column.addWidget(self._fault)
        self._title.setBuddy(self.line)
        self.line.textChanged.connect(self._typed)
        self.line.returnPressed.connect(self._submit)
        self.button.clicked.connect(self._submit)
        theme.changed.connect(self._restyle)
        self._restyle()

    def refuse(self, words: str) -> None:
        """Show why the text is no valid name, until it changes."""
        self._fault.setText(words)
        self._fault.setVisible(bool(words))
        self.line.setAccessibleDescription(words)
        self.line.setFocus(Qt.FocusReason.OtherFocusReason)
        self.line.selectAll()

    def refusal(self) -> str:
        """The message about an invalid name, empty if there is none."""
        return self._fault.text() if self._fault.isVisibleTo(self) else ""

    @Slot(str)
    def _typed(self, text: str) -> None:
        self._fault.hide()
        self.line.setAccessibleDescription("")
        self.button.setEnabled(bool(text.strip()))

    @Slot()
    def _submit(self) -> None:
        if self.line.text().strip():
            self.requested.emit(self.line.text().strip())

    @Slot()
    def _restyle(self) -> None:
        self._title.setFont(self._theme.font("strong"))
        self._fault.setFont(self._theme.font("small"))
        self._column.setSpacing(self._theme.step(1.5))
        self._row.setSpacing(self._theme.step(2))


class NothingFound(QFrame):
    """A message, a link that shows everything again, and one to a suggested repository, if there is one.

    `acted` is sent by the first, `named` by the second, with the repository.
    """

    acted = Signal()
    named = Signal(str)

    def __init__(self, theme: Theme, words: str) -> None:
        super().__init__()
        self._theme = theme
        self._words = QLabel(words)
        self._words.setWordWrap(True)
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._words.setProperty("ink", "quiet")
        self.button = QPushButton("Show all")
        self.button.setAccessibleName("Show all")
        mark(self.button, kind="link")
        self.button.clicked.connect(self.acted)
        self._meant = ""
        self.meant = QPushButton()
        mark(self.meant, kind="link")
        self.meant.clicked.connect(self._go)
        self._column = QVBoxLayout(self)
        self._column.addWidget(self._words)
        self._column.addWidget(self.meant, 0, Qt.AlignmentFlag.AlignLeft)
        self._column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)
        self._column.addStretch(1)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def mean(self, name: str) -> None:
        """Suggest a repository; none if the name is empty."""
        self._meant = name
        self.meant.setText(f"Show {name}")
        self.meant.setAccessibleName(f"Show {name}")
        self.meant.setVisible(bool(name))

    @Slot()
    def _go(self) -> None:
        self.named.emit(self._meant)

    @Slot()
    def _restyle(self) -> None:
        step = self._theme.step
        self._words.setFont(self._theme.font("ui"))
        self._words.setContentsMargins(step(1), 0, 0, 0)
        self._column.setContentsMargins(step(2), step(2), step(2), 0)
        self._column.setSpacing(step(1))


class OfferedSection(ModelsSection):
    """The list with its search at the left, other sources below, the chosen model at the right, downloads below."""

    KEY = "offered"
    TITLE = "Get more"

    def __init__(
        self, workspace: Workspace, theme: Theme, lanes: Lanes, parent: QWidget | None = None
    ) -> None:
        super().__init__(workspace, theme, lanes, parent)
        self._offers = Offers((), {}, {})
        self._named: list[str] = []
        self._sent = False
        self._shown: tuple[str, ...] = ()
        self._list_job: Job | None = None
        self._use_job: Job | None = None
        filters = {_TASK: TASKS, _LANGUAGE: (("", "Language"),), _SIZE: SIZES, _LICENCE: LICENCES}
        self.panes = TwoPanes(theme)
        self.filters = ModelFilters(theme, "Search models", filters)
        self.list = ModelList(theme, "Models that can be had")
        self.nothing = NothingFound(theme, "No model of this list fits. Any other can be named below.")
        self.repository = RepositoryLine(theme)
        self.place = ImportPlace(theme)
        self.sheet = OfferSheet(theme)
        self.empty = ModelsEmpty(theme, "save")
        self.transfers = TransferRows(theme)
        self.downloads = Downloads(workspace, lanes, self)
        self.choosing = Choosing(workspace, lanes, self.sheet, self.downloads, self)
        self.importing = Importing(workspace, lanes, self.place, self)
        for part in (self.notice, self.filters, self.list, self.nothing, self.repository, self.place):
            self.panes.left.addWidget(part)
        for part in (self.list, self.nothing):
            self.panes.left.setStretchFactor(part, 1)
        self.panes.show_right(self.sheet)
        self.panes.restore(workspace.settings.splitters.get(_SPLITTER, []))
        self._show_nothing()
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self.panes, 1)
        whole.addWidget(self.transfers)
        self._connect()
        self.downloads.look()

    # The section's interface to the page

    def shown(self) -> None:
        """Refresh the offers, and focus the search, or the model that the user was sent here for."""
        self._look()
        if self._sent:
            self._sent = False
            self.sheet.go_in()
        elif not self.isAncestorOf(self.window().focusWidget() or self):
            self.filters.search.setFocus(Qt.FocusReason.OtherFocusReason)

    def receive(self, argument: object) -> None:
        """Show a repository by name."""
        if isinstance(argument, str) and argument:
            self._name(argument)
            self._sent = True

    def settings_changed(self) -> None:
        """Apply a change of the network setting or of the installed models."""
        self.downloads.refresh()
        self._look()

    def stop(self) -> bool:
        """Stop a look-up or an import, else pause the running download."""
        return self.choosing.stop() or self.importing.stop() or self.downloads.pause_running()

    def keep(self) -> None:
        """Save the splitter's sizes."""
        self.workspace.settings.splitters[_SPLITTER] = self.panes.sizes()

    def take_files(self, paths: list[Path]) -> bool:
        """Import folders and zips that seem to be models."""
        models = [path for path in paths if path.is_dir() or looks_like_model(path)]
        if models:
            self.importing.take(models)
        return bool(models)

    def search(self) -> None:
        """Go to the search."""
        self.filters.go_to_search()

    # The list

    def _look(self) -> None:
        if self._list_job is not None:
            self._list_job.drop()
        self._list_job = self.lanes.files.start(offers, self.workspace)
        self._list_job.done.connect(self._offers_found)
        self._list_job.failed.connect(self.show_fault)

    @Slot(object)
    def _offers_found(self, found: Offers) -> None:
        self._offers = found
        self.filters.offer(_LANGUAGE, found.languages())
        self._show_rows()
        if self.choosing.repository:
            self._show_offer(self.choosing.repository)

    @Slot()
    def _show_rows(self) -> None:
        head = self.filters.choice(_TASK)
        found = search(
            self._offers.models,
            self.filters.words(),
            head=Head(head) if head else None,
            language=self.filters.choice(_LANGUAGE),
            largest=int(self.filters.choice(_SIZE) or 0),
            licence=self.filters.choice(_LICENCE),
        )
        rows = [self._offers.row(model) for model in found]
        own = () if self.filters.narrowing else self._own()
        rows[:0] = [self._offers.named_row(one, self.choosing.passport_of(one)) for one in own]
        self._shown = self._own()
        self.list.set_rows(rows)
        self.list.setVisible(bool(rows) or not self._offers.models)
        self.nothing.setVisible(self.list.isHidden())
        self.nothing.mean(self._meant())

    def _meant(self) -> str:
        """The repository named in the search, empty if none is."""
        words = self.filters.words()
        try:
            return named(self.workspace, words) if "/" in words else ""
        except SpanlightError:
            return ""

    def _own(self) -> tuple[str, ...]:
        """Repositories outside the catalogue: named here, or with a download from an earlier session."""
        known = dict.fromkeys([*self._named, *(row.key for row in self.downloads.rows())])
        return tuple(one for one in known if self._offers.find(one) is None)

    @Slot(str)
    def _show_offer(self, repository: str) -> None:
        known = self._offers.find(repository)
        name = known.repository if known is not None else repository
        self.choosing.show(
            name, known, self._offers.suits.get(name, ""), self._offers.installed.get(name, "")
        )
        self.panes.show_right(self.sheet)

    @Slot(str)
    def _take_typed(self, typed: str) -> None:
        try:
            repository = named(self.workspace, typed)
        except SpanlightError as error:
            self.repository.refuse(f"{error.message} {error.hint}")
            return
        self._name(repository)
        self.sheet.go_in()

    def _name(self, repository: str) -> None:
        """Put a repository at the top of the list, and show it; earlier ones stay if they were looked up."""
        looked_up = (one for one in self._named if self.choosing.passport_of(one) is not None)
        self._named = list(dict.fromkeys([repository, *looked_up]))
        self.filters.clear()
        self._show_offer(repository)
        self.list.choose(self.choosing.repository)

    @Slot(str, str)
    def _called(self, requested: str, name: str) -> None:
        """A repository was looked up: update its row, under the repository's own name."""
        self._named = list(dict.fromkeys(name if one == requested else one for one in self._named))
        self._show_rows()
        if self.choosing.repository == requested != name:
            self._show_offer(name)
            self.list.choose(name)

    def _show_nothing(self) -> None:
        self.empty.show_message(
            "Which model would you like?",
            "Choose one at the left to see what it can do, how large it is and under which licence it comes. Nothing is"
            " downloaded before you say so.",
        )
        self.panes.show_right(self.empty)

    # Downloads

    @Slot(str, str)
    def _act_on_download(self, repository: str, action: str) -> None:
        card = self.downloads.card(repository)
        match action:
            case "pause":
                self.downloads.pause(repository)
            case "resume":
                self.downloads.resume(repository)
            case "throw":
                self.downloads.throw_away(repository)
            case "close":
                self.downloads.put_away(repository)
            case "show" if card is not None:
                self.downloads.put_away(repository)
                self.go.emit("installed", card)
            case "use" if card is not None:
                self._use_job = self.lanes.files.start(_use, self.workspace, card)
                self._use_job.done.connect(self._used)
                self._use_job.failed.connect(self.show_fault)

    @Slot(object)
    def _used(self, card: ModelCard) -> None:
        self.note.emit(f"{card.name} is used for {PAGES[card.heads[0]]} now")
        self.downloads.now_used(card.repository)
        self.changed.emit(card.heads[0].value)

    @Slot(object)
    def _downloaded(self, card: ModelCard) -> None:
        self._look()
        self.changed.emit("models")

    @Slot(object)
    def _imported(self, card: ModelCard) -> None:
        self._look()
        self.changed.emit("models")
        if self.isVisible():
            self.go.emit("installed", card)

    @Slot()
    def _show_transfers(self) -> None:
        if self._own() != self._shown:
            self._show_rows()
        self.transfers.set_rows(self.downloads.rows())

    @Slot()
    def _to_list(self) -> None:
        place = self.filters.search if self.list.isHidden() else self.list
        place.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot(str)
    def _show_installed(self, folder: str) -> None:
        self.go.emit("installed", folder)

    @Slot()
    def _go_to_network(self) -> None:
        self.go.emit("network", None)

    @Slot()
    def _show_all(self) -> None:
        self.filters.clear()
        self.filters.go_to_search()

    @Slot()
    def _enter(self) -> None:
        self.sheet.go_in()

    def _connect(self) -> None:
        self.filters.changed.connect(self._show_rows)
        self.nothing.acted.connect(self._show_all)
        self.nothing.named.connect(self._take_typed)
        self.filters.down_asked.connect(self.list.go_in)
        self.list.up_asked.connect(self.filters.go_to_search)
        self.list.chosen.connect(self._show_offer)
        self.list.entered.connect(self._enter)
        self.repository.requested.connect(self._take_typed)
        self.transfers.action_requested.connect(self._act_on_download)
        self.transfers.left.connect(self._to_list)
        self.downloads.changed.connect(self._show_transfers)
        self.downloads.note.connect(self.note)
        self.downloads.installed.connect(self._downloaded)
        self.choosing.note.connect(self.note)
        self.choosing.network_asked.connect(self._go_to_network)
        self.choosing.show_asked.connect(self._show_installed)
        self.choosing.called.connect(self._called)
        self.choosing.begun.connect(self.transfers.go_to)
        self.importing.note.connect(self.note)
        self.importing.installed.connect(self._imported)


def _use(workspace: Workspace, card: ModelCard, report: Report) -> ModelCard:
    use(workspace, card.heads[0], card.folder)
    return card
