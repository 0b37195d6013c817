"""The section Installed: the list of installed models, their uses, and their removal."""

from __future__ import annotations

from functools import partial, reduce
from pathlib import Path

from PySide6.QtCore import Qt, Slot

from app.core import wording
from app.core.inspection import Visit
from app.core.message import Message
from app.core.models import Head, ModelCard
from app.core.offers import Removal, Source
from app.core.report import Report
from app.flows.models.installed import use
from app.flows.models.remove import removal_of, remove
from app.flows.teach.calibration import set_followed
from app.flows.workspace import Workspace
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.model_list import ListedSection, ModelFilters
from app.ui.kit.outside import open_folder
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr
from app.ui.models.details import STARTER_STAYS, ModelDetails
from app.ui.models.inventory import BrokenModel, Inventory, read_inventory, sample_visit
from app.ui.models.words import PAGES, TASKS, when

_TASK = Message("Task")
# In bytes: a folder that only links to files elsewhere takes less.
_NEGLIGIBLE = 10_000


class InstalledSection(ListedSection):
    """The installed models, the chosen one at the right."""

    KEY = "installed"
    TITLE = Message("Installed")
    SPLITTER = "models"

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        filters = ModelFilters(theme, tr("Search what is installed"), {_TASK: TASKS})
        super().__init__(workspace, theme, lanes, filters, tr("Installed models"), "models")
        self._inventory: Inventory | None = None
        self._wanted = ""  # the folder of the model to choose once it is listed
        self._list_job: Job | None = None
        self._removal_folder = ""
        self._removal: Removal | None = None
        self._removal_job: Job | None = None
        self.details = ModelDetails(theme)
        for page in (self.details, self.empty):
            self.panes.show_right(page)
        self._connect()

    # The section's interface to the page

    def shown(self) -> None:
        """Refresh the list, and focus it."""
        self.settings_changed()
        if not self.isAncestorOf(self.window().focusWidget() or self):
            self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def receive(self, argument: object) -> None:
        """Choose a model: its card, or its folder."""
        self._wanted = argument.folder if isinstance(argument, ModelCard) else str(argument)
        self.filters.clear()

    def settings_changed(self) -> None:
        """Read the installed models and their uses again."""
        job = self.lanes.files.start(read_inventory, self.workspace).replacing(self._list_job)
        self._list_job = job.then(self._inventory_read, self.show_fault)

    def stop(self) -> bool:
        """Cancel the question, or stop removing."""
        if self.details.removal.isVisibleTo(self):
            self.details.removal.withdraw()
            return True
        if self._removal_job is not None and self._removal_job.running:
            self._removal_job.stop()
            return True
        return False

    # The list

    @Slot(object)
    def _inventory_read(self, found: Inventory) -> None:
        self._inventory = found
        self.show_rows()
        self._wanted = ""

    @Slot()
    def show_rows(self) -> None:
        if self._inventory is None:
            return
        rows = self._inventory.rows(self.filters.words(), self.filters.choice(_TASK))
        keys = [row.key for row in rows]
        # The wanted model may have been installed after the list was read: it is chosen on the next refresh.
        before = self._wanted if self._wanted in keys else self.list.key()
        self.list.set_rows(rows)
        key = before if before in keys else keys[0] if keys else ""
        if key == self._wanted:
            self._wanted = ""
        self.list.choose(key)
        self._show_model(key)

    @Slot(str)
    def _show_model(self, folder: str) -> None:
        found = self._inventory
        if found is None:
            return
        if folder != self._removal_folder and self._removal is None and self._removal_job is not None:
            self._removal_job.drop()  # another model is shown: the question about the first is obsolete
        model = found.find(folder)
        if model is None:
            self._show_empty(found)
        else:
            self.details.show_model(model, found)
            self.panes.show_right(self.details)

    def _show_empty(self, found: Inventory) -> None:
        if found.cards or found.broken:
            self.empty.show_message(
                tr("Nothing found"), tr("No installed model fits this search."), tr("Show all")
            )
        else:
            self.empty.show_message(
                tr("No model is installed"),
                tr(
                    "Spanlight reads with models that lie on this computer. Choose one that suits you: a small one"
                    " takes a minute to download."
                ),
                tr("Get a model"),
            )
        self.panes.show_right(self.empty)

    def _chosen(self) -> ModelCard | BrokenModel | None:
        return self._inventory.find(self.list.key()) if self._inventory is not None else None

    @property
    def card(self) -> ModelCard | None:
        """The card of the chosen model, None for none or a broken one."""
        chosen = self._chosen()
        return chosen if isinstance(chosen, ModelCard) else None

    # Actions

    @Slot(object, bool)
    def _use(self, head: Head, on: bool) -> None:
        card = self.card
        if card is None:
            return
        self.details.notice.hide()
        job = self.lanes.files.start_write(_use, self.workspace, head, card.folder if on else "")
        job.then(self._used, self._show_action_fault)

    @Slot(object)
    def _used(self, done: tuple[Head, str]) -> None:
        head, name = done
        self.note.emit(tr("{model} is used for {page} now", model=name, page=PAGES[head]))
        self.settings_changed()
        self.changed.emit(head.value)

    @Slot(bool)
    def _follow(self, on: bool) -> None:
        if self.card is not None:
            self.details.notice.hide()
            job = self.lanes.files.start_write(set_followed, self.workspace, self.card, on)
            job.then(self._followed, self._show_action_fault)

    @Slot()
    def _followed(self) -> None:
        self.settings_changed()
        self.changed.emit(Head.QUESTION_ANSWERING.value)

    @Slot()
    def _measure(self) -> None:
        if self.card is not None:
            self.go.emit("measure", self.card)

    @Slot()
    def _look_inside(self) -> None:
        if self.card is not None:
            job = self.lanes.files.start(sample_visit, self.workspace, self.card)
            job.then(self._visit_found, self._show_action_fault)

    @Slot(object)
    def _visit_found(self, visit: Visit | None) -> None:
        if visit is not None:
            self.go.emit("inspect", visit)

    @Slot()
    def _show_folder(self) -> None:
        folder = self.list.key()

        def show_failure(sentence: str, hint: str, path: str) -> None:
            if self.list.key() == folder:  # it may be called late, when another model is shown
                self.details.notice.show_unopened(sentence, hint, path)

        self.details.notice.hide()
        open_folder(Path(folder), show_failure, self)

    @Slot()
    def _download_again(self) -> None:
        broken = self._chosen()
        if isinstance(broken, BrokenModel) and broken.origin is not None:
            self.go.emit("offered", broken.origin.repository)

    @Slot()
    def _get_more(self) -> None:
        if self._inventory is not None and (self._inventory.cards or self._inventory.broken):
            self.filters.clear()
        else:
            self.go.emit("offered", None)

    # Removing

    @Slot()
    def _request_removal(self) -> None:
        """Look up the consequences of removing the chosen model, then ask."""
        card, folder = self.card, self.list.key()
        self.details.notice.hide()
        if card is not None and card.source == Source.STARTER:
            self.details.notice.show_hint(STARTER_STAYS)
        elif folder and not self._removing():
            self._removal_folder, self._removal = folder, None
            job = self.lanes.files.start(removal_of, self.workspace, folder).replacing(self._removal_job)
            self._removal_job = job.then(self._removal_found, self._show_action_fault)

    def _removing(self) -> bool:
        """Whether a model is being removed; the job of a question about it does not count."""
        return self._removal is not None and self._removal_job is not None and self._removal_job.running

    @Slot(object)
    def _removal_found(self, removal: Removal) -> None:
        self._removal = removal
        self.details.ask_removal(removal.card.title, consequences_of(removal), removal.cached)

    @Slot(bool)
    def _remove(self, from_cache: bool) -> None:
        if self._removal is None:
            return
        self.details.strip.show_busy(tr("Removing {model}", model=self._removal.card.title))
        job = self.lanes.files.start(remove, self.workspace, self._removal, from_cache=from_cache)
        self._removal_job = job.then(self._removed, self._show_action_fault, self._removal_cancelled)

    @Slot()
    def _removed(self) -> None:
        if self._removal is not None:
            self.note.emit(tr("{model} removed", model=self._removal.card.title))
        self._removal = None
        self._removal_cancelled()
        self.changed.emit("models")

    @Slot()
    def _removal_cancelled(self) -> None:
        self.details.strip.clear()
        self.settings_changed()
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot(object)
    def _show_action_fault(self, error: BaseException) -> None:
        self.details.strip.clear()
        self.details.notice.show_error(error)

    def _connect(self) -> None:
        self.list.chosen.connect(self._show_model)
        self.list.entered.connect(self.details.go_in)
        self.list.remove_requested.connect(self._request_removal)
        self.empty.button.clicked.connect(self._get_more)
        details = self.details
        details.uses.use_requested.connect(self._use)
        details.reliability.follow_requested.connect(self._follow)
        details.reliability.list_requested.connect(partial(self.go.emit, "teach", ("reader",)))
        details.measure.clicked.connect(self._measure)
        details.look.clicked.connect(self._look_inside)
        details.folder.clicked.connect(self._show_folder)
        details.again.clicked.connect(self._download_again)
        details.remove.clicked.connect(self._request_removal)
        details.removal.confirmed.connect(self._remove)
        details.removal.cancelled.connect(self._removal_cancelled)


def _use(workspace: Workspace, head: Head, name: str, report: Report) -> tuple[Head, str]:
    return head, use(workspace, head, name).title


def consequences_of(removal: Removal) -> str:
    """The consequences of removing a model, in a few short sentences."""
    sentences = []
    if removal.cached and removal.freed < _NEGLIGIBLE:
        sentences.append(tr("Its files stay in the Hugging Face cache, so that hardly any room is freed."))
    elif removal.freed >= _NEGLIGIBLE and removal.cached:
        frees = tr(
            "This frees {size}; its files stay in the Hugging Face cache.", size=wording.size(removal.freed)
        )
        sentences.append(frees)
    elif removal.freed >= _NEGLIGIBLE:
        sentences.append(tr("This frees {size}.", size=wording.size(removal.freed)))
    if removal.chosen_for:
        pages = reduce(
            lambda first, second: tr("{first} and {second}", first=first, second=second),
            (localised(PAGES[head]) for head in removal.chosen_for),
        )
        sentences.append(
            tr("It is used for {pages}: another model takes its place where there is one.", pages=pages)
        )
    if removal.questions:
        sentences.append(
            tr(
                "It answered {n:,} kept question; the answers stay.",
                "It answered {n:,} kept questions; the answers stay.",
                n=removal.questions,
            )
        )
    if removal.unfinished:
        sentences.append(
            tr(
                "Its unfinished teaching from {n:,} correction goes too; the corrections stay.",
                "Its unfinished teaching from {n:,} corrections goes too; the corrections stay.",
                n=removal.unfinished,
            )
        )
    if removal.last_used:
        sentences.append(tr("It was last used {moment}.", moment=when(removal.last_used, within=True)))
    return " ".join(sentences)
