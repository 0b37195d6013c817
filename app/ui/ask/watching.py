"""Notices that an open file has changed on the disk, and offers to read it again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QFileSystemWatcher, QObject, Qt, QTimer, Slot
from PySide6.QtWidgets import QApplication

from app.ui.ask.sheet import Sheet
from app.ui.ask.sheets import Sheets
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.messages import fault_of

if TYPE_CHECKING:
    from app.flows.ask.changes import FileState

_REST_MS = 700
CHANGED = "This file has changed on the disk since it was opened."
GONE = "The file is not in its place any more."


class Watching(QObject):
    """Checks the files of all sheets when the system reports a change, and when the window becomes active again."""

    def __init__(self, lanes: Lanes, sheets: Sheets, parent: QObject) -> None:
        super().__init__(parent)
        self._lanes = lanes
        self._sheets = sheets
        self._jobs: dict[Job, Sheet] = {}
        self._states: dict[Sheet, FileState] = {}
        self._watcher = QFileSystemWatcher(self)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_REST_MS)
        self._watcher.fileChanged.connect(self._file_changed)
        sheets.up.connect(self._up)
        self._timer.timeout.connect(self.look)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.applicationStateChanged.connect(self._state_changed)

    @Slot(object)
    def watch(self, sheet: Sheet) -> None:
        """Watch the file that was just read into a sheet."""
        self._states.pop(sheet, None)
        self._add(sheet)

    @Slot(object)
    def check_again(self, sheet: Sheet) -> None:
        """Watch a sheet that shows an earlier reading, and check its file soon."""
        if sheet.opened is not None and sheet.is_open:
            self.watch(sheet)
            self._timer.start()

    @Slot(object)
    def forget(self, sheet: Sheet) -> None:
        """Stop watching a sheet's file."""
        self._states.pop(sheet, None)
        if sheet.path in self._watcher.files():
            self._watcher.removePath(sheet.path)

    @Slot()
    def look(self) -> None:
        """Check the state of every open file."""
        from app.flows.ask.changes import file_state

        waiting = set(self._jobs.values())
        for sheet in self._sheets.all():
            if sheet.opened is not None and sheet.is_open and sheet.path and sheet not in waiting:
                job = self._lanes.files.start(file_state, sheet.opened)
                self._jobs[job] = sheet
                job.done.connect(self._found)
                job.failed.connect(self._not_found)

    @Slot(object)
    def _found(self, state: FileState) -> None:
        from app.flows.ask.changes import FileState

        sheet = self._sheet_of(self.sender())
        if sheet is None or sheet not in self._sheets.all() or sheet.opening is not None:
            return
        before, self._states[sheet] = self._states.get(sheet, FileState.SAME), state
        if state is not FileState.GONE:
            self._add(sheet)  # a file that was replaced is not watched any more
        if state is before:
            return
        if state is FileState.CHANGED:
            mine = "" if sheet.current_document().sha256 else "What you changed here is lost then."
            sheet.banner.show_hint(CHANGED, mine, act="Read it again")
        elif state is FileState.GONE:
            sheet.banner.show_hint(GONE, "What was read of it stays here until the tab is closed.")
        else:
            sheet.banner.clear()

    @Slot(object)
    def _not_found(self, error: BaseException) -> None:
        self._sheet_of(self.sender())
        fault_of(error)  # a file that cannot be read counts as gone: anything else is a bug, for the log

    def _sheet_of(self, job: QObject | None) -> Sheet | None:
        return self._jobs.pop(job, None) if isinstance(job, Job) else None

    @Slot(object)
    def _up(self, sheet: Sheet) -> None:
        """Watch the file of a restored sheet again."""
        if sheet.opened is not None and sheet.path not in self._watcher.files():
            self._add(sheet)
            self._timer.start()

    def _add(self, sheet: Sheet) -> None:
        # Where the system refuses to watch more files, they are checked when the window becomes active.
        if sheet.path and sheet.path not in self._watcher.files():
            self._watcher.addPath(sheet.path)

    @Slot(str)
    def _file_changed(self, path: str) -> None:
        self._timer.start()

    @Slot(Qt.ApplicationState)
    def _state_changed(self, state: Qt.ApplicationState) -> None:
        if state is Qt.ApplicationState.ApplicationActive:
            self._timer.start()
