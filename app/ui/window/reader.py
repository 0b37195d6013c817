"""The reader's model in memory: loaded at the start, and again when needed; the status line shows its state."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.core.message import Message
from app.core.models import Head, LoadedModel, ModelCard
from app.core.report import Progress
from app.flows.ask.question import load_reader
from app.flows.workspace import Workspace
from app.ui.kit.jobs import Job, Lanes, do
from app.ui.kit.messages import fault_of
from app.ui.kit.translation import localised, tr
from app.ui.window.status_line import StatusLine

LOADING = Message("Loading the reader…")
AGAIN = Message("Loading the reader again…")


class Reader(QObject):
    """Has the reader loaded in the work lane.

    `loaded` is sent after each loading. `failed` carries the Fault of a bug; other faults are in the status line only.
    """

    loaded = Signal()
    failed = Signal(object)

    def __init__(self, workspace: Workspace, lanes: Lanes, status: StatusLine, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._lanes = lanes
        self._status = status
        self._job: Job | None = None
        self._search: Job | None = None
        self._folder = ""
        self._away = False
        self._loading: str = LOADING
        status.set_state("loading", LOADING)

    @property
    def is_loaded(self) -> bool:
        """Whether the reader is in memory, as far as the window knows."""
        return bool(self._folder) and not self._away

    @Slot()
    def start(self) -> None:
        """Load the reader, or load it again after its process died or another model was chosen."""
        self._start(LOADING)

    @Slot(str)
    def settings_changed(self, what: str) -> None:
        """Load the reader again where its model or device has changed; `what` is a setting's name, or "models"."""
        if what in ("device", "precision", Head.QUESTION_ANSWERING):
            self.start()
        elif what == "models":
            job = self._lanes.files.start(do, partial(self._workspace.find_model, Head.QUESTION_ANSWERING))
            self._search = job.replacing(self._search).then(self._found, self.start)  # it shows the fault
        elif what == "unloaded":
            self.put_away()

    def put_away(self, minutes: int = 0) -> None:
        """Show that the reader was unloaded after this many idle minutes, or, for 0, by the user."""
        if self._folder:
            self._away = True
            self._lanes.work.begun.connect(self._work_begun, Qt.ConnectionType.SingleShotConnection)
            self._status.set_state(
                "away",
                tr(
                    "Put away after {n:,} minute; the next question loads it again",
                    "Put away after {n:,} minutes; the next question loads it again",
                    n=minutes,
                )
                if minutes
                else tr("Put away; the next question loads it again"),
                tr("The models have left the memory. Nothing that you typed or asked is lost."),
            )

    @Slot()
    def _work_begun(self) -> None:
        if self._away:
            # The lane has not queued the work that begins: the reader comes before it.
            self._start(AGAIN)

    def _start(self, words: str) -> None:
        self._away = False
        self._folder = ""
        self._loading = words
        self._status.set_state("loading", words)
        job = self._lanes.work.start(load_reader, self._workspace).replacing(self._job)
        job.name = Message("the loading of the reader")
        self._job = job.then(self._ready, self._failed, progress=self._progressed)

    @Slot(object)
    def _found(self, card: ModelCard) -> None:
        if card.folder != self._folder:
            self.start()

    @Slot(object)
    def _progressed(self, progress: Progress) -> None:
        if progress.what and self._loading == LOADING:
            self._status.set_state("loading", f"{localised(progress.what)}…")

    @Slot(object)
    def _ready(self, loaded: LoadedModel) -> None:
        device = loaded.device
        self._folder = loaded.card.folder
        self._status.set_state(
            "ready",
            tr("Reader ready, on {device}", device=device.title),
            f"{loaded.card.title}: {localised(device.reason)}",
        )
        self.loaded.emit()

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        fault = fault_of(error)
        self._status.set_state("fault", f"{localised(fault.sentence)} {localised(fault.hint)}".strip())
        if fault.report:
            self.failed.emit(fault)
