"""Downloads: one runs, others wait, interrupted ones can be resumed."""

from __future__ import annotations

from dataclasses import dataclass

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
from app.ui.models.transfer_rows import Stage, TransferRow
from app.ui.models.words import PAGES, when


@dataclass(slots=True)
class Transfer:
    """A known download: `job` is the running or waiting one, None without; `card` is the installed model's."""

    passport: Passport
    stage: Stage
    job: Job | None = None
    done: int = 0
    total: int = 0
    speed: float = 0.0
    left: float | None = None
    what: str = ""
    file: str = ""
    begun: str = ""
    sentence: str = ""
    hint: str = ""
    card: ModelCard | None = None
    used: bool = False

    @property
    def running(self) -> bool:
        """Whether it runs or waits."""
        return self.job is not None and self.job.running


class Downloads(QObject):
    """Runs downloads in the network lane and reports their state.

    `changed` is sent when the rows are to be refreshed; `note` is one line for the status line; `installed` carries the
    card of a model that was just downloaded.
    """

    changed = Signal()
    note = Signal(str)
    installed = Signal(object)

    def __init__(self, workspace: Workspace, lanes: Lanes, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._lanes = lanes
        self._all: dict[str, Transfer] = {}

    def look(self) -> None:
        """Find unfinished downloads of earlier sessions."""
        self._lanes.files.start(unfinished, self._workspace).then(self._unfinished_found)

    def start(self, passport: Passport) -> None:
        """Download a model, after those queued before."""
        known = self._all.get(passport.repository)
        if known is not None and known.running:
            return
        transfer = Transfer(passport, Stage.WAITING)
        if known is not None and known.passport.commit == passport.commit:
            transfer.done = known.done
        self._all[passport.repository] = transfer
        self._run(transfer)

    def find(self, repository: str) -> Transfer | None:
        """The download of a repository, with its passport from the time it was begun."""
        return self._all.get(repository)

    def pause(self, repository: str) -> bool:
        """Pause a download, keeping its files; returns whether there was one to pause."""
        known = self._all.get(repository)
        if known is None or known.job is None or not known.running:
            return False
        known.job.stop()
        return True

    def pause_running(self) -> bool:
        """Pause the running download; returns whether there is one."""
        return any(self.pause(key) for key, one in self._all.items() if one.stage is Stage.RUNNING)

    def resume(self, repository: str) -> None:
        """Resume an interrupted download."""
        known = self._all.get(repository)
        if known is not None and not known.running:
            self._run(known)

    def throw_away(self, repository: str) -> None:
        """Stop a download and delete its files."""
        known = self._all.get(repository)
        if known is None:
            return
        if known.job is not None:
            known.job.drop()
        known.stage, known.job = Stage.GOING, None
        job = self._lanes.network.start(_give_up, self._workspace, repository)
        job.setProperty("repository", repository)
        job.then(self._deleted, self._failed)
        self._post_note(known)

    def now_used(self, repository: str) -> None:
        """Mark a finished download's model as the one in use."""
        known = self._all.get(repository)
        if known is not None:
            known.used = True
            self.changed.emit()

    def put_away(self, repository: str) -> None:
        """Remove a finished download from the list."""
        if self._all.pop(repository, None) is not None:
            self.changed.emit()

    def rows(self) -> tuple[TransferRow, ...]:
        """A row for each download."""
        return tuple(self._row(key, one) for key, one in self._all.items())

    # Signals of the jobs

    def _run(self, transfer: Transfer) -> None:
        transfer.stage, transfer.sentence, transfer.hint, transfer.what = Stage.WAITING, "", "", ""
        transfer.speed, transfer.left = 0.0, None
        job = self._lanes.network.start(_download, self._workspace, transfer.passport)
        job.setProperty("repository", transfer.passport.repository)
        job.started.connect(self._started)
        job.partial.connect(self._partial_received)
        transfer.job = job.then(self._done, self._failed, self._paused, progress=self._progressed)
        self._post_note(transfer)

    def _mine(self) -> Transfer | None:
        """The download whose job sent the current signal."""
        return self._all.get(str(self.sender().property("repository")))

    def _post_note(self, transfer: Transfer) -> None:
        row = self._row(transfer.passport.repository, transfer)
        if transfer.stage in (Stage.RUNNING, Stage.FAILED):
            self.note.emit(tr("{model}: {words}", model=row.title, words=row.words))
        else:
            self.note.emit(tr("{model} {state}", model=row.title, state=row.words))
        self.changed.emit()

    @Slot()
    def _started(self) -> None:
        if (one := self._mine()) is not None:
            one.stage = Stage.RUNNING
            self.note.emit(tr("Downloading {model}", model=_name(one.passport)))
            self.changed.emit()

    @Slot(object)
    def _partial_received(self, news: Downloading) -> None:
        one = self._mine()
        if one is not None:
            one.done, one.total, one.speed, one.what = news.done, news.total, news.speed, ""
            one.file = news.file
            self.changed.emit()

    @Slot(object)
    def _progressed(self, progress: Progress) -> None:
        if (one := self._mine()) is not None:
            one.left = progress.seconds_left
            # Bytes are reported by partial results; other work, such as trying the model out, by its own words.
            counts_bytes = progress.total == one.passport.to_fetch or progress.total == one.passport.size
            what = "" if counts_bytes and one.done < progress.total else progress.what
            begun, one.what = bool(what) and what != one.what, what
            # The status line shows the kind of work; the row shows the progress.
            if begun:
                self._post_note(one)
            else:
                self.changed.emit()

    @Slot(object)
    def _done(self, had: tuple[ModelCard, bool]) -> None:
        if (one := self._mine()) is not None:
            card, one.used = had
            one.stage, one.card, one.job = Stage.DONE, card, None
            self._post_note(one)
            self.installed.emit(card)

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        if (one := self._mine()) is not None:
            fault = fault_of(error)
            one.stage, one.sentence, one.hint, one.job = Stage.FAILED, fault.sentence, fault.hint, None
            self._post_note(one)

    @Slot()
    def _paused(self) -> None:
        if (one := self._mine()) is not None and one.stage is not Stage.GOING:
            one.stage, one.job = Stage.PAUSED, None
            self._post_note(one)

    @Slot()
    def _deleted(self) -> None:
        gone = self._all.pop(str(self.sender().property("repository")), None)
        if gone is not None:
            self.note.emit(tr("{model}: what was downloaded is deleted", model=_name(gone.passport)))
        self.changed.emit()

    @Slot(object)
    def _unfinished_found(self, found: tuple[Unfinished, ...]) -> None:
        for one in found:
            key = one.passport.repository
            if key not in self._all:
                self._all[key] = Transfer(one.passport, Stage.PAUSED, done=one.done, begun=one.begun)
        self.changed.emit()

    # In words

    def _row(self, key: str, one: Transfer) -> TransferRow:
        share, use = _share(one), ""
        if one.card is not None and not one.used:
            use = tr("Use it for {page}", page=PAGES[one.card.heads[0]])
        blocked = tr("Spanlight is offline") if self._workspace.settings.offline else ""
        return TransferRow(
            key, _name(one.passport), one.stage, self._words(one), share, localised(one.hint), use, blocked
        )

    def _words(self, one: Transfer) -> str:
        of = localised(wording.size(one.total or one.passport.size))
        if one.done:
            of = tr("{done} of {total}", done=wording.size(one.done), total=of)
        match one.stage:
            case Stage.WAITING:
                first = next((each for each in self._all.values() if each.stage is Stage.RUNNING), None)
                return tr("waits for {model}", model=_name(first.passport)) if first else tr("begins")
            case Stage.GOING:
                return tr("is being thrown away")
            case Stage.DONE if one.card is not None and one.used:
                return tr("is installed, and used for {page} now", page=PAGES[one.card.heads[0]])
            case Stage.DONE:
                return tr("is installed")
            case Stage.FAILED:
                return localised(one.sentence)
            case Stage.PAUSED if one.begun:
                begun = when(one.begun, within=True)
                return tr("paused at {amount}, begun {moment}", amount=of, moment=begun)
            case Stage.PAUSED:
                return tr("paused at {amount}", amount=of)
        if one.what:
            return localised(one.what)
        parts = [of]
        if one.speed:
            parts.append(tr("{size} a second", size=wording.size(round(one.speed))))
        if one.left is not None:
            parts.append(localised(wording.time_left(one.left)))
        if one.file:
            parts.append(one.file)
        return " · ".join(parts)


def _download(workspace: Workspace, passport: Passport, report: Report) -> tuple[ModelCard, bool]:
    """The card of the downloaded model, and whether it is already the default for its first head."""
    card = download(workspace, passport, report)
    return card, workspace.find_model(card.heads[0]).folder == card.folder


def _give_up(workspace: Workspace, repository: str, report: Report) -> None:
    """Delete the fetched files; a download that had not begun has none."""
    if any(one.passport.repository == repository for one in unfinished(workspace, report)):
        give_up(workspace, repository, report)


def _share(one: Transfer) -> float | None:
    total = one.total or one.passport.size
    if one.stage is Stage.RUNNING and (one.what or not one.done):
        return None
    return min(1.0, one.done / total) if total else 0.0


def _name(passport: Passport) -> str:
    return passport.repository.rpartition("/")[2]
