"""Notices that an open file has changed on the disk, and offers to read it again."""

from __future__ import annotations

from PySide6.QtCore import QFileSystemWatcher, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication

from app.flows.changes import FileState, file_state
from app.ui.jobs import Job, Lanes
from app.ui.views.sheet import Sheet
from app.ui.views.sheets import Sheets

_REST_MS = 700
CHANGED = "This file has changed on the disk since it was opened."
GONE = "The file is not in its place any more."


class Watching(QObject):
    """Looks at the files of all sheets when the system tells of a change, and when the window becomes active again.

    `again_asked` carries a sheet that is to be read again.
    """

    again_asked = Signal(object)

    def __init__(self, lanes: Lanes, sheets: Sheets, parent: QObject) -> None:
        super().__init__(parent)
        self._lanes = lanes
        self._sheets = sheets
        self._jobs: dict[Job, Sheet] = {}
        self._told: dict[Sheet, FileState] = {}
        self._watcher = QFileSystemWatcher(self)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_REST_MS)
        self._watcher.fileChanged.connect(self._file_changed)
        self._timer.timeout.connect(self.look)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.applicationStateChanged.connect(self._state_changed)

    @Slot(object)
    def watch(self, sheet: Sheet) -> None:
        """Watch the file that was just read into a sheet."""
        self._told.pop(sheet, None)
        if sheet.path:
            self._watcher.addPath(sheet.path)
            sheet.banner.acted.connect(self._acted, Qt.ConnectionType.UniqueConnection)

    @Slot(object)
    def forget(self, sheet: Sheet) -> None:
        """Watch a sheet's file no longer."""
        self._told.pop(sheet, None)
        if sheet.path in self._watcher.files():
            self._watcher.removePath(sheet.path)

    @Slot()
    def look(self) -> None:
        """Find out what has become of every open file."""
        waiting = set(self._jobs.values())
        for sheet in self._sheets.all():
            if sheet.opened is not None and sheet.is_open and sheet.path and sheet not in waiting:
                job = self._lanes.files.start(file_state, sheet.opened)
                self._jobs[job] = sheet
                job.done.connect(self._found)

    @Slot(object)
    def _found(self, state: FileState) -> None:
        job = self.sender()
        sheet = self._jobs.pop(job, None) if isinstance(job, Job) else None
        if sheet is None or sheet not in self._sheets.all() or sheet.opening is not None:
            return
        before, self._told[sheet] = self._told.get(sheet, FileState.SAME), state
        if sheet.path not in self._watcher.files() and state is not FileState.GONE:
            self._watcher.addPath(sheet.path)  # a file that was replaced is not watched any more
        if state is before:
            return
        if state is FileState.CHANGED:
            mine = "" if sheet.asked().sha256 else "What you changed here is lost then."
            sheet.banner.show_hint(CHANGED, mine, act="Read it again")
        elif state is FileState.GONE:
            sheet.banner.show_hint(GONE, "What was read of it stays here until the tab is closed.")
        else:
            sheet.banner.clear()

    @Slot()
    def _acted(self) -> None:
        for sheet in self._sheets.all():
            if sheet.banner is self.sender():
                self.again_asked.emit(sheet)

    @Slot(str)
    def _file_changed(self, path: str) -> None:
        self._timer.start()

    @Slot(Qt.ApplicationState)
    def _state_changed(self, state: Qt.ApplicationState) -> None:
        if state is Qt.ApplicationState.ApplicationActive:
            self._timer.start()
