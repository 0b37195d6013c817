"""The teaching of the reader as the page uses it: started, paused, resumed, discarded; and the taught versions."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import Head, ModelCard
from app.core.report import Progress, Report
from app.flows.workspace import Workspace
from app.ui.kit.jobs import Job, Lanes

if TYPE_CHECKING:
    from app.flows.teach.reader import ReaderVersion, UnfinishedTeaching

GETTING_READY = Progress(0, 0, Message("Getting ready to learn"))
LATER = Progress(0, 0, Message("Teaching goes on after other work"))
_ENDING = Progress(0, 0, Message("Keeping what was learnt"))
_DISCARDING = Progress(0, 0, Message("Discarding what was learnt"))


@dataclass(frozen=True, slots=True)
class ReaderState:
    """The reader in use and the one that comes with Spanlight, each None if it is missing, and the taught versions.

    `versions` are newest first; `bases` are the readers that they were taught from, without the one that comes along;
    `unfinished` is the teaching that can be resumed.
    """

    reader: ModelCard | None
    own: ModelCard | None
    versions: tuple[ReaderVersion, ...]
    unfinished: UnfinishedTeaching | None
    bases: tuple[ModelCard, ...] = ()

    @property
    def in_use(self) -> ReaderVersion | None:
        """The version in use; None if the reader in use was not taught here."""
        folder = self.reader.folder if self.reader is not None else ""
        return next((one for one in self.versions if one.folder == folder), None)


def _state(workspace: Workspace, report: Report) -> ReaderState:
    """Look up the readers, the versions, and the unfinished teaching."""
    from app.flows.teach.reader import bases, unfinished, versions

    reader = own = None
    with suppress(SpanlightError):  # none is installed
        own = workspace.shelf.default(Head.QUESTION_ANSWERING)
        reader = workspace.find_model(Head.QUESTION_ANSWERING)
    others = tuple(card for card in bases(workspace, report) if own is None or card.folder != own.folder)
    return ReaderState(reader, own, versions(workspace, report), unfinished(workspace, report), others)


class _Phase(Enum):
    """Where the teaching stands."""

    IDLE = auto()
    TEACHING = auto()
    WAITING = auto()  # for other work, to teach after it
    ENDING = auto()  # the job was dropped, and winds down
    SETTLING = auto()  # the job has ended, and what it has saved is looked up or deleted


class ReaderTeaching(QObject):
    """Teaches the reader after all other work, and lists, uses, removes and exports its versions.

    `looked` is sent when `state` was looked up. `teaching` carries the Progress of the teaching, None at its end,
    `stepped` each TrainingStep, `taught` the new ReaderVersion. `used` is sent when another reader was put to use,
    `removed` when a version was deleted, `exported` when one was copied; `failed` carries an error.
    """

    looked = Signal()
    teaching = Signal(object)
    stepped = Signal(object)
    taught = Signal(object)
    used = Signal()
    removed = Signal()
    exported = Signal()
    failed = Signal(object)

    def __init__(self, workspace: Workspace, lanes: Lanes, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace, self._lanes = workspace, lanes
        self.state: ReaderState | None = None
        self._looking: Job | None = None
        self._job: Job | None = None
        self._phase = _Phase.IDLE
        self._discards = False
        lanes.work.begun.connect(self._give_way)
        lanes.work.rested.connect(self._rested)

    @Slot()
    def look(self) -> None:
        """Look up the readers, the versions, and the unfinished teaching."""
        job = self._lanes.files.start(_state, self._workspace)
        self._looking = job.replacing(self._looking).then(self._found, self._not_found)

    @Slot(object)
    def _found(self, state: ReaderState) -> None:
        self.state = state
        self._settle()
        self.looked.emit()

    @Slot(object)
    def _not_found(self, error: BaseException) -> None:
        self._settle()
        self.failed.emit(error)

    def _settle(self) -> None:
        """Announce the end of the teaching, now that what it has saved is known."""
        if self._phase is _Phase.SETTLING:
            self._phase = _Phase.IDLE
            self.teaching.emit(None)

    # Teaching

    @property
    def is_teaching(self) -> bool:
        """Whether the reader is being taught, or will be after other work."""
        return self._phase in (_Phase.TEACHING, _Phase.WAITING)

    @property
    def is_busy(self) -> bool:
        """Whether the reader is being taught, or what it has learnt is still being saved or discarded."""
        return self._phase is not _Phase.IDLE

    @Slot()
    def teach(self) -> None:
        """Teach the reader from all corrections, or resume the unfinished teaching."""
        from app.flows.teach.reader import teach_reader

        if self._phase not in (_Phase.IDLE, _Phase.WAITING):
            return
        self._phase = _Phase.TEACHING
        # Aside: questions and all other work go first.
        job = self._lanes.work.start_aside(teach_reader, self._workspace)
        self._job = job.then(self._done, self._failed, progress=self.teaching, partial=self.stepped)
        self.teaching.emit(GETTING_READY)

    @Slot()
    def pause(self) -> bool:
        """Stop teaching, so that `teach` can resume it, also after a restart; returns whether it was running."""
        if not self.is_teaching:
            return False
        self._end(_ENDING)
        return True

    @Slot()
    def discard(self) -> None:
        """Stop teaching, and delete what was learnt."""
        self._discards = True
        if self.is_teaching:
            self._end(_DISCARDING)
        elif self._phase is not _Phase.ENDING:
            self._ended()

    def _end(self, progress: Progress) -> None:
        """Drop the job, and settle as soon as it has wound down."""
        is_waiting = self._phase is _Phase.WAITING  # no job of ours runs, and other work may take long
        if self._job is not None:
            self._job.drop()
        self._job, self._phase = None, _Phase.ENDING
        self.teaching.emit(progress)
        if self._lanes.work.idle or (is_waiting and not self._discards):
            self._ended()

    def _ended(self) -> None:
        """Look up what the job has saved, or delete it, as nothing writes it any more."""
        from app.flows.teach.reader import discard_unfinished

        self._phase = _Phase.SETTLING
        if self._discards:
            self._discards = False
            self._run(discard_unfinished)
        else:
            self.look()

    @Slot(object)
    def _done(self, version: ReaderVersion) -> None:
        self._job, self._phase = None, _Phase.IDLE
        self.teaching.emit(None)
        self.taught.emit(version)
        self.look()

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        self._job, self._phase = None, _Phase.IDLE
        self.teaching.emit(None)
        self.failed.emit(error)
        self.look()

    @Slot(object)
    def _give_way(self, job: Job) -> None:
        """Drop the teaching before other work is queued, to resume it afterwards."""
        if self._job is not None:
            self._job.drop()
            self._job, self._phase = None, _Phase.WAITING
            self.teaching.emit(LATER)

    @Slot()
    def _rested(self) -> None:
        if self._phase is _Phase.ENDING:
            self._ended()
        elif self._phase is _Phase.WAITING:
            self.teach()

    # Versions

    def use(self, name: str) -> None:
        """Answer questions with a version or a base from now on, or with the reader that comes along for ""."""
        from app.flows.teach.reader import use_version

        self._run(use_version, name).done.connect(self.used)

    def remove(self, name: str) -> None:
        """Delete a version."""
        from app.flows.teach.reader import remove_version

        in_use = self.state.in_use if self.state is not None else None
        job = self._run(remove_version, name)
        job.done.connect(self.removed)
        if in_use is not None and in_use.name == name:
            job.done.connect(self.used)

    def export(self, name: str, folder: Path) -> None:
        """Copy a version into a new folder."""
        from app.flows.teach.reader import export_version

        self._lanes.documents.start(export_version, self._workspace, name, folder).then(
            self.exported, self.failed
        )

    def _run(self, flow: Callable[..., object], *arguments: object) -> Job:
        """Start a flow, and look up the state again when it has ended or failed."""
        job = self._lanes.files.start_write(flow, self._workspace, *arguments).then(self.look, self.failed)
        job.failed.connect(self.look)
        return job
