"""The libraries as all pages share them: listed, and updated in the background."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.core.errors import Busy, SpanlightError
from app.core.message import Message, joined
from app.core.report import Progress, Report
from app.flows.workspace import Workspace
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.translation import localised, tr

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from app.core.library import Library, LibraryFile, LibraryStatus
    from app.flows.library.libraries import Plan
    from app.flows.library.update import Update

_REFRESH_EVERY = 1.0  # seconds, while files are read


@dataclass(frozen=True, slots=True)
class _UpdateRequest:
    """A running or waiting update of a library, with the options of `Libraries.update`."""

    library: Library
    everything: bool
    recognise: bool
    quiet: bool


class Libraries(QObject):
    """All libraries with their status, and their updates, of which one runs at a time.

    `listed` is sent whenever the libraries were listed, `changed` when a library or its status has changed,
    `progressed` while one is updated; `read` carries each LibraryFile that was read or failed, `failed` the error of a
    listing, an update or a change. `large` carries a Plan to add so many files that the person must confirm it with
    `save_planned`; `added` carries a Library that was saved for the first time, `updated` one whose files have changed,
    `reported` a sentence about what an update found. Nothing is read before the first `refresh`.
    """

    listed = Signal()
    changed = Signal()
    progressed = Signal()
    read = Signal(object)
    failed = Signal(object)
    large = Signal(object)
    added = Signal(object)
    updated = Signal(object)
    reported = Signal(str)

    def __init__(self, workspace: Workspace, lanes: Lanes, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace, self._lanes = workspace, lanes
        self._all: tuple[tuple[Library, LibraryStatus], ...] = ()
        self._waiting: list[_UpdateRequest] = []
        self._job: Job | None = None
        self._current: _UpdateRequest | None = None
        self._progress: Progress | None = None
        self._refreshed = 0.0
        self._new: list[int] = []
        self._stopped: set[int] = set()

    @property
    def all(self) -> tuple[tuple[Library, LibraryStatus], ...]:
        """The libraries by name, each with its status, as they were last listed."""
        return self._all

    def find(self, number: int) -> tuple[Library, LibraryStatus] | None:
        """Return the library of this number with its status; None where there is none."""
        return next((each for each in self._all if each[0].number == number), None)

    def progress_of(self, library: Library) -> Progress | None:
        """The progress of a library's update; None if none is running or waiting."""
        if self._current is not None and self._current.library.number == library.number:
            return self._progress or Progress(0, 0)
        waits = any(one.library.number == library.number for one in self._waiting)
        return Progress(0, 0) if waits else None

    @Slot()
    def refresh(self) -> None:
        """List the libraries again."""
        self._refreshed = time.monotonic()
        self._lanes.files.start_aside(_all_libraries, self._workspace).then(self._listed, self.failed)

    def add(self, paths: Sequence[Path | str], name: str = "") -> None:
        """Add folders and files to the library of this name, or as a new library; `large` may be sent first."""
        from app.flows.library.libraries import plan

        self._lanes.folders.start_aside(plan, self._workspace, paths, name).then(self._planned, self.failed)

    def carry_out(self, plan: Plan) -> None:
        """Add what was planned, and read its files."""
        from app.flows.library.libraries import save_planned

        self._lanes.folders.start_write(save_planned, self._workspace, plan).then(self._saved, self.failed)

    @Slot(object, object)
    def change(self, before: Library, after: Library) -> None:
        """Save a changed library, and read its files."""
        from app.flows.library.libraries import change_library

        self._lanes.folders.start_write(change_library, self._workspace, before, after).then(
            self.update, self.failed
        )

    def rename(self, library: Library, name: str) -> None:
        """Give a library another name."""
        from app.flows.library.libraries import rename_library

        self._lanes.folders.start_write(rename_library, self._workspace, library, name).then(
            self.refresh, self.failed
        )

    def remove(self, library: Library) -> None:
        """Forget a library and its index; no document is touched."""
        from app.flows.library.libraries import remove_library

        self.stop(library)
        self._lanes.folders.start_write(remove_library, self._workspace, library).then(
            self.refresh, self.failed
        )

    @Slot(object)
    def update(
        self, library: Library, *, everything: bool = False, recognise: bool = False, quiet: bool = False
    ) -> None:
        """Read a library's new and changed files; with `everything`, compare all files by content.

        With `recognise`, all pages that are pictures are recognised, also of files that were read before. A `quiet`
        update does not report that there was nothing to do, or that another process does it. A waiting update of the
        same library becomes one with this.
        """
        self._stopped.discard(library.number)
        for before in [each for each in self._waiting if each.library.number == library.number]:
            self._waiting.remove(before)
            everything, recognise = everything or before.everything, recognise or before.recognise
            quiet = quiet and before.quiet
        self._waiting.append(_UpdateRequest(library, everything, recognise, quiet))
        self._next()

    def read_again(self, path: str, password: str) -> None:
        """Read a file that was locked or failed for the libraries that hold it; its password is not kept."""
        if self._all:
            job = self._lanes.documents.start_aside(_read_again, self._workspace, path, password)
            job.then(self._read_again, self.failed)

    @Slot()
    def update_all(self) -> None:
        """Update every library whose update is neither running nor waiting, nor was stopped by the person."""
        for library, _ in self._all:
            if self.progress_of(library) is None and library.number not in self._stopped:
                self.update(library, quiet=True)

    def stop(self, library: Library) -> None:
        """Stop a library's update; what was read stays, and the next update continues from there."""
        self._stopped.add(library.number)
        self._waiting = [each for each in self._waiting if each.library.number != library.number]
        current = self._current
        if self._job is not None and current is not None and current.library.number == library.number:
            self._job.stop()
        else:
            self.progressed.emit()

    def _next(self) -> None:
        if self._job is None and self._waiting:
            self._current = wanted = self._waiting.pop(0)
            self._job = self._lanes.library.start_aside(_update, self._workspace, wanted).then(
                self._updated, self._failed, self._ended, progress=self._progressed, partial=self._file_read
            )
        self.refresh()

    @Slot(object)
    def _listed(self, found: tuple[tuple[Library, LibraryStatus], ...]) -> None:
        is_new = found != self._all
        self._all = found
        if is_new:
            self.changed.emit()
        self.listed.emit()
        for number in self._new:
            if (listed := self.find(number)) is not None:
                self._new = [one for one in self._new if one != number]
                self.added.emit(listed[0])

    @Slot(object)
    def _planned(self, plan: Plan) -> None:
        library, walk = plan.library, plan.walk
        if walk.is_large:
            self.large.emit(plan)
        elif not walk.files and walk.refused:
            self.failed.emit(walk.refusal())
        elif not walk.files and not library.number:
            folder = library.roots[0] if len(library.roots) == 1 else library.name
            self.failed.emit(
                SpanlightError(
                    Message("There is no document to read in “{folder}”.", folder=folder)
                    if not walk.left_out
                    else Message(
                        "There is no document to read in “{folder}”, only files of other kinds: {kinds}.",
                        folder=folder,
                        kinds=walk.other_kinds,
                    ),
                    Message(
                        "PDF, Word, spreadsheets, slides, books, mails, web pages and plain texts are read, except"
                        " hidden files."
                    ),
                )
            )
        else:
            self.carry_out(plan)

    @Slot(object)
    def _saved(self, saved: tuple[Library, bool]) -> None:
        library, is_new = saved
        if is_new:
            self._new.append(library.number)
        self.update(library)

    @Slot(object)
    def _updated(self, updated: tuple[Update, LibraryStatus]) -> None:
        update, status = updated
        wanted, found = self._current, update.in_words
        if wanted is not None and found:
            self.updated.emit(wanted.library)
        if wanted is not None and (found or not wanted.quiet):
            parts = [found or Message("nothing new")]
            if update.walk.left_out:
                parts.append(Message("left out: {kinds}", kinds=update.walk.other_kinds))
            told = tr("{library}: {found}", library=wanted.library.name, found=joined(parts, "; "))
            if unreachable := status.unreachable_in_words:
                told = f"{told}. {' '.join(localised(unreachable).splitlines())}"
            self.reported.emit(told)
        self._ended()

    @Slot(object)
    def _progressed(self, progress: Progress) -> None:
        if self._progress is None:  # the update has just listed new files
            self.refresh()
        self._progress = progress
        self.progressed.emit()

    @Slot(object)
    def _file_read(self, file: LibraryFile) -> None:
        self.read.emit(file)
        if time.monotonic() - self._refreshed >= _REFRESH_EVERY:
            self.refresh()

    @Slot(object)
    def _read_again(self, file: LibraryFile | None) -> None:
        if file is not None:
            self.read.emit(file)
            self.refresh()

    @Slot()
    def _ended(self, _: object = None) -> None:
        self._job, self._current, self._progress = None, None, None
        self.progressed.emit()
        self._next()

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        if self._current is None or not (self._current.quiet and isinstance(error, Busy)):
            self.failed.emit(error)
        self._ended()


# The flows are imported in their lanes: in the window's thread that would delay the start.


def _all_libraries(workspace: Workspace, report: Report) -> tuple[tuple[Library, LibraryStatus], ...]:
    if not workspace.paths.library.exists():  # no library was ever made
        return ()
    from app.flows.library.libraries import libraries

    return libraries(workspace, report)


def _update(workspace: Workspace, wanted: _UpdateRequest, report: Report) -> tuple[Update, LibraryStatus]:
    from app.flows.ask.recognise import MOST_UNASKED
    from app.flows.library.update import update

    most = None if wanted.recognise else MOST_UNASKED
    done = update(workspace, wanted.library, report, everything=wanted.everything, recognise=most)
    return done, workspace.library.status(wanted.library)


def _read_again(workspace: Workspace, path: str, password: str, report: Report) -> LibraryFile | None:
    from app.flows.library.update import read_again

    return read_again(workspace, path, password, report)
