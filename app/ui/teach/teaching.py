"""The teaching of the reader as the page works with it: begun, paused, gone on with, and its versions."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.core.errors import EngineLost, SpanlightError
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
    """The reader in use, the one that comes along (None where there is none), the versions, and what is unfinished.

    `versions` are newest first, `bases` what others than that reader they began with; `unfinished` is the teaching to
    go on with.
    """

    reader: ModelCard | None
    own: ModelCard | None
    versions: tuple[ReaderVersion, ...]
    unfinished: UnfinishedTeaching | None
    bases: tuple[ModelCard, ...] = ()

    @property
    def in_use(self) -> ReaderVersion | None:
        """The version in use; None for a reader that was not taught here."""
        folder = self.reader.folder if self.reader is not None else ""
        return next((one for one in self.versions if one.folder == folder), None)


def _state(workspace: Workspace, report: Report) -> ReaderState:
    from app.flows.teach.reader import bases, unfinished, versions

    reader = own = None
    with suppress(SpanlightError):  # none is installed
        own = workspace.shelf.default(Head.QUESTION_ANSWERING)
        reader = workspace.find_model(Head.QUESTION_ANSWERING)
    others = tuple(card for card in bases(workspace, report) if own is None or card.folder != own.folder)
    return ReaderState(reader, own, versions(workspace, report), unfinished(workspace, report), others)


class _Now(Enum):
    """What is being done."""

    NOTHING = auto()
    TEACHING = auto()
    WAITING = auto()  # to teach after other work
    ENDING = auto()  # the job was paused, and winds down
    SETTLING = auto()  # it has, and what is kept of it is looked for


class ReaderTeaching(QObject):
    """Teaches the reader behind all other work, and lists, uses and removes its versions.

    `looked` is sent when the `state` is known or another one. `teaching` carries the Progress, None when it ends;
    `stepped` each TrainingStep; `taught` the ReaderVersion at the end. `used` is sent when another reader is to be
    used, `removed` when a version was deleted, `exported` when one was copied.
    """

    looked = Signal()
    teaching = Signal(object)
    stepped = Signal(object)
    taught = Signal(object)
    used = Signal()
    removed = Signal()
    exported = Signal()
    failed = Signal(object)
    lost = Signal()

    def __init__(self, workspace: Workspace, lanes: Lanes, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace, self._lanes = workspace, lanes
        self.state: ReaderState | None = None
        self._looking: Job | None = None
        self._job: Job | None = None
        self._now = _Now.NOTHING
        self._discards = False
        lanes.work.begun.connect(self._give_way)
        lanes.work.rested.connect(self._rested)

    @Slot()
    def look(self) -> None:
        """Find the reader, its versions, and the teaching that was not finished."""
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
        if self._now is _Now.SETTLING:
            self._now = _Now.NOTHING
            self.teaching.emit(None)

    # Teaching

    @property
    def is_teaching(self) -> bool:
        """Whether the reader is being taught, or will be after other work."""
        return self._now in (_Now.TEACHING, _Now.WAITING)

    @property
    def is_busy(self) -> bool:
        """Whether it is being taught, or what was learnt is still being kept or discarded."""
        return self._now is not _Now.NOTHING

    @Slot()
    def teach(self) -> None:
        """Teach the reader from all corrections, or go on with the teaching that was not finished."""
        from app.flows.teach.reader import teach_reader

        if self._now not in (_Now.NOTHING, _Now.WAITING):
            return
        self._now = _Now.TEACHING
        # Aside: questions and all other work go first.
        job = self._lanes.work.start_aside(teach_reader, self._workspace)
        self._job = job.then(self._done, self._failed, progress=self.teaching, partial=self.stepped)
        self.teaching.emit(GETTING_READY)

    @Slot()
    def pause(self) -> bool:
        """Stop, so that `teach` goes on from here, also after a restart; returns whether it was being taught."""
        if not self.is_teaching:
            return False
        self._end(_ENDING)
        return True

    @Slot()
    def discard(self) -> None:
        """Stop, and delete what was learnt."""
        self._discards = True
        if self.is_teaching:
            self._end(_DISCARDING)
        elif self._now is not _Now.ENDING:
            self._ended()

    def _end(self, words: Progress) -> None:
        is_waiting = self._now is _Now.WAITING  # for other work, which may take long
        if self._job is not None:
            self._job.drop()
        self._job, self._now = None, _Now.ENDING
        self.teaching.emit(words)
        if self._lanes.work.idle or (is_waiting and not self._discards):
            self._ended()

    def _ended(self) -> None:
        """Nothing writes what was learnt any more."""
        from app.flows.teach.reader import discard_unfinished

        self._now = _Now.SETTLING
        if self._discards:
            self._discards = False
            self._run(discard_unfinished)
        else:
            self.look()

    @Slot(object)
    def _done(self, version: ReaderVersion) -> None:
        self._job, self._now = None, _Now.NOTHING
        self.teaching.emit(None)
        self.taught.emit(version)
        self.look()

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        self._job, self._now = None, _Now.NOTHING
        self.teaching.emit(None)
        self.failed.emit(error)
        self.look()
        if isinstance(error, EngineLost):
            self.lost.emit()

    @Slot(object)
    def _give_way(self, job: Job) -> None:
        """Let work begin that the person waits for, and teach after it."""
        if self._job is not None:
            self._job.drop()
            self._job, self._now = None, _Now.WAITING
            self.teaching.emit(LATER)

    @Slot()
    def _rested(self) -> None:
        if self._now is _Now.ENDING:
            self._ended()
        elif self._now is _Now.WAITING:
            self.teach()

    # Versions

    def use(self, name: str) -> None:
        """Answer questions with a version or a base from now on, "" for the reader that comes along."""
        from app.flows.teach.reader import use_version

        self._run(use_version, name).done.connect(self.used)

    def remove(self, name: str) -> None:
        from app.flows.teach.reader import remove_version

        in_use = self.state.in_use if self.state is not None else None
        job = self._run(remove_version, name)
        job.done.connect(self.removed)
        if in_use is not None and in_use.name == name:
            job.done.connect(self.used)

    def export(self, name: str, folder: Path) -> None:
        from app.flows.teach.reader import export_version

        self._lanes.documents.start(export_version, self._workspace, name, folder).then(
            self.exported, self.failed
        )

    def _run(self, flow: Callable[..., object], *arguments: object) -> Job:
        job = self._lanes.files.start(flow, self._workspace, *arguments).then(self.look, self.failed)
        job.failed.connect(self.look)
        return job
