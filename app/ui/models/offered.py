"""The section Get more: models of the catalogue, other repositories on Hugging Face, and imports from this computer."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QLineEdit

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import Head, ModelCard
from app.core.report import Report
from app.flows.models.catalogue import search
from app.flows.models.get import repository_name
from app.flows.models.import_model import looks_like_model
from app.flows.models.installed import use
from app.flows.workspace import Workspace
from app.ui.kit.boxes import column, row
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.model_list import Choices, ListedSection, ModelFilters
from app.ui.kit.parts import plain_label, push_button
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr
from app.ui.models.downloads import Downloads, Transfer
from app.ui.models.import_card import ImportCard
from app.ui.models.offer_sheet import OfferSheet
from app.ui.models.offers import LICENCES, SIZES, Offers, offers
from app.ui.models.transfer_rows import TransferRows
from app.ui.models.words import PAGES, TASKS

_TASK, _LANGUAGE, _SIZE, _LICENCE = Message("Task"), Message("Language"), Message("Size"), Message("Licence")


class RepositoryLine(QFrame):
    """A line edit for a repository's name, a button, and why the name is not valid. `requested` carries the text."""

    requested = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.line = QLineEdit()
        self.line.setPlaceholderText(tr("organisation/name, or its address"))
        self.line.setAccessibleName(tr("A model's repository on Hugging Face, or its address"))
        self.button = push_button(theme, tr("Show"), name=tr("Show this repository"))
        self.button.setEnabled(False)
        self._fault = plain_label(type="small", ink="fault")
        self._fault.hide()
        title = plain_label(tr("Any other model"), type="strong")
        title.setBuddy(self.line)
        entry = row(theme, (self.line, 1), self.button, gap=2)
        column(theme, title, entry, self._fault, gap=1.5, parent=self)
        self.line.textChanged.connect(self._typed)
        self.line.returnPressed.connect(self._submit)
        self.button.clicked.connect(self._submit)

    def refuse(self, words: str) -> None:
        """Show why the text is not a valid name, until it changes."""
        self._fault.setText(words)
        self._fault.setVisible(bool(words))
        self.line.setAccessibleDescription(words)
        self.line.setFocus(Qt.FocusReason.OtherFocusReason)
        self.line.selectAll()

    def refusal(self) -> str:
        """Why the text is not a valid name; empty while nothing is wrong."""
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


class NothingFound(QFrame):
    """The message of an empty list, with links to a suggested repository and to clear the filters."""

    def __init__(self, theme: Theme, words: str) -> None:
        super().__init__()
        self.suggested = push_button(theme, kind="link")
        self.button = push_button(theme, tr("Show all"), kind="link")
        label = plain_label(words, ink="quiet")
        label.setIndent(theme.step(1))  # level with the links' texts
        links = [(button, 0, Qt.AlignmentFlag.AlignLeft) for button in (self.suggested, self.button)]
        column(theme, label, *links, 1, gap=1, margins=(2, 2, 2, 0), parent=self)
        self.hide()

    def suggest(self, repository: str) -> None:
        """Suggest a repository; none if the name is empty."""
        self.suggested.setText(tr("Show {repository}", repository=repository))
        self.suggested.setAccessibleName(tr("Show {repository}", repository=repository))
        self.suggested.setVisible(bool(repository))


class OfferedSection(ListedSection):
    """The models on offer with other sources below them, the chosen model at the right, and downloads at the bottom."""

    KEY = "offered"
    TITLE = Message("Get more")
    SPLITTER = "models_offered"

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        choices: dict[str, Choices] = {
            _TASK: TASKS,
            _LANGUAGE: (("", tr("Language")),),
            _SIZE: SIZES,
            _LICENCE: LICENCES,
        }
        filters = ModelFilters(theme, tr("Search models"), choices)
        super().__init__(workspace, theme, lanes, filters, tr("Models that can be had"), "save")
        self._offers = Offers((), {}, {})
        self._added: list[str] = []  # repositories that the user named
        self._focus_sheet = False  # once shown: the user was sent here for a model
        self._requested_language = ""  # the user was sent here for models that read it
        self._outside_shown: tuple[str, ...] = ()
        self._list_job: Job | None = None
        self.nothing = NothingFound(theme, tr("No model of this list fits. Any other can be named below."))
        self.repository = RepositoryLine(theme)
        self.imports = ImportCard(workspace, theme, lanes)
        self.downloads = Downloads(workspace, lanes, self)
        self.sheet = OfferSheet(workspace, theme, lanes, self.downloads)
        self.transfers = TransferRows(theme)
        for part in (self.nothing, self.repository, self.imports):
            self.panes.left.addWidget(part)
        self.panes.left.setStretchFactor(self.nothing, 1)
        self.panes.show_right(self.sheet)
        self.panes.show_right(self.empty)
        self._show_empty("")
        self.whole.addWidget(self.transfers)
        self._connect()
        self.downloads.find_unfinished()

    # The section's interface to the page

    def shown(self) -> None:
        """Refresh the offers; focus the search, or the model that the user was sent here for."""
        self._refresh()
        if self._focus_sheet:
            self._focus_sheet = False
            self.sheet.go_in()
        elif not self.isAncestorOf(self.window().focusWidget() or self):
            self.filters.search.setFocus(Qt.FocusReason.OtherFocusReason)

    def receive(self, argument: object) -> None:
        """Show a repository, given by its name, or the models for a (head, language)."""
        if isinstance(argument, tuple):
            head, self._requested_language = argument
            self.filters.clear()
            self.filters.offer(_LANGUAGE, self._offers.languages(self._requested_language))
            self.filters.choose(_TASK, head)
            self.filters.choose(_LANGUAGE, self._requested_language)
        elif isinstance(argument, str) and argument:
            self._add(argument)
            self._focus_sheet = True

    def settings_changed(self) -> None:
        """Apply changes of the network settings and of the installed models."""
        self.downloads.changed.emit()  # a download can be resumed unless the network is off
        self._refresh()

    def stop(self) -> bool:
        """Stop a look-up or an import, else pause the running download."""
        if self.sheet.stop() or self.imports.stop():
            return True
        running = self.downloads.running()
        return running is not None and running.pause()

    def take_files(self, paths: list[Path]) -> bool:
        """Import folders and zips that seem to be models."""
        models = [path for path in paths if path.is_dir() or looks_like_model(path)]
        if models:
            self.imports.take(models)
        return bool(models)

    # The list

    def _refresh(self) -> None:
        job = self.lanes.files.start(offers, self.workspace).replacing(self._list_job)
        self._list_job = job.then(self._offers_found, self.show_fault)

    @Slot(object)
    def _offers_found(self, found: Offers) -> None:
        self._offers = found
        self.filters.offer(_LANGUAGE, found.languages(self._requested_language))
        self.show_rows()
        if self.sheet.repository:
            self._show_offer(self.sheet.repository)

    @Slot()
    def show_rows(self) -> None:
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
        outside = () if self.filters.narrowing else self._outside_catalogue()
        rows[:0] = [self._offers.repository_row(one, self.sheet.passport_of(one)) for one in outside]
        self._outside_shown = self._outside_catalogue()
        self._show_empty(self._offers.comparison(found))
        self.list.set_rows(rows)
        self.list.setVisible(bool(rows) or not self._offers.models)
        self.nothing.setVisible(self.list.isHidden())
        self.nothing.suggest(self._repository_in_search())

    def _repository_in_search(self) -> str:
        """The repository whose name was typed into the search; empty if it is no name."""
        words = self.filters.words()
        try:
            return repository_name(self.workspace, words) if "/" in words else ""
        except SpanlightError:
            return ""

    def _outside_catalogue(self) -> tuple[str, ...]:
        """The repositories that are not in the catalogue: named by the user, or with a download."""
        known = dict.fromkeys([*self._added, *(each.key for each in self.downloads.all())])
        return tuple(one for one in known if self._offers.find(one) is None)

    @Slot(str)
    def _show_offer(self, repository: str) -> None:
        known = self._offers.find(repository)
        name = known.repository if known is not None else repository
        self.sheet.show_model(
            name, known, self._offers.suitability.get(name, ""), self._offers.installed.get(name, "")
        )
        self.panes.show_right(self.sheet)

    @Slot(str)
    def _take_typed(self, typed: str) -> None:
        try:
            repository = repository_name(self.workspace, typed)
        except SpanlightError as error:
            self.repository.refuse(f"{localised(error.message)} {localised(error.hint)}")
            return
        self._add(repository)
        self.sheet.go_in()

    def _add(self, repository: str) -> None:
        """Put a repository at the top of the list and show it; those added earlier stay if they were looked up."""
        looked_up = (one for one in self._added if self.sheet.passport_of(one) is not None)
        self._added = list(dict.fromkeys([repository, *looked_up]))
        self.filters.clear()
        self._show_offer(repository)
        self.list.choose(self.sheet.repository)

    @Slot(str, str)
    def _looked_up(self, requested: str, name: str) -> None:
        """Update the row of a repository that was looked up, under the name that its owner gave it."""
        self._added = list(dict.fromkeys(name if one == requested else one for one in self._added))
        self.show_rows()
        if self.sheet.repository == requested != name:
            self._show_offer(name)
            self.list.choose(name)

    def _show_empty(self, comparison: str) -> None:
        choose = tr(
            "Choose one at the left to see what it can do, how large it is and under which licence it comes."
            " Nothing is downloaded before you say so."
        )
        self.empty.show_message(tr("Which model would you like?"), f"{comparison}\n\n{choose}".strip())

    # Downloads

    @Slot(object, str)
    def _act_on_download(self, transfer: Transfer, action: str) -> None:
        card = transfer.card
        match action:
            case "pause":
                transfer.pause()
            case "resume":
                transfer.resume()
            case "discard":
                transfer.discard()
            case "close":
                self.downloads.remove(transfer)
            case "show" if card is not None:
                self.downloads.remove(transfer)
                self.go.emit("installed", card)
            case "use" if card is not None:
                self.lanes.files.start_write(_use, self.workspace, card).then(self._used, self.show_fault)

    @Slot(object)
    def _used(self, card: ModelCard) -> None:
        self.note.emit(tr("{model} is used for {page} now", model=card.title, page=PAGES[card.heads[0]]))
        if (transfer := self.downloads.find(card.repository)) is not None:
            transfer.mark_used()
        self.changed.emit(card.heads[0].value)

    @Slot(object)
    def _downloaded(self, card: ModelCard) -> None:
        self._refresh()
        self.changed.emit("models")

    @Slot(object)
    def _imported(self, card: ModelCard) -> None:
        self._downloaded(card)
        if self.isVisible():
            self.go.emit("installed", card)

    @Slot()
    def _show_transfers(self) -> None:
        if self._outside_catalogue() != self._outside_shown:
            self.show_rows()
        self.transfers.show_transfers(self.downloads.all())

    @Slot()
    def _focus_list(self) -> None:
        place = self.filters.search if self.list.isHidden() else self.list
        place.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def _show_suggested(self) -> None:
        self._take_typed(self._repository_in_search())

    @Slot()
    def _show_all(self) -> None:
        self.filters.clear()
        self.filters.search.go_in()

    def _connect(self) -> None:
        self.nothing.button.clicked.connect(self._show_all)
        self.nothing.suggested.clicked.connect(self._show_suggested)
        self.list.chosen.connect(self._show_offer)
        self.list.entered.connect(self.sheet.go_in)
        self.repository.requested.connect(self._take_typed)
        self.transfers.action_requested.connect(self._act_on_download)
        self.transfers.focus_lost.connect(self._focus_list)
        self.downloads.changed.connect(self._show_transfers)
        self.downloads.installed.connect(self._downloaded)
        self.sheet.link.clicked.connect(partial(self.go.emit, "network", None))
        self.sheet.show_requested.connect(partial(self.go.emit, "installed"))
        self.sheet.looked_up.connect(self._looked_up)
        self.sheet.download_begun.connect(self.transfers.go_to)
        self.imports.installed.connect(self._imported)
        for part in (self.downloads, self.sheet, self.imports):
            part.note.connect(self.note)


def _use(workspace: Workspace, card: ModelCard, report: Report) -> ModelCard:
    use(workspace, card.heads[0], card.folder)
    return card
