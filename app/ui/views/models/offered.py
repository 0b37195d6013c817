"""Models that can be had: those that Spanlight knows, any other on Hugging Face, and what lies on this computer."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.core.models import Head, ModelCard
from app.core.report import Report
from app.flows.catalogue import search
from app.flows.import_model import looks_like_model
from app.flows.use_model import use
from app.flows.workspace import Workspace
from app.ui.jobs import Job, Lanes
from app.ui.theme import Theme
from app.ui.views.models.choosing import Choosing
from app.ui.views.models.downloads import Downloads
from app.ui.views.models.importing import Importing
from app.ui.views.models.offers import LICENCES, SIZES, Offers, offers, typed_repository
from app.ui.views.models.section import ModelsSection
from app.ui.views.models.words import PAGES, TASKS
from app.ui.widgets.import_place import ImportPlace
from app.ui.widgets.model_filters import ModelFilters
from app.ui.widgets.model_list import ModelList, ModelRow
from app.ui.widgets.models_empty import ModelsEmpty
from app.ui.widgets.offer_sheet import OfferSheet
from app.ui.widgets.repository_line import RepositoryLine
from app.ui.widgets.transfer_rows import TransferRows
from app.ui.widgets.two_panes import TwoPanes

_TASK, _LANGUAGE, _SIZE, _LICENCE = "Task", "Language", "Size", "Licence"
_SPLITTER = "models_offered"


class OfferedSection(ModelsSection):
    """The list with its search at the left, other ways below, the chosen model at the right, downloads at the foot."""

    KEY = "offered"
    TITLE = "Get more"

    def __init__(
        self, workspace: Workspace, theme: Theme, lanes: Lanes, parent: QWidget | None = None
    ) -> None:
        super().__init__(workspace, theme, lanes, parent)
        self._offers = Offers((), {}, {})
        self._typed = ""
        self._list_job: Job | None = None
        self._use_job: Job | None = None
        filters = {_TASK: TASKS, _LANGUAGE: (("", "Language"),), _SIZE: SIZES, _LICENCE: LICENCES}
        self.panes = TwoPanes(theme)
        self.filters = ModelFilters(theme, "Search models", filters)
        self.list = ModelList(theme, "Models that can be had")
        self.repository = RepositoryLine(theme)
        self.place = ImportPlace(theme)
        self.sheet = OfferSheet(theme)
        self.empty = ModelsEmpty(theme, "save")
        self.transfers = TransferRows(theme)
        self.downloads = Downloads(workspace, lanes, self)
        self.choosing = Choosing(workspace, lanes, self.sheet, self.downloads, self)
        self.importing = Importing(workspace, lanes, self.place, self)
        for part in (self.notice, self.filters, self.list, self.repository, self.place):
            self.panes.left.addWidget(part)
        self.panes.left.setStretchFactor(self.list, 1)
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

    # What the page asks of a section

    def shown(self) -> None:
        """Read what is offered, and go to the search."""
        self._look()
        if not self.isAncestorOf(self.window().focusWidget() or self):
            self.filters.search.setFocus(Qt.FocusReason.OtherFocusReason)

    def receive(self, argument: object) -> None:
        """Show a repository, which is named."""
        if isinstance(argument, str) and argument:
            self._typed = argument
            self._show_offer(argument)

    def settings_changed(self) -> None:
        """Take up whether the network may be used, and what is installed."""
        self._look()

    def stop(self) -> bool:
        """Stop what is looked up or brought in, else pause the download that runs."""
        return self.choosing.stop() or self.importing.stop() or self.downloads.pause_running()

    def keep(self) -> None:
        """Keep where the line between list and page is."""
        self.workspace.settings.splitters[_SPLITTER] = self.panes.sizes()

    def take_files(self, paths: list[Path]) -> bool:
        """Bring in folders and zips that seem to be models."""
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
        self._list_job.done.connect(self._looked)
        self._list_job.failed.connect(self.say_fault)

    @Slot(object)
    def _looked(self, found: Offers) -> None:
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
        if self._typed and self._offers.find(self._typed) is None:
            organisation, _, name = self._typed.rpartition("/")
            rows.insert(0, ModelRow(self._typed, name, organisation))
        self.list.set_rows(rows)

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
        self._typed = typed_repository(typed)
        self.filters.clear()
        self._show_rows()
        self.list.choose(self._typed)
        self._show_offer(self._typed)
        self.sheet.go_in()

    def _show_nothing(self) -> None:
        self.empty.say(
            "Which model would you like?",
            "Choose one at the left to see what it can do, how large it is and under which licence it comes. Nothing is"
            " downloaded before you say so.",
        )
        self.panes.show_right(self.empty)

    # Downloads

    @Slot(str, str)
    def _asked(self, repository: str, deed: str) -> None:
        card = self.downloads.card(repository)
        match deed:
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
                self._use_job.failed.connect(self.say_fault)

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
        self.transfers.set_rows(self.downloads.rows())

    @Slot(str)
    def _show_installed(self, folder: str) -> None:
        self.go.emit("installed", folder)

    @Slot()
    def _go_to_network(self) -> None:
        self.go.emit("network", None)

    @Slot()
    def _enter(self) -> None:
        self.sheet.go_in()

    def _connect(self) -> None:
        self.filters.changed.connect(self._show_rows)
        self.filters.down_asked.connect(self.list.go_in)
        self.list.up_asked.connect(self.filters.go_to_search)
        self.list.chosen.connect(self._show_offer)
        self.list.entered.connect(self._enter)
        self.repository.asked.connect(self._take_typed)
        self.transfers.asked.connect(self._asked)
        self.downloads.changed.connect(self._show_transfers)
        self.downloads.note.connect(self.note)
        self.downloads.installed.connect(self._downloaded)
        self.choosing.note.connect(self.note)
        self.choosing.network_asked.connect(self._go_to_network)
        self.choosing.show_asked.connect(self._show_installed)
        self.importing.note.connect(self.note)
        self.importing.installed.connect(self._imported)


def _use(workspace: Workspace, card: ModelCard, report: Report) -> ModelCard:
    use(workspace, card.heads[0], card.folder)
    return card
