"""Finding and preloading the model of a page."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal, Slot

from app.core.errors import EngineLost
from app.core.models import Head, LoadedModel, ModelCard
from app.core.report import Report
from app.flows.workspace import Workspace
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.messages import fault_of

Load = Callable[[Workspace, Report], LoadedModel]


def find_model(workspace: Workspace, head: Head, report: Report) -> ModelCard:
    """The card of the model used for a head; raises SpanlightError if there is none."""
    return workspace.find_model(head)


class ModelPreloader(QObject):
    """Finds the model for a page's head, and loads it in the work lane.

    `load` is the flow that loads it, `title` its name for the user ("classifier"). `found` carries a ModelCard,
    `missing` the error if there is none; `note` is one line for the status line; `lost` is sent when the model process
    died while loading. A loading error is shown when the model is used.
    """

    found = Signal(object)
    missing = Signal(object)
    note = Signal(str)
    lost = Signal()

    def __init__(
        self, workspace: Workspace, lanes: Lanes, parent: QObject, head: Head, load: Load, title: str
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._lanes = lanes
        self._head = head
        self._load = load
        self._title = title
        self._search: Job | None = None
        self._loading: Job | None = None
        self._wanted: tuple[str, str, str] | None = None
        self._none = False

    def look_once(self) -> None:
        """Find the model unless it is known; one may have been installed since there was none."""
        if self._search is None or self._none:
            self.look()

    def look(self) -> None:
        """Find the current model, and load it if the model or the device changed."""
        if self._search is not None:
            self._search.drop()
        self._search = self._lanes.files.start(find_model, self._workspace, self._head)
        self._search.done.connect(self._found)
        self._search.failed.connect(self._missing)

    @Slot(object)
    def _found(self, card: ModelCard) -> None:
        self._none = False
        self.found.emit(card)
        settings = self._workspace.settings
        wanted = (card.folder, settings.device, settings.precision)
        if wanted == self._wanted:
            return
        self._forget()
        self._wanted = wanted
        self.note.emit(f"Loading the {self._title}…")
        self._loading = self._lanes.work.start(self._load, self._workspace)
        self._loading.name = f"the loading of the {self._title}"
        self._loading.done.connect(self._ready)
        self._loading.failed.connect(self._failed)

    @Slot(object)
    def _missing(self, error: BaseException) -> None:
        self._forget()
        self._none = True
        self.missing.emit(error)

    @Slot(object)
    def _ready(self, loaded: LoadedModel) -> None:
        self.note.emit(f"{self._title[:1].upper()}{self._title[1:]} ready, on {loaded.device.title}")

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        self._wanted = None
        self.note.emit(fault_of(error).sentence)
        if isinstance(error, EngineLost):
            self.lost.emit()

    def _forget(self) -> None:
        if self._loading is not None:
            self._loading.drop()
        self._wanted = None
