"""The libraries as the window's pages see them: listed, and brought up to date in the background."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.core.report import Progress
from app.flows.workspace import Workspace
from app.ui.kit.jobs import Job, Lanes

if TYPE_CHECKING:
    from app.core.library import Library, LibraryFile, LibraryStatus

_REFRESH_EVERY = 20  # files read


class Libraries(QObject):
    """All libraries with their status, and the one update that runs at a time; the others wait for it.

    `changed` is sent when a library or its status has changed, `progressed` while one is updated, `read` with each
    LibraryFile that was read or failed, `failed` with the error of a list, an update or a change. Nothing is read
    before the first `refresh`.
    """

    changed = Signal()
    progressed = Signal()
    read = Signal(object)
    failed = Signal(object)

    def __init__(self, workspace: Workspace, lanes: Lanes, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace, self._lanes = workspace, lanes
        self._all: tuple[tuple[Library, LibraryStatus], ...] = ()
        self._waiting: list[tuple[Library, bool]] = []
        self._job: Job | None = None
        self._updating: Library | None = None
        self._progress: Progress | None = None
        self._unshown = 0

    @property
    def all(self) -> tuple[tuple[Library, LibraryStatus], ...]:
        """The libraries by name, with how much of each is indexed, as far as they were listed."""
        return self._all

    def find(self, number: int) -> tuple[Library, LibraryStatus] | None:
        """The library of this number with its status."""
        return next((each for each in self._all if each[0].number == number), None)

    def progress_of(self, library: Library) -> Progress | None:
        """The progress of a library's update; None where none runs or waits."""
        if self._updating is not None and self._updating.number == library.number:
            return self._progress or Progress(0, 0)
        return Progress(0, 0) if any(one.number == library.number for one, _ in self._waiting) else None

    @Slot()
    def refresh(self) -> None:
        """List the libraries anew."""
        from app.flows.library.libraries import libraries

        job = self._lanes.files.start_aside(libraries, self._workspace)
        job.done.connect(self._listed)
        job.failed.connect(self.failed)

    def save(self, library: Library) -> None:
        """Save a new or changed library, and read its files."""
        from app.flows.library.libraries import save_library

        job = self._lanes.files.start_aside(save_library, self._workspace, library)
        job.done.connect(self.update)
        job.failed.connect(self.failed)

    def remove(self, library: Library) -> None:
        """Forget a library and its index; no document is touched."""
        from app.flows.library.libraries import remove_library

        self.stop(library)
        job = self._lanes.library.start_aside(remove_library, self._workspace, library)
        job.done.connect(self.refresh)
        job.failed.connect(self.failed)

    @Slot(object)
    def update(self, library: Library, *, everything: bool = False) -> None:
        """Read a library's new and changed files; with `everything` all files are compared by content."""
        self._waiting = [each for each in self._waiting if each[0].number != library.number]
        self._waiting.append((library, everything))
        self._next()

    @Slot()
    def update_all(self) -> None:
        """Look at the files of every library that is not being updated or waiting for it."""
        for library, _ in self._all:
            if self.progress_of(library) is None:
                self.update(library)

    def stop(self, library: Library) -> None:
        """Stop a library's update; what was read stays."""
        self._waiting = [each for each in self._waiting if each[0].number != library.number]
        if self._job is not None and self._updating is not None and self._updating.number == library.number:
            self._job.stop()

    def _next(self) -> None:
        if self._job is None and self._waiting:
            from app.flows.library.update import update

            self._updating, everything = self._waiting.pop(0)
            self._unshown = 0
            self._job = self._lanes.library.start_aside(
                update, self._workspace, self._updating, everything=everything
            )
            self._job.progress.connect(self._progressed)
            self._job.partial.connect(self._file_read)
            self._job.done.connect(self._ended)
            self._job.stopped.connect(self._ended)
            self._job.failed.connect(self._failed)
        self.refresh()

    @Slot(object)
    def _listed(self, found: tuple[tuple[Library, LibraryStatus], ...]) -> None:
        if found != self._all:
            self._all = found
            self.changed.emit()

    @Slot(object)
    def _progressed(self, progress: Progress) -> None:
        self._progress = progress
        self.progressed.emit()

    @Slot(object)
    def _file_read(self, file: LibraryFile) -> None:
        self.read.emit(file)
        self._unshown += 1
        if self._unshown >= _REFRESH_EVERY:
            self._unshown = 0
            self.refresh()

    @Slot()
    def _ended(self, _: object = None) -> None:
        self._job, self._updating, self._progress = None, None, None
        self.progressed.emit()
        self._next()

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        self.failed.emit(error)
        self._ended()
