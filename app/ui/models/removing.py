"""Removing a model: the consequences are shown and confirmed in place first."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from app.core import wording
from app.core.offers import Removal
from app.flows.models.remove import removal_of, remove
from app.flows.workspace import Workspace
from app.ui.kit.jobs import Job, Lanes
from app.ui.models.model_details import ModelDetails
from app.ui.models.words import PAGES, when

# Bytes; a folder that only links to files elsewhere takes less.
_HARDLY = 10_000


class Removing(QObject):
    """Asks and reports on a ModelDetails page.

    `removed` and `cancelled` are sent at the end, `failed` carries an error, `note` one line for the status line.
    """

    removed = Signal()
    cancelled = Signal()
    failed = Signal(object)
    note = Signal(str)

    def __init__(self, workspace: Workspace, lanes: Lanes, details: ModelDetails, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._lanes = lanes
        self._details = details
        self._folder = ""
        self._removal: Removal | None = None
        self._job: Job | None = None
        details.removal.confirmed.connect(self._remove)
        details.removal.cancelled.connect(self.cancelled)

    def ask(self, folder: str) -> None:
        """Find the consequences of removing the model in this folder, and ask."""
        if self._job is not None:
            self._job.drop()
        self._folder, self._removal = folder, None
        self._job = self._lanes.files.start(removal_of, self._workspace, folder)
        self._job.done.connect(self._removal_found)
        self._job.failed.connect(self._failed)

    def leave(self, folder: str) -> None:
        """Withdraw a pending question, when another model's page is shown."""
        if folder != self._folder and self._removal is None and self._job is not None:
            self._job.drop()

    def stop(self) -> bool:
        """Cancel the question, or stop what runs; returns whether there was either."""
        if not self._details.removal.isHidden():
            self._details.removal.hide()
            self.cancelled.emit()
            return True
        if self._job is not None and self._job.running:
            self._job.stop()
            return True
        return False

    @Slot(object)
    def _removal_found(self, removal: Removal) -> None:
        self._removal = removal
        self._details.ask_removal(removal.card.name, consequences_of(removal), removal.cached)

    @Slot(bool)
    def _remove(self, from_cache: bool) -> None:
        if self._removal is None:
            return
        self._details.strip.waiting(f"Removing {self._removal.card.name}")
        self._job = self._lanes.files.start(remove, self._workspace, self._removal, from_cache=from_cache)
        self._job.done.connect(self._done)
        self._job.failed.connect(self._failed)
        self._job.stopped.connect(self._stopped)

    @Slot()
    def _done(self) -> None:
        self._details.strip.clear()
        if self._removal is not None:
            self.note.emit(f"{self._removal.card.name} removed")
        self._removal = None
        self.removed.emit()

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        self._details.strip.clear()
        self.failed.emit(error)

    @Slot()
    def _stopped(self) -> None:
        self._details.strip.clear()
        self.cancelled.emit()


def consequences_of(removal: Removal) -> str:
    """The consequences of removing a model, in a few short sentences."""
    sentences = []
    if removal.cached and removal.freed < _HARDLY:
        sentences.append("Its files stay in the Hugging Face cache, so that hardly any room is freed.")
    elif removal.freed >= _HARDLY:
        stays = "; its files stay in the Hugging Face cache" if removal.cached else ""
        sentences.append(f"This frees {wording.size(removal.freed)}{stays}.")
    if removal.chosen_for:
        pages = " and ".join(PAGES[head] for head in removal.chosen_for)
        sentences.append(f"It is used for {pages}: another model takes its place where there is one.")
    if removal.questions:
        sentences.append(
            f"It answered {wording.count(removal.questions, 'kept question')}; the answers stay."
        )
    if removal.last_used:
        sentences.append(f"It was last used {when(removal.last_used, within=True)}.")
    return " ".join(sentences)
