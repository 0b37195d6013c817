"""Downloads of models: one runs at a time, the others wait, and interrupted ones can be resumed."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import QObject, Signal, Slot

from app.core import wording
from app.core.models import ModelCard
from app.core.offers import Downloading, Passport, Unfinished
from app.core.report import Progress, Report
from app.flows.models.get import download, give_up, unfinished
from app.flows.workspace import Workspace
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.messages import fault_of
from app.ui.kit.translation import localised, tr
from app.ui.models.words import PAGES, when


class Stage(StrEnum):
    """The stage of a download."""

    WAITING = "waiting"
    RUNNING = "running"
    PAUSED = "paused"
    FAILED = "failed"
    DISCARDING = "going"
    DONE = "done"


class Transfer(QObject):
    """A download and its state; `Downloads` sends its signals.

    `card` is that of the installed model, `hint` what to do about a failure.
    """

    def __init__(self, downloads: Downloads, passport: Passport, *, done: int = 0, begun: str = "") -> None:
        super().__init__(downloads)
        self._downloads = downloads
        self.passport, self.stage = passport, Stage.PAUSED
        self.done, self._total = done, passport.size
        self._begun = begun
        self.card: ModelCard | None = None
        self._used = False
        self._job: Job | None = None
        self._reset_progress()

    @property
    def key(self) -> str:
        """The repository."""
        return self.passport.repository

    @property
    def title(self) -> str:
        """The model's name."""
        return self.key.rpartition("/")[2]

    @property
    def running(self) -> bool:
        """Whether it is running or queued."""
        return self._job is not None and self._job.running

    # Actions

    def resume(self) -> None:
        """Begin or resume the download, after those queued before it."""
        if self.running:
            return
        self._reset_progress()
        self.stage = Stage.WAITING
        job = self._downloads.lanes.network.start(_download, self._downloads.workspace, self.passport)
        job.started.connect(self._started)
        job.partial.connect(self._partial_received)
        self._job = job.then(self._done, self._failed, self._paused, progress=self._progressed)
        self._post_note()

    def pause(self) -> bool:
        """Pause the download, keeping its files; returns whether it was running or queued."""
        running = self.running
        if self._job is not None and running:
            self._job.stop()
        return running

    def discard(self) -> None:
        """Stop the download and delete its files."""
        if self._job is not None:
            self._job.drop()
        self.stage, self._job = Stage.DISCARDING, None
        job = self._downloads.lanes.network.start(_delete_files, self._downloads.workspace, self.key)
        job.then(self._files_deleted, self._failed)
        self._post_note()

    def mark_used(self) -> None:
        """Record that the downloaded model is the one in use."""
        self._used = True
        self._downloads.changed.emit()

    # The job's signals

    def _reset_progress(self) -> None:
        self._speed = 0.0
        self._seconds_left: float | None = None
        self._work = self._file = self._fault = self.hint = ""

    def _post_note(self) -> None:
        if self.stage in (Stage.RUNNING, Stage.FAILED):
            self._downloads.note.emit(tr("{model}: {words}", model=self.title, words=self.words))
        else:
            self._downloads.note.emit(tr("{model} {state}", model=self.title, state=self.words))
        self._downloads.changed.emit()

    @Slot()
    def _started(self) -> None:
        self.stage = Stage.RUNNING
        self._downloads.note.emit(tr("Downloading {model}", model=self.title))
        self._downloads.changed.emit()

    @Slot(object)
    def _partial_received(self, news: Downloading) -> None:
        self.done, self._total, self._speed, self._file = news.done, news.total, news.speed, news.file
        self._work = ""
        self._downloads.changed.emit()

    @Slot(object)
    def _progressed(self, progress: Progress) -> None:
        self._seconds_left = progress.seconds_left
        # Bytes are reported by partial results; other work, such as trying the model out, by its own words.
        counts_bytes = progress.total in (self.passport.to_fetch, self.passport.size)
        before, self._work = self._work, progress.what
        if counts_bytes and self.done < progress.total:
            self._work = ""
        # The status line shows the kind of work; the row shows the progress.
        if self._work and self._work != before:
            self._post_note()
        else:
            self._downloads.changed.emit()

    @Slot(object)
    def _done(self, had: tuple[ModelCard, bool]) -> None:
        self.card, self._used = had
        self.stage, self._job = Stage.DONE, None
        self._post_note()
        self._downloads.installed.emit(self.card)

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        fault = fault_of(error)
        self.stage, self._job = Stage.FAILED, None
        self._fault, self.hint = localised(fault.sentence), localised(fault.hint)
        self._post_note()

    @Slot()
    def _paused(self) -> None:
        self.stage, self._job = Stage.PAUSED, None
        self._post_note()

    @Slot()
    def _files_deleted(self) -> None:
        self._downloads.note.emit(tr("{model}: what was downloaded is deleted", model=self.title))
        self._downloads.remove(self)

    # In words

    @property
    def share(self) -> float | None:
        """The fraction of the bytes that were fetched, 0 to 1; None while that is unknown, or other work runs."""
        if self.stage is Stage.RUNNING and (self._work or not self.done):
            return None
        return min(1.0, self.done / self._total) if self._total else 0.0

    @property
    def use_label(self) -> str:
        """The label of the button that puts the installed model to use; empty if it is in use or not installed."""
        if self.card is None or self._used:
            return ""
        return tr("Use it for {page}", page=PAGES[self.card.heads[0]])

    @property
    def why_blocked(self) -> str:
        """Why the download cannot be resumed now; empty if it can."""
        return tr("Spanlight is offline") if self._downloads.workspace.settings.offline else ""

    @property
    def words(self) -> str:
        """The state in words: what it waits for, how much was fetched and how fast, or what went wrong."""
        of = localised(wording.size(self._total))
        if self.done:
            of = tr("{done} of {total}", done=wording.size(self.done), total=of)
        match self.stage:
            case Stage.WAITING:
                first = self._downloads.running()
                return tr("waits for {model}", model=first.title) if first else tr("begins")
            case Stage.DISCARDING:
                return tr("is being thrown away")
            case Stage.DONE if self.card is not None and self._used:
                return tr("is installed, and used for {page} now", page=PAGES[self.card.heads[0]])
            case Stage.DONE:
                return tr("is installed")
            case Stage.FAILED:
                return self._fault
            case Stage.PAUSED if self._begun:
                begun = when(self._begun, within=True)
                return tr("paused at {amount}, begun {moment}", amount=of, moment=begun)
            case Stage.PAUSED:
                return tr("paused at {amount}", amount=of)
        if self._work:
            return localised(self._work)
        parts = [of]
        if self._speed:
            parts.append(tr("{size} a second", size=wording.size(round(self._speed))))
        if self._seconds_left is not None:
            parts.append(localised(wording.time_left(self._seconds_left)))
        if self._file:
            parts.append(self._file)
        return " · ".join(parts)


class Downloads(QObject):
    """All downloads, run one after the other in the network lane.

    `changed` is sent when the state of one has changed; `note` is one line for the status line; `installed` carries the
    card of an installed model.
    """

    changed = Signal()
    note = Signal(str)
    installed = Signal(object)

    def __init__(self, workspace: Workspace, lanes: Lanes, parent: QObject) -> None:
        super().__init__(parent)
        self.workspace, self.lanes = workspace, lanes
        self._all: dict[str, Transfer] = {}

    def find_unfinished(self) -> None:
        """Find unfinished downloads of earlier sessions."""
        self.lanes.files.start(unfinished, self.workspace).then(self._unfinished_found)

    def start(self, passport: Passport) -> None:
        """Download a model, after those queued before."""
        known = self._all.get(passport.repository)
        if known is not None and known.running:
            return
        same = known is not None and known.passport.commit == passport.commit
        transfer = Transfer(self, passport, done=known.done if known is not None and same else 0)
        self._all[transfer.key] = transfer
        transfer.resume()
        if known is not None:
            known.deleteLater()

    def all(self) -> tuple[Transfer, ...]:
        """All downloads: running, queued, finished, failed and paused ones."""
        return tuple(self._all.values())

    def find(self, repository: str) -> Transfer | None:
        """The download of a repository, with its passport from the time it was begun."""
        return self._all.get(repository)

    def running(self) -> Transfer | None:
        """The running download, None if none runs."""
        return next((each for each in self._all.values() if each.stage is Stage.RUNNING), None)

    def remove(self, transfer: Transfer) -> None:
        """Remove a download from the list."""
        if self._all.pop(transfer.key, None) is not None:
            transfer.deleteLater()
            self.changed.emit()

    @Slot(object)
    def _unfinished_found(self, found: tuple[Unfinished, ...]) -> None:
        for one in found:
            if one.passport.repository not in self._all:
                transfer = Transfer(self, one.passport, done=one.done, begun=one.begun)
                self._all[transfer.key] = transfer
        self.changed.emit()


def _download(workspace: Workspace, passport: Passport, report: Report) -> tuple[ModelCard, bool]:
    """The card of the downloaded model, and whether it is already the default for its first head."""
    card = download(workspace, passport, report)
    return card, workspace.find_model(card.heads[0]).folder == card.folder


def _delete_files(workspace: Workspace, repository: str, report: Report) -> None:
    """Delete the files fetched so far; a download that never began has none."""
    if any(one.passport.repository == repository for one in unfinished(workspace, report)):
        give_up(workspace, repository, report)
